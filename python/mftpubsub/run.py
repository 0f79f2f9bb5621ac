"""One run: a scenario in, a trace and its metrics out."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from mftpubsub import trace_schema
from mftpubsub._core import code_version, core
from mftpubsub._html import table
from mftpubsub.errors import QueryError
from mftpubsub.observers import At, Observer, Snapshot
from mftpubsub.scenario import Scenario
from mftpubsub.simulation import Cost, Progress, Simulation, TraceFile

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from mftpubsub.plots import Timeline


class Metrics(dict[str, Any]):
    """Metrics by name, units in the names; prints as lines, and in a notebook as a table."""

    def __repr__(self) -> str:
        width = max((len(name) for name in self), default=0)
        return "\n".join(f"{name:<{width}}  {_short(value)}" for name, value in self.items())

    def _repr_html_(self) -> str:
        return table({name: _short(value) for name, value in self.items()})


#: What a notebook shows of a result.
HEADLINES = (
    "delivery_rate",
    "delivery_rate_strict",
    "delay_median_s",
    "delay_p95_s",
    "frames_per_node",
    "migrations",
)


@dataclass(frozen=True, repr=False)
class Result:
    """What a run gave: its trace, and what is computed from it."""

    scenario: Scenario
    trace: Path
    cost: Cost
    _keep: Any = field(default=None, compare=False)
    _snapshots: dict[float, Snapshot] = field(default_factory=dict, compare=False)
    _can_rerun: bool = field(default=True, compare=False)

    @cached_property
    def metrics(self) -> Metrics:
        """The run's metrics (docs/reference/metrics.md) by name; units are in the names."""
        from mftpubsub.pipeline import single

        keys = run_keys(self.scenario)
        cost = {"wall_s": self.cost.wall_s, "cpu_s": self.cost.cpu_s, "events": self.cost.events}
        return Metrics(keys | single.metrics_of(self.trace, keys) | cost)

    def to_pandas(self, table: str | None = None) -> pd.DataFrame:
        """A table of the run: "events", "deliveries", "frames", "migrations" or "nodes", documented in
        docs/reference/results.md; without a name every record of the trace (docs/trace-format.md).

        Raises QueryError for another name.
        """
        from mftpubsub import views
        from mftpubsub.pipeline import single

        return single.read_trace(self.trace) if table is None else views.read(self.trace, table)[0]

    def snapshot(self, time_s: float) -> Snapshot:
        """The network at `time_s`, in s.

        The trace holds no positions: the run is simulated anew up to there, which a run allows, being
        a function of its scenario. What has been asked once is kept. Raises QueryError for a time
        outside the run.
        """
        return self._snapshots_at([time_s])[0]

    @overload
    def plot_network(self, time_s: float, ax: Axes | None = None) -> Axes: ...
    @overload
    def plot_network(self, time_s: Iterable[float], ax: Iterable[Axes] | None = None) -> list[Axes]: ...

    def plot_network(self, time_s: float | Iterable[float], ax: Any = None) -> Axes | list[Axes]:
        """Draws the network at `time_s`, in s: positions, radio links, tree, roles and leaders.

        Several instants give a row of pictures and a list of Axes. `snapshot` says what it costs.
        """
        from mftpubsub.plots import draw_networks

        if isinstance(time_s, Iterable):
            return draw_networks(self._snapshots_at(list(time_s)), None if ax is None else list(ax))
        return self.snapshot(time_s).plot(ax)

    def timeline(self, subscriber: int) -> Timeline:
        """What a subscriber wanted, when it got it, and the migrations that delayed it.

        Raises QueryError for a node that is no subscriber.
        """
        from mftpubsub.plots import Timeline

        return Timeline.of(self.trace, subscriber, self.scenario.duration)

    def _snapshots_at(self, instants: list[float]) -> list[Snapshot]:
        for instant in instants:
            if not 0 <= instant <= self.scenario.duration:
                raise QueryError(f"{instant:g} s lies outside the run, 0 to {self.scenario.duration:g} s")
        if missing := [instant for instant in instants if instant not in self._snapshots]:
            if not self._can_rerun:
                raise QueryError("a run on given nodes cannot be simulated anew: give net.run an observer")
            at = At(missing, lambda snapshot: self._snapshots.__setitem__(snapshot.time_s, snapshot))
            _simulate(self.scenario, lambda block: None, observers=[at], until=max(missing))
        return [self._snapshots[instant] for instant in instants]

    def __repr__(self) -> str:
        return f"Result({_title(self.scenario)}; {self.cost.wall_s:.1f} s wall, {self.cost.events} events)"

    def _repr_html_(self) -> str:
        rows = {name: _short(self.metrics[name]) for name in HEADLINES}
        return table(rows, caption=_title(self.scenario))


def _title(scenario: Scenario) -> str:
    keys = run_keys(scenario)
    return "{protocol}, {config}, {speed_mps:g} m/s, seed {seed}".format(**keys)


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def run_keys(scenario: Scenario) -> dict[str, Any]:
    """What names a run in tables."""
    return {
        "protocol": scenario.protocol,
        "config": scenario.config,
        "speed_mps": scenario.speed,
        "seed": scenario.seed,
    }


def run(
    scenario: Scenario,
    trace: str | Path | None = None,
    progress: Progress | None = None,
    observers: Iterable[Observer] = (),
) -> Result:
    """Runs a scenario to its end.

    `trace` names the trace file to write (gzip); by default it is temporary and goes with the result.
    It appears under its name only when it is complete. `observers`, and those of the scenario, are shown the
    network as it runs (Every, At) and change nothing. Raises RunError if the run or an observer fails.
    """
    with TraceFile(trace) as file:
        cost = _simulate(scenario, file.write, progress, [*scenario.observers, *observers])
        file.complete()
    return Result(scenario, file.path, cost, file.keep)


def run_to_directory(scenario: Scenario, runs: Path) -> Path:
    """Runs a scenario into its folder below `runs`; the folder appears only when it is complete.

    Returns the folder, `protocol=P/config=C/speed=V/seed=N`, with trace.gz and run.json. One that is there
    is replaced if it is incomplete, and kept if it is not.
    """
    folder = runs / run_folder(scenario)
    partial = runs / f".partial-{os.getpid()}-{uuid.uuid4().hex}"
    partial.mkdir(parents=True)
    try:
        result = run(scenario, partial / "trace.gz")
        metadata = json.dumps(describe(result), indent=1) + "\n"
        (partial / "run.json").write_text(metadata, encoding="utf-8")
        folder.parent.mkdir(parents=True, exist_ok=True)
        if not read_metadata(folder):
            shutil.rmtree(folder, ignore_errors=True)
            partial.rename(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return folder


def read_metadata(folder: Path) -> dict[str, Any]:
    """The content of a run's run.json; empty if the run is not complete."""
    try:
        metadata = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        complete = (folder / "trace.gz").stat().st_size == metadata["trace_bytes"]
    except (OSError, ValueError, LookupError, TypeError):
        return {}
    return dict(metadata) if complete else {}


def run_folder(scenario: Scenario) -> Path:
    """Folder of a run, relative to the folder of all runs; Spark reads its parts as columns."""
    return Path(
        f"protocol={scenario.protocol}",
        f"config={scenario.config}",
        f"speed={scenario.speed:g}",
        f"seed={scenario.seed}",
    )


def describe(result: Result) -> dict[str, Any]:
    """The metadata that goes with a trace (run.json)."""
    content = result.trace.read_bytes()
    return {
        **run_keys(result.scenario),
        "fingerprint": result.scenario.fingerprint(),
        "code": code_version(),
        "scenario": result.scenario.model_dump(mode="json"),
        "schema_version": trace_schema.version(),
        "trace_bytes": len(content),
        "trace_sha256": hashlib.sha256(content).hexdigest(),
        "wall_s": result.cost.wall_s,
        "cpu_s": result.cost.cpu_s,
        "events": result.cost.events,
        "versions": {
            "mftpubsub": version("mftpubsub"),
            "ns3": version("ns3"),
            "python": platform.python_version(),
        },
        "git_commit": _git_commit(),
        "machine": _machine(),
        "finished": datetime.now(UTC).isoformat(timespec="milliseconds"),
    }


def _machine() -> str:
    """System, number and kind of processors of this machine."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    processor = models[0] if models else "processor"
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} x {processor}"


def _git_commit() -> str | None:
    """Commit of the source tree that this package runs from, `-dirty` if it has changes; else None."""
    here = Path(__file__).parent
    try:
        told = subprocess.run(
            ["git", "-C", str(here), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return told.stdout.strip()


def _simulate(
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
