"""How long it takes until something has been run: a first run in a fresh process, and many laboratories."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from common import HERE, arguments, publish, run_json, spread

ROOT = HERE.parent
#: s
SIMULATED = 10.0
LINKS = [(f"b{child // 2}", f"b{child}") for child in range(2, 8)]


def main() -> None:
    parser = arguments(__doc__, 10)
    parser.add_argument("--laboratories", type=int, default=1000)
    parser.add_argument("--once", choices=MEASUREMENTS, help="measure this in this process, and print JSON")
    told = parser.parse_args()
    if told.once:
        print(json.dumps(MEASUREMENTS[told.once](told.laboratories)))
        return
    this = [sys.executable, __file__, "--laboratories", str(told.laboratories)]
    started = [run_json([*this, "--once", "run"]) for _ in range(told.repetitions)]
    made = [run_json([*this, "--once", "laboratories"]) for _ in range(told.repetitions)]
    publish("start", [{name: spread([one[name] for one in started]) for name in started[0]}])
    publish("laboratories", [{name: spread([one[name] for one in made]) for name in made[0]}])


def first_run(_: int) -> dict[str, float]:
    """Import, load configs/thesis.yaml, run C2 for 10 s; wall-clock s, and CPU s of it all."""
    began = time.perf_counter()
    import mftpubsub

    imported = time.perf_counter()
    study = mftpubsub.load(ROOT / "configs" / "thesis.yaml")
    loaded = time.perf_counter()
    case = study.case(protocol="mft-pubsub", config="C2", speed=2, seed=1)
    mftpubsub.run(case.replace(duration=SIMULATED, publisher=mftpubsub.Publisher()))
    ended = time.perf_counter()
    return {
        "import (s)": imported - began,
        "load (s)": loaded - imported,
        "first run (s)": ended - loaded,
        "together (s)": ended - began,
        "together (CPU s)": time.process_time(),
    }


def laboratories(count: int) -> dict[str, float]:
    """Laboratories of seven brokers, one after the other, behind a first one."""
    import mftpubsub

    began = time.perf_counter()
    mftpubsub.Lab("mft-pubsub", LINKS, root="b1")
    first = time.perf_counter()
    before = resident_mib()
    for _ in range(count):
        mftpubsub.Lab("mft-pubsub", LINKS, root="b1")
    ended = time.perf_counter()
    return {
        "first (s)": first - began,
        "each (ms)": 1e3 * (ended - first) / count,
        f"{count} more (MiB)": resident_mib() - before,
    }


def resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


MEASUREMENTS = {"run": first_run, "laboratories": laboratories}

if __name__ == "__main__":
    main()
