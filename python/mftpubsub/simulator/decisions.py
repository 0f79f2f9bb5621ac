"""The simulator's structs and policies, as Python sees them, and the other way round."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from mftpubsub.simulator.library import core
from mftpubsub.simulator.shown import Candidate, LackingNeighbour, Me, QueuedEvent

NONE = -1
"""Instead of an id or of a byte."""

Parameters = tuple[tuple[str, float], ...]
"""Of a policy that ships, as C++ takes them."""

_NO_NODE = 0xFFFF
_ROLES = ((1, "broker"), (2, "subscriber"), (4, "publisher"))
_ROLE_NAMES = [tuple(name for bit, name in _ROLES if roles & bit) for roles in range(8)]


def _cpp_policies() -> Any:
    """The C++ namespace with policies and what they are shown."""
    return core("policies/policies.h")


# Policies that ship.


def make(kind: str, name: str, parameters: Parameters) -> Any:
    """A policy that ships, made by the simulator's factory."""
    return getattr(_cpp_policies(), f"Make{kind}Policy")(name, dict(parameters))


_shared = cache(make)


def forget_shared() -> None:
    """Some policies keep state: another run has others."""
    _shared.cache_clear()


def choose(
    name: str,
    parameters: Parameters,
    me: Me,
    current: Candidate | None,
    candidates: Sequence[Candidate],
) -> Candidate | None:
    import cppyy

    now = cppyy.nullptr if current is None else _cpp(current)
    chosen = int(_shared("Parent", name, parameters).Choose(_cpp(me), now, _vector("Candidate", candidates)))
    return next((c for c in candidates if c.id == chosen), current)


def advertise(name: str, parameters: Parameters, me: Me) -> int | None:
    told = _shared("Parent", name, parameters).Advertise(_cpp(me))
    return ord(told.value()) if told.has_value() else None  # to cppyy uint8_t is a character


def migrate(name: str, parameters: Parameters, me: Me, current: Candidate, proposed: Candidate) -> bool:
    return bool(_shared("Migration", name, parameters).Migrate(_cpp(me), _cpp(current), _cpp(proposed)))


def priority(name: str, parameters: Parameters, me: Me) -> int:
    return int(_shared("Leader", name, parameters).Priority(_cpp(me)))


def drop(
    name: str, parameters: Parameters, me: Me, subscriber: int, events: Sequence[QueuedEvent]
) -> list[QueuedEvent]:
    policy = _shared("Queue", name, parameters)
    return [events[i] for i in policy.Drop(_cpp(me), subscriber, _vector("QueuedEvent", events))]


def on_failure(name: str, parameters: Parameters, me: Me, neighbour: int, failures: int) -> int:
    return int(_shared("Failure", name, parameters).OnFailure(_cpp(me), neighbour, 0, failures))


def first(
    name: str, parameters: Parameters, me: Me, neighbours: Sequence[LackingNeighbour]
) -> LackingNeighbour:
    policy = _shared("Repair", name, parameters)
    chosen = int(policy.Choose(_cpp(me), _vector("LackingNeighbour", neighbours)))
    return next(neighbour for neighbour in neighbours if neighbour.id == chosen)


# Structs, to C++.


def _cpp(view: Me | Candidate | QueuedEvent | LackingNeighbour) -> Any:
    """The C++ struct of a view."""
    if isinstance(view, Me):
        me = _cpp_policies().NodeView()
        me.id = view.id
        me.roles = sum(bit for bit, name in _ROLES if name in view.roles)
        me.timeNanoseconds = round(view.time_s * 1e9)
        me.leader = _id(view.leader)
        me.round = view.round
        me.parent = _id(view.parent)
        me.hops = view.hops
        me.attachedSeconds = view.attached_s
        me.children = view.children
        me.speedMetresPerSecond = view.speed_mps
        me.queuedEvents = view.queued
        return me
    if isinstance(view, Candidate):
        candidate = _cpp_policies().Candidate()
        candidate.id = view.id
        candidate.rssiDbm = view.rssi_dbm
        candidate.hops = view.hops
        candidate.parent = _id(view.parent)
        candidate.advertised = NONE if view.advertised is None else view.advertised
        candidate.arrival = view.arrival
        candidate.ageSeconds = view.age_s
        return candidate
    if isinstance(view, LackingNeighbour):
        neighbour = _cpp_policies().LackingNeighbour()
        neighbour.id = view.id
        neighbour.events = view.events
        neighbour.ageSeconds = view.age_s
        neighbour.hops = view.hops
        return neighbour
    event = _cpp_policies().QueuedEvent()
    event.publisher = view.publisher
    event.sequence = view.sequence
    event.ageSeconds = view.age_s
    event.payloadBytes = view.payload_bytes
    return event


def _id(node: int | None) -> int:
    return _NO_NODE if node is None else node


@cache
def vector_of(kind: str) -> Any:
    """std::vector of a struct of ours."""
    import cppyy

    return cppyy.gbl.std.vector[getattr(_cpp_policies(), kind)]


def _vector(kind: str, views: Iterable[Any]) -> Any:
    vector = vector_of(kind)()
    for view in views:
        vector.push_back(_cpp(view))
    return vector


# Structs, from C++.


@cache
def _size_of(kind: str) -> int:
    import cppyy

    return int(cppyy.sizeof(getattr(_cpp_policies(), kind)))


def view_of(kind: str, address: int) -> Any:
    """The struct at an address; it lives as long as C++ keeps it."""
    import cppyy

    return cppyy.bind_object(address, getattr(_cpp_policies(), kind))


def array_of(kind: str, address: int, count: int) -> list[Any]:
    """The structs of an array of C++; they live as long as it does."""
    size = _size_of(kind)
    return [view_of(kind, address + index * size) for index in range(count)]


def me_of(cpp: Any) -> Me:
    me = object.__new__(Me)
    roles = cpp.roles
    me.id = cpp.id
    me.time_s = cpp.timeNanoseconds / 1e9
    me.roles = _ROLE_NAMES[roles]
    me.leader = _node(cpp.leader)
    me.round = cpp.round
    me.parent = _node(cpp.parent)
    me.hops = cpp.hops
    me.attached_s = cpp.attachedSeconds
    me.children = cpp.children
    me.speed_mps = cpp.speedMetresPerSecond
    me.queued = cpp.queuedEvents
    return me


def _node(id: int) -> int | None:
    return None if id == _NO_NODE else id


def candidate_of(cpp: Any) -> Candidate:
    candidate = object.__new__(Candidate)
    candidate.id = cpp.id
    candidate.rssi_dbm = cpp.rssiDbm
    candidate.hops = cpp.hops
    candidate.parent = _node(cpp.parent)
    advertised = cpp.advertised
    candidate.advertised = None if advertised == NONE else advertised
    candidate.arrival = cpp.arrival
    candidate.age_s = cpp.ageSeconds
    return candidate


def queued_event_of(cpp: Any) -> QueuedEvent:
    return QueuedEvent(cpp.publisher, cpp.sequence, age_s=cpp.ageSeconds, payload_bytes=cpp.payloadBytes)


def lacking_neighbour_of(cpp: Any) -> LackingNeighbour:
    return LackingNeighbour(cpp.id, events=cpp.events, age_s=cpp.ageSeconds, hops=cpp.hops)
