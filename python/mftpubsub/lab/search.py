"""Searches for schedules after which what must hold does not: all of a small case, or random ones, shrunk."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from mftpubsub.lab.air import AirLab
from mftpubsub.lab.cells import Delivered, Input, text_of
from mftpubsub.lab.channel import Made, State, carried_out, crashed, owed
from mftpubsub.simulator.laboratory import LabError

Check = Callable[[AirLab], Any]
"""False or a text, which says what is wrong, is a violation; anything else is none."""

Timers = Literal["any", "in order"]


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
        return f"{said} draws={','.join(map(str, self.draws))}" if any(self.draws) else said


@dataclass(frozen=True)
class Found:
    """What a search saw."""

    states: int
    """Distinct ones; of random schedules, how many steps were taken."""
    ends: int
    """Distinct states in which nothing is pending; of random schedules, how many there were."""
    complete: bool
    """Whether every schedule within the budgets was followed."""
    violation: str | None
    """What did not hold, if anything."""
    schedule: tuple[Action, ...]
    """What led there: one of the shortest of an exhaustive search."""
    transcript: str
    """The schedule as a file that `mftpubsub lab` replays; empty without a violation."""

    def __repr__(self) -> str:
        said = self.violation or ("nothing violated" if self.complete else "nothing violated so far")
        return (
            f"Found({self.states} states, {self.ends} ends, {'complete' if self.complete else 'cut'}: {said})"
        )


@dataclass(frozen=True)
class Budgets:
    losses: int
    crashes: int


Node = tuple[State, Budgets]


class Search:
    """The graph of what can happen from a laboratory's state on."""

    def __init__(self, lab: AirLab, timers: Timers, always: Check | None, quiet: Check | None) -> None:
        self.channel, self.start = lab.parts(timers == "in order")
        self._any_timer = timers == "any"
        self._always = always
        self._quiet = quiet
        self._size = lab.size

    def following(
        self, state: State, budgets: Budgets
    ) -> Iterator[tuple[Action, State, Budgets, str | None]]:
        """All that may happen next, with the state after it and what is violated by it."""
        channel, size = self.channel, self._size
        for place, (sender, node) in enumerate(channel.links, size):
            if not state[place]:
                continue
            message, *rest = state[place]
            taken = (*state[:place], tuple(rest), *state[place + 1 :])
            hear = lambda chosen, node=node, message=message, sender=sender: channel.hear(  # noqa: E731
                node, state[node], message, sender, chosen
            )
            yield from self._branches("hear", taken, budgets, node, hear, sender=sender)
            if budgets.losses:
                left = Budgets(budgets.losses - 1, budgets.crashes)
                yield Action("lose", node, sender), taken, left, None
        for node in range(size):
            yield from self._of_device(state, budgets, node)

    def _of_device(
        self, state: State, budgets: Budgets, node: int
    ) -> Iterator[tuple[Action, State, Budgets, str | None]]:
        channel = self.channel
        cell = channel.cells[state[node]]
        if not cell.is_up:
            start = lambda chosen: channel.tell(node, state[node], Input("start"), "start", chosen)  # noqa: E731
            yield from self._branches("restart", state, budgets, node, start)
            return
        timers = [timer for timer, _ in cell.timers]
        if not self._any_timer:
            timers = [timer for timer, _ in sorted(cell.timers, key=lambda each: each[1])[:1]]
        for timer in timers:
            expire = lambda chosen, timer=timer: channel.tell(  # noqa: E731
                node, state[node], Input("expire", (timer,)), ("expire", timer), chosen
            )
            yield from self._branches("expire", state, budgets, node, expire, timer=timer)
        if cell.may_speak:
            speak = lambda chosen: channel.tell(node, state[node], Input("next_message"), "next", chosen)  # noqa: E731
            yield from self._branches("free", state, budgets, node, speak)
        if budgets.crashes:
            left = Budgets(budgets.losses, budgets.crashes - 1)
            yield Action("crash", node), crashed(channel, state, node), left, None

    def _branches(
        self,
        what: str,
        state: State,
        budgets: Budgets,
        node: int,
        make: Callable[[tuple[int, ...]], Made],
        **told: Any,
    ) -> Iterator[tuple[Action, State, Budgets, str | None]]:
        """What happens for every outcome of the draws that decide."""
        for made in _all_draws(make):
            action = Action(what, node, draws=made.chosen, **told)
            yield action, carried_out(self.channel, state, node, made), budgets, self._of_effects(node, made)

    def _of_effects(self, node: int, made: Made) -> str | None:
        for effect in made.effects:
            if isinstance(effect, Delivered) and effect.event not in self.channel.published:
                return f"phantom: node {node} was delivered {effect.event}, which nobody has published"
        return None

    def violation(self, state: State) -> str | None:
        """What does not hold in a state, if anything."""
        if self._always and (said := _said(self._always(AirLab.of(self.channel, state)), "always")):
            return said
        return self.of_end(state) if self.is_end(state) else None

    def is_end(self, state: State) -> bool:
        """Whether nothing is pending and everybody is up."""
        cells = [self.channel.cells[number] for number in state[: self._size]]
        idle = all(cell.is_up and not cell.timers and not cell.may_speak for cell in cells)
        return idle and not any(state[self._size :])

    def of_end(self, state: State) -> str | None:
        """What does not hold where nothing more happens, if anything."""
        if lacking := owed(self.channel, state):
            event, node = lacking[0]
            return f"undelivered: node {node} wants {event} and has not got it, and nothing is pending"
        return _said(self._quiet(AirLab.of(self.channel, state)), "quiet") if self._quiet else None


def _all_draws(make: Callable[[tuple[int, ...]], Made]) -> Iterator[Made]:
    """What a step makes for every combination of outcomes."""
    first = make(())
    yield first
    if not first.draws:
        return
    pending: list[tuple[tuple[int, ...], Made]] = [((), first)]
    while pending:
        prefix, made = pending.pop()
        for place in range(len(prefix), len(made.draws)):
            for outcome in range(1, made.draws[place]):
                chosen = (*prefix, *(0 for _ in range(place - len(prefix))), outcome)
                other = make(chosen)
                yield other
                pending.append((chosen, other))


def _said(answer: Any, check: str) -> str | None:
    if answer is False:
        return f"{check}: it answered False"
    return f"{check}: {answer}" if isinstance(answer, str) and answer else None


def search(
    lab: AirLab,
    *,
    losses: int = 0,
    crashes: int = 0,
    timers: Timers = "any",
    always: Check | None = None,
    quiet: Check | None = None,
    limit: int = 1_000_000,
    schedules: int | None = None,
    seed: int = 1,
) -> Found:
    """Follows all that can happen from the state of `lab` on, or random schedules, and checks what must hold.

    At most `losses` receptions are lost and `crashes` devices crash, which may restart at any time. `timers`
    go off at "any" time, in any order, or "in order": those of one device by when they are due. Draws that
    decide (`random`, `choice`, `randrange`) are branches. An exhaustive search stops after `limit` states.
    With `schedules` so many random ones are followed instead, from `seed` on; after each everything settles.

    Built in: nobody is delivered what nobody has published, and where nothing is pending any more, every
    subscriber has got what it wants. `always` is asked of each state, `quiet` where nothing is pending. Each
    takes a laboratory, to look at only, and answers False or a text if it is violated. Raises LabError for
    what a station raises.
    """
    if timers not in ("any", "in order"):
        raise LabError(f"search: timers: {timers!r} is neither 'any' nor 'in order'")
    graph = Search(lab, timers, always, quiet)
    budgets = Budgets(losses, crashes)
    if schedules is not None:
        return _search_at_random(lab, graph, budgets, schedules, seed)
    return _search_all(lab, graph, budgets, limit)


def _search_all(lab: AirLab, graph: Search, budgets: Budgets, limit: int) -> Found:
    """Breadth first, so that the schedule found is one of the shortest."""
    before: dict[Node, tuple[Node, Action] | None] = {(graph.start, budgets): None}
    waiting = deque(before)
    ends = 0
    while waiting:
        node = waiting.popleft()
        ends += graph.is_end(node[0])
        if said := graph.violation(node[0]):
            return _found(lab, len(before), ends, False, said, _path(before, node))
        for action, state, left, wrong in graph.following(*node):
            if wrong:
                schedule = (*_path(before, node), action)
                return _found(lab, len(before), ends, False, wrong, schedule)
            if (reached := (state, left)) not in before:
                if len(before) >= limit:
                    return _found(lab, len(before), ends, False, None, ())
                before[reached] = (node, action)
                waiting.append(reached)
    return _found(lab, len(before), ends, True, None, ())


def _path(before: dict[Node, tuple[Node, Action] | None], node: Node) -> tuple[Action, ...]:
    actions: list[Action] = []
    while came := before[node]:
        node, action = came
        actions.append(action)
    return tuple(reversed(actions))


#: Of a random schedule, before everything settles; and of settling.
_STEPS, _SETTLING = 200, 10_000


def _search_at_random(lab: AirLab, graph: Search, budgets: Budgets, schedules: int, seed: int) -> Found:
    steps = ends = 0
    for number in range(schedules):
        schedule, said = _follow(graph, budgets, Random(f"{seed} {number}"))
        steps += len(schedule)
        ends += 1
        if said:
            schedule, said = _shrunk(graph, budgets, schedule, said)
            return _found(lab, steps, ends, False, said, schedule)
    return _found(lab, steps, ends, False, None, ())


def _follow(graph: Search, budgets: Budgets, random: Random) -> tuple[tuple[Action, ...], str | None]:
    """A random schedule, and what it has violated."""
    state, schedule = graph.start, []
    for _ in range(random.randrange(_STEPS)):
        choices = list(graph.following(state, budgets))
        if not choices:
            break
        action, state, budgets, wrong = random.choice(choices)
        schedule.append(action)
        if said := wrong or graph.violation(state):
            return tuple(schedule), said
    end, settled = _settle(graph, state)
    schedule += settled
    return tuple(schedule), graph.violation(state) or graph.of_end(end)


def _settle(graph: Search, state: State) -> tuple[State, list[Action]]:
    """What is pending happens: receptions, then a timer of each device in turn, until all is delivered."""
    taken: list[Action] = []
    quiet = Budgets(0, 0)
    turns = [0] * len(graph.channel.roles)
    while len(taken) < _SETTLING:
        choices = [choice for choice in graph.following(state, quiet) if not any(choice[0].draws)]
        if not choices or (taken and taken[-1].what == "expire" and not owed(graph.channel, state)):
            break
        action, state, _, _ = min(choices, key=lambda choice: _turn(choice[0], turns))
        turns[action.node] += action.what == "expire"
        taken.append(action)
    return state, taken


def _turn(action: Action, turns: Sequence[int]) -> tuple[int, int]:
    order = ("restart", "hear", "free", "expire")
    return order.index(action.what), turns[action.node] if action.what == "expire" else 0


def _shrunk(
    graph: Search, budgets: Budgets, schedule: tuple[Action, ...], said: str
) -> tuple[tuple[Action, ...], str]:
    """The schedule without what is not needed for a violation of the same class."""
    kind = said.partition(":")[0]
    size = max(len(schedule) // 2, 1)
    while size:
        at = 0
        while at < len(schedule):
            shorter = schedule[:at] + schedule[at + size :]
            done, again = _replayed(graph, budgets, shorter)
            if again and again.partition(":")[0] == kind and len(done) < len(schedule):
                schedule, said = done, again
            else:
                at += size
        size //= 2
    return schedule, said


def _replayed(
    graph: Search, budgets: Budgets, schedule: Sequence[Action]
) -> tuple[tuple[Action, ...], str | None]:
    """What of a schedule is possible, then everything settles."""
    state, done = graph.start, []
    for action in schedule:
        choice = next((each for each in graph.following(state, budgets) if each[0] == action), None)
        if choice is None:
            continue
        _, state, budgets, wrong = choice
        done.append(action)
        if said := wrong or graph.violation(state):
            return tuple(done), said
    end, settled = _settle(graph, state)
    return (*done, *settled), graph.of_end(end)


def _found(
    lab: AirLab, states: int, ends: int, complete: bool, said: str | None, schedule: tuple[Action, ...]
) -> Found:
    transcript = lab.to_transcript(f"Violates {said}", schedule) if said else ""
    return Found(states, ends, complete, said, schedule, transcript)
