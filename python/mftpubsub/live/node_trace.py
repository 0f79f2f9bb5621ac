"""What the trace of one live node tells."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from mftpubsub.errors import TraceError
from mftpubsub.protocols.content import DecodeError, Event, EventId, Filter
from mftpubsub.trace import trace_format

_FIELDS = 11


@dataclass
class Told:
    """What one node has told; times in ns of its own clock."""

    node: int
    records: list[tuple[int, list[str]]] = field(default_factory=list)
    events: dict[EventId, tuple[int, Event]] = field(default_factory=dict)
    """What it has published."""
    filters: list[tuple[str, int, int | None]] = field(default_factory=list)
    """Filters, from when to when its subscriber had them."""
    sent: dict[tuple[int, int], int] = field(default_factory=dict)
    """A sample of its datagrams, by life and number."""
    heard: dict[tuple[int, int, int], int] = field(default_factory=dict)
    """The same of others', by sender, life and number."""
    damaged: int = 0
    """Lines that are none."""


def read(path: Path) -> Told:
    """What a node's trace tells. Lines that a killed process has not finished are left out, and counted.

    Raises TraceError for another file.
    """
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
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
    told.records.append((_nanoseconds(fields[1]), fields))


def _nanoseconds(text: str) -> int:
    seconds, _, fraction = text.partition(".")
    if len(fraction) != 9:
        raise ValueError(text)
    return int(seconds) * 10**9 + int(fraction)


def _note(told: Told, line: str) -> None:
    _, what, at, rest = line.split(" ", 3)
    when = int(at)
    match what:
        case "event":
            event = Event.from_wire(bytes.fromhex(rest))
            told.events.setdefault(event.id, (when, event))
        case "subscribed":
            if not any(text == rest and end is None for text, _, end in told.filters):
                told.filters.append((Filter(rest).text, when, None))
        case "unsubscribed":
            told.filters = [
                (text, since, when if text == rest and end is None else end)
                for text, since, end in told.filters
            ]
        case "sent":
            life, number = map(int, rest.split())
            told.sent[life, number] = when
        case "heard":
            source, life, number = map(int, rest.split())
            told.heard.setdefault((source, life, number), when)
