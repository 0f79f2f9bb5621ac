"""Where a broker of one's own sits: what it knows, and its effects as C++ reads them.

The numbers are those of cpp/protocols/own/hook-broker.h.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Hashable, Mapping
from typing import Any

from mftpubsub.protocols import given
from mftpubsub.protocols.broker import Broker
from mftpubsub.protocols.broker_inputs import (
    ALIVE,
    ATTACHED,
    CARRIED,
    EXPIRED,
    FAILED,
    LINK_DOWN,
    LINK_RESET,
    LINK_UP,
    MIGRATED,
    PUBLISHED,
    QUEUES,
    RECEIVE,
    START,
    SUBSCRIBED,
    TABLE,
    UNDELIVERED,
)
from mftpubsub.protocols.content import DecodeError, Event, EventId, Filter
from mftpubsub.protocols.device import check_attributes, frame_of, id_of

#: BrokerWish of C++, by the method that is called then.
WISHES = {"neighbour_alive": 1, "table": 2, "queues": 4}
#: BrokerEffect of C++.
_SEND, _DELIVER, _FILTERS, _MATCH, _HOLD, _GIVE_UP, _NOTE = range(7)

NOBODY = 0xFFFF
MAX_BYTES = 65_000
_MOST = 255
#: Failures that one input may lead to, each by what the one before has sent.
_MOST_IN_VAIN = 10_000
_NODE = struct.Struct(">H")
_NODES = struct.Struct(">HH")
START_INPUT = struct.Struct(">HQ")
_SENDING = struct.Struct(">BBHB")
_ID = struct.Struct(">HI")
_DELIVERY = struct.Struct(">BHBH")
_FILTERING = struct.Struct(">BHB")
_PAIR = struct.Struct(">BHIH")
_TEXT = struct.Struct(">BH")
HEAD = struct.Struct(">QqQ")


class BrokerSeat:
    """A broker's place in the tree; effects become records that C++ carries out."""

    max_bytes = MAX_BYTES

    def __init__(
        self,
        id: int,
        protocol: type[Broker],
        random: Any,
        stable: dict[str, Any],
        published: dict[EventId, Event] | None,
    ) -> None:
        """`published`: the events that brokers have been told of, all together; None: not all are here."""
        self.id = id
        self.random = random
        self.stable = stable
        self.neighbours: tuple[int, ...] = ()
        self.parent: int | None = None
        self.clients: dict[int, tuple[Filter, ...]] = {}
        self.timers: dict[Hashable, int] = {}
        """When each is due, ns, in the order in which they were set."""
        self.called: tuple[Hashable, ...] = ()
        """Timers that expire next, whenever they are due."""
        self.nanoseconds = 0
        self.effects = bytearray()
        self.turns = given.Turns()
        self._protocol = protocol
        self._vain: list[tuple[Any, int]] = []
        self._published = published

    @property
    def now(self) -> float:
        return self.nanoseconds / 1e9

    @property
    def due(self) -> int:
        """When the first timer is due, ns; negative: there is none."""
        return min(self.timers.values(), default=-1)

    def send(self, message: Any, to: int) -> None:
        kind, body = frame_of(message, self._protocol, self.max_bytes, "sessions carry no more")
        if to not in self.neighbours:
            self._vain.append((message, to))
            return
        events = message._carried()[:_MOST]
        out = self.effects
        out += _SENDING.pack(_SEND, kind, to, len(events))
        for id in events:
            out += _ID.pack(*id)
        out += _NODE.pack(len(body)) + body

    def publish(self, broker: Broker, publisher: int, event: Event) -> None:
        """A publisher here tells the broker of an event."""
        if self._published is not None:
            self._published[event.id] = event
        broker.publish(publisher, event)

    def deliver(self, event: Event, client: int, hops: int) -> None:
        if self._published is not None:
            given.as_published(event, self._published)
        if client not in self.clients:
            self._vain.append((event, client))
            return
        self.effects += _DELIVERY.pack(_DELIVER, client, min(hops, _MOST), len(event.wire)) + event.wire

    def tell_filters(self, client: int, filters: list[Filter]) -> None:
        if client not in self.clients:
            return
        if len(filters) > _MOST:
            raise ValueError(f"tell_filters: {len(filters)} filters; {_MOST} fit in a message")
        self.effects += _FILTERING.pack(_FILTERS, client, len(filters))
        for where in filters:
            self.effects += _written(where)

    def matched(self, event: EventId, subscriber: int) -> None:
        self.effects += _PAIR.pack(_MATCH, *event, subscriber)

    def held(self, event: EventId, subscriber: int) -> None:
        self.effects += _PAIR.pack(_HOLD, *event, subscriber)

    def gave_up(self, event: EventId, subscriber: int) -> None:
        self.effects += _PAIR.pack(_GIVE_UP, *event, subscriber)

    def set_timer(self, timer: Hashable, after: float) -> None:
        self.timers.pop(timer, None)
        self.timers[timer] = self.nanoseconds + round(after * 1e9)

    def cancel_timer(self, timer: Hashable) -> None:
        self.timers.pop(timer, None)

    def note(self, text: str) -> None:
        content = text.encode()[: 2**16 - 1]
        self.effects += _TEXT.pack(_NOTE, len(content)) + content

    def copied(self) -> BrokerSeat:
        """Another one that knows the same; its stable storage is this one's."""
        made = BrokerSeat(self.id, self._protocol, self.random, self.stable, self._published)
        made.neighbours, made.parent = self.neighbours, self.parent
        made.clients, made.timers = self.clients.copy(), self.timers.copy()
        return made

    def begin_anew(self) -> None:
        """Counts time from now on: a laboratory has no clock but what each broker has waited."""
        waits = {timer: max(0, due - self.nanoseconds) for timer, due in self.timers.items()}
        self.timers, self.nanoseconds = waits, 0

    def take_due(self) -> list[Hashable]:
        """The timers that are due, in their order; those that are called go alone."""
        if self.called:
            called, self.called = self.called, ()
            return list(called)
        return [timer for timer in self.in_order() if self.timers[timer] <= self.nanoseconds]

    def in_order(self) -> list[Hashable]:
        """The timers by when they are due."""
        return sorted(self.timers, key=self.timers.__getitem__)

    def take_vain(self) -> list[tuple[Any, int]]:
        """What could not be sent since the last call."""
        vain, self._vain = self._vain, []
        return vain


def tell(broker: Broker, seat: BrokerSeat, what: int, data: bytes) -> None:
    """Tells a broker an input of C++; the effects are the seat's."""
    _tell(broker, seat, what, data)
    turns = 0
    while vain := seat.take_vain():
        for message, to in vain:
            turns += 1
            if turns > _MOST_IN_VAIN:
                raise ValueError(f"it sends anew and anew to {to}, which is no neighbour and no client")
            broker.delivery_failed(message, to)


def _tell(broker: Broker, seat: BrokerSeat, what: int, data: bytes) -> None:
    if what == START:
        given.storage(seat.stable)
        broker.start()
        check_attributes(broker)
    elif what == EXPIRED:
        for timer in seat.take_due():
            if seat.timers.pop(timer, None) is not None:  # none before it has cancelled it
                seat.turns.count(seat.nanoseconds, timer)
                broker.expire(timer)
    elif what < EXPIRED:
        _tell_of_links(broker, seat, what, data)
    elif what in (RECEIVE, FAILED):
        _tell_message(broker, what, data)
    else:
        _tell_of_clients(broker, seat, what, data)


def _tell_of_links(broker: Broker, seat: BrokerSeat, what: int, data: bytes) -> None:
    neighbour = _NODE.unpack_from(data)[0]
    if what == LINK_UP:
        seat.neighbours = tuple(sorted({*seat.neighbours, neighbour}))
        broker.link_up(neighbour)
    elif what == LINK_DOWN:
        if neighbour in seat.neighbours:
            seat.neighbours = tuple(each for each in seat.neighbours if each != neighbour)
        else:
            seat.clients.pop(neighbour, None)
        seat.parent = None if seat.parent == neighbour else seat.parent
        broker.link_down(neighbour)
    elif what == LINK_RESET:
        broker.link_reset(neighbour)
    elif what == ALIVE:
        broker.neighbour_alive(neighbour)
    else:
        previous, seat.parent = (_node(each) for each in _NODES.unpack(data))
        broker.parent_changed(previous, seat.parent)


def _tell_message(broker: Broker, what: int, data: bytes) -> None:
    try:
        message = decoded(broker, data[2], data, 3)
    except DecodeError:
        return  # bytes from the air may be anything
    node = _NODE.unpack_from(data)[0]
    if what == RECEIVE:
        broker.receive(message, node)
    else:
        broker.delivery_failed(message, node)


def _tell_of_clients(broker: Broker, seat: BrokerSeat, what: int, data: bytes) -> None:
    client = _NODE.unpack_from(data)[0]
    if what == UNDELIVERED:
        broker.delivery_failed(Event.from_wire(data[2:]), client)
        return
    if what == PUBLISHED:
        seat.publish(broker, client, Event.from_wire(data[2:]))
        return
    filters = seat.clients.setdefault(client, ())
    if what == ATTACHED:
        broker.attached(client)
    elif what == MIGRATED:
        broker.migrated(client, _node(_NODE.unpack_from(data, 2)[0]))
    elif what == SUBSCRIBED:
        where = Filter(data[2:].decode())
        seat.clients[client] = filters if where in filters else (*filters, where)
        broker.subscribed(client, where)
    else:
        where = Filter(data[2:].decode())
        seat.clients[client] = tuple(each for each in filters if each != where)
        broker.unsubscribed(client, where)


def answer(broker: Broker, what: int, data: bytes) -> bytes:
    """The answer to a question of C++ that changes nothing."""
    if what == TABLE:
        return _table(broker)
    if what == QUEUES:
        return b"".join(
            _NODE.pack(given.node(client, "queues"))
            + ids([given.event_id(event, "queues") for event in events])
            for client, events in sorted(_rows(broker.queues()).items())
        )
    try:
        if what == CARRIED:
            return ids(decoded(broker, data[0], data, 1)._carried())
        return words(decoded(broker, data[1], data, 2), is_json=data[0] != 0).encode()
    except DecodeError:
        return ids([]) if what == CARRIED else b""


def ids(events: list[EventId]) -> bytes:
    return bytes((len(events[:_MOST]),)) + b"".join(_ID.pack(*id) for id in events[:_MOST])


def _table(broker: Broker) -> bytes:
    out = bytearray()
    for subscriber, (next_hop, filters) in sorted(_rows(broker.table()).items()):
        rows = sorted(given.filter_of(each, "table") for each in filters)
        given.node(subscriber, "table")
        if next_hop is not None:
            given.node(next_hop, "table")
        out += _NODES.pack(subscriber, NOBODY if next_hop is None else next_hop) + bytes((len(rows),))
        for where in rows:
            out += _written(where)
    return bytes(out)


def _rows(told: Any) -> Mapping[int, Any]:
    """What `table` or `queues` answer. Raises ValueError."""
    if isinstance(told, Mapping):
        return told
    raise ValueError(f"it answers {told!r}, which is no dict by subscriber")


def _written(where: Filter) -> bytes:
    content = where.text.encode()
    return _NODE.pack(len(content)) + content


def _node(id: int) -> int | None:
    return None if id == NOBODY else id


def decoded(broker: Broker, kind: int, data: bytes, at: int) -> Any:
    """The message of some bytes. Raises DecodeError."""
    if kind >= len(broker.messages):
        raise DecodeError(f"no kind of message: {kind}")
    return broker.messages[kind].decode(data, at)  # type: ignore[attr-defined]


#: Around a node or an event, in texts for laboratories that know names (OwnFormat of C++).
_MARK = "\x01"


def words(message: Any, is_json: bool) -> str:
    """The fields of a message in the words of transcripts, or as JSON without braces; nodes are marked."""
    fields = {name: _value(getattr(message, name), how) for name, how in type(message).layout}
    if is_json:
        return json.dumps(fields, ensure_ascii=False)[1:-1].replace("\\u0001", _MARK)
    return "".join(f" {name}={_word(value)}" for name, value in fields.items())


def _word(value: Any) -> str:
    if isinstance(value, list):
        return f"[{','.join(map(_word, value))}]"
    if isinstance(value, dict):
        return f"({', '.join(f'{name}={_word(each)}' for name, each in value.items())})"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(value: Any, how: str) -> Any:
    """A field's value as JSON has it; `how` is its type as a layout says it."""
    how = how.removesuffix(" | None")
    if isinstance(value, Event | EventId):
        id = id_of(value)
        return f"{_MARK}{id.publisher}#{id.sequence}{_MARK}"
    if how == "Node" and isinstance(value, int):
        return f"{_MARK}{value}{_MARK}"
    if isinstance(value, list | set | frozenset | tuple):
        inner = how.partition("[")[2][:-1]
        hows = _parts(inner) if isinstance(value, tuple) else [inner] * len(value)
        items = sorted(value) if isinstance(value, set | frozenset) else value
        return [_value(item, each) for item, each in zip(items, hows, strict=True)]
    if hasattr(type(value), "layout"):
        layout: Mapping[str, str] = dict(type(value).layout)
        return {name: _value(getattr(value, name), each) for name, each in layout.items()}
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, int | float | None) else str(value).replace(_MARK, "?")


def _parts(inner: str) -> list[str]:
    """The types between the commas of a tuple's."""
    parts, depth = [""], 0
    for letter in inner:
        depth += (letter == "[") - (letter == "]")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
