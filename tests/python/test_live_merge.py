"""The traces of live nodes become a run."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mftpubsub.cli.main import app
from mftpubsub.errors import TraceError
from mftpubsub.live.merge import merge
from mftpubsub.live.node_clocks import compare
from mftpubsub.live.node_trace import Clock, read
from mftpubsub.protocols.content import Event
from mftpubsub.trace import sql, trace_format
from mftpubsub.trace.layout import TRACE, read_metadata

KEYS = {"protocol": "mft-mesh", "config": "live", "speed_mps": 0.0, "seed": 1}


def line(op: str, at: float, node: int, layer: str, kind: str, *rest: Any) -> str:
    fields = [op, f"{at:.9f}", node, layer, kind, *(rest or ["-"] * 6)]
    return " ".join(map(str, fields))


def traces(folder: Path, ahead: float) -> list[Path]:
    """Of two nodes, of which the second's clock is `ahead`, s."""
    event = Event((0, 0), {"n": 1}).wire.hex()
    late = Event((0, 1), {"n": -1}).wire.hex()
    one = [trace_format.header(), line("+", 100, 0, "node", "P"), "# started 100000000000 0 5"]
    other = [line("+", 100 + ahead, 1, "node", "BS"), f"# started {round((100 + ahead) * 1e9)} 1 6"]
    other.append(f"# subscribed {round((101 + ahead) * 1e9)} n >= 0")
    for number in range(4):
        at = 100 + number
        one.append(f"# sent {round(at * 1e9)} 5 {number}")
        other.append(f"# heard {round((at + 0.002 + ahead) * 1e9)} 0 5 {number}")
        other.append(f"# sent {round((at + 0.5 + ahead) * 1e9)} 6 {number}")
        one.append(f"# heard {round((at + 0.502) * 1e9)} 1 6 {number}")
    one += [line("+", 102, 0, "app", "PUBLISH", "-", 0, 0, 0, "-", "-"), f"# event 102000000000 {event}"]
    one += [line("+", 103, 0, "app", "PUBLISH", "-", 0, 0, 1, "-", "-"), f"# event 103000000000 {late}"]
    other.append(line("r", 102.25 + ahead, 1, "app", "DELIVER", 0, "-", 0, 0, 1, 1))
    other.append("r 102.3 1 ap")  # it was killed
    paths = [folder / "node-0.trace", folder / "node-1.trace"]
    for path, lines in zip(paths, (one, other), strict=True):
        path.write_text("\n".join(lines) + "\n")
    return paths


@pytest.mark.parametrize("ahead", [0.0, 7.5, -3.25])
def test_clocks_are_compared_by_what_was_heard_both_ways(tmp_path: Path, ahead: float) -> None:
    paths = traces(tmp_path, ahead)
    assert compare([read(path) for path in paths]).offsets == {
        Clock(0, 0): 0,
        Clock(1, 0): round(ahead * 1e9),
    }
    run = merge(paths, tmp_path / "study", KEYS)
    metrics = sql.metrics_of(run / TRACE, KEYS)
    assert (metrics["published"], metrics["sent_pairs"], metrics["delivered_pairs"]) == (2, 1, 1)
    assert metrics["delay_median_s"] == pytest.approx(0.25)
    told = read_metadata(run)
    assert told["clock_offsets_s"] == {"0": [0.0], "1": [pytest.approx(ahead)]}
    assert told["notes"] == ["1 lines were not written to their end, and are left out"]
    assert gzip.decompress((run / TRACE).read_bytes()).splitlines()[-1].split()[4] == b"END"


def test_what_cannot_be_merged_is_refused(tmp_path: Path) -> None:
    paths = traces(tmp_path, 0.0)
    copy = tmp_path / "copy.trace"
    copy.write_text(paths[0].read_text())
    with pytest.raises(TraceError, match="of node 0, as"):
        merge([*paths, copy], tmp_path / "study", KEYS)
    copy.write_text("nothing")
    with pytest.raises(TraceError, match="no trace of a node"):
        merge([copy], tmp_path / "study", KEYS)
    merge(paths, tmp_path / "study", KEYS)
    with pytest.raises(TraceError, match="there already"):
        merge(paths, tmp_path / "study", KEYS)
    assert not [*(tmp_path / "study" / "runs").glob(".partial*")]


def test_the_command_merges(tmp_path: Path) -> None:
    paths = [str(path) for path in traces(tmp_path, 0.0)]
    done = CliRunner().invoke(app, ["live", "merge", *paths, "--out", str(tmp_path / "study")])
    assert done.exit_code == 0, done.output
    run = Path(done.stdout.strip())
    assert json.loads((run / "run.json").read_text())["source"] == "live"
    assert "1 lines were not written to their end" in done.stderr


class Trace:
    """Of a node, whose clock is `ahead` of the test's, s."""

    def __init__(self, node: int, roles: str, ahead: float = 0.0) -> None:
        self.node, self.ahead, self.starts = node, ahead, 0
        self.lines = [trace_format.header(), line("+", 0, node, "node", roles)]
        self.start(100, ahead)

    def start(self, at: float, ahead: float) -> None:
        self.ahead = ahead
        self.starts += 1
        self.note(at, "started", self.node, self.starts)

    def note(self, at: float, what: str, *rest: Any) -> None:
        self.lines.append(" ".join(map(str, ["#", what, round((at + self.ahead) * 1e9), *rest])))

    def publish(self, at: float, sequence: int) -> None:
        told = ("-", 0, self.node, sequence, "-", "-")
        self.lines.append(line("+", at + self.ahead, self.node, "app", "PUBLISH", *told))
        self.note(at, "event", Event((self.node, sequence), {"n": sequence}).wire.hex())

    def deliver(self, at: float, publisher: int, sequence: int) -> None:
        told = ("-", "-", publisher, sequence, self.node, 1)
        self.lines.append(line("r", at + self.ahead, self.node, "app", "DELIVER", *told))

    def write(self, folder: Path) -> Path:
        path = folder / f"node-{self.node}.trace"
        path.write_text("\n".join([*self.lines, ""]), encoding="utf-8", newline="")
        return path


def talk(one: Trace, other: Trace, at: float, back_s: float = 0.001) -> None:
    """A datagram in each direction, there under way for a millisecond: subscribers may send no more."""
    for sender, hearer, way_s in ((one, other, 0.001), (other, one, back_s)):
        datagram = (sender.starts, round(at * 10))
        sender.note(at, "sent", *datagram)
        hearer.note(at + way_s, "heard", sender.node, *datagram)


def merged(folder: Path, *traces: Trace) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a run's metadata tell, and its metrics."""
    run = merge([trace.write(folder) for trace in traces], folder / "study", KEYS)
    return read_metadata(run), sql.metrics_of(run / TRACE, KEYS)


def test_each_start_of_a_node_has_a_clock_of_its_own(tmp_path: Path) -> None:
    publisher, subscriber = Trace(0, "P"), Trace(1, "BS", 5)
    subscriber.note(101, "subscribed", "n >= 0")
    talk(publisher, subscriber, 102)
    publisher.publish(110, 0)
    subscriber.deliver(110.5, 0, 0)
    subscriber.start(200, -150)
    subscriber.note(101, "subscribed", "n >= 0")
    talk(publisher, subscriber, 202)
    publisher.publish(210, 1)
    subscriber.deliver(210.5, 0, 1)
    subscriber.deliver(211, 0, 0)  # its store is lost
    told, metrics = merged(tmp_path, publisher, subscriber)
    assert told["clock_offsets_s"] == {"0": [0.0], "1": [5.0, -150.0]}
    assert told["notes"] == []
    assert (metrics["delivered_pairs"], metrics["sent_pairs"]) == (2, 2)
    assert metrics["duplicates"] == 1
    assert metrics["delay_p95_s"] == pytest.approx(0.5)


def test_a_restart_does_not_make_a_subscription_older(tmp_path: Path) -> None:
    publisher, subscriber = Trace(0, "P"), Trace(1, "BS")
    talk(publisher, subscriber, 102)
    publisher.publish(110, 0)
    subscriber.note(120, "subscribed", "n >= 0")
    subscriber.start(200, 0)
    subscriber.note(50, "subscribed", "n >= 0")  # a store after another boot guesses
    talk(publisher, subscriber, 202)
    publisher.publish(210, 1)
    assert merged(tmp_path, publisher, subscriber)[1]["sent_pairs"] == 1


def test_a_filter_ends_where_it_is_taken_back(tmp_path: Path) -> None:
    publisher, subscriber = Trace(0, "P"), Trace(1, "BS")
    talk(publisher, subscriber, 102)
    subscriber.note(110, "subscribed", "n >= 0")
    publisher.publish(115, 0)
    subscriber.note(120, "unsubscribed", "n >= 0")
    publisher.publish(125, 1)
    subscriber.note(130, "subscribed", "n >= 0")
    subscriber.note(131, "unsubscribed", "n >= 0")
    assert merged(tmp_path, publisher, subscriber)[1]["sent_pairs"] == 1


def test_nodes_that_heard_none_of_the_others_are_compared_among_themselves(tmp_path: Path) -> None:
    traces = [Trace(0, "B"), Trace(1, "B"), Trace(2, "P"), Trace(3, "B", 5), Trace(4, "BS", 8)]
    for one, other in ((0, 1), (2, 3), (3, 4)):
        talk(traces[one], traces[other], 102)
    traces[4].note(110, "subscribed", "n >= 0")
    traces[2].publish(115, 0)
    traces[4].deliver(115.5, 2, 0)
    told, metrics = merged(tmp_path, *traces)
    assert told["clock_offsets_s"] == {"0": [0.0], "1": [0.0], "2": [0.0], "3": [5.0], "4": [8.0]}
    assert told["notes"] == [
        "clocks of nodes {0, 1} could not be compared with those of {2, 3, 4}: "
        "the first of each group is taken as right"
    ]
    assert metrics["delay_median_s"] == pytest.approx(0.5)


def test_clocks_follow_where_most_datagrams_were_heard_both_ways(tmp_path: Path) -> None:
    """Of 0 and 1 many were heard one way only, and what came back took long."""
    traces = [Trace(0, "B"), Trace(1, "B", 5), Trace(2, "B", 8)]
    talk(traces[0], traces[1], 102, back_s=0.101)
    for number in range(3):
        datagram = (traces[0].starts, number)
        traces[0].note(110, "sent", *datagram)
        traces[1].note(110.001, "heard", 0, *datagram)
    for at, one, other in ((120, 0, 2), (121, 2, 0)):
        talk(traces[one], traces[other], at, back_s=0.4)  # the other one came sooner
        talk(traces[2], traces[1], at + 0.5)
    told = [read(trace.write(tmp_path)) for trace in traces]
    assert compare(told).offsets == {Clock(0, 0): 0, Clock(1, 0): 5 * 10**9, Clock(2, 0): 8 * 10**9}


def test_what_is_delivered_by_a_clock_that_cannot_be_compared_is_kept(tmp_path: Path) -> None:
    publisher, subscriber = Trace(0, "P"), Trace(1, "BS", 1000)
    subscriber.note(101, "subscribed", "n >= 0")
    publisher.publish(110, 0)
    publisher.publish(111, 1)
    subscriber.deliver(110.5, 0, 0)
    subscriber.start(200, 50)
    told, metrics = merged(tmp_path, publisher, subscriber)
    assert (metrics["delivered_pairs"], metrics["sent_pairs"]) == (1, 1)
    assert told["notes"] == [
        "1 deliveries are by clocks that were not compared with their publishers': their delays mean nothing",
        "clocks of nodes {0} could not be compared with those of {1 (start 1)}, {1 (start 2)}: "
        "the first of each group is taken as right",
    ]


def test_deliveries_that_are_left_out_are_told_by_their_reason(tmp_path: Path) -> None:
    publisher, subscriber = Trace(0, "P"), Trace(1, "BS")
    talk(publisher, subscriber, 102)
    for sequence in range(3):
        publisher.publish(110 + sequence, sequence)
    subscriber.note(111.5, "subscribed", "n = 0 OR n = 2")
    for publisher_id, sequence in ((0, 0), (0, 1), (0, 2), (0, 3), (7, 0), (7, 1)):
        subscriber.deliver(115, publisher_id, sequence)
    told, metrics = merged(tmp_path, publisher, subscriber)
    assert told["notes"] == [
        f"{count} deliveries {reason}, and are left out"
        for count, reason in (
            (1, "were of events from before the subscription"),
            (1, "match no filter that their subscriber had at that time"),
            (1, "are of events that are not in their publisher's trace"),
            (2, "are of events whose publisher's trace is not among these"),
        )
    ]
    assert (metrics["delivered_pairs"], metrics["sent_pairs"]) == (1, 1)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("n >= 0 OR note = 'a\u2028b'", str),
        ("n >= 0 OR note = 'a\rb'", str),
        ("n >= 0 OR note = 'a\n# sent 5 6 7'", json.dumps),
        ("n >= 0 OR note = 'a\\n\u2028\"'", json.dumps),
    ],
)
def test_filters_are_read_as_they_were_given(
    tmp_path: Path, text: str, written: Callable[[str], str]
) -> None:
    subscriber = Trace(1, "S")
    subscriber.note(101, "subscribed", written(text))
    subscriber.note(102, "unsubscribed", written(text))
    told = read(subscriber.write(tmp_path))
    assert [(one.filter.text, one.end is None) for one in told.subscriptions] == [(text, False)]
    assert (told.sent, told.damaged) == ({}, 0)
