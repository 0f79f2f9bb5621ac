"""What stands between Python and a running simulation: its trace, its clock, its observers, its failures."""

from __future__ import annotations

import ctypes
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from isal import igzip

from mftpubsub import observers as observation
from mftpubsub._core import core
from mftpubsub.errors import RunError
from mftpubsub.observers import Agenda, Observer
from mftpubsub.policies import Hooks
from mftpubsub.scenario import Scenario
from mftpubsub.translate import to_cpp

#: Called with the simulated time in s now and then.
Progress = Callable[[float], None]

#: Of 0 to 3: an eighth of the time that zlib takes at its level 4, 9 % more bytes.
COMPRESSION_LEVEL = 1


@dataclass(frozen=True)
class Cost:
    """What a run cost: wall-clock and CPU time in s, simulator events."""

    wall_s: float
    cpu_s: float
    events: int


class Simulation:
    """One simulation, and the Python code that it calls.

    No exception may cross the simulator: `guard` keeps the first one, no more code is called, the simulation
    stops, and `drive` raises what was kept.
    """

    def __init__(self, scenario: Scenario, write: Callable[[bytes], object]) -> None:
        """`write` takes the trace."""
        #: The scenario in C++.
        self.spec = to_cpp(scenario)
        #: What C++ hands the trace to. Kept here, as C++ keeps no Python function alive.
        self.sink: Callable[[int, int], None] = self._sink
        self._scenario = scenario
        self._write = write
        self._failure: BaseException | None = None
        self._hooks = Hooks(self._fail)
        self._hooks.install(scenario, self.spec.policies)

    def guard(self, step: Callable[[], object]) -> bool:
        """Calls `step`, and says whether all has gone well so far."""
        if self._failure is None:
            try:
                step()
            except BaseException as error:
                self._fail(error)
        return self._failure is None

    def drive(
        self, start: Callable[..., Any], progress: Progress | None, observers: Iterable[Observer]
    ) -> Cost:
        """Runs by `start`, a function of C++. Raises RunError if that fails."""
        agenda = Agenda(observers, self._scenario.duration)

        def tick(seconds: float) -> bool:
            return self.guard(lambda: progress(seconds) if progress else None)

        def observe(snapshot: Any) -> bool:
            return self.guard(lambda: agenda.observe(observation.from_cpp(self.spec, snapshot)))

        try:
            cost = start(tick, agenda.instants, observe)
        except Exception as error:
            if self._failure is None:
                name = f"{self._scenario.protocol} {self._scenario.config}"
                raise RunError(f"{name}: {what(error)}") from error
        if self._failure is not None:
            raise self._failure
        return Cost(cost.wallSeconds, cost.cpuSeconds, int(cost.events))

    def _fail(self, error: BaseException) -> None:
        self._failure = self._failure or error

    def _sink(self, address: int, size: int) -> None:
        self.guard(lambda: self._write(ctypes.string_at(address, size)))


def simulate(
    scenario: Scenario,
    write: Callable[[bytes], object],
    progress: Progress | None = None,
    observers: Iterable[Observer] = (),
    until: float | None = None,
) -> Cost:
    """Runs a scenario, to its end or past `until` (s), and hands its trace to `write`."""
    simulation = Simulation(scenario, write)
    spec = simulation.spec
    if until is not None:  # a little longer: a run does not simulate the instant at which it ends
        spec.durationSeconds = min(spec.durationSeconds, until + 1e-6)
    return simulation.drive(partial(core().RunScenario, spec, simulation.sink), progress, observers)


class TraceFile:
    """A trace being written (gzip): it appears under its name when it is complete, else it leaves nothing.

    Without a path it is temporary and lives as long as `keep`. Raises RunError if it cannot be written.
    """

    def __init__(self, path: str | Path | None) -> None:
        self.keep = None
        if path is None:
            self.keep = tempfile.TemporaryDirectory(prefix="mftpubsub-")
            path = Path(self.keep.name) / "trace.gz"
        self.path = Path(path)
        self._partial = self.path.with_name(f".{self.path.name}.{uuid.uuid4().hex}.partial")
        with self._writing():
            self._file = self._partial.open("wb")
        self._gzip = igzip.IGzipFile(
            filename="", mode="wb", compresslevel=COMPRESSION_LEVEL, fileobj=self._file, mtime=0
        )

    def __enter__(self) -> TraceFile:
        return self

    def __exit__(self, *error: object) -> None:
        self._partial.unlink(missing_ok=True)
        with suppress(OSError):  # of a full disk: `write` or `complete` has told of it
            self._close()

    def write(self, block: bytes) -> None:
        with self._writing():
            self._gzip.write(block)

    def complete(self) -> None:
        """Gives the file its name."""
        with self._writing():
            self._close()
            self._partial.replace(self.path)

    def _close(self) -> None:
        try:
            self._gzip.close()
        finally:
            self._file.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise RunError(f"{self.path} cannot be written: {error.strerror or error}") from error


def what(error: Exception) -> str:
    """The C++ exception's own words."""
    told = getattr(error, "what", None)
    return str(told()) if callable(told) else str(error)
