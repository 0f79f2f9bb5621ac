"""The traces of the nodes of a network become a run: one trace, one clock, the same metrics and figures."""

from __future__ import annotations

import hashlib
import json
import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mftpubsub.errors import TraceError
from mftpubsub.live.node_clocks import clock_offsets, is_compared
from mftpubsub.live.node_trace import Told, read
from mftpubsub.protocols.content import Event, EventId, Filter
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
    offsets = clock_offsets(all_told)
    partial = folder / "runs" / f"{PARTIAL}live-{uuid.uuid4().hex}"
    partial.mkdir(parents=True)
    try:
        notes = write(all_told, offsets, partial / TRACE)
        (partial / METADATA).write_text(
            json.dumps(_describe(keys, files, offsets, notes, partial / TRACE), indent=1) + "\n",
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


def write(all_told: Sequence[Told], offsets: Mapping[int, int], trace: Path) -> list[str]:
    """Writes the trace of the run; returns what is to be known of it."""
    rows = sorted(_rows(all_told, offsets), key=lambda row: row[0])
    if not rows:
        raise TraceError("the traces have no records")
    first, last = rows[0][0], rows[-1][0]
    kept, notes = _consistent(rows, all_told, offsets)
    with TraceFile(trace) as file:
        file.write(f"{trace_format.header()}\n".encode())
        for told in sorted(all_told, key=lambda told: told.node):
            roles = next((fields[4] for _, fields in told.records if fields[3] == "node"), "R")
            file.write(_line("+", 0, told.node, "node", roles))
        for at, fields in kept:
            fields[1] = _seconds(at - first)
            file.write(f"{' '.join(fields)}\n".encode())
        for loss in _losses(kept):
            file.write(_line("d", last - first, "-", "loss", "UNKNOWN", *loss))
        file.write(_line("-", last - first, "-", "run", "END"))
        file.complete()
    damaged = sum(told.damaged for told in all_told)
    return notes + ([f"{damaged} lines were not written to their end, and are left out"] if damaged else [])


def _rows(all_told: Sequence[Told], offsets: Mapping[int, int]) -> Iterator[tuple[int, list[str]]]:
    """All records by the first node's clock, and whom each event was for."""
    for told in all_told:
        for at, fields in told.records:
            if fields[3] != "node":
                yield at - offsets[told.node], list(fields)
    for publisher in all_told:
        for id, (at, event) in publisher.events.items():
            when = at - offsets[publisher.node]
            for told in all_told:
                if _wants(told, event, when, offsets):
                    yield (
                        when,
                        ["+", "", str(publisher.node), "app", "SEND", "-", "-", *_pair(id, told.node), "-"],
                    )


def _wants(told: Told, event: Event, when: int, offsets: Mapping[int, int]) -> bool:
    own = when + offsets[told.node]
    return any(
        since <= own and (end is None or own < end) and Filter(text).matches(event)
        for text, since, end in told.filters
    )


def _pair(id: EventId, subscriber: int) -> list[str]:
    return [str(id.publisher), str(id.sequence), str(subscriber)]


def _consistent(
    rows: Iterable[tuple[int, list[str]]], all_told: Sequence[Told], offsets: Mapping[int, int]
) -> tuple[list[tuple[int, list[str]]], list[str]]:
    """The records of which each has what it follows from: a first match, one delivery of what was wanted."""
    wanted: set[tuple[str, ...]] = set()
    for _, fields in (rows := list(rows)):
        if fields[4] == "SEND":
            wanted.add(tuple(fields[7:10]))
    kept, matched, delivered, unasked = [], set(), set(), 0
    for at, fields in rows:
        pair = tuple(fields[7:10])
        if fields[4] == "MATCH":
            if pair in matched or pair not in wanted:
                continue
            matched.add(pair)
        elif fields[4] in ("DELIVER", "DUPLICATE", "OVERHEARD") and pair not in wanted:
            unasked += fields[4] == "DELIVER"
            continue
        elif fields[4] == "DELIVER":
            if pair in delivered:
                fields[0], fields[4] = "d", "DUPLICATE"
            delivered.add(pair)
        kept.append((at, fields))
    notes = []
    if unasked:
        notes.append(f"{unasked} deliveries were of events from before the subscription, and are left out")
    if len(all_told) > 1 and (apart := [f"{node}" for node in offsets if not is_compared(node, all_told)]):
        notes.append(f"clocks of nodes {', '.join(apart)} could not be compared with others': taken as right")
    return kept, notes


def _losses(kept: Iterable[tuple[int, list[str]]]) -> list[tuple[str, ...]]:
    """Pairs of events and subscribers that did not get them."""
    sent: dict[tuple[str, ...], None] = {}
    for _, fields in kept:
        pair = tuple(fields[7:10])
        if fields[4] == "SEND":
            sent[pair] = None
    for _, fields in kept:
        if fields[4] == "DELIVER":
            sent.pop(tuple(fields[7:10]), None)
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
    keys: Mapping[str, Any], files: Sequence[Path], offsets: Mapping[int, int], notes: list[str], trace: Path
) -> dict[str, Any]:
    """The content of run.json."""
    return {
        **keys,
        "axes": {},
        "source": SOURCE,
        "files": [
            {"file": path.name, "bytes": path.stat().st_size, "sha256": _digest(path)} for path in files
        ],
        "clock_offsets_s": {str(node): offset / 1e9 for node, offset in sorted(offsets.items())},
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
