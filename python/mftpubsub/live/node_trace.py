"""What the trace of one live node tells."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from mftpubsub.errors import TraceError
from mftpubsub.protocols.content import DecodeError, Event, EventId, Filter
from mftpubsub.trace import trace_format

_FIELDS = 11


class Clock(NamedTuple):
    """Each process has its own: a machine that boots may set its clock."""

    node: int
    start: int
    """Which start of the node it was, from 0."""


class Moment(NamedTuple):
    """What a clock said."""

    clock: Clock
    at: int
    """ns."""


@dataclass
class Subscription:
    """From when to when a subscriber had a filter."""

    filter: Filter
    since: Moment
    end: Moment | None = None


@dataclass
class Told:
    """What one node has told."""

    node: int
    started: list[int] = field(default_factory=list)
    """When, each by its own clock; ns."""
    records: list[tuple[Moment, list[str]]] = field(default_factory=list)
    events: dict[EventId, tuple[Moment, Event]] = field(default_factory=dict)
    """What it has published."""
    subscriptions: list[Subscription] = field(default_factory=list)
    sent: dict[tuple[int, int], Moment] = field(default_factory=dict)
    """A sample of its datagrams, by life and number."""
    heard: dict[tuple[int, int, int], Moment] = field(default_factory=dict)
    """The same of others', by sender, life and number."""
    damaged: int = 0
    """Lines that are none."""

    def moment(self, at: int) -> Moment:
        """By the clock of the latest start; what is before the first one is taken for its."""
        return Moment(Clock(self.node, max(len(self.started) - 1, 0)), at)


def read(path: Path) -> Told:
    """What a node's trace tells. Lines that a killed process has not finished are left out, and counted.

    Raises TraceError for another file.
    """
    try:
        lines = path.read_bytes().decode(errors="replace").split("\n")
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}") from None
    node = next((int(line.split()[3]) for line in lines if _is_start(line)), None)
    if node is None:
        raise TraceError(f"{path}: no trace of a node: `mftpubsub live run` writes them")
    told = Told(node)
    header = trace_format.header()
    for line in lines:
        if not line or line == header:
            continue
        try:
            if line.startswith("# "):
                _note(told, line)
            else:
                _record(told, line)
        except (ValueError, IndexError, DecodeError):
            told.damaged += 1
    return told


def _is_start(line: str) -> bool:
    words = line.split()
    return words[:2] == ["#", "started"] and len(words) == 5 and words[3].isdigit()


def _record(told: Told, line: str) -> None:
    fields = line.split(" ")
    if len(fields) != _FIELDS or fields[2] != str(told.node):
        raise ValueError(line)
    told.records.append((told.moment(_nanoseconds(fields[1])), fields))


def _nanoseconds(text: str) -> int:
    seconds, _, fraction = text.partition(".")
    if len(fraction) != 9:
        raise ValueError(text)
    return int(seconds) * 10**9 + int(fraction)


def _note(told: Told, line: str) -> None:
    _, what, at, rest = line.split(" ", 3)
    now = told.moment(int(at))
    match what:
        case "started":
            told.started.append(now.at)
        case "event":
            event = Event.from_wire(bytes.fromhex(rest))
            told.events.setdefault(event.id, (now, event))
        case "subscribed":
            _subscribe(told, Filter(_text(rest)), now)
        case "unsubscribed":
            for ended in _open(told, _text(rest)):
                ended.end = now
        case "sent":
            life, number = map(int, rest.split())
            told.sent[life, number] = now
        case "heard":
            source, life, number = map(int, rest.split())
            told.heard.setdefault((source, life, number), now)


def _text(rest: str) -> str:
    """A filter: a string of JSON, or in older traces as it is. No filter begins with a quotation mark."""
    return str(json.loads(rest)) if rest.startswith('"') else rest


def _subscribe(told: Told, filter: Filter, since: Moment) -> None:
    if _open(told, filter.text):  # a restart says it again, and guesses since when it has been there
        since = Moment(since.clock, max(since.at, told.started[since.clock.start]))
    told.subscriptions.append(Subscription(filter, since))


def _open(told: Told, text: str) -> list[Subscription]:
    return [one for one in told.subscriptions if one.filter.text == text and one.end is None]
