"""What goes wrong during a run: nodes crash, links are cut, the network falls apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BeforeValidator, Field, PlainValidator, model_validator

from mftpubsub.errors import suggest
from mftpubsub.scenario.fault import Fault, NodesOf
from mftpubsub.scenario.nodes import NodeId
from mftpubsub.scenario.part import Period, Seconds, as_list
from mftpubsub.scenario.presence import Absence, Battery, DutyCycle, Intermittent, Join, Leave, Nap, Turnover


class Crash(Fault):
    """A node goes off at a time, and perhaps on again. See `crash`."""

    crash: NodeId = Field(kw_only=False, description="id of the node")
    at: Seconds = Field(description="s")
    restart: Seconds | None = Field(default=None, description="s; default: never")

    @model_validator(mode="after")
    def _restarts_later(self) -> Self:
        if self.restart is not None and self.restart <= self.at:
            raise ValueError(f"restart ({self.restart:g} s) must come after at ({self.at:g} s)")
        return self

    def nodes(self) -> list[int]:
        return [self.crash]

    def check(self, duration: float, count: int, up: float) -> None:
        super().check(duration, count, up)
        if not up < self.at < duration:
            raise ValueError(
                f"at ({self.at:g} s) must be after all nodes have started (radio.startup_spread, {up:g} s), "
                f"and before the end ({duration:g} s)"
            )


class Interruption(Fault):
    """Base of what begins and ends."""

    start: Seconds = Field(description="s")
    stop: Seconds = Field(description="s")

    @model_validator(mode="after")
    def _stops_later(self) -> Self:
        if self.stop <= self.start:
            raise ValueError(f"stop ({self.stop:g} s) must come after start ({self.start:g} s)")
        return self

    def check(self, duration: float, count: int, up: float) -> None:
        super().check(duration, count, up)
        if self.start >= duration:
            raise ValueError(f"start ({self.start:g} s) must be before the end ({duration:g} s)")


class Blackout(Interruption):
    """Two nodes do not reach each other for a while. See `blackout`."""

    blackout: tuple[NodeId, NodeId] = Field(description="ids of the nodes")

    @model_validator(mode="after")
    def _is_between_two(self) -> Self:
        if self.blackout[0] == self.blackout[1]:
            raise ValueError(f"a link is between two nodes, not from {self.blackout[0]} to itself")
        return self

    def nodes(self) -> list[int]:
        return list(self.blackout)


class Partition(Interruption):
    """Some nodes and all others do not reach each other for a while. See `partition`."""

    partition: list[NodeId] = Field(min_length=1, description="ids of the nodes on one side")

    def nodes(self) -> list[int]:
        return self.partition

    def check(self, duration: float, count: int, up: float) -> None:
        super().check(duration, count, up)
        if len(set(self.partition)) == count:
            raise ValueError("all nodes are on one side")


class Churn(Intermittent):
    """Nodes crash and restart at random times. See `churn`."""

    churn: NodesOf = Field(kw_only=False, description="which nodes: ids, or all of a role")
    mtbf: Period = Field(description="s; mean time between a node's restart and its next crash, exponential")
    mttr: Period = Field(description="s; mean time until a crashed node restarts, exponential")
    start: Seconds = Field(default=0.0, description="s; no crash before")
    stop: Seconds | None = Field(default=None, description="s; no crash from here on; default: the end")

    def cycle(self) -> float:
        return self.mtbf + self.mttr

    def crashes(self, node: int, *, seed: str, duration: float, up: float) -> Iterator[Crash]:
        """The crashes of `node` in a run of `duration` s, by time."""
        means = {"there": self.mtbf, "away": self.mttr, "parting": 0.0}
        for absence in self.drawn(node, seed=seed, duration=duration, up=up, **means):
            yield Crash(crash=node, at=absence.at, restart=absence.back)


def crash(node: int, *, at: float, restart: float | None = None) -> Crash:
    """Node `node` (id) crashes at `at` s and restarts at `restart` s, or never.

    Meanwhile its radio is off and it publishes nothing. A broker restarts without table and queues and joins
    as a new one (T 4.1, protocols.md ruling 9). A subscriber keeps on stable storage what it subscribes to
    and what it has seen. ns-3's AODV cannot be
    restarted: its routes age meanwhile. In YAML: `{crash: 3, at: 100, restart: 160}`.
    """
    return Crash(crash=node, at=at, restart=restart)


def blackout(one: int, other: int, *, start: float, stop: float) -> Blackout:
    """Nothing passes between nodes `one` and `other` (ids), either way, from `start` to `stop` s.

    In YAML: `{blackout: [1, 2], start: 100, stop: 160}`.
    """
    return Blackout(blackout=(one, other), start=start, stop=stop)


def partition(nodes: list[int], *, start: float, stop: float) -> Partition:
    """Nothing passes between `nodes` (ids) and all others, either way, from `start` to `stop` s.

    In YAML: `{partition: [1, 2, 3], start: 100, stop: 160}`.
    """
    return Partition(partition=nodes, start=start, stop=stop)


def churn(
    nodes: NodesOf = "all",
    *,
    mtbf: float,
    mttr: float,
    start: float = 0.0,
    stop: float | None = None,
) -> Churn:
    """Nodes crash and restart at random: up for `mtbf` s on average, then down for `mttr` s (exponential).

    `nodes` are ids, or "all", "brokers", "subscribers" or "publishers". Crashes come from `start` s until
    before `stop` s, by default to the end. The scenario's seed decides when, so that each protocol meets the
    same ones. In YAML: `{churn: brokers, mtbf: 300, mttr: 20}`.
    """
    return Churn(churn=nodes, mtbf=mtbf, mttr=mttr, start=start, stop=stop)


def check_outages(outages: Sequence[tuple[int, Crash | Absence]]) -> None:
    """Raises ValueError if a node goes off that is off. `outages`, by time, have their faults' numbers."""
    off_until: dict[int, float] = {}
    for number, each in outages:
        node, at, back = (
            (each.crash, each.at, each.restart)
            if isinstance(each, Crash)
            else (each.node, each.at, each.back)
        )
        if at <= off_until.get(node, -1.0):
            raise ValueError(f"faults.{number}: node {node} is off already at {at:g} s")
        off_until[node] = math.inf if back is None else back


def check_naps(naps: Iterable[Nap]) -> None:
    """Raises ValueError if a node has two duty cycles at a time."""
    until: dict[int, float] = {}
    for nap in sorted(naps, key=lambda nap: nap.start):
        if nap.start < until.get(nap.node, 0.0):
            raise ValueError(
                f"faults: node {nap.node} has two duty cycles from {nap.start:g} s on: give it one, or let "
                "the first stop before"
            )
        until[nap.node] = nap.stop


FAULTS: dict[str, type[Fault]] = {
    "crash": Crash,
    "blackout": Blackout,
    "partition": Partition,
    "churn": Churn,
    "join": Join,
    "leave": Leave,
    "turnover": Turnover,
    "battery": Battery,
    "duty_cycle": DutyCycle,
}


#: What a fault says beside its kind.
FIELDS = {name for model in FAULTS.values() for name in model.model_fields} - FAULTS.keys()


def _fault(value: Any) -> Fault:
    if isinstance(value, Fault):
        return value
    if not isinstance(value, Mapping):
        raise ValueError(
            f"no fault: {value!r}; such are crash(3, at=100) and blackout(1, 2, start=10, stop=20)"
        )
    kinds = [name for name in FAULTS if name in value]
    if len(kinds) != 1:
        hints = {suggest(key, list(FAULTS)) for key in value if key not in FIELDS}
        raise ValueError(
            f"no fault {dict(value)!r}; {', '.join(sorted(hints)) or 'one of ' + ', '.join(FAULTS)}"
        )
    return FAULTS[kinds[0]].model_validate(value)


if TYPE_CHECKING:
    Faults = list[Fault]
else:
    Faults = Annotated[list[Annotated[Any, PlainValidator(_fault)]], BeforeValidator(as_list)]
