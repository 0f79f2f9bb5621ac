"""Protocols for a broadcast channel: mft-mesh, MPL and epidemic routing."""

from __future__ import annotations

import gzip
from contextlib import nullcontext
from typing import Any

import mesh_faults
import pytest

import mftpubsub
from mftpubsub import (
    Broker,
    ConfigurationError,
    Group,
    Publisher,
    RandomWaypoint,
    RunError,
    Scenario,
    Subscriber,
    policies,
)
from mftpubsub.policies import LackingNeighbour, Me
from mftpubsub.scenario.faults import crash, partition
from mftpubsub.scenario.roles import Role

BROADCAST = ["mft-mesh", "mpl", "epidemic"]


def scenario(protocol: str, **changes: Any) -> Scenario:
    settings: dict[str, Any] = dict(
        protocol=protocol,
        area=(60, 60),
        duration=60,
        nodes=[
            Group(2, [Publisher(rate=1.0, stop=30, event={"topic": "a"})]),
            Group(6, [Subscriber(where="topic = 'a'")]),
            Group(6, [Broker()]),
        ],
        mobility=RandomWaypoint(speed=4),
    )
    return Scenario(**(settings | changes))


@pytest.mark.parametrize("protocol", BROADCAST)
def test_moving_subscribers_get_everything(protocol: str) -> None:
    metrics = mftpubsub.run(scenario(protocol)).metrics
    assert metrics["delivered_pairs"] == metrics["sent_pairs"] > 300
    assert metrics["duplicates"] == 0
    assert metrics["matched_pairs"] == metrics["delivered_pairs"]
    assert metrics["overheard"] > metrics["delivered_pairs"]


@pytest.mark.parametrize("protocol", BROADCAST)
def test_brokers_that_crash_and_halves_that_part_lose_nothing(protocol: str) -> None:
    faults = [
        crash(9, at=10, restart=20),
        crash(3, at=12, restart=22),
        partition([0, 2, 3, 8, 9], start=15, stop=30),
    ]
    metrics = mftpubsub.run(scenario(protocol, faults=faults)).metrics
    assert metrics["delivered_pairs"] == metrics["reachable_pairs"] > 300


@pytest.mark.slow
@pytest.mark.parametrize("name", mesh_faults.CASES)
def test_what_is_hard_is_delivered(name: str) -> None:
    metrics = mftpubsub.run(mesh_faults.case(name, seed=1)).metrics
    assert metrics["delivered_of_reachable"] >= mesh_faults.LEAST


def test_all_roles_on_every_node() -> None:
    roles: list[Role] = [
        Publisher(rate=0.3, stop=30, event={"topic": "a"}),
        Subscriber(where="topic = 'a'"),
        Broker(),
    ]
    metrics = mftpubsub.run(scenario("mft-mesh", nodes=[Group(8, roles)])).metrics
    assert metrics["delivered_pairs"] == metrics["sent_pairs"] > 500


def test_what_nobody_wants_is_not_forwarded() -> None:
    nodes = [
        Group(2, [Publisher(rate=1.0, stop=50, event={"topic": "b"})]),
        Group(6, [Subscriber(where="topic = 'a'")]),
        Group(6, [Broker()]),
    ]
    scoped = mftpubsub.run(scenario("mft-mesh", nodes=nodes)).metrics
    flooded = mftpubsub.run(scenario("mft-mesh", nodes=nodes, mft_mesh={"scoping": False})).metrics
    assert scoped["frames_per_node_pub"] < 0.5 * flooded["frames_per_node_pub"]


def test_what_one_wants_goes_to_that_one() -> None:
    nodes = [
        Group(2, [Publisher(rate=1.0, stop=50, event={"topic": "b"})]),
        Group(1, [Subscriber(where="topic = 'b'")]),
        Group(11, [Subscriber(where="topic = 'a'")]),
        Group(24, [Broker()]),
    ]
    scoped = mftpubsub.run(scenario("mft-mesh", area=(90, 90), nodes=nodes)).metrics
    flooded = mftpubsub.run(scenario("mft-mesh", area=(90, 90), nodes=nodes, mft_mesh={"few": 0})).metrics
    assert scoped["delivered_pairs"] == scoped["sent_pairs"] == flooded["delivered_pairs"]
    assert scoped["frames"] < 0.8 * flooded["frames"]
    assert scoped["delay_mean_s"] < 0.5


def test_who_knows_where_it_is_sends_what_few_want_there() -> None:
    nodes = [
        Group(2, [Publisher(rate=1.0, start=20, stop=50, event={"topic": "b"})]),
        Group(2, [Subscriber(where="topic = 'b'")]),
        Group(60, [Subscriber(where="topic = 'a'")]),
        Group(96, [Broker()]),
    ]
    case = scenario("mft-mesh", area=(170, 170), nodes=nodes, duration=60)
    by_hops = mftpubsub.run(case).metrics
    by_places = mftpubsub.run(case.replace(mft_mesh={"positions": True})).metrics
    assert by_places["delivered_pairs"] == by_places["sent_pairs"] == by_hops["delivered_pairs"]
    assert by_places["frames_per_node_pub"] < 0.9 * by_hops["frames_per_node_pub"]


def test_a_queue_policy_empties_stores_and_delivers_the_same() -> None:
    metrics = mftpubsub.run(scenario("mft-mesh", queue_policy={"expiry": {"max_age": 20}})).metrics
    assert metrics["delivered_pairs"] == metrics["sent_pairs"]


def test_above_capacity_a_deadline_bounds_the_delay_of_what_is_delivered() -> None:
    """Without one, what waits at publishers grows with time, and so does the delay."""

    def overloaded(**changes: Any) -> dict[str, Any]:
        publisher = Group(2, [Publisher(rate=80.0, stop=20, event={"topic": "a"})])
        nodes = [publisher, *scenario("mft-mesh").nodes[1:]]
        return mftpubsub.run(scenario("mft-mesh", nodes=nodes, duration=40, **changes)).metrics

    late, expiring = overloaded(), overloaded(queue_policy={"expiry": {"max_age": 0.5}})
    assert expiring["delay_p99_s"] < 5 < late["delay_p99_s"]
    assert expiring["delivered_pairs"] > 0.1 * late["delivered_pairs"]


class DefaultRepair(policies.RepairPolicy):
    pass


class RepairsNonsense(policies.RepairPolicy):
    def first(self, me: Me, neighbours: list[LackingNeighbour]) -> Any:
        assert len(neighbours) > 1
        return 99


def scattered(**changes: Any) -> Scenario:
    """Brokers that were alone for different times come back at once, and lack different events."""
    alone = [partition([node], start=start, stop=30) for node, start in ((8, 4), (9, 12), (10, 18), (11, 24))]
    publisher = Group(2, [Publisher(rate=3.0, stop=30, event={"topic": "a"})])
    nodes = [publisher, *scenario("mft-mesh").nodes[1:]]
    return scenario("mft-mesh", nodes=nodes, faults=alone, transport={"max_frame": 200}, **changes)


def trace(scenario: Scenario) -> bytes:
    return gzip.decompress(mftpubsub.run(scenario).trace.read_bytes())


@pytest.mark.slow
def test_a_repair_policy_of_defaults_decides_as_none() -> None:
    assert trace(scattered(repair_policy=DefaultRepair())) == trace(scattered())


@pytest.mark.parametrize("name", ["fewest-lacking", "farthest"])
def test_a_repair_policy_decides_whom_brokers_send_first_what_they_lack(name: str) -> None:
    assert any(
        trace(scattered(repair_policy=name, seed=seed)) != trace(scattered(seed=seed)) for seed in range(1, 6)
    )


@pytest.mark.parametrize("name", policies.shipped(policies.RepairPolicy))
def test_what_brokers_lack_is_repaired_under_every_policy(name: str) -> None:
    metrics = mftpubsub.run(scattered(repair_policy=name)).metrics
    assert metrics["delivered_pairs"] == metrics["reachable_pairs"] > 300


def test_a_repair_policy_that_names_a_stranger_is_told() -> None:
    with pytest.raises(
        RunError, match=r"RepairsNonsense\.first at node \d+, .*: answered 99, which is none of"
    ):
        mftpubsub.run(scattered(repair_policy=RepairsNonsense()))


def test_shipped_repair_policies() -> None:
    near = LackingNeighbour(7, events=2, age_s=3.0, hops=0.3)
    far = LackingNeighbour(8, events=1, age_s=1.0, hops=0.9)
    assert policies.LongestWaiting().first(Me(1), [near, far]) is near
    assert policies.FewestLacking().first(Me(1), [near, far]) is far
    assert policies.Farthest().first(Me(1), [near, far]) is far


def test_an_event_that_does_not_fit_into_a_frame_is_refused() -> None:
    for payload in (200, mftpubsub.Integer(20, 200), mftpubsub.Choice([20, 200, 21])):
        nodes = [
            Group(1, [Publisher(payload=payload, event={"topic": "a"})]),
            *scenario("mft-mesh").nodes[1:],
        ]
        with pytest.raises(ConfigurationError, match=r"200 B do not fit .* mft-mesh does not split an event"):
            scenario("mft-mesh", transport={"max_frame": 127}, nodes=nodes)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", [*BROADCAST, "mft-mesh by positions"])
@pytest.mark.parametrize("event", [{"topic": "a"}, {"topic": "a" * 20, "n": 3, "x": 0.5, "on": True}])
def test_the_largest_event_that_is_admitted_is_delivered(protocol: str, event: dict[str, Any]) -> None:
    name, _, positions = protocol.partition(" by ")

    def largest(payload: int) -> Scenario:
        nodes = [
            Group(1, [Publisher(rate=1.0, stop=50, payload=payload, event=event)]),
            Group(1, [Subscriber(where="topic LIKE 'a%'")]),
            Group(11, [Subscriber(where="topic = 'b'")]),
            Group(24, [Broker()]),
        ]
        mesh = {"mft_mesh": {"positions": True}} if positions else {}
        return scenario(name, area=(90, 90), nodes=nodes, transport={"max_frame": 200}, **mesh)

    with pytest.raises(ConfigurationError, match=r"payload: 200 B do not fit .* (\d+) B do") as refused:
        largest(200)
    most = int(str(refused.value).split("(transport.max_frame), ")[1].split(" B")[0])
    with pytest.raises(ConfigurationError, match=f"{most} B do"):
        largest(most + 1)
    result = mftpubsub.run(largest(most))
    assert result.metrics["delivered_pairs"] == result.metrics["sent_pairs"] > 40
    trace = result.to_pandas()
    assert trace[trace.layer == "radio"].bytes.max() == 200, "and fills its frame"


def test_filters_that_are_drawn_fit_into_a_frame_whichever_they_are() -> None:
    long, longer = (f"topic <> '{letter * 40}'" for letter in "bc")
    for among, fit in (([long, "topic = 'b'"], True), ([long, longer], False)):
        where = ["topic = 'a'", "topic = 'c'"]
        changes = mftpubsub.Resubscribe(rate=1, among=[*where, *among])
        nodes = [*scenario("mft-mesh").nodes[:1], Group(2, [Subscriber(where, changes=changes)])]
        with nullcontext() if fit else pytest.raises(ConfigurationError, match="B of filters do not fit"):
            scenario("mft-mesh", transport={"max_frame": 150}, nodes=[*nodes, Group(2, [Broker()])])


def test_filters_that_just_fit_are_said_and_passed_on() -> None:
    def want(characters: int) -> mftpubsub.Scenario:
        nodes = [
            Group(1, [Publisher(rate=4, stop=6, payload=6, event={"t": "b"})], placement=[(1, 1)]),
            Group(2, [Broker()], placement=[(20, 1), (40, 1)]),
            Group(1, [Subscriber(where=f"t <> '{'a' * characters}'")], placement=[(60, 1)]),
        ]
        return scenario(
            "mft-mesh", area=(80, 5), nodes=nodes, mobility=mftpubsub.Static(), transport={"max_frame": 150}
        )

    with pytest.raises(ConfigurationError, match="B do: mft-mesh does not split") as refused:
        want(120)
    most = int(str(refused.value).split("(transport.max_frame), ")[1].split(" B")[0])
    with pytest.raises(ConfigurationError, match="filters do not fit"):
        want(most - 13 + 1)  # "t <> ''", and 6 B around
    metrics = mftpubsub.run(want(most - 13)).metrics
    assert metrics["delivered_pairs"] == metrics["sent_pairs"] > 10


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"transport": {"max_frame": 90}}, "transport.max_frame: mft-mesh needs 91 B at least, not 90"),
        (
            {
                "transport": {"max_frame": 120},
                "subscriber": Subscriber(where=[f"topic = '{i:060}'" for i in "12"]),
            },
            "where: 152 B of filters do not fit into a frame of 120 B",
        ),
    ],
)
def test_frames_that_cannot_carry_what_the_mesh_must_say_are_refused(
    changes: dict[str, Any], problem: str
) -> None:
    nodes = [Group(1, ["publisher"]), Group(1, ["subscriber"]), Group(1, [Broker()])]
    publisher = Publisher(payload=10, event={"topic": "a"})
    with pytest.raises(ConfigurationError, match=problem.replace("(", r"\(")):
        scenario("mft-mesh", nodes=nodes, publisher=publisher, **changes)


@pytest.mark.parametrize(
    ("section", "wrong"),
    [
        ("mft_mesh", {"heartbeat_max": 1.0}),
        ("mft_mesh", {"copies": 0}),
        ("mpl", {"control_max_interval": 0.01}),
        ("epidemic", {"summary_interval": 0}),
    ],
)
def test_parameters_out_of_order_are_refused(section: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=section):
        scenario("mft-mesh", **{section: wrong})


#: A channel without shadowing, on which half of the frames with 40 B of payload arrive over 35.5 m.
PLAIN = {"model": "log-distance", "exponent": 2.4, "reference_loss": 55}


@pytest.mark.slow
@pytest.mark.parametrize("far", ["publisher", "broker", "subscriber"])
def test_what_was_missed_comes_over_a_link_that_loses_large_frames(far: str) -> None:
    """At 34.5 m a frame of one event often arrives, one of 1009 B hardly ever."""
    publisher = Publisher(rate=2, stop=100, payload=60, event={"topic": "a"})
    subscriber = Subscriber(where="topic = 'a'")
    here, there = Group(1, [Broker()], placement=[(1, 1)]), Group(1, [Broker()], placement=[(35.5, 1)])
    nodes = {
        "publisher": [
            here,
            Group(1, [publisher], placement=[(35.5, 1)]),
            Group(1, [subscriber], placement=[(2, 1)]),
        ],
        "broker": [
            here,
            Group(1, [publisher], placement=[(2, 1)]),
            there,
            Group(1, [subscriber], placement=[(39, 1)]),
        ],
        "subscriber": [
            here,
            Group(1, [publisher], placement=[(2, 1)]),
            Group(1, [subscriber], placement=[(35.5, 1)]),
        ],
    }
    apart = {"publisher": [1], "broker": [2, 3], "subscriber": [2]}
    case = scenario(
        "mft-mesh",
        area=(60, 10),
        duration=400,
        channel=PLAIN,
        nodes=nodes[far],
        mobility=mftpubsub.Static(),
        faults=[partition(apart[far], start=3, stop=105)],
    )
    metrics = mftpubsub.run(case).metrics
    assert metrics["delivered_pairs"] == metrics["sent_pairs"] == 200


def test_tables_of_many_publishers_come_over_a_link_that_loses_large_frames() -> None:
    """A STATE of 40 publishers has 500 B, and hardly ever arrives over 32 m."""
    publisher = Publisher(rate=0.1, stop=150, event={"topic": "a"})
    case = scenario(
        "mft-mesh",
        seed=2,
        area=(60, 10),
        duration=450,
        channel=PLAIN,
        nodes=[
            Group(40, [publisher], placement=[(1 + 0.3 * (i % 10), 1 + 0.3 * (i // 10)) for i in range(40)]),
            Group(1, [Broker()], placement=[(2, 2)]),
            Group(1, [Broker()], placement=[(34, 2)]),
            Group(1, [Subscriber(where="topic = 'a'")], placement=[(35, 2)]),
        ],
        mobility=mftpubsub.Static(),
        faults=[partition([41, 42], start=40, stop=142)],
    )
    metrics = mftpubsub.run(case).metrics
    assert metrics["delivered_pairs"] == metrics["sent_pairs"] == 600


def test_words_of_many_subscribers_come_over_a_link_that_loses_large_frames() -> None:
    """The words of 60 subscribers, each with a filter of its own, take several large frames."""
    subscribers = [
        Group(
            1,
            [Subscriber(where=["topic = 'a'", f"topic = 'a long name of a subject of its own {i}'"])],
            placement=[(52 + 0.3 * (i % 10), 1 + 0.3 * (i // 10))],
        )
        for i in range(60)
    ]
    case = scenario(
        "mft-mesh",
        seed=4,
        area=(100, 10),
        duration=450,
        channel=PLAIN,
        nodes=[
            *subscribers,
            Group(1, [Broker()], placement=[(2, 2)]),
            Group(1, [Broker()], placement=[(37, 2)]),
            Group(1, [Publisher(rate=0.1, stop=150, event={"topic": "a"})], placement=[(1, 2)]),
        ],
        mobility=mftpubsub.Static(),
    )
    metrics = mftpubsub.run(case).metrics
    assert metrics["delivered_pairs"] == metrics["sent_pairs"] == 900
