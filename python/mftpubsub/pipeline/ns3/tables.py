"""The tables of ns-3's own traces, each defined once: its columns, and what they mean."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from mftpubsub.trace.trace_format import Column

ARROW_TYPES = {
    "string": pa.string(),
    "double": pa.float64(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "map<string,bigint>": pa.map_(pa.string(), pa.int64()),
}


@dataclass(frozen=True)
class Table:
    """What a row is, and the columns."""

    doc: str
    columns: tuple[Column, ...]

    def schema(self) -> pa.Schema:
        """For Arrow."""
        return pa.schema([(column.name, ARROW_TYPES[column.type]) for column in self.columns])

    def ddl(self) -> str:
        """For Spark."""
        return ", ".join(f"{column.name} {column.type}" for column in self.columns)


_OP = Column("op", "string", "ns-3's letter: t sent, r received, d dropped, + and - into and out of a queue")
_TIME = Column("time_s", "double", "simulated time, of six significant digits in text traces", "s")
_NODE = Column("node", "int", "ns-3's id of the node")
_DEVICE = Column("device", "int", "ns-3's number of the device on its node")
_BYTES = Column("bytes", "int", "length by the IP header", "B")
_APP = "DATA, RREQ, RREP, RREP_ACK, RERR, HELLO, OLSR, UPDATE, TCP, ECHO, ICMP, ..."
_ADDRESSES = (
    Column("src", "string", "IP address of the source"),
    Column("dst", "string", "IP address of the destination"),
)
_PORTS = (
    Column("src_port", "int", "of UDP or TCP"),
    Column("dst_port", "int", "of UDP or TCP"),
)
_IP = (
    Column("ttl", "int", "as the header has it there; of IPv6 the hop limit"),
    Column("ip_id", "int", "counts by source, destination and protocol, modulo 2^16; IPv6 has none"),
    Column("ip_protocol", "int", "17 UDP, 6 TCP, 1 ICMP"),
)
_IP_BYTES = Column("ip_bytes", "int", "length by the IP header", "B")
_FRAGMENT = (
    Column("fragment_offset", "int", "of IPv4: 0 but for later fragments", "B"),
    Column("more_fragments", "int", "of IPv4: 1 but for the last fragment"),
)
_SEQUENCE = Column(
    "event_sequence",
    "bigint",
    "that the payload tells: of SeqTsHeader, as UdpClient has it; of an IPv6 echo ICMP's id * 65536 + number",
)
_MAC = (
    Column("mac_type", "string", "DATA, CTL_ACK, MGT_BEACON, ... of Wi-Fi; ETHERNET, PPP, WPAN_DATA, ..."),
    Column("mac_src", "string", "address of the transmitter"),
    Column("mac_dst", "string", "address of the receiver"),
    Column("retry", "int", "1 if the frame is sent again"),
    Column("sequence", "int", "MAC's sequence number"),
    Column("kind", "string", f"ACK, RTS, CTS, BEACON, ARP, or what the datagram is: {_APP}"),
)

TABLES: dict[str, Table] = {
    "ns3_ip": Table(
        "a row for each line of `InternetStackHelper::EnableAsciiIpv4All`",
        (
            _OP,
            _TIME,
            _NODE,
            Column("interface", "int", "of the node, 0 its loopback; missing for drops of ARP"),
            Column("what", "string", "Tx, Rx or Drop; ArpDrop of what ARP gave up"),
            *_IP,
            *_ADDRESSES,
            *_PORTS,
            _BYTES,
            *_FRAGMENT,
            Column("app", "string", _APP),
            _SEQUENCE,
        ),
    ),
    "ns3_phy": Table(
        "a row for each line of a device helper's `EnableAsciiAll`",
        (
            _OP,
            _TIME,
            _NODE,
            _DEVICE,
            Column("layer", "string", "Tx, RxOk, RxError, Enqueue, Dequeue or Drop"),
            Column("mode", "string", "of Wi-Fi, such as DsssRate11Mbps"),
            *_MAC,
            Column("bytes", "int", "on the air or wire, where the text tells it", "B"),
            *_ADDRESSES,
            *_IP,
            *_PORTS,
            _IP_BYTES,
            *_FRAGMENT,
            _SEQUENCE,
        ),
    ),
    "ns3_movement": Table(
        "a row for each line of `MobilityHelper::EnableAscii`: a node changes its course",
        (
            _TIME,
            _NODE,
            *(Column(f"{axis}_m", "double", "where it is then", "m") for axis in "xyz"),
            *(Column(f"v{axis}_mps", "double", "its speed from then on", "m/s") for axis in "xyz"),
        ),
    ),
    "ns3_flows": Table(
        "a row for each flow of FlowMonitor",
        (
            Column("flow", "int", "its id"),
            *_ADDRESSES,
            Column("ip_protocol", "int", "17 UDP, 6 TCP"),
            *_PORTS,
            Column("tx_packets", "bigint", "sent"),
            Column("rx_packets", "bigint", "received"),
            Column(
                "lost_packets", "bigint", "given up by FlowMonitor within the run: fewer than sent - received"
            ),
            Column("tx_bytes", "bigint", "sent", "B"),
            Column("rx_bytes", "bigint", "received", "B"),
            Column("delay_sum_s", "double", "over what was received", "s"),
            Column("jitter_sum_s", "double", "over what was received", "s"),
            Column("first_tx_s", "double", "when the first packet was sent", "s"),
            Column("last_tx_s", "double", "when the last packet was sent", "s"),
            Column("first_rx_s", "double", "when the first packet was received", "s"),
            Column("last_rx_s", "double", "when the last packet was received", "s"),
            Column("times_forwarded", "bigint", "of what was lost, too"),
            Column("dropped_by_reason", "map<string,bigint>", "packets by Ipv4FlowProbe's reason"),
        ),
    ),
    "ns3_flow_bins": Table(
        "a row for each bin of FlowMonitor's histograms",
        (
            Column("flow", "int", "its id"),
            Column("histogram", "string", "delay, jitter, packetSize or flowInterruptions"),
            Column("start", "double", "of the bin", "s or B"),
            Column("width", "double", "of the bin", "s or B"),
            Column("count", "bigint", "packets"),
        ),
    ),
    "ns3_frames": Table(
        "a row for each packet of a pcap file",
        (
            _NODE,
            _DEVICE,
            _TIME,
            Column("bytes", "int", "on the air or wire, without what the capture adds", "B"),
            Column("signal_dbm", "int", "of a received Wi-Fi frame, by radiotap", "dBm"),
            Column("direction", "string", "t sent, r received; missing where the capture does not tell"),
            *_MAC,
            *_ADDRESSES,
            *_IP,
            *_PORTS,
            _IP_BYTES,
            *_FRAGMENT,
            Column("event_publisher", "int", "that the payload tells: of datagrams of our own runs"),
            Column(
                "event_sequence",
                "bigint",
                "that the payload tells: of our own datagrams, or SeqTsHeader; of an IPv6 echo as in ns3_ip",
            ),
        ),
    ),
}


def markdown() -> str:
    """The tables as docs/reference/ns3.md has them."""
    lines = []
    for name, table in TABLES.items():
        rows = [f"| `{c.name}` | {c.type} | {c.unit} | {c.doc} |" for c in table.columns]
        lines += [f"### `{name}`", "", f"{table.doc[0].upper()}{table.doc[1:]}.", ""]
        lines += ["| column | type | unit | meaning |", "|---|---|---|---|", *rows, ""]
    return "\n".join(lines)
