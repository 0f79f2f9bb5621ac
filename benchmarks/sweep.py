"""A sweep of short runs on all cores: how much of what it takes is the runs themselves."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common import HERE, arguments, median, publish, spread

#: For prctl: processes whose parent has ended become children of this one, whose times are then known.
PR_SET_CHILD_SUBREAPER = 36
#: Side of the field (m), and subscribers and brokers, each.
CONFIGURATIONS = {"C4": (45, 4), "C8": (60, 8), "C16": (80, 16)}
STUDY = """\
base: {thesis}
protocols: [mft-pubsub]
speeds: [8]
seeds: {runs}
configurations:
  {name}:
    area: [{side}, {side}]
    nodes:
      - {{count: 2, roles: [publisher]}}
      - {{count: {count}, roles: [subscriber]}}
      - {{count: {count}, roles: [broker]}}
"""


def main() -> None:
    parser = arguments(__doc__, 3)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--configs", nargs="+", choices=CONFIGURATIONS, default=[*CONFIGURATIONS])
    told = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    rows = []
    for name in told.configs:
        single = [sweep(name, 1, told.workers) for _ in range(told.repetitions)]
        sweeps = [sweep(name, told.runs, told.workers) for _ in range(told.repetitions)]
        rows.append({"configuration": name} | row(single, sweeps, told.runs, told.workers))
    publish("sweep", rows)


@dataclass(frozen=True)
class Sweep:
    """What a sweep took, all its processes together, and what of that its runs did, s."""

    cpu_s: float
    wall_s: float
    runs_s: float

    @property
    def beside_s(self) -> float:
        return self.cpu_s - self.runs_s


def row(single: list[Sweep], sweeps: list[Sweep], runs: int, workers: int) -> dict[str, Any]:
    """`single` are sweeps of one run, which tell what it takes to start one."""
    start_s = median([one.beside_s for one in single])
    return {
        "runs": runs,
        "workers": workers,
        "a run (CPU ms)": spread([1e3 * each.runs_s / runs for each in sweeps]),
        "beside it (CPU ms)": spread([1e3 * (each.beside_s - start_s) / (runs - 1) for each in sweeps]),
        "start (CPU s)": spread([one.beside_s for one in single]),
        "runs of CPU time (%)": spread([100 * each.runs_s / each.cpu_s for each in sweeps]),
        "runs of workers x wall time (%)": spread(
            [100 * each.runs_s / (workers * each.wall_s) for each in sweeps]
        ),
    }


def sweep(name: str, runs: int, workers: int) -> Sweep:
    side, count = CONFIGURATIONS[name]
    thesis = HERE.parent / "configs" / "thesis.yaml"
    with tempfile.TemporaryDirectory() as scratch:
        study, out = Path(scratch) / "study.yaml", Path(scratch) / "out"
        study.write_text(STUDY.format(thesis=thesis, name=name, side=side, count=count, runs=runs))
        program = Path(sys.executable).with_name("mftpubsub")
        before, start = _children_s(), time.monotonic()
        command: list[str | Path] = [program, "-q", "sweep", study, "--out", out, "--workers", str(workers)]
        subprocess.run(command, check=True)
        wall_s = time.monotonic() - start
        _wait_for_orphans()
        told = [json.loads(file.read_text()) for file in out.glob("runs/*/*/*/*/run.json")]
        return Sweep(_children_s() - before, wall_s, sum(run["cpu_s"] for run in told))


def _wait_for_orphans() -> None:
    try:
        while True:
            os.wait()
    except ChildProcessError:
        return


def _children_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
