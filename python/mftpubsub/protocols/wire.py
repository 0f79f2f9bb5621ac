"""Messages and timers of protocols: values with declared encodings.

    @message
    class Data:
        hops: u8
        event: Event

A message is a frozen dataclass with slots. `encode` and `decode` are made once, when its class is. Numbers
are big endian. The last field takes the rest of the frame without a length if it is of type `Event`, `bytes`,
or a list of what has a fixed size.
"""

from __future__ import annotations

import re
import struct
import sys
import types
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import takewhile
from types import MethodType
from typing import (
    Annotated,
    Any,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)
from weakref import WeakKeyDictionary

from mftpubsub.protocols.content import DecodeError, Event, EventId, Filter, event_end, event_of

T = TypeVar("T")
Read = Callable[[bytes, int], tuple[Any, int]]
"""Reads a value of bytes from a place on; gives the value and where it ends."""


@dataclass(frozen=True)
class Scalar:
    """In an annotation: which struct code a number has."""

    code: str
    name: str


u8 = Annotated[int, Scalar("B", "u8")]
u16 = Annotated[int, Scalar("H", "u16")]
u32 = Annotated[int, Scalar("I", "u32")]
u64 = Annotated[int, Scalar("Q", "u64")]
i32 = Annotated[int, Scalar("i", "i32")]
i64 = Annotated[int, Scalar("q", "i64")]
f64 = Annotated[float, Scalar("d", "f64")]
Node = Annotated[int, Scalar("H", "Node")]
"""A node's id."""

_MOST_ELEMENTS = 255
_MOST_TEXT = 2**16 - 1


class _Struct(struct.Struct):
    """One that can be pickled."""

    def __reduce__(self) -> tuple[type[_Struct], tuple[str]]:
        return _Struct, (self.format,)


class EncodeError(ValueError):
    """A message has a value that its declared encoding cannot take."""


@dataclass(frozen=True)
class Codec:
    """How values of a type go over the air."""

    name: str
    """The type, as `Message.layout` says it."""
    write: Callable[[Any], bytes]
    read: Read
    code: str = ""
    """Of struct, if the size is fixed."""
    read_rest: Callable[[bytes], Any] | None = None
    """Reads one that takes all the bytes that are left, without a length."""
    write_rest: Callable[[Any], bytes] | None = None
    events: Callable[[Any], list[EventId]] | None = None
    """Which events a value carries; none: it cannot."""
    parts: tuple[type, ...] = ()
    """The messages that it is made of."""

    @property
    def size(self) -> int:
        """B; 0 if it is not fixed."""
        return struct.calcsize(f">{self.code}") if self.code else 0


def codec_of(annotation: Any) -> Codec:
    """The codec of a field's type. Raises TypeError for a type that has no encoding."""
    scalar = next(
        (each for each in getattr(annotation, "__metadata__", ()) if isinstance(each, Scalar)), None
    )
    if scalar:
        return _scalar(scalar)
    if isinstance(annotation, type) and (simple := _SIMPLE.get(annotation)):
        return simple
    if isinstance(annotation, type) and hasattr(annotation, "_write_part"):
        return _nested(annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (list, set) and len(arguments) == 1:
        return _sequence(origin, codec_of(arguments[0]))
    if origin is tuple and arguments and Ellipsis not in arguments:
        return _tuple([codec_of(each) for each in arguments])
    if origin in (Union, types.UnionType) and len(arguments) == 2 and type(None) in arguments:
        return _optional(codec_of(next(each for each in arguments if each is not type(None))))
    named = getattr(annotation, "__name__", annotation)
    raise TypeError(
        f"{named} has no encoding: use u8, u16, u32, u64, i32, i64, f64, bool, Node, EventId, Event, "
        "Filter, str, bytes, list[...], set[...], tuple[...], T | None, or a message"
    )


def _scalar(scalar: Scalar) -> Codec:
    packer = _Struct(f">{scalar.code}")

    def write(value: Any) -> bytes:
        try:
            return packer.pack(value)
        except struct.error:
            raise EncodeError(f"{value!r} does not fit in {scalar.name}") from None

    return Codec(scalar.name, write, _reading(packer), scalar.code)


def _reading(packer: struct.Struct) -> Read:
    def read(data: bytes, at: int) -> tuple[Any, int]:
        return packer.unpack_from(data, at)[0], at + packer.size

    return read


_ID = struct.Struct(">HI")


def _write_id(id: EventId) -> bytes:
    try:
        return _ID.pack(*id)
    except (struct.error, TypeError):
        raise EncodeError(f"{id!r} is no EventId") from None


def _read_id(data: bytes, at: int) -> tuple[EventId, int]:
    return EventId._make(_ID.unpack_from(data, at)), at + _ID.size


def _required(value: Any, kinds: type | tuple[type, ...], name: str) -> Any:
    """The value, if it is of a type. Raises EncodeError: another would arrive as something else."""
    if not isinstance(value, kinds):
        raise EncodeError(f"{value!r} is no {name}")
    return value


def _write_event(event: Event) -> bytes:
    return bytes(_required(event, Event, "Event").wire)


def _read_event(data: bytes, at: int) -> tuple[Event, int]:
    end = event_end(data, at)
    return Event.from_wire(data[at:end]), end


def _write_bool(value: bool) -> bytes:
    return bytes((bool(_required(value, _BOOL, "bool")),))


def _write_text(text: str) -> bytes:
    return _write_bytes(_required(text, str, "str").encode())


def _write_filter(where: Filter) -> bytes:
    return _write_bytes(_required(where, Filter, "Filter").text.encode())


def _raw(content: bytes) -> bytes:
    return bytes(_required(content, _BYTES, "bytes"))


def _write_bytes(content: bytes) -> bytes:
    content = _raw(content)
    if len(content) > _MOST_TEXT:
        raise EncodeError(f"{len(content)} B are more than {_MOST_TEXT}")
    return len(content).to_bytes(2, "big") + content


def _read_bytes(data: bytes, at: int) -> tuple[bytes, int]:
    start = at + 2
    end = start + int.from_bytes(data[at:start], "big")
    if start > len(data) or end > len(data):
        raise DecodeError("a text or bytes that are cut")
    return data[start:end], end


def _read_text(data: bytes, at: int) -> tuple[str, int]:
    content, end = _read_bytes(data, at)
    return content.decode(), end


def _read_filter(data: bytes, at: int) -> tuple[Filter, int]:
    text, end = _read_text(data, at)
    return Filter(text), end


_BOOL = (bool, int)
_BYTES = (bytes, bytearray, memoryview)
_SIMPLE: dict[type, Codec] = {
    bool: Codec("bool", _write_bool, _reading(_Struct(">?")), "?"),
    EventId: Codec("EventId", _write_id, _read_id),
    Event: Codec("Event", _write_event, _read_event, "", event_of, _write_event, lambda event: [event.id]),
    Filter: Codec("Filter", _write_filter, _read_filter),
    str: Codec("str", _write_text, _read_text),
    bytes: Codec("bytes", _write_bytes, _read_bytes, read_rest=bytes, write_rest=_raw),
}
_ELEMENT_SIZES = {"EventId": _ID.size}


def _nested(kind: Any) -> Codec:
    return Codec(
        kind.__name__,
        lambda message: kind._write_part(_required(message, kind, kind.__name__)),
        lambda data, at: kind._read_part(data, at),
        events=kind._carried if kind._carries else None,
        parts=(kind,),
    )


def _sequence(kind: type, element: Codec) -> Codec:
    size = element.size or _ELEMENT_SIZES.get(element.name, 0)

    def parts(values: Any) -> list[bytes]:
        if isinstance(values, str | bytes) or not isinstance(values, Collection):
            raise EncodeError(f"{values!r} is no {kind.__name__}")
        if kind is list and isinstance(values, set | frozenset):
            raise EncodeError(f"{values!r} has no order of its own: sort it")
        return [element.write(value) for value in (sorted({*values}) if kind is set else values)]

    def write(values: Any) -> bytes:
        written = parts(values)
        if len(written) > _MOST_ELEMENTS:
            raise EncodeError(f"{len(written)} elements are more than {_MOST_ELEMENTS}")
        return bytes((len(written),)) + b"".join(written)

    def read(data: bytes, at: int) -> tuple[Any, int]:
        found = []
        left, at = data[at], at + 1
        for _ in range(left):
            value, at = element.read(data, at)
            found.append(value)
        return kind(found), at

    def read_rest(data: bytes) -> Any:
        if len(data) % size:
            raise DecodeError(f"{len(data)} B are no whole number of {element.name}")
        return kind(element.read(data, at)[0] for at in range(0, len(data), size))

    name = f"{kind.__name__}[{element.name}]"
    if not size:
        return Codec(name, write, read, events=_each(element.events), parts=element.parts)
    return Codec(name, write, read, read_rest=read_rest, write_rest=lambda values: b"".join(parts(values)))


def _each(events: Callable[[Any], list[EventId]] | None) -> Callable[[Any], list[EventId]] | None:
    return events and (lambda values: [id for value in values for id in events(value)])


def _tuple(parts: Sequence[Codec]) -> Codec:
    def write(values: Any) -> bytes:
        if len(_required(values, (tuple, list), "tuple")) != len(parts):
            raise EncodeError(f"{values!r} is no tuple of {len(parts)}")
        return b"".join(part.write(value) for part, value in zip(parts, values, strict=True))

    def read(data: bytes, at: int) -> tuple[Any, int]:
        found = []
        for part in parts:
            value, at = part.read(data, at)
            found.append(value)
        return tuple(found), at

    def events(values: Any) -> list[EventId]:
        return [
            id for part, value in zip(parts, values, strict=True) if part.events for id in part.events(value)
        ]

    carries = any(part.events for part in parts)
    return Codec(
        f"tuple[{', '.join(part.name for part in parts)}]",
        write,
        read,
        events=events if carries else None,
        parts=tuple(each for part in parts for each in part.parts),
    )


def _optional(some: Codec) -> Codec:
    def write(value: Any) -> bytes:
        return b"\0" if value is None else b"\1" + some.write(value)

    def read(data: bytes, at: int) -> tuple[Any, int]:
        return some.read(data, at + 1) if data[at] else (None, at + 1)

    def events(value: Any) -> list[EventId]:
        return [] if value is None or not some.events else some.events(value)

    return Codec(f"{some.name} | None", write, read, events=events if some.events else None, parts=some.parts)


@dataclass_transform(frozen_default=True)
def message(kind: type[T] | None = None, *, counts_as: str = "") -> Any:
    """Makes a class a message: its annotations say how each field goes over the air.

    It becomes a frozen dataclass with slots. Its name in capitals is the kind of its frames in traces and
    metrics; `counts_as` gives another one: PUB and DATA are events, REP replays, HEARTBEAT and HELLO
    heartbeats, ACK acknowledgements, all else control. Raises TypeError for a field that has no encoding,
    and ValueError for a `counts_as` that is no word.
    """
    frame = sys._getframe(1)

    def make(kind: type[T]) -> Any:
        return _make_message(_frozen(kind), counts_as, frame.f_globals | frame.f_locals)

    return make if kind is None else make(kind)


@dataclass_transform(frozen_default=True)
def timer(kind: type[T]) -> type[T]:
    """Makes a class a timer: a frozen dataclass with slots, equal and hashed by its fields."""
    return _frozen(kind)


def _frozen(kind: type[T]) -> type[T]:
    return dataclass(frozen=True, slots=True)(kind)


#: What classes of messages are given: their own names must be others.
_GIVEN = ("encode", "decode", "size", "layout", "kind_name")


def _make_message(kind: Any, counts_as: str, names: dict[str, Any]) -> Any:
    """Gives a frozen dataclass its codec."""
    if taken := [name for name in _GIVEN if name in vars(kind)]:
        raise TypeError(
            f"message {kind.__qualname__}: {taken[0]} is what every message has: give the field another name"
        )
    try:
        hints = get_type_hints(kind, names, include_extras=True)
        codecs = {field.name: codec_of(hints[field.name]) for field in fields(kind)}
    except (TypeError, NameError) as error:
        raise TypeError(f"message {kind.__qualname__}: {error}") from None
    kind.kind_name = counts_as or kind.__name__.upper()
    if not re.fullmatch(r"[\w-]+", kind.kind_name):
        raise ValueError(
            f"message {kind.__qualname__}: counts_as={counts_as!r} is no word of letters, digits, _ and -: "
            "traces name frames by it"
        )
    kind.layout = tuple((name, codec.name) for name, codec in codecs.items())
    kind._carries = any(codec.events for codec in codecs.values())
    carrying = [(name, codec.events) for name, codec in codecs.items() if codec.events]
    kind._carried = lambda self: [id for name, events in carrying for id in events(getattr(self, name))]
    kind._codecs = codecs
    kind.encode, kind._write_part = _Encoder(is_whole=True), _Encoder(is_whole=False)
    kind.decode, kind._read_part = _Decoder(is_whole=True), _Decoder(is_whole=False)
    kind.size = property(lambda self: len(self.encode()))
    return kind


#: What was made for classes of messages. Their classes do not hold it: so those of a notebook can be pickled.
_MADE: WeakKeyDictionary[type, dict[tuple[type, bool], Callable[..., Any]]] = WeakKeyDictionary()


@dataclass(frozen=True)
class _Encoder:
    """Of a class of messages, the method that encodes one; made when it is first asked for."""

    is_whole: bool

    def __get__(self, message: Any, kind: Any) -> Any:
        made = _made(self, kind, _encoder)
        return made if message is None else MethodType(made, message)


@dataclass(frozen=True)
class _Decoder:
    """The same of the function that decodes one."""

    is_whole: bool

    def __get__(self, message: Any, kind: Any) -> Any:
        return _made(self, kind, _decoder)


def _made(which: _Encoder | _Decoder, kind: Any, make: Callable[..., Any]) -> Callable[..., Any]:
    known = _MADE.setdefault(kind, {})
    place = (type(which), which.is_whole)
    if place not in known:
        known[place] = make(kind, kind._codecs, which.is_whole)
    return known[place]


def _encoder(kind: type, codecs: Mapping[str, Codec], is_whole: bool) -> Callable[[Any], bytes]:
    """The function that gives the bytes of a message: a frame's body, or a part of another message."""
    writes = {name: codec.write for name, codec in codecs.items()}
    if is_whole and codecs:
        last = list(codecs)[-1]
        writes[last] = codecs[last].write_rest or writes[last]
    scope: dict[str, Any] = {f"write_{name}": write for name, write in writes.items()}
    parts = " + ".join(f"write_{name}(self.{name})" for name in writes) or "b''"
    exec(f"def encode(self): return {parts}", scope)  # as dataclasses makes __init__
    fast = scope["encode"]

    def encode(self: Any) -> bytes:
        try:
            return bytes(fast(self))
        except Exception:
            raise _wrong_field(kind, self, writes) from None

    return encode


def _wrong_field(kind: type, value: Any, writes: Mapping[str, Callable[[Any], bytes]]) -> EncodeError:
    for name, write in writes.items():
        try:
            write(getattr(value, name))
        except Exception as error:
            return EncodeError(f"{kind.__name__}.{name}: {error}")
    return EncodeError(f"{kind.__name__} cannot be encoded")


_BAD_BYTES = (struct.error, IndexError, ValueError)


def _decoder(kind: Any, codecs: Mapping[str, Codec], is_whole: bool) -> Callable[..., Any]:
    """The function that reads a message: a frame's body from a place on, or a part of another."""
    scope: dict[str, Any] = {
        "make": object.__new__,
        "kind": kind,
        "bad": _BAD_BYTES,
        "DecodeError": DecodeError,
    }
    lines = ["def decode(data, at=0):", " self = make(kind)", " try:", "  pass"]
    names = list(codecs)
    ahead = [name for name in takewhile(lambda name: codecs[name].code, names)]
    if ahead:
        scope["ahead"] = struct.Struct(">" + "".join(codecs[name].code for name in ahead))
        lines.append(f"  {', '.join(f'v_{name}' for name in ahead)}, = ahead.unpack_from(data, at)")
        lines.append(f"  at += {scope['ahead'].size}")
    for name in names:
        codec = codecs[name]
        if is_whole and name == names[-1] and codec.read_rest:
            scope[f"read_{name}"] = codec.read_rest
            lines += [f"  v_{name} = read_{name}(data[at:])", "  at = len(data)"]
        elif name not in ahead:
            scope[f"read_{name}"] = codec.read
            lines.append(f"  v_{name}, at = read_{name}(data, at)")
    for name in names:
        scope[f"set_{name}"] = _setter(kind, name)
        lines.append(f" set_{name}(self, v_{name})")
    wrong = " except bad as error: raise DecodeError(f'no {kind.__name__}: {error}') from None"
    lines.insert(len(lines) - len(names), wrong)
    if is_whole:
        lines += [" if at != len(data): raise DecodeError(f'{len(data) - at} B too many')", " return self"]
    else:
        lines.append(" return self, at")
    exec("\n".join(lines), scope)
    decode: Callable[..., Any] = scope["decode"]
    return decode


def _setter(kind: type, name: str) -> Callable[[Any, Any], None]:
    """What sets a field of a frozen class: the descriptor of its slot, which is fast."""
    slot = vars(kind).get(name)
    if hasattr(slot, "__set__"):
        return slot.__set__  # type: ignore[union-attr, no-any-return]
    # A class that came by cloudpickle has no slots any more.
    return lambda message, value: object.__setattr__(message, name, value)
