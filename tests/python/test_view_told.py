"""What the viewer's panel says of events: to whom they were due, and what a trace does not tell."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import Browser
from test_viewer_records import written_by_hand
from viewer_pages import needs_browser, written

from mftpubsub.views.viewer import page

#: 2 and 3 want the event, and 3 gets it. A broker matches it for 4 and 5, who want it later; 4 gets it.
LINES = """
+ 0 0 node P - - - - - -
+ 0 1 node B - - - - - -
+ 0 2 node S - - - - - -
+ 0 3 node S - - - - - -
+ 0 4 node S - - - - - -
+ 0 5 node S - - - - - -
+ 1 0 app PUBLISH - 100 0 1 - -
+ 1 0 app SEND - - 0 1 2 -
+ 1 0 app SEND - - 0 1 3 -
+ 1.5 1 broker MATCH - - 0 1 3 -
+ 2 1 broker MATCH - - 0 1 4 -
+ 2 1 broker MATCH - - 0 1 5 -
r 3 3 app DELIVER 1 - 0 1 3 2
r 3 4 app DELIVER 1 - 0 1 4 2
d 5 - loss UNMATCHED - - 0 1 2 -
- 5 - run END - - - - - -
"""
FAULTS = """
- 1 1 fault CRASH - - - - - -
+ 2 1 fault CRASH - - - - - -
"""
PANEL = "return document.getElementById('content').innerText"


def said(window: Browser, folder: Path, fragment: str, lines: str = LINES) -> str:
    window.open(written(folder, page.of_trace(written_by_hand(folder, lines))), fragment)
    return " ".join(window.run(PANEL).split())


@needs_browser
def test_an_event_is_due_to_those_who_wanted_it_when_it_was_published(
    window: Browser, tmp_path: Path
) -> None:
    text = said(window, tmp_path, "event=0.1&tab=event")
    assert "delivered to 1 of 2 subscribers and besides to 1 that did not want it" in text
    assert "Subscriber 2: never" in text
    assert "Subscriber 5" not in text


@needs_browser
@pytest.mark.parametrize(("node", "counts"), [(3, "1, 1"), (2, "1, 0"), (4, "0, 0")])
def test_a_subscriber_is_told_what_it_wanted_and_what_of_that_it_got(
    window: Browser, tmp_path: Path, node: int, counts: str
) -> None:
    assert f"wanted, delivered {counts} " in said(window, tmp_path, f"t=5&node={node}&tab=node")


@needs_browser
def test_only_where_it_is_told_what_was_reachable_the_page_says_that_there_was_no_way(
    window: Browser, tmp_path: Path
) -> None:
    assert "there never was a way" not in said(window, tmp_path, "event=0.1&tab=event")
    reached = LINES.replace("r 3 3 app", "r 2.5 - bound REACHABLE - - 0 1 3 -\nr 3 3 app")
    assert "there never was a way" in said(window, tmp_path, "event=0.1&tab=event", reached)


@needs_browser
def test_the_guide_explains_what_faults_look_like(window: Browser, tmp_path: Path) -> None:
    assert "a node that is down" not in said(window, tmp_path, "tab=guide")
    crashed = LINES.replace("r 3 3 app", f"{FAULTS.strip()}\nr 3 3 app")
    assert "a node that is down" in said(window, tmp_path, "tab=guide", crashed)


@needs_browser
def test_the_highest_bar_of_the_timeline_stands_for_frames_that_there_are(
    window: Browser, tmp_path: Path
) -> None:
    sent = "+ 1 0 radio PUB 1 50 - - - -\n" * 2
    said(window, tmp_path, "", LINES.replace("+ 1.5 1 broker", f"{sent}+ 1.5 1 broker"))
    label = "const {timeline, runs: [run]} = viewer; return timeline.loadLabel(run, timeline.summarise(run))"
    count, width = window.run(label)
    assert count == "2 frames"
    assert width.startswith("in ")
