"""What the viewer's columns make of a trace that is written by hand."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from viewer_pages import decode

from mftpubsub.trace import trace_format
from mftpubsub.views.viewer import page
from mftpubsub.views.viewer.columns import NEVER
from mftpubsub.views.viewer.records import Clock

#: Events of 7 and 3, published in this order; of 9 nothing was published. Two brokers match one pair.
LINES = """
- 0 0 node B - - - - - -
- 0 1 node S - - - - - -
- 0 3 node P - - - - - -
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


@pytest.fixture
def told(tmp_path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    trace = tmp_path / "trace.gz"
    trace.write_bytes(gzip.compress(f"{trace_format.header()}\n{LINES.strip()}\n".encode()))
    return decode(page.of_trace(trace))


def test_a_node_of_no_record_is_a_router(told: Any) -> None:
    header, _ = told
    assert header["roles"] == ["B", "S", "R", "P"]


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
    assert columns["event.publisher"].tolist() == [7, 3]
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
    assert columns["copy.from"].tolist() == [0, 6]
    assert columns["copy.isOverheard"].tolist() == [0, 1]
