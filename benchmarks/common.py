"""What the benchmarks share: arguments, processes and their cost, medians, tables, the machine."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
MEASURED = HERE / "measured"
PROGRAMS = HERE.parent / "build" / "benchmarks" / "benchmarks"
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
#: Between two looks at a process and its children, s.
SAMPLING = 0.1


def arguments(about: str | None, repetitions: int, full: str = "") -> argparse.ArgumentParser:
    """What every benchmark takes. `full` says what it measures beyond what `make benchmarks` has time for."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--repetitions", type=int, default=repetitions, help="of each measurement")
    if full:
        parser.add_argument("--full", action="store_true", help=f"{full}; written to measured/NAME-full.json")
    return parser


@dataclass(frozen=True)
class Cost:
    """What a process and its descendants took: CPU and wall-clock time (s), peak resident size (MiB).

    And of the process, Java's apart, that took the most: its CPU time (s), and its peak resident size (MiB).
    """

    cpu_s: float
    wall_s: float
    peak_mib: float
    longest_s: float
    largest_mib: float


def cost_of(command: Sequence[str | Path]) -> Cost:
    """Runs a command to its end, in a session of its own by which its descendants are known."""
    start = time.monotonic()
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL)
    cpu: dict[int, float] = {}
    of_java: set[int] = set()
    peak = largest = 0.0
    while process.poll() is None:
        session = _session(process.pid)
        cpu |= {one.pid: one.cpu_s for one in session}
        of_java |= {one.pid for one in session if one.name == "java"}
        # What has just been forked by Java is still in its parent's memory: that counts once.
        peak = max(peak, sum(resident for _, resident in {(one.virtual, one.mib) for one in session}))
        largest = max(largest, *(one.mib for one in session if one.pid not in of_java), 0.0)
        time.sleep(SAMPLING)
    if process.returncode != 0:
        raise SystemExit(f"{command[0]} failed with {process.returncode}")
    longest = max(seconds for pid, seconds in cpu.items() if pid not in of_java)
    return Cost(sum(cpu.values()), time.monotonic() - start, peak, longest, largest)


class _Process(NamedTuple):
    """Its own CPU time, s, its virtual size, B, and its resident size, MiB."""

    pid: int
    name: str
    cpu_s: float
    virtual: int
    mib: float


def _session(leader: int) -> list[_Process]:
    """Everything in a session."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            named, _, rest = (folder / "stat").read_text().rpartition(")")
            fields = rest.split()
        except OSError:
            continue  # it has just ended
        if int(fields[3]) == leader:
            seconds = (int(fields[11]) + int(fields[12])) / TICKS_PER_S
            resident = int(fields[21]) * os.sysconf("SC_PAGE_SIZE") / 2**20
            name = named.partition("(")[2]
            found.append(_Process(int(folder.name), name, seconds, int(fields[20]), resident))
    return found


def run_json(command: Sequence[str | Path]) -> dict[str, Any]:
    """The one JSON object that a program prints."""
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


def instructions(command: Sequence[str | Path]) -> int | None:
    """Instructions that a program executes, exactly; None without valgrind."""
    if not shutil.which("valgrind"):
        return None
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run([*valgrind, *command], check=True, capture_output=True, text=True)
    counted = re.search(r"Collected : (\d+)", done.stderr)
    return int(counted[1]) if counted else None


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def spread(values: Sequence[float]) -> str:
    """Median (least to largest)."""
    return f"{median(values):.4g} ({min(values):.4g} to {max(values):.4g})"


def publish(name: str, rows: list[dict[str, Any]], full: bool = False) -> None:
    """Prints rows as a table and writes them, with the machine, to measured/NAME.json or NAME-full.json."""
    columns = list(rows[0])
    print(f"| {' | '.join(columns)} |")
    print(f"|{'|'.join('---' if isinstance(rows[0][column], str) else '---:' for column in columns)}|")
    for row in rows:
        print(f"| {' | '.join(_cell(row[column]) for column in columns)} |")
    MEASURED.mkdir(exist_ok=True)
    content = {"machine": machine(), "rows": rows}
    (MEASURED / f"{name}{'-full' if full else ''}.json").write_text(
        json.dumps(content, indent=1) + "\n", encoding="utf-8"
    )


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def machine() -> dict[str, Any]:
    """Processor, cores, memory, load and versions: what the numbers depend on."""
    processor = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return {
        "processor": processor[1] if processor else platform.machine(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30),
        "load_1_min": os.getloadavg()[0],
        "kernel": platform.release(),
        "python": platform.python_version(),
    }
