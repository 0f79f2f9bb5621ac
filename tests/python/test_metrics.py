"""What each metric counts and what it leaves out, on traces of a few lines, by DuckDB alone.

(test_pipeline.py has a whole trace, by Spark too.)
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from conftest import END

from mftpubsub.trace.sql import metrics_of

if TYPE_CHECKING:
    from conftest import WriteRun

KEYS = {"protocol": "mft-pubsub", "config": "C2", "speed_mps": 2.0, "seed": 1}


@pytest.fixture
def metrics(write_run: WriteRun) -> Any:
    """The metrics of the run that some lines of trace are."""

    def found(*lines: str) -> dict[str, Any]:
        return metrics_of(write_run("\n".join([*lines, END])) / "trace.gz", KEYS)

    return found


PUBLISHED = (
    "+ 1 0 app PUBLISH - 100 0 1 - -",
    "+ 1 0 app SEND - - 0 1 2 -",
    "+ 2 1 broker MATCH - - 0 1 2 -",
)


def test_what_is_told_twice_of_an_event_counts_once_as_it_was_first(metrics: Any) -> None:
    found = metrics(
        *PUBLISHED,
        "r 3 2 bound REACHABLE - - 0 1 2 -",
        "r 3 2 app DELIVER 1 - 0 1 2 4",
        *(line.replace(" 1 ", " 5 ", 1) for line in PUBLISHED),
        "r 6 2 bound REACHABLE - - 0 1 2 -",
        "r 6 2 app DELIVER 1 - 0 1 2 9",
    )
    pairs = {name: found[f"{name}_pairs"] for name in ("sent", "matched", "reachable", "delivered")}
    assert pairs == {"sent": 1, "matched": 1, "reachable": 1, "delivered": 1}
    assert (found["delay_mean_s"], found["hops_mean"]) == (2, 4)


def test_an_event_is_of_its_publisher(metrics: Any) -> None:
    """Two that have the same number are delivered 1 s and 4 s after they were published."""
    found = metrics(
        *PUBLISHED,
        *(line.replace(" 0 1 ", " 9 1 ").replace("+ 1 0 ", "+ 3 9 ") for line in PUBLISHED),
        "r 2 2 app DELIVER 1 - 0 1 2 1",
        "r 7 2 app DELIVER 1 - 9 1 2 1",
    )
    assert found["delivered_pairs"] == found["sent_pairs"] == 2
    assert (found["delay_mean_s"], found["delay_p99_s"]) == pytest.approx((2.5, 1 + 0.99 * 3))


def test_frames_are_what_goes_on_the_air_and_no_other_record(metrics: Any) -> None:
    found = metrics(
        "+ 0 1 node B - - - - - -",
        "t 1 1 radio HELLO - 20 - - - -",
        "t 1 1 radio DATA 2 30 - - - -",
        "r 2 1 radio DATA 2 40 - - - -",
        "t 2 1 tree BMIG 2 50 - - - -",
    )
    assert found["frames"] == 2
    assert found["frames_by_kind"] == {"DATA": 1, "HELLO": 1}
    assert (found["frames_per_node_heartbeat"], found["frames_per_node_pub"]) == (1, 1)
    assert found["frames_per_node_control"] == 0
    assert found["senders_mean"] == pytest.approx(50 * 8 / 250e3 / 20)


def test_means_over_nodes_of_a_role_are_over_all_of_them(metrics: Any) -> None:
    """One of two nodes of each role is silent."""
    roles = "BSP"
    found = metrics(
        *(f"+ 0 {node} node {roles[node // 2]} - - - - - -" for node in range(6)),
        *(f"t 1 {node} radio ACK 2 11 - - - -" for node in (0, 2, 4)),
        *(f"- 20 {node} energy {node}000000 - - - - - -" for node in range(6)),
    )
    of_role = ("frames_per_broker", "frames_per_subscriber", "frames_per_publisher")
    assert [found[name] for name in of_role] == [0.5, 0.5, 0.5]
    energy = [found[f"energy_per_{role}_j"] for role in ("broker", "subscriber", "publisher")]
    assert energy == pytest.approx([0.5, 2.5, 4.5])
    assert found["energy_per_node_j"] == pytest.approx(2.5)


def test_energy_that_was_not_told_is_unknown_and_not_none(metrics: Any) -> None:
    found = metrics(
        "+ 0 1 node B - - - - - -", "+ 0 2 node B - - - - - -", "- 20 1 energy 3000000 - - - - - -"
    )
    assert found["energy_per_broker_j"] == 3  # of the one of which it is known
    assert metrics("+ 0 1 node B - - - - - -")["energy_per_node_j"] is None


def test_every_pair_that_is_lost_counts(metrics: Any) -> None:
    """Also two of one event."""
    lost = (
        "d 20 - loss RADIO - - 0 1 2 -",
        "d 20 - loss RADIO - - 0 1 3 -",
        "d 20 - loss QUEUED - - 0 1 4 -",
    )
    assert metrics(*lost)["lost_by_cause"] == {"QUEUED": 1, "RADIO": 2}


def test_braces_in_a_folder_s_name_are_no_pattern(write_run: WriteRun, tmp_path: Path) -> None:
    trace = write_run(END) / "trace.gz"
    for name in ("a{b,c}", "a[b]", "a*", "a?"):
        (tmp_path / name).mkdir()
        copy = tmp_path / name / "trace.gz"
        copy.write_bytes(trace.read_bytes())
        assert metrics_of(copy, KEYS)["nodes"] == 0
