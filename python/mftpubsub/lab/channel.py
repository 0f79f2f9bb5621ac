"""The broadcast channel of the laboratory for stations: who hears whom, and what each makes of it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from mftpubsub.lab.cells import RSSI_DBM, Cell, Effect, Input, Outcome, Sent, repeat, step, text_of
from mftpubsub.protocols import Event, EventId, Station

State = tuple[Any, ...]
"""Of each device the number of its cell, then of each link those of the messages on it, oldest first."""


@dataclass(frozen=True)
class Told:
    """A message on a link, and for whom it is."""

    message: Any
    to: int | None


@dataclass(frozen=True)
class Made:
    """What a step has made, in numbers."""

    cell: int
    sent: tuple[int, ...]
    effects: tuple[Effect, ...]
    draws: tuple[int, ...]
    chosen: tuple[int, ...]


class Channel:
    """Who hears whom, and what devices make of what they are told: nothing is worked out twice.

    Cells and messages are known by numbers, so a state of the whole network is a tuple of small ones.
    """

    def __init__(self, protocol: Station, roles: Sequence[tuple[str, ...]], is_timed: bool) -> None:
        self.protocol = protocol
        self.roles = roles
        self.is_timed = is_timed
        self.links: list[tuple[int, int]] = []
        self.published: dict[EventId, Event] = {}
        self.cells: list[Cell] = []
        self.messages: list[Told] = []
        self._cell_numbers: dict[Hashable, int] = {}
        self._message_numbers: dict[Hashable, int] = {}
        self._made: dict[Hashable, Made] = {}
        self._hears_others = type(protocol).has_own("overhear")

    def number_of(self, cell: Cell) -> int:
        key = cell.key(self.is_timed)
        number = self._cell_numbers.setdefault(key, len(self.cells))
        if number == len(self.cells):
            self.cells.append(cell)
        return number

    def tell(self, node: int, cell: int, told: Input, key: Hashable, chosen: tuple[int, ...] = ()) -> Made:
        """What the device `node` makes of an input, which `key` tells from others. Raises LabError."""
        known = (node, cell, key, chosen)
        made = self._made.get(known)
        if made is None:
            outcome = step(node, self.roles[node], self.cells[cell], told, chosen)
            made = self._made[known] = self._numbered(node, cell, told, outcome, chosen)
        return made

    def hear(self, node: int, cell: int, message: int, sender: int, chosen: tuple[int, ...] = ()) -> Made:
        """What `node` makes of a message."""
        told = self.messages[message]
        if told.to in (None, node):
            heard = Input("receive", (told.message, sender, RSSI_DBM))
        else:
            heard = Input("overhear", (told.message, sender, told.to, RSSI_DBM))
        return self.tell(node, cell, heard, (message, sender), chosen)

    def reaches(self, node: int, message: int) -> bool:
        """Whether the message is of interest for `node`."""
        return self._hears_others or self.messages[message].to in (None, node)

    def _numbered(self, node: int, cell: int, told: Input, outcome: Outcome, chosen: tuple[int, ...]) -> Made:
        self._check(node, cell, told, outcome, chosen)
        sent = tuple(self._message_number(each) for each in outcome.effects if isinstance(each, Sent))
        return Made(self.number_of(outcome.cell), sent, outcome.effects, outcome.draws, chosen)

    def _message_number(self, sent: Sent) -> int:
        key = (sent.kind, sent.body, sent.to)
        number = self._message_numbers.setdefault(key, len(self.messages))
        if number == len(self.messages):
            self.messages.append(Told(sent.message, sent.to))
        return number

    def _check(self, node: int, cell: int, told: Input, outcome: Outcome, chosen: tuple[int, ...]) -> None:
        if len(self._made) > _CHECKED:
            return
        repeat(
            self.protocol,
            f"{type(self.protocol).__name__}.{told.method} at node {node}",
            lambda: step(node, self.roles[node], self.cells[cell], told, chosen),
            lambda again: again.cell.key(True) == outcome.cell.key(True) and again.effects == outcome.effects,
        )


#: Steps that are repeated to see whether they give the same.
_CHECKED = 1000


def carried_out(channel: Channel, state: State, node: int, made: Made) -> State:
    """The state after a device has made something of an input."""
    after = list(state)
    after[node] = made.cell
    size = len(channel.roles)
    for message in made.sent:
        for place, (sender, to) in enumerate(channel.links, size):
            if sender == node and channel.cells[after[to]].is_up and channel.reaches(to, message):
                after[place] = (*after[place], message)
    return tuple(after)


def crashed(channel: Channel, state: State, node: int) -> State:
    """The state after a device has crashed."""
    cell = channel.cells[state[node]]
    down = Cell(channel.protocol, delivered=cell.delivered, filters=cell.filters, stable=cell.stable)
    after = list(state)
    after[node] = channel.number_of(down)
    for place, (_, to) in enumerate(channel.links, len(channel.roles)):
        if to == node:
            after[place] = ()
    return tuple(after)


def owed(channel: Channel, state: State) -> list[tuple[EventId, int]]:
    """Each event that a subscriber wants and has not got, with the subscriber."""
    return [
        (id, node)
        for node, roles in enumerate(channel.roles)
        if "subscriber" in roles
        for id, event in channel.published.items()
        if id not in (cell := channel.cells[state[node]]).delivered
        and any(where.matches(event) for where in cell.filters)
    ]


def message_text(told: Told) -> str:
    """How transcripts write a message: its kind, and its fields by name."""
    message = told.message
    fields = [f"{name}={text_of(getattr(message, name))}" for name, _ in type(message).layout]
    return " ".join([type(message).kind_name, *([f"to={told.to}"] if told.to is not None else []), *fields])
