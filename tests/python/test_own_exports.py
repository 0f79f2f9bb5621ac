"""Frames of protocols of one's own in other tools: their fields, as the classes of messages name them."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest
from browser import Browser
from own_flood import Flood
from test_exports import needs_tshark
from typer.testing import CliRunner
from viewer_pages import needs_browser, written

import mftpubsub
from mftpubsub.cli.main import app
from mftpubsub.protocols import EventId, Filter, Station, f64, i64, message, u8, u16
from mftpubsub.protocols.device import Device
from mftpubsub.views.exports.own import FIRST_KIND, TREE_ETHERTYPE, FieldReader
from mftpubsub.views.exports.pcapng import DISSECTOR
from mftpubsub.views.viewer.page import of_result

sys.path.insert(0, str(Path(__file__).parents[2] / "python" / "examples" / "protocols"))

from tree_broker import TreeBroker


@message
class Part:
    number: u8
    text: str


@message
class Many:
    first: u8
    is_on: bool
    number: i64
    ids: list[EventId]
    text: str
    maybe: EventId | None
    real: f64
    where: Filter
    parts: list[Part]
    pair: tuple[u8, tuple[Part, u16]]
    some: set[u16]


PARTS = [Part(1, "a"), Part(2, "b")]
SAID = Many(
    7,
    True,
    -5,
    [EventId(1, 2), EventId(3, 4)],
    "hi",
    None,
    2.5,
    Filter("temp > 20"),
    PARTS,
    (9, (Part(3, "c"), 700)),
    {5, 2},
)


class Saying(Station):
    """Says one message of many fields to node 1."""

    messages = (Many,)

    def start(self) -> None:
        if self.id == 0:
            self.send(SAID, 1)


def result(protocol: Device, brokers: int = 1) -> mftpubsub.Result:
    groups = [
        mftpubsub.Group(1, [mftpubsub.Publisher(start=3.0, stop=8.0)]),
        mftpubsub.Group(brokers, ["broker"]),
        mftpubsub.Group(1, [mftpubsub.Subscriber()]),
    ]
    return mftpubsub.run(
        mftpubsub.Scenario(
            area=(10, 10), nodes=groups, mobility=mftpubsub.Static(), duration=10, protocol=protocol
        )
    )


def dissected(folder: Path, protocol: Device, *fields: str) -> list[list[str]]:
    result(protocol, brokers=3 if isinstance(protocol, TreeBroker) else 1).export(folder / "run.pcapng")
    words = [word for field in fields for word in ("-e", field)]
    scripts = [f"lua_script:{path}" for path in (DISSECTOR, folder / "run.lua")]
    command = ["tshark", "-X", scripts[0], "-X", scripts[1], "-r", str(folder / "run.pcapng"), "-T", "fields"]
    done = subprocess.run([*command, *words], capture_output=True, text=True, check=True, timeout=300)
    assert "rror" not in done.stderr, done.stderr
    return [line.split("\t") for line in done.stdout.splitlines()]


@needs_tshark
def test_wireshark_shows_kind_ends_and_fields(tmp_path: Path) -> None:
    names = ("hops", "event")
    rows = dissected(
        tmp_path,
        Flood(),
        "mftpubsub.kind",
        "mftpubsub.source",
        "mftpubsub.air.sender",
        *(f"mftpubsub.own.{name}" for name in names),
        "mftpubsub.rest",
        "_ws.lua.text",
    )
    assert len(rows) > 5
    for kind, source, sender, hops, event, *wrong in rows:
        assert (kind, source) == ("DATA", sender)
        assert hops == ("1" if source == "0" else "2")
        assert event.startswith("0.")
        assert wrong == ["", ""]


@needs_tshark
def test_wireshark_reads_every_type(tmp_path: Path) -> None:
    names = [name for name, _ in Many.layout]  # type: ignore[attr-defined]
    rows = dissected(
        tmp_path, Saying(), "mftpubsub.destination", *(f"mftpubsub.own.{name}" for name in names)
    )
    simple = ["1", "7", "true", "-5", "[1.2, 3.4]", "hi", "None", "2.5", "temp > 20"]
    parts = ["[Part(number=1, text=a), Part(number=2, text=b)]", "(9, (Part(number=3, text=c), 700))"]
    assert rows == [[*simple, *parts, "[2, 5]"]]


@message
class Größenteil:
    text: str


@message
class Größe:
    höhe: u8
    hähe: u8
    teile: list[Größenteil]


class Flöd(Station):
    """Says one message whose names are not in ASCII."""

    messages = (Größe,)

    def start(self) -> None:
        if self.id == 0:
            self.broadcast(Größe(7, 8, [Größenteil("ä")]))


@needs_tshark
def test_wireshark_reads_names_of_any_language(tmp_path: Path) -> None:
    named = ("mftpubsub.own.h-c3-b6he", "mftpubsub.own.h-c3-a4he", "mftpubsub.own.teile")
    rows = dissected(tmp_path, Flöd(), "mftpubsub.kind", *named, "_ws.col.Protocol")
    assert rows == [["GRÖSSE", "7", "8", "[Größenteil(text=ä)]", "flöd"]]


@needs_tshark
def test_wireshark_shows_messages_of_brokers_among_those_that_ship(tmp_path: Path) -> None:
    rows = dissected(
        tmp_path, TreeBroker(), "mftpubsub.kind", "mftpubsub.own.f", "mftpubsub.own.e", "_ws.lua.text"
    )
    assert {"HEARTBEAT", "ACK", "SUB", "PUB"} <= {kind for kind, *_ in rows}
    assert any(where for kind, where, *_ in rows if kind == "SUB")
    assert {wrong for *_, wrong in rows} == {""}


@message
class Book:
    number: u8
    pages: list[u16]


class Writing(TreeBroker):
    """Says a message of four frames to each neighbour."""

    messages: ClassVar[Any] = (*TreeBroker.messages, Book)

    def link_up(self, neighbour: int) -> None:
        super().link_up(neighbour)
        self.send(Book(9, [*range(2000)]), neighbour)

    def receive(self, message: Any, sender: int) -> None:
        if not isinstance(message, Book):
            super().receive(message, sender)


PAGES = f"[{' '.join(map(str, range(2000)))}]"


@needs_tshark
def test_wireshark_shows_a_message_of_several_frames_with_the_last(tmp_path: Path) -> None:
    rows = dissected(
        tmp_path, Writing(), "mftpubsub.kind", "mftpubsub.own.number", "mftpubsub.own.pages", "_ws.lua.text"
    )
    books = [row[1:] for row in rows if row[0] == "BOOK"]
    assert ["", "", ""] in books
    shown = [row for row in books if row != ["", "", ""]]
    assert shown
    assert {number for number, *_ in shown} == {"9"}
    assert {wrong for *_, wrong in shown} == {""}
    assert all(pages.startswith("[0, 1, 2") for _, pages, _ in shown)
    assert 2 * len(shown) < len(books)


def session_frame(kind: int, sequence: int, body: bytes, receiver: int, goes_on: bool = False) -> bytes:
    return bytes((0, 1, 0, 2, kind, 0, 5, 0, receiver, sequence + 128 * goes_on)) + body


def test_only_parts_of_one_message_are_put_together() -> None:
    reader = FieldReader(Writing())
    body = Book(5, [1, 2]).encode()  # type: ignore[attr-defined]
    book, sub = FIRST_KIND + 2 * len(TreeBroker.messages), 1

    def said(*words: Any, **more: Any) -> dict[str, str]:
        return reader.fields(TREE_ETHERTYPE, session_frame(*words, **more))

    whole = {"number": "5", "pages": "[1 2]"}
    assert said(book, 127, body[:2], receiver=0, goes_on=True) == {}
    assert said(book, 0, body[2:], receiver=7) == whole
    assert said(book, 127, body[:2], receiver=6, goes_on=True) == {}
    assert said(book, 0, body, receiver=7) == whole  # of another session
    assert said(book, 127, body[:2], receiver=7, goes_on=True) == {}
    assert said(sub, 127, b"", receiver=7) == {}  # a round of sequence numbers later
    assert said(book, 0, body, receiver=7) == whole


def test_perfetto_is_told_a_message_of_several_frames_with_the_last(tmp_path: Path) -> None:
    result(Writing(), brokers=3).export(tmp_path / "run.json.gz")
    events = json.loads(gzip.decompress((tmp_path / "run.json.gz").read_bytes()))["traceEvents"]
    books = [event["args"] for event in events if event["ph"] == "X" and event["cat"] == "BOOK"]
    said = [book["fields"] for book in books if "fields" in book]
    assert said
    assert all(fields == {"number": "9", "pages": PAGES} for fields in said)
    assert 2 * len(said) < len(books)


def test_the_page_has_what_frames_say() -> None:
    for protocol, said in ((Flood(), ("hops", "1")), (TreeBroker(), ("f", "topic = 'f1'"))):
        content = gzip.decompress(of_result(result(protocol, brokers=3)))
        size = int.from_bytes(content[:4], "little")
        told = json.loads(content[4 : 4 + size])
        assert any(said in fields.items() for fields in told["fields"])
        assert any(column["name"] == "frame.fields" for column in told["columns"])


@message
class Note:
    text: str


class Noting(Station):
    """Says one text of two lines."""

    messages = (Note,)

    def start(self) -> None:
        if self.id == 0:
            self.broadcast(Note("one\nhops: 9"))


@needs_browser
def test_the_page_shows_a_text_of_several_lines_as_one_field(window: Browser, tmp_path: Path) -> None:
    window.open(written(tmp_path, of_result(result(Noting()))))
    assert window.run("return viewer.runs[0].said(0)") == [["text", "one\nhops: 9"]]
    window.run("viewer.seek(1, 0, 0)")
    names = window.run("return [...document.querySelectorAll('.frame th')].map((one) => one.innerText)")
    assert names == ["from", "to", "at", "on the air", "text"]


def test_perfetto_is_told_the_fields(tmp_path: Path) -> None:
    result(Flood()).export(tmp_path / "run.json.gz")
    events = json.loads(gzip.decompress((tmp_path / "run.json.gz").read_bytes()))["traceEvents"]
    said = [event["args"]["fields"] for event in events if event["ph"] == "X"]
    assert {fields["hops"] for fields in said} == {"1", "2"}
    assert said[0]["event"] == "0.0"


def test_fields_say_for_whom_a_frame_is_and_read_as_in_transcripts(tmp_path: Path) -> None:
    result(Saying()).export(tmp_path / "run.json.gz")
    events = json.loads(gzip.decompress((tmp_path / "run.json.gz").read_bytes()))["traceEvents"]
    (fields,) = [event["args"]["fields"] for event in events if event["ph"] == "X"]
    assert fields["meant for"] == "1"
    assert fields["pair"] == "[9 [Part(3, c) 700]]"
    assert fields["some"] == "[2 5]"


def test_the_command_names_both_dissectors(tmp_path: Path) -> None:
    scenario, out = tmp_path / "own.yaml", tmp_path / "run.pcapng"
    scenario.write_text(result(Flood()).scenario.to_yaml())
    done = CliRunner().invoke(app, ["export", str(scenario), "--to", "2", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert f"-X lua_script:{DISSECTOR} -X lua_script:{tmp_path / 'run.lua'} {out}" in done.stderr


@pytest.mark.parametrize("name", ["run.pcapng"])
def test_protocols_that_ship_have_no_dissector_beside(tmp_path: Path, name: str) -> None:
    shipped = result(Flood()).scenario.replace(protocol="mft-mesh")
    mftpubsub.run(shipped).export(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]
