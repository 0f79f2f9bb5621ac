"""Parquet to tables: the metrics of each run, and their means over the seeds."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyarrow import compute

from mftpubsub.files import parquet_rows
from mftpubsub.folders import Folder, folder_at
from mftpubsub.metrics.table import query
from mftpubsub.own.naming import NO_IMPORTS
from mftpubsub.pipeline import answers
from mftpubsub.pipeline.integrity import RUNS
from mftpubsub.pipeline.manifest import Manifest, load
from mftpubsub.pipeline.marks import SOURCES
from mftpubsub.pipeline.parts import PARQUET
from mftpubsub.pipeline.rows import Rows
from mftpubsub.policies import Policy
from mftpubsub.scenario.axes import label
from mftpubsub.scenario.part import plain
from mftpubsub.scenario.scenario import Scenario
from mftpubsub.statistics import moments
from mftpubsub.trace.layout import CASE, METADATA, RUN_KEYS, case_of, keys_of, place, text

if TYPE_CHECKING:
    import pandas as pd

    from mftpubsub.pipeline.workers import Workers

#: Values of metrics that are summed up at a time, at most, unless the runs are more.
_VALUES = 2**19
#: In DIR.
_SOURCES = f"{PARQUET}/{SOURCES}"
#: The tables of runs, each with its query.
OF_RUNS = {"runs": "metrics", "frames_by_kind": "frames_by_kind", "losses": "losses", "delays": "delays"}
#: The metric without which a run has no rows in a table.
_ROWS_BY = {"delays": "delay_median_s"}


def make(workers: Workers, folder: Folder | str | Path) -> None:
    """Makes DIR/tables from DIR/parquet, each table as .parquet and .csv.

    `runs`: one row a run (metrics.sql). `frames_by_kind`: run, kind, frames, bytes. `losses`: run, cause,
    pairs. `delays`: run, unit, bin, units (delays.sql). `metrics`: one row for each case and metric, with
    mean, ci95 (half the width), sd and n, the number of seeds that define it. Outside of them, since no two
    sweeps have the same, DIR/costs: what each run took, and what made it.
    """
    folder = folder_at(folder)
    folder.remove(_SOURCES)
    held = load(folder)
    made_of = _sources(held)
    told = told_of(held)
    scenarios = scenario_in(folder)
    arranged = partial(on_axes, told=told, scenario_of=scenarios)
    with tempfile.TemporaryDirectory(prefix="mftpubsub-") as scratch:
        for name, rows in _of_runs(workers, folder, held, Path(scratch)).items():
            with ExitStack() as opened:
                add = opened.enter_context(_written(folder, f"tables/{name}"))
                if name == "runs":
                    add_means = opened.enter_context(_written(folder, "tables/metrics"))
                for frame in rows.frames(arranged):
                    frame = without_unknown(name, frame, held)
                    if name == "runs":
                        add_means(summary(frame))
                    add(frame)
    with _written(folder, "costs") as add:
        add(arranged(costs(held)))
    folder.write(_SOURCES, json.dumps(made_of | _made(folder), indent=1).encode())


def are_of(folder: Folder | str | Path) -> bool:
    """Whether the tables are what `make` would make now, and nobody has changed them since."""
    folder = folder_at(folder)
    try:
        told = json.loads(folder.read(_SOURCES))
    except (FileNotFoundError, ValueError):
        return False
    return bool(told) and told == _sources(load(folder)) | _made(folder)


@contextmanager
def _written(folder: Folder, name: str) -> Iterator[Callable[[pd.DataFrame], None]]:
    """Writes a table as `name`.csv and `name`.parquet, which is given some rows at a time."""
    with tempfile.TemporaryDirectory(prefix="mftpubsub-") as scratch:
        paths = {suffix: Path(scratch, suffix) for suffix in (".csv", ".parquet")}
        with (
            paths[".csv"].open("w", encoding="utf-8", newline="") as csv,
            parquet_rows(paths[".parquet"]) as add_rows,
        ):

            def add(frame: pd.DataFrame) -> None:
                frame.to_csv(csv, index=False, header=csv.tell() == 0)
                add_rows(frame)

            yield add
        for suffix, path in paths.items():
            folder.upload(path, f"{name}{suffix}")


def _made(folder: Folder) -> dict[str, str]:
    """SHA-256 (hex) of each file that `make` makes; nothing of one that is gone."""
    tables = (*(f"tables/{name}" for name in (*OF_RUNS, "metrics")), "costs")
    found = {}
    for name in (f"{table}{suffix}" for table in tables for suffix in (".csv", ".parquet")):
        with suppress(FileNotFoundError):
            found[name] = folder.digest(name)
    return found


def _sources(held: Manifest) -> dict[str, str]:
    """SHA-256 (hex) of all that the tables are made of."""
    parts = {
        name: hashlib.sha256(query(name).encode()).hexdigest() for name in ("measured", *OF_RUNS.values())
    }
    unknown = {"rows_by": json.dumps(_ROWS_BY)} if len(_with_unknown(held)) else {}
    return {"runs": held.content()} | parts | unknown


def summary(runs: pd.DataFrame) -> pd.DataFrame:
    """The tidy table: mean, 95 % confidence interval, sd and n of every metric of every case.

    A metric that a run leaves undefined does not count in its n; with n < 2 there is no interval.
    """
    import pandas as pd

    keys, case = [*keys_of(runs)], [*case_of(runs), "metric"]
    metrics = [name for name in runs if name not in keys]
    # Some at a time: a row for each run and metric, of which all would be large.
    some = max(1, _VALUES // max(1, len(runs)))
    found = pd.concat(
        moments(
            runs[[*keys, *metrics[first : first + some]]]
            .melt(keys, var_name="metric")
            .astype({"value": "float64"}),
            "value",
            case,
        )
        for first in range(0, len(metrics), some)
    )
    if len(metrics) > some:
        found = found.sort_index()
    types = {"mean": "Float64", "ci95": "Float64", "sd": "Float64", "n": "Int64"}
    return found.reset_index().astype(types)


def costs(held: Manifest) -> pd.DataFrame:
    """One row a run, of its run.json: times (s), simulator events, trace size (B), and what made it."""
    import pandas as pd

    found: pd.DataFrame = held.runs.select([*RUN_KEYS, *_COSTS, "versions"]).to_pandas()
    found["config"] = held.places().to_pandas()
    return found.sort_values([*RUN_KEYS]).assign(**{name: pd.to_numeric(found[name]) for name in _NUMBERS})


def told_of(held: Manifest) -> list[dict[str, Any]]:
    """What the last run of each protocol and configuration, with its axes, says: those of all its runs."""
    parts = held.runs.column("protocol").combine_chunks(), held.places()
    places = compute.binary_join_element_wise(*parts, "/").dictionary_encode()
    rows = np.zeros(len(places.dictionary), np.int64)
    rows[places.indices.to_numpy()] = np.arange(len(places))
    columns = ["name", "protocol", "config", "is_foreign", "axes"]
    told: list[dict[str, Any]] = held.runs.select(columns).take(rows).to_pylist()
    return [run | {"axes": json.loads(run["axes"])} for run in told]


def on_axes(
    table: pd.DataFrame,
    told: list[dict[str, Any]],
    scenario_of: Callable[[dict[str, Any]], Any] | None = None,
) -> pd.DataFrame:
    """A table of runs with columns for their axes, of which `told`, what each run.json says, tells.

    Before, the name of the configuration has the axes' values in it, as the run's folder. Of two protocols it
    may stand for two networks: a script's may be called as one of ours. A run that is not
    on an axis of others has there what its scenario says, which `scenario_of` reads if it is not told.
    Of two that are then the same, one is kept.
    """
    import pandas as pd

    axes = list(dict.fromkeys(axis for run in told for axis in run.get("axes", {})))
    if not axes:
        return table
    by_place = {(run["protocol"], place(run["config"], run.get("axes", {}))): run for run in told}
    rows = [
        [*key, run["config"], *(_at(run, axis, scenario_of) for axis in axes)]
        for key, run in by_place.items()
    ]
    named = pd.DataFrame(rows, columns=["protocol", "place", "config", *axes], dtype=object)
    for axis in axes:
        if all(isinstance(value, int | float) and not isinstance(value, bool) for value in named[axis]):
            named[axis] = pd.to_numeric(named[axis])
        else:
            named[axis] = named[axis].map(lambda value: value if value != value else text(value))
    found = table.rename(columns={"config": "place"}).merge(named, on=["protocol", "place"])
    keys = [*CASE, *axes, "seed"]
    first = found.groupby(keys, dropna=False)["place"].transform("first")
    found = found[found["place"] == first].drop(columns="place")
    rest = [name for name in found if name not in keys]
    return found[[*keys, *rest]].sort_values(keys, kind="stable", ignore_index=True)


def without_unknown(name: str, table: pd.DataFrame, held: Manifest) -> pd.DataFrame:
    """A table of OF_RUNS without what cannot be known of runs that another program made (`unknown`)."""
    import pandas as pd

    told = _with_unknown(held)
    if not len(told):
        return table
    table = table.copy()
    names = pd.MultiIndex.from_frame(table[[*RUN_KEYS]])
    is_known = np.ones(len(table), bool)
    for unknown in told.column("unknown").unique().to_pylist():
        some = told.filter(compute.equal(told.column("unknown"), unknown)).select([*RUN_KEYS])
        is_of_some = names.isin([*zip(*(column.to_pylist() for column in some.columns), strict=True)])
        if name == "runs":
            table.loc[is_of_some, json.loads(unknown)] = None
        elif _ROWS_BY.get(name) in json.loads(unknown):
            is_known &= ~is_of_some
    return table[is_known]


def _with_unknown(held: Manifest) -> pa.Table:
    """The runs of which something is unknown."""
    told = held.runs.select([*RUN_KEYS, "unknown"])
    return told.filter(compute.not_equal(told.column("unknown"), "[]"))


def _at(run: dict[str, Any], axis: str, scenario_of: Callable[[dict[str, Any]], Any] | None) -> Any:
    """Where a run lies on an axis; NaN of one that another program made, if that says nothing of it."""
    if axis in run.get("axes", {}):
        return run["axes"][axis]
    if run.get("is_foreign"):
        return nan
    scenario = scenario_of(run) if scenario_of else run["scenario"]
    value: Any = Scenario.model_validate(scenario, context=NO_IMPORTS)
    for part in axis.split("."):
        value = getattr(value, part, None)
    return label(value if isinstance(value, Policy) else plain(value))


def scenario_in(folder: Folder) -> Callable[[dict[str, Any]], Any]:
    """Reads what a run's run.json says of its scenario: of the few runs that are not on an axis of others."""
    return lambda run: json.loads(folder.read(f"{RUNS}/{run['name']}/{METADATA}"))["scenario"]


#: `finished` is the instant (UTC) at which a run was complete.
_COSTS = ("wall_s", "cpu_s", "events", "trace_bytes", "finished", "git_commit", "machine")
#: Of these: unknown of a run that another program made.
_NUMBERS = ("wall_s", "cpu_s", "events")


def _of_runs(workers: Workers, folder: Folder, held: Manifest, scratch: Path) -> dict[str, Rows]:
    """The tables that OF_RUNS make. A run is in one share, which has its rows in the order of the query."""
    import pandas as pd

    types = {pa.float64(): pd.Float64Dtype(), pa.int32(): pd.Int64Dtype(), pa.int64(): pd.Int64Dtype()}
    found = {}
    for name in OF_RUNS:
        (scratch / name).mkdir()
        found[name] = Rows(scratch / name, partial(pa.Table.to_pandas, types_mapper=types.get))
    work = partial(answers.answer, folder, [*map(query, OF_RUNS.values())])
    for share in workers.map(work, answers.shares(held, workers.cores)):
        for rows, table in zip(found.values(), share, strict=True):
            rows.add(table)
    return found
