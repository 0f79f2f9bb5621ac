"""Who looks at the network while it runs.

    every = mftpubsub.Every(10.0, lambda snapshot: print(snapshot.time_s, snapshot.leaders))
    mftpubsub.run(scenario, observers=[every])

They may as well be part of the scenario: `Scenario(..., observers=[every])`. Observers only look: a run with
observers has the trace of the run without, and the scenario's fingerprint does not have them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Every:
    """Calls `callback` at `start`, then every `interval` s, to the end of the run."""

    interval: float
    callback: Callable[[Snapshot], object]
    start: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.interval) and self.interval > 0):
            raise ConfigurationError(f"Every: interval must be above 0 s (given: {self.interval!r})")

    def instants(self, duration: float) -> list[float]:
        count = math.floor(round((duration - self.start) / self.interval, 9)) + 1
        return [self.start + index * self.interval for index in range(count)]

    def observe(self, snapshot: Snapshot) -> None:
        self.callback(snapshot)


@dataclass(frozen=True)
class At:
    """Calls `callback` at the given instants, in s."""

    times: Sequence[float]
    callback: Callable[[Snapshot], object]

    def instants(self, duration: float) -> Sequence[float]:
        return self.times

    def observe(self, snapshot: Snapshot) -> None:
        self.callback(snapshot)


class Agenda:
    """When a run is looked at, and by whom. Raises ConfigurationError for an instant that it has not."""

    def __init__(self, observers: Iterable[Observer], duration: float) -> None:
        self._observers: dict[float, list[Observer]] = {}
        for observer in observers:
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

    def observe(self, snapshot: Snapshot) -> None:
        """Shows the snapshot to those who asked for its instant."""
        for observer in self._observers[snapshot.time_s]:
            try:
                observer.observe(snapshot)
            except Exception as error:
                raise RunError(
                    f"observer {type(observer).__name__} failed at {snapshot.time_s:g} s of simulated time: "
                    f"{type(error).__name__}: {error}"
                ) from error
