"""What can happen in a laboratory for stations of one's own: every order, loss, crash and draw."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from mftpubsub.lab.air import AirLab
from mftpubsub.lab.cells import Cell, Delivered, Input, text_of
from mftpubsub.lab.channel import Clocks, Made, State, carried_out, crashed, owed
from mftpubsub.lab.endless import ENDLESS, EndlessError
from mftpubsub.lab.graph import Budgets, Check, Following, Settled, Timers, other_draws, said
from mftpubsub.protocols import EventId
from mftpubsub.protocols.given import unpublished
from mftpubsub.simulator.laboratory import LabError


@dataclass(frozen=True)
class Action:
    """Something that happened in a schedule."""

    what: str
    """hear, lose, expire, free, crash or restart."""
    node: int
    sender: int = -1
    timer: Hashable = None
    draws: tuple[int, ...] = ()

    def __str__(self) -> str:
        """The command of transcripts."""
        words = {
            "hear": f"step {self.sender} {self.node}",
            "lose": f"lose {self.sender} {self.node}",
            "free": f"speak {self.node}",
            "expire": f"expire {self.node} {text_of(self.timer)}",
        }
        said = words.get(self.what, f"{self.what} {self.node}")
        draws = ",".join(map(str, self.draws))
        return f"{said} draws={draws}" if any(self.draws) else said

    def do(self, lab: AirLab) -> None:
        """Lets it happen in a laboratory. Raises LabError if it cannot."""
        if self.what in ("crash", "restart"):
            getattr(lab, self.what)(self.node)
            return
        sender = self.sender if self.sender >= 0 else None
        this = (self.node, sender, self.timer)
        pending = [each for each in lab.pending() if (each.node, each.sender, each.timer) == this]
        if not pending:
            raise LabError(f"{self} is not pending")
        if self.what == "lose":
            lab.lose(pending[0])
        else:
            lab.step(pending[0], draws=self.draws)


class Move(NamedTuple):
    """Something that may happen: the state without the message that it takes, and what becomes of it."""

    action: Action
    state: State
    budgets: Budgets
    make: Callable[[tuple[int, ...]], Made] | None = None
    """By the outcomes of draws; none: the state is that afterwards."""


class AirGraph:
    """What can happen among stations of one's own."""

    def __init__(
        self,
        lab: AirLab,
        timers: Timers,
        always: Check | None,
        quiet: Check | None,
        *,
        tells_clocks: bool,
        remembers: bool = True,
    ) -> None:
        """`tells_clocks`: what clocks say is a part of states. Without, ClockReadError may be raised."""
        is_timed = timers == "in order"
        clocks: Clocks = "apart" if is_timed else "stand"
        tells_clocks |= not is_timed
        self.channel, self.start = lab.parts(
            clocks, is_timed=is_timed, tells_clocks=tells_clocks, remembers=remembers
        )
        self._lab = lab
        self._timers = timers
        self._always = always
        self._quiet = quiet
        self._size = lab.size
        self._tells_clocks = tells_clocks
        #: Where nothing is under way, and timers give everybody what it wants.
        self._sound: set[State] = set()

    def key(self, state: State) -> Hashable:
        return state

    def to_transcript(self, comment: str, schedule: Sequence[Any]) -> str:
        clocks = [f"clocks {self.channel.clocks}"] if self._needs_clocks() else []
        return self._lab.to_transcript(comment, [*clocks, *schedule])

    def _needs_clocks(self) -> bool:
        """Whether it matters to a transcript how clocks go: timers go off by those that go apart."""
        return self.channel.has_read_clock or self.channel.clocks == "apart"

    def fresh(self) -> AirGraph:
        """The same for one more random schedule, remembering no state."""
        made = AirGraph(
            self._lab,
            self._timers,
            self._always,
            self._quiet,
            tells_clocks=self._tells_clocks,
            remembers=False,
        )
        made.channel.told = self.channel.told
        return made

    def telling_clocks(self) -> AirGraph:
        """The same, for a station that asks what time it is."""
        return AirGraph(self._lab, self._timers, self._always, self._quiet, tells_clocks=True)

    def moves(self, state: State, budgets: Budgets) -> Iterator[Move]:
        """All that may happen next: receptions, losses, then what devices do by themselves."""
        channel, size = self.channel, self._size
        for place, (sender, node) in enumerate(channel.links, size):
            if not state[place]:
                continue
            message, *rest = state[place]
            taken = (*state[:place], tuple(rest), *state[place + 1 :])
            hear = partial(channel.hear, node, state[node], message, sender)
            yield Move(Action("hear", node, sender), taken, budgets, hear)
            if budgets.losses:
                yield Move(Action("lose", node, sender), taken, budgets.but(losses=1))
        for node in range(size):
            yield from self._moves_of(state, budgets, node)

    def _moves_of(self, state: State, budgets: Budgets, node: int) -> Iterator[Move]:
        channel = self.channel
        cell = channel.cells[state[node]]
        tell = partial(channel.tell, node, state[node])
        if not cell.is_up:
            yield Move(Action("restart", node), state, budgets, partial(tell, Input("start"), "start"))
            return
        timers = [timer for timer, _ in cell.timers]
        if self._timers == "at rest" and any(state[self._size :]):
            timers = []
        elif self._timers == "in order":
            timers = [timer for timer, _ in sorted(cell.timers, key=lambda each: each[1])[:1]]
        for timer in timers:
            expire = partial(tell, Input("expire", (timer,)), ("expire", timer))
            yield Move(Action("expire", node, timer=timer), state, budgets, expire)
        if cell.may_speak:
            speak = partial(tell, Input("next_message"), "next")
            yield Move(Action("free", node), state, budgets, speak)
        if budgets.crashes:
            after = crashed(channel, state, node)
            yield Move(Action("crash", node), after, budgets.but(crashes=1))

    def outcomes(self, move: Move) -> Iterator[Following]:
        """What comes of a move, for every outcome of the draws that decide."""
        if move.make is None:
            yield Following(move.action, move.state, move.budgets)
            return
        node = move.action.node
        for made in _all_draws(move.make):
            action = replace(move.action, draws=made.chosen)
            after = carried_out(self.channel, move.state, node, made)
            yield Following(action, after, move.budgets, self._of_effects(node, made))

    def _of_effects(self, node: int, made: Made) -> str | None:
        got = [(effect.event, effect.wire) for effect in made.effects if isinstance(effect, Delivered)]
        return self._phantom(node, got)

    def _phantom(self, node: int, got: Iterable[tuple[EventId, bytes]]) -> str | None:
        """Which of the events that a device was delivered is none of those published, if any."""
        for event, wire in got:
            if problem := unpublished(event, wire, self.channel.published):
                return f"phantom: node {node} was delivered {event}, but {problem}"
        return None

    def violation(self, state: State) -> str | None:
        """What does not hold in a state, if anything."""
        if self._always and (wrong := said(self._always(AirLab.of(self.channel, state)), "always")):
            return wrong
        return self.of_end(state) if self.is_end(state) else None

    def is_end(self, state: State) -> bool:
        """Whether nothing is pending and everybody is up."""
        return self._is_at_rest(state) and not any(cell.timers for cell in self._cells(state))

    def is_rest(self, state: State) -> bool:
        """Whether nothing but timers is pending, or something may be for ever: a token may go round.

        It may not where somebody lacks an event, nor where `quiet` would never be asked.
        """
        return self._is_at_rest(state) or not self._is_lacking(state)

    def _is_lacking(self, state: State) -> bool:
        """Whether somebody lacks an event, or `quiet` has to be asked."""
        return bool(self._quiet or owed(self.channel, state))

    def _is_at_rest(self, state: State) -> bool:
        """Whether nothing but timers is pending, and everybody is up."""
        idle = all(cell.is_up and not cell.may_speak for cell in self._cells(state))
        return idle and not any(state[self._size :])

    def _cells(self, state: State) -> list[Cell]:
        return [self.channel.cells[number] for number in state[: self._size]]

    def of_end(self, state: State) -> str | None:
        """What does not hold where nothing more happens, if anything."""
        phantoms = (self._phantom(node, cell.delivered) for node, cell in enumerate(self._cells(state)))
        return next(filter(None, phantoms), None) or self._of_end(
            AirLab.of(self.channel, state), "nothing is pending"
        )

    def _of_end(self, lab: AirLab, why: str) -> str | None:
        if lacking := lab.owed():
            event, node = lacking[0]
            return f"undelivered: node {node} wants {event} and has not got it, and {why}"
        return said(self._quiet(lab), "quiet") if self._quiet else None

    def stuck(
        self, state: State, schedule: Callable[[], Sequence[Any]]
    ) -> tuple[str, tuple[Any, ...]] | None:
        """A search that forgets when timers are due may see some repeat that do not: it is made again."""
        if not self._is_at_rest(state) or state in self._sound or not self._is_lacking(state):
            return None
        end, done, wrong = self.settle(state)
        if wrong == ENDLESS:
            return ENDLESS, (*schedule(), *done)
        if not wrong and not self.is_end(end) and self.of_end(end):
            lab = self._lab.copy()
            lab.set_clocks(self.channel.clocks)
            for action in schedule():
                action.do(lab)
            lab.set_clocks("together")
            try:
                lab.settle()
                wrong = self._of_end(lab, "timers only repeat")
            except EndlessError:
                wrong = ENDLESS
            if wrong:
                return wrong, (*schedule(), *self._together(), "settle")
        self._sound.add(state)
        return None

    def settle(self, state: State) -> Settled:
        """All that is pending happens, and timers by when they are due, until nobody lacks an event.

        Where `quiet` has to be asked, they go off until they only repeat.
        """
        lab = AirLab.of(self.channel, state).copy()
        lab.set_clocks("together")
        for node, cell in enumerate(self._cells(state)):
            if not cell.is_up:
                lab.restart(node)
        restarts = lab.history[1:]
        wrong: list[str] = []

        def is_over() -> bool:
            if self._always:
                lab.log.clear()
                wrong.extend(filter(None, [said(self._always(lab), "always")]))
            return bool(wrong)

        try:
            lab.settle_until(lambda: not (self._quiet or lab.owed()), is_over=is_over)
        except EndlessError:
            if self._quiet or lab.owed():
                wrong.append(ENDLESS)
        silence: State = ((),) * len(self.channel.links)
        end: State = (*map(self.channel.number_of, lab.cells()), *silence)
        done = (*restarts, "settle") if wrong == [ENDLESS] else lab.history[1:]
        return Settled(end, [*self._together(), *done], next(iter(wrong), None))

    def _together(self) -> list[str]:
        """The command of transcripts by which clocks go again as they do in laboratories."""
        return ["clocks together"] if self._needs_clocks() else []


def _all_draws(make: Callable[[tuple[int, ...]], Made]) -> Iterator[Made]:
    """What a step makes for every combination of outcomes."""
    first = make(())
    yield first
    if not first.draws:
        return
    pending: list[tuple[tuple[int, ...], Made]] = [((), first)]
    while pending:
        prefix, made = pending.pop()
        for chosen in other_draws(prefix, made.draws):
            other = make(chosen)
            yield other
            pending.append((chosen, other))
