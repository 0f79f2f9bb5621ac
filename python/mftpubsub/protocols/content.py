"""Events and filters as protocols see them, and how events go over the air."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

from mftpubsub.simulator import content

Value = bool | int | float | str
"""Of an attribute."""

_ID = struct.Struct(">HI")
_COUNT = struct.Struct(">H")
_MOST_ATTRIBUTES, _MOST_BYTES = 255, 65535
_INTEGER, _REAL = struct.Struct(">q"), struct.Struct(">d")


class DecodeError(ValueError):
    """Bytes that are not an encoding of what was expected."""


class EventId(NamedTuple):
    """Identity of an event: its publisher (a node's id), and that publisher's count of its events, from 0."""

    publisher: int
    sequence: int

    def __str__(self) -> str:
        return f"{self.publisher}:{self.sequence}"


class Event:
    """A published event: its id, attributes and payload. Immutable, and equal by id."""

    __slots__ = ("_attributes", "id", "wire")

    id: EventId
    wire: bytes
    """As it goes over the air: id (2 + 4 B), attributes by type, payload in full (content-codec.h)."""

    def __init__(
        self,
        id: tuple[int, int],
        attributes: Mapping[str, Value] | None = None,
        payload_bytes: int = 0,
        payload: bytes = b"",
    ) -> None:
        """`id` is the publisher and its sequence number. A payload without content has `payload_bytes` zeros.

        Raises ValueError if the event cannot be encoded: more than 255 attributes, texts or a payload of
        2^16 bytes or more, integers beyond 64 bits, or both a payload and a size that is not its own.
        """
        if payload and payload_bytes not in (0, len(payload)):
            raise ValueError(f"a payload of {len(payload)} B cannot have payload_bytes={payload_bytes}")
        self.id = EventId(*id)
        self._attributes: dict[str, Value] | None = dict(attributes or {})
        self.wire = _encode(self.id, self._attributes, payload or bytes(payload_bytes))

    @classmethod
    def from_wire(cls, wire: bytes) -> Event:
        """The event of an encoding, all of it. Raises DecodeError if it is too short."""
        event = _new(cls)
        try:
            event.id = _make_id(_ID.unpack_from(wire))
        except struct.error:
            raise DecodeError("an event ends within its id") from None
        event.wire = wire
        event._attributes = None
        return event

    @property
    def attributes(self) -> Mapping[str, Value]:
        """By name, in the order of publication; decoded when first asked for."""
        if self._attributes is None:
            self._attributes = _decode(self.wire, 0)[0]
        return self._attributes

    @property
    def payload_bytes(self) -> int:
        """Of its payload."""
        return len(self.payload)

    @property
    def payload(self) -> bytes:
        """What the publisher has added to the attributes; of zeros in simulations."""
        return self.wire[_decode(self.wire, 0)[1] :]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Event) and self.id == other.id

    def __lt__(self, other: Event) -> bool:
        return self.id < other.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"Event({self.id})"

    def __reduce__(self) -> tuple[Callable[[bytes], Event], tuple[bytes]]:
        return event_of, (self.wire,)

    def __copy__(self) -> Event:
        return self

    def __deepcopy__(self, memo: object) -> Event:
        return self


def event_of(wire: bytes) -> Event:
    """`Event.from_wire`, as a function that can be pickled."""
    return Event.from_wire(wire)


_new = object.__new__
_make_id = EventId._make


def event_end(data: bytes, at: int) -> int:
    """Where the event ends whose encoding begins there. Raises DecodeError if it is cut."""
    _, payload_at = _decode(data, at)
    end = payload_at + int(_COUNT.unpack_from(data, payload_at - _COUNT.size)[0])
    if end > len(data):
        raise DecodeError("an event ends within its payload")
    return end


def _encode(id: EventId, attributes: Mapping[str, Value], payload: bytes) -> bytes:
    if len(attributes) > _MOST_ATTRIBUTES:
        raise ValueError(f"an event of {len(attributes)} attributes; at most {_MOST_ATTRIBUTES} fit")
    out = bytearray(_ID.pack(*id))
    out.append(len(attributes))
    for name, value in attributes.items():
        if not isinstance(name, str):
            raise ValueError(f"attribute {name!r}: its name is no str")
        out += _sized(name.encode(), "the name of an attribute")
        out += _value(name, value)
    if not isinstance(payload, bytes | bytearray | memoryview):
        raise ValueError(f"payload: {payload!r} is no bytes; a text is given as text.encode()")
    return bytes(out + _sized(payload, "a payload"))


def _value(name: str, value: Value) -> bytes:
    if isinstance(value, bool):
        return bytes((3, value))
    if isinstance(value, int):
        if not -(1 << 63) <= value < 1 << 63:
            raise ValueError(f"attribute {name!r}: {value} has more than 64 bits")
        return b"\0" + _INTEGER.pack(value)
    if isinstance(value, float):
        return b"\1" + _REAL.pack(value)
    if isinstance(value, str):
        return b"\2" + _sized(value.encode(), f"attribute {name!r}")
    raise ValueError(f"attribute {name!r}: {value!r} is no bool, int, float or str")


def _sized(content: bytes, what: str) -> bytes:
    if len(content) > _MOST_BYTES:
        raise ValueError(f"{what} has {len(content)} B; at most {_MOST_BYTES} fit")
    return _COUNT.pack(len(content)) + content


def _decode(data: bytes, at: int) -> tuple[dict[str, Value], int]:
    """The attributes of the event that begins there, and where its payload begins."""
    found: dict[str, Value] = {}
    try:
        left, at = data[at + _ID.size], at + _ID.size + 1
        for _ in range(left):
            name, at = _read_text(data, at)
            found[name], at = _read_value(data, at)
        _COUNT.unpack_from(data, at)
    except (IndexError, struct.error, UnicodeDecodeError) as error:
        raise DecodeError(f"no event: {error}") from None
    return found, at + _COUNT.size


def _read_text(data: bytes, at: int) -> tuple[str, int]:
    end = at + 2 + int(_COUNT.unpack_from(data, at)[0])
    if end > len(data):
        raise DecodeError("an event ends within a text")
    return data[at + 2 : end].decode(), end


def _read_value(data: bytes, at: int) -> tuple[Value, int]:
    match data[at]:
        case 0:
            return int(_INTEGER.unpack_from(data, at + 1)[0]), at + 9
        case 1:
            return float(_REAL.unpack_from(data, at + 1)[0]), at + 9
        case 2:
            return _read_text(data, at + 1)
        case 3:
            return data[at + 1] != 0, at + 2
        case other:
            raise DecodeError(f"no attribute type: {other}")


class Filter:
    """A subscription filter: a condition on attributes, as `temp > 20`. Equal by its text."""

    __slots__ = ("_hash", "text")

    text: str

    def __init__(self, text: str) -> None:
        """Raises ValueError for a text that is no condition: it says what was expected, and where."""
        self.text = text
        _cpp(text)
        self._hash = int.from_bytes(blake2b(text.encode(), digest_size=7).digest())

    def matches(self, event: Event) -> bool:
        """Whether the condition is true for `event`: the simulator's C++ says so."""
        return content.matches(_cpp(self.text), event.wire)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Filter) and self.text == other.text

    def __lt__(self, other: Filter) -> bool:
        return self.text < other.text

    def __hash__(self) -> int:
        """The same in every process."""
        return self._hash

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Filter({self.text!r})"

    def __reduce__(self) -> tuple[type[Filter], tuple[str]]:
        return Filter, (self.text,)

    def __copy__(self) -> Filter:
        return self

    def __deepcopy__(self, memo: object) -> Filter:
        return self


@lru_cache(maxsize=10_000)
def _cpp(text: str) -> Any:
    """The C++ filter of a text. Raises ValueError if it is none."""
    return content.parse(text)
