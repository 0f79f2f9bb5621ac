"""The laboratory for stations: devices on a broadcast channel, one reception or timer at a time."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, get_args

from mftpubsub.lab.air_given import (
    EVERYTHING,
    event_of,
    filter_of,
    filters_of,
    letters_of,
    position_of,
    position_text,
    positions_of,
    roles_of,
)
from mftpubsub.lab.cells import (
    Cell,
    Delivered,
    Effect,
    Input,
    Noted,
    text_of,
)
from mftpubsub.lab.channel import (
    Channel,
    Clocks,
    Made,
    State,
    Told,
    carried_out,
    crashed,
    message_text,
    owed,
)
from mftpubsub.lab.endless import EndlessError, Rounds
from mftpubsub.lab.lines import Line
from mftpubsub.lab.links import RSSI_DBM, Link, links_of
from mftpubsub.lab.own import command_words, taken
from mftpubsub.protocols import EventId, Filter, Station
from mftpubsub.protocols.station import Position
from mftpubsub.simulator.laboratory import LabError, check_limit

#: Timers of each device that go off in a row without a delivery, before they are taken to repeat.
_IDLE = 100


@dataclass(frozen=True)
class Pending:
    """Something that may happen next: a device hears a message, a timer is due, or the channel is free."""

    node: int
    sender: int | None = None
    message: int | None = None
    timer: Hashable = None
    text: str = ""

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


class AirLab:
    """Devices with stations of a protocol of one's own, on perfect links; nothing happens by itself.

        lab = AirLab(Flood(), roles="PB B B BS", links="0-1 1-2 2-3")
        lab.publish(0, topic="a")
        lab.settle()
        print(lab.log)

    A message goes to all neighbours of its sender, and each hears it when `step` says so; on one link in the
    order of sending. Frames are lost only where `lose` says so. `uniform` answers its lower end. Time
    passes where devices wait for timers: `now` says how much.
    """

    def __init__(
        self,
        protocol: Station | str,
        roles: str | Sequence[str],
        links: str | Iterable[str | Sequence[float]],
        positions: str | Iterable[Sequence[float]] | None = None,
    ) -> None:
        """`roles` has a word for each device, of the letters P, B and S; `links` are pairs of their numbers.

        A link may say its RSSI, dBm, as "0-1@-80" or (0, 1, -80.0); that of others is -60. A subscriber wants
        everything until `subscribe` says what it wants. `positions` are where the devices take themselves to
        be, m: "0,0 50,0 50,50,10". Without, their `position` is None. Raises LabError for what makes no
        sense.
        """
        station = taken(protocol, Station, "AirLab is for those, Lab for protocols on the tree")
        self._channel = Channel(station, roles_of(roles))
        self._published: dict[int, int] = {}
        #: What has happened, a line each.
        self.log = AirLog()
        self._history: list[str] = []
        pairs = links_of(links, len(self._channel.roles))
        for link in pairs:
            self._channel.join(link)
        places = [] if positions is None else positions_of(positions, len(self._channel.roles))
        self._first = (self._channel.protocol, self._channel.roles, pairs, places)
        cells = [
            Cell(self._channel.protocol, filters=filters_of(each), position=place)
            for each, place in zip_longest(self._channel.roles, places)
        ]
        self._state: State = (
            *(self._channel.number_of(cell) for cell in cells),
            *(() for _ in self._channel.links),
        )
        for node in range(self.size):
            self._tell(node, Input("start"), "start")

    @property
    def size(self) -> int:
        """How many devices there are."""
        return len(self._channel.roles)

    def pending(self) -> list[Pending]:
        """What may happen next: receptions, then whoever may speak, then timers by when they are due."""
        found = []
        for place, (sender, node) in enumerate(self._channel.links):
            for message in self._state[self.size + place][:1]:
                text = f"Heard({sender} -> {node}, {message_text(self._channel.messages[message])})"
                found.append(Pending(node, sender, message, None, text))
        for node in range(self.size):
            if self._cell(node).may_speak:
                found.append(Pending(node, text=f"Free({node})"))
        is_apart = self._channel.clocks == "apart"
        timers = [
            (left + cell.clock * is_apart, node, timer)
            for node, cell in enumerate(self.cells())
            for timer, left in cell.timers
        ]
        for _, node, timer in sorted(timers, key=lambda each: each[0]):
            found.append(Pending(node, timer=timer, text=f"Expires({node}, {text_of(timer)})"))
        return found

    def step(self, what: Pending | int = 0, *, draws: Sequence[int] = ()) -> Pending:
        """Lets one thing happen, the first that is pending or `what`, and returns it.

        `draws` are the outcomes of what is drawn, each counted from 0.
        """
        chosen = self._chosen(what)
        with self._all_or_nothing():
            self._do(chosen, draws)
        return chosen

    def _do(self, chosen: Pending, draws: Sequence[int]) -> None:
        self._history.append(_command(chosen, draws))
        if chosen.message is not None and chosen.sender is not None:
            self._take_off(chosen)
            message = self._channel.messages[chosen.message]
            self.log.append(_line(chosen, message))
            made = self._channel.hear(
                chosen.node, self._state[chosen.node], chosen.message, chosen.sender, tuple(draws)
            )
            self._carry_out(chosen.node, made)
        elif chosen.timer is not None:
            if self._channel.clocks != "apart":
                self._pass(dict(self._cell(chosen.node).timers)[chosen.timer])
            self.log.add(f"{chosen.node} expires {text_of(chosen.timer)}")
            self._tell(chosen.node, Input("expire", (chosen.timer,)), ("expire", chosen.timer), draws)
        else:
            self._tell(chosen.node, Input("next_message"), "next", draws)

    def lose(self, what: Pending | int = 0) -> Pending:
        """The first reception that is pending, or the one that is given, does not happen. Returns it."""
        chosen = self._chosen(what)
        if chosen.message is None:
            raise LabError(f"{chosen} is no reception: only frames are lost")
        self._take_off(chosen)
        self.log.append(_line(chosen, self._channel.messages[chosen.message], is_lost=True))
        self._history.append(f"lose {chosen.sender} {chosen.node}")
        return chosen

    def settle(self, limit: int = 100_000) -> int:
        """Lets all that is pending happen, until nothing is or timers only repeat. Returns the steps.

        Timers that count repeat too: 100 of each device have gone off, and nobody has got an event. Raises
        LabError after `limit` steps, and where messages go round for ever.
        """
        return self.settle_until(lambda: False, limit)

    def settle_until(
        self, is_enough: Callable[[], bool], limit: int = 100_000, is_over: Callable[[], bool] | None = None
    ) -> int:
        """The same, until it is enough before another timer goes off, or over before anything happens."""
        check_limit(limit)
        seen: set[Hashable] = set()
        idle = delivered = 0
        rounds = Rounds()
        for count in range(limit):
            following = self.pending()
            if (is_over and is_over()) or not following:
                return count
            if following[0].message is None and following[0].timer is not None:
                now = sum(len(cell.delivered) for cell in self.cells())
                idle, delivered = (idle + 1 if now == delivered else 0), now
                if (state := self._timeless()) in seen or idle > _IDLE * self.size or is_enough():
                    return count
                seen.add(state)
                rounds = Rounds()
            elif rounds.are_closed(self._place(following[0]) + 1, self._timeless):
                raise EndlessError
            with self._all_or_nothing():
                self._do(following[0], ())
        raise LabError(f"settle: it still goes on after {limit} steps")

    def publish(self, node: int, **attributes: Any) -> EventId:
        """The application of a publisher publishes. Returns the event's id."""
        self._require(node, "publisher", "publish")
        sequence = self._published.get(node, 0)
        event = event_of((node, sequence), attributes)
        said = " ".join(f"{name}={_said(value)}" for name, value in attributes.items())
        with self._all_or_nothing():
            self._published[node] = sequence + 1
            self._channel.published[event.id] = event
            self.log.add(f"{node} publishes {event.id}")
            self._history.append(f"publish {node} {said}".rstrip())
            self._tell(node, Input("publish", (event,)), ("publish", event.wire))
        return event.id

    def subscribe(self, node: int, where: str) -> None:
        """A subscriber has a filter more; with its first one it does not want everything any more."""
        self._require(node, "subscriber", "subscribe")
        everything = Filter(EVERYTHING)
        filters = self._cell(node).filters
        where_filter = filter_of(where)
        if where_filter in filters:
            raise LabError(f"subscribe: node {node} has the filter {where!r} already")
        with self._all_or_nothing():
            self._history.append(f"subscribe {node} where {where}")
            self._tell(node, Input("subscribed", (where_filter,)), ("subscribed", where))
            if everything in filters:
                self._tell(node, Input("unsubscribed", (everything,)), ("unsubscribed", EVERYTHING))

    def unsubscribe(self, node: int, where: str) -> None:
        """A subscriber has a filter less."""
        self._require(node, "subscriber", "unsubscribe")
        where_filter = filter_of(where)
        if where_filter not in self._cell(node).filters:
            raise LabError(f"unsubscribe: node {node} has no filter {where!r}")
        with self._all_or_nothing():
            self._history.append(f"unsubscribe {node} where {where}")
            self._tell(node, Input("unsubscribed", (where_filter,)), ("unsubscribed", where))

    def crash(self, node: int) -> None:
        """A device forgets all but its stable storage and its filters; what is on its way to it is lost."""
        if not self._cell(node).is_up:
            raise LabError(f"crash: node {node} is down already")
        self.log.add(f"{node} crashes")
        self._history.append(f"crash {node}")
        self._state = crashed(self._channel, self._state, node)

    def restart(self, node: int) -> None:
        """A device that has crashed starts again."""
        if self._cell(node).is_up:
            raise LabError(f"restart: node {node} is up")
        with self._all_or_nothing():
            self.log.add(f"{node} restarts")
            self._history.append(f"restart {node}")
            self._tell(node, Input("start"), "start")

    def cut(self, one: int, other: int) -> None:
        """Two devices do not hear each other any more; what is on its way between them is lost."""
        for pair in ((one, other), (other, one)):
            if pair not in self._channel.links:
                raise LabError(f"cut: {one} and {other} do not hear each other")
            place = self.size + self._channel.links.index(pair)
            self._channel.links.remove(pair)
            self._state = (*self._state[:place], *self._state[place + 1 :])
        self.log.add(f"{one} and {other} part")
        self._history.append(f"cut {one}-{other}")

    def join(self, one: int, other: int, rssi_dbm: float = RSSI_DBM) -> None:
        """Two devices hear each other from now on."""
        (link,) = links_of([(one, other, rssi_dbm)], self.size)
        if (one, other) in self._channel.links:
            raise LabError(f"join: {one} and {other} hear each other already")
        self._channel.join(link)
        self._state = (*self._state, (), ())
        self.log.add(f"{one} and {other} meet")
        self._history.append(f"join {link}")

    def move(self, node: int, x: float, y: float, z: float = 0.0) -> None:
        """A device is somewhere else from now on, m; whom it hears stays."""
        position = position_of((x, y, z), "move")
        cell = replace(self._cell(node), position=position)
        self._state = (*self._state[:node], self._channel.number_of(cell), *self._state[node + 1 :])
        said = position_text(position, " ")
        self.log.add(f"{node} moves to {said}")
        self._history.append(f"move {node} {said}")

    def set_clocks(self, go: Clocks) -> None:
        """From now on clocks go together, as first; apart, each by its own device's waits; or stand."""
        if go not in get_args(Clocks):
            raise LabError(f"clocks: {go!r} is none of {', '.join(get_args(Clocks))}")
        self._history.append(f"clocks {go}")
        self._channel.clocks = go

    def station(self, node: int) -> Station:
        """The station of a device, to look at."""
        return self._cell(node).station

    def delivered(self, node: int) -> frozenset[EventId]:
        """The events that the application of a subscriber has got."""
        return frozenset(event for event, _ in self._cell(node).delivered)

    def owed(self) -> list[tuple[EventId, int]]:
        """Each event that a subscriber wants and has not got, with the subscriber."""
        return owed(self._channel, self._state)

    def copy(self) -> AirLab:
        """Another laboratory in the same state."""
        made: AirLab = object.__new__(AirLab)
        vars(made).update(vars(self))
        made._published, made._history = dict(self._published), list(self._history)
        made.log = AirLog(self.log)
        made._channel, made._state = self.parts(self._channel.clocks, remembers=self._channel.remembers)
        return made

    def parts(self, clocks: Clocks, **told_apart_by: bool) -> tuple[Channel, State]:
        """A channel of its own in the same state."""
        channel = self._channel
        made = Channel(channel.protocol, channel.roles, clocks, **told_apart_by)
        made.told, made.unheard = channel.told, channel.unheard
        made.links, made.rssi = list(channel.links), dict(channel.rssi)
        made.published = dict(channel.published)
        made.messages, made._message_numbers = list(channel.messages), dict(channel._message_numbers)
        return made, (*map(made.number_of, self.cells()), *self._state[self.size :])

    def cells(self) -> list[Cell]:
        """The devices as they are."""
        return [self._channel.cells[number] for number in self._state[: self.size]]

    @classmethod
    def of(cls, channel: Channel, state: State) -> AirLab:
        """A laboratory in a state of a search."""
        made: AirLab = object.__new__(cls)
        made._channel, made._state, made._published, made.log = channel, state, {}, AirLog()
        made._history = []
        return made

    @property
    def history(self) -> tuple[str, ...]:
        """What has been done here, in commands of transcripts."""
        return tuple(self._history)

    def to_transcript(self, comment: str = "", following: Iterable[object] = ()) -> str:
        """A file that `mftpubsub lab` replays: what has been done here, then the commands `following`."""
        head = [f"# {comment}", ""] if comment else []
        body = "\n\n".join([_setup(*self._first), *self._history, *map(str, following)])
        return "\n".join([*head, body]) + "\n"

    def _cell(self, node: int) -> Cell:
        if not isinstance(node, int) or not 0 <= node < self.size:
            raise LabError(f"no node {node!r}: there are 0 to {self.size - 1}")
        return self._channel.cells[self._state[node]]

    def _require(self, node: int, role: str, what: str) -> None:
        self._cell(node)
        if role not in self._channel.roles[node]:
            raise LabError(f"{what}: node {node} is no {role}")
        if not self._cell(node).is_up:
            raise LabError(f"{what}: node {node} is down")

    def _chosen(self, what: Pending | int) -> Pending:
        following = self.pending()
        if isinstance(what, Pending):
            if what in following:
                return what
            raise LabError(f"{what} is not pending")
        if not following:
            raise LabError("nothing is pending")
        if not 0 <= what < len(following):
            raise LabError(f"{len(following)} things are pending, 0 to {len(following) - 1}: no {what}")
        return following[what]

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """What a station raises leaves the laboratory as it was."""
        state, lines, commands = self._state, len(self.log), len(self._history)
        published, events = dict(self._published), dict(self._channel.published)
        try:
            yield
        except BaseException:
            self._state, self._published, self._channel.published = state, published, events
            del self.log[lines:], self._history[commands:]
            raise

    def _place(self, chosen: Pending) -> int:
        """Where in a state the link is; behind all links if there is none."""
        if chosen.sender is None:
            return len(self._state)
        return self.size + self._channel.links.index((chosen.sender, chosen.node))

    def _take_off(self, chosen: Pending) -> None:
        place = self._place(chosen)
        self._state = (*self._state[:place], self._state[place][1:], *self._state[place + 1 :])

    def _tell(self, node: int, told: Input, key: Hashable, draws: Sequence[int] = ()) -> None:
        self._carry_out(node, self._channel.tell(node, self._state[node], told, key, tuple(draws)))

    def _carry_out(self, node: int, made: Made) -> None:
        for effect in made.effects:
            self.log += _lines(node, effect)
        self._state = carried_out(self._channel, self._state, node, made)

    def _pass(self, passed: int) -> None:
        """Time passes for all devices, ns."""
        if not passed:
            return
        cells = []
        for cell in self.cells():
            timers = tuple((timer, max(left - passed, 0)) for timer, left in cell.timers)
            clock = cell.clock + passed * (self._channel.clocks == "together")
            cells.append(self._channel.number_of(replace(cell, timers=timers, clock=clock)))
        self._state = (*cells, *self._state[self.size :])

    def _timeless(self) -> tuple[Hashable, ...]:
        """The state, whatever the time is."""
        return (*(cell.key(True, False) for cell in self.cells()), *self._state[self.size :])


class AirLog(list[Line]):
    """What has happened, oldest first; prints as a transcript."""

    def __str__(self) -> str:
        return "\n".join(line.text for line in self)

    def add(self, text: str) -> None:
        """A line that is no message."""
        self.append(Line(text))


def _line(chosen: Pending, told: Told, is_lost: bool = False) -> Line:
    sender, node = str(chosen.sender), str(chosen.node)
    text = f"{sender} -> {node} {message_text(told)}{' lost' if is_lost else ''}"
    return Line(text, type(told.message).kind_name, sender, (node,), is_lost)


def _command(chosen: Pending, draws: Sequence[int]) -> str:
    """The command of transcripts that lets it happen."""
    if chosen.message is not None:
        said = f"step {chosen.sender} {chosen.node}"
    elif chosen.timer is not None:
        said = f"expire {chosen.node} {text_of(chosen.timer)}"
    else:
        said = f"speak {chosen.node}"
    return f"{said} draws={','.join(map(str, draws))}" if draws else said


def _setup(
    protocol: Station,
    roles: Sequence[tuple[str, ...]],
    links: Sequence[Link],
    positions: Sequence[Position],
) -> str:
    """The command `lab`."""
    words = [f"roles={','.join(map(letters_of, roles))}", *map(str, links)]
    if positions:
        words.insert(1, f"positions={';'.join(map(position_text, positions))}")
    return " ".join(["lab", *command_words(protocol), *words])


def _said(value: Any) -> str:
    """An attribute's value in the words of transcripts."""
    return (
        repr(value)
        if isinstance(value, str)
        else str(value).lower()
        if isinstance(value, bool)
        else str(value)
    )


def _lines(node: int, effect: Effect) -> list[Line]:
    match effect:
        case Delivered(event, _, sender, hops, is_new):
            word = "delivers" if is_new else "has had"
            return [Line(f"{node} {word} {event} from {sender} hops={hops}")]
        case Noted(text):
            return [Line(f"{node} notes {text}")]
    return []
