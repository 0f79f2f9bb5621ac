-- Records of our trace (trace_schema.yaml) from the tables ns3_ip, ns3_phy and ns3_frames of one run; `given` is the
-- user's list of nodes, `asked` the UDP ports that are the application's, if any were named.

-- Who owns an address: who sends with it as the source when no hop has been counted yet. By the TTL, which the
-- routers on the way count down.
CREATE TABLE owners AS
WITH sent AS (
    SELECT src, node, ttl, max(ttl) OVER (PARTITION BY src, dst, ip_protocol, src_port, dst_port) AS initial_ttl
    FROM ns3_ip
    WHERE op = 't' AND src NOT LIKE '127.%' AND src NOT IN (SELECT address FROM given WHERE address IS NOT NULL)
)
SELECT DISTINCT src AS address, node FROM sent WHERE ttl = initial_ttl
UNION
SELECT address, node FROM given WHERE address IS NOT NULL;

-- Who only receives: the one node at which what was sent to an address came in and did not go out again.
INSERT INTO owners
SELECT dst, any_value(node)
FROM (
    SELECT DISTINCT dst, node FROM ns3_ip
    WHERE op = 'r' AND dst NOT LIKE '%.255' AND split_part(dst, '.', 1)::INTEGER < 224
    EXCEPT SELECT dst, node FROM ns3_ip WHERE op = 't'
)
WHERE dst NOT IN (SELECT address FROM owners)
GROUP BY dst
HAVING count(*) = 1;

CREATE TABLE datagram_lines AS
WITH of_application AS (
    SELECT ns3_ip.*, row_number() OVER (ORDER BY filename, file_row_number) AS line
    FROM ns3_ip
    WHERE ip_protocol = 17 AND fragment_offset = 0 AND dst NOT LIKE '%.255'
        AND split_part(dst, '.', 1)::INTEGER < 224 AND dst NOT LIKE '127.%'
        AND CASE
            WHEN EXISTS (FROM asked) THEN dst_port IN (SELECT port FROM asked)
            ELSE app = 'DATA' AND dst_port NOT IN (67, 68, 520, 521, 654)
        END
),
at_origin AS (
    SELECT
        lines.*, owners.node AS publisher,
        coalesce(op = 't' AND lines.node = owners.node
            AND ttl = max(ttl) OVER (PARTITION BY src, dst, src_port, dst_port), FALSE) AS is_origin
    FROM of_application AS lines
    LEFT JOIN owners ON owners.address = src
),
before AS (
    SELECT
        *, lag(line) OVER same AS line_before, lag(interface) OVER same AS interface_before
    FROM at_origin
    WINDOW same AS (PARTITION BY src, dst, src_port, dst_port, ip_id, is_origin ORDER BY line)
)
-- An id comes again after 2^16 datagrams: when its owner sends it again, it is another datagram, unless it waited on
-- the owner's loopback (interface 0) for a route.
SELECT
    *, sum(CASE WHEN is_origin AND (line_before IS NULL OR interface_before <> 0 OR line - line_before >= 65536)
            THEN 1 ELSE 0 END)
        OVER (PARTITION BY src, dst, src_port, dst_port, ip_id ORDER BY line) AS generation
FROM before;

CREATE TABLE datagrams AS
WITH first_seen AS (
    SELECT
        src, dst, src_port, dst_port, ip_id, generation,
        min(line) AS line,
        arg_min(time_s, line) AS published_s,
        arg_min(bytes, line) - 28 AS bytes,
        any_value(publisher) AS publisher,
        max(ttl) FILTER (WHERE op = 't' AND interface <> 0 AND node = publisher) AS first_ttl
    FROM datagram_lines
    WHERE generation > 0
    GROUP BY ALL
)
SELECT
    first_seen.*, owners.node AS subscriber,
    row_number() OVER (PARTITION BY publisher ORDER BY line) AS sequence
FROM first_seen
LEFT JOIN owners ON owners.address = dst;

CREATE TABLE ways AS
SELECT
    datagrams.publisher, datagrams.sequence, datagrams.subscriber, datagrams.first_ttl, lines.op, lines.time_s,
    lines.node, lines.what, lines.ttl, lines.line,
    last_value(CASE WHEN lines.op = 't' AND lines.interface <> 0 THEN lines.node END IGNORE NULLS)
        OVER (PARTITION BY datagrams.publisher, datagrams.sequence, lines.ttl ORDER BY lines.line) AS peer
FROM datagram_lines AS lines
JOIN datagrams USING (src, dst, src_port, dst_port, ip_id, generation);

CREATE TABLE arrivals AS
SELECT *, row_number() OVER (PARTITION BY publisher, sequence ORDER BY line) AS copy
FROM ways
WHERE op = 'r' AND node = subscriber;

-- Why a flow lost what it lost, where FlowMonitor's drops for one reason are as many as were lost.
CREATE TABLE reasons AS
SELECT
    src, dst, src_port, dst_port,
    CASE reason WHEN '0' THEN 'NO_ROUTE' WHEN '6' THEN 'NO_ROUTE' WHEN '1' THEN 'TTL' WHEN '3' THEN 'MAC' WHEN '4' THEN 'MAC' END AS cause
FROM (
    SELECT src, dst, src_port, dst_port, tx_packets - rx_packets AS lost, unnest(map_entries(dropped_by_reason)) AS dropped
    FROM ns3_flows
    WHERE ip_protocol = 17
), LATERAL (SELECT dropped.key AS reason, dropped.value AS packets)
WHERE packets = lost AND reason IN ('0', '1', '3', '4', '6');

CREATE TABLE losses AS
SELECT
    publisher, sequence, subscriber,
    CASE
        WHEN last.what = 'ArpDrop' THEN 'NO_ADDRESS'
        WHEN last.what = 'Drop' AND last.ttl <= 1 THEN 'TTL'
        ELSE coalesce(cause, 'UNKNOWN')
    END AS cause
FROM datagrams
ANTI JOIN arrivals USING (publisher, sequence)
JOIN (
    SELECT publisher, sequence, arg_max({what: what, ttl: ttl}, line) AS last FROM ways GROUP BY ALL
) USING (publisher, sequence)
LEFT JOIN reasons USING (src, dst, src_port, dst_port);

-- Frames that went on the air or the wire: by the devices' traces, else by captures that tell who sent.
CREATE TABLE transmissions AS
SELECT time_s, node, kind, mac_src, mac_dst, bytes
FROM ns3_phy
WHERE layer = 'Tx' OR (layer = 'Dequeue' AND mac_type IN ('ETHERNET', 'PPP'))
UNION ALL
SELECT time_s, node, kind, mac_src, mac_dst, bytes
FROM ns3_frames
WHERE direction = 't' AND NOT EXISTS (FROM ns3_phy);

CREATE TABLE stations AS
SELECT mac_src AS address, any_value(node) AS node
FROM transmissions
WHERE mac_src IS NOT NULL
GROUP BY mac_src
HAVING count(DISTINCT node) = 1;

CREATE TABLE nodes AS
SELECT
    node,
    CASE
        WHEN bool_or(roles IS NOT NULL) THEN any_value(roles)
        ELSE coalesce(nullif(
            CASE WHEN node IN (SELECT subscriber FROM datagrams) THEN 'S' ELSE '' END
            || CASE WHEN node IN (SELECT publisher FROM datagrams) THEN 'P' ELSE '' END, ''), 'R')
    END AS roles
FROM (
    SELECT node, roles FROM given
    UNION ALL SELECT node, NULL FROM ns3_ip
    UNION ALL SELECT node, NULL FROM ns3_phy
    UNION ALL SELECT node, NULL FROM ns3_frames
    UNION ALL SELECT node, NULL FROM owners
)
GROUP BY node;

CREATE TABLE ends AS
SELECT coalesce(greatest(
    (SELECT max(time_s) FROM ns3_ip), (SELECT max(time_s) FROM ns3_phy), (SELECT max(time_s) FROM ns3_frames),
    (SELECT max(greatest(last_tx_s, last_rx_s)) FROM ns3_flows)
), 0) AS end_s;

CREATE VIEW records AS
SELECT 0 AS rank, '+' AS op, 0.0 AS time_s, node, 'node' AS layer, roles AS kind, NULL::INTEGER AS peer, NULL::INTEGER AS bytes, NULL::INTEGER AS publisher, NULL::BIGINT AS sequence, NULL::INTEGER AS subscriber, NULL::INTEGER AS hops FROM nodes
UNION ALL
SELECT 1, '+', published_s, publisher, 'app', 'PUBLISH', NULL, bytes, publisher, sequence, NULL, NULL FROM datagrams
UNION ALL
SELECT 2, '+', published_s, publisher, 'app', 'SEND', NULL, NULL, publisher, sequence, subscriber, NULL FROM datagrams
UNION ALL
-- the publisher knows whom it sends to, as under AODV of ours
SELECT 3, '+', published_s, publisher, 'broker', 'MATCH', NULL, NULL, publisher, sequence, subscriber, NULL FROM datagrams
UNION ALL
SELECT 4, 't', time_s, transmissions.node, 'radio', coalesce(kind, 'OTHER'), stations.node, bytes, NULL, NULL, NULL, NULL
FROM transmissions LEFT JOIN stations ON stations.address = mac_dst
UNION ALL
SELECT
    5, CASE WHEN copy = 1 THEN 'r' ELSE 'd' END, time_s, node, 'app', CASE WHEN copy = 1 THEN 'DELIVER' ELSE 'DUPLICATE' END,
    peer, NULL, publisher, sequence, subscriber, first_ttl - ttl + 1
FROM arrivals
UNION ALL
SELECT 6, 'd', end_s, NULL, 'loss', cause, NULL, NULL, publisher, sequence, subscriber, NULL FROM losses, ends
UNION ALL
SELECT 7, '-', end_s, NULL, 'run', 'END', NULL, NULL, NULL, NULL, NULL, NULL FROM ends;
