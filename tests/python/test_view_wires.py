"""The viewer's pages of networks of wires: worlds of dispatchers, hand-offs, laboratories."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import Browser
from typer.testing import CliRunner
from viewer_pages import decode, needs_browser, written

import mftpubsub
from mftpubsub.cli.main import app
from mftpubsub.views.viewer.laboratory import of_transcript
from mftpubsub.worlds.handoff.scenario import HandoffScenario
from mftpubsub.worlds.handoff.view import of_run
from mftpubsub.worlds.handoff.world import logged
from mftpubsub.worlds.reconfiguration.view import of_world
from mftpubsub.worlds.reconfiguration.world import read_world, run_world

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
WORLD = ROOT / "tests" / "worlds" / "n20-1.json"
TICK = 1e-6
NEVER = 2**32 - 1


def test_a_world_of_wires_shows_its_messages_and_its_links() -> None:
    told, columns = decode(of_world(read_world(WORLD), "strawman"))
    world = read_world(WORLD)
    expected = run_world(world, "strawman")["messages"]
    kinds = Counter(told["kinds"][kind] for kind in columns["frame.kind"])
    assert kinds == {kind: hops for kind, hops in expected.items() if hops}
    assert (told["unit"], len(told["names"])) == ("s", world.dispatchers)
    first = world.reconfigurations[0]
    at = {round(time * TICK, 6): row for row, time in enumerate(columns["film.time"])}
    before, after = at[0.0], at[first.break_at]
    assert is_linked(columns, before, first.old)
    assert not is_linked(columns, after, first.old)
    assert is_linked(columns, at[round(first.break_at + world.t_rep, 6)], first.new)
    for time, node, peer in zip(
        columns["frame.time"], columns["frame.node"], columns["frame.peer"], strict=True
    ):
        row = np.searchsorted(columns["film.time"], time, side="right") - 1
        assert is_linked(columns, row, (node, peer))


def test_a_world_in_which_nothing_changes_is_shown() -> None:
    told, columns = decode(of_world(read_world(WORLD).model_copy(update={"reconfigurations": []}), "rp"))
    assert len(columns["frame.time"]) == 0
    assert columns["film.x"].shape == (1, len(told["names"]))


def rows_of(told: dict[str, Any], node: int, time: float = float("inf")) -> dict[str, str]:
    """What a node of a network of wires knows and holds at a time, by whom it is for."""
    rows = {}
    for since, whose, name, text in told["states"]:
        if whose == node and since <= time:
            rows[name] = text
    return {name: text for name, text in rows.items() if text}


@pytest.mark.parametrize("protocol", ["strawman", "tdu", "mft-r"])
def test_tables_of_dispatchers_are_those_that_lead_to_who_subscribes(protocol: str) -> None:
    """As built from scratch, before anything breaks and after all is repaired."""
    world = read_world(WORLD)
    told, columns = decode(of_world(world, protocol))
    wanted = {int(name): set(map(str, row)) for name, row in world.subscriptions.items()}
    first_break = min(item.break_at for item in world.reconfigurations)
    for time, instant in ((first_break / 2, 0), (float("inf"), len(columns["film.time"]) - 1)):
        links = {
            (one, other)
            for one in range(world.dispatchers)
            for other in range(one)
            if is_linked(columns, instant, (one, other))
        }
        for node in range(world.dispatchers):
            neighbours = {one + other - node for one, other in links if node in (one, other)}
            behind = {to: reached(links, to, node) for to in neighbours}
            rows = rows_of(told, node, time)
            if protocol == "mft-r":
                vias = {int(name): int(text.split()[1].rstrip(":")) for name, text in rows.items()}
                for home in wanted.keys() - {node}:
                    assert home in behind[vias[home]]
                continue
            expected = {
                str(to): set().union(*(wanted.get(far, set()) for far in behind[to])) for to in behind
            }
            expected["local"] = wanted.get(node, set())
            assert {name: set(text.split()) for name, text in rows.items()} == {
                name: patterns for name, patterns in expected.items() if patterns
            }


def reached(links: set[tuple[int, int]], start: int, but: int) -> set[int]:
    """Whom links lead to from `start`, if not by way of `but`."""
    found, todo = {but, start}, [start]
    while todo:
        here = todo.pop()
        beside = {one + other - here for one, other in links if here in (one, other)} - found
        found |= beside
        todo += beside
    return found - {but}


def is_linked(columns: dict[str, Any], instant: int, link: tuple[int, int]) -> bool:
    low, high = sorted(map(int, link))
    bit = high * (high - 1) // 2 + low
    return bool(columns["film.links"][instant, bit // 8] >> bit % 8 & 1)


def handoff() -> HandoffScenario:
    return HandoffScenario(
        scheme="reactive", subscribers=12, rate=5, mean_connected=15, warm_up=0, window=60, drain=10
    )


@pytest.mark.slow
def test_a_hand_off_run_shows_who_is_where() -> None:
    told, columns = decode(of_run(handoff()))
    log = logged(handoff())
    assert len(columns["frame.time"]) == len(log.sent) > 100
    assert "RECONNECT" in told["kinds"]
    place = {time: row for row, time in enumerate(columns["film.time"])}
    for at, subscriber, broker in log.moves[::5]:
        row = place[round(at / TICK)]
        linked = [b for b in range(1, 7) if is_linked(columns, row, (b, subscriber - 1000 + 7))]
        assert linked == ([] if broker == 0xFFFF else [broker])


def test_a_hand_off_run_shows_what_brokers_hold() -> None:
    told, _ = decode(of_run(handoff()))
    last = {subscriber: (at, broker) for at, subscriber, broker in logged(handoff()).moves}
    for subscriber, (at, broker) in last.items():
        if broker != 0xFFFF and at < 68:  # at rest again
            assert rows_of(told, broker)[f"S{subscriber - 1000}"].startswith("SERVING")
    assert any("buf=" in text and "STORING" in text for *_, text in told["states"])


def test_hand_offs_of_more_than_an_hour_are_shown_whole() -> None:
    long = HandoffScenario(scheme="jedi", subscribers=1, rate=0.002, warm_up=0, window=5000, drain=0)
    told, columns = decode(of_run(long))
    last_s = logged(long).sent[-1][0]
    assert last_s > NEVER * TICK
    assert columns["frame.time"][-1] * told["tick"] == pytest.approx(last_s, abs=told["tick"])


def test_a_world_of_more_than_an_hour_is_shown_whole() -> None:
    world = read_world(WORLD)
    later = [item.model_copy(update={"break_at": item.break_at + 5000}) for item in world.reconfigurations]
    told, columns = decode(of_world(world.model_copy(update={"reconfigurations": later}), "strawman"))
    broken_s = {round(time * told["tick"], 4) for time in columns["film.time"]}
    assert {round(item.break_at, 4) for item in later} <= broken_s
    assert told["duration"] > 5000 > NEVER * TICK


def test_of_a_world_the_protocol_must_be_told(tmp_path: Path) -> None:
    out = str(tmp_path / "view.html")
    told = CliRunner().invoke(app, ["view", str(WORLD), "--out", out])
    assert "--protocol: no protocol ''; there are strawman, tdu" in str(told.exception)
    told = CliRunner().invoke(
        app, ["view", str(WORLD), "--protocol", "ila", "--protocol", "rp", "--out", out]
    )
    assert told.exit_code == 0
    told = CliRunner().invoke(
        app,
        f"handoff run --scheme jedi --subscribers 6 --window 20 --warm-up 0 --drain 1 --view {out}".split(),
    )
    assert (told.exit_code, told.output.strip()) == (0, out)


def test_a_transcript_is_shown_message_by_message() -> None:
    (packed,) = of_transcript(ROOT / "tests" / "golden" / "mft-pubsub-simple-migration.txt")
    told, columns = decode(packed)
    assert told["names"][:7] == [f"b{number}" for number in range(1, 8)]
    assert told["texts"][-1] == "b2 -> b1 BMIG C=[(s3,1,1),(s6,1,2),(s7,1,2)] O=[] h=1"
    assert len(told["texts"]) == 49 + 2 == len(columns["frame.time"])
    assert [told["names"][node] for node in columns["frame.node"][-2:]] == ["b3", "b2"]
    table = {told["names"][node]: text for _, node, _, text in told["states"]}
    assert "s3 via b2 t=1 h=3: topic = 'f3'" in table["b1"]
    before = [
        text for step, node, _, text in told["states"] if node == 0 and step < columns["frame.time"][-1]
    ]
    assert "s3 via b3 t=1 h=2: topic = 'f3'" in before[-1]
    links = np.unpackbits(columns["film.links"], axis=1, bitorder="little")
    linked = [links[:, high * (high - 1) // 2 + low].tolist() for low, high in ((0, 2), (1, 2))]
    assert [column[0] for column in linked] == [1, 0]
    assert [column[-1] for column in linked] == [0, 1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    sorted(str(file.relative_to(GOLDEN)) for file in GOLDEN.rglob("*.txt")),
)
def test_every_transcript_can_be_shown(name: str) -> None:
    file = GOLDEN / name
    blocks = of_transcript(file)
    assert len(blocks) == sum(line.startswith("lab ") for line in file.read_text().splitlines())
    for told, columns in map(decode, blocks):
        assert columns["film.x"].shape == (told["duration"] + 1, len(told["names"]))
        assert (columns["film.x"][0] >= 0).all()
        assert (columns["film.x"][0] <= 100_000).all()


@pytest.mark.parametrize(
    ("text", "broker", "expected"),
    [
        (
            "lab tdu A-B B-C\nsubscribe g at C\nsettle\n",
            "A",
            "B:g",
        ),
        (
            "lab reactive b1-b2\nsubscribe s at b1\nsettle\ndisconnect s\nsettle\npublish e\nsettle\n",
            "b1",
            "s: STORING buf=[e]",
        ),
    ],
)
def test_tables_of_every_laboratory_are_shown(tmp_path: Path, text: str, broker: str, expected: str) -> None:
    file = tmp_path / "one.txt"
    file.write_text(text.replace("\n", "\n\n"))
    (packed,) = of_transcript(file)
    told, _ = decode(packed)
    assert rows_of(told, told["names"].index(broker)) == {"": expected}


def test_what_is_no_transcript_is_told(tmp_path: Path) -> None:
    file = tmp_path / "some.txt"
    file.write_text("subscribe s1 at b1 where a = 1\n")
    with pytest.raises(mftpubsub.MftPubsubError, match=r"some.txt:1: .*: there is no laboratory yet"):
        of_transcript(file)
    file.write_text("# nothing\n")
    with pytest.raises(mftpubsub.QueryError, match="no laboratory in it"):
        of_transcript(file)


@needs_browser
@pytest.mark.parametrize(
    "name", ["mft-pubsub-complex-migration", "reconfiguration/shared-end", "handoff/reactive-move"]
)
def test_laboratories_play_without_complaint(window: Browser, tmp_path: Path, name: str) -> None:
    window.open(written(tmp_path, *of_transcript(GOLDEN / f"{name}.txt")), "t=3")
    for key in (" ", ".", ".", ",", "k", "d", " "):
        window.press(key)
    for tab in ("guide", "node", "run"):
        window.run("document.querySelector(`[data-tab=${arguments[0]}]`).click()", tab)
        window.run("viewer.pickNode(1)")
        assert len(window.run("return document.getElementById('content').innerText")) > 40
    assert window.complaints() == []


@needs_browser
def test_the_table_of_a_dispatcher_is_shown_as_it_was(window: Browser, tmp_path: Path) -> None:
    told, _ = decode(block := of_world(read_world(WORLD), "strawman"))
    node, since = next((row[1], row[0]) for row in told["states"] if row[0] > 0)
    for time in (since - 1e-4, since + 1e-4):
        window.open(written(tmp_path, block), f"t={time}&node={node}&tab=node")
        shown = window.run("return document.querySelector('#content pre')?.textContent ?? ''").splitlines()
        assert dict(line.split(": ") for line in shown) == rows_of(told, node, time)
    assert window.complaints() == []


@needs_browser
def test_of_wires_messages_are_counted_and_no_events(window: Browser, tmp_path: Path) -> None:
    told, columns = decode(block := of_world(read_world(WORLD), "ila"))
    window.open(written(tmp_path, block), "tab=run")
    text = " ".join(window.run("return document.getElementById('content').innerText").split())
    seconds = f"{told['duration']:.6f}".rstrip("0")
    assert f"duration {seconds} s messages {len(columns['frame.time'])} What" in text
