"""G's evaluation as a study: its cells, run here in parallel, and their tables, made by Spark.

A folder has `runs/` (one JSON file a run) and `tables/`. Its runs are all by the same code, and those of a
group all of one study: others are refused, by what differs, before anything runs. `tables/sources.csv` says
by which sources they were made.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import Field

from mftpubsub.errors import ConfigurationError, DiskFullError, MftPubsubError, no_such
from mftpubsub.files import locked, write_parquet, write_text, written
from mftpubsub.labels import ORDERS
from mftpubsub.notes import tell
from mftpubsub.scenario.common import Name
from mftpubsub.scenario.part import Model, checked
from mftpubsub.scenario.reading import read_yaml
from mftpubsub.simulator.laboratory import handoff_schemes
from mftpubsub.simulator.worlds import source_hash
from mftpubsub.sources.gaddah.printed import SCHEMES, SUBSCRIBERS, implied_rate
from mftpubsub.statistics import half_width
from mftpubsub.studies.kept import orders
from mftpubsub.sweeps.place import runs_in
from mftpubsub.sweeps.processes import run_here
from mftpubsub.sweeps.sweep import differences, mixed
from mftpubsub.worlds.handoff.scenario import Costs, HandoffScenario, Mobility

#: In DIR/tables.
CELLS, SOURCES = "cells.parquet", "sources.csv"
#: Of a cell: the group, and what its runs may differ in.
KEYS = (
    "group",
    "scheme",
    "mobility",
    "subscribers",
    "buffer_events",
    "rate",
    "mean_connected",
    "transfer_time",
)
#: Of a scenario: all that two runs of a cell have in common.
_SETTINGS = tuple(name for name in HandoffScenario.model_fields if name != "seed")
#: What the closed loop's costs are of: a run's metric by the name of its cost.
WORK = {
    "delivered": "delivered_per_event",
    "stored": "stored_per_event",
    "control": "control_per_event",
    "transferred": "transferred_per_event",
}
_FITTED_BUFFER = 128


class Group(Model):
    """Cells that vary in everything that is a list."""

    schemes: list[str] | Literal["all"] = Field(
        min_length=1, description="names of schemes, or all there are"
    )
    mobility: list[Mobility] = Field(min_length=1, description="random, neighbouring")
    subscribers: list[int] = Field(min_length=1, description="numbers of subscribers")
    buffer_events: list[int] = Field(min_length=1, description="events that one buffer holds")
    rates: Literal["implied", "closed"] | Annotated[list[float], Field(min_length=1)] = Field(
        description="events/s, or what G's tables imply, or as fast as the brokers let"
    )
    seeds: dict[int, int] | int = Field(description="how many; by number of subscribers, or for all")
    mean_connected: Annotated[list[float], Field(min_length=1)] | float = Field(
        default=60.0, description="T_beta, s"
    )
    transfer_time: float = Field(default=0.03, ge=0, description="per event that a broker hands over, s")
    home: bool = Field(default=False, description="reactive: a subscriber's first broker stores for it")
    filters_in_reconnect: bool = Field(
        default=False, description="reactive: subscribers have their filters with them"
    )
    set: dict[str, Any] = Field(
        default_factory=dict, description="other values of a scenario by key, such as window"
    )

    def scenarios(self, costs: Costs | None) -> Iterator[HandoffScenario]:
        """Every run; of a closed loop only if the costs are known."""
        stays = self.mean_connected if isinstance(self.mean_connected, list) else [self.mean_connected]
        for scheme, mobility, subscribers, buffer_events, mean_connected in product(
            handoff_schemes() if self.schemes == "all" else self.schemes,
            self.mobility,
            self.subscribers,
            self.buffer_events,
            stays,
        ):
            count = self.seeds if isinstance(self.seeds, int) else self.seeds[subscribers]
            rates: list[float | None]
            if self.rates == "implied":
                rates = [implied_rate(scheme, mobility, subscribers)]
            elif self.rates == "closed":
                rates = [None] if costs else []
            else:
                rates = list(self.rates)
            for rate, seed in product(rates, range(1, count + 1)):
                yield HandoffScenario(
                    scheme=scheme,
                    mobility=mobility,
                    subscribers=subscribers,
                    buffer_events=buffer_events,
                    rate=rate,
                    costs=costs if rate is None and costs else Costs(),
                    seed=seed,
                    mean_connected=mean_connected,
                    transfer_time=self.transfer_time,
                    home=self.home,
                    filters_in_reconnect=self.filters_in_reconnect,
                    **self.set,
                )


class HandoffStudy(Model):
    """A file for `mftpubsub handoff sweep`."""

    groups: dict[Name, Group] = Field(min_length=1, description="groups of cells by name")


def load(path: Path) -> HandoffStudy:
    """Reads a study. Raises ConfigurationError that names the file, the key and what would be right."""
    content, where, _ = read_yaml(path)
    study = checked(HandoffStudy, content, where)
    for name, group in study.groups.items():
        _check(group, f"{where}: groups.{name}")
    return study


def _check(group: Group, where: str) -> None:
    """Raises ConfigurationError for cells that cannot run."""
    if isinstance(group.seeds, dict) and (missing := set(group.subscribers) - set(group.seeds)):
        raise ConfigurationError(f"{where}.seeds: how many for {min(missing)} subscribers?")
    counts = group.seeds.values() if isinstance(group.seeds, dict) else [group.seeds]
    if min(counts) < 1:
        raise ConfigurationError(f"{where}.seeds: at least 1 (given: {min(counts)})")
    known = SCHEMES if group.rates == "implied" else handoff_schemes()
    if group.schemes != "all" and (unknown := [name for name in group.schemes if name not in known]):
        implied = "; of others G implies no rates" if group.rates == "implied" else ""
        raise ConfigurationError(f"{where}.schemes: {no_such('scheme', unknown[0], known)}{implied}")
    if group.schemes == "all" and group.rates == "implied":
        raise ConfigurationError(f"{where}.rates: G implies rates of {', '.join(SCHEMES)} only: list them")
    if (group.home or group.filters_in_reconnect) and group.schemes != ["reactive"]:
        option = "home" if group.home else "filters_in_reconnect"
        raise ConfigurationError(f"{where}.{option}: an option of the reactive scheme alone")
    own = {*Group.model_fields, "scheme", "rate", "seed", "costs"}
    if taken := sorted(own & {*group.set}):
        raise ConfigurationError(f"{where}.set.{taken[0]}: a group says this by a key of its own")
    try:
        [*group.scenarios(Costs(event=1))]
    except ConfigurationError as error:
        raise ConfigurationError(f"{where}: {str(error).removeprefix('HandoffScenario: ')}") from None


@dataclass(frozen=True)
class Case:
    """One run of a study."""

    group: str
    scenario: HandoffScenario

    def fingerprint(self) -> str:
        """Of everything that a run depends on but the sources: defaults too, which may change."""
        text = json.dumps([self.group, self.scenario.model_dump()], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def path(self, runs: Path) -> Path:
        """Its file."""
        return runs / f"{self.fingerprint()}.json"


def sweep(
    study: HandoffStudy, folder: Path, workers: int | None = None, seeds: int | None = None
) -> list[str]:
    """Runs what is not in `folder` yet: first given rates, then closed loops.

    `seeds`: of each cell only so many, the first ones. Returns what failed, and why. Raises MftPubsubError if
    `folder` cannot be made, or holds runs of other code or settings, or of another kind of study.
    """
    runs = runs_in(folder, "hand-offs")
    with locked(folder / ".sweep", "sweep"):
        failures = _run_missing(study, runs, None, workers, seeds)
        if not failures and any(group.rates == "closed" for group in study.groups.values()):
            costs = fit_costs(runs)
            (folder / "tables").mkdir(exist_ok=True)
            pd.DataFrame([costs.model_dump()]).to_csv(folder / "tables" / "costs.csv", index=False)
            failures = _run_missing(study, runs, costs, workers, seeds)
    return failures


def _run_missing(
    study: HandoffStudy, runs: Path, costs: Costs | None, workers: int | None, seeds: int | None
) -> list[str]:
    """One seed of every cell after the other, so that what is there at any time is of all cells."""
    cases = {name: [*group.scenarios(costs)] for name, group in study.groups.items()}
    _refuse_mixing(study, cases, runs)
    asked = (Case(name, scenario) for name, scenarios in cases.items() for scenario in scenarios)
    once_each = {case.path(runs): case for case in asked if seeds is None or case.scenario.seed <= seeds}
    missing = [case for path, case in once_each.items() if not path.exists()]
    missing.sort(key=lambda case: case.scenario.seed)
    failures = []
    with closing(run_here(missing, runs, workers or len(os.sched_getaffinity(0)), run_case)) as outcomes:
        for number, outcome in enumerate(outcomes, 1):
            if outcome.is_disk_full:
                raise DiskFullError(f"{outcome.failure}; make room, and the same command goes on")
            if outcome.failure is not None:
                case = missing[outcome.case]
                failures.append(f"{case.group} {case.scenario.scheme}: {outcome.failure}")
                print(f"failed: {failures[-1]}", file=sys.stderr)
            if number % 20 == 0 or number == len(missing):
                tell(f"{number} of {len(missing)} runs")
    return failures


def _refuse_mixing(study: HandoffStudy, cases: Mapping[str, Sequence[HandoffScenario]], runs: Path) -> None:
    """Raises MftPubsubError for a run by other code, or one of a group of `study` that is none of its cells.

    Seeds may be more or fewer than the study has. What closed loops cost is known after all others have run.
    """
    wanted = {name: _distinct(scenarios) for name, scenarios in cases.items()}
    for path, row in _read(runs):
        if row["source"] != source_hash():
            raise mixed(
                runs, path.relative_to(runs), f"by other code ({row['source']}; this is {source_hash()})"
            )
        settings = {name: row.get(name) for name in _SETTINGS}
        cells = wanted.get(row["group"])
        if cells is None or settings in cells or (not cells and study.groups[row["group"]].rates == "closed"):
            continue
        other = min((differences(settings, cell) for cell in cells), key=len)
        raise mixed(runs, path.relative_to(runs), f"with other settings ({'; '.join(other)})")


def _distinct(scenarios: Iterable[HandoffScenario]) -> list[dict[str, Any]]:
    """The settings of cells."""
    dumped = (scenario.model_dump(mode="json") for scenario in scenarios)
    return [*{json.dumps(each): each for each in ({n: s[n] for n in _SETTINGS} for s in dumped)}.values()]


def _read(runs: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """All runs of a folder. Raises MftPubsubError for a file that is none."""
    for path in sorted(runs.glob("*.json")):
        try:
            row = json.loads(path.read_text(encoding="utf-8"))
            row["group"], row["source"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise MftPubsubError(f"{path} is no run of this study ({error!r}): delete it") from None
        yield path, row


def run_case(case: Case, runs: Path, _fingerprint: str) -> None:
    """Runs a case into its file, which appears when it is complete."""
    from mftpubsub.worlds.handoff.world import run

    scenario = case.scenario
    row = {"group": case.group, "source": source_hash(), **scenario.model_dump(mode="json"), **run(scenario)}
    write_text(case.path(runs), json.dumps(row))


def fit_costs(runs: Path) -> Costs:
    """Work per event, copy, stored copy, message and transferred event that explains G's rates best.

    Non-negative least squares over the 18 cells of G's tables: 1000 / rate (ms) by what one event makes in a
    run at that rate, with buffers of 128 events and the first seed: more seeds later change no closed loop.
    """
    import numpy as np
    from scipy.optimize import nnls

    rows = pd.DataFrame(row for _, row in _read(runs))
    rows = rows[
        (rows.group == "tables")
        & (rows.buffer_events == _FITTED_BUFFER)
        & (rows.seed == 1)
        & rows.subscribers.isin(SUBSCRIBERS)
        & rows.scheme.isin(SCHEMES)
    ]
    cells = rows.groupby(["scheme", "mobility", "subscribers"])[["rate", *WORK.values()]].mean()
    work = np.column_stack([np.ones(len(cells)), cells[list(WORK.values())].to_numpy()])
    weights, _ = nnls(work, 1000 / cells["rate"].to_numpy())
    return Costs(**dict(zip(["event", *WORK], map(float, weights), strict=True)))


def aggregate(folder: Path, master: str = "local[*]") -> None:
    """Makes `tables/cells.parquet` of all runs: mean and 95 % t-interval over the seeds, by cell.

    Raises MftPubsubError if there are none, or runs of one cell that differ in more than their seeds.
    """
    from pyspark.sql import functions as f
    from pyspark.sql.types import DoubleType

    from mftpubsub.pipeline.session import literal, session

    if not any((folder / "runs").glob("*.json")):
        raise MftPubsubError(f"{folder}/runs has no runs: `mftpubsub handoff sweep CONFIG --out {folder}`")
    _check_cells(folder / "runs")
    spark = session(master)
    runs = spark.read.json(literal(folder / "runs"), multiLine=False)
    (folder / "tables").mkdir(exist_ok=True)
    sources = runs.groupBy("source").agg(f.count("*").alias("runs")).orderBy("source").toPandas()
    sources.to_csv(folder / "tables" / SOURCES, index=False)
    names, values = [], []
    for field in runs.schema.fields:
        for name, column in _columns(field):
            if name.split(".")[0] not in {*KEYS, "seed", "costs"}:
                names.append(name)
                values.append(column.cast(DoubleType()))
    pairs = f.array(
        *(f.struct(f.lit(n).alias("metric"), v.alias("value")) for n, v in zip(names, values, strict=True))
    )
    cells = (
        runs.select(*KEYS, f.explode(pairs).alias("pair"))
        .select(*KEYS, "pair.metric", "pair.value")
        .where(f.col("value").isNotNull())
        .groupBy(*KEYS, "metric")
        .agg(
            f.mean("value").alias("mean"),
            f.stddev_samp("value").alias("deviation"),
            f.count("*").alias("seeds"),
        )
        .orderBy(*KEYS, "metric")
        .toPandas()
    )
    cells["half_width"] = half_width(cells.pop("deviation"), cells["seeds"])
    numbers = ["mean", "half_width"]
    cells[numbers] = cells[numbers].map(lambda number: float(f"{number:.6g}"))
    with written(folder / "tables" / CELLS) as unfinished:
        write_parquet(cells, unfinished)


def _check_cells(runs: Path) -> None:
    """Raises MftPubsubError if runs of one cell are by different code or of different settings."""
    cells: dict[tuple[object, ...], dict[str, Any]] = {}
    for path, row in _read(runs):
        settings = {name: row.get(name) for name in ("source", *_SETTINGS)}
        first = cells.setdefault(tuple(row.get(key) for key in KEYS), settings)
        if other := differences(settings, first):
            raise mixed(
                runs, path.relative_to(runs), f"otherwise than others of its cell ({'; '.join(other)})"
            )


def _columns(field: Any) -> Iterator[tuple[str, Any]]:
    """The numbers of a column of Spark: itself, its parts, or its items."""
    from pyspark.sql import functions as f
    from pyspark.sql.types import ArrayType, NumericType, StructType

    if isinstance(field.dataType, NumericType):
        yield field.name, f.col(field.name)
    elif isinstance(field.dataType, StructType):
        for part in field.dataType.fields:
            yield f"{field.name}.{part.name}", f.col(field.name)[part.name]
    elif isinstance(field.dataType, ArrayType):
        for index in range(6):
            yield f"{field.name}.{index + 1}", f.get(f.col(field.name), index)


def cells(folder: Path) -> pd.DataFrame:
    """The table that `aggregate` has made."""
    path = folder / "tables" / CELLS
    if not path.exists():
        raise MftPubsubError(f"{path} is missing: `mftpubsub handoff tables {folder}`")
    found = pd.read_parquet(path)
    found.attrs[ORDERS] = orders(folder)
    return found


#: The heading of what `runs_by_source` says.
BY_SOURCE = "Runs, by hash of the sources that made them"


def runs_by_source(folder: Path) -> str:
    """How many runs the tables are of, by what made them."""
    counts = pd.read_csv(folder / "tables" / SOURCES).to_numpy().tolist()
    return f"{', '.join(f'{runs} of {source[:12]}' for source, runs in counts)}."


def missing(folder: Path, files: Iterable[Path]) -> str:
    """Which part of the studies in files the tables lack."""
    groups = [named for file in files for named in load(file).groups.items()]
    cases = (Case(name, one) for name, group in groups for one in group.scenarios(Costs(event=1)))
    wanted = len({case.fingerprint() for case in cases})
    lacking = wanted - int(pd.read_csv(folder / "tables" / SOURCES)["runs"].sum())
    return f"{lacking} of {wanted} runs." if lacking > 0 else f"None of {wanted} runs."
