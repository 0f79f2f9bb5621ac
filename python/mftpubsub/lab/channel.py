"""The broadcast channel of the laboratory for stations: who hears whom, and what each makes of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from mftpubsub.lab.cells import Cell, Effect, Input, Outcome, Sent, repeat, step, text_of, unchanged
from mftpubsub.lab.links import Link
from mftpubsub.notes import tell
from mftpubsub.protocols import Event, EventId, Station
from mftpubsub.protocols.unheard import Unheard

Clocks = Literal["together", "apart", "stand"]
"""How the clocks of devices go: by what any device waits for, by what each waits for itself, or not."""

State = tuple[Any, ...]
"""Of each device the number of its cell, then of each link those of the messages on it, oldest first."""


class ClockReadError(Exception):
    """A station has asked what time it is, which a search had taken for no part of its states."""


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

    def __init__(
        self,
        protocol: Station,
        roles: Sequence[tuple[str, ...]],
        clocks: Clocks = "together",
        *,
        is_timed: bool = True,
        tells_clocks: bool = True,
        remembers: bool = True,
    ) -> None:
        """States are told apart by when timers are due, and by what clocks say, or not.

        Without `remembers` no two are the same: cheaper where a state is seldom reached again.
        """
        self.protocol = protocol
        self.roles = roles
        self.clocks = clocks
        self.is_timed, self._tells_clocks, self.remembers = is_timed, tells_clocks, remembers
        #: Inputs that stations were told, here and where this comes from.
        self.told = 0
        #: Whether a station has asked what time it is.
        self.has_read_clock = False
        self.links: list[tuple[int, int]] = []
        #: Of links, dBm.
        self.rssi: dict[tuple[int, int], float] = {}
        self.published: dict[EventId, Event] = {}
        self.cells: list[Cell] = []
        self.messages: list[Told] = []
        self._cell_numbers: dict[Hashable, int] = {}
        self._message_numbers: dict[Hashable, int] = {}
        self._made: dict[Hashable, Made] = {}
        self.unheard = Unheard(type(protocol))
        self._hears_others = type(protocol).has_own("overhear")

    def join(self, link: Link) -> None:
        """Two devices hear each other."""
        for pair in ((link.one, link.other), (link.other, link.one)):
            self.links.append(pair)
            self.rssi[pair] = link.rssi_dbm

    def number_of(self, cell: Cell) -> int:
        key = cell.key(self.is_timed, self._tells_clocks) if self.remembers else len(self.cells)
        number = self._cell_numbers.setdefault(key, len(self.cells))
        if number == len(self.cells):
            self.cells.append(cell)
        return number

    def tell(self, node: int, cell: int, told: Input, key: Hashable, chosen: tuple[int, ...] = ()) -> Made:
        """What the device `node` makes of an input, which `key` tells from others. Raises LabError."""
        known = (node, cell, key, chosen)
        made = self._made.get(known)
        if made is None:
            work_out = partial(self._step, node, cell, told, chosen)
            self.told += 1
            is_checked = self.told <= _CHECKED or self.told % _SAMPLED == 0
            outcome = self._checked(node, cell, told, work_out) if is_checked else work_out()
            self.has_read_clock |= outcome.has_read_clock
            if outcome.has_read_clock and not self._tells_clocks:
                raise ClockReadError
            made = self._made[known] = self._numbered(outcome, chosen)
        return made

    def _step(self, node: int, cell: int, told: Input, chosen: tuple[int, ...]) -> Outcome:
        goes = self.clocks == "apart"  # those that go together are set where time passes
        if lost := self.unheard.take(told.method):
            tell(f"{self._where(node, told)}: {lost}")
        nodes = len(self.roles)
        return step(node, self.roles[node], self.cells[cell], told, chosen, nodes=nodes, clock_goes=goes)

    def hear(self, node: int, cell: int, message: int, sender: int, chosen: tuple[int, ...] = ()) -> Made:
        """What `node` makes of a message."""
        told, rssi = self.messages[message], self.rssi[sender, node]
        if told.to in (None, node):
            heard = Input("receive", (told.message, sender, rssi))
        else:
            heard = Input("overhear", (told.message, sender, told.to, rssi))
        return self.tell(node, cell, heard, (message, sender, rssi), chosen)

    def reaches(self, node: int, message: int) -> bool:
        """Whether the message is of interest for `node`."""
        return self._hears_others or self.messages[message].to in (None, node)

    def _numbered(self, outcome: Outcome, chosen: tuple[int, ...]) -> Made:
        sent = tuple(self._message_number(each) for each in outcome.effects if isinstance(each, Sent))
        return Made(self.number_of(outcome.cell), sent, outcome.effects, outcome.draws, chosen)

    def _message_number(self, sent: Sent) -> int:
        key = (sent.kind, sent.body, sent.to)
        number = self._message_numbers.setdefault(key, len(self.messages))
        if number == len(self.messages):
            self.messages.append(Told(sent.message, sent.to))
        return number

    def _where(self, node: int, told: Input) -> str:
        return f"{type(self.protocol).__name__}.{told.method} at node {node}"

    def _checked(self, node: int, cell: int, told: Input, work_out: Callable[[], Outcome]) -> Outcome:
        """What a step makes that is made twice. Raises LabError for what it changes in place."""
        where = self._where(node, told)
        with unchanged(where, self.cells[cell].station, told.arguments):
            outcome = work_out()
        repeat(self.protocol, where, work_out, partial(_is_same, outcome))
        return outcome


def _is_same(one: Outcome, other: Outcome) -> bool:
    return one.cell.key(True, True) == other.cell.key(True, True) and one.effects == other.effects


#: The first steps are repeated to see whether they give the same, and later each of so many.
_CHECKED, _SAMPLED = 1000, 50


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
    down = replace(cell, station=channel.protocol, is_up=False, may_speak=False, timers=())
    after = list(state)
    after[node] = channel.number_of(down)
    for place, (_, to) in enumerate(channel.links, len(channel.roles)):
        if to == node:
            after[place] = ()
    return tuple(after)


def owed(channel: Channel, state: State) -> list[tuple[EventId, int]]:
    """Each event that a subscriber wants and has not got as it was published, with the subscriber."""
    return [
        (id, node)
        for node, roles in enumerate(channel.roles)
        if "subscriber" in roles
        for id, event in channel.published.items()
        if (id, event.wire) not in (cell := channel.cells[state[node]]).delivered
        and any(where.matches(event) for where in cell.filters)
    ]


def message_text(told: Told) -> str:
    """How transcripts write a message: its kind, and its fields by name."""
    message = told.message
    fields = [f"{name}={text_of(getattr(message, name))}" for name, _ in type(message).layout]
    return " ".join([type(message).kind_name, *([f"to={told.to}"] if told.to is not None else []), *fields])
