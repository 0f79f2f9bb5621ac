"""The hash of the code that made a run changes with what the code does, and not with how it is written."""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from mftpubsub.simulator import library, sources
from mftpubsub.simulator.library import code_version, core

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "cmake"))
import source_hash  # noqa: E402

HEADER = """// A comment
#ifndef ROOM_PART_H
#define ROOM_PART_H

#include "room/other.h"
#include <string>

#define TWICE(x) \\
    (2 * (x))

/* of two
   lines */
inline int
Half(int value)
{
    return value / 2; // "rounded" down, isn't it
}

inline const char* URL = "http://a /* not a comment */";
inline const char* RAW = R"x(// "neither")x";
constexpr int LARGE = 1'000'000;
constexpr char QUOTE = '"';

#endif /* ROOM_PART_H */
"""


@pytest.fixture
def sources_of(tmp_path: Path) -> Callable[..., str]:
    """Writes files, given by their names, and gives their hash."""

    def write(**files: str) -> str:
        folder = tmp_path / "cpp"
        shutil.rmtree(folder, ignore_errors=True)
        for name, text in files.items():
            path = folder / name.replace("__", "/").replace("_H", ".h").replace("_CC", ".cc")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return source_hash.source_hash(folder, "3.44")

    return write


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("// A comment", "// Another one"),
        ("// A comment\n", ""),
        ("/* of two\n   lines */", ""),
        ('// "rounded" down, isn\'t it', ""),
        ("ROOM_PART_H", "HALL_PIECE_H"),
        ('"room/other.h"', '"hall/other.h"'),
        ('#include "room/other.h"\n', ""),
        ("inline int\nHalf(int value)\n{", "inline int Half( int value ) {"),
        ("(2 * (x))", "  (2*(x))  // of a macro"),
        (" \\\n   ", ""),
    ],
)
def test_wording_and_names_do_not_count(sources_of: Callable[..., str], old: str, new: str) -> None:
    assert old in HEADER
    assert sources_of(room__part_H=HEADER) == sources_of(room__part_H=HEADER.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("value / 2", "value / 3"),
        ("(2 * (x))", "(3 * (x))"),
        ("http://a", "http://b"),
        ("/* not a comment */", "/* not the comment */"),
        ('// "neither"', '// "nor"'),
        ("1'000'000", "1'000'001"),
        ("QUOTE = '\"'", "QUOTE = '\\''"),
        ("    return value / 2;", "    // return value / 2;"),
        ("int\nHalf", "intHalf"),
    ],
)
def test_code_counts(sources_of: Callable[..., str], old: str, new: str) -> None:
    assert old in HEADER
    assert sources_of(room__part_H=HEADER) != sources_of(room__part_H=HEADER.replace(old, new))


def test_a_file_may_have_any_name_and_place(sources_of: Callable[..., str]) -> None:
    before = sources_of(a__one_CC="int one = 1;", b__two_CC="int two = 2;", b__two_H=HEADER)
    assert before == sources_of(z__two_CC="int one = 1;", c__d__e_CC="int two = 2;", a_H=HEADER)
    assert before != sources_of(a__one_CC="int one = 1;", b__two_H=HEADER)


def test_rooms_that_no_run_is_made_of_do_not_count(sources_of: Callable[..., str]) -> None:
    before = sources_of(room__part_H=HEADER)
    assert before == sources_of(room__part_H=HEADER, lab__a_CC="int a;", castalia__b_CC="int b;")
    assert before != sources_of(room__part_H=HEADER, rooms__a_CC="int a;")


def test_the_library_knows_what_it_was_built_from() -> None:
    assert core().GetSourceHash() == source_hash.source_hash(ROOT / "cpp", version("ns3"))


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of our package, whose version `code_version` gives."""
    original = Path(library.__file__).parents[1]
    copy = shutil.copytree(original, tmp_path / "package", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(sources, "files", lambda name: copy)
    monkeypatch.setattr(library, "code_version", code_version.__wrapped__)
    assert library.code_version() == code_version()
    return copy


def _parts(package: Path) -> list[Path]:
    rooms = ("simulator", "own", "policies", "protocols", "scenario")
    parts = [path for room in rooms for path in (package / room).glob("*.py")]
    parts += [package / "runs" / "to_cpp.py", package / "runs" / "simulation.py"]
    return [path for path in parts if path.name not in ("laboratory.py", "sources.py", "catalogue.py")]


@pytest.mark.slow
def test_the_code_version_knows_the_python_that_hands_a_scenario_over(package: Path) -> None:
    parts = _parts(package)
    assert len(sources.translation()) == len(parts) * len(hashlib.sha256().hexdigest())
    for path in (parts[0], parts[-1]):
        before = library.code_version()
        path.write_text(path.read_text() + "\nADDED = 1\n")
        assert library.code_version() != before


@pytest.mark.slow
def test_the_wording_of_python_does_not_count(package: Path) -> None:
    before = library.code_version()
    for path in _parts(package):
        path.write_text(f'# A comment\n"""Of the module."""\nimport mftpubsub.other\n{path.read_text()}\n\n')
        path.rename(path.with_name(f"renamed_{path.name}"))
    (package / "runs" / "renamed_to_cpp.py").rename(package / "runs" / "to_cpp.py")
    (package / "runs" / "renamed_simulation.py").rename(package / "runs" / "simulation.py")
    assert library.code_version() == before


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("def f():\n    'Doc.'\n    return 1", "def f(): return (1)  # one", True),
        ("x: int = Field(1, description='a')", "x: int = Field(1, description='b')", True),
        ("from mftpubsub.a import b", "from mftpubsub.c import b", True),
        ("core('room/part.h')", "core('hall/part.h')", True),
        ("f'{x:.2f} s'", "f'{x:.3f} s'", False),
        ("import math", "import cmath", False),
        ("x = True", "x = 1", False),
        ("x = 1", "x = 1.0", False),
        ("f(a, *b)", "f(*a, b)", False),
        ("x = 'a.h b'", "x = 'c.h b'", False),
    ],
)
def test_a_module_means_what_it_does(one: str, other: str, is_same: bool) -> None:
    assert (sources.meaning(one) == sources.meaning(other)) == is_same
