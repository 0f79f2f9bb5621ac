"""Parquet to tables: the metrics of each run, and their means over the seeds."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mftpubsub.files import read_json, write_json, write_table
from mftpubsub.metrics.table import query
from mftpubsub.own.naming import NO_IMPORTS
from mftpubsub.pipeline import records
from mftpubsub.pipeline.marks import SOURCES
from mftpubsub.pipeline.stored import LEDGER, held, in_tasks
from mftpubsub.policies import Policy
from mftpubsub.scenario.axes import label
from mftpubsub.scenario.part import plain
from mftpubsub.scenario.scenario import Scenario
from mftpubsub.statistics import moments
from mftpubsub.trace.layout import CASE, RUN_KEYS, case_of, is_foreign, keys_of, place, read_metadata

if TYPE_CHECKING:
    import pandas as pd

    from mftpubsub.pipeline.workers import Workers

#: By the name of the table.
_QUERIES = {"runs": "metrics", "frames_by_kind": "frames_by_kind", "losses": "losses", "delays": "delays"}


def make(workers: Workers, folder: Path) -> None:
    """Makes DIR/tables from DIR/parquet, each table as .parquet and .csv.

    `runs`: one row a run (metrics.sql). `frames_by_kind`: run, kind, frames, bytes. `losses`: run, cause,
    pairs. `delays`: run, unit, bin, units (delays.sql). `metrics`: one row for each case and metric, with
    mean, ci95 (half the width), sd and n, the number of seeds that define it. Outside of them, since no two
    sweeps have the same, DIR/costs: what each run took, and what made it.
    """
    sources = folder / "parquet" / SOURCES
    sources.unlink(missing_ok=True)
    made_of = _sources(folder)
    tables = folder / "tables"
    told = [read_metadata(folder / "runs" / name) for name in held(folder)]
    of_runs = {name: on_axes(table, told) for name, table in _of_runs(workers, folder).items()}
    of_runs["runs"] = without_unknown(of_runs["runs"], told)
    for name, table in of_runs.items():
        write_table(table, tables / name)
    write_table(on_axes(costs(told), told), folder / "costs")
    write_table(summary(of_runs["runs"]), tables / "metrics")
    write_json(sources, made_of | _made(folder))


def are_of(folder: Path) -> bool:
    """Whether the tables are what `make` would make now, and nobody has changed them since."""
    told = read_json(folder / "parquet" / SOURCES)
    return bool(told) and told == _sources(folder) | _made(folder)


def _made(folder: Path) -> dict[str, str]:
    """SHA-256 (hex) of each file that `make` makes; nothing of one that is gone."""
    tables = (*(Path("tables", name) for name in (*_QUERIES, "metrics")), Path("costs"))
    names = [table.with_suffix(suffix) for table in tables for suffix in (".csv", ".parquet")]
    there = [name for name in names if (folder / name).is_file()]
    return {str(name): hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in there}


def _sources(folder: Path) -> dict[str, str]:
    """SHA-256 (hex) of all that the tables are made of."""
    parts = {"runs": (folder / "parquet" / LEDGER).read_bytes()}
    parts |= {name: query(name).encode() for name in _QUERIES.values()}
    return {name: hashlib.sha256(part).hexdigest() for name, part in parts.items()}


def summary(runs: pd.DataFrame) -> pd.DataFrame:
    """The tidy table: mean, 95 % confidence interval, sd and n of every metric of every case.

    A metric that a run leaves undefined does not count in its n; with n < 2 there is no interval.
    """
    long = runs.melt([*keys_of(runs)], var_name="metric").astype({"value": "float64"})
    found = moments(long, "value", [*case_of(runs), "metric"]).reset_index()
    return found.astype({"mean": "Float64", "ci95": "Float64", "sd": "Float64", "n": "Int64"})


def costs(told: list[dict[str, Any]]) -> pd.DataFrame:
    """One row a run, from its run.json: times (s), simulator events, trace size (B), and what made it."""
    import pandas as pd

    rows = []
    for run in told:
        versions = ", ".join(f"{part} {number}" for part, number in run["versions"].items())
        own = {key: run.get(key) for key in (*RUN_KEYS, *_COSTS)}
        rows.append(own | {"config": place(run["config"], run.get("axes", {})), "versions": versions})
    found = pd.DataFrame(rows).sort_values([*RUN_KEYS])
    return found.assign(**{name: pd.to_numeric(found[name]) for name in _NUMBERS})


def on_axes(table: pd.DataFrame, told: list[dict[str, Any]]) -> pd.DataFrame:
    """A table of runs with columns for their axes, of which `told`, what each run.json says, tells.

    Before, the name of the configuration has the axes' values in it, as the run's folder. A run that is not
    on an axis of others has there what its scenario says; of two that are then the same, one is kept.
    """
    import pandas as pd

    axes = list(dict.fromkeys(axis for run in told for axis in run.get("axes", {})))
    if not axes:
        return table
    by_place = {place(run["config"], run.get("axes", {})): run for run in told}
    rows = [[name, run["config"], *(_at(run, axis) for axis in axes)] for name, run in by_place.items()]
    named = pd.DataFrame(rows, columns=["place", "config", *axes])
    for axis in axes:
        if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in named[axis]):
            named[axis] = named[axis].map(str)
    found = table.rename(columns={"config": "place"}).merge(named, on="place")
    keys = [*CASE, *axes, "seed"]
    found = found[found["place"] == found.groupby(keys)["place"].transform("first")].drop(columns="place")
    rest = [name for name in found if name not in keys]
    return found[[*keys, *rest]].sort_values(keys, kind="stable", ignore_index=True)


def without_unknown(runs: pd.DataFrame, told: list[dict[str, Any]]) -> pd.DataFrame:
    """The table of runs without what cannot be known of runs that another program made (`unknown`)."""
    import numpy as np

    runs = runs.copy()
    for run in told:
        if metrics := run.get("unknown"):
            of_run = [runs[key] == run[key] for key in RUN_KEYS]
            runs.loc[np.logical_and.reduce(of_run), metrics] = None
    return runs


def _at(run: Mapping[str, Any], axis: str) -> Any:
    """Where a run lies on an axis; None of one that another program made, if that says nothing of it."""
    if axis in run.get("axes", {}):
        return run["axes"][axis]
    if is_foreign(run):
        return None
    value: Any = Scenario.model_validate(run["scenario"], context=NO_IMPORTS)
    for part in axis.split("."):
        value = getattr(value, part, None)
    return label(value if isinstance(value, Policy) else plain(value))


#: `finished` is the instant (UTC) at which a run was complete.
_COSTS = ("wall_s", "cpu_s", "events", "trace_bytes", "finished", "git_commit", "machine")
#: Of these: unknown of a run that another program made.
_NUMBERS = ("wall_s", "cpu_s", "events")


def _of_runs(workers: Workers, folder: Path) -> dict[str, pd.DataFrame]:
    """The tables that _QUERIES make. A run is in one share, which has its rows in the order of the query."""
    import pandas as pd
    import pyarrow as pa

    types = {pa.float64(): pd.Float64Dtype(), pa.int32(): pd.Int64Dtype(), pa.int64(): pd.Int64Dtype()}
    work = partial(records.answer, (folder / "parquet").resolve(), [*map(query, _QUERIES.values())])
    shares = in_tasks(workers, work, [*held(folder)])
    tables = map(pa.concat_tables, zip(*shares, strict=True))
    return {
        name: table.to_pandas(types_mapper=types.get).sort_values([*RUN_KEYS], kind="stable")
        for name, table in zip(_QUERIES, tables, strict=True)
    }
