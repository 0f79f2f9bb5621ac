"""Frames of protocols of one's own: their fields by name, and the dissector that shows Wireshark the same."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from mftpubsub.lab.cells import text_of
from mftpubsub.protocols.broker import Broker
from mftpubsub.protocols.content import DecodeError, Event
from mftpubsub.protocols.device import Device
from mftpubsub.protocols.given import NOBODY
from mftpubsub.protocols.own_protocol import OwnProtocol
from mftpubsub.protocols.station import Station

#: hosts/protocol-numbers.h.
ETHERTYPE = 0xF5B7
TREE_ETHERTYPE = 0x88B5
_HEADER_BYTES = 5
#: session/frame.h: of every frame of a session, where its kind stands, and whether its message goes on.
_SESSION_BYTES, _KIND_AT, _SEQUENCE_AT = 10, 4, 9
_HAS_MORE = 128
#: session/frame.h: the receiver's session, before the sender knows it.
_NOT_KNOWN = b"\0\0"
#: session/frame.h: kinds from here on carry no messages.
_ASK = 252
#: protocols/tree/message-codec.h: MESSAGE_KINDS; from here on two kinds of frames for each of one's own.
FIRST_KIND = 19
#: Beside the fields of a station's frame: the node that it is for, which everybody near hears.
MEANT_FOR = "meant for"


class FieldReader:
    """Reads the fields of frames, given in the order in which they were sent.

    A message of several frames has its fields with its last one.
    """

    def __init__(self, protocol: str | OwnProtocol) -> None:
        self._protocol = protocol
        self._parts: dict[tuple[bytes, int], tuple[bytes, bytes]] = {}
        """Of frames whose message goes on, by sender's session and sequence number: what they carry, and the
        receiver's session."""

    def fields(self, ethertype: int, content: bytes) -> dict[str, str]:
        """Names and values of what a frame says; empty if it ends no message of this protocol."""
        protocol = self._protocol
        if not isinstance(protocol, Device) or (said := self._said(protocol, ethertype, content)) is None:
            return {}
        number, body = said
        if number >= len(protocol.messages):
            return {}
        kind: Any = protocol.messages[number]
        try:
            message = kind.decode(body)
        except DecodeError:
            return {}
        named = {name: _text(getattr(message, name)) for name, _ in kind.layout}
        to = int.from_bytes(content[3:_HEADER_BYTES]) if ethertype == ETHERTYPE else NOBODY
        return named if to == NOBODY else {MEANT_FOR: str(to), **named}

    def _said(self, protocol: Device, ethertype: int, content: bytes) -> tuple[int, bytes] | None:
        """Which kind of message ends with a frame, and its bytes."""
        if isinstance(protocol, Station) and ethertype == ETHERTYPE and len(content) >= _HEADER_BYTES:
            return content[0], content[_HEADER_BYTES:]
        if not isinstance(protocol, Broker) or ethertype != TREE_ETHERTYPE or len(content) < _SESSION_BYTES:
            return None
        kind = content[_KIND_AT]
        if kind >= _ASK:
            return None
        body = self._whole(content)
        return None if kind < FIRST_KIND or body is None else ((kind - FIRST_KIND) // 2, body)

    def _whole(self, content: bytes) -> bytes | None:
        """The message that ends with a frame of a session; None if it goes on."""
        session, receiver = content[:_KIND_AT] + content[5:7], content[7:_SEQUENCE_AT]
        sequence, goes_on = content[_SEQUENCE_AT] % _HAS_MORE, content[_SEQUENCE_AT] >= _HAS_MORE
        body = content[_SESSION_BYTES:]
        if goes_on:
            self._parts[session, sequence] = body, receiver
            return None
        self._parts.pop((session, sequence), None)
        for back in range(1, _HAS_MORE):
            part, known = self._parts.get((session, (sequence - back) % _HAS_MORE), (b"", None))
            if known not in (receiver, _NOT_KNOWN):
                break
            body = part + body
        return body


def _text(value: object) -> str:
    if isinstance(value, Event):
        return f"{value.id.publisher}.{value.id.sequence}"
    return text_of(value)


def dissector(protocol: str | OwnProtocol) -> str:
    """The text of a dissector for this protocol's frames; empty if Wireshark's own knows them."""
    if not isinstance(protocol, Device) or not protocol.messages:
        return ""
    head = [
        f"-- Made for {protocol.name}: wireshark -X lua_script:mftpubsub.lua -X lua_script:THIS RUN.pcapng"
    ]
    head += [f"local PROTOCOL = {_lua(protocol.name)}"]
    head += [f"local BROKERS = {str(isinstance(protocol, Broker)).lower()}", "local NESTED = {"]
    nested = {each.__name__: each for kind in protocol.messages for each in _parts(kind)}
    head += [f"    [{_lua(name)}] = {_layout(each)}," for name, each in sorted(nested.items())]
    head += ["}", "local MESSAGES = {"]
    for place, kind in enumerate(protocol.messages):
        named = _lua(kind.kind_name)  # type: ignore[attr-defined]
        head.append(f"    [{place}] = {{name = {named}, fields = {_layout(kind)}}},")
    body = files("mftpubsub.views.exports").joinpath("own.lua").read_text(encoding="utf-8")
    return "\n".join([*head, "}", "", body])


def _lua(text: str) -> str:
    """A text as Lua writes it: in quotes as JSON does, but Lua has no \\u00f6."""
    return json.dumps(text, ensure_ascii=False)


def _layout(kind: Any) -> str:
    """A message's fields and their types, as Lua has them."""
    return f"{{{', '.join(f'{{{_lua(name)}, {_lua(how)}}}' for name, how in kind.layout)}}}"


def _parts(kind: Any) -> list[Any]:
    """The messages that are parts of a message."""
    found = [each for codec in kind._codecs.values() for each in codec.parts]
    return [*found, *(part for each in found for part in _parts(each))]
