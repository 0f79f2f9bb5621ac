-- Lines of an IP trace (`lines`, one column `line`) to rows of the table ns3_ip; `op` is NULL where a line is none.
WITH found AS (
    SELECT
        line,
        regexp_extract(
            line,
            '^([trd]) ([0-9.e+-]+) /NodeList/(\d+)/\$ns3::(Ipv4L3Protocol/Tx|Ipv4L3Protocol/Rx|Ipv4L3Protocol/Drop|ArpL3Protocol/Drop)(?:\((\d+)\))? ns3::Ipv4Header \(',
            ['op', 'time_s', 'node', 'what', 'interface']
        ) AS f,
        ip_header(line) AS ip,
        ports(line) AS ports
    FROM lines
)
SELECT
    CASE WHEN TRY_CAST(f.time_s AS DOUBLE) IS NOT NULL AND ip.src <> '' THEN f.op END AS op,
    TRY_CAST(f.time_s AS DOUBLE) AS time_s,
    TRY_CAST(f.node AS INTEGER) AS node,
    TRY_CAST(f.interface AS INTEGER) AS interface,
    CASE WHEN f.what = 'ArpL3Protocol/Drop' THEN 'ArpDrop' ELSE split_part(f.what, '/', 2) END AS what,
    TRY_CAST(ip.ttl AS INTEGER) AS ttl,
    TRY_CAST(ip.id AS INTEGER) AS ip_id,
    TRY_CAST(ip.protocol AS INTEGER) AS ip_protocol,
    ip.src AS src,
    ip.dst AS dst,
    CASE WHEN ip.protocol IN ('6', '17') THEN TRY_CAST(ports.src AS INTEGER) END AS src_port,
    CASE WHEN ip.protocol IN ('6', '17') THEN TRY_CAST(ports.dst AS INTEGER) END AS dst_port,
    TRY_CAST(ip.length AS INTEGER) AS bytes,
    TRY_CAST(ip.offset AS INTEGER) AS fragment_offset,
    app(line, ip.protocol, ports.dst) AS app
FROM found
