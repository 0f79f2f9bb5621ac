"""Looks at the machine: what is there, what is missing, and how to get it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from rich.console import Console
from rich.table import Table

from mftpubsub.simulator.checks import protocols

PYTHON = ((3, 11), (3, 14))
GCC = 11
JAVA = 17
CMAKE = (3, 25)


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    what: str
    ok: bool
    found: str
    remedy: str = ""


def _output(*command: str) -> str | None:
    """What a command prints, None if it is not there or fails."""
    if shutil.which(command[0]) is None:
        return None
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    return told.stdout + told.stderr if told.returncode == 0 else None


def _numbers(text: str | None, pattern: str) -> tuple[int, ...] | None:
    match = re.search(pattern, text or "")
    return tuple(int(part) for part in match.groups()) if match else None


def check_python() -> Finding:
    """Python's version; the ns3 wheel and cppyy bound it."""
    ok = PYTHON[0] <= sys.version_info[:2] < PYTHON[1]
    return Finding(
        "Python 3.11 to 3.13", ok, sys.version.split()[0], "install Python 3.11 and make the environment anew"
    )


def check_compiler() -> Finding:
    """g++: needed to build the package, and by cppyy's own build."""
    found = _numbers(_output("g++", "-dumpfullversion"), r"(\d+)\.(\d+)")
    ok = found is not None and found[0] >= GCC
    return Finding(f"g++ {GCC} or newer", ok, _dotted(found), "apt-get install g++")


def check_cmake() -> Finding:
    """CMake, for the build."""
    found = _numbers(_output("cmake", "--version"), r"version (\d+)\.(\d+)")
    ok = found is not None and found >= CMAKE
    return Finding("CMake 3.25 or newer", ok, _dotted(found), "apt-get install cmake, or pip install cmake")


def check_java() -> Finding:
    """Java, for Spark (`ingest`)."""
    found = _numbers(_output("java", "-version"), r'version "(\d+)')
    ok = found is not None and found[0] >= JAVA
    return Finding(
        f"Java {JAVA} or newer",
        ok,
        _dotted(found),
        "apt-get install openjdk-17-jre-headless (only `ingest` needs it)",
    )


def check_packages() -> Finding:
    """The Python packages that hold the simulator and the pipeline."""
    found, missing = [], []
    for name in ("ns3", "cppyy", "pyspark"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    return Finding(
        "Python packages", not missing, ", ".join(found) or "none", f"pip install {' '.join(missing)}"
    )


def check_library() -> Finding:
    """Our own library, loaded for real."""
    try:
        found = protocols()
    except Exception as error:
        return Finding("mftpubsub library", False, str(error), "pip install . in the source tree")
    return Finding("mftpubsub library", True, f"loads; protocols {', '.join(found)}")


CHECKS: tuple[Callable[[], Finding], ...] = (
    check_python,
    check_compiler,
    check_cmake,
    check_java,
    check_packages,
    check_library,
)


def examine() -> int:
    """Prints all findings. Returns 0 if nothing is missing, else 1."""
    findings = [check() for check in CHECKS]
    table = Table("", "needed", "found", "what to do")
    for finding in findings:
        mark = "[green]ok[/]" if finding.ok else "[red]missing[/]"
        table.add_row(mark, finding.what, finding.found, "" if finding.ok else finding.remedy)
    Console().print(table)
    return 0 if all(finding.ok for finding in findings) else 1


def _dotted(numbers: tuple[int, ...] | None) -> str:
    return ".".join(map(str, numbers)) if numbers else "not found"
