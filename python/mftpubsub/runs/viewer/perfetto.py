"""A run as trace events for Perfetto and Chrome (https://ui.perfetto.dev): a track for each node.

The format is Chrome's JSON trace event format: complete events (X) for frames, instants (i), counters (C).
Times there are microseconds.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mftpubsub.errors import QueryError
from mftpubsub.runs.result import Result
from mftpubsub.runs.simulation import Progress
from mftpubsub.runs.viewer.replay import OUTCOMES, Replay, replay_result

#: Time of a byte on the air, us: the CC2420 sends 250 kbit/s.
_BYTE_US = 32.0
_RUN = 1


def write(result: Result, out: Path, progress: Progress | None = None) -> None:
    """Writes the events of a run, compressed if `out` ends in .gz.

    Frames tell who received them, which the run is simulated anew for. Raises QueryError if it cannot be, or
    the file cannot be written.
    """
    if result.rerun_obstacle:
        raise QueryError(f"the run cannot be simulated anew: {result.rerun_obstacle}")
    seen = replay_result(result, None, progress)
    opened = gzip.open if out.suffix == ".gz" else open
    try:
        with opened(out, "wt", encoding="utf-8") as file:
            file.write('{"displayTimeUnit": "ms", "traceEvents": [\n')
            for place, event in enumerate(_events(result, seen)):
                file.write(",\n" if place else "")
                file.write(json.dumps(event, separators=(",", ":")))
            file.write("\n]}\n")
    except OSError as error:
        raise QueryError(f"{out} cannot be written: {error.strerror or error}") from error


def _events(result: Result, seen: Replay) -> Iterator[dict[str, Any]]:
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
    yield from _frames(result, seen)
    yield from _instants(result)
    yield from _queues(seen)


def _frames(result: Result, seen: Replay) -> Iterator[dict[str, Any]]:
    frames = result.to_pandas("frames")
    heard = seen.air.by_frame(len(frames))
    frames["peer"] = frames["peer"].fillna(-1)
    rows = zip(*(frames[name] for name in ("time_s", "node", "kind", "peer", "bytes")), strict=True)
    for (time_s, node, kind, peer, size), (hearers, outcomes) in zip(rows, heard, strict=True):
        fates: dict[str, list[int]] = {}
        for hearer, outcome in zip(hearers.tolist(), outcomes.tolist(), strict=True):
            fates.setdefault(OUTCOMES[outcome], []).append(hearer)
        yield {
            "ph": "X",
            "name": f"{kind} to {'everybody' if peer < 0 else peer}",
            "cat": kind,
            "ts": round(time_s * 1e6, 3),
            "dur": float(size) * _BYTE_US,
            "pid": _RUN,
            "tid": int(node),
            "args": {"bytes": int(size), **fates},
        }


_INSTANTS = {"PUBLISH": "published", "DELIVER": "delivered", "BMIG": "migrates", "MIG": "migrates"}


def _instants(result: Result) -> Iterator[dict[str, Any]]:
    trace = result.to_pandas()
    is_shown = trace["kind"].isin([*_INSTANTS]) & trace["layer"].isin(["app", "tree"])
    told = trace[is_shown | (trace["layer"] == "fault")].fillna({"peer": -1, "publisher": -1, "sequence": -1})
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


def _queues(seen: Replay) -> Iterator[dict[str, Any]]:
    """How many events wait at each node, wherever that changes from one look to the next."""
    latest: dict[int, int] = {}
    for time_s, node, queued in seen.film.queues():
        if latest.get(node, 0) != queued:
            latest[node] = queued
            counted = {"events": queued}
            yield {
                "ph": "C",
                "name": f"queue of {node}",
                "ts": time_s * 1e6,
                "pid": _RUN,
                "args": counted,
            }
