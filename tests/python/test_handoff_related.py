"""The hand-offs of related work: what each loses, repeats and costs; errors of their transcripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mftpubsub.lab.transcript import run_transcript
from mftpubsub.worlds.handoff.scenario import HandoffScenario
from mftpubsub.worlds.handoff.world import run

#: Means over all moves between two of the six brokers: links of the tree between them.
DISTANCE = 28 / 15


def cell(scheme: str, **given: Any) -> dict[str, Any]:
    defaults = {"subscribers": 20, "rate": 10, "warm_up": 600, "window": 2000, "drain": 300}
    return run(HandoffScenario(scheme=scheme, **(defaults | given)))


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["jedi", "siena", "rebeca", "elvin", "mhh"])
def test_with_ample_buffers_nothing_is_lost_and_nothing_comes_twice(scheme: str) -> None:
    found = cell(scheme, buffer_events=100_000)

    assert found["loss_percent"] == 0
    assert found["duplicates_percent"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["jedi", "siena", "rebeca", "elvin", "mhh", "mqtt-session"])
def test_small_buffers_lose_the_oldest(scheme: str) -> None:
    assert cell(scheme, buffer_events=4)["loss_percent"] > 1


@pytest.mark.slow
def test_clean_sessions_lose_what_is_published_while_their_client_is_away() -> None:
    away = 100 * (12 / 2 + 3 * 3 / 4) / (60 + 12 / 2 + 3 * 3 / 4)

    assert cell("mqtt-clean", subscribers=100)["loss_percent"] == pytest.approx(away, rel=0.1)


@pytest.mark.slow
def test_sessions_that_stay_repeat_as_durable_subscriptions_do() -> None:
    durable, session = (cell(scheme)["duplicates_percent"] for scheme in ("durable", "mqtt-session"))

    assert session == pytest.approx(durable, rel=0.1)


@pytest.mark.slow
def test_sessions_that_expire_repeat_less() -> None:
    found = cell("mqtt-session", session_expiry=30)

    assert 0 < found["duplicates_percent"] < cell("mqtt-session")["duplicates_percent"]
    assert found["control_per_move"]["UNS"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["jedi", "siena"])
def test_a_sudden_break_loses_until_it_is_noticed(scheme: str) -> None:
    never, late, soon = (
        cell(scheme, **given)["loss_percent"]
        for given in (
            {"announced": False},
            {"announced": False, "implicit_move_out": True, "detection_delay": 1},
            {"announced": False, "implicit_move_out": True},
        )
    )

    assert never > late > soon


def test_messages_a_move_are_as_the_rules_have_them() -> None:
    mhh = cell("mhh", subscribers=100, rate=1, window=4000)["control_per_move"]
    jedi = cell("jedi", subscribers=100, rate=1, window=4000)["control_per_move"]

    assert mhh["MHREQ"] == pytest.approx(1, abs=0.01)
    for kind in ("MIGRATE", "FLIP", "END"):
        assert mhh[kind] == pytest.approx(DISTANCE, rel=0.05)
    for kind in ("GETSTATE", "STATE1", "RELEASE", "STATE2"):
        assert jedi[kind] == pytest.approx(1, abs=0.01)


def test_the_central_proxy_costs_more_links_an_event_than_routing_to_where_subscribers_are() -> None:
    assert cell("elvin")["traffic_hops_per_event"] > 2 * cell("rebeca")["traffic_hops_per_event"]


@pytest.mark.slow
def test_movement_is_that_of_the_other_schemes() -> None:
    assert {cell(scheme)["moves"] for scheme in ("jedi", "mhh", "durable")} == {cell("reactive")["moves"]}


def test_a_slow_wireless_hop_delays_every_copy() -> None:
    found = cell("rebeca", bandwidth=0.1)

    assert found["delay_mean_s"] > cell("rebeca")["delay_mean_s"] + 4096 * 8 / 100_000


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("lab mhh b1-b2 b2-b3 b3-b1\n", "routes over a tree"),
        ("lab mhh b1-b2 b3-b4\n", "routes over a tree"),
        ("lab rebeca b1-b2\n\npublish e1 at b2\n", "b2 has not advertised"),
        ("lab durable b1-b2\n\nsubscribe s1 at b1\n\nmoveout s1\n", "do not say that they leave"),
        ("lab jedi b1-b2 root=b9\n", "no broker 'b9'"),
    ],
)
def test_nonsense_says_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, reason: str
) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(text)

    assert run_transcript(path) == 2
    assert reason in capsys.readouterr().err


def test_no_comment_changes_what_a_command_does(tmp_path: Path) -> None:
    path = tmp_path / "batches.txt"
    for batch, received in (("", "e2"), (" ack-batch=2", "e1 duplicate")):
        path.write_text(
            f"# (batches of 2)\nlab durable b1-b2{batch}\n\nsubscribe s1 at b1\n\npublish e1\n\n"
            "disconnect s1\n\npublish e2\n\nconnect s1 b1\n"
        )
        run_transcript(path, rewrite=True)

        assert f"last=e1 k=1\nb1 -> s1 PUB {received}\n" in path.read_text()
