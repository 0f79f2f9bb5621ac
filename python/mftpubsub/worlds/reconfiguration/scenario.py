"""Scenarios of the reconfiguration family, said like the others; defaults are those of C's table I.

from mftpubsub.reconfiguration import Dispatchers, OverlayScenario, Reconfiguration, run

scenario = OverlayScenario(
    protocol="informed-link-activation",
    dispatchers=Dispatchers(100, degree=4),
    reconfiguration=Reconfiguration(rate=3, repair=0.1, policy="shared"),
)
print(run(scenario).metrics["cost"])
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from mftpubsub.errors import ConfigurationError, no_such, suggest
from mftpubsub.protocols.catalogue import SHORT, short_name
from mftpubsub.scenario.part import Model, NonNegative, Period, Positive, Seconds
from mftpubsub.simulator.worlds import run_overlay

#: Width of the bins of time in which a run counts, s.
BIN = 0.1

#: Of a SUB: the times that many messages take on a link stay within ns-3's time.
MOST_BITS = 1e9
Count = Annotated[int, Field(strict=True, ge=1, le=10_000)]
Share = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=1)]
#: Of what a dispatcher or a whole network does.
Rate = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=1e5)]


class Dispatchers(Model):
    """The dispatchers and the tree that they begin with."""

    count: Annotated[Count, Field(ge=3)] = Field(
        default=100, kw_only=False, description="N; how many there are"
    )
    degree: Annotated[Count, Field(ge=2)] = Field(
        default=4, description="delta; links of a dispatcher at most"
    )
    tree: Literal["balanced", "random"] = Field(
        default="balanced",
        description="filled breadth first, or each dispatcher joins a random earlier one with a free place",
    )


class Patterns(Model):
    """What subscriptions and events are made of: an event matches a pattern that it contains."""

    count: Count = Field(default=96, kw_only=False, description="Pi; how many there are")
    per_subscriber: Count = Field(default=7, description="pi; distinct ones that a subscriber wants")
    per_event: Count = Field(default=9, description="mu; in an event, drawn with replacement")

    @model_validator(mode="after")
    def _are_enough(self) -> Self:
        if self.per_subscriber > self.count:
            raise ValueError(
                f"per_subscriber: a subscriber cannot want {self.per_subscriber} of {self.count}"
            )
        return self


class Reconfiguration(Model):
    """Links that break, each replaced by another one a while later."""

    rate: Positive = Field(default=3.0, description="rho; breaks per second of the whole network")
    repair: Period = Field(default=0.1, description="s, t_rep; from a break to its replacement")
    policy: Literal["shared", "uniform", "nearby", "cycle"] = Field(
        default="shared",
        description="which link replaces another: one that shares an end with it, any between the two "
        "parts, one that shares an end within four hops, or one drawn first, of whose cycle a link breaks",
    )
    begin: Seconds = Field(default=3.0, description="s; the first break")
    end: Seconds = Field(default=7.0, description="s; no break from here on")


class Timers(Model):
    """How long the protocols' timers run."""

    unsubscribe: Seconds = Field(default=0.15, description="s, T_u")
    subscribe: Seconds = Field(default=0.15, description="s, T_s")


class OverlayScenario(Model):
    """One run of a protocol of C on a wired overlay; it takes no time to handle a message."""

    protocol: str = Field(description="such as strawman or informed-link-activation")
    dispatchers: Dispatchers = Field(default_factory=Dispatchers)
    patterns: Patterns = Field(default_factory=Patterns)
    subscribers: Share = Field(
        default=0.2, description="sigma_s; share of the dispatchers that want anything"
    )
    core: Share = Field(
        default=1.0, description="share of the dispatchers whose subscriptions stay as they are"
    )
    swap_rate: Rate = Field(
        default=1.0,
        description="by each subscriber outside of the core, of one pattern for another, per second",
    )
    publish_rate: Rate = Field(default=1.0, description="eps; by each dispatcher, per second")
    reconfiguration: Reconfiguration = Field(default_factory=Reconfiguration)
    timers: Timers = Field(default_factory=Timers)
    sub_bits: Annotated[NonNegative, Field(le=MOST_BITS)] = Field(
        default=1000.0,
        description="size of a SUB in bits; links have 10 Mbit/s, and any message its weight of it",
    )
    duration: Period = Field(default=8.0, description="s; clients publish and swap until then")
    seed: Annotated[int, Field(strict=True, ge=1, le=2**31)] = Field(
        default=1, description="of all that is drawn"
    )

    @field_validator("protocol")
    @classmethod
    def _exists(cls, name: str) -> str:
        short = short_name(name)
        if short is None:
            raise ValueError(no_such("protocol", name, SHORT.values()))
        return SHORT[short]

    @model_validator(mode="after")
    def _may_overlap(self) -> Self:
        settings = self.reconfiguration
        # By nanoseconds: 49 times 1 / 49 is less than 1.
        if self.protocol == SHORT["rp"] and round(1e9 / settings.rate) <= round(1e9 * settings.repair):
            raise ValueError(
                f"reconfiguration.rate: {self.protocol} cannot have reconfigurations that overlap: "
                f"with a repair of {settings.repair:g} s the rate must be below {1 / settings.repair:g} "
                f"(given: {settings.rate:g})"
            )
        return self

    def replace(self, changes: dict[str, Any]) -> OverlayScenario:
        """The same with other values, by keys such as `patterns.count`. Raises ConfigurationError."""
        content = self.model_dump(mode="json")
        for key, value in changes.items():
            *parts, last = key.split(".")
            place: Any = content
            for part in parts:
                place = place.get(part) if isinstance(place, dict) else None
            if not isinstance(place, dict) or last not in place:
                hint = suggest(key, _keys(self.model_dump(mode="json")), "there are")
                raise ConfigurationError(f"{key}: no such key of an overlay scenario; {hint}")
            place[last] = value
        return OverlayScenario(**content)

    def fingerprint(self) -> str:
        """SHA-256 (hex) of all that determines the run."""
        return hashlib.sha256(json.dumps(self.model_dump(mode="json"), sort_keys=True).encode()).hexdigest()

    def to_request(self) -> dict[str, Any]:
        """What C++ takes (DrawnRequest in worlds/reconfiguration-request.cc)."""
        return {
            "seed": self.seed,
            "world": {
                "dispatchers": self.dispatchers.count,
                "degree": self.dispatchers.degree,
                "isBalanced": self.dispatchers.tree == "balanced",
                "patterns": self.patterns.count,
                "patternsPerClient": self.patterns.per_subscriber,
                "subscribers": self.subscribers,
                "core": self.core,
                "swapHz": self.swap_rate,
                "characters": self.patterns.per_event,
                "publishHz": self.publish_rate,
                "seconds": self.duration,
                "policy": self.reconfiguration.policy,
                "reconfigurationHz": self.reconfiguration.rate,
                "repairSeconds": self.reconfiguration.repair,
                "beginSeconds": self.reconfiguration.begin,
                "endSeconds": self.reconfiguration.end,
            },
            "run": to_run(self.protocol, self.sub_bits, self.timers.unsubscribe, self.timers.subscribe),
        }


def _keys(content: Mapping[str, Any], before: str = "") -> list[str]:
    """Of all that a scenario says, as `replace` takes them."""
    found = []
    for name, value in content.items():
        found += _keys(value, f"{before}{name}.") if isinstance(value, dict) else [f"{before}{name}"]
    return found


def to_run(protocol: str, sub_bits: float, unsubscribe: float, subscribe: float) -> dict[str, Any]:
    """What C++ takes of how a world is run (WorldRun): sizes in bits, times in s."""
    return {
        "protocol": protocol,
        "dispatching": {
            "subBits": sub_bits,
            "unsubscribeAfter": unsubscribe,
            "subscribeAfter": subscribe,
        },
        "binSeconds": BIN,
        "isLogged": False,
    }


def simulate(scenario: OverlayScenario) -> dict[str, Any]:
    """Runs a scenario: a WorldReport of worlds/reconfiguration-request.cc. Raises ConfigurationError."""
    return run_overlay("RunDrawnWorld", scenario.to_request())
