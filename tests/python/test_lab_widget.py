"""The laboratory in a notebook: what is clicked is done, and what is so is told."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import IS_MISSING, Browser, browser

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


@pytest.fixture(scope="module")
def window() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


@pytest.mark.skipif(IS_MISSING, reason="no browser: the widget is not tried")
def test_it_is_drawn_and_sends_what_is_clicked(window: Browser, tmp_path: Path) -> None:
    shown = widget(lab())
    page = tmp_path / "lab.html"
    script = json.dumps(str(shown._esm)).replace("</", "<\\/")
    page.write_text(PAGE.replace("WIDGET", script).replace("TOLD", json.dumps(shown.told)))
    window.open(page)
    names = window.run("return [...document.querySelectorAll('.node')].map(node => node.dataset.name)")
    assert names == ["b1", "b2", "b3", "s"]
    window.run("document.querySelector('.message').dispatchEvent(new Event('click'))")
    window.run("document.querySelector('.settle').click()")
    assert window.run("return sent") == [
        {"do": "step link", "one": "s", "other": "b3"},
        {"do": "settle"},
    ]
