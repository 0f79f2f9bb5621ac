"""The rooms of Python stand on floors: each imports only those below it, and one meets C++."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "python" / "mftpubsub"

#: From the ground up; a room may import those before it. What has no folder is a module of its own.
FLOORS = (
    "errors",
    "files",
    "html",
    "metrics",
    "protocols",
    "labels",
    "notes",
    "statistics",
    "style",
    "simulator",
    "policies",
    "trace",
    "scenario",
    "lab",
    "runs",
    "pipeline",
    "sweep",
    "evaluation",
    "castalia",
    "reconfiguration",
    "handoff",
    "cli",
    "interop",
)
#: Faces: they show what lies below, and nothing imports them.
FACES = ("__init__", "__main__")
#: Their subject is ns-3's own bindings.
MEET_CPP = ("simulator", "interop")


def modules(room: str) -> list[Path]:
    return [*(PACKAGE / room).rglob("*.py")] or [PACKAGE / f"{room}.py"]


def imported(path: Path) -> Iterator[tuple[str, str]]:
    """Modules and names that a module imports anywhere but for its type annotations."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {
        id(below)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for branch in node.body
        for below in ast.walk(branch)
    }
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


def rooms_of(path: Path) -> set[str]:
    names = {f"{module}.{name}" for module, name in imported(path) if module.split(".")[0] == "mftpubsub"}
    return {name.split(".")[1] for name in names if name.split(".")[1]}


def test_every_room_has_its_floor() -> None:
    rooms = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or any(path.glob("*.py"))}
    assert rooms == {*FLOORS, *FACES}


@pytest.mark.parametrize("room", FLOORS)
def test_a_room_imports_only_those_below_it(room: str) -> None:
    below = {*FLOORS[: FLOORS.index(room)], room}
    for path in modules(room):
        assert rooms_of(path) <= below, path


@pytest.mark.parametrize("room", [room for room in FLOORS if room not in MEET_CPP])
def test_a_room_meets_cpp_only_through_the_simulator_s(room: str) -> None:
    for path in modules(room):
        for module, name in imported(path):
            assert module.split(".")[0] != "cppyy", path
            assert (module, name) != ("mftpubsub.simulator.library", "core"), path
