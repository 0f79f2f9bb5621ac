"""What a protocol of one's own gives its effects, checked: errors say what was given, and what is right."""

from __future__ import annotations

import json
import math
import numbers
from collections.abc import Hashable, Mapping
from typing import Any

from mftpubsub.protocols.content import Event, EventId, Filter

#: A node's id that is none.
NOBODY = 0xFFFF
_MOST_HOPS = 255
#: Timers that may go off at one time.
_MOST_AT_ONCE = 100_000
#: A timer that is later than a century is none.
_LATEST = 100 * 366 * 86400.0


def _is_whole(given: Any) -> bool:
    return isinstance(given, numbers.Integral)  # numpy's too


def _is_real(given: Any) -> bool:
    return isinstance(given, numbers.Real)


def node(id: Any, what: str) -> int:
    """The id of a node. Raises ValueError."""
    if _is_whole(id) and 0 <= id < NOBODY:
        return int(id)
    raise ValueError(f"{what}: {id!r} is no node's id, 0 to {NOBODY - 1}")


def addressee(message: Any, to: int | None, nodes: int) -> None:
    """Raises ValueError if a message is for a node that does not exist; of 0 `nodes` nobody knows."""
    if to is not None and nodes and to >= nodes:
        raise ValueError(f"a {type(message).__name__} for node {to}: there are 0 to {nodes - 1}")


def sender(id: int, nodes: int) -> None:
    """Raises ValueError if a copy comes from a node that does not exist; of 0 `nodes` nobody knows."""
    if nodes and id >= nodes:
        raise ValueError(f"deliver: sender={id}: there are nodes 0 to {nodes - 1}")


def event(given: Any, what: str) -> Event:
    """An event. Raises ValueError."""
    if isinstance(given, Event):
        return given
    raise ValueError(f"{what}: {given!r} is no Event")


def event_id(given: Any, what: str) -> EventId:
    """The id of an event, or of what is one. Raises ValueError."""
    if isinstance(given, Event):
        return given.id
    if isinstance(given, tuple) and len(given) == 2:
        publisher, sequence = given
        if _is_whole(sequence) and 0 <= sequence < 1 << 32:
            return EventId(node(publisher, what), int(sequence))
    raise ValueError(f"{what}: {given!r} is neither an Event nor an EventId")


def as_published(event: Event, by_all: Mapping[EventId, Event]) -> None:
    """Raises ValueError for an event that is none of those published, or says something else."""
    if problem := unpublished(event.id, event.wire, by_all):
        raise ValueError(f"deliver: {problem}")


def unpublished(event: EventId, wire: bytes, by_all: Mapping[EventId, Event]) -> str:
    """How an event with this encoding differs from all that are published; empty: it is one of them."""
    if event not in by_all:
        return f"nobody has published {event}"
    return "" if wire == by_all[event].wire else f"{event} was published with other attributes or payload"


def delivery(of: Any, node_id: Any, count: Any) -> tuple[Event, int, int]:
    """What `deliver` is given: an event, a node, hops. Raises ValueError."""
    is_usual = of.__class__ is Event and node_id.__class__ is count.__class__ is int
    if is_usual and 0 <= node_id < NOBODY and 0 <= count <= _MOST_HOPS:  # asked for each copy: fast
        return of, node_id, count
    return event(of, "deliver"), node(node_id, "deliver"), hops(count, "deliver")


def hops(given: Any, what: str) -> int:
    """How many hops a copy has come. Raises ValueError."""
    if _is_whole(given) and 0 <= given <= _MOST_HOPS:
        return int(given)
    raise ValueError(f"{what}: hops={given!r} is no number from 0 to {_MOST_HOPS}")


def filter_of(given: Any, what: str) -> Filter:
    """A filter. Raises ValueError."""
    if isinstance(given, Filter):
        return given
    raise ValueError(f"{what}: {given!r} is no Filter")


def after(timer: Hashable, given: Any) -> float:
    """When a timer is due, s from now on. Raises ValueError; TypeError for a timer that cannot be one."""
    try:
        hash(timer)
    except TypeError:
        raise TypeError(f"{timer!r} can be no timer, as it may change: use a tuple or a @timer") from None
    if _is_real(given) and 0 <= given <= _LATEST:
        return float(given)
    if _is_real(given) and _LATEST < given < math.inf:
        raise ValueError(f"set_timer({timer!r}, {given!r}): that is later than in a century")
    raise ValueError(f"set_timer({timer!r}, {given!r}): `after` is a time from now on, s")


def outgoing(chosen: Any) -> tuple[Any, int | None]:
    """What `next_message` answers: a message, and for whom it is. Raises ValueError."""
    if not isinstance(chosen, tuple):
        return chosen, None
    if len(chosen) == 2:
        message, to = chosen
        return message, None if to is None else node(to, "next_message")
    raise ValueError(f"it answers {chosen!r}, which is no message, no pair of one and a node's id, nor None")


class Turns:
    """Timers that have gone off at one time: those that are set for at once without end stop a run."""

    def __init__(self) -> None:
        self._nanoseconds = self._turns = 0

    def count(self, nanoseconds: int, timer: Hashable) -> None:
        """Raises RuntimeError if time has stood still for too long."""
        if nanoseconds != self._nanoseconds:
            self._nanoseconds, self._turns = nanoseconds, 0
        self._turns += 1
        if self._turns > _MOST_AT_ONCE:
            raise RuntimeError(
                f"{_MOST_AT_ONCE} timers have gone off without time passing, the last is {timer!r}: set it "
                "for later"
            )


def storage(stable: dict[str, Any]) -> None:
    """Raises ValueError if what is to outlive a crash would not: JSON has no such value."""
    for name, value in stable.items():
        try:
            same = isinstance(name, str) and json.loads(json.dumps(value)) == value
        except (TypeError, ValueError):
            same = False
        if not same:
            raise ValueError(
                f"stable[{name!r}] is {value!r}, which JSON has not: keep texts, numbers, lists and dicts "
                "whose keys are texts"
            )
