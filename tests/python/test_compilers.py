"""Our C++ is for every compiler that a user may have: what one of them accepts, others may not.

The compiler that is called c++ builds the tests, and so compiles everything. The others that are here compile
what needs no ns-3.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path

import pytest

CPP = Path(__file__).parents[2] / "cpp"
#: What needs no ns-3: the rooms of the core, and those of live nodes.
CORE = re.search(r"\(core_rooms (.*)\)", (CPP.parent / "cmake" / "Rooms.cmake").read_text())
ROOMS = (*(CORE.group(1).split() if CORE else ()), "live", "daemon")
COMPILERS = ("g++-11", "g++-12", "g++-13", "clang++")
FLAGS = ("-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", f"-I{CPP}")
STANDARD = re.compile(r"^#include <\w+>$", re.MULTILINE)


def _files(pattern: str) -> list[Path]:
    return sorted(file for room in ROOMS for file in (CPP / room).rglob(pattern))


def _version(compiler: str) -> str:
    told = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    return told.stdout.splitlines()[0].partition(" ")[2]


def _compile(compiler: str, *arguments: str) -> str:
    """What the compiler complains of."""
    return subprocess.run([compiler, *FLAGS, *arguments], capture_output=True, text=True).stderr


def _precompile(compiler: str, folder: Path) -> list[str]:
    """Reads the standard headers of the core once; returns the arguments by which sources need not."""
    texts = [file.read_text() for file in (*_files("*.h"), *_files("*.cc"))]
    header = folder / "standard.h"
    header.write_text("\n".join(sorted({line for text in texts for line in STANDARD.findall(text)})))
    is_clang = compiler.startswith("clang")
    made = f"{header}.pch" if is_clang else f"{header}.gch"
    assert _compile(compiler, "-x", "c++-header", str(header), "-o", made) == ""
    return ["-include-pch", made] if is_clang else ["-include", str(header)]


def _others() -> list[str]:
    here = [compiler for compiler in COMPILERS if shutil.which(compiler)]
    return [compiler for compiler in here if _version(compiler) != _version("c++")]


def _units(folder: Path) -> list[Path]:
    """Files that include what is compiled together, and one with all headers."""
    groups: dict[tuple[Path, str], list[Path]] = {}
    for source in _files("*.cc"):
        groups.setdefault(_together(source), []).append(source)
    units = []
    for number, files in enumerate([*groups.values(), _files("*.h")]):
        units.append(folder / f"unit-{number}.cc")
        units[-1].write_text("".join(f'#include "{file.relative_to(CPP)}"\n' for file in files))
    return units


@pytest.mark.slow
@pytest.mark.parametrize("compiler", _others() or ["c++"])
def test_every_compiler_accepts_what_needs_no_ns3(compiler: str, tmp_path: Path) -> None:
    headers = _precompile(compiler, tmp_path)
    units = _units(tmp_path)
    assert len(ROOMS) == 10
    assert len(units) > 15
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = pool.map(lambda unit: _compile(compiler, "-fsyntax-only", *headers, str(unit)), units)
    assert "".join(complaints) == ""


def _configured(folder: Path, *options: str) -> list[dict[str, str]]:
    """What a build would compile: files and commands."""
    configure = ["cmake", "-S", str(CPP.parent), "-B", str(folder), "-G", "Ninja"]
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    subprocess.run(
        [*configure, f"-DPython3_EXECUTABLE={sys.executable}", *options],
        check=True,
        capture_output=True,
        env=os.environ | {"PATH": path},
    )
    found: list[dict[str, str]] = json.loads((folder / "compile_commands.json").read_text())
    return found


@pytest.mark.slow
@pytest.mark.parametrize("asked", ["ON", "OFF"])
def test_warnings_are_errors_for_developers_only(asked: str, tmp_path: Path) -> None:
    options = ("-DMFTPUBSUB_BUILD_TESTS=ON", f"-DMFTPUBSUB_WARNINGS={asked}")
    commands = [entry["command"] for entry in _configured(tmp_path, *options)]
    assert commands
    assert {" -Werror " in command for command in commands} == {asked == "ON"}


#: Names of another namespace for the whole file that this stands in, and for those that are compiled with it.
USED = re.compile(r"^using namespace .*$", re.MULTILINE)
LOCAL = re.compile(r"^namespace\n\{(.*?)^\} // namespace$", re.MULTILINE | re.DOTALL)
#: Functions with their arguments, constants, types: of the file, since they begin a line.
DEFINED = re.compile(
    r"^(\w+\([^)]*\))\n\{"
    r"|^(?:constexpr|const|static|inline) [^\n(]*?(\w+)(?: = |\{|\[)"
    r"|^(?:struct|class) (\w+)",
    re.MULTILINE,
)


def _sources() -> list[Path]:
    """But for examples, which are programs of the tests' build."""
    return sorted(file for file in CPP.rglob("*.cc") if file.parent != CPP / "examples")


def _locals(file: Path) -> set[str]:
    """What a file defines for itself."""
    return {"".join(one) for text in LOCAL.findall(file.read_text()) for one in DEFINED.findall(text)}


def _together(file: Path) -> tuple[Path, str]:
    """What files have in common that are compiled together."""
    return file.parent, "".join(USED.findall(file.read_text()))


def test_files_that_are_compiled_together_have_no_local_names_in_common() -> None:
    named: dict[tuple[tuple[Path, str], str], list[str]] = {}
    for file in _sources():
        for name in _locals(file):
            named.setdefault((_together(file), name), []).append(file.name)
    assert len(named) > 300
    assert {key: files for key, files in named.items() if len(files) > 1} == {}


@pytest.mark.slow
def test_each_source_is_compiled_once_with_those_of_its_folder_that_use_the_same_namespace(
    tmp_path: Path,
) -> None:
    built = [Path(entry["file"]) for entry in _configured(tmp_path, "-DMFTPUBSUB_TOGETHER=ON")]
    groups = [
        [Path(name) for name in re.findall(r'^#include "(.*)"$', file.read_text(), re.MULTILINE)]
        for file in built
        if file.parent.name == "Unity"
    ]
    assert len(groups) > 20
    alone = [file for file in built if file.is_relative_to(CPP)]
    assert sorted([*alone, *chain.from_iterable(groups)]) == _sources()
    assert {len({_together(file) for file in group}) for group in groups} == {1}
    assert max(map(len, groups)) > 8
