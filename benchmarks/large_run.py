"""One run with a large trace: what an ingest by one process takes, and its memory."""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from common import HERE, arguments, publish

from mftpubsub.folders import folder_at
from mftpubsub.pipeline.stored import store
from mftpubsub.pipeline.tables import make
from mftpubsub.pipeline.workers import Processes
from mftpubsub.trace import trace_format
from mftpubsub.trace.file import TraceFile

LINES = (3 * 10**6,)
FULL_LINES = 3 * 10**7
NODES = 1000
#: Frames of an event; with them it has FRAMES + 4 lines.
FRAMES = 46


def of_event(event: int) -> str:
    """The records of an event of one pair."""
    publisher, sequence, subscriber = event % NODES, event // NODES + 1, event * 7 % NODES
    at = 1 + event / 1000
    ids = f"{publisher} {sequence}"
    frames = "".join(
        f"t {at + step / 100:.3f} {(publisher + step) % NODES} radio PUB {subscriber} 130 - - - -\n"
        for step in range(FRAMES)
    )
    return (
        f"+ {at:.3f} {publisher} app PUBLISH - 100 {ids} - -\n"
        f"+ {at:.3f} {publisher} app SEND - - {ids} {subscriber} -\n"
        f"+ {at + 0.1:.3f} {publisher} broker MATCH - - {ids} {subscriber} -\n"
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
        file.write(f"- {events / 1000 + 10:.3f} - run END - - - - - -\n".encode())
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


def measure(folder: Path) -> dict[str, float]:
    """CPU seconds of each step of an ingest by one process, and the largest memory so far, MiB."""
    took: dict[str, float] = {}

    def step(name: str, do: Callable[[], object]) -> None:
        start = time.process_time()
        do()
        took[f"{name} CPU s"] = time.process_time() - start
        took[f"{name} peak MiB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    step("store", lambda: store(Processes(1), folder_at(folder)))
    step("tables", lambda: make(Processes(1), folder_at(folder)))
    return took


def main() -> None:
    parser = arguments(__doc__, 1, full="3 * 10^7 lines too")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.folder:
        print(json.dumps(measure(told.folder)))
        return
    rows = []
    for lines in (*LINES, FULL_LINES) if told.full else LINES:
        with tempfile.TemporaryDirectory(dir=HERE.parent / "build") as scratch:
            make_study(Path(scratch), lines)
            command = [sys.executable, __file__, "--folder", scratch]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            rows.append({"lines": lines, **json.loads(done.stdout.splitlines()[-1])})
            print(json.dumps(rows[-1]), file=sys.stderr)
    publish("large_run", rows, told.full)


if __name__ == "__main__":
    main()
