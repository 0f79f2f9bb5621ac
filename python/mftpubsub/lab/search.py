"""Searches for schedules after which what must hold does not: all of a small case, or random ones, shrunk."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import count
from random import Random
from typing import Any, get_args

from mftpubsub.lab.air import AirLab
from mftpubsub.lab.air_graph import AirGraph
from mftpubsub.lab.channel import ClockReadError
from mftpubsub.lab.command_graph import CommandGraph
from mftpubsub.lab.commands import Transcript
from mftpubsub.lab.endless import ENDLESS
from mftpubsub.lab.graph import Budgets, Check, Following, Graph, Timers
from mftpubsub.lab.laboratory import Lab
from mftpubsub.lab.places import Places
from mftpubsub.lab.tree_graph import TreeGraph
from mftpubsub.simulator.laboratory import LabError

Progress = Callable[[int], None]

Schedule = tuple[Any, ...]
"""Actions, each as a text a command of transcripts."""

Fault = tuple[int, str]
"""The step of a random schedule from which on it comes, and the budget of which it is."""


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
    schedule: Schedule
    """What led there: one of the shortest of an exhaustive search."""
    transcript: str
    """The schedule as a file that `mftpubsub lab` replays; empty without a violation."""

    def __repr__(self) -> str:
        said = self.violation or ("nothing violated" if self.complete else "nothing violated so far")
        return (
            f"Found({self.states} states, {self.ends} ends, {'complete' if self.complete else 'cut'}: {said})"
        )


def search(
    lab: AirLab | Lab | Transcript,
    *,
    losses: int = 0,
    crashes: int = 0,
    timers: Timers = "any",
    always: Check | None = None,
    quiet: Check | None = None,
    limit: int = 1_000_000,
    schedules: int | None = None,
    seed: int = 1,
    progress: Progress | None = None,
) -> Found:
    """Follows all that can happen from the state of `lab` on, or random schedules, and checks what must hold.

    At most `losses` messages are lost for good and `crashes` devices crash, which may restart at any
    time; on the tree, links that were there come back then. `timers` of protocols of one's own go off at
    "any" time, in any order; "in order": those of one device by when they are due; or "at rest": where no
    message is under way, which suits timers that send for ever. On the tree, where no message is under way
    timers may also settle until they only repeat, and `quiet` is asked then; so they do of stations where
    somebody lacks an event. The `now` of stations stands, or in order goes on by each device's own waits.
    Draws of protocols of one's own that decide (`random`, `choice`, `randrange`) are branches. An exhaustive
    search stops after `limit` states. With `schedules` so many random ones are followed instead, from `seed`
    on; after each everything settles. `progress` is told how many states or schedules have been followed.

    `lab` is an `AirLab`, a `Lab`, or for all other protocols a `Transcript`. Of the mesh and what it is
    compared with, times are those that the laboratory's seed draws; a search decides what is lost, who
    crashes and when, and whether it is back at once or 10 s later, until all is delivered, and for three
    times as many steps as that takes undisturbed. Of hand-offs and reconfigurations it follows every order of
    messages; nothing is lost there.

    Built in for stations: nobody is delivered what nobody has published, or what was changed since. Where
    nothing is pending, every subscriber has got what it wants. Built in for other protocols: what the command
    `violations` says (of the mesh `converged` too). Brokers without `table` need a check. Messages do not go
    round for ever. Those of stations may, as tokens do, where nobody lacks an event and no `quiet` is given.
    `always` is asked of each state, `quiet` where nothing is pending. Each takes a laboratory without a log.
    False or a text says what is wrong. Raises LabError for what a station raises.
    """
    if timers not in get_args(Timers):
        raise LabError(f"search: timers: {timers!r} is none of {', '.join(map(repr, get_args(Timers)))}")
    _require_counts(0, losses=losses, crashes=crashes)
    _require_counts(1, limit=limit, schedules=1 if schedules is None else schedules)
    budgets = Budgets(losses, crashes)
    graph: Graph
    if isinstance(lab, AirLab):
        graph = AirGraph(lab, timers, always, quiet, tells_clocks=schedules is not None)
    elif isinstance(lab, Lab):
        graph = TreeGraph(lab, timers, always, quiet)
    elif isinstance(lab, Transcript):
        graph = CommandGraph(lab, budgets, always, quiet)
    else:
        raise LabError(f"search: {lab!r} is no AirLab, Lab or Transcript")
    tell = progress or (lambda _: None)
    if schedules is not None:
        return _search_at_random(graph, budgets, schedules, seed, tell)
    try:
        return _search_all(graph, budgets, limit, tell)
    except ClockReadError:
        assert isinstance(graph, AirGraph)
        return _search_all(graph.telling_clocks(), budgets, limit, tell)


def _require_counts(least: int, **counts: object) -> None:
    for name, given in counts.items():
        if not isinstance(given, int) or given < least:
            raise LabError(f"search: {name}: needs a count, {least} or more (given: {given!r})")


def _following(graph: Graph, state: Any, budgets: Budgets) -> Iterator[Following]:
    """All that may happen next."""
    return (following for move in graph.moves(state, budgets) for following in graph.outcomes(move))


def _search_all(graph: Graph, budgets: Budgets, limit: int, progress: Progress) -> Found:
    """Breadth first, so that the schedule found is one of the shortest."""
    met = Places((graph.key(graph.start), budgets))
    waiting = deque([(graph.start, budgets)])
    ends = 0
    for reached in count():
        if not waiting:
            break
        state, budgets = waiting.popleft()
        progress(reached + 1)
        ends += graph.is_end(state)
        if wrong := graph.violation(state):
            return _found(graph, len(met), ends, wrong, met.path(reached))
        if stuck := graph.stuck(state, partial(met.path, reached)):
            return _found(graph, len(met), ends, *stuck)
        is_over = True
        for following in _following(graph, state, budgets):
            if following.violation:
                schedule = (*met.path(reached), following.action)
                return _found(graph, len(met), ends, following.violation, schedule)
            place = (graph.key(following.state), following.budgets)
            if place not in met:
                if len(met) >= limit:
                    return _found(graph, len(met), ends)
                met.add(place, reached, following.action)
                waiting.append((following.state, following.budgets))
            is_over = False
            if following.budgets == budgets:  # else somebody may never lose or crash it
                met.leads(reached, place)
        if is_over or graph.is_rest(state):
            met.rests.append(reached)
    if (endless := met.endless()) is not None:
        return _found(graph, len(met), ends, ENDLESS, (*met.path(endless), "settle"))
    return Found(len(met), ends, True, None, (), "")


#: Of a random schedule, before everything settles.
_STEPS = 200


def _search_at_random(graph: Graph, budgets: Budgets, schedules: int, seed: int, progress: Progress) -> Found:
    if said := graph.violation(graph.start):
        return _found(graph, 0, 0, said)
    steps = ends = 0
    usual = _usual_length(graph, budgets, Random(seed))
    following = graph
    for number in range(schedules):
        following = following.fresh()
        schedule, said = _follow(following, budgets, usual, Random(f"{seed} {number}"))
        steps += len(schedule)
        ends += 1
        progress(ends)
        if said:
            schedule, said = _shrunk(graph, budgets, schedule[:_STEPS], said)
            return _found(graph, steps, ends, said, schedule)
    return _found(graph, steps, ends)


def _usual_length(graph: Graph, budgets: Budgets, random: Random) -> int:
    """How many steps a random schedule takes in which nothing is lost and nobody crashes."""
    return len(_walk(graph.fresh(), budgets, _STEPS, [], random)[1]) if budgets != Budgets(0, 0) else 0


def _follow(graph: Graph, budgets: Budgets, usual: int, random: Random) -> tuple[Schedule, str | None]:
    """A random schedule, and what it has violated.

    Its faults, some of each budget, are spread over its length up to the `usual` one.
    """
    steps = random.randrange(_STEPS)
    last = min(steps, usual)
    faults = sorted(
        (random.randint(0, last), kind)
        for kind, left in asdict(budgets).items()
        if left
        for _ in range(random.randint(1, min(left, _STEPS)))
    )
    state, schedule, said = _walk(graph, budgets, steps, faults, random)
    return (tuple(schedule), said) if said else _settled(graph, state, schedule)


def _walk(
    graph: Graph, budgets: Budgets, steps: int, faults: list[Fault], random: Random
) -> tuple[Any, list[Any], str | None]:
    """The state after so many random steps, what happened, and what it has violated.

    Each of `faults` comes at its step or, where it makes no sense then, later. It comes sooner if nothing
    else may happen.
    """
    state, schedule = graph.start, []
    for step in range(steps):
        moves = list(graph.moves(state, budgets))
        choices = [move for move in moves if move.budgets == budgets]
        for at, kind in faults:
            if choices and step < at:
                break
            if costly := [move for move in moves if move.budgets == budgets.but(**{kind: 1})]:
                choices = costly
                faults.remove((at, kind))
                break
        outcomes = list(graph.outcomes(random.choice(choices))) if choices else []
        if not outcomes:
            break
        action, state, budgets, wrong = random.choice(outcomes)
        schedule.append(action)
        if said := wrong or graph.violation(state):
            return state, schedule, said
    return state, schedule, None


def _shrunk(graph: Graph, budgets: Budgets, schedule: Schedule, said: str) -> tuple[Schedule, str]:
    """The schedule without what is not needed for a violation of the same class."""
    kind = said.partition(":")[0]
    size = max(len(schedule) // 2, 1)
    while size:
        at = 0
        while at < len(schedule):
            shorter = schedule[:at] + schedule[at + size :]
            again = _replayed(graph, budgets, shorter)[1]
            if again and again.partition(":")[0] == kind:
                schedule, said = shorter, again
            else:
                at += size
        size //= 2
    done, again = _replayed(graph, budgets, schedule)
    return done, again or said


def _replayed(graph: Graph, budgets: Budgets, schedule: Sequence[Any]) -> tuple[Schedule, str | None]:
    """What of a schedule is possible, then everything settles."""
    state, done = graph.start, []
    for action in schedule:
        said = str(action).partition(" draws=")[0]
        moves = (move for move in graph.moves(state, budgets) if str(move.action) == said)
        outcomes = (
            each for move in moves for each in graph.outcomes(move) if str(each.action) == str(action)
        )
        if (following := next(outcomes, None)) is None:
            continue
        _, state, budgets, wrong = following
        done.append(action)
        if violated := wrong or graph.violation(state):
            return tuple(done), violated
    return _settled(graph, state, done)


def _settled(graph: Graph, state: Any, done: Sequence[Any]) -> tuple[Schedule, str | None]:
    """The schedule with what happens when everything settles, and what does not hold then."""
    end, settled, wrong = graph.settle(state)
    return (*done, *settled), wrong or graph.of_end(end)


def _found(graph: Graph, states: int, ends: int, said: str | None = None, schedule: Schedule = ()) -> Found:
    """What a search saw that has not followed everything."""
    transcript = graph.to_transcript(f"Violates {said}", schedule) if said else ""
    return Found(states, ends, False, said, schedule, transcript)
