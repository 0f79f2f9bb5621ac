-- Records of our trace (trace_schema.yaml) from the tables ns3_ip, ns3_phy and ns3_frames of one run; `given` is the
-- user's list of nodes, `asked` the UDP ports that are the application's, if any were named. `event_of` tells which
-- datagrams are one event (records.py): this script stops before it, and goes on after it.

-- In networks larger than /24 a node may have an address that ends in 255: who sends has it, or the user says so.
-- FlowMonitor counts as received nothing that goes to a group.
CREATE TABLE of_nodes AS
SELECT address
FROM (
    SELECT address FROM given
    UNION SELECT src FROM ns3_ip
    UNION SELECT src FROM ns3_phy
    UNION SELECT src FROM ns3_frames
    UNION SELECT src FROM ns3_flows
    UNION SELECT dst FROM ns3_flows WHERE rx_packets > 0
)
WHERE address LIKE '%.255';
CREATE MACRO is_group(address) AS
    (address LIKE '%.255' AND address NOT IN (FROM of_nodes)) OR address LIKE 'ff%:%' OR coalesce(TRY_CAST(split_part(address, '.', 1) AS INTEGER) >= 224, FALSE);
CREATE MACRO is_local(address) AS address LIKE '127.%' OR address IN ('::1', '::', '0.0.0.0');

-- Hardware addresses of others: of frames in captures that do not tell who sent, and with what a router hands on by
-- another device.
CREATE TABLE foreign_hardware AS
SELECT DISTINCT came.mac_src AS address, came.node
FROM ns3_frames AS came
SEMI JOIN ns3_frames AS went
ON came.node = went.node AND came.src = went.src AND came.dst = went.dst AND came.ip_protocol = went.ip_protocol
    AND came.src_port IS NOT DISTINCT FROM went.src_port AND came.dst_port IS NOT DISTINCT FROM went.dst_port
    AND coalesce(came.ip_id, came.event_sequence) = coalesce(went.ip_id, went.event_sequence)
    AND came.device <> went.device AND came.ttl > went.ttl AND came.time_s <= went.time_s
WHERE came.direction IS NULL AND came.mac_src IS NOT NULL;

-- Who sends with a hardware address: of captures that do not tell, who has a frame of it first. Of some that have it
-- at the same time: who has its IP address, as the user tells; else the first of them.
CREATE TABLE hardware AS
SELECT mac_src AS address, arg_min(node, {time_s: time_s, is_foreign: is_foreign, node: node}) AS node
FROM (
    SELECT mac_src, node, time_s, FALSE AS is_foreign FROM ns3_phy WHERE layer IN ('Tx', 'Enqueue')
    UNION ALL
    SELECT
        mac_src, node, time_s,
        src IS NULL OR (src, node) NOT IN (SELECT (address, node) FROM given WHERE address IS NOT NULL) AS is_foreign
    FROM ns3_frames
    WHERE coalesce(direction, 't') = 't' AND (mac_src, node) NOT IN (FROM foreign_hardware)
)
WHERE mac_src IS NOT NULL
GROUP BY mac_src;

-- Frames with a datagram in the devices' files: which of them went out, and which were for the node that has them.
CREATE TABLE carried AS
WITH all_of_them AS (
    SELECT
        CASE WHEN layer IN ('Tx', 'Enqueue') THEN 't' WHEN layer = 'RxOk' THEN 'r' END AS told, time_s, node, ttl, ip_id,
        ip_protocol, src, dst, src_port, dst_port, ip_bytes, fragment_offset, more_fragments, kind, mac_type, mac_src, mac_dst, sequence,
        event_sequence, filename, file_row_number
    FROM ns3_phy
    WHERE src IS NOT NULL AND layer IN ('Tx', 'Enqueue', 'RxOk')
    UNION ALL
    SELECT
        direction, time_s, node, ttl, ip_id, ip_protocol, src, dst, src_port, dst_port, ip_bytes, fragment_offset, more_fragments,
        kind, mac_type, mac_src, mac_dst, sequence, event_sequence, filename, file_row_number
    FROM ns3_frames
    WHERE src IS NOT NULL AND NOT EXISTS (FROM ns3_phy)
),
directed AS (
    SELECT
        frames.*,
        coalesce(told, CASE
            WHEN mac_src IS NOT NULL THEN CASE WHEN sender.node = frames.node THEN 't' ELSE 'r' END
            WHEN row_number() OVER (
                PARTITION BY src, dst, ip_protocol, src_port, dst_port, coalesce(ip_id, event_sequence), ttl,
                    fragment_offset
                ORDER BY time_s
            ) = 1 THEN 't'
            ELSE 'r'
        END) AS op,
        mac_dst IS NULL OR mac_type = 'ETHERNET' AND told IS NOT NULL OR mac_dst LIKE '_1:%' OR mac_dst LIKE '33:33:%'
            OR mac_dst LIKE 'ff:ff%' OR receiver.node = frames.node
            -- who never sends has no hardware address that is known, but an address that the user may tell
            OR (receiver.node IS NULL AND (dst, frames.node) IN (SELECT (address, node) FROM given WHERE address IS NOT NULL)) AS is_for_it
    FROM all_of_them AS frames
    LEFT JOIN hardware AS sender ON sender.address = mac_src
    LEFT JOIN hardware AS receiver ON receiver.address = mac_dst
)
-- a frame that is sent again, since its acknowledgement was lost, is one
SELECT * FROM directed
WHERE op = 't' OR is_for_it
QUALIFY op = 't' OR sequence IS NULL
    OR row_number() OVER (PARTITION BY node, mac_src, sequence, src, dst, ip_id, ttl, fragment_offset ORDER BY time_s) = 1;

-- Datagrams, or fragments of some, where they were seen: by the IP trace, else by the devices' text, else by captures.
CREATE TABLE pieces AS
SELECT
    op, time_s, node, interface, what, ttl, coalesce(ip_id, event_sequence) AS ip_id, ip_protocol, src, dst,
    coalesce(src_port, 0) AS src_port, coalesce(dst_port, 0) AS dst_port, bytes, fragment_offset, more_fragments, app, event_sequence,
    row_number() OVER (ORDER BY filename, file_row_number) AS line
FROM ns3_ip
UNION ALL
SELECT
    op, time_s, node, 1, CASE op WHEN 't' THEN 'Tx' ELSE 'Rx' END, ttl, coalesce(ip_id, event_sequence), ip_protocol, src, dst,
    coalesce(src_port, 0), coalesce(dst_port, 0), ip_bytes, fragment_offset, more_fragments, kind, event_sequence,
    row_number() OVER (ORDER BY time_s, op DESC, filename, file_row_number)
FROM carried
WHERE NOT EXISTS (FROM ns3_ip);

-- A fragment by the bytes that it carries. A node keeps what it has of a datagram for 30 s (RFC 791): its id may come again.
CREATE TABLE fragments AS
WITH timed AS (
    SELECT
        *, bytes - 20 AS carried_bytes, CASE WHEN op = 't' THEN interface END AS way,
        time_s - lag(time_s) OVER (PARTITION BY op, what, node, way, src, dst, ip_protocol, ip_id ORDER BY line) AS since_s
    FROM pieces
    WHERE fragment_offset > 0 OR more_fragments = 1
)
SELECT
    *, count(*) FILTER (WHERE since_s > 30)
        OVER (PARTITION BY op, what, node, way, src, dst, ip_protocol, ip_id ORDER BY line) AS turn
FROM timed;

-- Whole datagrams: one that was sent or dropped in fragments is there with the first of them, one that was received
-- with the last that it needed. One that lacks a fragment was not received.
CREATE TABLE sightings AS
SELECT * EXCLUDE (fragment_offset, more_fragments)
FROM pieces
WHERE NOT (fragment_offset > 0 OR more_fragments = 1) OR more_fragments IS NULL
UNION ALL BY NAME
SELECT
    op, CASE op WHEN 'r' THEN max(time_s) ELSE min(time_s) END AS time_s, node, min(interface) AS interface, what,
    min(ttl) AS ttl, ip_id, ip_protocol, src, dst, max(src_port) AS src_port, max(dst_port) AS dst_port,
    sum(carried_bytes) + 20 AS bytes, arg_min(app, fragment_offset) AS app, max(event_sequence) AS event_sequence,
    CASE op WHEN 'r' THEN max(line) ELSE min(line) END AS line
FROM (
    FROM fragments
    QUALIFY row_number() OVER (
        PARTITION BY op, what, node, way, src, dst, ip_protocol, ip_id, turn, fragment_offset ORDER BY line
    ) = 1
)
GROUP BY op, what, node, way, src, dst, ip_protocol, ip_id, turn
HAVING op <> 'r' OR sum(carried_bytes) >= max(fragment_offset + carried_bytes) FILTER (WHERE more_fragments = 0);

-- Who owns an address: who sends with it as the source when no hop has been counted yet. By the TTL, which the
-- routers on the way count down.
CREATE TABLE owners AS
WITH sent AS (
    SELECT src, node, op, ttl, max(ttl) OVER (PARTITION BY src, dst, ip_protocol, src_port, dst_port) AS initial_ttl
    FROM sightings
    WHERE NOT is_local(src) AND src NOT IN (SELECT address FROM given WHERE address IS NOT NULL)
)
SELECT DISTINCT src AS address, node FROM sent WHERE op = 't' AND ttl = initial_ttl
UNION
SELECT address, node FROM given WHERE address IS NOT NULL;

-- Who only receives: the one node at which what was sent to an address came in and did not go out again.
INSERT INTO owners
SELECT dst, any_value(node)
FROM (
    SELECT DISTINCT dst, node FROM sightings
    WHERE op = 'r' AND NOT is_group(dst)
    EXCEPT SELECT dst, node FROM sightings WHERE op = 't'
)
WHERE dst NOT IN (SELECT address FROM owners)
GROUP BY dst
HAVING count(*) = 1;

CREATE TABLE datagram_lines AS
WITH of_application AS (
    FROM sightings
    WHERE ip_id IS NOT NULL AND NOT is_local(dst)
        AND CASE
            WHEN EXISTS (FROM asked) THEN ip_protocol = 17 AND dst_port IN (SELECT port FROM asked)
            ELSE app = 'ECHO' OR (app = 'DATA' AND dst_port NOT IN (67, 68, 520, 521, 546, 547, 654))
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
        *, lag(line) OVER same AS line_before, lag(interface) OVER same AS interface_before,
        lag(time_s) OVER same AS time_before
    FROM at_origin
    WINDOW same AS (PARTITION BY src, dst, src_port, dst_port, ip_id, is_origin ORDER BY line)
)
-- An id comes again after 2^16 datagrams: when its owner sends it again, it is another datagram, unless it waited on
-- the owner's loopback (interface 0) for a route. A device repeats what was not acknowledged, within a second.
SELECT
    *, sum(CASE WHEN is_origin AND (line_before IS NULL OR line - line_before >= 65536
                OR (EXISTS (FROM ns3_ip) AND interface_before <> 0)
                OR (NOT EXISTS (FROM ns3_ip) AND time_s - time_before > 1))
            THEN 1 ELSE 0 END)
        OVER (PARTITION BY src, dst, src_port, dst_port, ip_id ORDER BY line) AS generation
FROM before;

CREATE TABLE datagrams AS
WITH first_seen AS (
    SELECT
        src, dst, src_port, dst_port, ip_id, generation,
        min(line) AS line,
        arg_min(time_s, line) AS published_s,
        arg_min(bytes, line) - CASE WHEN src LIKE '%:%' THEN 48 ELSE 28 END AS bytes,
        any_value(publisher) AS publisher,
        any_value(event_sequence) AS told_sequence,
        max(ttl) FILTER (WHERE op = 't' AND interface <> 0 AND node = publisher) AS first_ttl
    FROM datagram_lines
    WHERE generation > 0
    GROUP BY src, dst, src_port, dst_port, ip_id, generation
),
-- What captures tell of a datagram, by the next of its frames.
told AS (
    SELECT src, dst, src_port, dst_port, ip_id, time_s + 0.001 AS time_s, event_publisher, event_sequence
    FROM ns3_frames
    WHERE event_publisher IS NOT NULL
)
SELECT
    first_seen.*, told.event_publisher AS told_publisher, coalesce(told.event_sequence, told_sequence) AS own_sequence,
    row_number() OVER (ORDER BY first_seen.line) AS number
FROM first_seen
ASOF LEFT JOIN told ON first_seen.src = told.src AND first_seen.dst = told.dst
    AND first_seen.src_port = told.src_port AND first_seen.dst_port = told.dst_port
    AND first_seen.ip_id = told.ip_id AND first_seen.published_s <= told.time_s;

-- Who is there for what goes to a group: the subscribers that the user names, else who has ever got some of it.
CREATE TABLE members AS
SELECT DISTINCT dst, dst_port, node
FROM datagram_lines
WHERE op = 'r' AND is_group(dst) AND NOT EXISTS (FROM given WHERE roles LIKE '%S%')
UNION
SELECT DISTINCT dst, dst_port, given.node
FROM datagrams, given
WHERE is_group(dst) AND roles LIKE '%S%';

-- Who should get a datagram.
CREATE TABLE wanted AS
SELECT datagrams.*, owners.node AS subscriber
FROM datagrams LEFT JOIN owners ON owners.address = dst
WHERE NOT is_group(dst)
UNION ALL
SELECT datagrams.*, members.node
FROM datagrams JOIN members USING (dst, dst_port)
WHERE is_group(dst) AND members.node <> publisher;

-- ---- `event_of` (number, sequence) is made here

CREATE TABLE events AS
SELECT publisher, sequence, min(published_s) AS published_s, arg_min(bytes, number) AS bytes
FROM datagrams JOIN event_of USING (number)
GROUP BY publisher, sequence;

CREATE TABLE pairs AS
SELECT wanted.*, sequence
FROM wanted JOIN event_of USING (number)
WHERE subscriber IS NOT NULL AND subscriber <> publisher;

-- A subscriber may be wanted by several datagrams of an event: a broadcast on several networks.
CREATE TABLE sends AS
SELECT publisher, sequence, subscriber, min(published_s) AS published_s
FROM pairs
GROUP BY publisher, sequence, subscriber;

CREATE TABLE ways AS
SELECT
    pairs.publisher, pairs.sequence, pairs.subscriber, pairs.first_ttl, lines.op, lines.time_s,
    lines.node, lines.what, lines.ttl, lines.line,
    last_value(CASE WHEN lines.op = 't' AND lines.interface <> 0 THEN lines.node END IGNORE NULLS)
        OVER (PARTITION BY pairs.number, pairs.subscriber, lines.ttl ORDER BY lines.line) AS peer
FROM datagram_lines AS lines
JOIN pairs USING (src, dst, src_port, dst_port, ip_id, generation);

CREATE TABLE arrivals AS
SELECT *, row_number() OVER (PARTITION BY publisher, sequence, subscriber ORDER BY line) AS copy
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
FROM sends
ANTI JOIN arrivals USING (publisher, sequence, subscriber)
JOIN (
    SELECT publisher, sequence, subscriber, arg_max({what: what, ttl: ttl}, line) AS last FROM ways GROUP BY ALL
) USING (publisher, sequence, subscriber)
LEFT JOIN (
    SELECT publisher, sequence, subscriber, any_value(cause) AS cause
    FROM pairs JOIN reasons USING (src, dst, src_port, dst_port)
    GROUP BY ALL
) USING (publisher, sequence, subscriber);

-- Of FlowMonitor alone: how many datagrams were sent and delivered, from when to when, and how late on the mean. Each
-- flow's datagrams are spread evenly over its time, its first ones arrive, each after the flow's mean delay. Nodes that
-- the user does not name are numbered by their addresses.
CREATE TABLE flow_nodes AS
WITH addresses AS (
    SELECT DISTINCT address FROM (SELECT src AS address FROM ns3_flows UNION ALL SELECT dst FROM ns3_flows)
    WHERE NOT is_group(address) AND NOT is_local(address)
)
SELECT
    address,
    coalesce(owners.node, row_number() OVER (
        ORDER BY TRY_CAST(split_part(address, '.', 1) AS INTEGER), TRY_CAST(split_part(address, '.', 2) AS INTEGER),
            TRY_CAST(split_part(address, '.', 3) AS INTEGER), TRY_CAST(split_part(address, '.', 4) AS INTEGER), address
    ) - 1) AS node
FROM addresses LEFT JOIN owners USING (address)
WHERE NOT EXISTS (FROM sightings);

CREATE TABLE of_flows AS
WITH chosen AS (
    SELECT ns3_flows.*, sender.node AS publisher, receiver.node AS subscriber
    FROM ns3_flows
    JOIN flow_nodes AS sender ON sender.address = src
    JOIN flow_nodes AS receiver ON receiver.address = dst
    WHERE ip_protocol = 17 AND CASE
        WHEN EXISTS (FROM asked) THEN dst_port IN (SELECT port FROM asked)
        ELSE dst_port NOT IN (67, 68, 269, 520, 521, 546, 547, 654, 698)
    END
),
single AS (
    SELECT *, unnest(range(tx_packets)) AS place FROM chosen
),
timed AS (
    SELECT
        *, first_tx_s + (last_tx_s - first_tx_s) * place / greatest(tx_packets - 1, 1) AS published_s,
        CASE WHEN place < rx_packets THEN delay_sum_s / rx_packets END AS delay_s
    FROM single
)
SELECT
    publisher, subscriber, src, dst, src_port, dst_port, published_s, delay_s, tx_bytes // tx_packets - 28 AS bytes,
    row_number() OVER (PARTITION BY publisher ORDER BY published_s, flow, place) AS sequence
FROM timed;

INSERT INTO events SELECT publisher, sequence, published_s, bytes FROM of_flows;
INSERT INTO sends SELECT publisher, sequence, subscriber, published_s FROM of_flows;
INSERT INTO arrivals BY NAME
SELECT publisher, sequence, subscriber, published_s + delay_s AS time_s, subscriber AS node, 1 AS copy
FROM of_flows
WHERE delay_s IS NOT NULL;
INSERT INTO losses
SELECT publisher, sequence, subscriber, coalesce(cause, 'UNKNOWN')
FROM of_flows LEFT JOIN reasons USING (src, dst, src_port, dst_port)
WHERE delay_s IS NULL;

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
            CASE WHEN node IN (SELECT subscriber FROM sends) THEN 'S' ELSE '' END
            || CASE WHEN node IN (SELECT publisher FROM events) THEN 'P' ELSE '' END, ''), 'R')
    END AS roles
FROM (
    SELECT node, roles FROM given
    UNION ALL SELECT node, NULL FROM ns3_ip
    UNION ALL SELECT node, NULL FROM ns3_phy
    UNION ALL SELECT node, NULL FROM ns3_frames
    UNION ALL SELECT node, NULL FROM ns3_movement
    UNION ALL SELECT node, NULL FROM owners
    UNION ALL SELECT node, NULL FROM flow_nodes
)
GROUP BY node;

CREATE TABLE ends AS
SELECT coalesce(greatest(
    (SELECT max(time_s) FROM ns3_ip), (SELECT max(time_s) FROM ns3_phy), (SELECT max(time_s) FROM ns3_frames),
    (SELECT max(greatest(last_tx_s, last_rx_s)) FROM ns3_flows), (SELECT max(time_s) FROM arrivals),
    (SELECT max(time_s) FROM ns3_movement)
), 0) AS end_s;

CREATE VIEW records AS
SELECT 0 AS rank, '+' AS op, 0.0 AS time_s, node, 'node' AS layer, roles AS kind, NULL::INTEGER AS peer, NULL::INTEGER AS bytes, NULL::INTEGER AS publisher, NULL::BIGINT AS sequence, NULL::INTEGER AS subscriber, NULL::INTEGER AS hops FROM nodes
UNION ALL
SELECT 1, '+', published_s, publisher, 'app', 'PUBLISH', NULL, bytes, publisher, sequence, NULL, NULL FROM events
UNION ALL
SELECT 2, '+', published_s, publisher, 'app', 'SEND', NULL, NULL, publisher, sequence, subscriber, NULL FROM sends
UNION ALL
-- the publisher knows whom it sends to, as under AODV of ours
SELECT 3, '+', published_s, publisher, 'broker', 'MATCH', NULL, NULL, publisher, sequence, subscriber, NULL FROM sends
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
