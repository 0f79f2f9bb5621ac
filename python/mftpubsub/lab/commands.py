"""The laboratories of all families by commands: those of transcripts."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from mftpubsub.lab.air_transcript import AirTranscript, draws_of
from mftpubsub.lab.brokers import LabBrokers
from mftpubsub.lab.lines import Figure, Line, Picture
from mftpubsub.lab.own import names_own, of_command
from mftpubsub.policies.hooks import raising
from mftpubsub.protocols.broker import Broker
from mftpubsub.protocols.catalogue import SHORT
from mftpubsub.protocols.station import Station
from mftpubsub.simulator.laboratory import LabError, call, reference, transcript


@dataclass(frozen=True)
class Usage:
    """How a command goes, or a word of the command `lab`."""

    usage: str
    about: str


@dataclass(frozen=True)
class Reference:
    """A family of protocols with its commands."""

    name: str
    about: str
    protocols: list[str]
    setup: list[Usage]
    commands: list[Usage]


class Move(NamedTuple):
    """A command by which something happens next (LabMove of C++)."""

    command: str
    kind: int
    """LabMove::Kind."""
    actor: str
    """Of a step: whom it changes, which alone it does; empty: all."""


class Transcript:
    """A laboratory of any family, by commands.

    lab = Transcript()
    lab.run("lab tdu A-S A-C A-B B-D")
    lab.run("subscribe g at S")
    lab.run("break r1 A-B")
    """

    def __init__(self) -> None:
        self._transcript: Any = transcript()
        self._air: AirTranscript | None = None
        self._brokers: LabBrokers | None = None
        self._failures: list[BaseException] = []
        self._history: list[str] = []

    def run(self, command: str) -> list[str]:
        """Runs one command, and returns what it prints. Raises LabError."""
        return [line.text for line in self.lines(command)]

    def lines(self, command: str) -> list[Line]:
        """The same, and what each line is."""
        lines = self._take(command)
        if command.split(maxsplit=1)[:1] == ["lab"]:
            self._history.clear()
        self._history.append(command)
        return lines

    def _take(self, command: str) -> list[Line]:
        if command.split(maxsplit=1)[:1] == ["lab"]:
            self._air = self._brokers = None
        if names_own(command):
            return self._begin(command)
        if self._air:
            return self._air.lines(command)
        if self._brokers:
            command, draws = draws_of(command)
            self._brokers.choose(draws)
        return self._run(self._transcript.Run, _with_whole_name(command))

    def _begin(self, command: str) -> list[Line]:
        """A laboratory for a protocol of one's own."""
        protocol, words = of_command(command)
        if isinstance(protocol, Station):
            self._air = AirTranscript(protocol, words)
            return []
        assert isinstance(protocol, Broker)
        self._brokers = LabBrokers(protocol, self._failures.append, lambda node: f"broker {node + 1}")
        hooks = ctypes.addressof(self._brokers.hooks)
        return self._run(self._transcript.RunOwn, " ".join(["lab", *words]), hooks)

    def _run(self, method: Any, *arguments: Any) -> list[Line]:
        return _lines(raising(self._failures, call, method, *arguments))

    def step(self) -> list[Line] | None:
        """Lets the next thing happen, and returns what that prints; None if there is none."""
        if self._air:
            return self._air.step()
        is_done = raising(self._failures, call, self._transcript.Step)
        return _lines(self._transcript.TakeLines()) if is_done else None

    # For searches

    def copy(self, commands: Iterable[str] = ()) -> Transcript:
        """Another laboratory in the same state, after some more `commands`."""
        if self._air or self._brokers:
            raise LabError("search: of protocols of one's own it takes AirLab(...) or Lab(...)")
        made = Transcript()
        made.replay([*self._history, *commands])
        return made

    def replay(self, commands: Iterable[str]) -> None:
        """Runs commands whose output nobody reads."""
        told = [_with_whole_name(command) for command in commands]
        call(self._transcript.Replay, "\n".join(told))
        self._history += told

    def moves(self) -> list[Move]:
        """All that may happen next. Raises LabError if that cannot be searched."""
        found = call(self._transcript.GetMoves)
        return [Move(str(move.command), int(move.kind), str(move.actor)) for move in found]

    def is_at_rest(self) -> bool:
        """Whether nothing is pending, or owed."""
        return bool(self._transcript.IsAtRest())

    def faults(self) -> list[str]:
        """What is wrong at rest."""
        return [str(text) for text in self._transcript.FindFaults()]

    def broken(self) -> list[str]:
        """What is wrong whether at rest or not."""
        return [str(text) for text in self._transcript.FindBroken()]

    def to_transcript(self, comment: str = "", following: Iterable[object] = ()) -> str:
        """A file that `mftpubsub lab` replays: what has been done here, then the commands `following`."""
        head = [f"# {comment}", ""] if comment else []
        return "\n".join([*head, "\n\n".join([*self._history, *map(str, following)])]) + "\n"

    def picture(self) -> Picture:
        """The network as it is now."""
        if self._air:
            return self._air.picture()
        drawn = call(self._transcript.Draw)
        return Picture(
            [
                Figure(str(one.name), str(one.role), bool(one.isUp), str(one.parent), str(one.knows))
                for one in drawn.figures
            ],
            [(str(link.first), str(link.second)) for link in drawn.links],
        )


def references() -> list[Reference]:
    """All families."""
    return [
        Reference(
            str(family.name),
            str(family.about),
            [str(name) for name in family.protocols],
            _usages(family.setup),
            _usages(family.commands),
        )
        for family in reference()
    ]


def _usages(rows: Any) -> list[Usage]:
    return [Usage(str(row.usage), str(row.about)) for row in rows]


def _lines(lines: Any) -> list[Line]:
    return [
        Line(
            str(line.text),
            str(line.kind),
            str(getattr(line, "from")),
            tuple(str(name) for name in line.to),
            bool(line.hasFailed),
        )
        for line in lines
    ]


def _with_whole_name(command: str) -> str:
    """A `lab` command may call a protocol by its short name."""
    words = command.split(maxsplit=2)
    if len(words) > 1 and words[0] == "lab" and words[1] in SHORT:
        words[1] = SHORT[words[1]]
        return " ".join(words)
    return command
