"""Many small runs: how long an ingest plans, when all is new and when nothing is, and the driver's memory.

The same of the data source for Spark, before an ingest (`source`) and after it, and one of its tasks.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from common import HERE, arguments, publish

from mftpubsub.folders import Folder, folder_at
from mftpubsub.pipeline import of_runs, pieces
from mftpubsub.pipeline.source import RunsReader
from mftpubsub.pipeline.stored import plan, store
from mftpubsub.pipeline.tables import make
from mftpubsub.pipeline.workers import Processes
from mftpubsub.trace import trace_format
from mftpubsub.trace.blocks import packed

RUNS = (10**3, 10**4, 10**5)
#: Of each: a run of a second with two nodes.
LINES = """+ 0 0 node P - - - - - -
+ 0 1 node BS - - - - - -
+ 0.25 0 app PUBLISH - 100 0 1 - -
+ 0.25 0 app SEND - - 0 1 1 -
t 0.25 0 radio PUB 1 130 - - - -
r 0.5 1 app DELIVER 0 - 0 1 1 1
- 1 - run END - - - - - -
"""


def make_study(folder: Path, runs: int) -> None:
    """Fills DIR/runs with small runs of four protocols and eight configurations."""
    import hashlib

    trace = packed(f"{trace_format.header()}\n{LINES}".encode())
    told = {
        "schema_version": trace_format.version(),
        "trace_bytes": len(trace),
        "trace_sha256": hashlib.sha256(trace).hexdigest(),
        "versions": {"mftpubsub": "0.1.0"},
        "wall_s": 1.0,
        "cpu_s": 1.0,
        "events": 7,
        "scenario": {"filled": "x" * 4000},
    }
    for number in range(runs):
        keys = {
            "protocol": f"p{number % 4}",
            "config": f"C{number // 4 % 8}",
            "speed_mps": 2.0,
            "seed": number,
        }
        path = folder / f"runs/protocol={keys['protocol']}/config={keys['config']}/speed=2/seed={number}"
        path.mkdir(parents=True)
        (path / "trace.gz").write_bytes(trace)
        (path / "run.json").write_text(json.dumps(keys | told))


def measure(folder: Path) -> dict[str, float]:
    """CPU seconds of each step of an ingest, driver's and tasks'; the driver's largest memory so far, MiB."""
    took: dict[str, float] = {}

    def step(name: str, do: Any) -> Any:
        start, start_of_tasks = time.process_time(), cpu_of_tasks()
        found = do()
        took[f"{name} CPU s"] = time.process_time() - start
        if tasks_took := cpu_of_tasks() - start_of_tasks:
            took[f"{name} CPU s, tasks"] = tasks_took
        took[f"{name} peak MiB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return found

    at = folder_at(folder)
    step("source", lambda: tasks(at))
    todo = step("plan", lambda: plan(at))
    step("pieces", lambda: [*pieces.new(at, todo.new, todo.sizes, 2)])
    step("store", lambda: store(Processes(2), at, todo))
    step("plan of nothing", lambda: plan(at))
    step("tables", lambda: make(Processes(2), at))
    reader, parts = step("source after it", lambda: tasks(at))
    step("source's task", lambda: [*reader.read(parts[0])])
    took["source's task CPU ms/run"] = 1e3 * took["source's task CPU s"] / len(parts[0].runs)
    took["source's tasks"] = len(parts)
    took["parts"] = len([*folder.glob("parquet/*/*/part-*")])
    return took


def cpu_of_tasks() -> float:
    took = resource.getrusage(resource.RUSAGE_CHILDREN)
    return took.ru_utime + took.ru_stime


def tasks(at: Folder) -> tuple[RunsReader, list[Any]]:
    """What reads the table `runs`, and its tasks, as Spark's driver plans them."""
    study = of_runs.study(at)
    reader = RunsReader(study, "runs")
    return reader, [*reader.partitions()]


def main() -> None:
    parser = arguments(__doc__, 1, full="10^5 runs too")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.folder:
        print(json.dumps(measure(told.folder)))
        return
    rows = []
    for runs in RUNS if told.full else RUNS[:-1]:
        with tempfile.TemporaryDirectory(dir=HERE.parent / "build") as scratch:
            make_study(Path(scratch), runs)
            command = [sys.executable, __file__, "--folder", scratch]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            rows.append({"runs": runs, **json.loads(done.stdout.splitlines()[-1])})
            print(json.dumps(rows[-1]), file=sys.stderr)
    publish("many_runs", rows, told.full)


if __name__ == "__main__":
    main()
