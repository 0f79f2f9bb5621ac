"""A study of the reconfiguration family: series of scenarios, of which those that are missing are run."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from mftpubsub.errors import ConfigurationError, DiskFullError, no_such
from mftpubsub.files import locked, written
from mftpubsub.notes import tell
from mftpubsub.protocols.catalogue import SHORT
from mftpubsub.scenario import yaml_files
from mftpubsub.scenario.common import Name
from mftpubsub.scenario.part import Model, checked
from mftpubsub.simulator.library import code_version
from mftpubsub.simulator.sources import meaning
from mftpubsub.sweeps.place import runs_in
from mftpubsub.sweeps.processes import run_here
from mftpubsub.sweeps.sweep import mixed
from mftpubsub.worlds.reconfiguration.records import FIELDS, RUN_KEYS, to_records
from mftpubsub.worlds.reconfiguration.scenario import OverlayScenario, simulate

if TYPE_CHECKING:
    import pandas as pd

Seeds = Annotated[int, Field(strict=True, ge=1, le=10_000)]
#: What makes records of a scenario, besides the simulator.
RECORDING = ("records.py", "scenario.py")
#: Of the files with runs: what they were made by.
MADE_BY, CPU_S = b"mftpubsub.made_by", b"mftpubsub.cpu_s"


#: What `vary` takes.
Value = bool | int | float | str
#: What a series says by keys of its own.
_OWN_KEYS = {"protocol": "protocols", "seed": "seeds"}


class Series(Model):
    """Runs that differ in one value and in their protocol."""

    set: dict[str, Any] = Field(default_factory=dict, description="values by key, such as patterns.count")
    vary: str | None = Field(default=None, description="key of what varies")
    values: list[Value] = Field(default_factory=list, description="of what varies: numbers, names, booleans")
    protocols: list[str] = Field(default_factory=list, description="short names")
    flat: list[str] = Field(default_factory=list, description="protocols run at the first value only")
    seeds: Seeds | None = Field(default=None, description="if not as many as the study has")
    over_time: bool = Field(default=False, description="whether the table `bins` has it")

    @property
    def names(self) -> list[str]:
        """Of values that are not all numbers, what they are called; `x` in tables counts them from 0."""
        if all(isinstance(value, int | float) and not isinstance(value, bool) for value in self.values):
            return []
        return [value if isinstance(value, str) else json.dumps(value) for value in self.values]

    def told(self, x: float) -> str | float:
        """The value that `x` stands for."""
        return self.names[int(x)] if self.names else x

    def cases(self, protocol: str) -> list[tuple[float, dict[str, Any]]]:
        """For each run of a protocol: its `x`, and what varies by key."""
        if self.vary is None:
            return [(0.0, {})]
        places = range(len(self.values)) if self.names else self.values
        found = [(float(x), {self.vary: value}) for x, value in zip(places, self.values, strict=True)]
        return found[:1] if protocol in self.flat else found


class OverlayStudy(Model):
    """What a file such as configs/cugola.yaml says."""

    seeds: Seeds = 30
    base: dict[str, Any] = Field(default_factory=dict)
    series: dict[Name, Series] = Field(min_length=1)

    @classmethod
    def from_yaml(cls, path: str | Path) -> OverlayStudy:
        """Raises ConfigurationError, which names file and key, before anything runs."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except OSError as error:
            raise ConfigurationError(f"{path}: {error.strerror}") from None
        except UnicodeDecodeError as error:
            raise ConfigurationError(f"{path}: {error}") from None
        study = checked(cls, yaml_files.parse(text, str(path)), str(path))
        for key in _OWN_KEYS.keys() & study.base.keys():
            raise ConfigurationError(f"{path}: base.{key}: a study says this by `{_OWN_KEYS[key]}`")
        for name, series in study.series.items():
            _check(series, f"{path}: series.{name}")
            try:
                [*study.scenarios(name, 1)]
            except ConfigurationError as error:
                told = str(error).removeprefix("OverlayScenario: ")
                raise ConfigurationError(f"{path}: series.{name}: {told}") from None
        return study

    def scenarios(self, name: str, seed: int) -> Iterator[tuple[float, str, OverlayScenario]]:
        """What varies, the protocol's short name and the scenario, for each run of a series and seed."""
        series = self.series[name]
        for protocol in [*series.flat, *series.protocols]:
            if protocol not in SHORT:
                raise ConfigurationError(no_such("protocol", protocol, SHORT))
            for x, changed in series.cases(protocol):
                changes = {**self.base, **series.set, **changed}
                scenario = OverlayScenario(protocol=SHORT["strawman"], seed=seed).replace(changes)
                yield x, protocol, scenario.replace({"protocol": SHORT[protocol]})

    def tasks(self) -> list[Task]:
        """All series and seeds, the first seeds first: an unfinished study has some of every series."""
        tasks = [
            Task(self, name, seed)
            for name, series in self.series.items()
            for seed in range(1, (series.seeds or self.seeds) + 1)
        ]
        return sorted(tasks, key=lambda task: task.seed)


def _check(series: Series, where: str) -> None:
    """Raises ConfigurationError for a series that says something twice, or not enough."""
    if not series.protocols and not series.flat:
        raise ConfigurationError(f"{where}.protocols: must name one at least")
    if (series.vary is None) != (not series.values):
        raise ConfigurationError(f"{where}: `vary` and `values` need each other")
    if series.vary in _OWN_KEYS:
        raise ConfigurationError(f"{where}.vary: a series says {series.vary} by `{_OWN_KEYS[series.vary]}`")
    for key in _OWN_KEYS.keys() & series.set.keys():
        raise ConfigurationError(f"{where}.set.{key}: a series says this by `{_OWN_KEYS[key]}`")
    if twice := [value for value in series.values if series.values.count(value) > 1]:
        raise ConfigurationError(f"{where}.values: {twice[0]!r} stands there twice")


@dataclass(frozen=True)
class Task:
    """All runs of a series with one seed: what one file holds."""

    study: OverlayStudy
    series: str
    seed: int

    def path(self, runs: Path) -> Path:
        return runs / f"series={self.series}" / f"seed={self.seed}.parquet"

    def fingerprint(self) -> str:
        """SHA-256 (hex) of the code and of all that determines the runs."""
        runs = [scenario.fingerprint() for _, _, scenario in self.study.scenarios(self.series, self.seed)]
        return hashlib.sha256(json.dumps([_code(), *runs]).encode()).hexdigest()

    def run(self) -> pd.DataFrame:
        """The records of all its runs."""
        import pandas as pd

        frames = [
            to_records(simulate(scenario), scenario.dispatchers.count).assign(
                series=self.series, x=float(x), protocol=protocol, seed=self.seed
            )
            for x, protocol, scenario in self.study.scenarios(self.series, self.seed)
        ]
        return pd.concat(frames, ignore_index=True)


@cache
def _code() -> str:
    """Tells apart code that may give other records."""
    package = files("mftpubsub.worlds.reconfiguration")
    return code_version() + "".join(meaning(package.joinpath(name).read_text("utf-8")) for name in RECORDING)


def run_task(task: Task, runs: Path, fingerprint: str) -> None:
    """Runs a task into its file, which appears when it is complete."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    start = time.process_time()
    types = {"string": pa.string(), "double": pa.float64(), "bigint": pa.int64()}
    schema = pa.schema([(name, types[type_]) for name, type_ in {**FIELDS, **RUN_KEYS}.items()])
    table = pa.Table.from_pandas(task.run(), schema, preserve_index=False)
    about = {MADE_BY: fingerprint.encode(), CPU_S: f"{time.process_time() - start:.3f}".encode()}
    with written(task.path(runs)) as unfinished:
        pq.write_table(table.replace_schema_metadata(about), unfinished, compression="zstd")


def sweep_study(study: OverlayStudy, out: Path, workers: int | None = None) -> list[str]:
    """Runs what DIR/runs does not hold yet, in `workers` processes, one a processor by default.

    Returns what failed, and why. Raises MftPubsubError if there are runs of other code or settings, or of
    another kind of study, or DIR cannot be made.
    """
    runs = runs_in(out, "reconfiguration")
    with locked(out / ".sweep", "sweep"):
        _refuse_mixing(study, runs)
        missing = [task for task in study.tasks() if not task.path(runs).exists()]
        tell(f"{len(study.tasks())} series and seeds, {len(missing)} to run")
        failures = []
        workers = workers or len(os.sched_getaffinity(0))
        with closing(run_here(missing, runs, workers, run_task)) as outcomes:
            for outcome in outcomes:
                if outcome.is_disk_full:
                    raise DiskFullError(f"{outcome.failure}; make room, and the same command goes on")
                if outcome.failure is not None:
                    task = missing[outcome.case]
                    failures.append(f"{task.series} seed {task.seed}: {outcome.failure}")
                    print(f"failed: {failures[-1]}", file=sys.stderr)
        return failures


def cpu_seconds(runs: Path) -> dict[str, float]:
    """CPU time in s by series, all seeds together."""
    import pyarrow.parquet as pq

    spent: dict[str, float] = {}
    for path in sorted(runs.glob("series=*/seed=*.parquet")):
        series = path.parent.name.removeprefix("series=")
        spent[series] = spent.get(series, 0.0) + float(pq.read_schema(path).metadata[CPU_S])
    return spent


def _refuse_mixing(study: OverlayStudy, runs: Path) -> None:
    """Raises MftPubsubError for runs that the study has not, or has with other code or settings.

    Seeds may be more than the study has.
    """
    import pyarrow.parquet as pq

    for path in sorted(runs.glob("series=*/seed=*.parquet")):
        series, seed = path.parent.name.removeprefix("series="), path.stem.removeprefix("seed=")
        if series not in study.series:
            raise mixed(runs, path.relative_to(runs), f"for a series that the study has not ({series})")
        made_by = (pq.read_schema(path).metadata or {}).get(MADE_BY, b"")
        if made_by != Task(study, series, int(seed)).fingerprint().encode():
            raise mixed(runs, path.relative_to(runs), "by other code or with other settings")
