"""`mft-pubsub-2`: MFT-PubSub-R with settings of its own, and events that are overheard."""

from __future__ import annotations

from typing import Any

import pytest

import mftpubsub
from mftpubsub import (
    Broker,
    ConfigurationError,
    Group,
    LogDistance,
    LrWpan,
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


SMALL = LrWpan(), LogDistance(exponent=2.4, reference_loss=55)


@pytest.mark.parametrize(
    ("publishers", "payload", "radio"),
    [(40, 100, None), (2, 600, None), (12, 40, SMALL)],
    ids=["many publishers", "an event above a frame", "small frames"],
)
def test_what_no_frame_holds_is_split_or_goes_along_the_routes(
    publishers: int, payload: int, radio: tuple[LrWpan, LogDistance] | None
) -> None:
    scenario = Scenario(
        protocol="mft-pubsub-2",
        area=(30, 30),
        duration=90,
        mobility=RandomWaypoint(speed=1),
        nodes=[
            Group(4, [Broker()]),
            Group(4, [Subscriber()]),
            Group(publishers, [Publisher(rate=1 / publishers, payload=payload, start=10, stop=50)]),
        ],
    )
    if radio:
        scenario = scenario.replace(radio=radio[0], channel=radio[1])
    metrics = mftpubsub.run(scenario).metrics
    assert metrics["delivery_rate_strict"] > 0.98
    assert metrics["frames_by_kind"]["HAVE"] > 0


def test_roles_on_one_device_hear_and_tell_too() -> None:
    scenario = Scenario(
        protocol="mft-pubsub-2",
        area=(40, 40),
        duration=90,
        mobility=RandomWaypoint(speed=2),
        nodes=[Group(8, [Broker(), Subscriber(), Publisher(rate=0.2, start=10, stop=60)])],
    )
    metrics = mftpubsub.run(scenario).metrics
    assert metrics["delivery_rate_strict"] > 0.98
    assert metrics["delay_median_s"] < 0.5  # by broadcast, not along the routes 5 s later
    assert metrics["frames_by_kind"]["HAVE"] > 0
