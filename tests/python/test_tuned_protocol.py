"""`mft-pubsub-tuned`: MFT-PubSub with settings of its own, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

import mftpubsub
from mftpubsub import Broker, ConfigurationError, Group, Publisher, RandomWaypoint, Scenario, Subscriber
from mftpubsub.policies import Hysteresis, KeepLink, RetriesByKind
from mftpubsub.protocols.catalogue import POLICIES, PROTOCOLS

#: What it has, by the fields of a scenario.
OWN: dict[str, Any] = {
    "parent_policy": Hysteresis(margin=6.0),
    "client_policy": Hysteresis(margin=6.0),
    "retry_policy": RetriesByKind({"REP": 1}, other=3),
    "failure_policy": KeepLink(),
}


def moving(protocol: str, **settings: Any) -> Scenario:
    """Clients and brokers so far apart that links break, parents change and messages are repeated."""
    return Scenario(
        protocol=protocol,
        area=(90, 90),
        duration=90,
        mobility=RandomWaypoint(speed=8),
        nodes=[Group(10, [Broker()]), Group(8, [Subscriber()]), Group(2, [Publisher(rate=2, stop=70)])],
        **settings,
    )


def counted(protocol: str, **settings: Any) -> dict[str, Any]:
    """All that a run measures but its cost in time."""
    result = mftpubsub.run(moving(protocol, **settings))
    return {
        name: value
        for name, value in result.metrics.items()
        if name not in ("protocol", "cpu_s", "wall_s") and not name.startswith("peak_")
    }


def test_it_is_mft_pubsub_with_these_four_policies() -> None:
    assert counted("mft-pubsub-tuned") == counted("mft-pubsub", **OWN)


@pytest.mark.slow
@pytest.mark.parametrize("field", OWN)
def test_each_of_them_counts(field: str) -> None:
    others = {name: policy for name, policy in OWN.items() if name != field}
    assert counted("mft-pubsub-tuned") != counted("mft-pubsub", **others)


@pytest.mark.parametrize("field", OWN)
def test_a_scenario_cannot_set_them(field: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{field}: mft-pubsub-tuned never asks it"):
        moving("mft-pubsub-tuned", **{field: OWN[field]})


def test_it_asks_the_other_policies_of_the_tree() -> None:
    row, usual = PROTOCOLS["mft-pubsub-tuned"], PROTOCOLS["mft-pubsub"]
    assert {*row.asks} == {*usual.asks} - {*OWN}
    assert {*OWN} <= {*POLICIES}
    assert row.uses == usual.uses
