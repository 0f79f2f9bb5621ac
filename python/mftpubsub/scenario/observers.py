"""Who looks at the network while it runs.

    every = mftpubsub.Every(10.0, lambda snapshot: print(snapshot.time_s, snapshot.leaders))
    mftpubsub.run(scenario, observers=[every])

They may as well be part of the scenario: `Scenario(..., observers=[every])`. Observers only look: a run with
observers has the trace of the run without, and the scenario's fingerprint does not have them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Real
from time import monotonic
from typing import Protocol, runtime_checkable

from mftpubsub.errors import ConfigurationError, RunError
from mftpubsub.simulator.snapshot import Snapshot


@runtime_checkable
class Observer(Protocol):
    """Whoever wants to look at a running network."""

    def instants(self, duration: float) -> Iterable[float]:
        """When to look, in s of simulated time, for a run of `duration` s."""

    def observe(self, snapshot: Snapshot) -> None:
        """Takes a look. An exception ends the run as a RunError."""


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _check_callback(observer: str, callback: object) -> None:
    if not callable(callback):
        raise ConfigurationError(
            f"{observer}: callback must be a function of a Snapshot (given: {callback!r})"
        )


def check_observer(value: object) -> Observer:
    """`value`. Raises ValueError if it is no observer."""
    if isinstance(value, type) or not isinstance(value, Observer):
        raise ValueError(f"{value!r} is no observer, such as Every(10.0, callback)")
    return value


def check_observers(values: object) -> list[Observer]:
    """`values`. Raises ConfigurationError if they are no observers."""
    try:
        return [check_observer(each) for each in (values if isinstance(values, Iterable) else [values])]
    except ValueError as error:
        raise ConfigurationError(f"observers: {error}") from None


@dataclass(frozen=True)
class Every:
    """Calls `callback` at `start`, then every `interval` s, to the end of the run."""

    interval: float
    callback: Callable[[Snapshot], object]
    start: float = 0.0

    def __post_init__(self) -> None:
        if not (_is_number(self.interval) and self.interval > 0):
            raise ConfigurationError(f"Every: interval must be above 0 s (given: {self.interval!r})")
        if not _is_number(self.start):
            raise ConfigurationError(f"Every: start must be a number of s (given: {self.start!r})")
        _check_callback("Every", self.callback)

    def instants(self, duration: float) -> list[float]:
        if self.start > duration:
            raise ConfigurationError(
                f"Every: start ({self.start:g} s) must not be after the end of the run ({duration:g} s)"
            )
        count = math.floor(round((duration - self.start) / self.interval, 9)) + 1
        return [min(self.start + index * self.interval, duration) for index in range(count)]

    def observe(self, snapshot: Snapshot) -> None:
        self.callback(snapshot)


@dataclass(frozen=True)
class At:
    """Calls `callback` at the given instants, in s."""

    times: Iterable[float]
    callback: Callable[[Snapshot], object]

    def __post_init__(self) -> None:
        if isinstance(self.times, Iterable):
            object.__setattr__(self, "times", tuple(self.times))  # a generator gives them once
        if not isinstance(self.times, tuple) or not all(isinstance(time, Real) for time in self.times):
            raise ConfigurationError(f"At: times must be a list of s, as in [10, 20] (given: {self.times!r})")
        _check_callback("At", self.callback)

    def instants(self, duration: float) -> Iterable[float]:
        return self.times

    def observe(self, snapshot: Snapshot) -> None:
        self.callback(snapshot)


class Live:
    """Calls `callback` about every `interval` s of wall-clock time while the run goes, and at its end.

    The clock is looked at once a second of simulated time.
    """

    def __init__(self, callback: Callable[[Snapshot], object], interval: float = 1.0) -> None:
        if not (_is_number(interval) and interval >= 0):
            raise ConfigurationError(f"Live: interval must be 0 s or more (given: {interval!r})")
        _check_callback("Live", callback)
        self._callback = callback
        self._interval = interval
        self._due_at = 0.0

    def instants(self, duration: float) -> list[float]:
        return [duration]

    def is_due(self) -> bool:
        """Whether it wants to look now; not again before its interval is over."""
        now = monotonic()
        if now < self._due_at:
            return False
        self._due_at = now + self._interval
        return True

    def observe(self, snapshot: Snapshot) -> None:
        self._callback(snapshot)


class Agenda:
    """When a run is looked at, and by whom. Raises ConfigurationError for an instant that it has not."""

    def __init__(self, observers: Iterable[Observer], duration: float) -> None:
        self._observers: dict[float, list[Observer]] = {}
        self._live: list[Live] = []
        self._due: list[Live] = []
        for observer in observers:
            if isinstance(observer, Live):
                self._live.append(observer)
            for instant in observer.instants(duration):
                if not 0 <= instant <= duration:
                    raise ConfigurationError(
                        f"{type(observer).__name__}: {instant:g} s lies outside the run, 0 to {duration:g} s"
                    )
                self._observers.setdefault(float(instant), []).append(observer)

    @property
    def instants(self) -> list[float]:
        """In s, ascending, each once."""
        return sorted(self._observers)

    def is_due(self) -> bool:
        """Whether somebody wants to look now, by the clock on the wall."""
        self._due = [live for live in self._live if live.is_due()]
        return bool(self._due)

    def observe(self, snapshot: Snapshot) -> None:
        """Shows the snapshot to those who want to look now, else to those who asked for its instant."""
        observers, self._due = self._due or self._observers[snapshot.time_s], []
        for observer in observers:
            try:
                observer.observe(snapshot)
            except Exception as error:
                raise RunError(
                    f"observer {type(observer).__name__} failed at {snapshot.time_s:g} s of simulated time: "
                    f"{type(error).__name__}: {error}"
                ) from error
