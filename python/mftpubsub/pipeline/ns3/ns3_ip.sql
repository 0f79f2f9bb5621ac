-- Lines of an IP trace (`lines`, one column `line`) to rows of the table ns3_ip; `op` is NULL where a line is none.
WITH found AS (
    SELECT
        line,
        regexp_extract(
            line,
            '^([trd]) ([0-9.e+-]+) /NodeList/(\d+)/\$ns3::(Ipv[46]L3Protocol/Tx|Ipv[46]L3Protocol/Rx|Ipv[46]L3Protocol/Drop|ArpL3Protocol/Drop)(?:\((\d+)\))? ns3::Ipv[46]Header \(',
            ['op', 'time_s', 'node', 'what', 'interface']
        ) AS f,
        ip_header(line) AS v4,
        ipv6_header(line) AS v6,
        ports(line) AS ports
    FROM lines
),
addressed AS (
    SELECT
        *,
        CASE WHEN v4.src <> '' THEN v4.src ELSE v6.src END AS src,
        CASE WHEN v4.src <> '' THEN v4.dst ELSE v6.dst END AS dst,
        CASE WHEN v4.src <> '' THEN v4.ttl ELSE v6.ttl END AS ttl,
        CASE WHEN v4.src <> '' THEN v4.protocol ELSE v6.protocol END AS protocol
    FROM found
)
SELECT
    CASE WHEN TRY_CAST(f.time_s AS DOUBLE) + TRY_CAST(f.node AS INTEGER) IS NOT NULL AND src <> '' AND header_holds(v4, ttl) THEN f.op END AS op,
    TRY_CAST(f.time_s AS DOUBLE) AS time_s,
    TRY_CAST(f.node AS INTEGER) AS node,
    TRY_CAST(f.interface AS INTEGER) AS interface,
    CASE WHEN f.what = 'ArpL3Protocol/Drop' THEN 'ArpDrop' ELSE split_part(f.what, '/', 2) END AS what,
    TRY_CAST(ttl AS INTEGER) AS ttl,
    TRY_CAST(v4.id AS INTEGER) AS ip_id,
    TRY_CAST(protocol AS INTEGER) AS ip_protocol,
    src,
    dst,
    CASE WHEN protocol IN ('6', '17') THEN TRY_CAST(ports.src AS INTEGER) END AS src_port,
    CASE WHEN protocol IN ('6', '17') THEN TRY_CAST(ports.dst AS INTEGER) END AS dst_port,
    coalesce(TRY_CAST(v4.length AS INTEGER), TRY_CAST(v6.length AS INTEGER) + 40) AS bytes,
    coalesce(TRY_CAST(v4.offset AS INTEGER), 0) AS fragment_offset,
    CAST(contains(v4.flags, 'MF') AS INTEGER) AS more_fragments,
    app(line, protocol, ports.dst) AS app,
    event_number(line) AS event_sequence
FROM addressed
