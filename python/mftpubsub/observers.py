"""What is seen of the network while it runs: snapshots, and who asks for them.

    every = mftpubsub.Every(10.0, lambda snapshot: print(snapshot.time_s, snapshot.leaders))
    mftpubsub.run(scenario, observers=[every])

They may as well be part of the scenario: `Scenario(..., observers=[every])`. Observers only look: a run with
observers has the trace of the run without, and the scenario's fingerprint does not have them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from mftpubsub.errors import ConfigurationError, RunError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


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

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draws the network: positions, radio links, tree, roles, leaders."""
        from mftpubsub.plots import draw_networks

        return draw_networks([self], None if ax is None else [ax])[0]

    def __repr__(self) -> str:
        return f"Snapshot({self.time_s:g} s, {len(self.nodes)} nodes, {len(self.links)} links)"


@runtime_checkable
class Observer(Protocol):
    """Whoever wants to look at a running network."""

    def instants(self, duration: float) -> Iterable[float]:
        """When to look, in s of simulated time, for a run of `duration` s."""

    def observe(self, snapshot: Snapshot) -> None:
        """Takes a look. An exception ends the run as a RunError."""


@dataclass(frozen=True)
class Every:
    """Calls `callback` at `start`, then every `interval` s, to the end of the run."""

    interval: float
    callback: Callable[[Snapshot], object]
    start: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.interval) and self.interval > 0):
            raise ConfigurationError(f"Every: interval must be above 0 s (given: {self.interval!r})")

    def instants(self, duration: float) -> list[float]:
        count = math.floor(round((duration - self.start) / self.interval, 9)) + 1
        return [self.start + index * self.interval for index in range(count)]

    def observe(self, snapshot: Snapshot) -> None:
        self.callback(snapshot)


@dataclass(frozen=True)
class At:
    """Calls `callback` at the given instants, in s."""

    times: Sequence[float]
    callback: Callable[[Snapshot], object]

    def instants(self, duration: float) -> Sequence[float]:
        return self.times

    def observe(self, snapshot: Snapshot) -> None:
        self.callback(snapshot)


class Agenda:
    """When a run is looked at, and by whom. Raises ConfigurationError for an instant that it has not."""

    def __init__(self, observers: Iterable[Observer], duration: float) -> None:
        self._observers: dict[float, list[Observer]] = {}
        for observer in observers:
            for instant in observer.instants(duration):
                if not 0 <= instant <= duration:
                    raise ConfigurationError(
                        f"{type(observer).__name__}: {instant:g} s lies outside the run, 0 to {duration:g} s"
                    )
                self._observers.setdefault(float(instant), []).append(observer)

    @property
    def instants(self) -> list[float]:
        """In s, ascending, each once."""
        return sorted(self._observers)

    def observe(self, snapshot: Snapshot) -> None:
        """Shows the snapshot to those who asked for its instant."""
        for observer in self._observers[snapshot.time_s]:
            try:
                observer.observe(snapshot)
            except Exception as error:
                raise RunError(
                    f"observer {type(observer).__name__} failed at {snapshot.time_s:g} s of simulated time: "
                    f"{type(error).__name__}: {error}"
                ) from error


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
