"""What the viewer's columns make of a trace that is written by hand."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import browser
from viewer_pages import decode, needs_browser, written

from mftpubsub.trace import trace_format
from mftpubsub.views.viewer import page
from mftpubsub.views.viewer.columns import NEVER
from mftpubsub.views.viewer.records import Clock

#: Events of 7 and 3, published in this order; of 9 nothing was published. Two brokers match one pair.
#: There is no node 5, and none below 9 but these.
LINES = """
- 0 0 node B - - - - - -
- 0 1 node S - - - - - -
- 0 3 node P - - - - - -
- 0 60000 node S - - - - - -
t 0.5 60000 radio HEARTBEAT - 75 - - - -
+ 1 7 app PUBLISH - 100 7 1 - -
+ 1 7 app SEND - - 7 1 1 -
+ 1.25 0 broker MATCH - - 7 1 1 -
+ 1.5 4 broker MATCH - - 7 1 1 -
+ 2 3 app PUBLISH - 100 3 5 - -
+ 2 3 app SEND - - 3 5 1 -
+ 2.5 0 broker MATCH - - 9 1 2 -
r 3 1 app DELIVER 4 - 7 1 1 2
r 3.5 2 app DELIVER 0 - 9 1 2 2
d 4 1 app DUPLICATE 0 - 7 1 1 3
d 4.5 1 app OVERHEARD 6 - 7 1 1 3
d 5 - loss QUEUED - - 3 5 1 -
- 5 - run END - - - - - -
"""


def written_by_hand(folder: Path, lines: str) -> Path:
    trace = folder / "trace.gz"
    trace.write_bytes(gzip.compress(f"{trace_format.header()}\n{lines.strip()}\n".encode()))
    return trace


@pytest.fixture
def told(tmp_path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    return decode(page.of_trace(written_by_hand(tmp_path, LINES)))


def test_nodes_are_those_that_a_trace_knows_by_their_ids(told: Any) -> None:
    """Live nodes have the ids that people gave them; who has said no role is a router."""
    header, columns = told
    assert header["names"] == ["0", "1", "2", "3", "4", "6", "7", "9", "60000"]
    assert header["roles"] == ["B", "S", "R", "P", "R", "R", "R", "R", "S"]
    assert columns["frame.node"].tolist() == [8]
    assert columns["frame.peer"].tolist() == [-1]


@needs_browser
def test_a_page_calls_nodes_by_their_ids(tmp_path: Path) -> None:
    """Of which 7 has place 6."""
    file = written(tmp_path, page.of_trace(written_by_hand(tmp_path, LINES)))
    given = "document.querySelector('[aria-label^=\"Event:\"]')"
    with browser() as window:
        window.open(file, "t=5&tab=event")
        window.run(f"{given}.value = '7.1'; {given}.dispatchEvent(new Event('change'))")
        shown = window.run("return document.getElementById('content').innerText")
        assert "by 7" in shown
        assert "Subscriber 1" in shown
        assert window.run(f"return {given}.value") == "7.1"
        assert window.complaints() == []


def test_nodes_from_0_on_need_no_names(tmp_path: Path) -> None:
    lines = ["- 0 0 node B", "- 0 1 node S", "- 5 - run END"]
    header, _ = decode(
        page.of_trace(written_by_hand(tmp_path, "\n".join(f"{line} - - - - - -" for line in lines)))
    )
    assert "names" not in header
    assert header["roles"] == ["B", "S"]


@pytest.mark.parametrize(
    ("duration", "tick"), [(4294.0, 1e-6), (4295.0, 1e-5), (42949.0, 1e-5), (42950.0, 1e-4)]
)
def test_times_of_long_runs_are_coarser_so_that_all_fit(duration: float, tick: float) -> None:
    clock = Clock.for_duration(duration)
    assert clock.tick_s == pytest.approx(tick)
    assert clock.ticks(np.array([0.0, duration, np.nan])).tolist()[::2] == [0, NEVER]
    assert clock.ticks(np.array([duration]))[0] < NEVER


def test_pairs_are_of_events_in_the_order_of_their_publication(told: Any) -> None:
    _, columns = told
    assert columns["event.publisher"].tolist() == [6, 3], "7 and 3"
    assert columns["event.sequence"].tolist() == [1, 5]
    assert columns["pair.event"].tolist() == [0, 1]
    assert columns["pair.subscriber"].tolist() == [1, 1]
    assert columns["pair.delivered"].tolist() == [3_000_000, NEVER]
    assert columns["pair.from"].tolist() == [4, -1]


def test_a_pair_is_matched_where_that_happened_first(told: Any) -> None:
    _, columns = told
    assert columns["pair.matched"].tolist() == [1_250_000, NEVER]
    assert columns["pair.matcher"].tolist() == [0, -1]


def test_what_was_lost_has_its_cause_and_copies_their_pair(told: Any) -> None:
    header, columns = told
    assert [header["causes"][cause] for cause in columns["pair.cause"]] == ["", "QUEUED"]
    assert columns["copy.pair"].tolist() == [0, 0]
    assert columns["copy.from"].tolist() == [0, 5], "0 and 6"
    assert columns["copy.isOverheard"].tolist() == [0, 1]
