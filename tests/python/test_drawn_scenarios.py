"""Scenarios drawn at random, of every protocol, radio and fault, run to their end and give sound metrics."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log
from random import Random
from typing import Any, Literal

import pytest

import mftpubsub
from mftpubsub import Group, Publisher, Scenario, Subscriber, policies
from mftpubsub.errors import ConfigurationError
from mftpubsub.protocols.catalogue import PROTOCOLS
from mftpubsub.scenario import known_protocols

EVENT = {
    "topic": mftpubsub.Choice(["a", "b", "c"]),
    "temp": mftpubsub.Uniform(-10, 40),
    "ok": mftpubsub.Choice([True, False]),
}
FILTERS = (
    "topic = 'a'",
    "topic IN ('a', 'b')",
    "temp > 20",
    "NOT ok",
    "ok AND temp < 5",
    "TRUE",
    "topic LIKE '_'",
)
#: OLSR and DSDV take long.
NAMES = [name for name in known_protocols() if not name.startswith(("olsr", "dsdv"))]


class Draw(Random):
    """What a scenario is made of."""

    def wide(self, least: float, most: float) -> float:
        """A number of any order of magnitude between these."""
        return exp(self.uniform(log(least), log(most)))

    def where(self) -> list[str]:
        return self.sample(FILTERS, self.randint(1, 3))

    def publisher(self) -> Publisher:
        arrivals = (
            mftpubsub.Periodic(),
            mftpubsub.Poisson(),
            mftpubsub.OnOff(self.wide(0.1, 5), self.wide(0.1, 5)),
        )
        return Publisher(
            rate=self.wide(0.1, 6),
            arrivals=self.choice(arrivals),
            payload=mftpubsub.Integer(6, self.randint(7, 300)),
            event=EVENT,
        )

    def subscriber(self, protocol: str, duration: float) -> Subscriber:
        may_change = PROTOCOLS[protocol].family != "handoff"  # its subscribers subscribe once
        changes = [mftpubsub.Change(self.uniform(0, duration), self.where())]
        return Subscriber(self.where(), changes=changes if may_change and self.random() < 0.3 else [])

    def maybe_a_broker(self) -> list[Literal["broker"]]:
        return ["broker"] if self.random() < 0.5 else []

    def movement(self) -> Any:
        return self.choice(
            [
                mftpubsub.Static(),
                mftpubsub.RandomWaypoint(self.wide(0.1, 30), pause=self.choice([0, 2])),
                mftpubsub.RandomWalk(self.wide(0.1, 30), interval=self.wide(0.1, 10)),
                mftpubsub.GaussMarkov(self.wide(0.1, 30), memory=self.random()),
            ]
        )

    def fault(self, count: int, duration: float) -> Any:
        nodes = self.sample(range(count), self.randint(1, count - 1))
        at = self.uniform(0, duration)
        kinds: list[Callable[[], Any]] = [
            lambda: mftpubsub.crash(nodes[0], at=at, restart=self.choice([None, at + self.wide(0.001, 5)])),
            lambda: mftpubsub.partition(nodes, start=at, stop=at + self.wide(0.01, 9)),
            lambda: mftpubsub.churn(nodes, mtbf=self.wide(0.5, 20), mttr=self.wide(0.01, 5)),
            lambda: mftpubsub.join(nodes, at=at, within=self.choice([0, 2])),
            lambda: mftpubsub.turnover(nodes, stay=self.wide(0.5, 20), away=self.wide(0.1, 9)),
            lambda: mftpubsub.battery(nodes, charge=self.wide(0.01, 5)),
            lambda: mftpubsub.duty_cycle(nodes, period=self.wide(0.5, 5), awake=self.wide(0.01, 0.4)),
        ]
        return self.choice(kinds)()

    def radio(self) -> Any:
        return self.choice(
            [
                mftpubsub.Cc2420(tx_power=self.choice([0, -5, -15]), buffer=self.randint(1, 16)),
                mftpubsub.Wifi(tx_power=self.uniform(-5, 16), rts_threshold=self.choice([100, 65535])),
                mftpubsub.LrWpan(tx_power=self.uniform(-15, 5), acks=self.choice([True, False])),
            ]
        )

    def rest(self) -> dict[str, Any]:
        """Settings that not every protocol takes."""
        choices = {
            "transport": mftpubsub.Transport(retries=self.randint(0, 7), window=self.randint(1, 9)),
            "queue_policy": self.choice(
                [policies.Bounded(self.randint(1, 5)), policies.Expiry(self.wide(0.1, 9))]
            ),
            "failure_policy": self.choice([policies.KeepLink(), policies.Resend(2)]),
            "parent_policy": policies.Hysteresis(6.0),
            "mft_mesh": {
                "few": self.randint(0, 9),
                "copies": self.randint(1, 3),
                "forget_after": self.wide(0.1, 30),
            },
            "mac": mftpubsub.Mac(backoff_base=self.wide(1e-3, 0.03)),
        }
        return {name: value for name, value in choices.items() if self.random() < 0.4}

    def scenario(self, protocol: str) -> Scenario:
        duration = self.uniform(5, 20)
        nodes = [
            Group(self.randint(1, 2), [self.publisher(), *self.maybe_a_broker()]),
            Group(self.randint(1, 4), [self.subscriber(protocol, duration), *self.maybe_a_broker()]),
            Group(self.randint(1, 5), ["broker"]),
        ]
        count = sum(group.count for group in nodes)
        parts = {
            "mobility": self.movement(),
            "radio": self.radio(),
            "faults": [self.fault(count, duration) for _ in range(self.randint(0, 2))],
            **self.rest(),
        }
        area = (self.wide(5, 120), self.wide(5, 120))
        seed = self.randint(1, 10**6)
        while True:
            try:
                return Scenario(
                    protocol=protocol, area=area, nodes=nodes, duration=duration, seed=seed, **parts
                )
            except ConfigurationError as error:
                parts = _without_refused(parts, str(error))


def _without_refused(parts: dict[str, Any], refusal: str) -> dict[str, Any]:
    """What is left where a combination makes no sense."""
    refused = next(name for name in parts if name in refusal)
    kept = {name: value for name, value in parts.items() if name != refused}
    return kept | ({"mobility": mftpubsub.Static()} if refused == "mobility" else {})


def check(seed: int) -> None:
    """Runs a scenario, and looks at what its metrics say of each other."""
    draw = Draw(seed)
    scenario = draw.scenario(NAMES[seed % len(NAMES)])
    assert Scenario.from_yaml(scenario.to_yaml()) == scenario
    metrics = mftpubsub.run(scenario).metrics
    assert metrics["delivered_pairs"] <= metrics["sent_pairs"]
    assert metrics["reachable_pairs"] <= metrics["sent_pairs"]
    for name in ("delivery_rate", "delivery_rate_strict", "delivered_of_reachable"):
        assert metrics[name] is None or 0 <= metrics[name] <= 1


@pytest.mark.parametrize("seed", range(2 * len(NAMES)))
def test_a_scenario_drawn_at_random_runs(seed: int) -> None:
    check(seed)


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 3000, 100))
def test_many_scenarios_drawn_at_random_run(first: int) -> None:
    for seed in range(first, first + 100):
        check(seed)
