"""Frames of protocols of one's own: their fields by name, and the dissector that shows Wireshark the same."""

from __future__ import annotations

import json
from importlib.resources import files

from mftpubsub.protocols.content import DecodeError, Event
from mftpubsub.protocols.own_protocol import OwnProtocol
from mftpubsub.protocols.station import Station

#: hosts/protocol-numbers.h.
ETHERTYPE = 0xF5B7
_HEADER_BYTES = 5


def fields_of(protocol: str | OwnProtocol, ethertype: int, content: bytes) -> dict[str, str]:
    """Names and values of what a frame says; empty if it is no message of this protocol."""
    kinds = protocol.messages if isinstance(protocol, Station) else ()
    if ethertype != ETHERTYPE or len(content) < _HEADER_BYTES or content[0] >= len(kinds):
        return {}
    kind = kinds[content[0]]
    try:
        message = kind.decode(content, _HEADER_BYTES)  # type: ignore[attr-defined]
    except DecodeError:
        return {}
    return {name: _text(getattr(message, name)) for name, _ in kind.layout}  # type: ignore[attr-defined]


def _text(value: object) -> str:
    if isinstance(value, Event):
        return f"{value.id.publisher}.{value.id.sequence}"
    return str(value)


def dissector(protocol: str | OwnProtocol) -> str:
    """The text of a dissector for this protocol's frames; empty if Wireshark's own knows them."""
    if not isinstance(protocol, Station) or not protocol.messages:
        return ""
    head = [
        f"-- Made for {protocol.name}: wireshark -X lua_script:mftpubsub.lua -X lua_script:THIS RUN.pcapng"
    ]
    head += [f"local PROTOCOL = {json.dumps(protocol.name)}", "local MESSAGES = {"]
    for place, kind in enumerate(protocol.messages):
        layout = ", ".join(f"{{{json.dumps(name)}, {json.dumps(how)}}}" for name, how in kind.layout)  # type: ignore[attr-defined]
        head.append(f"    [{place}] = {{name = {json.dumps(kind.kind_name)}, fields = {{{layout}}}}},")  # type: ignore[attr-defined]
    body = files("mftpubsub.views.exports").joinpath("own.lua").read_text(encoding="utf-8")
    return "\n".join([*head, "}", "", body])
