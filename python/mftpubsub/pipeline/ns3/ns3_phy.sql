-- Lines of a device's trace (`lines`, one column `line`) to rows of the table ns3_phy; `op` is NULL where a line is
-- none. Wi-Fi's helper prints the mode behind the path of what is sent, and before the path of what is received.
WITH found AS (
    SELECT
        line,
        regexp_extract(
            line,
            '^([-+trd]) \+?([0-9.e+-]+?)s? (?:(\w+) )?/NodeList/(\d+)/DeviceList/(\d+)/\$ns3::([\w:]+)/(?:\S+/)?(\w+) (\S+)',
            ['op', 'time_s', 'mode', 'node', 'device', 'type', 'layer', 'next']
        ) AS f,
        ip_header(line) AS v4,
        ipv6_header(line) AS v6,
        ports(line) AS ports,
        regexp_extract(line, 'ns3::WifiMacHeader \((\w+)', 1) AS wifi,
        regexp_extract(line, 'ns3::lrwpan::LrWpanMacHeader \(\s*Frame Type = (\d)', 1) AS wpan,
        contains(line, ' ns3::EthernetHeader (') AS is_ethernet,
        contains(line, ' ns3::PppHeader (') AS is_ppp,
        contains(line, ' ns3::ArpHeader (') AS is_arp
    FROM lines
),
typed AS (
    SELECT
        *,
        CASE WHEN v4.src <> '' THEN v4.src ELSE v6.src END AS src,
        CASE WHEN v4.src <> '' THEN v4.dst ELSE v6.dst END AS dst,
        CASE WHEN v4.src <> '' THEN v4.ttl ELSE v6.ttl END AS ttl,
        CASE WHEN v4.src <> '' THEN v4.protocol ELSE v6.protocol END AS protocol,
        coalesce(TRY_CAST(v4.length AS INTEGER), TRY_CAST(v6.length AS INTEGER) + 40) AS ip_bytes,
        CASE
            WHEN wifi <> '' THEN wifi
            WHEN is_ethernet THEN 'ETHERNET'
            WHEN is_ppp THEN 'PPP'
            WHEN wpan <> '' THEN 'WPAN_' || coalesce(list_extract(['BEACON', 'DATA', 'ACK', 'COMMAND'], 1 + TRY_CAST(wpan AS INTEGER)), wpan)
        END AS mac_type,
        -- where a header has no such address the pattern finds none
        regexp_extract(line, '(?:SA\(TA\)|BSSID\(TA\)| TA|, SA|\bsource|m_addrShortSrcAddr|m_addrExtSrcAddr)[ =]+([0-9a-f:]{5,23})', 1) AS mac_src,
        regexp_extract(line, '(?:DA\(RA\)|BSSID\(RA\)| RA| DA|\bdestination|m_addrShortDstAddr|m_addrExtDstAddr)[ =]+([0-9a-f:]{5,23})', 1) AS mac_dst
    FROM found
)
SELECT
    CASE WHEN TRY_CAST(f.time_s AS DOUBLE) + TRY_CAST(f.node AS INTEGER) IS NOT NULL AND header_holds(v4, ttl) THEN nullif(f.op, '') END AS op,
    TRY_CAST(f.time_s AS DOUBLE) AS time_s,
    TRY_CAST(f.node AS INTEGER) AS node,
    TRY_CAST(f.device AS INTEGER) AS device,
    CASE
        WHEN f.layer = 'MacRx' THEN 'RxOk'
        WHEN f.layer LIKE 'MacTx_%' THEN substr(f.layer, 6)
        WHEN f.layer = 'MacTx' THEN 'Tx'
        WHEN f.layer LIKE '%Drop' THEN 'Drop'
        ELSE f.layer
    END AS layer,
    CASE
        WHEN f.mode <> '' THEN f.mode
        WHEN f.op = 't' AND f.type = 'WifiNetDevice' AND f.next NOT LIKE 'ns3::%' THEN f.next
    END AS mode,
    mac_type,
    nullif(mac_src, '') AS mac_src,
    nullif(mac_dst, '') AS mac_dst,
    TRY_CAST(regexp_extract(line, ' Retry=(\d)', 1) AS INTEGER) AS retry,
    TRY_CAST(regexp_extract(line, '(?:SeqNumber=|Sequence Num = )(\d+)', 1) AS INTEGER) AS sequence,
    CASE
        WHEN is_arp THEN 'ARP'
        WHEN protocol <> '' THEN app(line, protocol, ports.dst)
        ELSE regexp_replace(mac_type, '^(CTL|MGT|WPAN)_', '')
    END AS kind,
    -- the text has no sizes of MAC headers: those of plain data frames are the standard's
    CAST(CASE
        WHEN wifi IN ('CTL_ACK', 'CTL_CTS') THEN 14
        WHEN wifi = 'CTL_RTS' THEN 20
        WHEN wifi IN ('DATA', 'QOSDATA') AND (is_arp OR ip_bytes IS NOT NULL)
            THEN CASE WHEN wifi = 'DATA' THEN 36 ELSE 38 END + CASE WHEN is_arp THEN 28 ELSE ip_bytes END
        WHEN is_ethernet AND (is_arp OR ip_bytes IS NOT NULL)
            THEN 18 + greatest(46, CASE WHEN is_arp THEN 28 ELSE ip_bytes END)
        WHEN is_ppp AND ip_bytes IS NOT NULL THEN 2 + ip_bytes
    END AS INTEGER) AS bytes,
    nullif(src, '') AS src,
    nullif(dst, '') AS dst,
    TRY_CAST(ttl AS INTEGER) AS ttl,
    TRY_CAST(v4.id AS INTEGER) AS ip_id,
    TRY_CAST(protocol AS INTEGER) AS ip_protocol,
    CASE WHEN protocol IN ('6', '17') THEN TRY_CAST(ports.src AS INTEGER) END AS src_port,
    CASE WHEN protocol IN ('6', '17') THEN TRY_CAST(ports.dst AS INTEGER) END AS dst_port,
    CAST(ip_bytes AS INTEGER) AS ip_bytes,
    TRY_CAST(v4.offset AS INTEGER) AS fragment_offset,
    CASE WHEN v4.src <> '' THEN CAST(contains(v4.flags, 'MF') AS INTEGER) END AS more_fragments,
    event_number(line) AS event_sequence
FROM typed
