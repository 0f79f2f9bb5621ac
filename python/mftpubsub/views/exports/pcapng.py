"""The frames of a run as a capture for Wireshark; its dissector is `DISSECTOR`.

A packet a frame, on the interface of its sender, at the time at which it went on the air; what it carried is
as the device was given it. Before that stands a header that no frame has (`_header`): who sent it to whom,
how many bytes were on the air, what the trace calls it, and who heard it. Blocks and options are those of
draft-ietf-opsawg-pcapng.
"""

from __future__ import annotations

import struct
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from mftpubsub.runs.result import title
from mftpubsub.runs.simulation import Progress
from mftpubsub.simulator.snapshot import NO_NODE
from mftpubsub.views.exports.recording import Frame, Recording

#: The file that shows Wireshark our frames.
DISSECTOR = Path(str(files("mftpubsub.views.exports").joinpath("mftpubsub.lua")))

_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6
_COMMENT, _NAME, _DESCRIPTION, _USER_APPLICATION, _RESOLUTION = 1, 2, 3, 4, 9
_NANOSECONDS = bytes([9])
_UNKNOWN_LENGTH = -1
#: LINKTYPE_USER0: for whoever agrees with their own dissector.
_USER0 = 147

#: Version, EtherType, sender, receiver, bytes on the air; then, with their length, kind and hearers.
_HEADER = struct.Struct(">BHHHH")
_VERSION = 2
_HEARER = struct.Struct(">HB")


def write(recording: Recording, out: Path, progress: Progress) -> None:
    """Writes the capture."""
    scenario = recording.result.scenario
    with out.open("wb") as file:
        file.write(_section(title(scenario)))
        for node, roles in enumerate(recording.roles()):
            file.write(_interface(f"node {node}", ", ".join(roles) or "router"))
        for frame, packet in recording.packets():
            file.write(_packet(frame, _header(frame, packet.ethertype) + packet.content))
            progress(frame.time_s)


def _section(title: str) -> bytes:
    fixed = struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, _UNKNOWN_LENGTH)
    application = f"mftpubsub {version('mftpubsub')}"
    return _block(_SECTION, fixed, {_COMMENT: title.encode(), _USER_APPLICATION: application.encode()})


def _interface(name: str, description: str) -> bytes:
    options = {_NAME: name.encode(), _DESCRIPTION: description.encode(), _RESOLUTION: _NANOSECONDS}
    return _block(_INTERFACE, struct.pack("<HHI", _USER0, 0, 0), options)


def _packet(frame: Frame, content: bytes) -> bytes:
    time_ns = round(frame.time_s * 1e9)
    size = len(content)
    fixed = struct.pack("<IIIII", frame.node, time_ns >> 32, time_ns & 0xFFFFFFFF, size, size)
    return _block(_PACKET, fixed + _padded(content), {})


def _header(frame: Frame, ethertype: int) -> bytes:
    peer = NO_NODE if frame.peer < 0 else frame.peer
    kind = frame.kind.encode()
    hearers = zip(frame.hearers, frame.outcomes, strict=True)
    parts = [
        _HEADER.pack(_VERSION, ethertype, frame.node, peer, frame.bytes),
        struct.pack(">H", len(kind)) + kind,
        struct.pack(">H", len(frame.hearers)),
        *(_HEARER.pack(*hearer) for hearer in hearers),
    ]
    return b"".join(parts)


def _block(kind: int, fixed: bytes, options: dict[int, bytes]) -> bytes:
    written = b"".join(
        struct.pack("<HH", code, len(value)) + _padded(value) for code, value in options.items()
    )
    end = bytes(4) if options else b""
    length = 12 + len(fixed) + len(written) + len(end)
    return struct.pack("<II", kind, length) + fixed + written + end + struct.pack("<I", length)


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % 4)
