"""`mft-pubsub-2`: MFT-PubSub-R with settings of its own, and events that are overheard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import mftpubsub
from mftpubsub import (
    Broker,
    Change,
    ConfigurationError,
    Group,
    LogDistance,
    LrWpan,
    MftPubsub2,
    Overlay,
    Publisher,
    RandomWaypoint,
    Scenario,
    Static,
    Subscriber,
    Transport,
    Waypoints,
    partition,
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


def test_what_was_missed_comes_over_a_link_that_loses_large_frames() -> None:
    """At 34 m a frame of one event often arrives, one of 500 B hardly ever."""
    scenario = Scenario(
        protocol="mft-pubsub-2",
        area=(60, 10),
        duration=400,
        channel=LogDistance(exponent=2.4, reference_loss=55),
        mobility=Static(),
        nodes=[
            Group(1, [Broker()], placement=[(1, 1)]),
            Group(1, [Publisher(rate=2, stop=100, payload=60)], placement=[(2, 1)]),
            Group(1, [Subscriber()], placement=[(35, 1)]),
        ],
        faults=[partition([2], start=3, stop=105)],
    )
    metrics = mftpubsub.run(scenario).metrics
    assert metrics["delivered_pairs"] == metrics["sent_pairs"] == 200


#: s between heartbeats
HEARTBEATS = 6.0
#: As a path loss alone: 6 dB are a ratio of distances.
EXPONENT = 2.4
PUBLISHER = Publisher(rate=1, start=33, stop=60, event={"topic": "a"})
#: Near the origin at first, out of reach from 31 s on.
LEAVES = Waypoints([(0, 5, 20), (30, 5, 20), (31, 395, 20)])


def traced(folder: Path, protocol: str, nodes: list[Group], **settings: Any) -> pd.DataFrame:
    """The trace of a run over links without shadowing."""
    scenario = Scenario(
        protocol=protocol,
        area=(400, 40),
        duration=120,
        channel=LogDistance(exponent=EXPONENT, reference_loss=55, sigma=0),
        mobility=Static(),
        nodes=nodes,
        **settings,
    )
    return mftpubsub.run(scenario, trace=folder / f"{protocol}.trace.gz").to_pandas()


def test_a_client_leaves_its_broker_for_one_that_it_hears_6_db_better(tmp_path: Path) -> None:
    walk = Waypoints([(0, 5, 20), (10, 5, 20), (110, 25, 20)])
    brokers = Group(2, [Broker()], placement=[(0, 20), (30, 20)])
    clients = [
        Group(1, [Subscriber("topic = 'a'")], mobility=walk),
        Group(1, [PUBLISHER], placement=[(0, 21)]),
    ]
    trace = traced(tmp_path, "mft-pubsub-2", [*clients, brokers])
    (at,) = trace.time_s[(trace.kind == "MIG") & (trace.layer == "tree") & (trace.time_s > 20)]
    ratio = 10 ** (6 / (10 * EXPONENT))
    x = 30 * ratio / (1 + ratio)  # m from the first broker, where the second is 6 dB stronger
    reached = 10 + (x - 5) / 0.2
    assert reached < at < reached + HEARTBEATS + 1


def test_brokers_that_stay_keep_their_parents(tmp_path: Path) -> None:
    grid = [Group(9, [Broker()], placement=[(x, y) for x in (0, 20, 40) for y in (0, 20, 40)])]
    changes = {}
    for protocol, settings in (("mft-pubsub-2", {}), ("mft-pubsub-r", {"overlay": OWN["overlay"]})):
        trace = traced(tmp_path, protocol, grid, **settings)
        changes[protocol] = int(((trace.layer == "tree") & (trace.time_s > 30)).sum())
    assert changes["mft-pubsub-r"] > 30
    assert changes["mft-pubsub-2"] < changes["mft-pubsub-r"] / 3


def test_repairs_are_repeated_once_and_all_else_three_times(tmp_path: Path) -> None:
    subscriber = Subscriber("topic = 'a'", changes=[Change(31.5, "topic = 'b'")])
    nodes = [
        Group(1, [subscriber], mobility=LEAVES),
        Group(1, [Broker()], placement=[(0, 20)]),
        Group(1, [PUBLISHER], placement=[(0, 21)]),
    ]
    trace = traced(tmp_path, "mft-pubsub-2", nodes)
    frames = trace[(trace.layer == "radio") & (trace.time_s > 31) & trace.peer.notna()]
    assert (frames.kind[frames.node == 0] == "UNS").sum() == 4
    first = frames[frames.kind == "REP"].time_s.min()
    assert ((frames.kind == "REP") & (frames.time_s < first + 1)).sum() == 2


def test_nothing_more_goes_over_a_link_that_failed(tmp_path: Path) -> None:
    nodes = [
        Group(1, [Broker(), Subscriber("topic = 'a'")], mobility=LEAVES),
        Group(1, [Broker()], placement=[(0, 20)]),
        Group(1, [PUBLISHER], placement=[(0, 21)]),
    ]
    trace = traced(tmp_path, "mft-pubsub-2", nodes)
    sent = trace[(trace.layer == "radio") & (trace.node == 1) & (trace.peer == 0) & (trace.time_s > 31)]
    assert [*sent.kind] == ["REP", "REP"]  # and none of the 27 events afterwards
