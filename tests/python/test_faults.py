"""Faults: what nobody hears meanwhile, what the bound makes of it, and that life goes on afterwards."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd
import pytest

import mftpubsub
from mftpubsub import (
    Broker,
    Channel,
    Every,
    Group,
    Publisher,
    Scenario,
    Static,
    Subscriber,
    blackout,
    crash,
    partition,
)

START, STOP = 10.0, 20.0


def pair(protocol: str, *faults: Any, rate: float = 1) -> pd.DataFrame:
    """The trace of a publisher (0) and a subscriber (1), brokers both, 20 m apart; `rate` events a second."""
    case = Scenario(
        area=(40, 40),
        duration=40,
        protocol=protocol,
        nodes=[
            Group(1, [Broker(), Publisher(rate=rate)], placement=[(10, 10)]),
            Group(1, [Broker(), Subscriber()], placement=[(30, 10)]),
        ],
        mobility=Static(),
        channel=Channel(shadowing="pair", sigma=0, bidirectional_sigma=0),
        faults=list(faults),
    )
    return mftpubsub.run(case).to_pandas()


def losses(trace: pd.DataFrame) -> dict[str, int]:
    return dict(Counter(trace[trace.layer == "loss"].kind))


def during(trace: pd.DataFrame, layer: str, kind: str | None = None, node: int | None = None) -> int:
    """How many records there are while the fault lasts (with a margin for what is on its way)."""
    chosen = trace[(trace.layer == layer) & (trace.time_s > START + 0.1) & (trace.time_s < STOP)]
    chosen = chosen if kind is None else chosen[chosen.kind == kind]
    return len(chosen if node is None else chosen[chosen.node == node])


def faults_in(trace: pd.DataFrame) -> list[tuple[str, float, int, str]]:
    found = trace[trace.layer == "fault"]
    return list(zip(found.op, found.time_s, found.node, found.kind, strict=True))


CUTS = {
    "BLACKOUT": blackout(1, 0, start=START, stop=STOP),
    "PARTITION": partition([0], start=START, stop=STOP),
}


@pytest.mark.parametrize("protocol", ["mft-pubsub", "mft-pubsub-r", "flooding", "aodv"])
@pytest.mark.parametrize("kind", CUTS)
def test_nothing_passes_a_link_that_is_cut_and_afterwards_everything_does(protocol: str, kind: str) -> None:
    trace = pair(protocol, CUTS[kind])
    assert faults_in(trace) == [("-", START, 0, kind), ("+", STOP, 0, kind)]
    assert during(trace, "app", "PUBLISH") == 10
    assert during(trace, "app", "DELIVER") == during(trace, "bound", "REACHABLE") == 0
    assert during(trace, "radio", node=0) > 0  # it speaks, and nobody hears
    after = trace[(trace.time_s > STOP + 5) & (trace.layer == "app")]
    assert len(after[after.kind == "DELIVER"]) >= len(after[after.kind == "PUBLISH"]) > 0


@pytest.mark.parametrize(
    "fault",
    [
        blackout(1, 0, start=START, stop=40),
        partition([0], start=START, stop=40),
        crash(1, at=START, restart=40),
    ],
)
def test_a_fault_until_the_end_is_not_over_in_the_last_instant(fault: Any) -> None:
    trace = pair("flooding", fault)
    assert [op for op, *_ in faults_in(trace)] == ["-"]
    reachable = trace[trace.kind == "REACHABLE"]
    assert len(reachable) > 0
    assert reachable.time_s.max() <= START


@pytest.mark.parametrize("protocol", ["mft-pubsub", "mft-pubsub-r", "flooding", "aodv"])
def test_a_node_that_has_crashed_is_silent_until_it_restarts(protocol: str) -> None:
    trace = pair(protocol, crash(1, at=START, restart=STOP))
    assert faults_in(trace) == [("-", START, 1, "CRASH"), ("+", STOP, 1, "CRASH")]
    assert during(trace, "radio", node=1) == during(trace, "bound", "REACHABLE") == 0
    assert during(trace, "app", "PUBLISH") == 10
    back = trace[(trace.time_s > STOP + 5) & (trace.node == 1)]
    assert len(back[back.layer == "radio"]) > 0
    assert len(back[back.kind == "DELIVER"]) >= 3  # of those published from then on


def test_a_publisher_that_has_crashed_publishes_nothing_and_goes_on_with_the_same_events() -> None:
    whole, crashed = pair("mft-pubsub"), pair("mft-pubsub", crash(0, at=START, restart=STOP))
    events = [t[t.kind == "PUBLISH"][["time_s", "sequence"]] for t in (whole, crashed)]
    assert during(crashed, "app", "PUBLISH") == 0
    kept = events[0][(events[0].time_s < START) | (events[0].time_s > STOP)]
    pd.testing.assert_frame_equal(kept.reset_index(drop=True), events[1].reset_index(drop=True))


def test_a_subscriber_that_has_crashed_gets_no_event_twice() -> None:
    trace = pair("mft-pubsub", crash(1, at=START, restart=STOP))
    delivered = trace[trace.kind == "DELIVER"]
    assert not delivered.duplicated(["publisher", "sequence"]).any()


def test_a_node_without_restart_stays_off() -> None:
    trace = pair("flooding", crash(1, at=START))
    assert len(trace[(trace.node == 1) & (trace.time_s > START) & (trace.layer == "radio")]) == 0


def test_a_broker_that_leads_may_crash_and_the_others_go_on() -> None:
    """In the tree of three brokers in a row the first one up leads; without it the others find another."""
    case = Scenario(
        area=(60, 60),
        duration=60,
        nodes=[Group(4, ["broker"]), Group(1, ["publisher"]), Group(1, ["subscriber"])],
        mobility=Static(),
        channel=Channel(sigma=0, bidirectional_sigma=0),
    )
    seen: list[Any] = []
    mftpubsub.run(case, observers=[Every(10.0, seen.append)])
    leader = seen[1].nodes[0].leader
    crashed: list[Any] = []
    faulty = case.replace(faults=[crash(leader, at=15, restart=35)])
    mftpubsub.run(faulty, observers=[Every(10.0, crashed.append)])
    others = [node for node in crashed[3].nodes[:4] if node.id != leader]
    assert not crashed[3].nodes[leader].is_up
    assert {node.leader for node in others} & {leader} == set()
    assert crashed[5].nodes[leader].is_up
    assert len({node.leader for node in crashed[6].nodes[:4]}) == 1


def test_faults_survive_yaml() -> None:
    case = Scenario(
        area=(40, 40),
        duration=40,
        nodes=[Group(3, ["broker"])],
        mobility=Static(),
        faults=[crash(0, at=5), blackout(1, 2, start=1, stop=2), partition([0, 1], start=3, stop=4)],
    )
    assert Scenario.from_yaml(case.to_yaml()) == case
    assert "crash: 0, at: 5.0" in case.to_yaml()


def test_what_a_crashed_broker_held_is_lost_by_the_crash() -> None:
    cut = blackout(0, 1, start=START, stop=39)
    assert "CRASHED" not in losses(pair("mft-pubsub-r", cut))
    lost = losses(pair("mft-pubsub-r", cut, crash(0, at=STOP)))
    assert lost.get("CRASHED", 0) > 5
    assert not {"QUEUED", "IN_FLIGHT"} & set(lost)


def test_acknowledged_hops_outlive_crashes_at_both_ends() -> None:
    trace = pair("aodv-acked", crash(1, at=START, restart=STOP), crash(0, at=START + 0.3, restart=15), rate=5)
    after = trace[(trace.layer == "app") & (trace.time_s > STOP + 5) & (trace.time_s < 38)]
    assert len(after[after.kind == "DELIVER"]) > 0.8 * len(after[after.kind == "PUBLISH"]) > 0


def test_no_crash_before_all_nodes_are_up() -> None:
    with pytest.raises(mftpubsub.ConfigurationError, match="must be after all nodes have started"):
        pair("aodv", crash(0, at=0.0))
