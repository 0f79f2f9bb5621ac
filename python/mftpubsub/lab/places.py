"""Places that an exhaustive search has met: how each was reached first, and from which none comes to rest."""

from __future__ import annotations

from array import array
from collections.abc import Hashable
from typing import Any

from mftpubsub.lab.graph import Budgets

Place = tuple[Hashable, Budgets]


class Places:
    """Numbered in the order in which they were met."""

    def __init__(self, first: Place) -> None:
        self._numbers = {first: 0}
        #: How each was reached first: from where, by what.
        self._came: list[tuple[int, Any]] = [(0, None)]
        #: From where to where steps lead, one pair after the other: there may be millions.
        self._steps = array("I")
        #: Where schedules may end.
        self.rests: list[int] = []

    def __len__(self) -> int:
        return len(self._came)

    def __contains__(self, place: Place) -> bool:
        return place in self._numbers

    def add(self, place: Place, reached_from: int, action: Any) -> None:
        self._numbers[place] = len(self._came)
        self._came.append((reached_from, action))

    def leads(self, one: int, other: Place) -> None:
        """A step leads from one place to another, and nothing is lost nor crashes."""
        self._steps.extend((one, self._numbers[other]))

    def path(self, number: int) -> tuple[Any, ...]:
        """The actions that have led to a place first."""
        actions: list[Any] = []
        while number:
            number, action = self._came[number]
            actions.append(action)
        return tuple(reversed(actions))

    def endless(self) -> int | None:
        """The first place from which no steps lead to a rest, once all steps are told."""
        if len(self.rests) == len(self):
            return None
        into: list[list[int]] = [[] for _ in self._came]
        for one, other in zip(self._steps[::2], self._steps[1::2], strict=True):
            into[other].append(one)
        is_fine = bytearray(len(self))
        waiting = list(self.rests)
        while waiting:
            number = waiting.pop()
            if not is_fine[number]:
                is_fine[number] = True
                waiting += into[number]
        first = is_fine.find(0)
        return None if first < 0 else first
