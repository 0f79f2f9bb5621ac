"""Ties stations that are written in Python to the simulator's radio (cpp/protocols/own/hook-station.h)."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Hashable
from copy import deepcopy
from ctypes import (
    CFUNCTYPE,
    POINTER,
    PYFUNCTYPE,
    c_bool,
    c_char,
    c_char_p,
    c_double,
    c_int64,
    c_uint32,
    c_uint64,
    c_void_p,
)
from random import Random
from typing import Any

from mftpubsub.errors import RunError
from mftpubsub.notes import tell
from mftpubsub.protocols import given
from mftpubsub.protocols.content import DecodeError, Event, EventId, Filter
from mftpubsub.protocols.device import check_attributes, frame_of
from mftpubsub.protocols.station import INPUTS, Position, Station
from mftpubsub.protocols.unheard import Unheard

#: hook-station.h: what a hook answers that has failed.
_FAILED = 0
#: hook-station.h: StationWish, by the method that is called then.
_WISHES = {"overhear": 1, "dropped": 2, "next_message": 4}
#: hook-station.h: StationEffect.
_WISH, _SEND, _DELIVER, _COPY, _TAKE, _MATCH, _HOLD, _GIVE_UP, _SET, _CANCEL = range(10)

NOBODY = 0xFFFF
_ROLES = ((1, "broker"), (2, "subscriber"), (4, "publisher"))
_CAPACITY = 1 << 20
_MOST_EVENTS = 255
_HEADER = struct.Struct(">BHH")
_START = struct.Struct(">BQHH")
_SENDING = struct.Struct(">BBHB")
_SIZE = struct.Struct(">H")
_ID = struct.Struct(">HI")
_DELIVERY = struct.Struct(">BHBH")
_COPIED = struct.Struct(">BHIHB")
_TAKEN = struct.Struct(">BHI")
_PAIR = struct.Struct(">BHIH")
_TIMER = struct.Struct(">BQq")
_KEY = struct.Struct(">Q")
_CANCELLED = struct.Struct(">BQ")

_Call = CFUNCTYPE(c_int64, c_uint32, c_uint32, c_int64, c_uint64, c_double)
_Locate = PYFUNCTYPE(c_bool, c_void_p, POINTER(c_double))


class StationView(ctypes.Structure):
    """The C++ struct of that name."""

    _fields_ = (("load", c_double), ("station", c_void_p), ("locate", _Locate))


class StationHooks(ctypes.Structure):
    """The C++ struct of that name."""

    _fields_ = (
        ("call", _Call),
        ("input", POINTER(c_char)),
        ("effects", POINTER(c_char)),
        ("capacity", c_uint64),
        ("view", POINTER(StationView)),
        ("kinds", c_char_p),
    )


class RadioSeat:
    """A station on a device of the radio: its effects become records that C++ carries out."""

    def __init__(
        self,
        host: Host,
        id: int,
        roles: int,
        seed: int,
        max_bytes: int,
        nodes: int,
        stable: dict[str, Any],
    ) -> None:
        self.id = id
        self.roles = tuple(name for bit, name in _ROLES if roles & bit)
        self.random = Random(seed)
        self.filters: list[Filter] = []
        self.max_bytes = max_bytes
        self._nodes = nodes
        self.stable = stable
        self.effects = bytearray()
        self._host = host
        self._is_subscriber, self._is_broker = "subscriber" in self.roles, "broker" in self.roles
        self._met: set[EventId] = set()
        self._wanted: set[EventId] = set()
        self._timers: dict[Hashable, int] = {}
        self._by_key: dict[int, Hashable] = {}
        self._keys = 0

    @property
    def now(self) -> float:
        return self._host.nanoseconds / 1e9

    @property
    def load(self) -> float:
        return self._host.view.load  # type: ignore[no-any-return]

    @property
    def position(self) -> Position | None:
        return self._host.locate()

    def broadcast(self, message: Any, to: int | None) -> None:
        kind, body = frame_of(message, self._host.protocol, self.max_bytes)
        given.addressee(message, to, self._nodes)
        events = message._carried()[:_MOST_EVENTS]
        out = self.effects
        out += _SENDING.pack(_SEND, kind, NOBODY if to is None else to, len(events))
        for id in events:
            out += _ID.pack(*id)
        out += _SIZE.pack(len(body)) + body

    def deliver(self, event: Event, sender: int, hops: int) -> None:
        id = event.id
        if sender >= self._nodes:  # asked for each copy: fast
            given.sender(sender, self._nodes)
        if self._host.sees_all:
            given.as_published(event, self._host.published)
        if id in self._wanted:
            self.effects += _COPIED.pack(_COPY, *id, sender, hops)
            return
        is_first = id not in self._met
        if is_first:
            self._met.add(id)
        if self._is_subscriber:  # a filter that comes later may match what none matches now
            self.effects += _DELIVERY.pack(_DELIVER, sender, hops, len(event.wire)) + event.wire
            if any(where.matches(event) for where in self.filters):
                self._wanted.add(id)
        elif self._is_broker and is_first:
            self.effects += _TAKEN.pack(_TAKE, *id)

    def matched(self, event: EventId, subscriber: int) -> None:
        self.effects += _PAIR.pack(_MATCH, *event, subscriber)

    def held(self, event: EventId, subscriber: int) -> None:
        self.effects += _PAIR.pack(_HOLD, *event, subscriber)

    def gave_up(self, event: EventId, subscriber: int) -> None:
        self.effects += _PAIR.pack(_GIVE_UP, *event, subscriber)

    def set_timer(self, timer: Hashable, after: float) -> None:
        key = self._timers.get(timer)
        if key is None:
            self._keys += 1
            key = self._timers[timer] = self._keys
            self._by_key[key] = timer
        self.effects += _TIMER.pack(_SET, key, round(after * 1e9))

    def cancel_timer(self, timer: Hashable) -> None:
        key = self._timers.pop(timer, None)
        if key is not None:
            del self._by_key[key]
            self.effects += _CANCELLED.pack(_CANCEL, key)

    def note(self, text: str) -> None:
        """Only laboratories write notes."""

    def take_timer(self, key: int) -> Hashable:
        """The timer of a key that is due, which is over now."""
        timer = self._by_key.pop(key)
        del self._timers[timer]
        return timer


class Host:
    """The stations of one run. C++ calls `hooks` as long as it uses them: keep this until then."""

    def __init__(
        self, protocol: Station, fail: Callable[[BaseException], None], sees_all: bool = True
    ) -> None:
        """`fail` takes what a station has raised; `sees_all`: every station of the network is here."""
        self.sees_all = sees_all
        #: What stations find in `stable` at first, and what takes it after each input.
        self.stable: dict[str, Any] = {}
        self.keep: Callable[[dict[str, Any]], None] | None = None
        self.protocol = type(protocol)
        self.nanoseconds = 0
        self.view = StationView(load=1.0)
        self._protocol = protocol
        self._fail = fail
        self._decoders = [kind.decode for kind in protocol.messages]  # type: ignore[attr-defined]
        self._stations: dict[int, tuple[Station, RadioSeat]] = {}
        self._turns = given.Turns()
        self._unheard = Unheard(type(protocol))
        self.published: dict[EventId, Event] = {}
        self._input, self._effects = (c_char * _CAPACITY)(), (c_char * _CAPACITY)()
        self._inputs = (
            self._start,
            self._publish,
            self._receive,
            self._overhear,
            self._expire,
            self._subscribed,
            self._unsubscribed,
            self._dropped,
            self._next,
        )
        kinds = " ".join(kind.kind_name for kind in protocol.messages)  # type: ignore[attr-defined]
        self.hooks = StationHooks(
            _Call(self._call),
            ctypes.cast(self._input, POINTER(c_char)),
            ctypes.cast(self._effects, POINTER(c_char)),
            _CAPACITY,
            ctypes.pointer(self.view),
            kinds.encode(),
        )

    def locate(self) -> Position | None:
        """Where the node is that is asked; None where nobody knows."""
        found = (c_double * 3)()
        view = self.view
        if view.station is None or not view.locate(view.station, found):
            return None
        x, y, z = found
        return x, y, z

    def _call(self, what: int, node: int, nanoseconds: int, size: int, rssi_dbm: float) -> int:
        """What C++ calls; nothing may be raised across the simulator."""
        self.nanoseconds = nanoseconds
        try:
            self._inputs[what](node, self._input[:size], rssi_dbm)  # type: ignore[arg-type]
            if lost := self._unheard.take(INPUTS[what]):
                tell(f"{self._where(what, node)}: {lost}")
            seat = self._stations[node][1]
            if self.keep:
                self.keep(seat.stable)
            effects = seat.effects
            if not effects:
                return 1
            if len(effects) > _CAPACITY:
                raise ValueError(f"effects of {len(effects)} B of one call, {_CAPACITY} B are possible")
            size = len(effects)
            ctypes.memmove(self._effects, bytes(effects), size)
            effects.clear()
            return size + 1
        except Exception as error:
            failure = RunError(f"{self._where(what, node)}: {type(error).__name__}: {error}")
            failure.__cause__ = error
            self._fail(failure)
        except BaseException as error:  # the user's interruption
            self._fail(error)
        return _FAILED

    def _where(self, what: int, node: int) -> str:
        return f"{self.protocol.__qualname__}.{INPUTS[what]} at node {node}, {self.nanoseconds / 1e9:.6f} s"

    def _start(self, node: int, data: bytes, _: float) -> None:
        roles, seed, max_bytes, nodes = _START.unpack(data)
        before = self._stations.get(node)
        stable = before[1].stable if before else deepcopy(self.stable)
        seat = RadioSeat(self, node, roles, seed, max_bytes, nodes, stable)
        station = deepcopy(self._protocol)
        station._seat = seat
        self._stations[node] = (station, seat)
        given.storage(seat.stable)
        wishes = sum(bit for method, bit in _WISHES.items() if station.has_own(method))
        seat.effects += bytes((_WISH, wishes))
        station.start()
        check_attributes(station)

    def _publish(self, node: int, data: bytes, _: float) -> None:
        event = Event.from_wire(data)
        if self.sees_all:
            self.published[event.id] = event
        self._stations[node][0].publish(event)

    def _receive(self, node: int, data: bytes, rssi_dbm: float) -> None:
        try:
            message = self._decoders[data[0]](data, _HEADER.size)
        except DecodeError:
            return  # bytes from the air may be anything
        self._stations[node][0].receive(message, data[1] << 8 | data[2], rssi_dbm)

    def _overhear(self, node: int, data: bytes, rssi_dbm: float) -> None:
        kind, sender, to = _HEADER.unpack_from(data)
        try:
            message = self._decoders[kind](data, _HEADER.size)
        except DecodeError:
            return
        self._stations[node][0].overhear(message, sender, to, rssi_dbm)

    def _expire(self, node: int, data: bytes, _: float) -> None:
        station, seat = self._stations[node]
        timer = seat.take_timer(_KEY.unpack(data)[0])
        self._turns.count(self.nanoseconds, timer)
        station.expire(timer)

    def _subscribed(self, node: int, data: bytes, _: float) -> None:
        station, seat = self._stations[node]
        where = Filter(data.decode())
        seat.filters.append(where)
        station.subscribed(where)

    def _unsubscribed(self, node: int, data: bytes, _: float) -> None:
        station, seat = self._stations[node]
        where = Filter(data.decode())
        seat.filters.remove(where)
        station.unsubscribed(where)

    def _dropped(self, node: int, data: bytes, _: float) -> None:
        self._stations[node][0].dropped(self._decoders[data[0]](data, _HEADER.size))

    def _next(self, node: int, data: bytes, _: float) -> None:
        station, seat = self._stations[node]
        chosen = station.next_message()
        if chosen is not None:
            seat.broadcast(*given.outgoing(chosen))
