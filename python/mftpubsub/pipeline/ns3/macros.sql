-- What lines of IP traces and of devices' traces have in common, for DuckDB.
CREATE MACRO ip_header(line) AS regexp_extract(
    line,
    'ns3::Ipv4Header \(.*? ttl (\d+) id (\d+) protocol (\d+) offset \(bytes\) (\d+) flags \[([^\]]*)\] length: (\d+) ([\d.]+) > ([\d.]+)\)',
    ['ttl', 'id', 'protocol', 'offset', 'flags', 'length', 'src', 'dst']
);
CREATE MACRO ipv6_header(line) AS regexp_extract(
    line,
    'ns3::Ipv6Header \(\(Version 6 .*? Payload Length (\d+) Next Header (\d+) Hop Limit (\d+) \)([0-9a-f:.]+) > ([0-9a-f:.]+)\)',
    ['length', 'protocol', 'ttl', 'src', 'dst']
);
-- Whether a text has a number that a field of that size holds; what has no such field has none.
CREATE MACRO fits(number, largest) AS number = '' OR coalesce(TRY_CAST(number AS BIGINT) <= largest, FALSE);
CREATE MACRO header_holds(v4, ttl) AS fits(v4.id, 65535) AND fits(v4.length, 65535) AND fits(ttl, 255);
-- The number that UdpClient and its like count by; of an echo over IPv6, which has no other id, those of ICMP.
CREATE MACRO event_number(line) AS coalesce(
    TRY_CAST(regexp_extract(line, 'ns3::SeqTs(?:Size|Echo)?Header \(.*?\bseq=(\d+)', 1) AS BIGINT),
    65536 * TRY_CAST(regexp_extract(line, 'ns3::Icmpv6Echo \(.*? Id = (\d+) SeqNo = \d+', 1) AS BIGINT)
        + TRY_CAST(regexp_extract(line, 'ns3::Icmpv6Echo \(.*? Id = \d+ SeqNo = (\d+)', 1) AS BIGINT)
);
CREATE MACRO ports(line) AS regexp_extract(
    line, 'ns3::(?:UdpHeader \(length: \d+ |TcpHeader \()(\d+) > (\d+)', ['src', 'dst']
);
-- What a datagram is, by the names of our own runs; NULL without an IP header.
CREATE MACRO app(line, protocol, dst_port) AS CASE
    WHEN protocol = '' THEN NULL
    WHEN protocol = '6' THEN 'TCP'
    WHEN contains(line, 'ns3::Icmpv4Echo (') OR contains(line, 'ns3::Icmpv6Echo (') THEN 'ECHO'
    WHEN protocol IN ('1', '58') THEN 'ICMP'
    WHEN protocol <> '17' THEN 'IP'
    WHEN contains(line, 'ns3::aodv::TypeHeader (RREP)')
        AND regexp_extract(line, 'RrepHeader \(destination: ipv4 (\S+) ', 1)
        = regexp_extract(line, ' source ipv4 (\S+) lifetime', 1) THEN 'HELLO'
    WHEN contains(line, 'ns3::aodv::TypeHeader (')
        THEN regexp_extract(line, 'ns3::aodv::TypeHeader \((\w+)\)', 1)
    WHEN dst_port = '698' THEN 'OLSR'
    WHEN dst_port = '269' THEN 'UPDATE'
    ELSE 'DATA'
END;
