"""Who is there: nodes that come, go, sleep and run out of power, and subscribers that want something else."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import mftpubsub
from mftpubsub import (
    Broker,
    Change,
    Channel,
    ConfigurationError,
    Group,
    Publisher,
    Resubscribe,
    Scenario,
    Static,
    Subscriber,
    battery,
    churn,
    crash,
    duty_cycle,
    join,
    leave,
    turnover,
)
from mftpubsub.scenario.faults import Crash

END = 40.0
PROTOCOLS = ["mft-pubsub", "mft-pubsub-r", "cascading", "flooding", "mft-mesh", "mpl", "epidemic", "aodv"]


def pair(protocol: str = "mft-pubsub-r", subscriber: Any = "subscriber", **fields: Any) -> Scenario:
    """A publisher (0) and a subscriber (1), brokers both, 20 m apart; two events a second, of f1 or f2."""
    return Scenario(
        **{
            "area": (40, 40),
            "duration": END,
            "protocol": protocol,
            "nodes": [
                Group(1, [Broker(), Publisher(rate=2, stop=35)], placement=[(10, 10)]),
                Group(1, [Broker(), subscriber], placement=[(30, 10)]),
            ],
            "mobility": "static",
            "channel": Channel(shadowing="pair", sigma=0, bidirectional_sigma=0),
            **fields,
        }
    )


def trace_of(case: Scenario) -> pd.DataFrame:
    return mftpubsub.run(case).to_pandas()


def faults_in(trace: pd.DataFrame) -> list[tuple[str, float, int, str]]:
    found = trace[trace.layer == "fault"]
    return list(zip(found.op, found.time_s, found.node, found.kind, strict=True))


def wanted(trace: pd.DataFrame, start: float, stop: float) -> int:
    chosen = trace[(trace.kind == "SEND") & (trace.time_s >= start) & (trace.time_s < stop)]
    return len(chosen)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_who_has_not_joined_wants_nothing_and_is_served_afterwards(protocol: str) -> None:
    trace = trace_of(pair(protocol, faults=[join([1], at=15)]))
    assert faults_in(trace) == [("-", 0.0, 1, "ABSENT"), ("+", 15.0, 1, "ABSENT")]
    assert wanted(trace, 0, 15) == 0
    assert wanted(trace, 15, 35) == 40
    frames = trace[(trace.layer == "radio") & (trace.node == 1)]
    assert frames.time_s.min() > 15
    late = trace[(trace.kind == "DELIVER") & (trace.time_s > 25)]
    assert len(late) > 15


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_who_leaves_says_so_and_is_served_again_when_it_comes_back(protocol: str) -> None:
    trace = trace_of(pair(protocol, faults=[leave([1], at=10), join([1], at=20)]))
    assert faults_in(trace) == [("-", 10.0, 1, "ABSENT"), ("+", 20.0, 1, "ABSENT")]
    changes = trace[trace.kind.isin(["SUBSCRIBE", "UNSUBSCRIBE"])]
    assert list(zip(changes.op, changes.time_s, strict=True)) == [("-", 10), ("-", 10), ("+", 20), ("+", 20)]
    assert wanted(trace, 10, 20) == 0
    assert wanted(trace, 20, 35) == 30
    frames = trace[(trace.layer == "radio") & (trace.node == 1)]
    assert frames[(frames.time_s > 11.01) & (frames.time_s < 20)].empty
    assert len(trace[(trace.kind == "DELIVER") & (trace.time_s > 27)]) > 10


def test_goodbye_is_sent_before_a_node_goes() -> None:
    """A broker that has been told holds nothing for who has left."""
    told = trace_of(pair(faults=[leave([1], at=10)]))
    crashed = trace_of(pair(faults=[crash(1, at=10)]))
    kinds = set(told[(told.layer == "radio") & (told.node == 1) & (told.time_s >= 10)].kind)
    assert kinds - {"HEARTBEAT", "ACK"}
    assert wanted(told, 10, END) == 0
    assert wanted(crashed, 10, END) == 50


def test_times_of_turnover_are_drawn_by_the_seed_alone() -> None:
    fault = turnover("subscribers", stay=5, away=2)
    one = faults_in(trace_of(pair("mft-pubsub", faults=[fault])))
    assert len(one) > 4
    assert one == faults_in(trace_of(pair("mft-mesh", faults=[fault])))
    assert one != faults_in(trace_of(pair("mft-pubsub", faults=[fault], seed=2)))
    gone = [time for op, time, *_ in one if op == "-"]
    back = [time for op, time, *_ in one if op == "+"]
    assert all(there - left > 1 for left, there in zip(gone, back, strict=False))


def test_joining_may_be_spread() -> None:
    case = pair(
        nodes=[
            Group(1, [Broker(), Publisher(stop=35)], placement=[(10, 10)]),
            Group(5, [Broker(), Subscriber()], mobility=Static()),
        ],
        faults=[join("subscribers", at=5, within=10)],
    )
    times = [each.back for _, each in case.outages()]  # type: ignore[union-attr]
    assert len(set(times)) == 5
    assert all(time is not None and 5 <= time < 15 for time in times)


@pytest.mark.parametrize("protocol", ["mft-pubsub", "mft-mesh", "aodv"])
def test_a_node_goes_off_for_good_when_its_battery_is_empty(protocol: str) -> None:
    trace = trace_of(pair(protocol, faults=[battery([1], charge=1.0)]))
    ((op, time, node, kind),) = faults_in(trace)
    assert (op, node, kind) == ("-", 1, "BATTERY")
    # It draws 68 mW, less while it sends.
    assert 1 / 0.068 - 0.01 < time < 1 / 0.060
    assert trace[(trace.layer == "radio") & (trace.node == 1) & (trace.time_s > time)].empty
    energy = trace[trace.layer == "energy"].set_index("node").kind.astype(float)
    assert energy[1] == pytest.approx(1e6, abs=100)
    assert energy[0] > 2e6


def test_a_node_without_power_does_not_restart() -> None:
    found = faults_in(trace_of(pair(faults=[crash(1, at=5, restart=15), battery([1], charge=0.3)])))
    assert [each[3] for each in found] == ["BATTERY"]
    found = faults_in(trace_of(pair(faults=[crash(1, at=5, restart=15), battery([1], charge=0.5)])))
    assert [(each[0], each[3]) for each in found] == [("-", "CRASH"), ("+", "CRASH"), ("-", "BATTERY")]


def test_charges_are_drawn() -> None:
    case = pair(faults=[battery("all", charge=(1.0, 2.0))])
    charges = case.batteries()
    assert set(charges) == {0, 1}
    assert charges[0] != charges[1]
    assert all(1 <= charge < 2 for charge in charges.values())
    assert case.replace(protocol="aodv").batteries() == charges


@pytest.mark.parametrize("protocol", ["mft-pubsub-r", "mft-mesh", "flooding", "aodv"])
def test_a_radio_that_sleeps_hears_nothing_and_saves_energy(protocol: str) -> None:
    case = pair(protocol, faults=[duty_cycle([1], period=4, awake=2, phase="same", start=10, stop=30)])
    trace = trace_of(case)
    naps = [(op, time) for op, time, _, kind in faults_in(trace) if kind == "ASLEEP"]
    assert naps == [("-" if n % 2 == 0 else "+", 12.0 + 2 * n) for n in range(10)]
    asleep = [(12.0 + 4 * n, 14.0 + 4 * n) for n in range(5)]
    own = trace[(trace.node == 1) & (trace.layer.isin(["radio"]))]
    arrived = trace[(trace.kind == "DELIVER") & (trace.subscriber == 1) & (trace.node == 1)]
    for start, stop in asleep:
        for records in (own, arrived):
            assert records[(records.time_s > start + 0.02) & (records.time_s < stop)].empty
    assert wanted(trace, 10, 30) == 40  # it wants what is published meanwhile
    energy = trace[trace.layer == "energy"].set_index("node").kind.astype(float) / 1e6
    assert energy[0] - energy[1] == pytest.approx(10 * (0.062 - 0.0014), abs=0.02)


def test_who_sleeps_when_its_duty_cycle_stops_wakes_up() -> None:
    first = duty_cycle([1], period=20, awake=2, phase="same", start=5, stop=12)
    then = duty_cycle([1], period=20, awake=3, phase="same", start=12, stop=16)
    naps = [(op, time) for op, time, *_ in faults_in(trace_of(pair(faults=[first, then])))]
    assert naps == [("-", 7), ("+", 12), ("-", 15), ("+", 16)]


@pytest.mark.parametrize("fault", [churn("all", mtbf=9, mttr=2), turnover("all", stay=9, away=2)])
def test_each_node_goes_at_times_of_its_own(fault: Any) -> None:
    times: dict[bool, set[float]] = {True: set(), False: set()}
    for _, outage in pair(faults=[fault], duration=400.0).outages():
        node = outage.crash if isinstance(outage, Crash) else outage.node
        times[node == 0].add(outage.at)
    assert min(len(of_one) for of_one in times.values()) > 10
    assert not times[True] & times[False]


def test_nobody_sleeps_before_all_nodes_have_started() -> None:
    for phase in ("same", "random"):
        case = pair(radio={"startup_spread": 20}, faults=[duty_cycle("all", period=4, awake=2, phase=phase)])
        assert [nap.start >= 20 for nap in case.naps()] == [True, True]


def test_who_leaves_is_gone_a_second_later_and_may_then_come_back() -> None:
    def gone(back: float) -> list[tuple[int, Any]]:
        return pair(faults=[leave([1], at=5), join([1], at=back)]).outages()

    assert [(each.at, each.back) for _, each in gone(6.001)] == [(5, 6.001)]
    with pytest.raises(ConfigurationError, match="joins at 6 s, and leaves until 6 s"):
        gone(6.0)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_subscriber_gets_what_it_wants_at_the_time(protocol: str) -> None:
    changing = Subscriber("topic = 'f1'", changes=[Change(12, "topic = 'f2'"), Change(24, [])])
    result = mftpubsub.run(pair(protocol, changing))
    found = result.to_pandas("deliveries").set_index(["publisher", "sequence"])
    trace = result.to_pandas()
    sends = trace[trace.kind == "SEND"]
    assert sends.time_s.max() < 24
    assert 15 < len(sends) < 33  # every other event on average
    # Well after a change, and not just before the next, everything has got about.
    settled = found[(found.published_s % 12).between(5, 11) & (found.published_s < 24)]
    assert len(settled) > 5
    assert settled.delivered_s.notna().mean() > 0.9


def test_changes_while_a_node_is_down_wait_for_it() -> None:
    changing = Subscriber("topic = 'f1'", changes=[Change(12, "topic = 'f2'")])
    trace = trace_of(pair(subscriber=changing, faults=[crash(1, at=10, restart=20)]))
    changes = trace[trace.kind.isin(["SUBSCRIBE", "UNSUBSCRIBE"])]
    assert list(zip(changes.op, changes.time_s, strict=True)) == [("-", 20), ("+", 20)]


def test_subscriptions_are_redrawn_at_a_rate() -> None:
    topics = [f"topic = '{name}'" for name in ("f1", "f2", "f3", "f4")]
    events = [{"topic": name} for name in ("f1", "f2", "f3", "f4")]
    subscriber = Subscriber(topics[:2], changes=Resubscribe(rate=0.5, among=topics, start=10, stop=210))
    nodes = [
        Group(1, [Broker(), Publisher(event=events)], placement=[(10, 10)]),
        Group(20, [Broker(), subscriber], mobility=Static()),
    ]
    case = pair(nodes=nodes, duration=300.0)
    drawn = [subscriber.changes_in(300, f"1 subscriptions {node}") for node in range(1, 21)]
    count = sum(map(len, drawn))
    assert count == pytest.approx(20 * 0.5 * 200, abs=4 * (2000**0.5))
    for changes in drawn:
        held = topics[:2]
        for change in changes:
            assert 10 <= change.at < 210
            assert len({*change.where} - {*held}) == 1
            assert len({*change.where}) == 2
            held = list(change.where)
    plain = Scenario.from_yaml(case.to_yaml())
    assert plain.fingerprint() == case.fingerprint()
    assert mftpubsub.run(case.replace(duration=20.0)).metrics["sent_pairs"] > 0


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"faults": [join([1], at=50)]}, "faults.0: at (50 s) must be after all nodes have started"),
        ({"faults": [join([7], at=5)]}, "faults.0: there is no node 7"),
        ({"faults": [leave([1], at=5), leave([1], at=6)]}, "faults.1: node 1 has left already at 6 s"),
        ({"faults": [leave([1], at=5), join([1], at=5.5)]}, "joins at 5.5 s, and leaves until 6 s"),
        ({"faults": [crash(1, at=5), leave([1], at=6)]}, "faults.1: node 1 is off already at 6 s"),
        ({"faults": [join([1], at=9), crash(1, at=6)]}, "node 1 is off already at 6 s"),
        ({"faults": [turnover([1], stay=1, away=1, start=50)]}, "start (50 s) must come before stop (40 s)"),
        (
            {"faults": [turnover("all", stay=1e-6, away=1e-6)], "duration": 2e6},
            "faults.0: nodes go away each 1 s, 3999992 times in the run: at most 1000000 are possible",
        ),
        ({"faults": [churn("all", mtbf=1e-5, mttr=1e-5)]}, "nodes go away each 2e-05 s"),
        (
            {"faults": [duty_cycle("all", period=2e-5, awake=1e-5)]},
            "faults.0: period (2e-05 s) must be at least a millionth of duration (40 s)",
        ),
        ({"radio": {"startup_spread": 40}}, "radio.startup_spread (40 s) must be less than duration (40 s)"),
        ({"faults": [{"battery": "all", "charge": -1}]}, "faults"),
        ({"faults": [{"battery": "all", "charge": [3, 2]}]}, "low (3) must be below high (2)"),
        (
            {"faults": [{"duty_cycle": "all", "period": 2, "awake": 2}]},
            "awake (2 s) must be less than period",
        ),
        ({"faults": [{"sleep": "all"}]}, "no fault"),
        (
            {"faults": [duty_cycle([0, 1], period=9, awake=4), duty_cycle([1], period=8, awake=4)]},
            "faults: node 1 has two duty cycles from",
        ),
        (
            {"subscriber": {"subscriber": {"changes": [{"at": 40, "where": []}]}}},
            "nodes.1.roles.subscriber.changes: at (40 s) must be before the end, duration (40 s)",
        ),
        (
            {
                "subscriber": Subscriber(
                    "a = 1", changes=Resubscribe(rate=1, among=["a = 1", "a = 2"], start=50)
                )
            },
            "nodes.1.roles.subscriber.changes: start (50 s) must be before the end",
        ),
        ({"subscriber": {"subscriber": {"changes": [{"at": 5, "where": "topic = "}]}}}, "is no filter"),
        (
            {"subscriber": {"subscriber": {"changes": [{"at": 5, "where": "colour = 'red'"}]}}},
            "no event has the 'colour'",
        ),
        (
            {"subscriber": {"subscriber": {"changes": [{"at": 5, "where": []}, {"at": 5, "where": []}]}}},
            "ascending times",
        ),
        (
            {"subscriber": {"subscriber": {"changes": {"rate": 1, "among": ["topic = 'f1'"]}}}},
            "give it more to choose from",
        ),
        (
            {
                "subscriber": {
                    "subscriber": {"changes": {"rate": 1, "among": ["topic = 'f1'", "topic = 'f2'"]}}
                }
            },
            "2 filters for one that has 2 at a time",
        ),
    ],
)
def test_what_cannot_be_is_refused(fields: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        pair(**fields)
    assert wrong in str(error.value)


def test_schemes_with_fixed_brokers_refuse_what_their_source_does_not_know() -> None:
    fixed = {"protocol": "reactive"}
    with pytest.raises(ConfigurationError, match="nothing crashes, leaves or sleeps under reactive"):
        pair(**fixed, faults=[battery(charge=5.0)])
    with pytest.raises(ConfigurationError, match="subscribers of reactive subscribe once"):
        pair(**fixed, subscriber=Subscriber(changes=[Change(5, "topic = 'f2'")]))


def test_what_says_who_is_there_can_be_written_down() -> None:
    faults = [
        churn("publishers", mtbf=50, mttr=5),
        join("subscribers", at=5, within=2),
        turnover([], stay=5, away=5),
        battery(charge=(1.0, 2.0)),
        duty_cycle("all", period=4, awake=1),
    ]
    case = pair(faults=faults)
    again = Scenario.from_yaml(case.to_yaml())
    assert again.fingerprint() == case.fingerprint()
    assert again.outages() == case.outages()


@pytest.mark.parametrize("protocol", ["mft-mesh", "mft-pubsub-r", "epidemic"])
def test_what_was_not_wanted_when_it_was_published_counts_nowhere(protocol: str) -> None:
    """A subscriber that changes its mind gets events that it did not want when they were published."""
    seen: list[Any] = []
    topics = ["topic = 'f1'", "topic = 'f2'"]
    case = pair(
        protocol,
        Subscriber(topics[0], changes=Resubscribe(rate=1, among=topics)),
        faults=[duty_cycle([0], period=6, awake=3)],  # what is published while it sleeps comes late
    )
    result = mftpubsub.run(case, observers=[mftpubsub.At([END], lambda now: seen.append(now.counters))])
    trace = result.to_pandas()
    sent, got = (trace[trace.kind == kind] for kind in ("SEND", "DELIVER"))
    keys = ["publisher", "sequence", "subscriber"]
    wanted = got.merge(sent[keys], on=keys)
    assert len(got) > len(wanted), "or this shows nothing"
    metrics = result.metrics
    assert metrics["delivered_pairs"] == len(wanted) == seen[-1].delivered
    assert metrics["sent_pairs"] == len(sent) == len(wanted) + sum(metrics["lost_by_cause"].values())
    assert metrics["matched_pairs"] <= len(sent)
    deliveries, events = result.to_pandas("deliveries"), result.to_pandas("events")
    assert len(deliveries) == len(sent)
    assert deliveries.delivered_s.notna().sum() == events.delivered.sum() == len(wanted)
    assert (events.matched <= events.wanted).all()
