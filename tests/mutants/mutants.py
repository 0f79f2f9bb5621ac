"""Breaks one line of C++ at a time and looks whether the suites that cover the file fail.

The mutants are drawn evenly from the rooms that `suites.yaml` names. Each is built in a copy of the sources,
without sanitizers. What is known from before is kept. A mutant is tried again only if its file has changed,
a survivor also if a suite has. With `--record` the sample goes into measured.yaml, of which the page
docs/contributing/mutants.md is made.
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml
from operators import Mutant, apply, mutants
from rich.progress import track

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "mutants"
SOURCES = BUILD / "sources"
#: As deep as other builds, so that a compiler cache knows what they have built.
TREE = SOURCES / "build" / "tree"
RESULTS = BUILD / "results.json"
PAGE = ROOT / "docs" / "contributing" / "mutants.md"
HERE = Path(__file__).parent
MEASURED = HERE / "measured.yaml"
EXPLAINED = HERE / "explained.yaml"
#: What a build reads.
COPIED = (
    "CMakeLists.txt",
    "cmake",
    "cpp",
    "benchmarks",
    "tests/cpp",
    "tests/fuzz",
    "tests/golden",
    "tests/worlds",
)
#: Rooms without ns-3: their mutants are judged by suites without it, in a program that is small.
CORE = tuple(
    f"cpp/{room}/" for room in ("content", "session", "overlay", "policies", "stations", "protocols")
)
#: Not a suite of C++: the digests of tests/traces, by the library that has the mutant.
TRACES = "traces"
PACKAGE = BUILD / "package"
RUN_TRACES = """import sys
sys.meta_path = [finder for finder in sys.meta_path if "Redirecting" not in type(finder).__name__]
sys.path.insert(0, sys.argv[1])
import pytest
sys.exit(pytest.main(["-qx", "-p", "no:cacheprovider", sys.argv[2]]))"""
#: A suite that takes this many times as long as without a mutant hangs: that is seen, too.
PATIENCE = 10

PREFACE = """# Mutants

<!-- Made by tests/mutants/mutants.py from measured.yaml and explained.yaml beside it. -->

`make mutants` breaks one line of C++ at a time and runs the suites that cover its file.
The operators are in `tests/mutants/operators.py`, the suites of each room in `tests/mutants/suites.yaml`.
A mutant that a suite fails on is killed. A mutant that no suite sees is a survivor.
Mutants that do not compile, or compile to the same code, are not judged.

A sample is drawn by its seed, evenly from the rooms and their files. This measures one and writes it here:

    .venv/bin/python tests/mutants/mutants.py --count 60 --seed 3 --only cpp/protocols --record

Tests are written for survivors afterwards. The share killed at first is the one to expect of mutants that
somebody else makes.

| seed | drawn | files with | judged | killed at first | killed now | same code | does not compile | code |
|---:|---:|---|---:|---:|---:|---:|---:|---|"""

KILLED, SURVIVED, SAME, BROKEN = "killed", "survived", "same code", "does not compile"


def _covering(file: str, table: dict[str, list[str]]) -> list[str]:
    prefix = max((prefix for prefix in table if file.startswith(prefix)), key=len)
    return table[prefix]


def _program(file: str) -> str:
    return "mftpubsub-core-tests" if file.startswith(CORE) else "mftpubsub-tests"


def _name(mutant: Mutant) -> str:
    return f"{mutant.file}:{mutant.line}:{mutant.column} {mutant.before} => {mutant.after}"


def _copy_sources() -> None:
    """Makes the copy equal to the sources. Equal files keep their time, so that builds stay small."""
    for name in COPIED:
        source, copy = ROOT / name, SOURCES / name
        files = (
            [file.relative_to(source) for file in source.rglob("*") if file.is_file()]
            if source.is_dir()
            else [Path()]
        )
        for file in files:
            (copy / file).parent.mkdir(parents=True, exist_ok=True)
            content = (source / file).read_bytes()
            if not (copy / file).exists() or (copy / file).read_bytes() != content:
                (copy / file).write_bytes(content)
        if source.is_dir():
            for file in [file for file in copy.rglob("*") if file.is_file()]:
                if file.relative_to(copy) not in set(files):
                    file.unlink()


def _make_package() -> None:
    """Python's package with the library of the copy."""
    shutil.rmtree(PACKAGE, ignore_errors=True)
    package = PACKAGE / "mftpubsub"
    package.mkdir(parents=True)
    for path in (ROOT / "python" / "mftpubsub").iterdir():
        (package / path.name).symlink_to(path)
    (package / "libmftpubsub.so").symlink_to(TREE / "cpp" / "libmftpubsub.so")
    (package / "include").symlink_to(SOURCES / "cpp")


@dataclass
class Bench:
    """The copy of the sources, its build, and how long each suite takes in it."""

    python: Path
    seconds: dict[str, float]

    def configure(self) -> None:
        """Configures the copy."""
        ninja = self.python.with_name("ninja")
        subprocess.run(
            [
                *("cmake", "-S", SOURCES, "-B", TREE, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"),
                *(
                    "-DCMAKE_BUILD_TYPE=Release",
                    "-DCMAKE_CXX_FLAGS_RELEASE=-O3 -DNDEBUG -w",
                    f"-DPython3_EXECUTABLE={self.python}",
                ),
                "-DMFTPUBSUB_BUILD_TESTS=ON",
                "-DMFTPUBSUB_TOGETHER=OFF",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )

    def build(self, program: str) -> bool:
        """Whether a program of tests builds from the copy as it is now."""
        command = ["cmake", "--build", str(TREE), "--target", program]
        return (
            subprocess.run(
                command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            ).returncode
            == 0
        )

    def machine_code(self, file: str) -> bytes:
        """The object of a source file: the same if a mutant changes nothing that is executed."""
        [path] = (TREE / "cpp" / "CMakeFiles").glob(f"*.dir/{Path(file).relative_to('cpp')}.o")
        return path.read_bytes()

    def passes(self, program: str, suite: str) -> bool:
        """Whether a suite passes, in a time that is not too far from its usual one."""
        limit = PATIENCE * self.seconds[suite] + 10 if suite in self.seconds else None
        tests = TREE / "tests" / "cpp" / program
        command: list[str | Path] = (
            [self.python, "-c", RUN_TRACES, PACKAGE, ROOT / "tests" / "traces"]
            if suite == TRACES
            else [tests, f"--suite=mftpubsub-{suite}", "--stop-on-failure"]
        )
        begun = time.monotonic()
        try:
            done = subprocess.run(
                command,
                check=False,
                timeout=limit,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            return False
        self.seconds.setdefault(suite, time.monotonic() - begun)
        return done.returncode == 0

    def outcome(self, mutant: Mutant, suites: list[str]) -> tuple[str, str]:
        """What becomes of a mutant, and the suite that sees it."""
        path = SOURCES / mutant.file
        source = path.read_text()
        program = _program(mutant.file)
        self.build(program)
        original = self.machine_code(mutant.file)
        try:
            path.write_text(apply(source, mutant))
            if not self.build(program):
                return BROKEN, ""
            if self.machine_code(mutant.file) == original:
                return SAME, ""
            for suite in suites:
                if not self.passes(program, suite):
                    return KILLED, suite
            return SURVIVED, ""
        finally:
            path.write_text(source)


def _digest(paths: list[Path]) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(paths))).hexdigest()


def _draw(table: dict[str, list[str]], count: int, seed: int, only: list[str]) -> list[Mutant]:
    """Mutants of all rooms in turn, of files in turn, so that a large file does not hide a small one."""
    draw = random.Random(seed)
    rooms: dict[str, list[list[Mutant]]] = defaultdict(list)
    for path in sorted(ROOT.glob("cpp/**/*.cc")):
        file = str(path.relative_to(ROOT))
        if any(file.startswith(prefix) for prefix in table) and any(text in file for text in only or [""]):
            found = list(mutants(file, path.read_text()))
            draw.shuffle(found)
            rooms[max((prefix for prefix in table if file.startswith(prefix)), key=len)].append(found)
    chosen: list[Mutant] = []
    while len(chosen) < count and any(any(files) for files in rooms.values()):
        for files in rooms.values():
            files[:] = [file for file in files if file]
            if files:
                chosen.append(draw.choice(files).pop())
    return chosen[:count]


def _load(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text()) if path.exists() else {}


def _key(mutant: dict[str, Any]) -> dict[str, str]:
    """By what explained.yaml and measured.yaml name a mutant."""
    return {name: mutant[name] for name in ("file", "before", "after")}


def _code() -> str:
    """Which C++ was broken: the first digits of a digest."""
    return _digest([path for path in ROOT.glob("cpp/**/*") if path.is_file()])[:8]


def _record(sample: dict[str, Any], results: Iterable[dict[str, Any]]) -> None:
    """Notes a sample; what an earlier run of it had killed stays beside what this one kills."""
    measured: list[dict[str, Any]] = yaml.safe_load(MEASURED.read_text()) if MEASURED.exists() else []
    counts = Counter(result["outcome"] for result in results)
    same = [one for one in measured if all(one[name] == value for name, value in sample.items())]
    sample |= {
        "judged": counts[KILLED] + counts[SURVIVED],
        "killed at first": same[0]["killed at first"] if same else counts[KILLED],
        "killed": counts[KILLED],
        "same code": counts[SAME],
        "does not compile": counts[BROKEN],
        "code": _code(),
        "survivors": [_key(result) for result in results if result["outcome"] == SURVIVED],
    }
    measured = [sample if one in same else one for one in measured] + ([] if same else [sample])
    MEASURED.write_text(
        "# SPDX-License-Identifier: GPL-2.0-only\n#\n# What `make mutants` measured, with --record.\n"
        + yaml.safe_dump(measured, sort_keys=False, width=1000, allow_unicode=True)
    )


def page(measured: list[dict[str, Any]], reasons: list[dict[str, str]]) -> str:
    """The page of the samples that were measured, and of each survivor."""
    lines = [PREFACE]
    for one in measured:
        files = ", ".join(f"`{only}`" for only in one["only"]) or "all"
        first, now = (
            f"{one[name]} ({100 * one[name] / one['judged']:.0f} %)" for name in ("killed at first", "killed")
        )
        lines.append(
            f"| {one['seed']} | {one['count']} | {files} | {one['judged']} | {first} | {now} "
            f"| {one['same code']} | {one['does not compile']} | `{one['code']}` |"
        )
    lines += ["", "## Survivors", ""]
    survivors = {tuple(mutant.values()): mutant for one in measured for mutant in one["survivors"]}
    for _, mutant in sorted(survivors.items()):
        [why] = [reason["why"] for reason in reasons if _key(reason) == mutant] or ["not explained yet"]
        lines.append(f"- `{mutant['file']}`: `{mutant['before']}` as `{mutant['after']}`: {why}.")
    return "\n".join(lines) + "\n"


def main(
    count: Annotated[int, typer.Option(help="Mutants to try, all rooms together.")] = 100,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 1,
    only: Annotated[
        list[str] | None, typer.Option(help="Mutants of files with one of these texts in their path.")
    ] = None,
    python: Annotated[Path, typer.Option(help="The interpreter with the ns3 wheel.")] = ROOT
    / ".venv/bin/python",
    fresh: Annotated[bool, typer.Option(help="Forget what is known from before.")] = False,
    record: Annotated[bool, typer.Option(help="Note it, and write docs/contributing/mutants.md.")] = False,
) -> None:
    """Tries mutants, and lists those that no suite sees."""
    table: dict[str, list[str]] = yaml.safe_load((HERE / "suites.yaml").read_text())
    if fresh:
        shutil.rmtree(BUILD, ignore_errors=True)
    BUILD.mkdir(parents=True, exist_ok=True)
    _copy_sources()
    _make_package()
    bench = Bench(python.absolute(), {})
    bench.configure()
    tests = _digest([*ROOT.glob("tests/cpp/*"), HERE / "suites.yaml"])
    known = _load(RESULTS)
    results: dict[str, Any] = {}
    chosen = _draw(table, count, seed, only or [])
    needed = {(_program(mutant.file), suite) for mutant in chosen for suite in _covering(mutant.file, table)}
    for program in sorted({program for program, _ in needed}):
        if not bench.build(program):
            raise SystemExit("The sources do not compile without mutants")
    for program, suite in sorted(needed):
        if not bench.passes(program, suite):
            raise SystemExit(f"The suite {suite} fails without mutants")
    for mutant in track(chosen, description="Mutants"):
        file = _digest([ROOT / mutant.file])
        before = known.get(_name(mutant))
        if (
            before is None
            or before["source"] != file
            or (before["outcome"] == SURVIVED and before["tests"] != tests)
        ):
            suites = sorted(_covering(mutant.file, table), key=lambda suite: bench.seconds[suite])
            outcome, suite = bench.outcome(mutant, suites)
            before = asdict(mutant) | {"outcome": outcome, "suite": suite, "source": file, "tests": tests}
        results[_name(mutant)] = known[_name(mutant)] = before
        RESULTS.write_text(json.dumps(known, indent=1))
    for result in results.values():
        if result["outcome"] == SURVIVED:
            print(f"{result['file']}:{result['line']}: {result['before']}\n  as {result['after']}")
    print(dict(Counter(result["outcome"] for result in results.values())))
    if record:
        _record({"seed": seed, "count": count, "only": only or []}, list(results.values()))
        measured = yaml.safe_load(MEASURED.read_text())
        PAGE.write_text(page(measured, yaml.safe_load(EXPLAINED.read_text())))


if __name__ == "__main__":
    typer.run(main)
