"""The network at an instant of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

#: node-id.h
NO_NODE = 0xFFFF
#: scenario.h: RouteStates.
_ROUTE = ("subscribers", "nextHops", "timestamps", "hops", "queuedEvents")


@dataclass(frozen=True)
class Route:
    """What a broker knows of a subscriber: a row of its routing table."""

    next_hop: int | None
    timestamp: int
    """The subscriber's own count of its words; 0: nothing was heard of it."""
    hops: int
    queued: int
    """Events that are held for it."""


@dataclass(frozen=True)
class Node:
    """One device at an instant."""

    id: int
    roles: tuple[str, ...]
    """Of broker, subscriber and publisher; none: a router."""
    x: float
    """m, as is `y`: where the channel takes the node to be, which it samples every 0.1 s."""
    y: float
    is_up: bool
    """Whether it has started and is not down after a crash."""
    parent: int | None
    """A broker's parent in the tree, another device's broker; nobody under AODV."""
    leader: int | None
    """Whom a broker follows: itself if it leads. None for others."""
    queued: int
    """Events that a broker holds, one for each (event, subscriber)."""
    z: float = 0.0
    """m above the ground"""
    _routes: Mapping[str, list[int]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def table(self) -> dict[int, Route]:
        """The routing table of a broker of the tree, by subscriber; empty for others."""
        return {route[0]: Route(_hop(route[1]), *route[2:]) for route in self.routes}

    @property
    def routes(self) -> Iterator[tuple[int, ...]]:
        """Of each route subscriber, next hop (NO_NODE: none), timestamp, hops and events held, as numbers."""
        return zip(*(self._routes.get(name, ()) for name in _ROUTE), strict=True)


#: Of the CC2420's 250 kbit/s.
_SECONDS_PER_BYTE = 32e-6


@dataclass(frozen=True)
class Counters:
    """What has happened in a run so far, counted as its metrics count it at the end."""

    published: int = 0
    """Events."""
    wanted: int = 0
    """Pairs of an event and a subscriber that was to get it: `sent_pairs`."""
    undelivered: Mapping[str, int] = field(default_factory=dict)
    """Of these pairs, those not delivered so far, by what they would be lost by if the run ended now."""
    migrations: int = 0
    frames: Mapping[str, int] = field(default_factory=dict)
    """By kind."""
    air_time_s: float = 0.0
    """Of all frames one after the other, s; divided by the time, the nodes that send at an instant."""

    @property
    def delivered(self) -> int:
        """Pairs, copies not counted."""
        return self.wanted - sum(self.undelivered.values())


@dataclass(frozen=True)
class Snapshot:
    """The network at an instant."""

    time_s: float
    area: tuple[float, float]
    """m x m"""
    nodes: tuple[Node, ...]
    """By id."""
    links: frozenset[tuple[int, int]]
    """Pairs of nodes that reach each other by radio, in both directions, lower id first."""
    strengths_dbm: Mapping[tuple[int, int], int] = field(default_factory=dict, compare=False, repr=False)
    """How strong each of the links is in its weaker direction."""
    counters: Counters = field(default_factory=Counters, compare=False, repr=False)
    walls: tuple[tuple[tuple[float, float], tuple[float, float]], ...] = ()
    """From where to where each goes, m."""

    @property
    def parts(self) -> list[set[int]]:
        """Ids of the nodes of each part of the network: over links, each reaches all others of its part."""
        joined: dict[int, set[int]] = {node.id: {node.id} for node in self.nodes}
        for low, high in self.links:
            if (one := joined[low]) is not (other := joined[high]):
                one |= other
                joined.update(dict.fromkeys(other, one))
        return list({id(part): part for part in joined.values()}.values())

    @property
    def leaders(self) -> list[int]:
        """Ids of the brokers that lead: one for each part of the network, when all is quiet."""
        return [node.id for node in self.nodes if node.leader == node.id]

    def to_pandas(self) -> pd.DataFrame:
        """The nodes, a row each in the order of their ids, with the fields of `Node` as columns."""
        import pandas as pd

        columns = [column.name for column in fields(Node) if not column.name.startswith("_")]
        frame = pd.DataFrame([{name: getattr(node, name) for name in columns} for node in self.nodes])
        return frame.astype({"parent": "Int64", "leader": "Int64"})

    def __repr__(self) -> str:
        return f"Snapshot({self.time_s:g} s, {len(self.nodes)} nodes, {len(self.links)} links)"


def from_cpp(
    scenario: Mapping[str, Any], snapshot: Mapping[str, Any], seconds_per_byte: float = _SECONDS_PER_BYTE
) -> Snapshot:
    """The C++ snapshot of a run of the C++ `scenario`; a radio is on the air for so long with a byte."""
    links = [(low, high) for low, high in snapshot["links"]]
    return Snapshot(
        time_s=snapshot["seconds"],
        area=(scenario["areaXMetres"], scenario["areaYMetres"]),
        nodes=tuple(
            Node(
                id=index,
                roles=roles_of(spec),
                x=state["xMetres"],
                y=state["yMetres"],
                z=state["zMetres"],
                is_up=state["isUp"],
                parent=_node(state["parent"]),
                leader=_node(state["leader"]),
                queued=state["queuedEvents"],
                _routes=state["routes"],
            )
            for index, (spec, state) in enumerate(zip(scenario["nodes"], snapshot["nodes"], strict=True))
        ),
        links=frozenset(links),
        strengths_dbm=dict(zip(links, snapshot["strengthsDbm"], strict=True)),
        counters=_counters(snapshot["counters"], seconds_per_byte),
        walls=tuple(
            ((wall["fromXMetres"], wall["fromYMetres"]), (wall["toXMetres"], wall["toYMetres"]))
            for wall in scenario["walls"]
        ),
    )


def _counters(counters: Mapping[str, Any], seconds_per_byte: float) -> Counters:
    return Counters(
        published=counters["published"],
        wanted=counters["wanted"],
        undelivered=counters["undelivered"],
        migrations=counters["migrations"],
        frames=counters["frames"],
        air_time_s=counters["bytesOnAir"] * seconds_per_byte,
    )


_ROLES = (("broker", "isBroker"), ("subscriber", "isSubscriber"), ("publisher", "isPublisher"))


def roles_of(spec: Mapping[str, Any]) -> tuple[str, ...]:
    """The roles of a C++ node specification."""
    return tuple([role for role, key in _ROLES if spec[key]])


def _hop(node: int) -> int | None:
    return None if node == NO_NODE else node


def _node(index: int) -> int | None:
    return None if index < 0 else index
