"""Nodes that come and go, run out of power, or sleep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, PlainValidator, TypeAdapter, model_validator

from mftpubsub.scenario.fault import Fault, NodesOf, check_times
from mftpubsub.scenario.part import Number, Period, Seconds

#: Who leaves says so so long before it goes, s (`cpp/run/faults.cc`).
PARTING = 1.0

#: What is drawn before a run, or happens to one node within it: shorter times are mistakes in the unit.
MOST_TIMES = 1_000_000


@dataclass(frozen=True)
class Absence:
    """A node is not there from `at` s (0: from the beginning) to `back` s, or for good."""

    node: int
    at: float
    back: float | None


@dataclass(frozen=True)
class Nap:
    """A node's radio sleeps for `asleep` s from `start` s on, again and again, until `stop` s."""

    node: int
    start: float
    stop: float
    asleep: float
    awake: float


class OfNodes(Fault):
    """Base of what happens to nodes that are named by ids or by a role."""

    @property
    def named(self) -> str | list[int]:
        """The nodes, as they are named."""
        fields = type(self).model_fields.items()
        nodes: str | list[int] = getattr(self, next(name for name, field in fields if field.kw_only is False))
        return nodes

    def nodes(self) -> list[int]:
        return self.named if isinstance(self.named, list) else []


class Membership(OfNodes):
    """Base of joining and leaving."""

    at: Seconds = Field(description="s")
    within: Seconds = Field(
        default=0.0, description="s; each of the nodes at a random time from `at` until so much later"
    )

    def check(self, duration: float, count: int, up: float) -> None:
        super().check(duration, count, up)
        if not (up < self.at and self.at + self.within < duration):
            raise ValueError(
                f"at ({self.at:g} s) must be after all nodes have started (radio.startup_spread, {up:g} s), "
                f"and at + within ({self.at + self.within:g} s) before the end ({duration:g} s)"
            )

    def times(self, nodes: Iterable[int], seed: str) -> Iterator[tuple[int, float]]:
        """When each of `nodes` does it, s."""
        for node in nodes:
            yield node, self.at + self.within * Random(f"{seed} {node}").random()


class Join(Membership):
    """Nodes join. See `join`."""

    join: NodesOf = Field(kw_only=False, description="which nodes: ids, or all of a role")


class Leave(Membership):
    """Nodes leave. See `leave`."""

    leave: NodesOf = Field(kw_only=False, description="which nodes: ids, or all of a role")


class Spell(OfNodes):
    """Base of what nodes do between two instants, s."""

    if TYPE_CHECKING:  # the fields of those derived stand behind their own ones in files
        start: Seconds
        stop: Seconds | None

    def check(self, duration: float, count: int, up: float) -> None:
        super().check(duration, count, up)
        check_times(self.start, self.stop, duration)


class Intermittent(Spell):
    """Base of what takes nodes away at random times."""

    def cycle(self) -> float:
        """s; mean time from one going away to the next."""
        raise NotImplementedError

    def check(self, duration: float, count: int, up: float) -> None:
        super().check(duration, count, up)
        times = duration * count / self.cycle()
        if times > MOST_TIMES:
            raise ValueError(
                f"nodes go away each {self.cycle():g} s, {times:.0f} times in the run: "
                f"at most {MOST_TIMES} are possible"
            )

    def drawn(
        self, node: int, *, seed: str, duration: float, up: float, there: float, away: float, parting: float
    ) -> Iterator[Absence]:
        """Of `node` in a run of `duration` s whose nodes are all up at `up` s, by time.

        `there` and `away` are the means (s) of exponential times; each absence lasts `parting` s longer.
        """
        random = Random(f"{seed} {node}")
        now = max(self.start, up) + random.expovariate(1 / there)
        while now < (duration if self.stop is None else self.stop):
            back = now + parting + random.expovariate(1 / away)
            yield Absence(node, now, back if back < duration else None)
            now = back + random.expovariate(1 / there)


class Turnover(Intermittent):
    """Nodes leave and join at random times. See `turnover`."""

    turnover: NodesOf = Field(kw_only=False, description="which nodes: ids, or all of a role")
    stay: Period = Field(description="s; mean time between a node's coming and its leaving, exponential")
    away: Period = Field(description="s; mean time until it comes back, exponential")
    start: Seconds = Field(default=0.0, description="s; nobody leaves before")
    stop: Seconds | None = Field(default=None, description="s; nobody leaves from here on; default: the end")

    def cycle(self) -> float:
        return self.stay + PARTING + self.away

    def absences(self, node: int, *, seed: str, duration: float, up: float) -> Iterator[Absence]:
        """When `node` leaves and comes back in a run of `duration` s, by time."""
        means = {"there": self.stay, "away": self.away, "parting": PARTING}
        return self.drawn(node, seed=seed, duration=duration, up=up, **means)


Joules = Annotated[Number, Field(gt=0, le=1e9)]
_JOULES: TypeAdapter[float] = TypeAdapter(Joules)


def _charge(value: Any) -> float | tuple[float, float]:
    """A charge, or the two ends of a range."""
    if not isinstance(value, list | tuple):
        return _JOULES.validate_python(value)
    if len(value) != 2:
        raise ValueError(f"a range is [low, high], not {list(value)}")
    low, high = (_JOULES.validate_python(end) for end in value)
    if low >= high:
        raise ValueError(f"low ({low:g}) must be below high ({high:g})")
    return low, high


if TYPE_CHECKING:
    Charge = float | tuple[float, float]
else:
    Charge = Annotated[Any, PlainValidator(_charge)]


class Battery(OfNodes):
    """Nodes live on batteries. See `battery`."""

    battery: NodesOf = Field(kw_only=False, description="which nodes: ids, or all of a role")
    charge: Charge = Field(description="J at the beginning, or [low, high) to draw each node's from")

    def joules(self, node: int, seed: str) -> float:
        """What `node` has at the beginning."""
        if isinstance(self.charge, tuple):
            return Random(f"{seed} {node}").uniform(*self.charge)
        return self.charge


class DutyCycle(Spell):
    """Radios of nodes sleep. See `duty_cycle`."""

    duty_cycle: NodesOf = Field(kw_only=False, description="which nodes: ids, or all of a role")
    period: Period = Field(description="s; from one waking up to the next")
    awake: Period = Field(description="s of each period, less than the period")
    phase: Literal["random", "same"] = Field(
        default="random",
        description="each node first sleeps at a random time of its first period, or all after `awake` s",
    )
    start: Seconds = Field(default=0.0, description="s; awake until here")
    stop: Seconds | None = Field(default=None, description="s; awake from here on; default: the end")

    @model_validator(mode="after")
    def _sleeps(self) -> Self:
        if self.awake >= self.period:
            raise ValueError(f"awake ({self.awake:g} s) must be less than period ({self.period:g} s)")
        return self

    def check(self, duration: float, count: int, up: float) -> None:
        super().check(duration, count, up)
        if duration > MOST_TIMES * self.period:
            raise ValueError(
                f"period ({self.period:g} s) must be at least a millionth of duration ({duration:g} s)"
            )

    def nap(self, node: int, *, seed: str, duration: float, up: float) -> Nap:
        """Of `node` in a run of `duration` s whose nodes are all up at `up` s."""
        first = self.awake if self.phase == "same" else self.period * Random(f"{seed} {node}").random()
        start = max(self.start, up) + first
        stop = duration if self.stop is None else self.stop
        return Nap(node, start, stop, self.period - self.awake, self.awake)


def absences_of(moves: Iterable[tuple[float, int, int, bool]]) -> Iterator[tuple[int, Absence]]:
    """Of nodes that join and leave: `moves` are (s, number of the fault, node, whether it joins).

    Who joins before it has left was not there from the beginning. Raises ValueError if one leaves that is not
    there, or joins that is.
    """
    left: dict[int, tuple[float, int]] = {}
    known: set[int] = set()
    for at, number, node, joins in sorted(moves):
        if not joins:
            if node in left:
                raise ValueError(f"faults.{number}: node {node} has left already at {at:g} s")
            left[node] = at, number
        elif node in left:
            since, fault = left.pop(node)
            if at <= since + PARTING:
                raise ValueError(
                    f"faults.{number}: node {node} joins at {at:g} s, and leaves until {since + PARTING:g} s"
                )
            yield fault, Absence(node, since, at)
        elif node in known:
            raise ValueError(f"faults.{number}: node {node} is there already at {at:g} s")
        else:
            yield number, Absence(node, 0.0, at)
        known.add(node)
    for node, (at, number) in left.items():
        yield number, Absence(node, at, None)


def join(nodes: NodesOf, *, at: float, within: float = 0.0) -> Join:
    """Nodes join at `at` s, each at a random time of the `within` s from then on.

    `nodes` are ids, or "all", "brokers", "subscribers" or "publishers". One that has not left before is not
    there until then: its radio is off, it publishes nothing and wants nothing. One that has left restarts, as
    after a crash, and subscribes again. In YAML: `{join: [3, 4], at: 100, within: 20}`.
    """
    return Join(join=nodes, at=at, within=within)


def leave(nodes: NodesOf, *, at: float, within: float = 0.0) -> Leave:
    """Nodes leave at `at` s, each at a random time of the `within` s from then on.

    One that leaves publishes nothing more, unsubscribes from everything, and goes off a second later, with
    what it holds for others. In YAML: `{leave: subscribers, at: 300, within: 60}`.
    """
    return Leave(leave=nodes, at=at, within=within)


def turnover(
    nodes: NodesOf = "all",
    *,
    stay: float,
    away: float,
    start: float = 0.0,
    stop: float | None = None,
) -> Turnover:
    """Nodes leave and join again at random: there for `stay` s on average, then away for `away` s.

    Both are exponential. They leave as by `leave`, from `start` s until before `stop` s, by default to the
    end. The scenario's seed decides when, so that each protocol meets the same. In YAML:
    `{turnover: subscribers, stay: 300, away: 60}`.
    """
    return Turnover(turnover=nodes, stay=stay, away=away, start=start, stop=stop)


def battery(nodes: NodesOf = "all", *, charge: float | tuple[float, float]) -> Battery:
    """Nodes have `charge` J at the beginning, or a draw from [low, high), and go off for good without any.

    What counts is what the metrics of energy count: the radio, and 6 mW of the node besides. A node whose
    CC2420 listens draws 68 mW, 245 J an hour. In YAML: `{battery: subscribers, charge: 40}`.
    """
    return Battery(battery=nodes, charge=charge)


def duty_cycle(
    nodes: NodesOf,
    *,
    period: float,
    awake: float,
    phase: Literal["random", "same"] = "random",
    start: float = 0.0,
    stop: float | None = None,
) -> DutyCycle:
    """Radios of nodes sleep but for `awake` s of each `period` s.

    Asleep a radio hears nothing and draws 1.4 mW (CC2420 in Castalia), or its `sleep_watts`. What the node
    would send waits until it wakes up. The protocol is not told, and its timers go on. By a random phase a
    node first sleeps at a random time of the first period, and is awake until then. At `stop` all are awake.
    A node has one duty cycle at a time. In YAML: `{duty_cycle: subscribers, period: 10, awake: 2}`.
    """
    return DutyCycle(duty_cycle=nodes, period=period, awake=awake, phase=phase, start=start, stop=stop)
