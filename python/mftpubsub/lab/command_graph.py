"""What can happen in a laboratory of transcripts: of the mesh, of hand-offs, of reconfigurations.

Those cannot be copied. A state is the commands that led to it, which are run again for what follows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from mftpubsub.lab.commands import Transcript
from mftpubsub.lab.graph import Budgets, Check, Following, Settled, said
from mftpubsub.simulator.laboratory import LabError

#: Of a device that stays down, s.
_DOWN = 10
#: How much longer than what happens undisturbed is searched, and for how many steps at least.
_PATIENCE, _LEAST = 3, 30
_MOST_STEPS = 2000
#: LabMove::Kind.
_STEP, _LOSS, _CRASH, _RESTART = range(4)


@dataclass(frozen=True)
class CommandState:
    """Commands since the search began, and what tells states apart."""

    commands: tuple[str, ...]
    key: Hashable
    budgets: Budgets


class CommandMove(NamedTuple):
    action: str
    actor: str
    state: CommandState
    budgets: Budgets


class CommandGraph:
    """What can happen in a laboratory of transcripts.

    A step that changes one process alone is told to that one's history. States in which all have the same
    histories are one, whatever the order of what happened at different ones.
    """

    def __init__(self, lab: Transcript, budgets: Budgets, always: Check | None, quiet: Check | None) -> None:
        self._lab = lab
        self._always, self._quiet = always, quiet
        self.start = CommandState((), (), budgets)
        self._at: tuple[CommandState, Transcript] = (self.start, lab.copy())
        self._horizon = _horizon(lab)
        if not self._horizon and (budgets.losses or budgets.crashes):
            raise LabError(
                "search: losses, crashes: of hand-offs and reconfigurations nothing is lost: leave them out"
            )

    def key(self, state: CommandState) -> Hashable:
        return state.key

    def fresh(self) -> CommandGraph:
        return self

    def to_transcript(self, comment: str, schedule: Sequence[Any]) -> str:
        """Steps that all are alike become one command."""
        following: list[str] = []
        for command, same in groupby(map(str, schedule)):
            count = len(list(same))
            following += [f"steps {count}"] if command == "step" and count > 1 else [command] * count
        return self._lab.to_transcript(comment, following)

    def moves(self, state: CommandState, budgets: Budgets) -> Iterator[CommandMove]:
        if self._is_over(state):
            return
        crashed = state.commands[-1:] and state.commands[-1].partition("crash ")[2]
        for move in self._lab_at(state).moves():
            left = budgets.but(losses=move.kind == _LOSS, crashes=move.kind == _CRASH)
            if min(left.losses, left.crashes) < 0:
                continue
            if move.kind == _RESTART and move.command != f"restart {crashed}":
                continue  # so quickly that nobody has missed it, or when everything settles
            if move.kind == _STEP and self._horizon and self._is_spent(state):
                continue
            yield CommandMove(move.command, move.actor, state, left)

    def outcomes(self, move: CommandMove) -> Iterator[Following]:
        commands = (*move.state.commands, move.action)
        key: Hashable = commands
        if not self._horizon:
            histories: dict[str, tuple[str, ...]] = dict(move.state.key)  # type: ignore[call-overload]
            actor = move.actor or "time"
            histories[actor] = (*histories.get(actor, ()), move.action)
            key = tuple(sorted(histories.items()))
        yield Following(move.action, CommandState(commands, key, move.budgets), move.budgets)

    def is_rest(self, state: CommandState) -> bool:
        """Always: states that are told apart by their histories never come again."""
        return True

    def is_end(self, state: CommandState) -> bool:
        """Whether all is delivered, or nothing is left to decide: what follows then is one schedule."""
        return self._is_over(state) or (self._horizon > 0 and self._is_spent(state))

    def _is_over(self, state: CommandState) -> bool:
        is_late = self._horizon > 0 and len(state.commands) >= self._horizon
        return is_late or self._lab_at(state).is_at_rest()

    def _is_spent(self, state: CommandState) -> bool:
        return not (state.budgets.losses or state.budgets.crashes)

    def violation(self, state: CommandState) -> str | None:
        lab = self._lab_at(state)
        if broken := lab.broken():
            return broken[0]
        if self._always and (wrong := said(self._always(lab), "always")):
            return wrong
        return self.of_end(self.settle(state).state) if self.is_end(state) else None

    def of_end(self, state: CommandState) -> str | None:
        lab = self._lab_at(state)
        if faults := lab.faults():
            return faults[0]
        return said(self._quiet(lab), "quiet") if self._quiet else None

    def stuck(self, state: CommandState, schedule: Callable[[], Sequence[Any]]) -> None:
        """Nothing: ends settle here."""

    def settle(self, state: CommandState) -> Settled:
        """Devices that are down come back, and then everything settles."""
        lab = self._lab_at(state)
        commands = [move.command for move in lab.moves() if move.kind == _RESTART]
        if commands:
            commands.insert(0, f"run {_DOWN}")
        if commands or not lab.is_at_rest():
            commands.append("settle")
        settled = (*state.commands, *commands)
        return Settled(CommandState(settled, settled, state.budgets), commands)

    def _lab_at(self, state: CommandState) -> Transcript:
        known, lab = self._at
        if known.commands != state.commands:
            size = len(known.commands)
            if known.commands == state.commands[:size]:
                lab.replay(state.commands[size:])
            else:
                lab = self._lab.copy(state.commands)
            self._at = (state, lab)
        return lab


def _horizon(lab: Transcript) -> int:
    """In how many steps something is decided, where time never ends; 0: it ends."""
    undisturbed = lab.copy()
    if all(move.command != "step" for move in undisturbed.moves()):
        return 0
    steps = 0
    while not undisturbed.is_at_rest() and steps < _MOST_STEPS:
        undisturbed.replay(["step"])
        steps += 1
    return max(_PATIENCE * steps, _LEAST)
