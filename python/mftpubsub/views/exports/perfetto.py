"""A run as trace events for Perfetto and Chrome (https://ui.perfetto.dev): a track for each node.

The format is Chrome's JSON trace event format: complete events (X) for frames, asynchronous ones (b, e) for
their waits, instants (i), counters (C).
Times there are microseconds.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mftpubsub.runs.simulation import Progress
from mftpubsub.views.exports.own import FieldReader
from mftpubsub.views.exports.recording import Frame, Recording
from mftpubsub.views.viewer.replay import Packet

_RUN = 1


def write(recording: Recording, out: Path, progress: Progress, is_compressed: bool = False) -> None:
    """Writes the events of a run."""
    opened = gzip.open if is_compressed else open
    with opened(out, "wt", encoding="utf-8") as file:
        file.write('{"displayTimeUnit": "ms", "traceEvents": [\n')
        for place, event in enumerate(_events(recording)):
            file.write(",\n" if place else "")
            file.write(json.dumps(event, separators=(",", ":")))
            if event["ph"] == "X":
                progress(event["ts"] / 1e6)
        file.write("\n]}\n")


def _events(recording: Recording) -> Iterator[dict[str, Any]]:
    result = recording.result
    yield {"ph": "M", "name": "process_name", "pid": _RUN, "args": {"name": str(result.scenario)}}
    nodes = result.to_pandas("nodes")
    for node, roles in zip(nodes["node"], nodes["roles"], strict=True):
        name = {"name": f"{node}: {roles}"}
        yield {"ph": "M", "name": "thread_name", "pid": _RUN, "tid": int(node), "args": name}
        yield {
            "ph": "M",
            "name": "thread_sort_index",
            "pid": _RUN,
            "tid": int(node),
            "args": {"sort_index": int(node)},
        }
    yield from _frames(recording)
    yield from _instants(recording)
    yield from _queues(recording)


def _frames(recording: Recording) -> Iterator[dict[str, Any]]:
    begin_s, _ = recording.span
    reader = FieldReader(recording.result.scenario.protocol)
    for number, (frame, packet) in enumerate(recording.packets()):
        yield from _wait(number, frame, max(begin_s, frame.time_s - packet.wait_s))
        yield {
            "ph": "X",
            "name": f"{frame.kind} to {'everybody' if frame.peer < 0 else frame.peer}",
            "cat": frame.kind,
            "ts": round(frame.time_s * 1e6, 3),
            "dur": frame.length_s * 1e6,
            "pid": _RUN,
            "tid": frame.node,
            "args": {"bytes": frame.bytes, **frame.by_outcome(), **_said(reader, packet)},
        }


def _said(reader: FieldReader, packet: Packet) -> dict[str, dict[str, str]]:
    """What a frame of a protocol of one's own says."""
    fields = reader.fields(packet.ethertype, packet.content)
    return {"fields": fields} if fields else {}


def _wait(number: int, frame: Frame, began_s: float) -> Iterator[dict[str, Any]]:
    """A frame in the MAC, while it senses the channel or sends others; several may wait at once."""
    event = {"name": f"MAC of {frame.node}", "cat": "MAC", "id": number, "pid": _RUN, "tid": frame.node}
    yield {**event, "ph": "b", "ts": round(began_s * 1e6, 3), "args": {"kind": frame.kind}}
    yield {**event, "ph": "e", "ts": round(frame.time_s * 1e6, 3)}


_INSTANTS = {"PUBLISH": "published", "DELIVER": "delivered", "BMIG": "migrates", "MIG": "migrates"}


def _instants(recording: Recording) -> Iterator[dict[str, Any]]:
    trace = recording.result.to_pandas()
    is_shown = trace["kind"].isin([*_INSTANTS]) & trace["layer"].isin(["app", "tree"])
    told = trace[(is_shown | (trace["layer"] == "fault")) & trace["time_s"].between(*recording.span)]
    told = told.fillna({"peer": -1, "publisher": -1, "sequence": -1})
    names = ("op", "time_s", "node", "layer", "kind", "peer", "publisher", "sequence")
    rows: Iterator[tuple[Any, ...]] = zip(*(told[name] for name in names), strict=True)
    for op, time_s, node, layer, kind, peer, publisher, sequence in rows:
        args: dict[str, Any] = {} if publisher < 0 else {"event": f"{publisher:.0f}.{sequence:.0f}"}
        if peer >= 0:
            args["peer"] = int(peer)
        yield {
            "ph": "i",
            "s": "t",
            "name": _INSTANTS.get(kind) or f"{kind} {'begins' if op == '-' else 'is over'}",
            "cat": layer,
            "ts": round(time_s * 1e6, 3),
            "pid": _RUN,
            "tid": int(node),
            "args": args,
        }


def _queues(recording: Recording) -> Iterator[dict[str, Any]]:
    """How many events wait at each node, wherever that changes from one look to the next."""
    latest: dict[int, int] = {}
    for time_s, node, queued in recording.seen.film.queues():
        if recording.is_told(time_s) and latest.get(node, 0) != queued:
            latest[node] = queued
            counted = {"events": queued}
            yield {
                "ph": "C",
                "name": f"queue of {node}",
                "ts": time_s * 1e6,
                "pid": _RUN,
                "args": counted,
            }
