"""Exports: what other tools read is what the trace tells, and what the radio heard."""

from __future__ import annotations

import gzip
import json
import math
import shutil
import struct
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from PIL.GifImagePlugin import GifImageFile
from typer.testing import CliRunner

import mftpubsub
from mftpubsub.cli.main import app
from mftpubsub.runs.run import run_to_directory
from mftpubsub.scenario.faults import Crash
from mftpubsub.scenario.parameters import MftMesh
from mftpubsub.views.exports import export, moving
from mftpubsub.views.exports.pcapng import DISSECTOR
from mftpubsub.views.exports.recording import EVERYBODY, Excerpt, Frame, Recording, record_result

ROOT = Path(__file__).parents[2]
THESIS = ROOT / "configs" / "thesis.yaml"
NO_NODE = 0xFFFF

needs_tshark = pytest.mark.skipif(
    shutil.which("tshark") is None, reason="no tshark: captures are not read (Debian: apt-get install tshark)"
)
needs_ffmpeg = pytest.mark.skipif(
    shutil.which("ffmpeg") is None, reason="no ffmpeg: films are not made (Debian: apt-get install ffmpeg)"
)


def scenario(protocol: str) -> mftpubsub.Scenario:
    fixed = protocol in ("durable", "reactive", "pro-active", "pro-active-r")
    file = ROOT / "configs" / ("fixed-brokers.yaml" if fixed else "thesis.yaml")
    study = mftpubsub.load(file)
    config = study.cases()[0].config if fixed else "C4"
    like = protocol if fixed else "mft-pubsub"
    case = next(case for case in study.cases() if (case.protocol, case.config) == (like, config))
    return case.replace(protocol=protocol, duration=20.0, publisher={"start": 2.0, "stop": 15.0})


@cache
def recording(protocol: str, begin_s: float = 0.0, end_s: float | None = None) -> Recording:
    """A run that was looked at for all formats."""
    excerpt = Excerpt(begin_s, end_s, fps=2, pace=2.0)
    wanted = export.wanted([Path("a.pcapng"), Path("a.gif")], excerpt)
    return record_result(mftpubsub.run(scenario(protocol)), wanted)


@cache
def frames(protocol: str) -> list[Frame]:
    return list(recording(protocol).frames())


def written(some: Recording, folder: Path, suffix: str) -> Path:
    out = folder / f"run{suffix}"
    export.write(some, [out])
    assert [path.name for path in folder.iterdir()] == [out.name]
    return out


FIELDS = (
    "frame.time_epoch",
    "frame.interface_name",
    "mftpubsub.air.kind",
    "mftpubsub.air.sender",
    "mftpubsub.air.to",
    "mftpubsub.air.bytes",
    "mftpubsub.air.received",
    "mftpubsub.air.bit_error",
    "mftpubsub.air.interference",
    "mftpubsub.air.not_receiving",
    "mftpubsub.kind",
    "mftpubsub.source",
    "mftpubsub.destination",
    "mftpubsub.event",
    "mftpubsub.sequence",
    "mftpubsub.session",
    "mftpubsub.number",
    "mftpubsub.more",
    "mftpubsub.continued",
    "mftpubsub.rest",
    "mftpubsub.roles",
    "mftpubsub.parent",
    "mftpubsub.subscriber",
    "mftpubsub.timestamp",
    "mftpubsub.filter",
    "mftpubsub.filter.set",
    "mftpubsub.shift",
    "mftpubsub.x",
    "mftpubsub.y",
    "mftpubsub.summary",
    "mftpubsub.sums",
    "mftpubsub.blocks",
    "mftpubsub.event.publisher",
    "mftpubsub.event.sequence",
    "mftpubsub.event.attribute",
    "mftpubsub.event.payload",
    "_ws.col.Info",
    "_ws.expert.message",
    "_ws.lua.text",
    "aodv.type",
)
Row = dict[str, str]


def dissected(capture: Path) -> list[Row]:
    """What Wireshark shows of each packet; several values of a field stand with commas between."""
    fields = [word for field in FIELDS for word in ("-e", field)]
    done = subprocess.run(
        ["tshark", "-X", f"lua_script:{DISSECTOR}", "-r", str(capture), "-T", "fields", *fields],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "rror" not in done.stderr, done.stderr
    return [dict(zip(FIELDS, line.split("\t"), strict=True)) for line in done.stdout.splitlines()]


def write_ethernet(path: Path, contents: Iterable[tuple[int, bytes]]) -> None:
    """A capture of frames of these EtherTypes, as ns-3's pcap helpers write it; one each second."""
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for second, (ethertype, content) in enumerate(contents):
            whole = bytes(12) + struct.pack(">H", ethertype) + content
            file.write(struct.pack("<IIII", second, 0, len(whole), len(whole)) + whole)


def numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",") if number]


OURS = (
    "mft-pubsub",
    "mft-pubsub-r",
    "cascading",
    "phoenix",
    "strawman",
    "mft-mesh",
    "mpl",
    "epidemic",
    "reactive",
)
IP = ("aodv", "aodv-acked", "olsr", "dsdv")


@pytest.mark.slow
@needs_tshark
@pytest.mark.parametrize("protocol", [*OURS, *IP])
def test_wireshark_shows_every_frame_and_who_heard_it(protocol: str, tmp_path: Path) -> None:
    rows = dissected(written(recording(protocol), tmp_path, ".pcapng"))
    assert len(rows) == len(frames(protocol)) > 100
    for row, frame in zip(rows, frames(protocol), strict=True):
        assert float(row["frame.time_epoch"]) == pytest.approx(frame.time_s, abs=1e-9)
        assert row["frame.interface_name"] == f"node {frame.node}"
        assert row["mftpubsub.air.kind"] == frame.kind
        assert row["mftpubsub.air.sender"] == str(frame.node)
        assert row["mftpubsub.air.to"] == str(NO_NODE if frame.peer == EVERYBODY else frame.peer)
        assert row["mftpubsub.air.bytes"] == str(frame.bytes)
        heard = frame.by_outcome()
        assert numbers(row["mftpubsub.air.received"]) == heard.get("received", [])
        assert numbers(row["mftpubsub.air.bit_error"]) == heard.get("bit error", [])
        assert numbers(row["mftpubsub.air.interference"]) == heard.get("interference", [])
        assert numbers(row["mftpubsub.air.not_receiving"]) == heard.get("radio not receiving", [])


@pytest.mark.slow
@needs_tshark
@pytest.mark.parametrize("protocol", OURS)
def test_wireshark_reads_our_messages(protocol: str, tmp_path: Path) -> None:
    """Kind, ends and sequence are in the bytes; the trace tells the first two from elsewhere."""
    rows = dissected(written(recording(protocol), tmp_path, ".pcapng"))
    for row, frame in zip(rows, frames(protocol), strict=True):
        assert row["mftpubsub.kind"] == frame.kind
        assert row["mftpubsub.source"] == str(frame.node)
        assert row["_ws.expert.message"] == row["_ws.lua.text"] == row["mftpubsub.rest"] == "", row
        if frame.peer != EVERYBODY:
            assert row["mftpubsub.destination"] == str(frame.peer)
            assert row["mftpubsub.sequence" if row["mftpubsub.session"] else "mftpubsub.number"]


@pytest.mark.slow
@needs_tshark
@pytest.mark.parametrize("protocol", ["mft-pubsub", "mft-pubsub-r", "mft-mesh"])
def test_wireshark_reads_what_heartbeats_say(protocol: str, tmp_path: Path) -> None:
    """The parents are those that the trace says were chosen."""
    rows = dissected(written(recording(protocol), tmp_path, ".pcapng"))
    bits = {"broker": 1, "subscriber": 2, "publisher": 4}
    roles = [sum(bits[role] for role in some) for some in recording(protocol).roles()]
    heartbeats = [row for row in rows if row["mftpubsub.kind"] == "HEARTBEAT"]
    assert all(row["mftpubsub.roles"] == str(roles[int(row["mftpubsub.source"])]) for row in heartbeats)
    trace = recording(protocol).result.to_pandas()
    chosen = trace[trace["layer"].isin(["tree", "attachment"])]
    pairs = {*zip(chosen["node"].astype(int), chosen["peer"].astype(int), strict=True)}
    said = {(int(row["mftpubsub.source"]), int(row["mftpubsub.parent"] or NO_NODE)) for row in heartbeats}
    assert {(node, parent) for node, parent in said if parent != NO_NODE} <= pairs
    assert protocol == "mft-mesh" or any(parent != NO_NODE for _, parent in said)


@pytest.mark.slow
@needs_tshark
def test_wireshark_reads_the_words_of_the_mesh(tmp_path: Path) -> None:
    """Each subscriber has a word, and who wants the same shares a set of filters."""
    wanted = {3: ["topic = 'a'"], 4: ["topic = 'a'"], 5: ["topic = 'b'", "topic = 'c'"]}
    nodes = [
        mftpubsub.Group(3, [mftpubsub.Broker()]),
        *(mftpubsub.Group(1, [mftpubsub.Subscriber(where=where)]) for where in wanted.values()),
        mftpubsub.Group(8, [mftpubsub.Publisher(rate=8, payload=20, event={"topic": "a"})]),
    ]
    case = mftpubsub.Scenario(
        protocol="mft-mesh",
        area=(20, 20),
        nodes=nodes,
        mobility=mftpubsub.Static(),
        duration=20,
        transport=mftpubsub.Transport(max_frame=140),
    )
    recorded = record_result(
        mftpubsub.run(case), export.wanted([Path("a.pcapng")], Excerpt(0.0, None, 2, 2.0))
    )
    rows = dissected(written(recorded, tmp_path, ".pcapng"))
    assert not any(row["mftpubsub.rest"] or row["_ws.lua.text"] for row in rows)
    said: dict[int, list[str]] = {}
    for row in (row for row in rows if row["mftpubsub.kind"] == "SUB"):
        sets = numbers(row["mftpubsub.filter.set"])
        assert (
            len(sets) == len(numbers(row["mftpubsub.subscriber"])) == len(numbers(row["mftpubsub.timestamp"]))
        )
        if len({*sets}) == 1:
            said |= dict.fromkeys(numbers(row["mftpubsub.subscriber"]), row["mftpubsub.filter"].split(","))
    assert said == wanted
    parts = [row["mftpubsub.summary"] for row in rows if "to before" in row["mftpubsub.summary"]]
    assert any(" 6:0" in part or " 7:0" in part for part in parts)


@pytest.mark.slow
@needs_tshark
def test_wireshark_reads_where_events_for_a_few_are(tmp_path: Path) -> None:
    """Two want what is published, far away: brokers name both, and tell who is behind."""
    nodes = [
        mftpubsub.Group(1, [mftpubsub.Publisher(rate=2, start=6, event={"topic": "a"})]),
        mftpubsub.Group(2, [mftpubsub.Subscriber(["topic = 'a'"])]),
        mftpubsub.Group(200, [mftpubsub.Broker()]),
    ]
    case = mftpubsub.Scenario(
        protocol="mft-mesh", area=(600, 60), nodes=nodes, mobility=mftpubsub.Static(), duration=20, seed=1
    )
    recorded = record_result(
        mftpubsub.run(case), export.wanted([Path("a.pcapng")], Excerpt(6.0, None, 2, 2.0))
    )
    rows = dissected(written(recorded, tmp_path, ".pcapng"))
    assert not any(row["mftpubsub.rest"] or row["_ws.lua.text"] for row in rows)
    told = [row for row in rows if row["mftpubsub.kind"] == "TAKEN"]
    assert told
    assert all({*numbers(row["mftpubsub.subscriber"])} <= {1, 2} for row in told)
    shared = [row for row in rows if row["mftpubsub.kind"] == "PUB" and "1,2" in row["mftpubsub.subscriber"]]
    assert shared


@pytest.mark.slow
@needs_tshark
def test_wireshark_reads_where_nodes_are(tmp_path: Path) -> None:
    """Every frame says where its sender is, and of who stands still others say the same."""
    nodes = [
        mftpubsub.Group(1, [mftpubsub.Publisher(rate=2, start=6, event={"topic": "a"})]),
        mftpubsub.Group(2, [mftpubsub.Subscriber(["topic = 'a'"])]),
        mftpubsub.Group(60, [mftpubsub.Broker()]),
    ]
    case = mftpubsub.Scenario(
        protocol="mft-mesh",
        area=(200, 60),
        nodes=nodes,
        mobility=mftpubsub.Static(),
        duration=20,
        mft_mesh=MftMesh(positions=True),
    )
    recorded = record_result(
        mftpubsub.run(case), export.wanted([Path("a.pcapng")], Excerpt(0.0, None, 20, 20.0))
    )
    rows = dissected(written(recorded, tmp_path, ".pcapng"))
    assert not any(row["mftpubsub.rest"] or row["_ws.lua.text"] for row in rows)
    here: dict[int, tuple[int, int]] = {}
    told = 0
    for row in rows:
        spots = [*zip(numbers(row["mftpubsub.x"]), numbers(row["mftpubsub.y"]), strict=True)]
        assert here.setdefault(int(row["mftpubsub.source"]), spots[0]) == spots[0]
        others = numbers(row["mftpubsub.subscriber"])[-len(spots[1:]) :] if spots[1:] else []
        told += len(others)
        assert all(here[node] == spot for node, spot in zip(others, spots[1:], strict=True))
    assert len({*here.values()}) > 50
    assert told > 50


@needs_tshark
def test_wireshark_reads_the_hashes_of_the_mesh(tmp_path: Path) -> None:
    """More words than a BSUB holds: a broker that has lost its own hears by hashes what others have."""
    case = mftpubsub.Scenario(
        protocol="mft-mesh",
        area=(10, 10),
        nodes=[
            mftpubsub.Group(2, [mftpubsub.Broker()]),
            mftpubsub.Group(60, [mftpubsub.Subscriber(where=["topic = 'a'"])]),
            mftpubsub.Group(1, [mftpubsub.Publisher(payload=20)]),
        ],
        mobility=mftpubsub.Static(),
        duration=30,
        transport=mftpubsub.Transport(max_frame=100),
        faults=[Crash(0, at=15, restart=16)],
    )
    recorded = record_result(
        mftpubsub.run(case), export.wanted([Path("a.pcapng")], Excerpt(0.0, None, 30, 30.0))
    )
    rows = dissected(written(recorded, tmp_path, ".pcapng"))
    assert not any(row["mftpubsub.rest"] or row["_ws.lua.text"] for row in rows)
    shifts = [row["mftpubsub.shift"] for row in rows if row["mftpubsub.kind"] == "BSUB"]
    assert "2" in shifts  # 62 ids by fours: 18 hashes at most fit into a frame
    assert "" in shifts


@pytest.mark.slow
@needs_tshark
@pytest.mark.parametrize("protocol", [*OURS, "aodv", "aodv-acked"])
def test_wireshark_finds_the_events_that_the_simulator_says_frames_carry(
    protocol: str, tmp_path: Path
) -> None:
    rows = dissected(written(recording(protocol), tmp_path, ".pcapng"))
    carried: dict[int, list[str]] = {}
    for block in recording(protocol).seen.air.carried:
        for record in block:
            carried.setdefault(int(record["frame"]), []).append(f"{record['publisher']}.{record['sequence']}")
    assert len(carried) > 20
    for place, row in enumerate(rows):
        assert [event for event in row["mftpubsub.event"].split(",") if event] == carried.get(place, [])


@needs_tshark
def test_wireshark_reads_the_sums_of_the_mesh(tmp_path: Path) -> None:
    case = mftpubsub.Scenario(
        protocol="mft-mesh",
        area=(60, 60),
        nodes=[
            mftpubsub.Group(6, [mftpubsub.Broker()]),
            mftpubsub.Group(4, [mftpubsub.Subscriber(where=["topic = 'a'"])]),
            mftpubsub.Group(2, [mftpubsub.Publisher(rate=60, start=1, stop=3, event={"topic": "a"})]),
        ],
        mobility=mftpubsub.Static(),
        duration=4,
    )
    recorded = record_result(
        mftpubsub.run(case), export.wanted([Path("a.pcapng")], Excerpt(0.0, None, 30, 30.0))
    )
    rows = dissected(written(recorded, tmp_path, ".pcapng"))
    assert not any(row["mftpubsub.rest"] or row["_ws.expert.message"] for row in rows)
    mixed = {place for place, row in enumerate(rows) if row["mftpubsub.sums"]}
    assert mixed
    carried: dict[int, list[str]] = {}
    for block in recorded.seen.air.carried:
        for record in block:
            carried.setdefault(int(record["frame"]), []).append(f"{record['publisher']}.{record['sequence']}")
    for place in mixed:
        assert rows[place]["mftpubsub.event"].split(",") == carried[place]
    of_blocks = {place for place, row in enumerate(rows) if row["mftpubsub.blocks"]}
    assert of_blocks & {*carried}
    assert of_blocks - {*carried}  # sums of several blocks, or one times a factor
    for place in of_blocks:
        assert rows[place]["mftpubsub.event"] == ",".join(carried.get(place, []))


TREE, MESH = 0x88B5, 0xF5B5


@needs_tshark
def test_wireshark_reads_texts_of_any_language(tmp_path: Path) -> None:
    """Of a SUB, and of an event in a PUB."""

    def text(words: str) -> bytes:
        return struct.pack(">H", len(words.encode())) + words.encode()

    def message(kind: int, body: bytes) -> tuple[int, bytes]:
        return TREE, struct.pack(">HHBHHB", 5, 7, kind, 1, 1, 0) + body

    capture, words = tmp_path / "run.pcap", "'K\u00fcche' LIKE '\U0001f600%'"
    sub = struct.pack(">H", 5) + text(words) + struct.pack(">IB", 1, 0)
    pub = struct.pack(">HIB", 5, 1, 1) + text("stra\u00dfe") + b"\2" + text(words) + b"\0\0" + b"\0"
    write_ethernet(capture, [message(1, sub), message(3, pub)])
    rows = dissected(capture)
    assert [row["mftpubsub.rest"] for row in rows] == ["", ""]
    assert [row["mftpubsub.filter"] for row in rows] == [words, ""]
    assert [row["mftpubsub.event.attribute"] for row in rows] == ["", f'stra\u00dfe = "{words}"']


BROKEN = "The frame ends too early, or makes no sense"
HEADER = struct.pack(">HHBIB", 7, NO_NODE, 79, 1234, 5)
NO_STATE = b"\0\2"  # and two hops


def sum_of(runs: list[tuple[int, int, int]], factors: bytes, content: bytes) -> bytes:
    """A frame of the mesh with a sum of blocks (protocols/mesh/block-codec.cc)."""
    packed = b"".join(struct.pack(">HHB", *run) for run in runs)
    return HEADER + NO_STATE + bytes([len(runs)]) + packed + factors + content


def block(*events: bytes) -> bytes:
    """Events as protocols/mesh/blocks.cc packs them; checksums are not verified."""
    return struct.pack(">IH", 0xABCDEF01, sum(map(len, events))) + b"".join(events)


def one(content: bytes) -> bytes:
    """A frame with nothing but a block."""
    return sum_of([(3, 65535, 1)], b"\x10", content)


ID = b"\0" + struct.pack(">HI", 3, 17)
TOPIC = b"\1\0\1t\2\0\1" + b"a"
TEMPERATURE = b"\1\0\1d\0" + struct.pack(">q", -3)
BLOCK = block(
    ID + TOPIC + b"\0\2xy",
    b"\x81" + TEMPERATURE + b"\0\0",
    b"\0" + struct.pack(">HI", 4, 0xFFFFFFFF) + b"\0\1z",
    b"\x81\0\0",
)
BLOCKS = sum_of([(3, 65530, 30), (4, 2, 1)], bytes(range(16)), bytes(40))


@needs_tshark
def test_wireshark_reads_the_events_of_a_block(tmp_path: Path) -> None:
    """Ids that follow from those before, attributes as an earlier event's, and zeros behind the last."""
    capture = tmp_path / "run.pcap"
    state = bytes(10)  # roles, a hash, no summaries, answers, open events and distances
    with_state = HEADER + b"\1" + state + one(BLOCK)[len(HEADER) + 1 :]
    contents = [one(BLOCK + bytes(9)), with_state, BLOCKS, sum_of([(3, 1, 1)], b"\x20", BLOCK), one(block())]
    write_ethernet(capture, ((MESH, content) for content in contents))
    rows = dissected(capture)
    assert all(row["mftpubsub.rest"] == row["_ws.expert.message"] == "" for row in rows)
    for row in rows[:2]:
        assert row["mftpubsub.event"] == "3.17,3.18,4.4294967295,4.0"
        assert row["mftpubsub.event.publisher"] == "3,3,4,4"
        assert row["mftpubsub.event.sequence"] == "17,18,4294967295,0"
        assert row["mftpubsub.event.attribute"] == 't = "a",d = -3,t = "a",d = -3'
        assert row["mftpubsub.event.payload"] == "2,0,1,0"
    assert all(row["mftpubsub.event"] == "" for row in rows[2:])
    blocks = [row["mftpubsub.blocks"] for row in rows]
    assert blocks == ["3:65535", "3:65535", "3:65530-23,4:2", "3:1", "3:65535"]
    said = ["3.17 3.18 4.4294967295 4.0"] * 2 + ["a sum of 31 blocks"] + ["a sum of 1 block"] * 2
    assert [row["_ws.col.Info"] for row in rows] == [f"PUB {what}, number 5" for what in said]


MANY = ID + b"\xff" + b"\0\0\3\1" * 255 + b"\0\0"
NONSENSE = {
    "the first event is the next one": block(b"\x80" + TOPIC + b"\0\0"),
    "an event like a later one": block(b"\2" + ID[1:] + TOPIC + b"\0\0"),
    "an attribute of no type": block(ID + b"\1\0\1t\x09\0\0"),
    "more events than a block has": block(MANY, b"\x80\0\0" * 15000),
    "longer than its sum": struct.pack(">IH", 1, 0xFFFF) + BLOCK[6:],
    "an event longer than the block": block(ID + TOPIC + b"\xff\xff") + bytes(9),
}


@needs_tshark
def test_wireshark_says_which_sums_of_blocks_are_cut_off_or_nonsense(tmp_path: Path) -> None:
    """At each of their bytes; and none takes long."""
    capture = tmp_path / "run.pcap"
    whole = one(BLOCK)
    cut = [whole[:length] for length in range(len(HEADER), len(whole))]
    cut += [BLOCKS[:length] for length in range(len(HEADER), len(BLOCKS) - 40)]
    most = [HEADER + NO_STATE + b"\xff" * bytes_left for bytes_left in (90, 1 + 255 * 5 + 9000)]
    states = [HEADER + b"\1" + b"\xff" * bytes_left for bytes_left in (0, 5, 60, 9000)]
    wrong = [one(content) for content in NONSENSE.values()]
    write_ethernet(capture, ((MESH, content) for content in [*cut, *most, *states, *wrong]))
    rows = dissected(capture)
    assert {row["_ws.lua.text"] for row in rows} == {""}
    assert {row["_ws.expert.message"] for row in rows} == {BROKEN}
    assert {row["mftpubsub.kind"] for row in rows} == {"PUB"}


#: A protocol of each family.
OF_FAMILIES = ("mft-pubsub", "aodv-acked", "mft-mesh", "reactive")


def ethertypes(protocol: str) -> set[int]:
    return {packet.ethertype for _, packet in recording(protocol).packets()}


@pytest.mark.slow
def test_an_ethertype_is_one_family_s() -> None:
    assert ethertypes("mft-pubsub") == ethertypes("strawman") == ethertypes("cascading")
    assert ethertypes("mft-mesh") == ethertypes("mpl") == ethertypes("epidemic")
    of_family = [ethertypes(protocol) - ethertypes("aodv") for protocol in OF_FAMILIES]
    assert [len(some) for some in of_family] == [1, 1, 1, 1]
    assert len(set.union(*of_family)) == 4


@needs_tshark
@pytest.mark.parametrize("protocol", ["mft-pubsub", "mft-mesh", "reactive"])
def test_wireshark_reads_our_messages_behind_an_ethernet_header(protocol: str, tmp_path: Path) -> None:
    """Nothing but the EtherType tells the family."""
    path = tmp_path / "run.pcap"
    write_ethernet(path, ((packet.ethertype, packet.content) for _, packet in recording(protocol).packets()))
    rows = dissected(path)
    assert len(rows) == len(frames(protocol))
    for row, frame in zip(rows, frames(protocol), strict=True):
        assert row["mftpubsub.rest"] == row["_ws.lua.text"] == "", row
        assert row["mftpubsub.kind"] == frame.kind


@pytest.mark.slow
@needs_tshark
@pytest.mark.parametrize("protocol", ["mpl", "epidemic"])
def test_wireshark_finds_the_events_of_relayed_data(protocol: str, tmp_path: Path) -> None:
    rows = dissected(written(recording(protocol), tmp_path, ".pcapng"))
    published = recording(protocol).result.to_pandas("events")
    known = {f"{row.publisher}.{row.sequence}" for row in published.itertuples()}
    found = {event for row in rows for event in row["mftpubsub.event"].split(",") if event}
    assert found == known
    assert all((row["mftpubsub.event"] != "") == (row["mftpubsub.kind"] == "DATA") for row in rows)


@pytest.mark.slow
@needs_tshark
def test_wireshark_knows_where_a_message_goes_on_in_the_next_frame(tmp_path: Path) -> None:
    case = scenario("mft-pubsub").replace(transport={"max_frame": 64})
    some = record_result(mftpubsub.run(case), export.wanted([Path("a.pcapng")], Excerpt()))
    rows = dissected(written(some, tmp_path, ".pcapng"))
    first = [row["mftpubsub.more"] == "1" and not row["mftpubsub.continued"] for row in rows]
    last = [row["mftpubsub.more"] == "0" and row["mftpubsub.continued"] == "1" for row in rows]
    assert sum(first) > 10
    assert sum(last) > 10
    goes_on: dict[tuple[str, str, int], bool] = {}
    for row, frame in zip(rows, some.frames(), strict=True):
        assert row["mftpubsub.kind"] == frame.kind
        assert row["_ws.expert.message"] == row["_ws.lua.text"] == "", row
        assert not (row["mftpubsub.event"] and row["mftpubsub.continued"])
        if row["mftpubsub.more"] and frame.kind not in ("ACK", "ASK", "CLOSED"):
            way, sequence = (row["mftpubsub.source"], row["mftpubsub.destination"]), row["mftpubsub.sequence"]
            before = goes_on.get((*way, (int(sequence) - 1) % 128), False)
            assert (row["mftpubsub.continued"] == "1") == before, row
            goes_on[*way, int(sequence)] = row["mftpubsub.more"] == "1"


@pytest.mark.slow
@needs_tshark
@pytest.mark.parametrize("protocol", ["aodv", "aodv-acked"])
def test_wireshark_reads_aodvs_own_messages(protocol: str, tmp_path: Path) -> None:
    rows = dissected(written(recording(protocol), tmp_path, ".pcapng"))
    types = {"RREQ": "1", "RREP": "2", "HELLO": "2", "RERR": "3", "RREP_ACK": "4", "DATA": "", "ACK": ""}
    assert {frame.kind for frame in frames(protocol)} >= {"RREQ", "RREP", "HELLO", "DATA"}
    for row, frame in zip(rows, frames(protocol), strict=True):
        assert row["aodv.type"] == types[frame.kind], row


def test_netanim_is_shown_every_frame_and_where_nodes_are(tmp_path: Path) -> None:
    root = ET.parse(written(recording("mft-pubsub"), tmp_path, ".xml")).getroot()
    assert (root.tag, root.attrib) == ("anim", {"ver": "netanim-3.108", "filetype": "animation"})
    sent = root.findall("pr")
    assert len(sent) == len(frames("mft-pubsub"))
    received: dict[str, list[ET.Element]] = {}
    for element in root.findall("wpr"):
        received.setdefault(element.attrib["uId"], []).append(element)
    for element, frame in zip(sent, frames("mft-pubsub"), strict=True):
        assert int(element.attrib["fId"]) == frame.node
        assert float(element.attrib["fbTx"]) == pytest.approx(frame.time_s, abs=1e-9)
        assert frame.kind in element.attrib["meta-info"]
        mine = received.pop(element.attrib["uId"], [])
        assert [int(one.attrib["tId"]) for one in mine] == frame.received
        for one in mine:
            times = float(one.attrib["fbRx"]), float(one.attrib["lbRx"])
            assert times == pytest.approx((frame.time_s, frame.time_s + frame.bytes * 32e-6), abs=1e-9)
    assert not received


def test_netanim_is_shown_where_nodes_are_and_what(tmp_path: Path) -> None:
    root = ET.parse(written(recording("mft-pubsub"), tmp_path, ".xml")).getroot()
    film = recording("mft-pubsub").seen.film
    nodes = recording("mft-pubsub").roles()
    at: dict[int, tuple[float, float]] = {}
    told: dict[str, list[dict[str, str]]] = {"p": [], "d": [], "c": [], "s": []}
    for element in root.findall("nu"):
        told[element.attrib["p"]].append(element.attrib)
    assert [element.attrib["id"] for element in root.findall("node")] == [str(i) for i in range(len(nodes))]
    assert {update["descr"].split()[1] for update in told["d"]} == {"broker", "subscriber", "publisher"}
    assert len(told["c"]) == len(told["s"]) == len(nodes)
    updates = iter(told["p"])
    update = next(updates, None)
    for time_s, places in zip(film.times, film.places(), strict=True):
        while update is not None and float(update["t"]) <= time_s:
            at[int(update["id"])] = (float(update["x"]), float(update["y"]))
            update = next(updates, None)
        assert [at[node] for node in range(len(nodes))] == [tuple(place) for place in places.tolist()]
    assert update is None


@pytest.mark.parametrize(("begin_s", "end_s"), [(5.1, 5.3), (5.2, 6.3)])
def test_netanim_begins_with_where_nodes_were_last_seen(tmp_path: Path, begin_s: float, end_s: float) -> None:
    """Looks are taken each half second: there is none in the first part."""
    whole = recording("mft-pubsub")
    part = Recording(whole.result, whole.seen, Excerpt(begin_s, end_s))
    root = ET.parse(written(part, tmp_path, ".xml")).getroot()
    film = whole.seen.film
    seen = [tuple(place) for place in film.places()[film.times.index(5.0)].tolist()]
    assert [(float(one.attrib["locX"]), float(one.attrib["locY"])) for one in root.findall("node")] == seen
    moves = [one.attrib for one in root.findall("nu") if one.attrib["p"] == "p"]
    first = [(float(one["x"]), float(one["y"])) for one in moves if float(one["t"]) == begin_s]
    assert first == seen
    assert {float(one["t"]) for one in moves} <= {begin_s, 5.5, 6.0}


@pytest.mark.slow
def test_a_part_of_a_run_is_what_is_between(tmp_path: Path) -> None:
    part = recording("mft-pubsub", 5.0, 8.0)
    between = [frame for frame in frames("mft-pubsub") if 5 <= frame.time_s <= 8]
    assert list(part.frames()) == between
    events = json.loads(gzip.decompress(written(part, tmp_path, ".json.gz").read_bytes()))["traceEvents"]
    assert sum(event["ph"] == "X" for event in events) == len(between)
    assert all(5e6 <= event["ts"] <= 8e6 for event in events if "ts" in event)
    (tmp_path / "run.json.gz").unlink()
    root = ET.parse(written(part, tmp_path, ".xml")).getroot()
    assert len(root.findall("pr")) == len(between)
    assert all(5 <= float(update.attrib["t"]) <= 8 for update in root.findall("nu"))


def test_the_macs_wait_of_each_frame_is_told(tmp_path: Path) -> None:
    """10 us is the radio's turnaround; frames leave a MAC in the order in which it took them."""
    some = recording("mft-pubsub")
    told = json.loads(gzip.decompress(written(some, tmp_path, ".json.gz").read_bytes()))["traceEvents"]
    begins, ends = ([event for event in told if event["ph"] == phase] for phase in "be")
    waits = [end["ts"] - begin["ts"] for begin, end in zip(begins, ends, strict=True)]

    assert [event["ts"] for event in ends] == [event["ts"] for event in told if event["ph"] == "X"]
    assert [begin["id"] for begin in begins] == [end["id"] for end in ends] == list(range(len(ends)))
    assert min(waits) == pytest.approx(10)
    assert waits.count(min(waits)) > len(waits) / 10
    assert max(waits) > 1000
    for node in {event["tid"] for event in begins}:
        taken = [event["ts"] for event in begins if event["tid"] == node]
        assert taken == sorted(taken)
        assert {event["name"] for event in begins if event["tid"] == node} == {f"MAC of {node}"}


@pytest.mark.parametrize(("radio", "us"), [(mftpubsub.Wifi(), 8.0), (mftpubsub.LrWpan(), 32.0)])
def test_frames_are_as_long_as_their_radio_takes(tmp_path: Path, radio: Any, us: float) -> None:
    case = scenario("mft-mesh").replace(radio=radio, publisher={"payload": 40})
    some = record_result(mftpubsub.run(case), export.wanted([Path("a.json")], Excerpt()))
    events = json.loads(gzip.decompress(written(some, tmp_path, ".json.gz").read_bytes()))["traceEvents"]
    lengths = {event["dur"] / event["args"]["bytes"] for event in events if event["ph"] == "X"}
    assert min(lengths) == pytest.approx(us) == pytest.approx(max(lengths))


def test_perfetto_shows_how_long_frames_were_faults_and_queues_that_change(tmp_path: Path) -> None:
    case = scenario("mft-pubsub").replace(faults=[mftpubsub.crash(2, at=6, restart=9)])
    wanted = export.wanted([Path("a.json")], Excerpt(4.0, 18.0, fps=2, pace=2.0))
    some = record_result(mftpubsub.run(case), wanted)
    events = json.loads(gzip.decompress(written(some, tmp_path, ".json.gz").read_bytes()))["traceEvents"]
    for frame in (event for event in events if event["ph"] == "X"):
        assert frame["dur"] == pytest.approx(frame["args"]["bytes"] * 32)  # us, at 250 kbit/s
    faults = [(event["name"], event["ts"], event["tid"]) for event in events if event.get("cat") == "fault"]
    assert faults == [("CRASH begins", 6e6, 2), ("CRASH is over", 9e6, 2)]
    queues: dict[str, list[int]] = {}
    for event in events:
        if event["ph"] == "C":
            queues.setdefault(event["name"], [0]).append(event["args"]["events"])
    assert queues
    assert all(now != then for counts in queues.values() for then, now in pairwise(counts))
    waits = [event["ts"] for event in events if event["ph"] == "b"]
    assert min(waits) >= 4e6
    heartbeats = [event["name"] for event in events if event.get("cat") == "HEARTBEAT"]
    assert {*heartbeats} == {"HEARTBEAT to everybody"}
    trace = some.result.to_pandas()
    moves = trace[trace["layer"].eq("tree") & trace["kind"].isin(["BMIG", "MIG"])]
    moved = [event["ts"] for event in events if event["name"] == "migrates"]
    assert moved == pytest.approx([1e6 * time for time in moves["time_s"] if 4.0 <= time <= 18.0])
    assert moved


@pytest.mark.slow
def test_a_gif_has_a_picture_for_each_instant(tmp_path: Path) -> None:
    part = recording("mft-pubsub", 5.0, 8.0)
    assert [snapshot.time_s for snapshot in part.snapshots] == [5, 6, 7, 8]
    with Image.open(written(part, tmp_path, ".gif")) as gif:
        assert isinstance(gif, GifImageFile)
        assert gif.n_frames == 4
        assert gif.info["duration"] == 500
        pictures = []
        for place in range(4):
            gif.seek(place)
            pictures.append(gif.convert("RGB").tobytes())
    assert len(set(pictures)) == 4


def test_a_gif_keeps_its_pace_at_any_number_of_pictures_a_second(tmp_path: Path) -> None:
    """30 a second are no whole number of 1/100 s each."""
    whole = recording("mft-pubsub")
    part = Recording(whole.result, whole.seen, Excerpt(fps=30), whole.snapshots[:7])
    with Image.open(written(part, tmp_path, ".gif")) as gif:
        assert isinstance(gif, GifImageFile)
        shown_ms = []
        for place in range(gif.n_frames):
            gif.seek(place)
            shown_ms.append(gif.info["duration"])
    assert shown_ms == [30, 40, 30, 30, 40, 30, 30]


def test_a_gif_of_one_picture_is_written(tmp_path: Path) -> None:
    whole = recording("mft-pubsub")
    part = Recording(whole.result, whole.seen, Excerpt(fps=30), whole.snapshots[:1])
    with Image.open(written(part, tmp_path, ".gif")) as gif:
        assert isinstance(gif, GifImageFile)
        assert gif.n_frames == 1


def test_each_frame_is_in_one_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[tuple[float, list[Frame]]] = []
    monkeypatch.setattr(
        moving, "_draw", lambda _, snapshot, frames: drawn.append((snapshot.time_s, list(frames)))
    )
    part = recording("mft-pubsub", 5.0, 8.0)
    written(part, tmp_path, ".gif")
    assert [frame for _, frames in drawn for frame in frames] == list(part.frames())
    assert all(time_s - 1 < frame.time_s <= time_s for time_s, frames in drawn for frame in frames)


@pytest.mark.slow
@needs_ffmpeg
def test_a_film_lasts_as_long_as_its_pictures(tmp_path: Path) -> None:
    film = written(recording("mft-pubsub", 5.0, 8.0), tmp_path, ".mp4")
    asked = "stream=nb_frames,duration,codec_name"
    told = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", asked, "-of", "json", str(film)],
        capture_output=True,
        text=True,
        check=True,
    )
    (stream,) = json.loads(told.stdout)["streams"]
    assert (stream["nb_frames"], float(stream["duration"]), stream["codec_name"]) == ("4", 2.0, "h264")


def test_without_ffmpeg_a_film_is_refused_and_what_to_install_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(mftpubsub.InstallationError, match="apt-get install ffmpeg"):
        export.wanted([Path("run.mp4")], Excerpt())


def test_an_ffmpeg_that_fails_is_told_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "ffmpeg"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    with pytest.raises(mftpubsub.RunError, match="ffmpeg could not write the film"):
        export.write(recording("mft-pubsub", 5.0, 8.0), [tmp_path / "run.mp4"])
    assert [path.name for path in tmp_path.iterdir()] == ["bin"]


def refused(*words: str) -> str:
    told = CliRunner().invoke(app, ["export", str(THESIS), *words])
    assert told.exit_code != 0
    return f"{told.output} {told.exception}"


@pytest.mark.parametrize(
    "given", [{"fps": 0}, {"fps": -1}, {"pace": 0.0}, {"pace": -1.0}, {"pace": math.nan}]
)
def test_pictures_that_never_reach_the_end_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(mftpubsub.QueryError, match="need fps and pace above 0"):
        Excerpt(**given).instants(20.0)


@pytest.mark.slow
def test_the_command_says_what_it_cannot_write(tmp_path: Path) -> None:
    chosen = ("--protocol", "mft-pubsub", "--config", "C2", "--speed", "8", "--seed", "1")
    gif = ("--out", str(tmp_path / "run.gif"))
    assert "there is no folder" in refused("--out", str(tmp_path / "no" / "run.json"))
    assert "choose a run by --protocol (mft-pubsub, aodv), --config" in refused(*gif)
    assert "must end in one of .json, .json.gz, .pcapng, .xml, .gif, .mp4" in refused(
        *chosen, "--out", str(tmp_path / "run.pcap")
    )
    assert "from 0 to 700 s" in refused(*chosen, *gif, "--from", "20", "--to", "10")
    assert "from 0 to 700 s" in refused(*chosen, *gif, "--to", "701")
    assert "too many pictures (at most 3000)" in refused(*chosen, *gif)
    assert not [*tmp_path.iterdir()]


def test_a_run_of_other_code_is_not_exported(tmp_path: Path) -> None:
    old: Any = mftpubsub.Result(
        scenario("mft-mesh"),
        tmp_path,
        recording("mft-mesh").seen.cost,
        rerun_obstacle="it was run by other code",
    )
    with pytest.raises(mftpubsub.QueryError, match="cannot be simulated anew: it was run by other code"):
        old.export(tmp_path / "run.xml")


@pytest.mark.slow
def test_a_run_of_a_sweep_is_exported_as_several_files(tmp_path: Path) -> None:
    folder = run_to_directory(scenario("mft-mesh"), tmp_path)
    outs = [tmp_path / name for name in ("run.xml", "run.pcapng")]
    words = [word for out in outs for word in ("--out", str(out))]
    done = CliRunner().invoke(app, ["export", str(folder / "trace.gz"), *words, "--to", "5"])
    assert done.exit_code == 0, done.output
    assert [line.split(" (")[0] for line in done.stdout.splitlines()] == [str(out) for out in outs]
    assert f"lua_script:{DISSECTOR}" in done.stderr
    assert all(out.stat().st_size > 1000 for out in outs)


def test_of_a_trace_alone_it_is_told_what_is_lacking(tmp_path: Path) -> None:
    trace = tmp_path / "my.trace"
    shutil.copy(recording("mft-mesh").result.trace, trace)
    told = CliRunner().invoke(app, ["export", str(trace), "--out", str(tmp_path / "run.gif")])
    assert "is a trace alone, which does not tell where nodes were" in str(told.exception)


@pytest.mark.slow
def test_run_captures_its_frames_and_keeps_its_trace(tmp_path: Path) -> None:
    config, capture, trace = (tmp_path / name for name in ("small.yaml", "run.pcapng", "trace.gz"))
    config.write_text(scenario("mft-pubsub").to_yaml())
    words = ["run", str(config), "--json", "--pcap", str(capture), "--trace", str(trace)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.stderr
    assert (
        json.loads(done.stdout)["delivered_pairs"]
        == recording("mft-pubsub").result.metrics["delivered_pairs"]
    )
    assert str(DISSECTOR) in done.stderr
    assert trace.read_bytes() == recording("mft-pubsub").result.trace.read_bytes()
    assert (
        capture.read_bytes() == written(recording("mft-pubsub"), tmp_path / "again", ".pcapng").read_bytes()
    )


def test_run_refuses_a_capture_of_another_name(tmp_path: Path) -> None:
    config = tmp_path / "small.yaml"
    config.write_text(scenario("mft-pubsub").to_yaml())
    told = CliRunner().invoke(app, ["run", str(config), "--pcap", str(tmp_path / "run.gif")])
    assert "must end in .pcapng" in told.output
    told = CliRunner().invoke(app, ["run", str(config), "--pcap", str(tmp_path / "no" / "run.pcapng")])
    assert "there is no folder" in told.output


@pytest.mark.parametrize("command", ["run --trace", "run --pcap", "export --out", "view --out"])
def test_a_folder_as_the_file_to_write_is_refused_before_a_run(tmp_path: Path, command: str) -> None:
    folder, config = tmp_path / "run.pcapng", tmp_path / "small.yaml"
    folder.mkdir()
    config.write_text(scenario("mft-pubsub").to_yaml())
    name, option = command.split()
    told = CliRunner().invoke(app, [name, str(config), option, str(folder)])
    assert told.exit_code == 2
    assert f"Invalid value for {option}" in told.output
    assert "is no regular file" in " ".join(told.output.replace("│", "").split())
