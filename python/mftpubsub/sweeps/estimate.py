"""What a sweep will cost: time and disk, from a rough law at first and from measured runs as they come."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from mftpubsub.protocols.naming import row_of
from mftpubsub.trace.layout import place

if TYPE_CHECKING:
    from mftpubsub.scenario.scenario import Scenario


def seconds(case: Scenario) -> float:
    """Rough time of a run in s: every frame is heard by all, and AODV floods for every pair of nodes.

    Fitted to the thesis's configurations on a core of 2020s make; a sweep corrects it by what it measures.
    """
    nodes = case.count()
    rate = 3e-7 * nodes**3 if {"aodv", "olsr"} & {*row_of(case.protocol).uses} else 2e-6 * nodes**2
    return 0.1 + rate * case.duration


def trace_bytes(case: Scenario) -> float:
    """Rough size of a trace in B, compressed; fitted as `seconds` is."""
    return 1000 + 100 * case.count() * case.duration


class Estimate:
    """A law, corrected by what was measured: of the same protocol and configuration, else of less alike."""

    def __init__(self, law: Callable[[Scenario], float]) -> None:
        self._law = law
        self._sums: dict[tuple[str, ...], tuple[float, float]] = {}

    def learn(self, case: Scenario, measured: float) -> None:
        """Takes a measured value into account."""
        for level in _levels(case):
            total, expected = self._sums.get(level, (0.0, 0.0))
            self._sums[level] = (total + measured, expected + self._law(case))

    def of(self, case: Scenario) -> float:
        """The value to expect for a case."""
        total, expected = next((self._sums[k] for k in _levels(case) if k in self._sums), (1.0, 1.0))
        return self._law(case) * total / expected


def _levels(case: Scenario) -> tuple[tuple[str, ...], ...]:
    return (str(case.protocol), place(case.config, case.axes)), (str(case.protocol),), ()


class Clock:
    """Time that is left for cases run in their order, some at once."""

    def __init__(self, cases: Sequence[Scenario], time_of: Estimate, slots: Callable[[], int]) -> None:
        self._cases = cases
        self._time_of = time_of
        self._slots = slots
        self._waiting = dict.fromkeys(range(len(cases)))
        self._started: dict[int, float] = {}
        self.done = 0.0
        self._start()

    def finish(self, case: int, took: float, failed: bool) -> None:
        """The case of this index has ended after `took` s."""
        self._waiting.pop(case, None)
        self._started.pop(case, None)
        self.done += took
        if not failed:
            self._time_of.learn(self._cases[case], took)
        self._start()

    def work(self) -> float:
        """Process time in s that is left."""
        now = time.monotonic()
        waiting = sum(self._time_of.of(self._cases[case]) for case in list(self._waiting))
        return waiting + sum(self._rest(case, now) for case in list(self._started))

    def left(self) -> float:
        """Time in s that is left."""
        now = time.monotonic()
        longest = max((self._rest(case, now) for case in list(self._started)), default=0.0)
        return max(self.work() / self._slots(), longest)

    def _rest(self, case: int, now: float) -> float:
        return max(self._time_of.of(self._cases[case]) - (now - self._started.get(case, now)), 0.0)

    def _start(self) -> None:
        for case in list(self._waiting)[: max(self._slots() - len(self._started), 0)]:
            del self._waiting[case]
            self._started[case] = time.monotonic()
