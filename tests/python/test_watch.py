"""A run that is watched, in the terminal or in the browser, is the run that it is without."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

import numpy as np
import pytest
from browser import IS_MISSING, browser
from conftest import wait_for
from rich.console import Console
from typer.testing import CliRunner
from viewer_pages import decode

import mftpubsub
from mftpubsub import Every, Live, Observer, Scenario
from mftpubsub.cli import watch
from mftpubsub.cli.main import app
from mftpubsub.simulator.snapshot import Node, Snapshot
from mftpubsub.views.viewer import live

THESIS = Path(__file__).parents[2] / "configs" / "thesis.yaml"
PROTOCOLS = ("mft-pubsub", "aodv", "mft-mesh")


def scenario(protocol: str = "mft-pubsub", duration: float = 30.0) -> Scenario:
    case = mftpubsub.load(THESIS).case(protocol=protocol, config="C8", speed=8, seed=3)
    return case.replace(duration=duration, publisher={"stop": 0.75 * duration})


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "one.yaml"
    file.write_text(scenario().to_yaml())
    return file


@pytest.fixture(autouse=True)
def no_browser_of_the_desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webbrowser.open", lambda _: None)
    monkeypatch.setattr(watch, "_BROWSER_S", 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_trace_of_a_run_that_is_watched_is_the_same(
    protocol: str, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "_LINE_S", 0.0)  # looks whenever it can
    traces: list[bytes] = []
    for options in ([], ["--watch"], ["--watch", "--view"]):
        trace = tmp_path / f"{len(traces)}.gz"
        words = ["run", str(config), "--protocol", protocol, "--trace", str(trace), *options]
        assert CliRunner().invoke(app, words).exit_code == 0
        traces.append(trace.read_bytes())
    assert traces[1:] == traces[:1] * 2


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_at_the_end_the_counters_are_the_metrics(protocol: str) -> None:
    seen: list[Snapshot] = []
    metrics = mftpubsub.run(scenario(protocol), observers=[Every(10.0, seen.append)]).metrics
    counters = seen[-1].counters
    assert seen[-1].time_s == 30
    assert counters.published == metrics["published"]
    assert counters.wanted == metrics["sent_pairs"]
    assert counters.delivered == metrics["delivered_pairs"]
    assert counters.migrations == metrics["migrations"]
    assert counters.frames == metrics["frames_by_kind"]
    assert counters.air_time_s / 30 == pytest.approx(metrics["senders_mean"])
    assert counters.undelivered == metrics["lost_by_cause"]
    published = [snapshot.counters.published for snapshot in seen]
    assert published == sorted(published)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", [*PROTOCOLS, "cascading", "durable"])
def test_what_is_missing_by_then_is_what_a_run_loses_that_ends_then(protocol: str) -> None:
    """By cause; and who looks changes nothing of what is told at the end."""
    if protocol == "durable":
        case = mftpubsub.load(THESIS.with_name("fixed-brokers.yaml")).cases()[0].replace(protocol=protocol)
        case = case.replace(publisher={"start": 1.0, "stop": 10.0}, duration=16.0)
    else:
        case = scenario(protocol).replace(area=(150, 150), publisher={"stop": 10.0}, duration=16.0)
    seen: list[Snapshot] = []
    lost = mftpubsub.run(case, observers=[Every(2.0, seen.append, start=10.0)]).metrics["lost_by_cause"]
    assert seen[-1].counters.undelivered == lost
    assert mftpubsub.run(case).metrics["lost_by_cause"] == lost
    assert protocol == "aodv" or seen[0].counters.undelivered["QUEUED"] > 0
    for snapshot in seen[:-1]:
        ended = mftpubsub.run(case.replace(duration=snapshot.time_s)).metrics["lost_by_cause"]
        assert snapshot.counters.undelivered == ended, snapshot.time_s


def test_what_is_counted_by_then_is_what_the_trace_has_by_then() -> None:
    seen: list[Snapshot] = []
    result = mftpubsub.run(scenario(), observers=[Every(7.0, seen.append)])
    frames, deliveries = result.to_pandas("frames"), result.to_pandas("deliveries")
    for snapshot in seen:
        is_sent = frames.time_s <= snapshot.time_s
        assert snapshot.counters.frames == frames[is_sent].kind.value_counts().to_dict()
        assert snapshot.counters.delivered == (deliveries.delivered_s <= snapshot.time_s).sum()


def test_who_looks_by_the_wall_clock_sees_the_end_and_no_more_than_it_asked_for() -> None:
    often: list[float] = []
    seldom: list[float] = []
    observers: list[Observer] = [
        Live(lambda snapshot: often.append(snapshot.time_s), interval=0),
        Live(lambda snapshot: seldom.append(snapshot.time_s), interval=3600),
        Every(10.0, lambda snapshot: None),
    ]
    mftpubsub.run(scenario(), observers=observers)
    assert often == [float(second) for second in range(31)]
    assert seldom == [0, 30]


def test_parts_are_those_that_links_join() -> None:
    def of(count: int, *links: tuple[int, int]) -> list[set[int]]:
        nodes = tuple(Node(i, (), 0, 0, True, None, None, 0) for i in range(count))
        return sorted(Snapshot(0, (1, 1), nodes, frozenset(links)).parts, key=min)

    assert of(3) == [{0}, {1}, {2}]
    assert of(6, (0, 5), (2, 3), (3, 5)) == [{0, 2, 3, 5}, {1}, {4}]
    assert of(4, (0, 1), (2, 3), (1, 2)) == [{0, 1, 2, 3}]


# ---- in the terminal ----


def test_without_a_terminal_it_is_a_line_at_a_time(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "_LINE_S", 0.0)
    told = CliRunner().invoke(app, ["run", str(config), "--watch", "--json"])
    lines = told.stderr.splitlines()
    assert [line.split(" s of 30 s, ")[0] for line in lines] == [str(second) for second in range(31)]
    metrics = json.loads(told.stdout)
    assert f"{metrics['delivered_pairs']} of {metrics['sent_pairs']} delivered" in lines[-1]
    assert "nodes sending at a time: " in lines[-1]
    assert "leaders" in lines[-1]
    quiet = CliRunner().invoke(app, ["run", str(config), "--watch", "--quiet", "--json"])
    assert (quiet.stderr, list(json.loads(quiet.stdout))) == ("", list(metrics))


def test_in_a_terminal_it_is_a_table_that_is_renewed(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Console(force_terminal=True, record=True, width=150, file=StringIO())
    monkeypatch.setattr(watch, "console", lambda: screen)
    monkeypatch.setattr(watch, "_REFRESH_S", 0.0)
    assert CliRunner().invoke(app, ["run", str(config), "--watch"]).exit_code == 0
    text = screen.export_text()
    assert "0 s of 30 s" in text
    assert "30 s of 30 s" in text
    for name in ("delivery", "missing", "air", "tree", "network"):
        assert name in text


@pytest.mark.slow
def test_ctrl_c_ends_it_as_any_run(tmp_path: Path) -> None:
    file = tmp_path / "long.yaml"
    file.write_text(scenario(duration=1e6).to_yaml())
    ends = []
    for options in ([], ["--watch"], ["--watch", "--view"]):
        trace = tmp_path / "trace.gz"
        program = [sys.executable, "-m", "mftpubsub", "run", str(file), "--trace", str(trace), *options]
        process = subprocess.Popen(
            program,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"BROWSER": "true"},
        )
        wait_for(lambda: len(list(tmp_path.iterdir())) > 1)  # the trace has begun
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        printed, told = process.communicate(timeout=120)
        assert "Traceback" not in told
        assert [path.name for path in tmp_path.iterdir()] == ["long.yaml"]
        ends.append((process.returncode, printed))
    assert ends == ends[:1] * 3


# ---- in the browser ----

_OPENER = build_opener(ProxyHandler({}))


def ask(page: live.LivePage, path: str) -> tuple[int, bytes]:
    with _OPENER.open(page.address + path, timeout=60) as answer:
        return answer.status, answer.read()


@contextmanager
def served(of: Scenario) -> Iterator[live.LivePage]:
    with live.LivePage(of) as page:
        yield page


def test_the_server_hands_out_what_is_new() -> None:
    of = scenario()
    told: list[dict[str, Any]] = []
    with served(of) as page:
        assert page.address.startswith("http://127.0.0.1:")
        assert b"mftpubsub-live" in ask(page, "")[1]
        assert ask(page, "run?after=0") == (204, b"")
        with pytest.raises(HTTPError, match="404"):
            ask(page, "etc/passwd")

        def look(snapshot: Snapshot) -> None:
            page.show(snapshot)
            status, block = ask(page, f"run?after={len(told)}")
            assert status == 200
            told.append(decode(block)[0])
            assert ask(page, f"run?after={len(told)}") == (204, b"")

        metrics = mftpubsub.run(of, observers=[Every(10.0, look)]).metrics
        columns = decode(ask(page, "run?after=0")[1])[1]
    assert [header["live"]["until"] for header in told] == [0, 10, 20, 30]
    assert told[-1]["metrics"]["delivered_pairs"] == metrics["delivered_pairs"]
    assert columns["film.x"].shape == (4, 18)
    assert (np.diff(columns["film.time"].ravel()) > 0).all()


def test_a_page_that_goes_before_its_answer_leaves_the_terminal_alone(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    is_gone = threading.Event()
    answer = live._Handler._answer

    def late(handler: live._Handler, *told: Any) -> None:
        assert is_gone.wait(30)
        for _ in range(100):  # until the system has taken notice
            answer(handler, *told)

    monkeypatch.setattr(live._Handler, "_answer", late)
    monkeypatch.setattr(live._Server, "daemon_threads", False)  # so that the end waits for its answers
    with served(scenario()) as page:
        host = urlsplit(page.address)
        with socket.create_connection((host.hostname, host.port)) as asking:
            asking.sendall(b"GET / HTTP/1.0\r\n\r\n")
            asking.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        is_gone.set()
        with pytest.raises(HTTPError, match="400: after is how many looks"):
            ask(page, "run?after=one")
    assert capfd.readouterr().err == ""


def test_of_many_looks_it_keeps_some_and_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_MOST_LOOKS", 10)
    of = scenario()
    with served(of) as page:
        ask(page, "run?after=0")
        mftpubsub.run(of, observers=[Every(1.0, page.show)])
        times = decode(ask(page, "run?after=0")[1])[1]["film.time"].ravel() * 1e-6
    assert times.tolist() == [0, 4, 8, 12, 16, 20, 24, 28, 30]


def test_it_waits_for_nobody_if_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    of = scenario()
    with served(of) as page:
        monkeypatch.setattr(page._server.has_end, "wait", lambda _: pytest.fail("it waits"))
        mftpubsub.run(of, observers=[Live(page.show, 0)])


def test_a_page_that_is_open_is_given_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the server goes: it asks only now and then."""
    monkeypatch.setattr(live, "_PATIENCE_S", 300.0)
    of = scenario()
    until: list[float] = []

    def follow(page: live.LivePage) -> None:
        with suppress(URLError):  # the server is gone
            while until[-1:] != [30]:
                time.sleep(0.5)
                if block := ask(page, "run?after=0")[1]:
                    until.append(decode(block)[0]["live"]["until"])

    with served(of) as page:
        ask(page, "run?after=0")
        following = threading.Thread(target=follow, args=(page,))
        following.start()
        mftpubsub.run(of, observers=[Live(page.show, 0)])
    following.join()
    assert until[-1] == 30


def test_every_page_that_is_open_is_given_the_end() -> None:
    """Two tabs ask one after the other; when one has the end, the other has not yet asked."""
    of = scenario()
    until: dict[str, float] = {}

    def take_end(page: live.LivePage, name: str) -> None:
        time.sleep(0.5)
        until[name] = decode(ask(page, f"run?after=0&page={name}")[1])[0]["live"]["until"]

    with served(of) as page:
        for name in "ab":
            ask(page, f"run?after=0&page={name}")
        mftpubsub.run(of, observers=[Live(page.show, 0)])
        ask(page, "run?after=0&page=a")
        asking = threading.Thread(target=take_end, args=(page, "b"))
        asking.start()
    asking.join()
    assert until == {"b": 30}


@pytest.mark.browser
@pytest.mark.skipif(IS_MISSING, reason="no browser: the page is not tried")
def test_a_page_follows_a_run_to_its_end() -> None:
    of = scenario()
    with browser() as window, served(of) as page:
        may_go_on = threading.Event()

        def look(snapshot: Snapshot) -> None:
            page.show(snapshot)
            if snapshot.time_s == 10:
                may_go_on.wait(120)

        run = threading.Thread(target=mftpubsub.run, args=(of,), kwargs={"observers": [Every(10.0, look)]})
        opening = threading.Thread(target=window.open_address, args=(page.address,))
        opening.start()
        page.wait_for_page(30)
        run.start()
        opening.join()
        wait_for(lambda: window.run("return viewer.runs[0].until") == 10)
        assert window.run("return document.body.dataset.live") == "true"
        assert window.run("return viewer.runs[0].nodes") == 18
        may_go_on.set()
        run.join()
        wait_for(lambda: window.run("return viewer.runs[0].until") == 30)
        wait_for(lambda: window.run("return viewer.state.time") == 30)
        assert window.run("return document.body.dataset.live ?? 'over'") == "over"
        assert "delivered_pairs" in window.run("return document.getElementById('content').innerText")
        wait_for(lambda: not window.run("return viewer.state.isPlaying"))
        assert window.run("return document.getElementById('notice').hidden")
        assert window.complaints() == []


@pytest.mark.browser
@pytest.mark.skipif(IS_MISSING, reason="no browser: the page is not tried")
def test_a_page_of_a_run_that_was_stopped_says_so_and_plays_what_there_is() -> None:
    of = scenario()
    shorter = of.replace(duration=10.0, publisher={"stop": 8.0})
    with browser() as window:
        with served(of) as page:
            opening = threading.Thread(target=window.open_address, args=(page.address,))
            opening.start()
            page.wait_for_page(30)
            mftpubsub.run(shorter, observers=[Every(5.0, page.show)])
            opening.join()
            wait_for(lambda: window.run("return viewer.runs[0].until") == 10)
        wait_for(lambda: window.run("return document.body.dataset.live ?? 'over'") == "over")
        wait_for(lambda: not window.run("return viewer.state.isPlaying"))
        notice = window.run("return document.getElementById('notice').innerText")
        assert "It goes to 10.00 s of 30 s." in notice
        assert window.run("viewer.togglePlay(); return viewer.state.time") < 10
