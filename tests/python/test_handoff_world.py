"""The simulated evaluation: identities that must hold in every run, and errors that name what is wrong."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mftpubsub.cli.main import app
from mftpubsub.errors import ConfigurationError
from mftpubsub.sources.gaddah.analytic import loss, neighbouring_closed_form
from mftpubsub.sources.gaddah.study import load
from mftpubsub.worlds.handoff.scenario import HandoffScenario
from mftpubsub.worlds.handoff.world import run


def cell(scheme: str, **given: Any) -> dict[str, Any]:
    defaults = {"subscribers": 20, "rate": 10, "warm_up": 600, "window": 2000, "drain": 300}
    return run(HandoffScenario(scheme=scheme, **(defaults | given)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "mobility", "messages"),
    [
        ("durable", "random", 0),
        ("reactive", "random", 4),
        ("pro-active", "random", 83 / 3),
        ("pro-active", "neighbouring", 56 / 3),
    ],
)
def test_messages_a_move_are_as_counted_by_hand(scheme: str, mobility: str, messages: float) -> None:
    found = cell(scheme, mobility=mobility, subscribers=100, rate=1, window=4000, warm_up=1800)

    assert found["control_per_move"]["all"] == pytest.approx(messages, rel=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["durable", "reactive", "pro-active", "pro-active-r"])
def test_with_ample_buffers_nothing_is_lost(scheme: str) -> None:
    # durable brings events from brokers that are visited again: the run ends before all are
    found = cell(scheme, buffer_events=100_000, drain=3000)

    assert found["loss_percent"] <= (0.5 if scheme == "durable" else 0)


@pytest.mark.parametrize("scheme", ["reactive", "pro-active-r"])
def test_a_client_that_is_back_before_its_break_is_noticed_loses_nothing(scheme: str) -> None:
    found = cell(
        scheme, detection_delay=5, rate=2, warm_up=100, window=1000, drain=600, buffer_events=100_000
    )

    assert found["loss_percent"] == 0


@pytest.mark.parametrize("scheme", ["pro-active", "rebeca", "mhh", "elvin", "mft-pubsub-static"])
def test_what_a_broken_connection_carries_reaches_nobody(scheme: str) -> None:
    """The client that is back was given it, and acknowledged with it what had been lost."""
    small = {"subscribers": 5, "warm_up": 100, "window": 200, "interest": 1, "event_bytes": 100}
    given = small | {"rate": 50, "mean_connected": 20, "transfer_time": 1e-4, "buffer_events": 100_000}
    found = cell(scheme, detection_delay=5, **given)

    assert found["loss_percent"] == 0
    assert found["duplicates_percent"] == cell(scheme, **given)["duplicates_percent"]


@pytest.mark.parametrize("scheme", ["pro-active", "pro-active-r"])
def test_pro_active_gives_no_event_twice(scheme: str) -> None:
    assert cell(scheme)["duplicates_percent"] == 0


def test_throughput_of_brokers_adds_up() -> None:
    found = cell("reactive")

    assert sum(found["throughput_by_broker"]) == pytest.approx(found["throughput"])


@pytest.mark.slow
def test_loss_by_overflow_is_as_the_closed_form_has_it() -> None:
    found = cell("pro-active", subscribers=200, rate=30, buffer_events=64, window=2000)

    assert found["loss_percent"] == pytest.approx(100 * loss(64, 30), rel=0.1)


def test_subscribers_are_where_the_chain_has_them() -> None:
    found = cell("durable", mobility="neighbouring", subscribers=400, rate=0.1, window=4000)
    expected = [float(400 * share) for share in neighbouring_closed_form().values()]

    assert found["connected_by_broker"] == pytest.approx(expected, rel=0.1)


def test_movement_is_the_same_under_every_scheme() -> None:
    moves = {cell(scheme)["moves"] for scheme in ("durable", "reactive", "pro-active")}

    assert len(moves) == 1


def test_a_run_is_a_function_of_its_seed() -> None:
    assert cell("reactive", seed=3) == cell("reactive", seed=3)
    assert cell("reactive", seed=3) != cell("reactive", seed=4)


def test_closed_loop_publishes_as_fast_as_costs_let() -> None:
    found = cell("durable", rate=None, costs={"event": 50.0}, window=1000)

    assert found["published"] == pytest.approx(20_000, rel=0.01)


def test_command_prints_the_promised_keys() -> None:
    arguments = "handoff run --scheme reactive --subscribers 5 --rate 5 --window 300 --warm-up 100 --json"
    result = CliRunner().invoke(app, arguments.split())

    assert {
        "loss_percent",
        "duplicates_percent",
        "throughput",
        "throughput_by_broker",
        "delay_mean_s",
        "delay_first_copies_mean_s",
        "handoff_latency_s",
        "transferred_share",
        "control_per_move",
        "moves",
    } <= json.loads(result.stdout).keys()


def test_unknown_scheme_is_named_with_those_there_are() -> None:
    with pytest.raises(ConfigurationError, match="no scheme 'reactve'; did you mean 'reactive'"):
        run(HandoffScenario(scheme="reactve", rate=1))


def test_filters_on_the_device_spare_fetching_them() -> None:
    found = cell("reactive", filters_in_reconnect=True, buffer_events=100_000)

    assert found["control_per_move"]["all"] == pytest.approx(2, rel=0.01)
    assert found["loss_percent"] == 0


def test_homes_lose_nothing_and_are_given_back_what_they_lend() -> None:
    found = cell("reactive", home=True, buffer_events=100_000)

    assert found["control_per_move"]["SUBS"] > 1.5 * found["control_per_move"]["FETCH"]
    assert found["loss_percent"] == 0


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"scheme": "durable", "home": True}, "options of the reactive scheme, not of 'durable'"),
        ({"scheme": "jedi", "filters_in_reconnect": True}, "options of the reactive scheme, not of 'jedi'"),
        ({"scheme": "reactive", "home": True, "filters_in_reconnect": True}, "home brokers have the filters"),
    ],
)
def test_switches_of_another_scheme_are_refused(given: dict[str, Any], reason: str) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        run(HandoffScenario(rate=1, **given))


def test_emma_without_a_controller_that_can_act_is_mqtt_and_a_disconnect() -> None:
    mqtt, emma = (cell(scheme) for scheme in ("mqtt-clean", "emma"))

    assert emma["loss_percent"] == mqtt["loss_percent"]
    assert emma["control_per_move"].pop("DISCONNECT") == pytest.approx(1, abs=0.01)


def test_neither_rate_nor_costs_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match="give a rate"):
        HandoffScenario(scheme="durable")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"event_expiry": 1e300}, "event_expiry: .* equal to 10000000"),
        ({"mean_connected": 1e10}, "mean_connected: .* equal to 10000000"),
        ({"mean_connected": 0}, "mean_connected: .* equal to 0.000001"),
        ({"window": 1e300}, "window: "),
        ({"warm_up": 1e8}, "warm_up: "),
        ({"drain": 1e10}, "drain: "),
        ({"detection_delay": 1e10}, "detection_delay: "),
        ({"session_expiry": 1e10}, "session_expiry: "),
        ({"sleep": 1e10}, "sleep: "),
        ({"transfer_time": 1e10}, "transfer_time: .* equal to 100"),
        ({"costs": {"event": 1e300}}, r"costs\.event: "),
        ({"rate": 1e-12}, "rate: "),
        ({"bandwidth": 1e-12}, "bandwidth: "),
        ({"interest": 1e-17}, "interest: .* equal to 0.000001"),
        ({"buffer_events": 10**10}, "buffer_events: .* equal to 1000000000"),
        ({"seed": 2**64}, "seed: .* equal to 2147483647"),
    ],
)
def test_what_time_or_a_draw_cannot_hold_is_refused(given: dict[str, Any], reason: str) -> None:
    settings: dict[str, Any] = {"rate": 1}
    with pytest.raises(ConfigurationError, match=f"HandoffScenario: {reason}"):
        HandoffScenario(scheme="elvin", **(settings | given))


def test_study_without_seeds_for_a_number_of_subscribers_says_so(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(
        "groups:\n  g:\n    schemes: [durable]\n    mobility: [random]\n    subscribers: [10, 20]\n"
        "    buffer_events: [8]\n    rates: [1]\n    seeds: {10: 2}\n"
    )

    with pytest.raises(ConfigurationError, match=r"groups\.g\.seeds: how many for 20 subscribers"):
        load(path)


def test_many_runs_in_one_process_leave_nothing_behind() -> None:
    from mftpubsub.worlds.handoff.world import _to_cpp

    def resident() -> int:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    scenario = HandoffScenario(scheme="durable", rate=1)
    _to_cpp(scenario)
    before = resident()

    for _ in range(30):
        _to_cpp(scenario)

    assert resident() - before < 5e6
