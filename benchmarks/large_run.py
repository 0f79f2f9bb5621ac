"""One run with a large trace: an ingest by processes and by Spark with one core and two, and DuckDB."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from common import HERE, Cost, arguments, cost_of, publish
from pipeline import with_duckdb

from mftpubsub.trace import trace_format
from mftpubsub.trace.file import TraceFile

LINES = (10**7,)
FULL_LINES = 3 * 10**7
NODES = 1000
#: Frames of an event; with them it has FRAMES + 4 lines.
FRAMES = 46
#: By name: who does the work, and on how many cores. Two executors of Spark have a core each.
WAYS = {
    "DuckDB": ("duckdb", 1),
    "processes": ("", 1),
    "processes, two": ("", 2),
    "Spark local[1]": ("local[1]", 2),
    "Spark local[2]": ("local[2]", 2),
    "Spark local-cluster[2,1,1024]": ("local-cluster[2,1,1024]", 2),
}


def of_event(event: int) -> str:
    """The records of an event of one pair."""
    publisher, sequence, subscriber = event % NODES, event // NODES + 1, event * 7 % NODES
    at = 1 + event
    ids = f"{publisher} {sequence}"
    frames = "".join(
        f"t {at + step / 100:.3f} {(publisher + step) % NODES} radio PUB {subscriber} 130 - - - -\n"
        for step in range(FRAMES)
    )
    return (
        f"+ {at:.3f} {publisher} app PUBLISH - 100 {ids} - -\n"
        f"+ {at:.3f} {publisher} app SEND - - {ids} {subscriber} -\n"
        f"+ {at:.3f} {publisher} broker MATCH - - {ids} {subscriber} -\n"
        f"{frames}r {at + 0.5:.3f} {subscriber} app DELIVER 2 - {ids} {subscriber} 2\n"
    )


def make_study(folder: Path, lines: int) -> None:
    """Fills DIR/runs with one run of so many lines, or a few more."""
    run = folder / "runs/protocol=p/config=C/speed=2/seed=1"
    run.mkdir(parents=True)
    path = run / "trace.gz"
    events = lines // (FRAMES + 4)
    with TraceFile(path) as file:
        nodes = "".join(f"+ 0 {node} node BSP - - - - - -\n" for node in range(NODES))
        file.write(f"{trace_format.header()}\n{nodes}".encode())
        for first in range(0, events, 2000):
            some = range(first, min(first + 2000, events))
            file.write("".join(map(of_event, some)).encode())
        file.write(f"- {events + 10:.3f} - run END - - - - - -\n".encode())
        file.complete()
    with path.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    told = {"protocol": "p", "config": "C", "speed_mps": 2.0, "seed": 1, "scenario": {}}
    told |= {"schema_version": trace_format.version(), "versions": {"mftpubsub": "0.1.0"}}
    told |= {
        "trace_bytes": path.stat().st_size,
        "trace_sha256": digest,
        "wall_s": 1.0,
        "cpu_s": 1.0,
        "events": 1,
    }
    (run / "run.json").write_text(json.dumps(told))


def measure(folder: Path, way: str) -> Cost:
    """What an ingest of DIR takes, from its start to its end."""
    for made in ("parquet", "tables", "duckdb"):
        shutil.rmtree(folder / made, ignore_errors=True)
    master, cores = WAYS[way]
    own = ["taskset", "-c", ",".join(map(str, sorted(os.sched_getaffinity(0))[:cores]))]
    if master == "duckdb":
        return cost_of([*own, sys.executable, __file__, "--duckdb", str(folder)])
    ingest: list[str | Path] = [Path(sys.executable).with_name("mftpubsub"), "ingest", str(folder)]
    return cost_of([*own, *ingest, *(["--master", master] if master else [])])


def main() -> None:
    parser = arguments(__doc__, 1, full="3 * 10^7 lines too")
    parser.add_argument("--duckdb", type=Path, help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.duckdb:
        with_duckdb(told.duckdb, 1)
        return
    rows = []
    for lines in (*LINES, FULL_LINES) if told.full else LINES:
        with tempfile.TemporaryDirectory(dir=HERE.parent / "build") as scratch:
            make_study(Path(scratch), lines)
            for way in WAYS:
                cost = measure(Path(scratch), way)
                rows.append(
                    {
                        "way": way,
                        "lines": lines,
                        "CPU s": cost.cpu_s,
                        "CPU us/line": 1e6 * cost.cpu_s / lines,
                        # With a core for each process nothing ends sooner.
                        "CPU s, Python's largest process": cost.longest_s,
                        "wall s": cost.wall_s,
                        "largest Python process MiB": cost.largest_mib,
                        "all MiB": cost.peak_mib,
                    }
                )
                print(json.dumps(rows[-1]), file=sys.stderr)
    publish("large_run", rows, told.full)


if __name__ == "__main__":
    main()
