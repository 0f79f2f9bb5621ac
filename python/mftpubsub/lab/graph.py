"""What searches follow: the graph of what can happen from a laboratory's state on."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from mftpubsub.simulator.laboratory import LabError

Check = Callable[[Any], Any]
"""False or a text, which says what is wrong, is a violation; True, None and "" are none."""

Timers = Literal["any", "in order", "at rest"]
"""When timers of protocols of one's own go off."""


@dataclass(frozen=True)
class Budgets:
    """How much may still be lost, and how often something may crash."""

    losses: int
    crashes: int

    def but(self, losses: int = 0, crashes: int = 0) -> Budgets:
        """What is left after some more."""
        return Budgets(self.losses - losses, self.crashes - crashes)


class Following(NamedTuple):
    """Something that may happen, and what is then."""

    action: Any
    """As a text it is a command of transcripts."""
    state: Any
    budgets: Budgets
    violation: str | None = None


class Settled(NamedTuple):
    """What is when all that was pending has happened."""

    state: Any
    done: list[Any]
    """What happened, as commands of transcripts."""
    violation: str | None = None
    """What did not hold on the way."""


class Graph(Protocol):
    """States and what follows them; a state is a value, whose `key` is equal for equal futures."""

    start: Any

    def key(self, state: Any) -> Hashable: ...
    def fresh(self) -> Graph:
        """The same for one more random schedule, remembering no state."""

    def moves(self, state: Any, budgets: Budgets) -> Iterator[Any]:
        """What may happen next, as far as that is known without doing it.

        Each has an `action`, and the `budgets` that it leaves.
        """

    def outcomes(self, move: Any) -> Iterator[Following]:
        """What comes of a move: several, if something is drawn; nothing, if it makes no sense."""

    def is_rest(self, state: Any) -> bool:
        """Whether a schedule may end here, or go on here for ever and harm nobody."""

    def is_end(self, state: Any) -> bool:
        """Whether nothing is pending and everybody is up."""

    def violation(self, state: Any) -> str | None:
        """What does not hold in a state, if anything."""

    def of_end(self, state: Any) -> str | None:
        """What does not hold where nothing more happens, if anything."""

    def stuck(self, state: Any, schedule: Callable[[], Sequence[Any]]) -> tuple[str, tuple[Any, ...]] | None:
        """What does not hold where timers only repeat, if nothing more is lost, and what leads there.

        `schedule` gives what has led to the state.
        """

    def settle(self, state: Any) -> Settled:
        """All that is pending happens, or as much as it takes until something does not hold."""

    def to_transcript(self, comment: str, schedule: Sequence[Any]) -> str:
        """A file that `mftpubsub lab` replays."""


def other_draws(chosen: tuple[int, ...], outcomes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Of a step in which `chosen` was drawn and then first outcomes, the choices that differ behind that."""
    for place in range(len(chosen), len(outcomes)):
        for outcome in range(1, outcomes[place]):
            yield (*chosen, *(0 for _ in range(place - len(chosen))), outcome)


def said(answer: Any, check: str) -> str | None:
    """What a user's check says is wrong, if it does. Raises LabError for an answer that says nothing."""
    if answer is False:
        return f"{check}: it answered False"
    if answer is None or isinstance(answer, bool | str):
        return f"{check}: {answer}" if answer and answer is not True else None
    raise LabError(
        f"{check}: it answered {answer!r}: False or a text says what is wrong, True or None that nothing is"
    )
