"""Transcripts of laboratories as runs for the viewer: a step is a command, or a message that arrives."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mftpubsub.errors import QueryError
from mftpubsub.lab.laboratory import Lab
from mftpubsub.lab.protocols import ROUTING, short_name
from mftpubsub.lab.transcript import describe_queues, describe_table, play
from mftpubsub.runs.viewer.columns import Columns

_MESSAGE = re.compile(r"([\w.]+) -> ([\w.]+) (\w+)(.*)")
_FAILED = "(delivery failed)"
_LINK = re.compile(r"([\w.]+)-([\w.]+)")
#: Commands that make a link, or end one; of brokers and clients alike.
_JOIN = re.compile(
    r"(?:connect|replace|migrate|move|slip|subscribe|publish) .*?([\w.]+)(?: at | to |[ -])([\w.]+)"
)
_PART = re.compile(r"(?:disconnect|break) .*?([\w.]+)[ -]([\w.]+)")
_LEAVES = re.compile(r"(?:move|slip|disconnect) ([\w.]+)(?: to .+)?")
_MIGRATES = re.compile(r"migrate ([\w.]+) to .+")
_RESTART = re.compile(r"restart ([\w.]+)(?: silently)?")
_CRASH = re.compile(r"crash ([\w.]+)")
_CLIENTS = re.compile(r"(subscribe|publish) ([\w.]+) at ([\w.]+)(?: .*)?")

Link = tuple[str, str]


@dataclass
class _Step:
    """What happened, and what is so after it."""

    command: str
    messages: list[re.Match[str]]
    links: set[Link]
    parents: dict[str, str]
    states: dict[str, str]
    down: set[str]


@dataclass
class _Laboratory:
    """One `lab` command and what follows."""

    title: str
    tree: list[Link]
    clients: dict[str, str] = field(default_factory=dict)
    """S or P by name."""
    steps: list[_Step] = field(default_factory=list)
    down: set[str] = field(default_factory=set)
    """Brokers that have crashed."""

    @property
    def has_patterns(self) -> bool:
        """Whether brokers subscribe themselves, to patterns: there are no clients."""
        return short_name(self.title) not in (None, *ROUTING)

    @property
    def brokers(self) -> list[str]:
        return list(dict.fromkeys(name for link in self.tree for name in link))

    def names(self) -> list[str]:
        """Brokers first, then clients, then whoever else sends or is sent something."""
        ends = [end for step in self.steps for one in step.messages for end in (one[1], one[2])]
        return list(dict.fromkeys([*self.brokers, *self.clients, *ends]))


def of_transcript(path: Path) -> list[bytes]:
    """A block for each laboratory of a transcript. Raises LabError for a command that makes no sense, and
    QueryError if there is none."""
    laboratories: list[_Laboratory] = []
    links: set[Link] = set()
    for command, printed, lab in play(path):
        if command.startswith("lab "):
            _, protocol, rest = command.split(" ", 2)
            tree = [_pair(*found.groups()) for found in map(_LINK.fullmatch, rest.split()) if found]
            laboratories.append(_Laboratory(protocol, tree))
            links = set(tree)
        here = laboratories[-1]
        links = _links_after(command, links, here)
        messages = [found for found in map(_MESSAGE.fullmatch, printed) if found]
        text = command if not printed or messages else "\n".join([command, *printed])
        # A command that prints many messages is as many steps: after it, the others.
        first, *others = [[message] for message in messages] or [[]]
        for place, some in enumerate([first, *others]):
            up = [name for name in here.brokers if name not in here.down]
            states = _states(lab, up) if lab and place == len(others) else {}
            parents = _parents(lab, up) if lab else {}
            shown = text if place == 0 else ""
            here.steps.append(_Step(shown, some, set(links), parents, states, set(here.down)))
    if not laboratories:
        raise QueryError(f"{path}: there is no laboratory in it, `lab PROTOCOL B-B B-B ...`")
    return [_block(laboratory) for laboratory in laboratories]


def _pair(one: str, other: str) -> Link:
    return (one, other) if one < other else (other, one)


def _links_after(command: str, links: set[Link], here: _Laboratory) -> set[Link]:
    """The links behind a command, as it reads, and in `here` the clients and who is down.

    They are the picture's lines, not the laboratory's own."""
    links = set(links)
    if not here.has_patterns and (client := _CLIENTS.fullmatch(command)):
        here.clients.setdefault(client[2], "S" if client[1] == "subscribe" else "P")
    if parted := _PART.fullmatch(command):
        links.discard(_pair(parted[1], parted[2]))
    elif crashed := _CRASH.fullmatch(command):
        links = {link for link in links if crashed[1] not in link}
        here.down.add(crashed[1])
    elif back := _RESTART.fullmatch(command):
        here.down.discard(back[1])
    elif (moved := _MIGRATES.fullmatch(command)) and here.steps:
        links.discard(_pair(moved[1], here.steps[-1].parents.get(moved[1], "")))
    elif (left := _LEAVES.fullmatch(command)) and left[1] in here.clients:
        links = {link for link in links if left[1] not in link}
    joined = _JOIN.fullmatch(command.partition(" where ")[0])
    if joined and not (here.has_patterns and " at " in command):
        links.add(_pair(joined[1], joined[2]))
    return links


def _states(lab: Lab, brokers: Iterable[str]) -> dict[str, str]:
    """What each broker knows and holds, in the words of transcripts."""
    return {name: "\n".join([*describe_table(lab, name), *describe_queues(lab, name)]) for name in brokers}


def _parents(lab: Lab, brokers: Iterable[str]) -> dict[str, str]:
    return {name: parent for name in brokers if (parent := lab.parent(name))}


def _block(here: _Laboratory) -> bytes:
    names = here.names()
    number = {name: place for place, name in enumerate(names)}
    columns = Columns()
    kinds = sorted({message[3] for step in here.steps for message in step.messages})
    frames = [(time, message) for time, step in enumerate(here.steps) for message in step.messages]
    columns.add("frame.time", [time for time, _ in frames], "u4", "delta")
    columns.add("frame.node", [number[message[1]] for _, message in frames], "i4", "delta")
    columns.add("frame.kind", [kinds.index(message[3]) for _, message in frames], "u1")
    columns.add("frame.peer", [number[message[2]] for _, message in frames], "i4", "delta")
    columns.add("frame.bytes", np.zeros(len(frames), int), "i4", "delta")
    _add_heard(columns, [(number[one[2]], _FAILED in one[4]) for _, one in frames], len(names))
    _add_film(columns, here, number)
    told: dict[str, Any] = {
        "format": 1,
        "name": here.title,
        "unit": "",
        "tick": 1,
        "duration": len(here.steps) - 1,
        "names": names,
        "roles": ["B" if name in here.brokers else here.clients.get(name, "R") for name in names],
        "kinds": kinds,
        "causes": [""],
        "faults": [],
        "texts": [message[0] for _, message in frames],
        "commands": [[time, step.command] for time, step in enumerate(here.steps) if step.command],
        "states": _changes(here, number),
        "untold": ["time: a step is a command or a message, whatever time that would take"],
    }
    return columns.block(told)


def _changes(here: _Laboratory, number: dict[str, int]) -> list[tuple[int, int, str]]:
    """Step, node and state, wherever a state changes."""
    found: list[tuple[int, int, str]] = []
    latest: dict[str, str] = {}
    for time, step in enumerate(here.steps):
        for name, text in step.states.items():
            if latest.get(name) != text:
                latest[name] = text
                found.append((time, number[name], text))
    return found


def _add_heard(columns: Columns, addressees: list[tuple[int, bool]], nodes: int) -> None:
    """Links are perfect: whom a message was for has got it, unless it failed with its link."""
    heard = np.zeros((len(addressees), nodes), np.uint8)
    for place, (node, has_failed) in enumerate(addressees):
        heard[place, node] = 6 if has_failed else 1
    for bit in range(3):
        columns.add(f"heard.{bit}", np.packbits(heard >> bit & 1, axis=1, bitorder="little"), "u1")


def _add_film(columns: Columns, here: _Laboratory, number: dict[str, int]) -> None:
    places = _places(here, number)
    shape = (len(here.steps), len(number))
    parents = np.full(shape, -1)
    links = np.zeros((len(here.steps), len(number) * (len(number) - 1) // 2), np.uint8)
    for time, step in enumerate(here.steps):
        for name, parent in step.parents.items():
            parents[time, number[name]] = number[parent]
        for one, other in step.links:
            if one in number and other in number:
                low, high = sorted((number[one], number[other]))
                links[time, high * (high - 1) // 2 + low] = 1
    columns.add("film.time", np.arange(len(here.steps)), "u4", "delta")
    columns.add("film.x", np.broadcast_to(places[:, 0], shape), "i4", "delta")
    columns.add("film.y", np.broadcast_to(places[:, 1], shape), "i4", "delta")
    columns.add("film.parent", parents, "i4", "delta")
    columns.add("film.leader", np.full(shape, -1), "i4", "delta")
    columns.add("film.queued", np.zeros(shape, int), "i4", "delta")
    up = [[name not in step.down for name in number] for step in here.steps]
    columns.add("film.isUp", up, "u1", "xor")
    columns.add("film.links", np.packbits(links, axis=1, bitorder="little"), "u1", "xor")


def _places(here: _Laboratory, number: dict[str, int]) -> np.ndarray[Any, Any]:
    """The first tree from above, its clients as leaves, in the field of 100 by 100 (in thousandths)."""
    joined: dict[str, list[str]] = {name: [] for name in number}
    first_broker: dict[str, str] = {}
    for step in here.steps:
        for one, other in step.links:
            for client, broker in ((one, other), (other, one)):
                if client in here.clients and client not in here.brokers:
                    first_broker.setdefault(client, broker)
    for one, other in [*here.tree, *first_broker.items()]:
        joined[one].append(other)
        joined[other].append(one)
    found: dict[str, tuple[float, float]] = {}
    leaves = 0

    def put(name: str, depth: int) -> float:
        """Puts a node and all below it; returns where it stands among the leaves."""
        nonlocal leaves
        found[name] = (0.0, depth)
        below = [put(other, depth + 1) for other in joined[name] if other not in found]
        if not below:
            leaves += 1
        x = sum(below) / len(below) if below else leaves - 0.5
        found[name] = (x, depth)
        return x

    for name in number:
        if name not in found:
            put(name, 0)
    deepest = max(depth for _, depth in found.values()) or 1
    return np.array(
        [
            (round(100_000 * found[name][0] / leaves), round(92_000 - 84_000 * found[name][1] / deepest))
            for name in number
        ]
    )
