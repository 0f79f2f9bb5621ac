"""`mft-pubsub-2`: MFT-PubSub-R with settings of its own, and events that are overheard."""

from __future__ import annotations

from typing import Any

import pytest

import mftpubsub
from mftpubsub import (
    Broker,
    ConfigurationError,
    Group,
    MftPubsub2,
    Overlay,
    Publisher,
    RandomWaypoint,
    Scenario,
    Subscriber,
    Transport,
)
from mftpubsub.policies import Hysteresis, KeepLink, RetriesByKind

#: What it has of -R's, by the fields of a scenario.
OWN: dict[str, Any] = {
    "overlay": Overlay(heartbeat_interval=6.0, leader_timeout=18.0),
    "transport": Transport(max_frame=500),
    "parent_policy": Hysteresis(margin=6.0),
    "client_policy": Hysteresis(margin=6.0),
    "retry_policy": RetriesByKind({"REP": 1}, other=3),
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


def test_events_are_overheard() -> None:
    successor, r = counted("mft-pubsub-2"), counted("mft-pubsub-r", **OWN)
    assert successor["delivery_rate_strict"] > r["delivery_rate_strict"]
    assert successor["delay_mean_s"] < r["delay_mean_s"] / 2
    assert successor["frames_by_kind"]["HAVE"] > 0
    assert successor["frames_by_kind"]["REP"] < r["frames_by_kind"]["REP"]


@pytest.mark.parametrize("field", ["overlay", "parent_policy", "failure_policy"])
def test_a_scenario_cannot_set_what_it_has_itself(field: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{field}: mft-pubsub-2 "):
        moving("mft-pubsub-2", **{field: (OWN | {"failure_policy": KeepLink()})[field]})


def test_its_settings_can_be_set() -> None:
    usual = MftPubsub2()
    often = MftPubsub2(heartbeat_interval=1.0, leader_timeout=3.0)
    assert counted("mft-pubsub-2", mft_pubsub_2=usual) != counted("mft-pubsub-2", mft_pubsub_2=often)
    with pytest.raises(ConfigurationError, match="leader_timeout must be longer"):
        MftPubsub2(heartbeat_interval=4.0, leader_timeout=4.0)
