"""What the viewer's page does with addresses and keys, and runs whose nodes have ids of their own."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import numpy as np
from browser import Browser
from viewer_pages import needs_browser, written

from mftpubsub.views.viewer import page
from mftpubsub.views.viewer.columns import Columns
from mftpubsub.views.viewer.wires import add_film, add_messages, told

NOTICE = "return document.getElementById('notice').innerText"
SPACE, ARROW_RIGHT = " ", "\ue014"


def of_ids(folder: Path, publisher: int, broker: int, subscriber: int) -> bytes:
    """A live run of three nodes; the subscriber has the one event from the broker."""
    event = f"{publisher} 0"
    trace = folder / f"{publisher}.trace.gz"
    lines = [
        "# mftpubsub-trace 1 op time_s node layer kind peer bytes publisher sequence subscriber hops",
        *(
            f"+ 0 {node} node {role} - - - - - -"
            for node, role in zip((publisher, broker, subscriber), "PBS", strict=True)
        ),
        f"+ 1 {publisher} app PUBLISH - 99 {event} - -",
        f"+ 1 {publisher} app SEND - - {event} {subscriber} -",
        f"t 1 {publisher} radio DATA - 50 - - - -",
        f"+ 1.1 {broker} broker MATCH - - {event} {subscriber} -",
        f"r 1.5 {subscriber} app DELIVER {broker} - {event} {subscriber} 2",
        "- 5 - run END - - - - - -",
    ]
    trace.write_bytes(gzip.compress("\n".join([*lines, ""]).encode()))
    return page.of_trace(trace)


@needs_browser
def test_an_address_calls_nodes_by_their_ids(window: Browser, tmp_path: Path) -> None:
    window.open(written(tmp_path, of_ids(tmp_path, 10, 20, 30)), "t=2&node=20&event=10.0&tab=event")
    assert window.run("return [viewer.state.node, viewer.state.event.publisher]") == [1, 0]
    assert window.run("return location.hash") == "#t=2&node=20&event=10.0&tab=event"
    assert window.run(NOTICE) == ""
    window.open(tmp_path / "view.html", "node=1&event=0.0")
    assert (
        window.run(NOTICE) == "There is no event 0.0 in what is shown. There is no node 1 in what is shown."
    )
    assert window.complaints() == []


@needs_browser
def test_an_address_that_names_nothing_is_told_and_its_time_is_one_of_the_run(
    window: Browser, tmp_path: Path
) -> None:
    columns = Columns()
    add_messages(columns, [], 2)
    add_film(columns, [0, 5], np.array([[[0, 0], [0, 0]], [[100_000, 0], [0, 0]]]), [[], []])
    header = told("", ["0", "1"], ["B", "B"], []) | {"tick": 1, "duration": 5, "untold": []}
    del header["names"]
    file = written(tmp_path, columns.block(header))
    for node in ("0.5", "-1", "1e0", "2"):
        window.open(file, f"node={node}&tab=node")
        assert window.run(NOTICE) == f"There is no node {node} in what is shown."
    for time, expected in (("-3", 0), ("7", 5), ("one", 0)):
        window.open(file, f"t={time}&node=1&tab=node")
        assert window.run("return [viewer.state.time, viewer.state.node]") == [expected, 1]
    window.run("location.hash = 't=5000'")
    window.run("dispatchEvent(new HashChangeEvent('hashchange'))")
    assert window.run("return viewer.state.time") == 5
    assert window.run("return viewer.runs[0].place(0, -3, {}).x") == 0
    assert window.complaints() == []


@needs_browser
def test_each_run_calls_its_nodes_by_its_own_ids(window: Browser, tmp_path: Path) -> None:
    blocks = [of_ids(tmp_path, 10, 20, 30), of_ids(tmp_path, 11, 21, 31)]
    window.open(written(tmp_path, *blocks), "event=10.0&tab=event")
    window.run("document.querySelectorAll('details').forEach((one) => one.open = true)")
    said = window.run(
        "return [...document.querySelectorAll('#content section')].map((section) => section.innerText)"
    )
    for shown, ids in zip(said, ((10, 20, 30), (11, 21, 31)), strict=True):
        publisher, broker, subscriber = ids
        assert f"by {publisher}\n" in shown
        assert f"matched by {broker} at" in shown
        assert f"Subscriber {subscriber}: 0.50 s" in shown
        assert f" from {broker}\n" in shown
        assert {int(number) for number in re.findall(r"\b[123][01]\b", shown)} == {*ids}


@needs_browser
def test_keys_are_of_what_has_the_focus(window: Browser, tmp_path: Path) -> None:
    window.open(written(tmp_path, of_ids(tmp_path, 10, 20, 30)), "t=2&event=10.0&tab=guide")
    state = "const s = viewer.state; return [s.isPlaying, s.time, [...s.hidden], s.links]"
    window.run("document.querySelector('.kinds input').focus()")
    window.press(SPACE)
    assert window.run(state) == [False, 2, ["DATA"], "reach"]
    window.run("document.querySelector('input[type=radio]:checked').focus()")
    window.press(ARROW_RIGHT)
    assert window.run(state) == [False, 2, ["DATA"], "quality"]
    window.run("viewer.change({tab: 'event'}); document.querySelector('summary').focus()")
    window.press(SPACE)
    assert window.run("return document.querySelector('details').open")
    assert window.run(state)[:2] == [False, 2]
    window.run("document.activeElement.blur()")
    window.press(ARROW_RIGHT, SPACE)
    assert window.run(state)[0]
    assert window.run(state)[1] >= 3


@needs_browser
def test_a_run_of_many_looks_is_shown(window: Browser, tmp_path: Path) -> None:
    looks = 130_000
    columns = Columns()
    add_messages(columns, [], 2)
    add_film(columns, range(looks), np.zeros((2, 2), int), [[]] * looks)
    header = told("long", ["a", "b"], ["B", "B"], []) | {
        "unit": "s",
        "tick": 1e-3,
        "duration": 130,
        "untold": [],
    }
    window.open(written(tmp_path, columns.block(header)), "t=100")
    assert window.run("return viewer.drawn") > 0
    assert window.complaints() == []


@needs_browser
def test_a_run_in_which_very_many_talk_to_each_other_is_laid_out(window: Browser, tmp_path: Path) -> None:
    nodes = 510
    pairs = np.array([(one, other) for one in range(nodes) for other in range(one)])
    columns = Columns()
    columns.add("frame.time", np.arange(len(pairs)), "u4", "delta")
    columns.add("frame.node", pairs[:, 0], "i4", "delta")
    columns.add("frame.peer", pairs[:, 1], "i4", "delta")
    columns.add("frame.kind", np.zeros(len(pairs), int), "u1")
    header = told("", [*map(str, range(nodes))], ["B"] * nodes, ["DATA"])
    block = columns.block(header | {"unit": "s", "tick": 1e-3, "duration": 130, "untold": []})
    window.open(written(tmp_path, block))
    assert window.run("return viewer.runs[0].nodes") == nodes
