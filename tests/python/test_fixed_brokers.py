"""G's hand-off schemes on the radio: fixed brokers with a wire between them, clients that walk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import mftpubsub
from mftpubsub import (
    Broker,
    ConfigurationError,
    Group,
    Publisher,
    RandomWaypoint,
    Scenario,
    Static,
    Subscriber,
    crash,
)
from mftpubsub.scenario.parameters import Handoff

SCHEMES = ["durable", "reactive", "pro-active", "pro-active-r"]
PUBLISHER = Publisher(rate=2.0, start=10, stop=90)


def scenario(protocol: str, **changes: Any) -> Scenario:
    """Three brokers in a row, farther apart than a radio reaches, and subscribers that pass between them."""
    settings: dict[str, Any] = dict(
        protocol=protocol,
        area=(180, 30),
        duration=120,
        nodes=[
            Group(1, [Broker(), PUBLISHER], placement=[(20, 15)], mobility=Static()),
            Group(2, [Broker()], placement=[(90, 15), (160, 15)], mobility=Static()),
            Group(8, [Subscriber()], mobility=RandomWaypoint(speed=6)),
        ],
        client_policy={"hysteresis": {"margin": 6}},
    )
    return Scenario(**(settings | changes))


@pytest.mark.parametrize("protocol", SCHEMES)
def test_walking_subscribers_get_everything_that_a_broker_matched(protocol: str) -> None:
    metrics = mftpubsub.run(scenario(protocol)).metrics

    assert metrics["migrations"] > 20
    assert metrics["delivery_rate"] > 0.99
    assert set(metrics["lost_by_cause"]) <= {"UNMATCHED", "QUEUED", "IN_FLIGHT"}


@pytest.mark.parametrize("protocol", SCHEMES)
def test_what_a_wire_brings_was_reachable(protocol: str) -> None:
    nodes = [
        Group(1, [Broker(), PUBLISHER], placement=[(20, 15)], mobility=Static()),
        Group(1, [Broker()], placement=[(160, 15)], mobility=Static()),
        Group(1, [Subscriber()], placement=[(155, 15)], mobility=Static()),
    ]
    metrics = mftpubsub.run(scenario(protocol, nodes=nodes)).metrics

    assert 0 < metrics["delivered_pairs"] <= metrics["reachable_pairs"] == metrics["sent_pairs"]


@pytest.mark.slow
@pytest.mark.parametrize(("speed", "seed"), [(16, 1), (1, 4)])
def test_filters_are_known_all_or_none_where_acknowledgements_are_lost(speed: float, seed: int) -> None:
    study = mftpubsub.load(Path(__file__).parents[2] / "configs" / "fixed-brokers.yaml")
    metrics = mftpubsub.run(study.case(protocol="pro-active", config="F7", speed=speed, seed=seed)).metrics

    assert metrics["delivered_pairs"] == metrics["sent_pairs"]


@pytest.mark.parametrize("protocol", ["pro-active", "pro-active-r"])
def test_pro_active_brings_no_event_twice(protocol: str) -> None:
    assert mftpubsub.run(scenario(protocol)).metrics["duplicates"] == 0


@pytest.mark.parametrize("protocol", ["pro-active", "pro-active-r"])
def test_a_client_that_the_acknowledgement_of_its_move_did_not_reach_moves_once_more(protocol: str) -> None:
    nodes = [
        Group(1, [Broker(), Publisher(rate=2.0, start=1, stop=6)], placement=[(20, 15)], mobility=Static()),
        Group(2, [Broker()], placement=[(90, 15), (160, 15)], mobility=Static()),
        Group(8, [Subscriber()], mobility=RandomWaypoint(speed=16)),
    ]
    often = Handoff(ping_interval=0.05)
    run = Scenario(protocol=protocol, area=(180, 30), duration=7, nodes=nodes, handoff=often, seed=4)

    assert mftpubsub.run(run).metrics["duplicates"] == 0  # the broker ended the session, over and over


def test_durable_repeats_what_several_brokers_stored() -> None:
    durable, reactive = (
        mftpubsub.run(scenario(name)).metrics["duplicates"] for name in ("durable", "reactive")
    )

    assert durable > reactive > 0


def test_a_walking_publisher_keeps_what_it_publishes_out_of_reach() -> None:
    nodes = [
        Group(2, [Broker(), Subscriber()], placement=[(20, 15), (160, 15)], mobility=Static()),
        Group(3, [PUBLISHER], mobility=RandomWaypoint(speed=6)),
    ]
    metrics = mftpubsub.run(scenario("reactive", nodes=nodes, radio={"tx_power": -10})).metrics

    assert metrics["delivered_pairs"] == metrics["sent_pairs"] > 400
    assert metrics["delay_p95_s"] > 3  # out of reach for longer than heartbeats take


def test_a_small_buffer_loses_the_oldest() -> None:
    ample, small = (
        mftpubsub.run(scenario("pro-active", radio={"tx_power": -10}, handoff={"queue": size})).metrics
        for size in (2**20, 500)
    )

    assert small["delivered_pairs"] < ample["delivered_pairs"]


def test_a_run_is_a_function_of_its_scenario() -> None:
    one, other = (mftpubsub.run(scenario("pro-active")).metrics for _ in range(2))

    assert {name for name in one if one[name] != other[name]} <= {"cpu_s", "wall_s"}


@pytest.mark.parametrize("protocol", SCHEMES)
def test_brokers_that_move_are_refused(protocol: str) -> None:
    nodes = [Group(3, [Broker(), PUBLISHER]), Group(3, [Subscriber()])]
    with pytest.raises(ConfigurationError, match=r"nodes\.0\.mobility: brokers of .* stay where they are"):
        scenario(protocol, nodes=nodes, mobility=RandomWaypoint(speed=2))


def test_crashes_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="nothing crashes, leaves or sleeps under reactive"):
        scenario("reactive", faults=[crash(0, at=10)])


def test_emmas_controller_spreads_clients_over_brokers() -> None:
    nodes = [
        Group(3, [Broker()], placement=[(20, 15), (22, 15), (24, 15)], mobility=Static()),
        Group(1, [PUBLISHER], placement=[(20, 20)], mobility=Static()),
        Group(8, [Subscriber()], placement=[(10 + 3 * i, 25) for i in range(8)], mobility=Static()),
    ]
    brokers: dict[int, int | None] = {}

    def note(shown: mftpubsub.Snapshot) -> None:
        brokers.update({node.id: node.parent for node in shown.nodes if node.roles == ("subscriber",)})

    given = scenario("pro-active-r", nodes=nodes, client_policy="emma-controller")
    mftpubsub.run(given, observers=[mftpubsub.At([100], note)])

    at = [list(brokers.values()).count(broker) for broker in range(3)]
    assert sum(at) == 8
    assert max(at) <= 3
