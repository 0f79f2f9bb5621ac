"""What can happen in a laboratory for stations of one's own: every order, loss, crash and draw."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from mftpubsub.lab.air import AirLab
from mftpubsub.lab.cells import Delivered, Input, text_of
from mftpubsub.lab.channel import Made, State, carried_out, crashed, owed
from mftpubsub.lab.graph import Budgets, Following, said

Check = Callable[[Any], Any]
"""False or a text, which says what is wrong, is a violation; anything else is none."""

Timers = Literal["any", "in order"]

#: Steps of settling.
_SETTLING = 10_000


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


class AirGraph:
    """What can happen among stations of one's own."""

    def __init__(self, lab: AirLab, timers: Timers, always: Check | None, quiet: Check | None) -> None:
        self.channel, self.start = lab.parts(timers == "in order")
        self._lab = lab
        self._any_timer = timers == "any"
        self._always = always
        self._quiet = quiet
        self._size = lab.size

    def key(self, state: State) -> Hashable:
        return state

    def to_transcript(self, comment: str, schedule: Sequence[Any]) -> str:
        return self._lab.to_transcript(comment, schedule)

    def following(self, state: State, budgets: Budgets) -> Iterator[Following]:
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
                yield Following(Action("lose", node, sender), taken, left)
        for node in range(size):
            yield from self._of_device(state, budgets, node)

    def _of_device(self, state: State, budgets: Budgets, node: int) -> Iterator[Following]:
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
            yield Following(Action("crash", node), crashed(channel, state, node), left)

    def _branches(
        self,
        what: str,
        state: State,
        budgets: Budgets,
        node: int,
        make: Callable[[tuple[int, ...]], Made],
        **told: Any,
    ) -> Iterator[Following]:
        """What happens for every outcome of the draws that decide."""
        for made in _all_draws(make):
            action = Action(what, node, draws=made.chosen, **told)
            after = carried_out(self.channel, state, node, made)
            yield Following(action, after, budgets, self._of_effects(node, made))

    def _of_effects(self, node: int, made: Made) -> str | None:
        for effect in made.effects:
            if isinstance(effect, Delivered) and effect.event not in self.channel.published:
                return f"phantom: node {node} was delivered {effect.event}, which nobody has published"
        return None

    def violation(self, state: State) -> str | None:
        """What does not hold in a state, if anything."""
        if self._always and (wrong := said(self._always(AirLab.of(self.channel, state)), "always")):
            return wrong
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
        return said(self._quiet(AirLab.of(self.channel, state)), "quiet") if self._quiet else None

    def settle(self, state: State) -> tuple[State, list[Any]]:
        """All that is pending happens: receptions, then a timer of each device in turn."""
        taken: list[Any] = []
        quiet = Budgets(0, 0)
        turns = [0] * len(self.channel.roles)
        while len(taken) < _SETTLING:
            choices = [choice for choice in self.following(state, quiet) if not any(choice.action.draws)]
            if not choices or (taken and taken[-1].what == "expire" and not owed(self.channel, state)):
                break
            action, state, *_ = min(choices, key=lambda choice: _turn(choice.action, turns))
            turns[action.node] += action.what == "expire"
            taken.append(action)
        return state, taken


def _turn(action: Action, turns: Sequence[int]) -> tuple[int, int]:
    order = ("restart", "hear", "free", "expire")
    return order.index(action.what), turns[action.node] if action.what == "expire" else 0


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
