"""The rooms of C++ stand on floors: each includes only those below it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CPP = ROOT / "cpp"

#: From the ground up; a room may include those before it.
FLOORS = (
    "json",
    "content",
    "policies",
    "session",
    "overlay",
    "protocols",
    "stations",
    "lab",
    "wsn",
    "trace",
    "live",
    "daemon",
    "hosts",
    "castalia",
    "scenario",
    "radios",
    "stacks",
    "worlds",
    "run",
    "helper",
)
#: No run is made of these: its hash of the code leaves them out (cmake/source_hash.py).
APART = ("lab", "castalia", "live", "daemon", "helper", "examples")
#: A program: cpp/daemon/CMakeLists.txt.
PROGRAM = "daemon"
#: These know nothing of ns-3.
WITHOUT_NS3 = ("json", "content", "policies", "session", "overlay", "protocols", "stations", "lab")

INCLUDE = re.compile(r'^#include "([\w-]+)/', re.MULTILINE)


def _includes(room: str) -> set[str]:
    files = [*(CPP / room).rglob("*.h"), *(CPP / room).rglob("*.cc")]
    return {name for file in files for name in INCLUDE.findall(file.read_text())} - {room}


def test_every_room_has_its_floor() -> None:
    folders = {folder.name for folder in CPP.iterdir() if folder.is_dir()}
    assert folders == {*FLOORS, "doc", "examples"}


def test_both_builds_name_every_room() -> None:
    told = (ROOT / "cmake" / "Rooms.cmake").read_text()
    core, module = (
        set(found.split()) for found in re.findall(r"^set\(\w+_rooms ([^)]*)\)", told, re.MULTILINE)
    )
    assert core == {*WITHOUT_NS3}
    assert module == {*FLOORS} - core - {PROGRAM}


@pytest.mark.parametrize("room", FLOORS)
def test_a_room_includes_only_those_below_it(room: str) -> None:
    below = set(FLOORS[: FLOORS.index(room)]) | {"ns3"}
    assert _includes(room) <= below


@pytest.mark.parametrize("room", WITHOUT_NS3)
def test_what_decides_knows_nothing_of_ns3(room: str) -> None:
    assert "ns3" not in _includes(room)


@pytest.mark.parametrize("room", [room for room in FLOORS if room not in APART])
def test_what_a_run_is_made_of_needs_nothing_else(room: str) -> None:
    assert not _includes(room) & {*APART}


NAMELESS = re.compile(r"^namespace\n\{$(.*?)^\} // namespace$", re.MULTILINE | re.DOTALL)
#: Constants and types; functions may be overloaded.
DEFINED = re.compile(
    r"^(?:(?:constexpr|const) [^;(={]*?(\w+)(?:\[\w*\])? ?[={(]|(?:struct|class|enum class) (\w+)(?=[^;]*$))",
    re.MULTILINE,
)
ALONE = re.compile(r"^using namespace|^NS_LOG_COMPONENT_DEFINE", re.MULTILINE)


def _compiled_together(folder: Path) -> Iterator[tuple[str, str]]:
    """Names of files that the build may compile as one (cmake/RoomsTogether.cmake)."""
    for file in folder.glob("*.cc"):
        text = file.read_text()
        if not ALONE.search(text):
            for inside in NAMELESS.findall(text):
                yield from ((file.name, one or other) for one, other in DEFINED.findall(inside))


@pytest.mark.parametrize(
    "folder", sorted({file.parent.relative_to(CPP) for file in CPP.rglob("*.cc")}), ids=str
)
def test_files_compiled_together_share_no_names(folder: Path) -> None:
    places: dict[str, set[str]] = {}
    for file, name in _compiled_together(CPP / folder):
        places.setdefault(name, set()).add(file)
    assert {name: files for name, files in places.items() if len(files) > 1} == {}
