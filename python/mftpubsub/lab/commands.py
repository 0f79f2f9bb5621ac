"""The laboratories of all families by commands: those of transcripts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mftpubsub.lab.air_transcript import AirTranscript, names_station
from mftpubsub.lab.lines import Figure, Line, Picture
from mftpubsub.protocols.catalogue import SHORT
from mftpubsub.simulator.laboratory import call, reference, transcript


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

    def run(self, command: str) -> list[str]:
        """Runs one command, and returns what it prints. Raises LabError."""
        return [line.text for line in self.lines(command)]

    def lines(self, command: str) -> list[Line]:
        """The same, and what each line is."""
        if names_station(command):
            self._air = AirTranscript(command)
            return []
        if self._air:
            return self._air.lines(command)
        return _lines(call(self._transcript.Run, _with_whole_name(command)))

    def step(self) -> list[Line] | None:
        """Lets the next thing happen, and returns what that prints; None if there is none."""
        if self._air:
            return self._air.step()
        return _lines(self._transcript.TakeLines()) if call(self._transcript.Step) else None

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
