"""Transcripts of laboratories as runs for the viewer: a step is a command, or a message that arrives."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mftpubsub.errors import QueryError
from mftpubsub.lab.transcript import play
from mftpubsub.protocols.catalogue import ROUTING, short_name
from mftpubsub.views.viewer.columns import Columns
from mftpubsub.views.viewer.wires import Message, State, add_film, add_messages, told, tree_places

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
            states = lab.tables() if place == len(others) else {}
            parents = lab.parents()
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


def _block(here: _Laboratory) -> bytes:
    names = here.names()
    number = {name: place for place, name in enumerate(names)}
    columns = Columns()
    sent = [(time, message) for time, step in enumerate(here.steps) for message in step.messages]
    messages = [
        Message(time, number[one[1]], one[3], number[one[2]], has_failed=_FAILED in one[4])
        for time, one in sent
    ]
    kinds = add_messages(columns, messages, len(names))
    _add_film(columns, here, number)
    roles = ["B" if name in here.brokers else here.clients.get(name, "R") for name in names]
    return columns.block(
        told(here.title, names, roles, kinds)
        | {
            "unit": "",
            "tick": 1,
            "duration": len(here.steps) - 1,
            "texts": [message[0] for _, message in sent],
            "commands": [[time, step.command] for time, step in enumerate(here.steps) if step.command],
            "states": _changes(here, number),
            "untold": ["time: a step is a command or a message, whatever time that would take"],
        }
    )


def _changes(here: _Laboratory, number: dict[str, int]) -> list[State]:
    """Wherever what a broker knows and holds changes: all of it, as one row."""
    found: list[State] = []
    latest: dict[str, str] = {}
    for time, step in enumerate(here.steps):
        for name, text in step.states.items():
            if latest.get(name) != text:
                latest[name] = text
                found.append(State(time, number[name], "", text))
    return found


def _add_film(columns: Columns, here: _Laboratory, number: dict[str, int]) -> None:
    parents = np.full((len(here.steps), len(number)), -1)
    for time, step in enumerate(here.steps):
        for name, parent in step.parents.items():
            parents[time, number[name]] = number[parent]
    links = [
        [(number[one], number[other]) for one, other in step.links if {one, other} <= number.keys()]
        for step in here.steps
    ]
    is_up = [[name not in step.down for name in number] for step in here.steps]
    add_film(columns, range(len(here.steps)), _places(here, number), links, parents, is_up)


def _places(here: _Laboratory, number: dict[str, int]) -> NDArray[np.int64]:
    """The first tree from above, its clients as leaves."""
    first_broker: dict[str, str] = {}
    for step in here.steps:
        for one, other in step.links:
            for client, broker in ((one, other), (other, one)):
                if client in here.clients and client not in here.brokers:
                    first_broker.setdefault(client, broker)
    edges = [*here.tree, *first_broker.items()]
    return tree_places(len(number), [(number[one], number[other]) for one, other in edges])
