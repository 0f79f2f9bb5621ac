"""The network at an instant of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


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

    @property
    def leaders(self) -> list[int]:
        """Ids of the brokers that lead: one for each part of the network, when all is quiet."""
        return [node.id for node in self.nodes if node.leader == node.id]

    def to_pandas(self) -> pd.DataFrame:
        """The nodes, a row each, with the fields of `Node` as columns."""
        import pandas as pd

        frame = pd.DataFrame([asdict(node) for node in self.nodes])
        return frame.astype({"parent": "Int64", "leader": "Int64"}).set_index("id")

    def __repr__(self) -> str:
        return f"Snapshot({self.time_s:g} s, {len(self.nodes)} nodes, {len(self.links)} links)"


def from_cpp(scenario: Mapping[str, Any], snapshot: Mapping[str, Any]) -> Snapshot:
    """The C++ snapshot of a run of the C++ `scenario`."""
    return Snapshot(
        time_s=snapshot["seconds"],
        area=(scenario["areaXMetres"], scenario["areaYMetres"]),
        nodes=tuple(
            Node(
                id=index,
                roles=roles_of(spec),
                x=state["xMetres"],
                y=state["yMetres"],
                is_up=state["isUp"],
                parent=_node(state["parent"]),
                leader=_node(state["leader"]),
                queued=state["queuedEvents"],
            )
            for index, (spec, state) in enumerate(zip(scenario["nodes"], snapshot["nodes"], strict=True))
        ),
        links=frozenset(map(tuple, snapshot["links"])),
    )


_ROLES = (("broker", "isBroker"), ("subscriber", "isSubscriber"), ("publisher", "isPublisher"))


def roles_of(spec: Mapping[str, Any]) -> tuple[str, ...]:
    """The roles of a C++ node specification."""
    return tuple([role for role, key in _ROLES if spec[key]])


def _node(index: int) -> int | None:
    return None if index < 0 else index
