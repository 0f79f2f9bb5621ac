"""The laboratory in a notebook: what is clicked is done, and what is so is told."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from browser import IS_MISSING, Browser

import mftpubsub
from mftpubsub import Lab

TREE = [("b1", "b2"), ("b2", "b3")]


def lab() -> Lab:
    made = Lab("mft-pubsub", links=TREE, root="b1")
    made.subscribe("s", "b3", where="a = 1")
    return made


def widget(of: Lab) -> Any:
    pytest.importorskip("anywidget")
    return of.view()


def test_it_tells_who_is_where_and_what_is_under_way() -> None:
    told = widget(lab()).told
    assert [(one["name"], one["parent"]) for one in told["brokers"]] == [
        ("b1", None),
        ("b2", "b1"),
        ("b3", "b2"),
    ]
    assert told["clients"] == [{"name": "s", "broker": "b3", "role": "S", "got": []}]
    assert told["pending"] == [["s", "b3"]]


def test_what_is_clicked_is_done() -> None:
    shown = widget(lab())
    shown.obey({"do": "step link", "one": "s", "other": "b3"})
    assert "SUB" in shown.told["log"][-1]
    assert shown.told["brokers"][2]["knows"] == ["s via s t=1 h=1: a = 1"]
    shown.obey({"do": "step"})
    assert shown.told["brokers"][1]["knows"] == ["s via b3 t=1 h=2: a = 1"]
    shown.obey({"do": "settle"})
    assert shown.told["pending"] == []
    shown.obey({"do": "link", "one": "b2", "other": "b3"})
    assert shown.told["brokers"][2]["parent"] is None
    shown.obey({"do": "link", "one": "b3", "other": "b1"})
    shown.obey({"do": "settle"})
    assert shown.told["brokers"][2]["parent"] == "b1"
    shown.obey({"do": "link", "one": "b2", "other": "s"})
    assert shown.told["clients"][0]["broker"] == "b2"


def test_what_cannot_be_done_is_told_and_what_is_done_elsewhere_is_shown() -> None:
    network = lab()
    shown = widget(network)
    shown.obey({"do": "step link", "one": "b1", "other": "b2"})
    assert "b1" in shown.told["error"]
    network.settle()
    network.publish("p", "b1", a=1)
    network.settle()
    network.crash("b2")
    shown.refresh()
    assert shown.told["error"] == ""
    got = {one["name"]: one["got"] for one in shown.told["clients"]}
    assert len(got["s"]) == 1
    assert [one["isUp"] for one in shown.told["brokers"]] == [True, False, True]


def test_without_anywidget_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "mftpubsub.lab.widget", raising=False)
    with pytest.raises(mftpubsub.errors.InstallationError, match=r"pip install 'mftpubsub\[notebook\]'"):
        lab().view()


# ---- in a browser ----

#: A notebook's part: a model that keeps what the widget sends.
PAGE = """
<!doctype html><body><div id="cell" style="width: 900px"></div><script type="module">
const code = new Blob([WIDGET], { type: "text/javascript" });
const { default: widget } = await import(URL.createObjectURL(code));
window.sent = [];
const model = { get: () => (TOLD), on: () => {}, off: () => {}, send: (command) => sent.push(command) };
widget.render({ model, el: document.getElementById("cell") });
document.body.dataset.ready = "true";
</script></body>
"""


def open_widget(window: Browser, folder: Path) -> None:
    shown = widget(lab())
    page = folder / "lab.html"
    script = json.dumps(str(shown._esm)).replace("</", "<\\/")
    page.write_text(PAGE.replace("WIDGET", script).replace("TOLD", json.dumps(shown.told)))
    window.open(page)


needs_browser = pytest.mark.skipif(IS_MISSING, reason="no browser: the widget is not tried")


@needs_browser
def test_it_is_drawn_and_sends_what_is_clicked(window: Browser, tmp_path: Path) -> None:
    open_widget(window, tmp_path)
    names = window.run("return [...document.querySelectorAll('.node')].map(node => node.dataset.name)")
    assert names == ["b1", "b2", "b3", "s"]
    window.run("document.querySelector('.message').dispatchEvent(new Event('click'))")
    window.run("document.querySelector('.settle').click()")
    assert window.run("return sent") == [
        {"do": "step link", "one": "s", "other": "b3"},
        {"do": "settle"},
    ]


#: Where a node is in the window, and the ends of the lines that begin or end where it is drawn.
WHERE = """
const node = document.querySelector(`.node[data-name=${arguments[0]}]`);
const shape = node.querySelector("rect, circle").getBoundingClientRect();
const [x, y] = node.getAttribute("transform").match(/[-\\d.]+/g).map(Number);
const lines = [...document.querySelectorAll("line:not(.message)")];
const ends = lines.flatMap((line) => [[line.x1, line.y1], [line.x2, line.y2]]);
const isHere = ([a, b]) => Math.hypot(a.baseVal.value - x, b.baseVal.value - y) < 0.01;
return { at: [shape.x + shape.width / 2, shape.y + shape.height / 2], lines: ends.filter(isHere).length };
"""


@needs_browser
def test_a_broker_that_is_dragged_takes_its_links_with_it(window: Browser, tmp_path: Path) -> None:
    open_widget(window, tmp_path)
    before = {name: window.run(WHERE, name) for name in ("b1", "b2", "b3", "s")}
    assert [told["lines"] for told in before.values()] == [1, 2, 2, 1]
    x, y = before["b2"]["at"]
    to = (x + 60 if x < 300 else x - 60, y + 40 if y < 250 else y - 40)
    window.drag((x, y), to)
    after = {name: window.run(WHERE, name) for name in before}
    assert after["b2"]["at"] == pytest.approx(to, abs=1.5)
    assert after["b2"]["lines"] == 2
    for name in ("b1", "b3", "s"):
        assert after[name]["at"] == pytest.approx(before[name]["at"], abs=0.01)
    assert window.run("return document.querySelector('.knowledge').textContent") == ""  # it was not clicked
    assert window.run("return sent") == []  # nor has anything been done to the laboratory
    window.drag(to, (to[0], 1))
    inside = "return document.querySelector('svg').getBoundingClientRect().top"
    assert window.run(WHERE, "b2")["at"][1] > window.run(inside) + 10


@needs_browser
def test_two_brokers_are_linked_by_hand(window: Browser, tmp_path: Path) -> None:
    open_widget(window, tmp_path)
    window.click(*window.run(WHERE, "b1")["at"])
    assert window.run("return document.querySelector('.knowledge').textContent") == "b1\nnothing"
    window.run("document.querySelector('[aria-pressed]').click()")
    window.click(*window.run(WHERE, "b3")["at"])
    assert window.run("return sent") == [{"do": "link", "one": "b1", "other": "b3"}]
