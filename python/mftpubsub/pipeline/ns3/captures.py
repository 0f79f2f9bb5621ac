"""pcap files as ns-3's helpers write them, to the table ns3_frames.

By hand: the formats are small and fixed (https://wiki.wireshark.org/Development/LibpcapFileFormat), only some
fields of each are read, and a library for packets would be one more dependency of every user.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from ipaddress import IPv6Address
from pathlib import Path
from typing import Any

import pyarrow as pa

from mftpubsub.errors import TraceError
from mftpubsub.pipeline.ns3.tables import TABLES

#: By the magic number: byte order, and parts of a second in the times.
_MAGIC = {
    b"\xd4\xc3\xb2\xa1": ("<", 10**6),
    b"\xa1\xb2\xc3\xd4": (">", 10**6),
    b"\x4d\x3c\xb2\xa1": ("<", 10**9),
    b"\xa1\xb2\x3c\x4d": (">", 10**9),
}
_NAME = re.compile(r"-(\d{1,9})-(\d{1,9})\.pcap$")
_ROWS = 2**16
#: B: no packet of a capture is larger (libpcap's own limit).
_LARGEST = 2**18

Row = dict[str, Any]


def node_and_device(path: Path) -> tuple[int, int]:
    """Of a file PREFIX-NODE-DEVICE.pcap. Raises TraceError if it is not called so."""
    if not (found := _NAME.search(path.name)):
        raise TraceError(f"{path}: the name is not PREFIX-NODE-DEVICE.pcap, as EnablePcap gives it")
    return int(found[1]), int(found[2])


def read_frames(path: Path) -> Iterator[pa.RecordBatch]:
    """The frames of a pcap file, as rows of ns3_frames.

    A truncated last packet is left out (`is_cut`). Raises TraceError if the file is no pcap, of a link that
    is not known, or its times go back.
    """
    node, device = node_and_device(path)
    schema = TABLES["ns3_frames"].schema()
    latest, rows = 0.0, []
    for time_s, length, packet, link in _packets(path):
        if time_s < latest:
            raise TraceError(f"{path}: time goes back, from {latest:g} s to {time_s:g} s")
        latest = time_s
        row: Row = {"node": node, "device": device, "time_s": time_s, "bytes": length}
        _LINKS[link](row, packet)
        rows.append(row)
        if len(rows) == _ROWS:
            yield pa.RecordBatch.from_pylist(rows, schema)
            rows = []
    if rows:
        yield pa.RecordBatch.from_pylist(rows, schema)


def is_cut(path: Path) -> bool:
    """Whether a pcap file ends within a packet."""
    with path.open("rb") as file:
        order, _ = _MAGIC.get(file.read(24)[:4], ("<", 0))
        end = path.stat().st_size
        while (place := file.tell()) + 16 <= end:
            stored = struct.unpack(f"{order}I", file.read(16)[8:12])[0]
            if place + 16 + stored > end:
                return True
            file.seek(stored, 1)
    return place != end


def _packets(path: Path) -> Iterator[tuple[float, int, bytes, int]]:
    """Time (s), length (B), content as far as it was captured, and link type of each packet."""
    try:
        with path.open("rb") as file:
            header = file.read(24)
            if len(header) < 24 or header[:4] not in _MAGIC:
                raise TraceError(f"{path} is no pcap file: it begins with {header[:4].hex() or 'nothing'}")
            order, parts = _MAGIC[header[:4]]
            link = struct.unpack(f"{order}I", header[20:24])[0]
            if link not in _LINKS:
                known = ", ".join(map(str, _LINKS))
                raise TraceError(f"{path}: link type {link} is not known; those of ns-3 are {known}")
            while len(head := file.read(16)) == 16:
                seconds, part, stored, length = struct.unpack(f"{order}4I", head)
                if (most := max(stored, length)) > _LARGEST:
                    raise TraceError(
                        f"{path}: a packet of {most} B at byte {file.tell() - 16}: it is damaged"
                    )
                if len(packet := file.read(stored)) < stored:
                    return
                yield seconds + part / parts, length, packet, link
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}") from error


def _radiotap(row: Row, packet: bytes) -> None:
    """https://www.radiotap.org: only of what was received ns-3 tells the signal."""
    length, present = struct.unpack_from("<2xHI", packet) if len(packet) >= 8 else (0, 0)
    if not 8 <= length <= len(packet):
        return
    place = 8
    more = present
    while more & 1 << 31 and place + 4 <= length:  # further words of what is present
        more = struct.unpack_from("<I", packet, place)[0]
        place += 4
    for bit, (size, align) in enumerate(_RADIOTAP):
        if present & 1 << bit:
            place += -place % align
            if bit == _SIGNAL:
                row["signal_dbm"] = struct.unpack_from("<b", packet, place)[0]
            place += size
    row["bytes"] -= length
    row["direction"] = "r" if present & 1 << _SIGNAL else "t"
    _wifi(row, packet[length:])


#: Size and alignment (B) of radiotap's fields up to the signal, by bit.
_RADIOTAP = ((8, 8), (1, 1), (1, 1), (4, 2), (2, 2), (1, 1))
_SIGNAL = 5

_CONTROL = {8: "BACKREQ", 9: "BACKRESP", 10: "PSPOLL", 11: "RTS", 12: "CTS", 13: "ACK"}
_MANAGEMENT = {
    0: "ASSOCIATION_REQUEST",
    1: "ASSOCIATION_RESPONSE",
    4: "PROBE_REQUEST",
    5: "PROBE_RESPONSE",
    8: "BEACON",
    10: "DISASSOCIATION",
    11: "AUTHENTICATION",
    12: "DEAUTHENTICATION",
    13: "ACTION",
}


def _wifi(row: Row, frame: bytes) -> None:
    """IEEE 802.11, 9.2.4."""
    if len(frame) < 10:
        return
    kind, subtype, flags = frame[0] >> 2 & 3, frame[0] >> 4, frame[1]
    row["retry"] = flags >> 3 & 1
    row["mac_dst"] = _mac(frame[4:10])
    if kind == 1 or len(frame) < 24:
        name = _CONTROL.get(subtype, f"{subtype}")
        row |= {
            "mac_type": f"CTL_{name}",
            "kind": name,
            "mac_src": _mac(frame[10:16]) if len(frame) >= 20 else None,
        }
        return
    row["mac_src"] = _mac(frame[10:16])
    row["sequence"] = struct.unpack_from("<H", frame, 22)[0] >> 4
    if kind == 0:
        name = _MANAGEMENT.get(subtype, f"{subtype}")
        row |= {"mac_type": f"MGT_{name}", "kind": name}
        return
    row["mac_type"] = row["kind"] = "QOSDATA" if subtype & 8 else "DATA"
    start = 24 + (6 if flags & 3 == 3 else 0) + (2 if subtype & 8 else 0)
    if frame[start : start + 6] == b"\xaa\xaa\x03\x00\x00\x00":  # LLC and SNAP
        _network(row, struct.unpack_from(">H", frame, start + 6)[0], frame[start + 8 :])


#: A frame of IEEE 802.3 has its length, B, in place of a type, then a header of LLC: csma can write these.
_MOST_OF_LENGTH = 1500
_SNAP = b"\xaa\xaa\x03"


def _ethernet(row: Row, frame: bytes) -> None:
    if len(frame) < 14:
        return
    row |= {
        "mac_type": "ETHERNET",
        "kind": "ETHERNET",
        "mac_dst": _mac(frame[:6]),
        "mac_src": _mac(frame[6:12]),
    }
    kind = struct.unpack_from(">H", frame, 12)[0]
    if kind <= _MOST_OF_LENGTH and frame[14:17] == _SNAP and len(frame) >= 22:
        _network(row, struct.unpack_from(">H", frame, 20)[0], frame[22:])
    else:
        _network(row, kind, frame[14:])


def _ppp(row: Row, frame: bytes) -> None:
    row |= {"mac_type": "PPP", "kind": "PPP"}
    if frame[:2] == b"\x00\x21":
        _network(row, 0x0800, frame[2:])
    elif frame[:2] == b"\x00\x57":
        _network(row, 0x86DD, frame[2:])


def _wpan(row: Row, frame: bytes) -> None:
    """IEEE 802.15.4, 7.2."""
    if len(frame) < 3:
        return
    kind = ("BEACON", "DATA", "ACK", "COMMAND")[frame[0] & 3]
    row |= {"mac_type": f"WPAN_{kind}", "kind": kind, "sequence": frame[2]}


def _network(row: Row, ethertype: int, packet: bytes) -> None:
    if ethertype == 0x0806:
        row["kind"] = "ARP"
    elif ethertype == 0x0800 and len(packet) >= 20:
        _ipv4(row, packet)
    elif ethertype == 0x86DD and len(packet) >= 40:
        _ipv6(row, packet)


def _ipv4(row: Row, packet: bytes) -> None:
    length, number, offset = struct.unpack_from(">3H", packet, 2)
    row |= {"ttl": packet[8], "ip_protocol": packet[9], "ip_id": number, "ip_bytes": length}
    row |= {"src": ".".join(map(str, packet[12:16])), "dst": ".".join(map(str, packet[16:20]))}
    row |= {"fragment_offset": 8 * (offset & 0x1FFF), "more_fragments": offset >> 13 & 1}
    _transport(row, b"" if row["fragment_offset"] else packet[4 * (packet[0] & 15) :])


def _ipv6(row: Row, packet: bytes) -> None:
    """Without extension headers: ns-3's own send fragments with one, which are told as IP."""
    length, following, limit = struct.unpack_from(">HBB", packet, 4)
    row |= {"ttl": limit, "ip_protocol": following, "ip_bytes": length + 40}
    row |= {"src": str(IPv6Address(packet[8:24])), "dst": str(IPv6Address(packet[24:40]))}
    _transport(row, packet[40:])


#: Types of echo requests and replies, by ICMP's number.
_ECHO = {1: (8, 0), 58: (128, 129)}


def _transport(row: Row, body: bytes) -> None:
    """What an IP packet carries; an empty `body` is that of a later fragment."""
    protocol = row["ip_protocol"]
    row["kind"] = {1: "ICMP", 58: "ICMP", 6: "TCP", 17: "DATA"}.get(protocol, "IP")
    if protocol in _ECHO and body and body[0] in _ECHO[protocol]:
        row["kind"] = "ECHO"
        if protocol == 58 and len(body) >= 8:
            row["event_sequence"] = struct.unpack_from(">I", body, 4)[0]
    if protocol not in (6, 17) or len(body) < 8:
        return
    row["src_port"], row["dst_port"] = struct.unpack_from(">2H", body)
    if protocol == 17:
        port = row["dst_port"]
        row["kind"] = _aodv(body[8:]) if port == 654 else _ROUTING.get(port, "DATA")
        if row["kind"] == "DATA":
            _event(row, body[8:])


def _event(row: Row, payload: bytes) -> None:
    """What a payload says of its event: SeqTsHeader (number, time in ns), or the six bytes of our own.

    A payload of zeros says nothing, but on our own port.
    """
    if len(payload) >= 12:
        sequence, sent_ns = struct.unpack_from(">IQ", payload)
        if 0 < sent_ns <= (row["time_s"] + _MICROSECOND) * 1e9:
            row["event_sequence"] = sequence
            return
    if len(payload) >= 6 and row["dst_port"] == OUR_PORT:
        row["event_publisher"], row["event_sequence"] = struct.unpack_from(">HI", payload)


#: s: what a capture rounds a time to.
_MICROSECOND = 1e-6
#: To which the IP baselines of our own runs send.
OUR_PORT = 4000


def _aodv(message: bytes) -> str:
    """RFC 3561, 5; a RREP whose destination is its origin is a HELLO."""
    name = {1: "RREQ", 2: "RREP", 3: "RERR", 4: "RREP_ACK"}.get(message[0] if message else 0, "DATA")
    return "HELLO" if name == "RREP" and message[4:8] == message[12:16] else name


#: By UDP port: what the messages of a routing protocol are.
_ROUTING = {698: "OLSR", 269: "UPDATE"}


def _mac(address: bytes) -> str:
    return address.hex(":")


#: By libpcap's number of the link: who reads its packets.
_LINKS: dict[int, Callable[[Row, bytes], None]] = {
    1: _ethernet,
    9: _ppp,
    105: _wifi,
    127: _radiotap,
    195: _wpan,
    230: _wpan,
}
