"""Writes what gets installed, all of it by version and SHA-256: `make lock`.

tools.txt  what our C++ is built with, for every Python of ours; of ns-3 its headers and libraries alone
run.txt    that, and what we run with
all.txt    that, and what we develop with
build.txt  what the source distributions among them are built with (pip's --build-constraint)
pip.txt    the pip that installs them
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

FOLDER = Path(__file__).parent
PYPROJECT = FOLDER.parent / "pyproject.toml"
HEADER = "# Written by `make lock`: do not edit.\n"
UV = """
    pip compile --universal --python-version 3.11 --fork-strategy fewest
    --generate-hashes --no-annotate --no-header --no-config --quiet
"""
SPELLED = {"cpycppyy": "CPyCppyy"}
"""pip installs headers into a folder of the requirement's name, and cppyy looks for them in this one."""

BINDINGS = {"cppyy", "cppyy-backend", "cppyy-cling", "cpycppyy"}
"""What ns-3 needs in Python only: one of them takes as long to compile as a fifth of our C++."""

Locked = dict[str, list[str]]
"""By name: `name==version ; marker`, then an option for each hash."""


def resolve(*what: str) -> Locked:
    """The newest versions that fit: one of each package, the same for every Python.

    Raises:
        CalledProcessError: nothing fits; uv has said why.
    """
    command: list[str | Path] = [Path(sys.executable).with_name("uv"), *UV.split(), *what]
    settings = {name: value for name, value in os.environ.items() if not name.startswith("UV_")}
    done = subprocess.run(
        command, cwd=PYPROJECT.parent, env=settings, stdout=subprocess.PIPE, text=True, check=True
    )
    locked: Locked = {}
    for line in done.stdout.replace("\\\n", "").splitlines():
        requirement, *hashes = line.split(" --hash=")
        name = Requirement(requirement).name
        locked[name] = [
            requirement.strip().replace(name, SPELLED.get(name, name), 1),
            *(f"--hash={text.strip()}" for text in hashes),
        ]
    return locked


def join(sources: Locked, everything: Locked, fixed: set[str]) -> Locked:
    """What sources are built with, where some fix one version of a package and others that of all.txt.

    A constraint cannot say so; it has the hashes of both then, and leaves the version to them.
    """
    joined = {}
    for name, (line, *hashes) in sources.items():
        if name in fixed and line != everything[name][0]:
            joined[name] = [name, *hashes, *everything[name][1:]]
        else:
            joined[name] = [line, *hashes]
    return joined


def part(everything: Locked, *what: str) -> Locked:
    """What of `everything` is needed for `what`, in the same versions."""
    return {name: everything[name] for name in resolve("--constraint", str(FOLDER / "all.txt"), *what)}


def write(name: str, locked: Locked) -> None:
    text = "".join(" \\\n    ".join(lines) + "\n" for lines in locked.values())
    (FOLDER / f"{name}.txt").write_text(HEADER + text)


def main() -> None:
    """Renews all files."""
    groups = tomllib.loads(PYPROJECT.read_text())["dependency-groups"]
    fixed = {requirement.name for text in groups["sources"] if "==" in str(requirement := Requirement(text))}
    everything = resolve(PYPROJECT.name, "--all-extras", "--group", "build")
    sources = join(resolve("--group", "sources"), everything, fixed)
    write("all", everything)
    write("run", part(everything, PYPROJECT.name, "--group", "build"))
    building = part(everything, "--group", "build")
    write("tools", {name: lines for name, lines in building.items() if name not in BINDINGS})
    write("build", sources)
    write("pip", resolve("--group", "installer"))


if __name__ == "__main__":
    main()
