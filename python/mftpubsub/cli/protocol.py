"""`mftpubsub protocol`: protocols of one's own, begun and checked."""

from __future__ import annotations

import keyword
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mftpubsub.errors import ConfigurationError, RunError
from mftpubsub.notes import bar

if TYPE_CHECKING:
    from collections.abc import Callable

    from mftpubsub.lab import Found
    from mftpubsub.protocols import Broker, Station
    from mftpubsub.protocols.own_protocol import OwnProtocol

app = typer.Typer(
    help="Begin a protocol of your own, or check one.",
    no_args_is_help=True,
    add_completion=False,
)

#: Of receptions and timers, as `protocol check` follows them.
_SCHEDULES = 2000
#: Of the four devices, m: those that hear each other are near.
_POSITIONS = "0,0 30,30 60,0 120,0"
#: How files end that register protocols in C++.
_CPP = (".cc", ".cpp", ".cxx", ".so")
#: What helps where traces differ: in Python, in C++.
_REMEDIES = (
    "What a protocol draws, it draws from self.random; what time it is, self.now says; what it "
    "iterates over, it sorts.",
    "What a protocol draws, Draw() gives; what time it is, Now() says; each variable has a value from the "
    "start, and nothing is in the order of addresses.",
)
#: Of stations, of brokers.
_TEMPLATES = (Path(__file__).with_name("new_protocol.txt"), Path(__file__).with_name("new_brokers.txt"))


@app.command()
def check(
    name: Annotated[
        str,
        typer.Argument(
            metavar="MODULE:CLASS|FILE.cc:NAME",
            help="A class here, or on PYTHONPATH; or a C++ file, and its name",
        ),
    ],
) -> None:
    """Tell whether a protocol does the same in every process, and if not, what differs first.

    It runs a minute of the thesis's C4, with two seeds, each in two processes whose hashes and clocks differ.
    Then it follows 2000 random schedules of four devices in the laboratory, if it is in Python, and prints
    one in which a subscriber does not get its events though nothing is lost. Exit code 1: traces differ, a
    run fails, or somebody gets what nobody has published.
    """
    from mftpubsub.protocols.cpp import CppProtocol
    from mftpubsub.runs.check_protocol import Difference, check_seeds

    sys.path.insert(0, str(Path.cwd()))
    found = _named(name)
    for seed, answer in check_seeds(found):
        if isinstance(answer, Difference):
            print(answer)
            print(_REMEDIES[isinstance(found, CppProtocol)])
            raise typer.Exit(1)
        print(f"seed {seed}: the same trace in two processes, SHA-256 {answer}")
    _follow_schedules(found)


def _named(name: str) -> str | OwnProtocol:
    """Raises ConfigurationError that says what would be right."""
    from mftpubsub.protocols import cpp
    from mftpubsub.protocols.naming import parse

    file, _, registered = name.rpartition(":")
    if Path(file).suffix in _CPP:
        return cpp(Path(file).resolve(), name=registered)
    if Path(name).suffix in _CPP:
        raise ConfigurationError(f"{name}: say by which name it registers the protocol, as in {name}:NAME")
    try:
        return parse(name)
    except ValueError as error:
        raise ConfigurationError(str(error)) from None


def _follow_schedules(protocol: Any) -> None:
    """Random schedules in the laboratory, for a protocol in Python."""
    from mftpubsub.lab import LabError
    from mftpubsub.protocols import Broker, Station

    if not isinstance(protocol, Station | Broker):
        return
    try:
        with bar(f"{_SCHEDULES} random schedules", _SCHEDULES) as progress:
            if isinstance(protocol, Station):
                found = _of_station(protocol, progress)
            else:
                found = _of_brokers(protocol, progress)
    except LabError as error:
        raise RunError(str(error)) from None
    if found.violation:
        print(f"A random schedule in which nothing is lost ends so: {found.violation}\n\n{found.transcript}")
        raise typer.Exit(0 if "undelivered" in found.violation else 1)
    print(f"{_SCHEDULES} random schedules of four devices: every subscriber got its events")


def _of_station(protocol: Station, progress: Callable[[int], None]) -> Found:
    from mftpubsub.lab import AirLab, search

    lab = AirLab(protocol, roles="PB B B BS", links="0-1 1-2 2-3 0-2", positions=_POSITIONS)
    lab.settle()
    lab.publish(0, n=1)
    lab.publish(0, n=2)
    return search(lab, schedules=_SCHEDULES, progress=progress)


def _of_brokers(protocol: Broker, progress: Callable[[int], None]) -> Found:
    from mftpubsub.lab import Lab, search

    lab = Lab(protocol, [("b1", "b2"), ("b2", "b3"), ("b2", "b4")], root="b1")
    lab.subscribe("s", "b3", where="n > 0")
    lab.settle()
    lab.publish("p", "b4", n=1)
    lab.publish("p", n=2)

    def undelivered(lab: Lab) -> str | None:
        lacking = {"p#1", "p#2"} - {*lab.delivered("s")}
        return f"undelivered: s lacks {min(lacking)}" if lacking else None

    return search(lab, schedules=_SCHEDULES, quiet=undelivered, progress=progress)


@app.command()
def build(
    file: Annotated[Path, typer.Argument(metavar="FILE.cc", help="It registers a protocol", exists=True)],
) -> None:
    """Make a library of a protocol in C++, libFILE.so, with g++: faster code, and names for debuggers.

    Scenarios name it as they name the file: {cpp: libFILE.so, name: NAME}.
    """
    from mftpubsub.simulator.own_code import build as make

    library = file.with_name(f"lib{file.stem}.so")  # FILE.so would be what Python's `import FILE` finds
    make(str(file), str(library))
    print(library)


def _classes(template: str) -> set[str]:
    """Names with a capital that the Python of a template has already."""
    python = [part for part in template.split("=== ") if ".py" in part.partition("\n")[0]]
    code = re.sub(r'""".*?"""|#[^\n]*', "", "".join(python), flags=re.DOTALL)
    return {*re.findall(r"\b[A-Z]\w*", code)}


@app.command()
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Such as my-flood: my_flood.py is written")],
    brokers: Annotated[
        bool, typer.Option("--brokers", help="Of brokers on the tree, not of stations")
    ] = False,
) -> None:
    """Write a protocol to begin with, NAME.py, its test and a transcript. What is there is kept."""
    from mftpubsub.protocols.catalogue import PROTOCOLS

    words = re.findall(r"[a-z][a-z0-9]*", name)
    if "-".join(words) != name:
        raise typer.BadParameter(
            f"{name!r} is not small letters and digits with - between", param_hint="NAME"
        )
    if name in PROTOCOLS:
        raise typer.BadParameter(f"{name} is a protocol that ships", param_hint="NAME")
    module = "_".join(words)
    if keyword.iskeyword(module) or find_spec(module) is not None:
        raise typer.BadParameter(f"{module}.py would not be what `import {module}` finds", param_hint="NAME")
    kind = "".join(word.capitalize() for word in words)
    template = _TEMPLATES[brokers].read_text(encoding="utf-8")
    if keyword.iskeyword(kind) or kind in _classes(template):
        raise typer.BadParameter(
            f"{name}: its class would be {kind}, and the files need another {kind}: choose another name",
            param_hint="NAME",
        )
    names = {"name": name, "module": module, "kind": kind}
    parts = Template(template).substitute(names).split("=== ")[1:]
    files = {Path(head.strip()): text for head, _, text in (part.partition("\n") for part in parts)}
    if there := [str(path) for path in files if path.exists()]:
        raise ConfigurationError(f"{', '.join(there)}: already there; nothing is written")
    for path, text in files.items():
        path.write_text(text.strip() + "\n", encoding="utf-8")
        print(path)
