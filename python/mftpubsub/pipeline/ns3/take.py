"""One run of an ns-3 script becomes a run of ours: its folder is there as a whole, or not at all."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from mftpubsub.errors import ConfigurationError, TraceError
from mftpubsub.files import written
from mftpubsub.notes import tell
from mftpubsub.pipeline.ns3 import reading
from mftpubsub.pipeline.ns3.given import copy_trace
from mftpubsub.pipeline.ns3.nodes import read_nodes
from mftpubsub.pipeline.ns3.reading import Files
from mftpubsub.pipeline.ns3.records import EVENT_BY, write_trace
from mftpubsub.pipeline.ns3.tables import TABLES
from mftpubsub.pipeline.ns3.text import Share
from mftpubsub.pipeline.workers import Workers
from mftpubsub.trace import trace_format
from mftpubsub.trace.layout import METADATA, NAME, PARTIAL, TRACE, folder_of

#: What run.json says of a run that another program has made.
SOURCE = "ns-3"
#: Metrics that no file of ns-3 tells.
_NEVER_KNOWN = (
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
#: What is known only where datagrams are seen: what was sent to whom, and came.
_OF_EVENTS = ("published", "sent_pairs", "matched_pairs", "delivered_pairs", "duplicates", "overheard")
#: What FlowMonitor, which counts only, does not tell of them.
_OF_DATAGRAMS = (
    *("delay_median_s", "delay_p95_s", "delay_p99_s"),
    *("hops_mean", "hops_max", "duplicates", "overheard"),
)
#: What is known only by traces of devices, or captures that tell who sent.
_OF_FRAMES = (
    "frames",
    *(f"frames_per_node{kind}" for kind in ("", "_ack", "_heartbeat", "_pub", "_rep", "_control")),
)
_OF_FRAMES += tuple(f"frames_per_{role}" for role in ("broker", "subscriber", "publisher"))


@dataclass(frozen=True)
class Script:
    """What a script wrote, of which run it is, and what the user knows of it.

    `keys`: protocol, config, speed (m/s) and seed. `ports`: the application's UDP ports. `event_by`: how
    datagrams are told to be one event (records.EVENT_BY).
    """

    keys: Mapping[str, Any]
    files: Files
    nodes: Path | None = None
    ports: Sequence[int] = field(default=())
    event_by: str = EVENT_BY[0]


def take(script: Script, folder: Path, workers: Workers) -> Path:
    """Makes `folder`/runs/.../{trace.gz, run.json, ns3_*/*.parquet} of what a script wrote; returns the run.

    Raises ConfigurationError for bad keys, TraceError if the run is there already or a file is damaged, of
    another kind or of two runs; then nothing is left.
    """
    keys = check_keys(script.keys)
    runs = folder / "runs"
    target = runs / folder_of(keys)
    if target.exists():
        raise TraceError(f"{target} is there already: remove it, or give this run other keys (--run seed=2)")
    if script.event_by not in EVENT_BY:
        raise ConfigurationError(f"--event-by: {script.event_by!r} is none of {', '.join(EVENT_BY)}")
    nodes = read_nodes(script.nodes) if script.nodes else []
    if script.files.trace and (script.files != Files(trace=script.files.trace) or nodes or script.ports):
        raise ConfigurationError(
            "--trace is a whole run: the other files, --nodes and --port do not go with it"
        )
    shares = reading.shares(script.files)
    if not shares and not script.files.trace:
        raise ConfigurationError("nothing was given to read: name --ip, --phy, --flows, --pcap or --trace")
    partial_folder = runs / f"{PARTIAL}ns3-{uuid.uuid4().hex}"
    partial_folder.mkdir(parents=True)
    try:
        trace = partial_folder / TRACE
        if script.files.trace:
            lacking, notes = copy_trace(script.files.trace, trace), []
        else:
            [*workers.map(partial(_store, partial_folder.resolve()), [*enumerate(shares)])]
            notes = write_trace(partial_folder, trace, nodes, [*script.ports], script.event_by)
            lacking = unknown(script.files, partial_folder)
        told = _describe(keys, script, trace, lacking, notes)
        (partial_folder / METADATA).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        target.parent.mkdir(parents=True, exist_ok=True)
        partial_folder.rename(target)
    finally:
        shutil.rmtree(partial_folder, ignore_errors=True)
    for note in told["notes"]:
        tell(f"{target}: {note}")
    return target


def check_keys(given: Mapping[str, Any]) -> dict[str, Any]:
    """What names a run, as in tables. Raises ConfigurationError for keys that are missing or wrong."""
    names = ("protocol", "config", "speed", "seed")
    if {*given} != {*names}:
        raise ConfigurationError(f"--run: the keys are {', '.join(names)}, not {', '.join(given) or 'none'}")
    for name in ("protocol", "config"):
        if not re.fullmatch(NAME, str(given[name])):
            raise ConfigurationError(
                f"--run: {name}: {given[name]!r} is no name of letters, digits, . + - _ and blanks"
            )
    try:
        speed, seed = float(given["speed"]), int(given["seed"])
        if not 0 <= speed < float("inf") or not 0 <= seed < 2**63:
            raise ValueError
    except ValueError as error:
        raise ConfigurationError(
            f"--run: speed={given['speed']}, seed={given['seed']}: "
            "these are numbers, of m/s, and from 0 to 2^63 - 1"
        ) from error
    return {
        "protocol": str(given["protocol"]),
        "config": str(given["config"]),
        "speed_mps": abs(speed),  # -0.0 is 0.0
        "seed": seed,
    }


def _store(folder: Path, numbered: tuple[int, Share]) -> int:
    """Writes a share of a file as a part of its table; returns its number of rows. May be done again."""
    number, share = numbered
    rows = 0
    schema = TABLES[share.table].schema()
    with (
        written(folder / share.table / f"part-{number:05}.parquet") as file,
        parquet.ParquetWriter(file, schema) as writer,
    ):
        for batch in reading.batches(share):
            rows += batch.num_rows
            writer.write_table(pa.Table.from_batches([batch]))
    return rows


def _describe(
    keys: dict[str, Any], script: Script, trace: Path, lacking: list[str], notes: list[str]
) -> dict[str, Any]:
    """The content of run.json."""
    files = {path: table for table, paths in script.files.by_table().items() for path in paths}
    if script.files.trace:
        files[script.files.trace] = TRACE
    cut = [
        f"{path} ends within a line or packet, which is left out" for path in reading.cut_off(script.files)
    ]
    return {
        **keys,
        "axes": {},
        "source": SOURCE,
        "files": [
            {"table": table, "file": path.name, "bytes": path.stat().st_size, "sha256": _digest(path)}
            for path, table in files.items()
        ],
        "unknown": lacking,
        "notes": [*cut, *notes],
        "schema_version": trace_format.version(),
        "trace_bytes": trace.stat().st_size,
        "trace_sha256": _digest(trace),
        "versions": {"mftpubsub": version("mftpubsub")},
        "finished": datetime.now(UTC).isoformat(timespec="milliseconds"),
    }


def unknown(files: Files, folder: Path) -> list[str]:
    """The metrics that nothing of `files` tells, which are NULL in the tables."""
    names = [*_NEVER_KNOWN]
    if not files.ip and not _has_datagrams(folder):
        names += _OF_DATAGRAMS if files.flows else _OF_EVENTS
    if not files.phy and not _tell_who_sent(folder):
        names += _OF_FRAMES
    return names


def _has_datagrams(folder: Path) -> bool:
    """Whether the devices' files have what IP sends."""
    parts = [part for table in ("ns3_phy", "ns3_frames") for part in (folder / table).glob("*.parquet")]
    return any(
        parquet.read_table(part, columns=["src"])["src"].null_count < parquet.read_metadata(part).num_rows
        for part in parts
    )


def _tell_who_sent(folder: Path) -> bool:
    parts = (folder / "ns3_frames").glob("*.parquet")
    return any(
        parquet.read_table(part, columns=["direction"])["direction"].null_count
        < parquet.read_metadata(part).num_rows
        for part in parts
    )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
