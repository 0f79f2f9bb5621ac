"""The traces of the nodes of a network become a run: one trace, one clock, the same metrics and figures."""

from __future__ import annotations

import hashlib
import json
import shutil
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from mftpubsub.errors import TraceError
from mftpubsub.live.node_clocks import Clocks, compare
from mftpubsub.live.node_trace import Clock, Moment, Told, read
from mftpubsub.protocols.content import Event, EventId
from mftpubsub.trace import trace_format
from mftpubsub.trace.file import TraceFile
from mftpubsub.trace.layout import METADATA, PARTIAL, TRACE, folder_of

#: What run.json says of such a run.
SOURCE = "live"
#: Metrics that no device can tell.
UNKNOWN = (
    "reachable_pairs",
    "reachable",
    "delivered_of_reachable",
    "senders_mean",
    "migrations",
    "migrations_broker",
    "migrations_client",
    "attachments",
    "reattachments",
)


def merge(files: Sequence[Path], folder: Path, keys: Mapping[str, Any]) -> Path:
    """Makes `folder`/runs/.../{trace.gz, run.json} of the traces of nodes; returns the run's folder.

    The nodes' clocks are compared by datagrams that were heard both ways. Raises TraceError for files that
    are no traces of nodes, two of one node, or a run that is there already; then nothing is left.
    """
    target = folder / "runs" / folder_of(keys)
    if target.exists():
        raise TraceError(f"{target} is there already: remove it, or give this run other keys (--run seed=2)")
    all_told = [read(path) for path in files]
    if not all_told:
        raise TraceError("nothing was given to merge: name the traces of nodes")
    _check_nodes(all_told, files)
    clocks = compare(all_told)
    partial = folder / "runs" / f"{PARTIAL}live-{uuid.uuid4().hex}"
    partial.mkdir(parents=True)
    try:
        notes = write(all_told, clocks, partial / TRACE)
        (partial / METADATA).write_text(
            json.dumps(_describe(keys, files, clocks, notes, partial / TRACE), indent=1) + "\n",
            encoding="utf-8",
        )
        target.parent.mkdir(parents=True, exist_ok=True)
        partial.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return target


def _check_nodes(all_told: Sequence[Told], files: Sequence[Path]) -> None:
    seen: dict[int, Path] = {}
    for told, path in zip(all_told, files, strict=True):
        if told.node in seen:
            raise TraceError(
                f"{path}: of node {told.node}, as {seen[told.node]} is: name one file for each node"
            )
        seen[told.node] = path


def write(all_told: Sequence[Told], clocks: Clocks, trace: Path) -> list[str]:
    """Writes the trace of the run; returns what is to be known of it."""
    rows = sorted(_rows(all_told, clocks), key=lambda row: row.at)
    if not rows:
        raise TraceError("the traces have no records")
    first, last = rows[0].at, rows[-1].at
    kept, notes = _consistent(rows, all_told, clocks)
    with TraceFile(trace) as file:
        file.write(f"{trace_format.header()}\n".encode())
        for told in sorted(all_told, key=lambda told: told.node):
            roles = next((fields[4] for _, fields in told.records if fields[3] == "node"), "R")
            file.write(_line("+", 0, told.node, "node", roles))
        for at, fields, _ in kept:
            fields[1] = _seconds(at - first)
            file.write(f"{' '.join(fields)}\n".encode())
        for loss in _losses(kept):
            file.write(_line("d", last - first, "-", "loss", "UNKNOWN", *loss))
        file.write(_line("-", last - first, "-", "run", "END"))
        file.complete()
    if uncompared := clocks.note():
        notes.append(uncompared)
    if damaged := sum(told.damaged for told in all_told):
        notes.append(f"{damaged} lines were not written to their end, and are left out")
    return notes


class _Row(NamedTuple):
    """A record of the run."""

    at: int
    """By a clock that nodes have in common, ns."""
    fields: list[str]
    clock: Clock
    """What it was told by."""

    @property
    def pair(self) -> tuple[str, ...]:
        """An event, and whom it is for."""
        return tuple(self.fields[7:10])


def _rows(all_told: Sequence[Told], clocks: Clocks) -> Iterator[_Row]:
    """All records, and whom each event was for."""
    delivered = set()
    for told in all_told:
        for moment, fields in told.records:
            if fields[3] != "node":
                row = _Row(clocks.common(moment), list(fields), moment.clock)
                if fields[4] == "DELIVER":
                    delivered.add(row.pair)
                yield row
    for publisher in all_told:
        for id, (published, event) in publisher.events.items():
            for told in all_told:
                pair = (str(id.publisher), str(id.sequence), str(told.node))
                if _wants(told, event, published, clocks, got=pair in delivered):
                    fields = ["+", "", str(publisher.node), "app", "SEND", "-", "-", *pair, "-"]
                    yield _Row(clocks.common(published), fields, published.clock)


def _wants(told: Told, event: Event, published: Moment, clocks: Clocks, *, got: bool) -> bool:
    """Whether a subscriber wanted an event. What it `got` tells that, where its clock does not."""
    when = clocks.common(published)
    for one in told.subscriptions:
        known = all(clocks.are_compared(published.clock, at.clock) for at in (one.since, one.end) if at)
        is_then = clocks.common(one.since) <= when and (one.end is None or when < clocks.common(one.end))
        if (is_then or (got and not known)) and one.filter.matches(event):
            return True
    return False


def _consistent(
    rows: Sequence[_Row], all_told: Sequence[Told], clocks: Clocks
) -> tuple[list[_Row], list[str]]:
    """The records of which each has what it follows from: a first match, one delivery of what was wanted."""
    wanted = {row.pair: row.clock for row in rows if row.fields[4] == "SEND"}
    kept, matched, delivered, unasked, apart = [], set(), set(), [], 0
    for row in rows:
        kind, pair = row.fields[4], row.pair
        if kind == "MATCH":
            if pair in matched or pair not in wanted:
                continue
            matched.add(pair)
        elif kind in ("DELIVER", "DUPLICATE", "OVERHEARD") and pair not in wanted:
            if kind == "DELIVER":
                unasked.append(pair)
            continue
        elif kind == "DELIVER":
            if pair in delivered:
                row.fields[0], row.fields[4] = "d", "DUPLICATE"
            elif not clocks.are_compared(row.clock, wanted[pair]):
                apart += 1
            delivered.add(pair)
        kept.append(row)
    notes = _why_left_out(unasked, all_told, clocks)
    if apart:
        notes.append(
            f"{apart} deliveries are by clocks that were not compared with their publishers': "
            "their delays mean nothing"
        )
    return kept, notes


def _why_left_out(unasked: Iterable[tuple[str, ...]], all_told: Sequence[Told], clocks: Clocks) -> list[str]:
    by_node = {told.node: told for told in all_told}
    reasons: Counter[str] = Counter()
    for pair in unasked:
        publisher, sequence, subscriber = map(int, pair)
        if publisher not in by_node:
            reasons["are of events whose publisher's trace is not among these"] += 1
        elif publication := by_node[publisher].events.get(EventId(publisher, sequence)):
            reasons[_why_unwanted(by_node[subscriber], *publication, clocks)] += 1
        else:
            reasons["are of events that are not in their publisher's trace"] += 1
    return [f"{count} deliveries {reason}, and are left out" for reason, count in reasons.items()]


def _why_unwanted(told: Told, published: Moment, event: Event, clocks: Clocks) -> str:
    when = clocks.common(published)
    begun = [clocks.common(one.since) for one in told.subscriptions if one.filter.matches(event)]
    if begun and when < min(begun):
        return "were of events from before the subscription"
    return "match no filter that their subscriber had at that time"


def _losses(kept: Iterable[_Row]) -> list[tuple[str, ...]]:
    """Pairs of events and subscribers that did not get them."""
    sent = {row.pair: None for row in kept if row.fields[4] == "SEND"}
    for row in kept:
        if row.fields[4] == "DELIVER":
            sent.pop(row.pair, None)
    return list(sent)


def _line(op: str, nanoseconds: int, node: int | str, layer: str, kind: str, *pair: str) -> bytes:
    numbers = ["-", "-", *(pair or ("-", "-", "-")), "-"]
    return (
        " ".join([op, _seconds(nanoseconds), str(node), layer, kind, *numbers, "\n"])
        .replace(" \n", "\n")
        .encode()
    )


def _seconds(nanoseconds: int) -> str:
    return f"{nanoseconds // 10**9}.{nanoseconds % 10**9:09d}"


def _describe(
    keys: Mapping[str, Any], files: Sequence[Path], clocks: Clocks, notes: list[str], trace: Path
) -> dict[str, Any]:
    """The content of run.json."""
    return {
        **keys,
        "axes": {},
        "source": SOURCE,
        "files": [
            {"file": path.name, "bytes": path.stat().st_size, "sha256": _digest(path)} for path in files
        ],
        "clock_offsets_s": clocks.by_node(),
        "unknown": list(UNKNOWN),
        "notes": notes,
        "schema_version": trace_format.version(),
        "trace_bytes": trace.stat().st_size,
        "trace_sha256": _digest(trace),
        "versions": {"mftpubsub": version("mftpubsub")},
        "finished": datetime.now(UTC).isoformat(timespec="milliseconds"),
    }


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
