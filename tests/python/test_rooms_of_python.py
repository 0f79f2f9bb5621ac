"""The rooms of Python stand on floors: each imports only those below it, and one meets C++.

Imports within functions count like all others. So do the page's, in TypeScript, and its imports of types.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Set
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "python" / "mftpubsub"

#: From the ground up; a room may import those before it. What has no folder is a module of its own.
FLOORS = (
    "errors",
    "files",
    "folders",
    "html",
    "shipped",
    "metrics",
    "notes",
    "statistics",
    "style",
    "simulator",
    "own",
    "policies",
    "protocols",
    "trace",
    "labels",
    "scenario",
    "lab",
    "runs",
    "pipeline",
    "sweeps",
    "views",
    "worlds",
    "castalia",
    "live",
    "studies",
    "sources",
    "reconfiguration",
    "face",
    "moved",
    "__init__",
    "cli",
    "interop",
    "__main__",
)
#: Their subject is ns-3's own bindings.
MEET_CPP = ("simulator", "interop")


#: The same of the page's modules.
PAGE = PACKAGE.parent / "viewer" / "src"
FLOORS_OF_THE_PAGE = (
    "decode",
    "elements",
    "looks",
    "layout",
    "run",
    "state",
    "journey",
    "words",
    "live",
    "guide",
    "panel",
    "scene",
    "timeline",
    "lab",
    "main",
)

#: By their names, "mftpubsub.runs.run".
MODULES = {
    ".".join(("mftpubsub", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in PACKAGE.rglob("*.py")
}


def modules(room: str) -> list[Path]:
    return [*(PACKAGE / room).rglob("*.py")] or [PACKAGE / f"{room}.py"]


@cache
def imported(path: Path) -> list[tuple[str, str]]:
    """Modules and names that a module imports anywhere but for its type annotations."""
    return [*_imported(path)]


def _imported(path: Path) -> Iterator[tuple[str, str]]:
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


def ours(path: Path) -> set[str]:
    """Modules of ours that a module imports."""
    found = {
        f"{module}.{name}" if f"{module}.{name}" in MODULES else module for module, name in imported(path)
    }
    return found & MODULES.keys()


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def circles(imports: Mapping[str, Set[str]]) -> list[list[str]]:
    """What is left when whoever imports nothing that is left goes, again and again, and likewise whom
    nobody imports."""
    left = {name: {*those} for name, those in imports.items()}
    while True:
        wanted = set.union(set(), *left.values())
        gone = {name for name, those in left.items() if not those or name not in wanted}
        if not gone:
            return [sorted(left)] if left else []
        left = {name: those - gone for name, those in left.items() if name not in gone}


def test_a_circle_is_found_and_what_hangs_on_it_is_not() -> None:
    imports = {"a": {"b"}, "b": {"c", "d"}, "c": {"b"}, "d": set[str]()}
    assert circles(imports) == [["b", "c"]]
    assert circles(imports | {"c": set()}) == []


@pytest.mark.slow
def test_no_module_imports_another_in_a_circle() -> None:
    assert circles({name: ours(path) for name, path in MODULES.items()}) == []


def imports_of_the_page() -> dict[str, set[str]]:
    pattern = re.compile(r"""(?:\bfrom|\bimport)\s*\(?\s*["']\./(\w+)["']""")
    return {path.stem: {*pattern.findall(path.read_text(encoding="utf-8"))} for path in PAGE.glob("*.ts")}


def test_the_page_s_modules_import_only_those_below_them() -> None:
    imports = imports_of_the_page()
    assert {*imports} == {*FLOORS_OF_THE_PAGE}
    assert "layout" in imports["run"]
    for place, module in enumerate(FLOORS_OF_THE_PAGE):
        assert imports[module] <= {*FLOORS_OF_THE_PAGE[:place]}, module


def test_every_room_has_its_floor() -> None:
    rooms = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or any(path.glob("*.py"))}
    assert rooms == {*FLOORS}


@pytest.mark.slow
@pytest.mark.parametrize("room", FLOORS)
def test_a_room_imports_only_those_below_it(room: str) -> None:
    below = {*FLOORS[: FLOORS.index(room)], room}
    for path in modules(room):
        assert {room_of(module) for module in ours(path)} <= below, path


@pytest.mark.slow
@pytest.mark.parametrize("room", [room for room in FLOORS if room not in MEET_CPP])
def test_a_room_meets_cpp_only_through_the_simulator_s(room: str) -> None:
    for path in modules(room):
        for module, name in imported(path):
            assert module.split(".")[0] != "cppyy", path
            assert (module, name) != ("mftpubsub.simulator.library", "core"), path
