"""The viewer: its data tell what the trace tells, and the page shows it in a browser."""

from __future__ import annotations

import base64
import errno
import gzip
import json
import random
import re
import shutil
import subprocess
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from browser import Browser
from conftest import wait_for
from typer.testing import CliRunner
from viewer_pages import decode, needs_browser, written

import mftpubsub
from mftpubsub import Group, Publisher, Scenario, Static, Subscriber, crash
from mftpubsub.cli.main import app
from mftpubsub.labels import CAUSES
from mftpubsub.views.viewer import page, replay

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
WORLD = ROOT / "tests" / "worlds" / "n20-1.json"
SOURCES = ROOT / "python" / "viewer"
PROTOCOLS = ("mft-pubsub", "aodv", "mft-mesh")
NEVER = 2**32 - 1
TICK = 1e-6


@cache
def scenario(protocol: str, config: str = "C8", duration: float = 80.0) -> Scenario:
    case = mftpubsub.load(ROOT / "configs" / "thesis.yaml").case(
        protocol=protocol, config=config, speed=8, seed=3
    )
    return case.replace(duration=duration, publisher={"stop": 0.75 * duration})


@cache
def result(protocol: str, config: str = "C8", duration: float = 80.0) -> mftpubsub.Result:
    return mftpubsub.run(scenario(protocol, config, duration))


@cache
def block(protocol: str, config: str = "C8", duration: float = 80.0) -> bytes:
    return page.of_result(result(protocol, config, duration))


def seconds(ticks: Any) -> float | None:
    return None if ticks == NEVER else float(ticks) * TICK


def same_time(one: float | None, other: Any) -> bool:
    return (one is None) == bool(pd.isna(other)) and (one is None or abs(one - float(other)) < 2 * TICK)


def heard(columns: dict[str, np.ndarray[Any, Any]], frame: int, node: int) -> int:
    """0, or the outcome of the frame's signal at the node + 1."""
    return sum(int(columns[f"heard.{bit}"][frame, node // 8] >> node % 8 & 1) << bit for bit in range(3))


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_hundred_events_are_told_as_the_trace_tells_them(protocol: str) -> None:
    _, columns = decode(block(protocol))
    deliveries = result(protocol).to_pandas("deliveries")
    told, _ = decode(block(protocol))
    rows = pd.DataFrame({name[5:]: column for name, column in columns.items() if name.startswith("pair.")})
    rows["publisher"] = columns["event.publisher"][rows["event"]]
    rows["sequence"] = columns["event.sequence"][rows["event"]]
    rows = rows.set_index(["publisher", "sequence", "subscriber"]).sort_index()
    events = deliveries[["publisher", "sequence"]].drop_duplicates()
    for publisher, sequence in events.sample(100, random_state=1).itertuples(index=False):
        expected = deliveries[(deliveries.publisher == publisher) & (deliveries.sequence == sequence)]
        found = rows.loc[(publisher, sequence)]
        assert sorted(found.index) == sorted(expected.subscriber)
        for row in expected.itertuples():
            mine = found.loc[row.subscriber]
            assert same_time(seconds(mine.matched), row.matched_s)
            assert same_time(seconds(mine.reachable), row.reachable_s)
            assert same_time(seconds(mine.delivered), row.delivered_s)
            assert told["causes"][int(mine.cause)] == ("" if pd.isna(row.cause) else row.cause)
            if not pd.isna(row.delivered_s):
                assert mine.hops == row.hops
                assert mine["from"] == (-1 if pd.isna(row.peer) else row.peer)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_frames_are_those_of_the_trace(protocol: str) -> None:
    told, columns = decode(block(protocol))
    frames = result(protocol).to_pandas("frames")
    assert np.abs(columns["frame.time"] * TICK - frames.time_s).max() < 2 * TICK
    assert (columns["frame.node"] == frames.node).all()
    assert (columns["frame.peer"] == frames.peer.fillna(-1)).all()
    assert (columns["frame.bytes"] == frames.bytes).all()
    assert [told["kinds"][kind] for kind in columns["frame.kind"]] == frames.kind.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_who_got_an_event_had_received_a_frame_that_carried_it(protocol: str) -> None:
    """What is heard and carried is told by the radio, what is delivered by the trace: they fit together."""
    _, columns = decode(block(protocol))
    ends = columns["frame.time"] * TICK + columns["frame.bytes"] * 32e-6
    carrying: dict[int, list[int]] = {}
    for frame, event in zip(columns["carried.frame"], columns["carried.event"], strict=True):
        carrying.setdefault(int(event), []).append(int(frame))
    delivered = columns["pair.delivered"] != NEVER
    assert delivered.sum() > 300
    for pair in np.flatnonzero(delivered):
        subscriber, when = int(columns["pair.subscriber"][pair]), columns["pair.delivered"][pair] * TICK
        assert any(
            abs(ends[frame] - when) < 2e-4
            and heard(columns, frame, subscriber) in (1, 2)
            and columns["pair.from"][pair] in (-1, columns["frame.node"][frame])
            for frame in carrying[int(columns["pair.event"][pair])]
        )


def test_nobody_hears_its_own_frame_and_acknowledged_frames_were_received() -> None:
    told, columns = decode(block("mft-pubsub"))
    ack = told["kinds"].index("ACK")
    acks = np.flatnonzero(columns["frame.kind"] == ack)
    assert len(acks) > 1000
    ends = columns["frame.time"] * TICK + columns["frame.bytes"] * 32e-6
    for place in acks[::50]:
        node, peer = columns["frame.node"][place], columns["frame.peer"][place]
        before = np.flatnonzero(
            (columns["frame.node"][:place] == peer) & (columns["frame.peer"][:place] == node)
        )
        recent = [frame for frame in before[-8:] if ends[frame] <= columns["frame.time"][place] * TICK]
        assert any(heard(columns, frame, node) in (1, 2) for frame in recent)
    assert all(heard(columns, frame, columns["frame.node"][frame]) == 0 for frame in range(0, 5000, 7))


def test_the_film_is_what_snapshots_show() -> None:
    told, columns = decode(block("mft-pubsub"))
    nodes = len(told["roles"])
    for instant in (0, 37, 120):
        snapshot = result("mft-pubsub").snapshot(columns["film.time"][instant] * TICK)
        for node in snapshot.nodes:
            assert columns["film.x"][instant, node.id] == round(1000 * node.x)
            assert columns["film.y"][instant, node.id] == round(1000 * node.y)
            assert columns["film.parent"][instant, node.id] == (-1 if node.parent is None else node.parent)
            assert columns["film.leader"][instant, node.id] == (-1 if node.leader is None else node.leader)
            assert columns["film.queued"][instant, node.id] == node.queued
        bits = np.unpackbits(columns["film.links"][instant], bitorder="little")
        links = {
            (low, high) for high in range(nodes) for low in range(high) if bits[high * (high - 1) // 2 + low]
        }
        assert links == snapshot.links
        assert routes(columns, instant, nodes) == {
            (node.id, subscriber): (route.next_hop, route.hops, route.queued)
            for node in snapshot.nodes
            for subscriber, route in node.table.items()
        }


def routes(columns: dict[str, Any], instant: int, nodes: int) -> dict[tuple[int, int], tuple[int, int, int]]:
    """Next hop, hops and events held by broker and subscriber."""
    next_hops = columns["route.nextHop"][instant].astype(np.uint8).view("<u2")
    return {
        (int(place) // nodes, int(place) % nodes): (int(next_hop), int(hops) - 1, int(queued))
        for place, next_hop, hops, queued in zip(
            columns["route.place"],
            next_hops,
            columns["route.hops"][instant],
            columns["route.queued"][instant],
            strict=True,
        )
        if hops
    }


def test_looking_at_a_run_calls_no_observer_of_its_scenario_again() -> None:
    calls: list[float] = []
    every = mftpubsub.Every(5.0, lambda snapshot: calls.append(snapshot.time_s))
    done = mftpubsub.run(scenario("mft-mesh", duration=10.0).replace(observers=[every]))
    before = len(calls)
    page.of_result(done)
    assert len(calls) == before == 3


def test_a_run_that_is_looked_at_is_the_same_run() -> None:
    seen = replay.replay(scenario("mft-pubsub-r", duration=20.0), 0.5)
    replay.check_same(seen.trace, result("mft-pubsub-r", duration=20.0).trace)
    with pytest.raises(mftpubsub.QueryError, match="has another trace"):
        replay.check_same(seen.trace, result("mft-pubsub", duration=20.0).trace)


@pytest.mark.parametrize(
    ("step_s", "looks_s"), [(0.1, [0, 0.1, 0.2, 0.3]), (0.2, [0, 0.2, 0.3]), (7, [0, 0.3])]
)
def test_the_last_look_is_at_the_end_of_the_run(step_s: float, looks_s: list[float]) -> None:
    seen = replay.replay(scenario("mft-mesh", "C2", 0.3), step_s)
    assert seen.film.times == pytest.approx(looks_s)
    assert seen.film.times[-1] == 0.3


def test_looks_at_one_instant_alone_are_refused() -> None:
    with pytest.raises(mftpubsub.QueryError, match=r"between looks must be above 0 s \(given: 0\)"):
        result("mft-mesh", "C2", 0.3).view(step_s=0)


def test_faults_are_told() -> None:
    small = Scenario(
        area=(40, 40),
        nodes=[Group(4, [mftpubsub.Broker(), Subscriber()]), Group(1, [Publisher()])],
        duration=20,
        mobility=mftpubsub.RandomWaypoint(speed=1),
        faults=[crash(1, at=5, restart=9)],
    )
    told, columns = decode(page.of_scenario(small))
    assert [told["faults"][kind] for kind in columns["fault.kind"]] == ["CRASH", "CRASH"]
    assert (columns["fault.time"] * TICK).tolist() == [5, 9]
    assert columns["fault.begins"].tolist() == [1, 0]
    up = dict(zip(columns["film.time"] * TICK, columns["film.isUp"][:, 1], strict=True))
    assert [up[time] for time in (4.5, 5.5, 8.5, 9.5)] == [1, 0, 0, 1]


def test_the_page_needs_nothing_from_elsewhere() -> None:
    text = page.page([block("mft-mesh")], "a < b")
    assert "<title>a &lt; b</title>" in text
    outside = re.findall(
        r"(?:src|href)\s*=\s*[\"'](?!data:|#)[^\"']*", text.split("<!--\nThis page is made")[0]
    )
    assert outside == []
    assert base64.b64encode(block("mft-mesh")).decode() in text


def test_a_trace_alone_says_what_it_does_not_tell(tmp_path: Path) -> None:
    told, columns = decode(page.of_trace(result("mft-pubsub").trace))
    assert "positions" in told["untold"][0]
    assert "film.x" not in columns
    incomplete = tmp_path / "trace.gz"
    text = gzip.decompress(result("mft-pubsub").trace.read_bytes())
    incomplete.write_bytes(gzip.compress(text[: text.rindex(b"\n-") + 1]))
    with pytest.raises(mftpubsub.QueryError, match="not complete"):
        page.of_trace(incomplete)
    incomplete.write_text("something else")
    with pytest.raises(mftpubsub.QueryError, match="is no whole trace: run the scenario again"):
        page.of_trace(incomplete)


def test_the_command_says_what_it_cannot_show(tmp_path: Path) -> None:
    def view(*words: str) -> str:
        told = CliRunner().invoke(app, ["view", *words, "--out", str(tmp_path / "view.html")])
        assert told.exit_code != 0
        return str(told.exception or told.output)

    thesis = str(ROOT / "configs" / "thesis.yaml")
    assert "choose a run by --config (C2, C4, C8, C16, C32), --speed (2, 4" in view(
        thesis, "--protocol", "aodv"
    )
    assert "there is no" in view(str(tmp_path / "nothing"))
    assert "holds no complete run" in view(str(tmp_path))
    trace = str(result("mft-pubsub").trace)
    assert "--at are for scenario files" in view(trace, "--seed", "2")
    assert not (tmp_path / "view.html").exists()


@pytest.mark.slow
def test_the_command_writes_a_page_of_a_run_of_a_sweep(tmp_path: Path) -> None:
    from mftpubsub.runs.run import run_to_directory

    folder = run_to_directory(scenario("mft-mesh", duration=10.0), tmp_path)
    out = tmp_path / "view.html"
    files = [str(folder / name) for name in ("", "trace.gz", "run.json")]
    done = CliRunner().invoke(app, ["view", *files, "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert out.read_text().count('application/x-mftpubsub-run">') == 3


@pytest.mark.parametrize("is_plain", [True, False])
def test_the_command_knows_a_trace_by_what_is_in_it(tmp_path: Path, is_plain: bool) -> None:
    content = result("mft-pubsub", duration=10.0).trace.read_bytes()
    trace, out = tmp_path / "trace.txt", tmp_path / "view.html"
    trace.write_bytes(gzip.decompress(content) if is_plain else content)
    done = CliRunner().invoke(app, ["view", str(trace), "--out", str(out)])
    assert done.exit_code == 0, done.exception
    assert out.is_file()


def test_the_page_is_what_its_sources_give() -> None:
    node = shutil.which("node")
    if node is None or not (SOURCES / "node_modules" / "esbuild").is_dir():
        pytest.skip(
            "no node, or no `npm ci` in python/viewer: whether viewer.html is built of it is not checked"
        )
    done = subprocess.run(
        [node, "build.mjs", "--check"], cwd=SOURCES, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_page_has_words_for_every_cause_of_loss() -> None:
    words = (SOURCES / "src" / "words.ts").read_text("utf-8")
    assert set(re.findall(r"^  ([A-Z_]+): ", words, re.MULTILINE)) == set(CAUSES)


def test_the_viewers_lock_names_no_host_and_every_package_by_its_hash() -> None:
    lock = json.loads((SOURCES / "package-lock.json").read_text())
    packages = {name: told for name, told in lock["packages"].items() if name}
    assert all(told["integrity"].startswith("sha512-") for told in packages.values())
    assert "://" not in re.sub(r'"(url|homepage)": "[^"]*"', "", json.dumps(lock))
    bundled = {told["license"] for told in packages.values() if not told.get("dev")}
    assert bundled <= {"ISC", "MIT", "BSD-3-Clause"}


@pytest.mark.slow
def test_an_export_has_every_frame_and_who_got_it(tmp_path: Path) -> None:
    out = tmp_path / "run.json.gz"
    result("mft-pubsub").export(out)
    events = json.loads(gzip.decompress(out.read_bytes()))["traceEvents"]
    shown = [event for event in events if event["ph"] == "X"]
    frames = result("mft-pubsub").to_pandas("frames")
    assert [event["cat"] for event in shown] == frames.kind.tolist()
    assert [event["tid"] for event in shown] == frames.node.tolist()
    assert [event["ts"] for event in shown] == pytest.approx((1e6 * frames.time_s).tolist(), abs=1)
    _, columns = decode(block("mft-pubsub"))
    for place in range(0, len(shown), 97):
        got = [node for node in range(18) if heard(columns, place, node) in (1, 2)]
        assert sorted(shown[place]["args"].get("received", [])) == got
    deliveries = result("mft-pubsub").to_pandas("deliveries")
    delivered = [event["args"]["event"] for event in events if event["name"] == "delivered"]
    assert len(delivered) == deliveries.delivered_s.notna().sum()
    assert {event["name"] for event in events if event["ph"] == "C"} <= {
        f"queue of {node}" for node in range(18)
    }


# ---- in a browser ----


def panels(window: Browser) -> list[tuple[float, float, float, float]]:
    """Left, right, top and bottom of each run's panel, px."""
    found = window.run(
        "return [...document.querySelectorAll('#stage figure')].map(f => f.getBoundingClientRect())"
        ".map(b => [b.left, b.right, b.top, b.bottom])"
    )
    return [tuple(box) for box in found]


@needs_browser
@pytest.mark.parametrize("config", ["C8", "C32"])
def test_runs_of_three_protocols_play_without_complaint(window: Browser, tmp_path: Path, config: str) -> None:
    duration = 80.0 if config == "C8" else 12.0
    window.open(written(tmp_path, *(block(protocol, config, duration) for protocol in PROTOCOLS)), "t=3")
    captions = window.run("return [...document.querySelectorAll('figcaption')].map(c => c.innerText)")
    assert [caption[:3] for caption in captions] == ["A: ", "B: ", "C: "]
    boxes = panels(window)
    assert len({top for _, _, top, _ in boxes}) == 1, "side by side they are largest on a wide screen"
    assert boxes[-1][1] == pytest.approx(
        window.run("return document.getElementById('stage').getBoundingClientRect().right"), abs=2
    )
    for key in (" ", "k", "]", "d", " ", ".", ".", ",", "n", "l", "+", "0", "\ue012"):
        window.press(key)
    for tab in ("guide", "node", "event", "run"):
        window.run("document.querySelector(`[data-tab=${arguments[0]}]`).click()", tab)
        assert len(window.run("return document.getElementById('content').innerText")) > 40
    assert window.run("return viewer.drawn") > 5
    assert window.complaints() == []


@needs_browser
def test_the_guide_says_which_acknowledgements_are_shown(window: Browser, tmp_path: Path) -> None:
    window.open(written(tmp_path, block("mft-pubsub")), "t=3&tab=guide")
    line = "[...document.querySelectorAll('ul.kinds li')].find(li => li.querySelector('.aside'))"
    sort, note, is_below = window.run(
        f"const line = {line};"
        "const [box, aside] = ['.boxes', '.aside'].map(each => line.querySelector(each));"
        "return [line.querySelector('.sort').innerText, aside.innerText,"
        " box.getBoundingClientRect().bottom <= aside.getBoundingClientRect().top]"
    )
    assert sort == "acknowledgements"
    assert note.startswith("ACK: frames have arrived. ASK: have they?")
    assert note.endswith("the MAC of Wi-Fi or 802.15.4 acknowledges by itself is not shown.")
    assert is_below


@needs_browser
def test_a_brokers_table_is_shown_as_it_was_at_that_instant(window: Browser, tmp_path: Path) -> None:
    snapshot = result("mft-pubsub").snapshot(40.0)
    broker = next(node for node in snapshot.nodes if node.table)
    window.open(written(tmp_path, block("mft-pubsub")), f"t=40&node={broker.id}&tab=node")
    shown = window.run(
        "return [...document.querySelectorAll('.routes tbody tr')]"
        ".map(row => [...row.children].map(cell => cell.innerText.trim()))"
    )
    assert shown == [
        [str(subscriber), str(route.next_hop), str(route.hops), str(route.queued or "")]
        for subscriber, route in broker.table.items()
    ]


@needs_browser
def test_a_link_leads_back_to_its_instant(window: Browser, tmp_path: Path) -> None:
    file = written(tmp_path, block("mft-pubsub"))
    window.open(file, "t=12.5&node=9&hide=ACK,HEARTBEAT&links=quality&speed=5&tab=node")
    state = window.run(
        "const s = viewer.state; return [s.time, s.node, [...s.hidden], s.links, s.speed, s.tab]"
    )
    assert state == [12.5, 9, ["ACK", "HEARTBEAT"], "quality", 5, "node"]
    window.press("\ue014")  # arrow right
    assert window.run("return location.hash") == (
        "#t=13.5&speed=5&node=9&hide=ACK%2CHEARTBEAT&links=quality&tab=node"
    )


@needs_browser
def test_what_an_address_asks_for_and_is_not_there_is_told(window: Browser, tmp_path: Path) -> None:
    file = written(tmp_path, block("mft-pubsub"))
    said = "return document.getElementById('notice').innerText"
    window.open(file, "t=12&tab=node")
    assert window.run("return document.getElementById('notice').hidden")
    window.open(file, "tab=nodes&event=3.99999&node=999")
    assert window.run(said) == (
        "There is no tab “nodes”: they are guide, node, event, run. There is no event 3.99999 in "
        "what is shown. There is no node 999 in what is shown."
    )
    assert window.run("return viewer.state.tab") == "guide"
    window.open(file, "event=three")
    assert "“three” is no event" in window.run(said)
    window.run("document.getElementById('notice').click()")
    assert window.run("return document.getElementById('notice').hidden")


@needs_browser
def test_heights_and_walls_are_told(window: Browser, tmp_path: Path) -> None:
    drones = Scenario(
        area=(50, 50),
        duration=10,
        nodes=[
            Group(1, ["broker", "publisher"], placement=[(10, 10, 30)]),
            Group(1, ["broker", "subscriber"], placement=[(40, 10)]),
        ],
        mobility=Static(),
        obstacles=[mftpubsub.Obstacle([(25, 0), (25, 50)], loss=3)],
        publisher=Publisher(stop=8.0),
    )
    signs = ("a wall, which weakens signals", "how high a node is")
    window.open(written(tmp_path, page.of_result(mftpubsub.run(drones))), "t=5&node=0")
    guide = window.run("return document.getElementById('content').innerText")
    assert all(sign in guide for sign in signs)
    window.run("document.querySelector('[data-tab=node]').click()")
    assert "10.0 m, 10.0 m, 30.0 m up" in window.run("return document.getElementById('content').innerText")
    assert window.complaints() == []
    window.open(written(tmp_path, block("mft-pubsub")), "t=5")
    flat = window.run("return document.getElementById('content').innerText")
    assert not any(sign in flat for sign in signs)


@needs_browser
def test_a_narrow_screen_shows_all_of_it(window: Browser, tmp_path: Path) -> None:
    window.resize(400, 800)
    try:
        window.open(written(tmp_path, block("mft-pubsub")), "t=20&node=9&tab=node")
        assert window.run("return document.documentElement.scrollWidth") == 400
        for name in ("#stage canvas", "aside", "#timeline canvas", "#theme", "#play"):
            box = window.run(
                "const b = document.querySelector(arguments[0]).getBoundingClientRect();"
                "return [b.left, b.right, b.top, b.bottom]",
                name,
            )
            left, right, top, bottom = box
            assert 0 <= left < right <= 400, name
            assert 0 <= top < bottom <= 800, name
        assert window.run("return document.querySelector('#stage canvas').clientHeight") > 150
        window.open(written(tmp_path, *(block(protocol) for protocol in PROTOCOLS)), "t=20")
        boxes = panels(window)
        assert [(left, right) for left, right, _, _ in boxes] == [(0, 200), (200, 400), (0, 400)]
        assert all(bottom - top >= 180 for _, _, top, bottom in boxes)
        assert boxes[0][3] <= boxes[2][2]
        window.run(
            "const draw = CanvasRenderingContext2D.prototype.fillText; window.ticks = new Set();"
            "CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {"
            "  if (text.endsWith(' s')) window.ticks.add(x); draw.call(this, text, x, y); };"
        )
        window.resize(390, 800)
        wait_for(lambda: window.run("return window.ticks.size"))
        ticks = sorted(window.run("return [...window.ticks]"))
        assert len(ticks) > 1
        assert all(after - before > 40 for before, after in pairwise(ticks))
    finally:
        window.resize(1280, 800)


@needs_browser
def test_two_runs_are_side_by_side_on_a_small_screen_and_nothing_is_beyond_its_end(
    window: Browser, tmp_path: Path
) -> None:
    file = written(tmp_path, block("mft-pubsub"), block("mft-mesh"))
    try:
        for width, height in ((400, 800), (640, 360)):
            window.resize(width, height)
            window.open(file, "t=20")
            (left, middle, top, _), (start, right, other_top, _) = panels(window)
            assert (left, middle, right) == (0, start, width)
            assert top == other_top
            assert window.run(
                "const aside = document.querySelector('aside').clientHeight;"
                "const below = document.getElementById('timeline').getBoundingClientRect().bottom;"
                "return aside >= 150 && below <= document.documentElement.scrollHeight"
            )
            captions = "[...document.querySelectorAll('figcaption')]"
            assert window.run(f"return {captions}.every(c => c.scrollWidth <= c.clientWidth)")
    finally:
        window.resize(1280, 800)


@needs_browser
def test_of_a_run_that_is_shorter_than_another_it_is_told_that_it_is_over(
    window: Browser, tmp_path: Path
) -> None:
    captions = "return [...document.querySelectorAll('figcaption')].map(c => c.innerText)"
    file = written(tmp_path, block("mft-pubsub"), block("mft-mesh", "C8", 40.0))
    window.open(file, "t=40")
    assert not any("over at" in caption for caption in window.run(captions))
    window.open(file, "t=40.5")
    longer, shorter = window.run(captions)
    assert "over at" not in longer
    assert shorter.endswith(" · over at 40.00 s")
    assert window.complaints() == []


@needs_browser
def test_stepping_goes_through_the_frames_that_are_shown(window: Browser, tmp_path: Path) -> None:
    frames = result("mft-pubsub").to_pandas("frames")
    wanted = frames[(frames.time_s > 20) & ~frames.kind.isin(["ACK", "HEARTBEAT"])].time_s.head(4).tolist()
    window.open(written(tmp_path, block("mft-pubsub")), "t=20&hide=ACK,HEARTBEAT")
    found = []
    for _ in wanted:
        window.press(".")
        found.append(window.run("return viewer.state.time"))
    assert found == pytest.approx(wanted, abs=2 * TICK)
    window.press(",")
    assert window.run("return viewer.state.time") == pytest.approx(wanted[-2], abs=2 * TICK)


@needs_browser
def test_a_click_on_a_node_shows_its_state(window: Browser, tmp_path: Path) -> None:
    window.open(written(tmp_path, block("mft-pubsub")), "t=30")
    node = result("mft-pubsub").snapshot(30.0).nodes[12]
    x, y = window.run(
        """const box = document.querySelector('.pane canvas').getBoundingClientRect();
        const scene = viewer.scenes[0];
        return [box.x + scene.xs[12], box.y + scene.ys[12]]"""
    )
    window.click(x, y)
    assert window.run("return viewer.state.node") == 12
    text = window.run("return document.getElementById('content').innerText")
    assert f"{node.x:.1f} m, {node.y:.1f} m" in text
    frames = result("mft-pubsub").to_pandas("frames")
    sent = frames[(frames.node == 12) & (frames.time_s <= 30) & (frames.kind == "PUB")]
    assert re.search(rf"PUB\s+{len(sent)}\n", text)


@needs_browser
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_journeys_of_a_hundred_events_agree_with_the_trace(
    window: Browser, tmp_path: Path, protocol: str
) -> None:
    window.open(written(tmp_path, block(protocol)))
    deliveries = result(protocol).to_pandas("deliveries")
    frames = result(protocol).to_pandas("frames")
    events = sorted(
        {(int(p), int(s)) for p, s in zip(deliveries.publisher, deliveries.sequence, strict=True)}
    )
    drawn = random.Random(7).sample(events, 100)
    journeys = window.run(
        """const run = viewer.runs[0];
        return arguments[0].map(([publisher, sequence]) =>
            journeysOf(run, run.findEvent(publisher, sequence)).map((one) => ({...one,
                delivered: Number.isNaN(one.delivered) ? null : one.delivered})))""",
        drawn,
    )
    wholes = 0
    for (publisher, sequence), found in zip(drawn, journeys, strict=True):
        expected = deliveries[(deliveries.publisher == publisher) & (deliveries.sequence == sequence)]
        by_subscriber = expected.set_index("subscriber")
        assert {one["subscriber"] for one in found} == set(by_subscriber.index)
        for journey in found:
            row = by_subscriber.loc[journey["subscriber"]]
            assert same_time(journey["delivered"], row.delivered_s)
            check_hops(journey, row, publisher, frames)
            wholes += journey["isWhole"] and journey["delivered"] is not None
    count = sum(one["delivered"] is not None for found in journeys for one in found)
    assert wholes >= 0.98 * count
    assert count > 250


@needs_browser
def test_journeys_are_whole_where_messages_come_in_parts(window: Browser, tmp_path: Path) -> None:
    """A frame of 802.15.4 has 127 B at most, an event of 100 B of payload more."""
    case = scenario("mft-pubsub-r", duration=40.0).replace(radio={"model": "lr-wpan"})
    run = mftpubsub.run(case)
    frames = run.to_pandas("frames")
    window.open(written(tmp_path, page.of_result(run)))
    found = window.run(
        """const run = viewer.runs[0];
        return [...run.eventTime.keys()].flatMap((event) => journeysOf(run, event)).filter(
            (one) => !Number.isNaN(one.delivered))"""
    )
    assert len(found) > 300
    assert all(journey["isWhole"] for journey in found)
    for journey in found:
        assert abs(journey["hops"][-1]["arrived"] - journey["delivered"]) < 2e-4
        assert all(frames.iloc[hop["frame"]].kind in ("PUB", "REP") for hop in journey["hops"])


def check_hops(journey: dict[str, Any], row: Any, publisher: int, frames: pd.DataFrame) -> None:
    """Each hop is a frame of the trace, from who had the event to who gets it, none before the one before."""
    time = row.published_s
    for hop in journey["hops"]:
        frame = frames.iloc[hop["frame"]]
        assert frame.node == hop["from"]
        assert pd.isna(frame.peer) or frame.peer == hop["to"]
        assert frame.kind in ("PUB", "REP", "DATA")
        assert hop["had"] >= time - 2e-4
        assert frame.time_s >= hop["had"] - 2e-4
        time = hop["arrived"]
    ways = [
        (one["to"], other["from"]) for one, other in zip(journey["hops"], journey["hops"][1:], strict=False)
    ]
    assert all(to == origin for to, origin in ways)
    if journey["delivered"] is None or not journey["isWhole"]:
        return
    last = journey["hops"][-1]
    assert journey["hops"][0]["from"] == publisher
    assert last["to"] == journey["subscriber"]
    assert last["arrived"] == pytest.approx(row.delivered_s, abs=2e-4)
    assert pd.isna(row.peer) or row.peer == last["from"]
    if all(frames.iloc[hop["frame"]].kind != "REP" for hop in journey["hops"]):
        assert len(journey["hops"]) == row.hops  # a replay restarts the trace's count


def test_a_page_that_cannot_be_written_leaves_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = written(tmp_path, b"before").read_text()

    def fill(path: Path, text: str, encoding: str) -> None:
        path.write_bytes(text.encode(encoding)[:100])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(Path, "write_text", fill)
        with pytest.raises(mftpubsub.QueryError, match=r"view.html cannot be written: No space left"):
            written(tmp_path, b"after")
    assert [path.read_text() for path in tmp_path.iterdir()] == [before]


@needs_browser
def test_a_result_shows_itself_in_a_notebook(window: Browser, tmp_path: Path) -> None:
    shown = result("mft-mesh").view()
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html><body data-ready='true'>{shown._repr_html_()}")
    window.open(notebook)
    inner = "document.querySelector('iframe').contentDocument"
    wait_for(lambda: window.run(f"return {inner}?.body?.dataset.ready === 'true'"), 60)
    assert "MFT-Mesh" in window.run(f"return {inner}.querySelector('figcaption').innerText")
    assert window.complaints() == []
    shown.save(tmp_path / "view.html")
    window.open(tmp_path / "view.html")
