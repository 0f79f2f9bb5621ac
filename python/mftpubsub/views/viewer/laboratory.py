"""Transcripts of laboratories as runs for the viewer: a step is a command, or a message that arrives."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mftpubsub.errors import QueryError
from mftpubsub.lab.lines import Line, Link, Picture
from mftpubsub.lab.transcript import play
from mftpubsub.views.viewer.columns import Columns
from mftpubsub.views.viewer.wires import Message, State, add_film, add_messages, told, tree_places


@dataclass
class _Step:
    """What happened, and what is so after it."""

    command: str
    message: Line | None
    picture: Picture


@dataclass
class _Laboratory:
    """One `lab` command and what follows."""

    title: str
    tree: list[Link]
    """The links between brokers at the start."""
    steps: list[_Step] = field(default_factory=list)

    def roles(self) -> dict[str, str]:
        """Of all who are seen: brokers first, then clients, then whoever else sends or is sent something."""
        figures = [figure for step in self.steps for figure in step.picture.figures]
        figures.sort(key=lambda figure: "B" not in figure.role)
        ends = [name for _, message in self.messages() for name in (message.source, *message.destinations)]
        return dict.fromkeys([*(figure.name for figure in figures), *ends], "R") | {
            figure.name: figure.role for figure in figures
        }

    def messages(self) -> list[tuple[int, Line]]:
        """With the places of their steps."""
        return [(time, step.message) for time, step in enumerate(self.steps) if step.message]


def of_transcript(path: Path) -> list[bytes]:
    """A block for each laboratory of a transcript. Raises LabError for a command that makes no sense, and
    QueryError if there is none."""
    laboratories: list[_Laboratory] = []
    for command, lines, lab in play(path):
        picture = lab.picture()
        if command.startswith("lab "):
            laboratories.append(_Laboratory(command.split()[1], picture.links))
        steps = laboratories[-1].steps
        messages = [line for line in lines if line.kind]
        text = "\n".join([command, *(line.text for line in lines if not messages)])
        before = steps[-1].picture if steps else picture
        # A command that prints many messages is as many steps: what follows from it is seen after the last.
        for place, message in enumerate(messages or [None]):
            is_last = place + 1 >= len(messages)
            steps.append(_Step(text if place == 0 else "", message, picture if is_last else before))
    if not laboratories:
        raise QueryError(f"{path}: there is no laboratory in it, `lab PROTOCOL B-B B-B ...`")
    return [_block(laboratory) for laboratory in laboratories]


def _block(here: _Laboratory) -> bytes:
    roles = here.roles()
    number = {name: place for place, name in enumerate(roles)}
    columns = Columns()
    sent = here.messages()
    messages = [
        Message(
            time,
            number[one.source],
            one.kind,
            tuple(number[name] for name in one.destinations),
            has_failed=one.failed,
        )
        for time, one in sent
    ]
    kinds = add_messages(columns, messages, len(roles))
    _add_film(columns, here, number)
    return columns.block(
        told(here.title, list(roles), list(roles.values()), kinds)
        | {
            "unit": "",
            "tick": 1,
            "duration": len(here.steps) - 1,
            "texts": [message.text.strip() for _, message in sent],
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
        for figure in step.picture.figures:
            if latest.get(figure.name, "") != figure.knows:
                latest[figure.name] = figure.knows
                found.append(State(time, number[figure.name], "", figure.knows))
    return found


def _add_film(columns: Columns, here: _Laboratory, number: dict[str, int]) -> None:
    parents = np.full((len(here.steps), len(number)), -1)
    is_up = np.ones((len(here.steps), len(number)), bool)
    links = []
    for time, step in enumerate(here.steps):
        for figure in step.picture.figures:
            is_up[time, number[figure.name]] = figure.is_up
            if figure.parent:
                parents[time, number[figure.name]] = number[figure.parent]
        links.append([(number[one], number[other]) for one, other in step.picture.links])
    add_film(columns, range(len(here.steps)), _places(here, number), links, parents, is_up)


def _places(here: _Laboratory, number: dict[str, int]) -> NDArray[np.int64]:
    """The first tree from above; whoever comes later hangs on its first link, as a leaf."""
    edges = list(here.tree)
    placed = {name for link in here.tree for name in link}
    for step in here.steps:
        for one, other in step.picture.links:
            if (one in placed) != (other in placed):
                edges.append((one, other))
                placed |= {one, other}
    return tree_places(len(number), [(number[one], number[other]) for one, other in edges])
