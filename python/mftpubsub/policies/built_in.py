"""What ships. The decisions are C++; called from Python they answer the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from mftpubsub.errors import ConfigurationError, no_such
from mftpubsub.own.objects import is_ours
from mftpubsub.policies.kinds import (
    ClientPolicy,
    FailurePolicy,
    LeaderPolicy,
    MigrationPolicy,
    ParentPolicy,
    Policy,
    QueuePolicy,
    RepairPolicy,
    RetryPolicy,
)
from mftpubsub.simulator import checks
from mftpubsub.simulator.decisions import Parameters, shared
from mftpubsub.simulator.shown import Me


class BuiltIn(Policy):
    """A policy that C++ can make, and that decides there."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if is_ours(cls) and hasattr(cls, "kind") and cls.kind.method not in vars(cls):
            setattr(cls, cls.kind.method, cls.decide)

    def made_of(self) -> tuple[str, Parameters]:
        """The name and the parameters by which C++ makes it."""
        return str(self.name), tuple((f.name, float(getattr(self, f.name))) for f in fields(self))  # type: ignore[arg-type]

    def decide(self, *question: Any) -> Any:
        """What its kind decides."""
        return self.kind.ask_shipped(*self.made_of(), *question)


class _Advertiser(BuiltIn, ParentPolicy, ClientPolicy):
    def advertise(self, me: Me) -> int | None:
        (decision,) = self.kind.also
        told: int | None = decision.ask_cpp(shared(self.kind.name, *self.made_of()).Advertise, (me,))
        return told


@dataclass(frozen=True, eq=False)
class FirstHeard(BuiltIn, ParentPolicy, ClientPolicy):
    """The first sender of the round (T 2.5, J 4): the default."""

    name = "first-heard"


@dataclass(frozen=True, eq=False)
class StrongestLink(BuiltIn, ParentPolicy, ClientPolicy):
    """The one with the strongest signal."""

    name = "strongest-link"


@dataclass(frozen=True, eq=False)
class Hysteresis(BuiltIn, ParentPolicy, ClientPolicy):
    """The present one, unless another's signal is stronger by `margin` dB."""

    margin: float = 6.0
    name = "hysteresis"

    def __post_init__(self) -> None:
        _require(self, "margin", self.margin, 0, "dB")


@dataclass(frozen=True, eq=False)
class SlowNodeBackbone(_Advertiser):
    """The slowest one, and no change among equals (T 5.2). Brokers advertise their speed in 0.1 m/s."""

    name = "slow-node-backbone"


@dataclass(frozen=True, eq=False)
class BalancedFanOut(_Advertiser):
    """The one with the fewest other children (T 5.2: balance the tree). Brokers advertise their children."""

    name = "balanced-fan-out"


@dataclass(frozen=True, eq=False)
class EmmaController(BuiltIn, ClientPolicy):
    """The least loaded broker of those with the least latency, as one controller of all clients sees it
    (Rausch et al. 2018). Load is a broker's other clients; latency comes in groups, up to 2, 5, 10 ms and
    more, and is that of sending a short frame there and back until it arrives. The controller is within
    everybody's reach and costs no frames. A client that has not asked in three rounds has gone, and is no
    load. Asked from Python it knows no clients but `me`."""

    name = "emma-controller"


@dataclass(frozen=True, eq=False)
class Immediate(BuiltIn, MigrationPolicy):
    """At once: the default."""

    name = "immediate"


@dataclass(frozen=True, eq=False)
class Persistence(BuiltIn, MigrationPolicy):
    """When the same change has been proposed in `rounds` rounds in a row."""

    rounds: int = 3
    name = "persistence"

    def __post_init__(self) -> None:
        _require(self, "rounds", self.rounds, 1, "rounds", whole=True)


@dataclass(frozen=True, eq=False)
class MinimumStay(BuiltIn, MigrationPolicy):
    """When the present parent has been had for `seconds` s."""

    seconds: float = 5.0
    name = "minimum-stay"

    def __post_init__(self) -> None:
        _require(self, "seconds", self.seconds, 0, "s")


@dataclass(frozen=True, eq=False)
class LongestLived(BuiltIn, LeaderPolicy):
    """The one that became leader first: the default."""

    name = "longest-lived"


@dataclass(frozen=True, eq=False)
class LowestId(BuiltIn, LeaderPolicy):
    """The one with the lowest id."""

    name = "lowest-id"


@dataclass(frozen=True, eq=False)
class Slowest(BuiltIn, LeaderPolicy):
    """The one that moved slowest when it became leader (T 5.2), in mm/s."""

    name = "slowest"


@dataclass(frozen=True, eq=False)
class Unbounded(BuiltIn, QueuePolicy):
    """Everything is held: the default."""

    name = "unbounded"

    drop = QueuePolicy.drop


@dataclass(frozen=True, eq=False)
class Bounded(BuiltIn, QueuePolicy):
    """At most `capacity` events for each subscriber; `which` go if there are more: oldest or newest."""

    capacity: int
    which: Literal["oldest", "newest"] = "oldest"
    name = "bounded"

    def __post_init__(self) -> None:
        _require(self, "capacity", self.capacity, 0, "events", whole=True)
        if self.which not in ("oldest", "newest"):
            raise ConfigurationError(f"bounded: which is 'oldest' or 'newest' (given: {self.which!r})")

    def made_of(self) -> tuple[str, Parameters]:
        return f"drop-{self.which}", (("capacity", float(self.capacity)),)


@dataclass(frozen=True, eq=False)
class Expiry(BuiltIn, QueuePolicy):
    """No event for longer than `max_age` s."""

    max_age: float
    name = "expiry"

    def __post_init__(self) -> None:
        _require(self, "max_age", self.max_age, 0, "s")


@dataclass(frozen=True, eq=False)
class FixedRetries(BuiltIn, RetryPolicy):
    """`retries` retransmissions; default: transport.retries of the scenario."""

    retries: int | None = None
    name = "fixed"

    def __post_init__(self) -> None:
        if self.retries is not None:
            _require(self, "retries", self.retries, 0, "retransmissions", whole=True)

    def made_of(self) -> tuple[str, Parameters]:
        return self.name, (("retries", float(self._retries if self.retries is None else self.retries)),)


@dataclass(frozen=True, eq=False)
class RetriesByKind(BuiltIn, RetryPolicy):
    """Retransmissions by kind of message, as in `RetriesByKind({"BMIG": 7}, other=3)`."""

    kinds: Mapping[str, int] = field(default_factory=dict)
    other: int = 3
    name = "by-kind"

    def __post_init__(self) -> None:
        known = checks.message_kinds()
        for kind, retries in {**self.kinds, "other": self.other}.items():
            if kind not in known and kind != "other":
                raise ConfigurationError(f"by-kind: {no_such('kind of messages', kind, known)}")
            _require(self, kind, retries, 0, "retransmissions", whole=True)

    def made_of(self) -> tuple[str, Parameters]:
        return self.name, (("other", float(self.other)), *((k, float(n)) for k, n in self.kinds.items()))


@dataclass(frozen=True, eq=False)
class DropLink(BuiltIn, FailurePolicy):
    """The neighbour leaves the tree until it is heard again: the default."""

    name = "drop-link"


@dataclass(frozen=True, eq=False)
class KeepLink(BuiltIn, FailurePolicy):
    """The broker is told, the neighbour stays in the tree."""

    name = "keep-link"


@dataclass(frozen=True, eq=False)
class Resend(BuiltIn, FailurePolicy):
    """The message is sent again `times` times before its link is dropped."""

    times: int = 1
    name = "resend"

    def __post_init__(self) -> None:
        _require(self, "times", self.times, 1, "times", whole=True)


@dataclass(frozen=True, eq=False)
class LongestWaiting(BuiltIn, RepairPolicy):
    """Who has waited longest: the default."""

    name = "longest-waiting"


@dataclass(frozen=True, eq=False)
class FewestLacking(BuiltIn, RepairPolicy):
    """Who lacks the fewest events, so that many have all soon."""

    name = "fewest-lacking"


@dataclass(frozen=True, eq=False)
class Farthest(BuiltIn, RepairPolicy):
    """Who is farthest away, and may be out of reach soon."""

    name = "farthest"


def _require(
    policy: Policy, name: str, value: object, least: float, unit: str, *, whole: bool = False
) -> None:
    kind = int if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kind) or not least <= value < 2**31:
        number = "a whole number" if whole else "a number"
        raise ConfigurationError(
            f"{policy.name}: {name} is {number} of at least {least:g} {unit} (given: {value!r})"
        )
