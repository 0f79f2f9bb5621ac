"""Searches through all that can happen under protocols that ship: the mesh, hand-offs, reconfigurations."""

from __future__ import annotations

from pathlib import Path

import pytest

from mftpubsub.lab import Lab, LabError, Transcript, search
from mftpubsub.lab.transcript import run_transcript
from mftpubsub.protocols.catalogue import PROTOCOLS
from mftpubsub.simulator.laboratory import handoff_schemes


def made(*commands: str) -> Transcript:
    lab = Transcript()
    for command in commands:
        lab.run(command)
    return lab


def moved(scheme: str) -> Transcript:
    """A subscriber that has been at three brokers while events were published."""
    return made(
        f"lab {scheme} b1-b2 b2-b3",
        "subscribe s at b1",
        "settle",
        "publish e1",
        "disconnect s",
        "publish e2",
        "connect s b3",
        "publish e3",
    )


def mesh(protocol: str, *more: str) -> Transcript:
    roles = f"lab {protocol} PB B BS 0-1 1-2"
    return made(roles, "subscribe 2 where topic = 'a'", *more, "publish 0 a")


@pytest.mark.parametrize("scheme", ["reactive", "pro-active-r", "rebeca", "mhh", "elvin"])
def test_every_order_of_a_handoff_loses_nothing(scheme: str) -> None:
    found = search(moved(scheme))
    assert (found.complete, found.violation) == (True, None)
    assert found.states >= 5
    assert found.ends


def test_orders_at_different_brokers_are_one_state() -> None:
    """Three brokers far from each other, each with one message to get: 2 to the power of 3 states."""
    lab = made("lab siena a-b c-d e-f b-c d-e", "subscribe s at a", "settle")
    lab.run("publish e1 at c")
    assert search(lab).states <= 2 ** len(lab.moves()) * 8


def test_what_a_handoff_loses_is_found_by_the_shortest_schedule_and_replays(tmp_path: Path) -> None:
    found = search(moved("jedi"))
    assert found.violation == "lost: s never got e2"
    file = tmp_path / "found.txt"
    file.write_text(found.transcript + "\nviolations\n", encoding="utf-8")
    assert run_transcript(file, rewrite=True) == 0
    assert "lost: s never got e2" in file.read_text(encoding="utf-8").partition("violations\n----\n")[2]
    assert run_transcript(file) == 0


def test_random_schedules_of_handoffs_find_it_too() -> None:
    assert search(moved("jedi"), schedules=20).violation == "lost: s never got e2"
    assert search(moved("reactive"), schedules=20).violation is None


@pytest.mark.parametrize("scheme", handoff_schemes())
def test_every_handoff_scheme_can_be_searched(scheme: str) -> None:
    assert search(moved(scheme), limit=300).states > 0


@pytest.mark.slow
def test_every_loss_and_crash_of_the_mesh_is_mended() -> None:
    assert search(mesh("mft-mesh", "run 20")).states == 1
    found = search(mesh("mft-mesh", "run 20"), losses=2, crashes=1)
    assert (found.complete, found.violation) == (True, None)
    assert found.states > 100


def test_what_the_mesh_is_compared_with_is_searched_too(tmp_path: Path) -> None:
    assert search(mesh("epidemic", "run 5"), losses=2).violation is None
    found = search(mesh("mpl", "run 5"), crashes=2)
    assert found.complete or found.violation


def test_a_schedule_of_the_mesh_replays(tmp_path: Path) -> None:
    found = search(mesh("mft-mesh", "run 20"), losses=1, quiet=lambda lab: False)
    assert found.violation == "quiet: it answered False"
    found = search(
        mesh("mft-mesh", "run 20"), losses=2, always=lambda lab: lab.to_transcript().count("lose") < 2
    )
    assert found.violation == "always: it answered False"
    assert found.schedule.count("lose") == 2
    assert "\nsteps " in found.transcript
    file = tmp_path / "found.txt"
    file.write_text(found.transcript, encoding="utf-8")
    assert run_transcript(file) == 0


def test_every_order_of_a_reconfiguration_leaves_right_tables() -> None:
    for protocol in ("strawman", "deferred-unsub-timed", "informed-link-activation", "reconfiguration-path"):
        lab = made(
            f"lab {protocol} A-B B-C C-D",
            "subscribe p at A",
            "subscribe q at D",
            "settle",
            "break r1 B-C",
            "replace r1 A-D",
        )
        found = search(lab)
        assert (found.complete, found.violation) == (True, None), protocol
        assert found.states > 3


def test_what_cannot_be_searched_is_refused() -> None:
    with pytest.raises(LabError, match=r"it takes mftpubsub\.Lab"):
        search(made("lab mft-pubsub root=b1 b1-b2"))
    for losses, crashes in ((3, 0), (0, 3)):
        with pytest.raises(LabError, match="of hand-offs and reconfigurations nothing is lost"):
            search(moved("rebeca"), losses=losses, crashes=crashes)
    with pytest.raises(LabError, match="there is no laboratory yet"):
        search(Transcript())
    with pytest.raises(LabError, match=r"it takes AirLab\(\.\.\.\) or Lab"):
        search(made("lab own_flood:Flood roles=PB,B 0-1"))


def test_protocols_on_the_tree_are_searched_by_their_own_laboratory() -> None:
    for name, row in PROTOCOLS.items():
        if row.family == "tree":
            lab = Lab(name, [("b1", "b2"), ("b2", "b3")], root="b1")
            lab.subscribe("s", "b3", where="n > 1")
            assert search(lab).states > 0


def test_a_subscriber_that_publishes_is_heard() -> None:
    lab = Lab("mft-pubsub", [("b1", "b2")], root="b1")
    lab.subscribe("s", "b2", where="n > 1")
    lab.subscribe("t", "b1", where="n > 1")
    lab.settle()
    lab.publish("s", n=2)
    lab.settle()
    assert lab.delivered("t") == lab.delivered("s") == ["s#1"]
