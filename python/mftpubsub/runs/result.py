"""What a run gave, and what is computed of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mftpubsub.errors import QueryError, no_such
from mftpubsub.html import table
from mftpubsub.labels import leading
from mftpubsub.runs.simulation import Cost, simulate
from mftpubsub.scenario.left_out import left_out
from mftpubsub.scenario.observers import At
from mftpubsub.scenario.scenario import Scenario
from mftpubsub.simulator.snapshot import Snapshot
from mftpubsub.trace.file import temporary
from mftpubsub.trace.layout import all_digits, place, run_keys

if TYPE_CHECKING:
    import pandas as pd


class Metrics(dict[str, Any]):
    """Metrics by name, units in the names; prints as lines, and in a notebook as a table."""

    def __missing__(self, name: str) -> Any:
        raise KeyError(no_such("metric", name, self))

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
    rerun_obstacle: str = field(default="", compare=False)
    """Why the run cannot be simulated anew; empty if it can."""

    def __getstate__(self) -> dict[str, Any]:
        """For a copy, or another process: with the content of a temporary trace, which ends with this one."""
        held = dict(vars(self))
        return held if self._keep is None else held | {"_keep": self.trace.read_bytes()}

    def __setstate__(self, held: dict[str, Any]) -> None:
        if held["_keep"] is not None:
            folder, trace = temporary()
            trace.write_bytes(held["_keep"])
            held = held | {"_keep": folder, "trace": trace}
        vars(self).update(held)

    @cached_property
    def metrics(self) -> Metrics:
        """The run's metrics (docs/reference/metrics.md) by name; units are in the names."""
        from mftpubsub.trace import sql

        keys = run_keys(self.scenario)
        cost = {"wall_s": self.cost.wall_s, "cpu_s": self.cost.cpu_s, "events": self.cost.events}
        return Metrics(keys | sql.metrics_of(self.trace, keys) | cost)

    @property
    def notes(self) -> list[str]:
        """What to know before one reads it: recorded events that were left out, how many of how many."""
        return left_out(self.scenario)

    def to_pandas(self, table: str | None = None) -> pd.DataFrame:
        """A table of the run: "events", "deliveries", "frames", "migrations" or "nodes", documented in
        docs/reference/results.md; without a name every record of the trace (docs/trace-format.md).
        They have a `warm_up`, too, which `metrics` leave out.

        Raises QueryError for another name.
        """
        from mftpubsub.runs import run_tables
        from mftpubsub.trace import sql

        return sql.read_trace(self.trace) if table is None else run_tables.read(self.trace, table)[0]

    def snapshot(self, time_s: float) -> Snapshot:
        """The network at `time_s`, in s.

        The trace holds no positions: the run is simulated anew up to there, which a run allows, being
        a function of its scenario. What has been asked once is kept. Raises QueryError for a time
        outside the run.
        """
        return self.snapshots([time_s])[0]

    def snapshots(self, instants: Sequence[float]) -> list[Snapshot]:
        """The network at several instants, from one simulation; as `snapshot`."""
        if not instants:
            raise QueryError("no instant was given: name one or several, in s, as in [10, 20]")
        for instant in instants:
            check_instant(instant)
            if not 0 <= instant <= self.scenario.duration:
                raise QueryError(f"{instant:g} s lies outside the run, 0 to {self.scenario.duration:g} s")
        if missing := [instant for instant in instants if instant not in self._snapshots]:
            if self.rerun_obstacle:
                raise QueryError(f"the run cannot be simulated anew, for snapshots: {self.rerun_obstacle}")
            at = At(missing, lambda snapshot: self._snapshots.__setitem__(snapshot.time_s, snapshot))
            simulate(self.scenario, lambda block: None, observers=[at], until=max(missing))
        return [self._snapshots[instant] for instant in instants]

    def __repr__(self) -> str:
        told = [f"{self.cost.wall_s:.1f} s wall, {self.cost.events} events", *self.notes]
        return f"Result({'; '.join([title(self.scenario), *told])})"

    def _repr_html_(self) -> str:
        rows = {
            name: _short(self.metrics[name]) for name in leading(HEADLINES, [str(self.scenario.protocol)])
        }
        return table(rows, caption="; ".join([title(self.scenario), *self.notes]))


def title(scenario: Scenario) -> str:
    """What names a run, for people."""
    where = place(scenario.config, scenario.axes)
    return f"{scenario.protocol}, {where}, {all_digits(scenario.speed)} m/s, seed {scenario.seed}"


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def check_instant(time_s: object) -> None:
    """Raises QueryError for what is no number of s."""
    if not isinstance(time_s, Real) or isinstance(time_s, bool):
        raise QueryError(f"{time_s!r} is no instant, which is a number of s")
