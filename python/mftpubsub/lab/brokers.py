"""Brokers of one's own in the laboratory of trees: states are values, known by numbers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from mftpubsub.errors import MftPubsubError
from mftpubsub.lab.cells import (
    Draws,
    copied,
    copied_station,
    freeze,
    freeze_station,
    freeze_timer,
    repeat,
    text_of,
    unchanged,
)
from mftpubsub.protocols.broker import Broker
from mftpubsub.protocols.broker_host import BrokerHost
from mftpubsub.protocols.broker_inputs import EXPIRED, METHODS, START
from mftpubsub.protocols.broker_seat import HEAD, START_INPUT, BrokerSeat, tell
from mftpubsub.simulator.laboratory import LabError


class _State(NamedTuple):
    """A broker between two steps; nothing in it changes any more."""

    broker: Broker
    seat: BrokerSeat
    key: Hashable
    """Equal for brokers that behave alike."""


class _Made(NamedTuple):
    """What an input leads to."""

    after: _State
    effects: bytes
    draws: tuple[int, ...]


class LabBrokers(BrokerHost):
    """In a laboratory: whoever copies a broker copies a number, and nothing is worked out twice."""

    def __init__(
        self, protocol: Broker, fail: Callable[[BaseException], None], name: Callable[[int], str]
    ) -> None:
        """`name` gives a broker's name."""
        super().__init__(protocol, fail)
        self._name = name
        self._states: list[_State] = []
        self._numbers: dict[Hashable, int] = {}
        self._memories: dict[Hashable, int] = {freeze({}): 0}
        self._stored: list[dict[str, Any]] = [{}]
        self._made: dict[Hashable, tuple[bytes, tuple[int, ...]]] = {}
        self._chosen: tuple[int, ...] = ()
        self._forgets_times = False
        #: How many outcomes each draw had that decides, since `choose`.
        self.draws: list[int] = []

    def choose(self, outcomes: tuple[int, ...]) -> None:
        """The outcomes of what is drawn from now on, in order; what follows are first outcomes."""
        self._chosen, self.draws = outcomes, []

    @contextmanager
    def forgetting_times(self, forgets: bool) -> Iterator[None]:
        """Whether states differ, within the block, by the order of timers alone, not by when they are due."""
        self._forgets_times = forgets
        try:
            yield
        finally:
            self._forgets_times = False

    def broker(self, state: int) -> Broker:
        found, seat, _ = self._states[state]
        shown = copied_station(found)
        shown._seat = seat
        return shown

    def timers(self, state: int) -> list[str]:
        """The texts of a broker's timers, by when they are due."""
        return list(map(text_of, self._states[state].seat.in_order()))

    def _step(self, what: int, state: int, nanoseconds: int, data: bytes) -> bytes:
        chosen = self._chosen[len(self.draws) :]
        known = (what, -1 if what == START else state, data, chosen, self._forgets_times)
        if known not in self._made:
            work_out = partial(self._work_out, what, state, nanoseconds, data, chosen)
            made = self._checked(what, state, work_out) if len(self._made) < _CHECKED else work_out()
            number = self._number(made.after)  # of a state that was met before, whose timers have other times
            head = HEAD.pack(number, self._states[number].seat.due, self._memory(made.after))
            self._made[known] = (head + made.effects, made.draws)
        out, draws = self._made[known]
        self.draws += draws
        return out

    def _checked(self, what: int, state: int, work_out: Callable[[], _Made]) -> _Made:
        """What a step makes that is made twice. Raises LabError for what it changes in place."""
        method = f"{type(self.protocol).__name__}.{METHODS[what]}"
        with unchanged(method, self.protocol if what == START else self._states[state][0]):
            made = work_out()
        repeat(
            self.protocol,
            f"{method} at {self._name(made.after.seat.id)}",
            work_out,
            lambda again: again.after.key == made.after.key and again.effects == made.effects,
        )
        return made

    def _work_out(
        self, what: int, state: int, nanoseconds: int, data: bytes, chosen: tuple[int, ...]
    ) -> _Made:
        if what == START:
            node, memory = START_INPUT.unpack(data)
            broker, stored = self.protocol, self._stored[memory]
            seat = BrokerSeat(node, type(self.protocol), None, stored, self._published)
        else:
            broker, seat, _ = self._states[state]
        broker, seat = copied_station(broker), seat.copied()
        seat.stable = copied(seat.stable)
        draws = Draws(chosen)
        seat.random, seat.nanoseconds = draws, nanoseconds
        broker._seat = seat
        if what == EXPIRED and data:
            seat.called = (self._called(seat, data.decode()),)
            seat.nanoseconds = 0 if self._forgets_times else seat.timers[seat.called[0]]
        tell(broker, seat, what, data)
        seat.begin_anew()
        self._check_timers(seat)
        del broker._seat
        effects = bytes(seat.effects)
        seat.effects.clear()
        key = (
            seat.id,
            freeze_station(broker),
            seat.neighbours,
            seat.parent,
            freeze(seat.clients),
            tuple(map(freeze_timer, seat.in_order())),
            () if self._forgets_times else tuple(sorted(seat.timers.values())),
            freeze(seat.stable),
        )
        return _Made(_State(broker, seat, key), effects, tuple(draws.made))

    def _called(self, seat: BrokerSeat, text: str) -> Hashable:
        """The timer with this text. Raises LabError if there is none."""
        for timer in seat.in_order():
            if text_of(timer) == text:
                return timer
        said = ", ".join(map(text_of, seat.in_order())) or "none"
        raise LabError(f"expire: {self._name(seat.id)} has no timer {text}; it has set: {said}")

    def _check_timers(self, seat: BrokerSeat) -> None:
        """Raises LabError for two timers of one text: no transcript could say which of them expires."""
        named: dict[str, Hashable] = {}
        for timer in seat.timers:
            if (other := named.setdefault(text_of(timer), timer)) is not timer:
                raise LabError(
                    f"{type(self.protocol).__name__} at {self._name(seat.id)}: the timers {other!r} and "
                    f"{timer!r} have one text: give them different ones"
                )

    def _number(self, state: _State) -> int:
        number = self._numbers.setdefault(state.key, len(self._states))
        if number == len(self._states):
            self._states.append(state)
        return number

    def _memory(self, state: _State) -> int:
        number = self._memories.setdefault(freeze(state.seat.stable), len(self._stored))
        if number == len(self._stored):
            self._stored.append(state.seat.stable)
        return number

    def _node(self, state: int) -> int:
        return self._states[state].seat.id

    def _failure(self, where: str, node: int, nanoseconds: int, said: str) -> MftPubsubError:
        return LabError(f"{where} at {self._name(node)}: {said}")


#: Steps that are repeated to see whether they give the same.
_CHECKED = 1000
