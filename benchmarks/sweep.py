"""A sweep of short runs on all cores: how much of what it takes is the runs themselves."""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from common import HERE, median, publish, spread

#: For prctl: processes whose parent has ended become children of this one, whose times are then known.
PR_SET_CHILD_SUBREAPER = 36
STUDY = """\
base: {thesis}
protocols: [mft-pubsub]
speeds: [8]
seeds: {runs}
configurations: {{C4: {{area: [45, 45], nodes: [{{count: 2, roles: [publisher]}},
    {{count: 4, roles: [subscriber]}}, {{count: 4, roles: [broker]}}]}}}}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    alone = [sweep(1, arguments.workers) for _ in range(arguments.repetitions)]
    all_runs = [sweep(arguments.runs, arguments.workers) for _ in range(arguments.repetitions)]
    start_s = median([one["cpu_s"] - one["runs_cpu_s"] for one in alone])
    beside_s = [every["cpu_s"] - every["runs_cpu_s"] for every in all_runs]
    row = {
        "runs": arguments.runs,
        "workers": arguments.workers,
        "a run (CPU ms)": spread([1e3 * each["runs_cpu_s"] / arguments.runs for each in all_runs]),
        "beside it (CPU ms)": spread([1e3 * (s - start_s) / (arguments.runs - 1) for s in beside_s]),
        "start (CPU s)": spread([one["cpu_s"] - one["runs_cpu_s"] for one in alone]),
        "runs of all CPU time (%)": spread([100 * each["runs_cpu_s"] / each["cpu_s"] for each in all_runs]),
        "runs of workers x wall time (%)": spread(
            [100 * each["runs_cpu_s"] / (arguments.workers * each["wall_s"]) for each in all_runs]
        ),
    }
    publish("sweep", [row])


def sweep(runs: int, workers: int) -> dict[str, Any]:
    """What a sweep took, all its processes together, and what of that its runs did, in s."""
    with tempfile.TemporaryDirectory() as scratch:
        study, out = Path(scratch) / "study.yaml", Path(scratch) / "out"
        study.write_text(STUDY.format(thesis=HERE.parent / "configs" / "thesis.yaml", runs=runs))
        program = Path(sys.executable).with_name("mftpubsub")
        before, start = _children_s(), time.monotonic()
        subprocess.run(
            [program, "-q", "sweep", study, "--out", out, "--workers", str(workers)],
            check=True,
        )
        wall_s = time.monotonic() - start
        _wait_for_orphans()
        told = [json.loads(file.read_text()) for file in out.glob("runs/*/*/*/*/run.json")]
        return {
            "runs_cpu_s": sum(run["cpu_s"] for run in told),
            "cpu_s": _children_s() - before,
            "wall_s": wall_s,
        }


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
