"""Traces to Parquet: the good ones, once each; what is wrong with the others is told."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from mftpubsub.files import read_json, stamp, write_json
from mftpubsub.notes import tell
from mftpubsub.pipeline import integrity, records
from mftpubsub.pipeline.integrity import Problem
from mftpubsub.pipeline.marks import REPORT
from mftpubsub.pipeline.workers import Workers
from mftpubsub.trace import trace_format
from mftpubsub.trace.layout import PARTS, RUN_KEYS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Within DIR/parquet: which runs it holds, each with its stamp and that of its records, and the schema they
#: were read by. Told of a run before its records go and after they came, so that whatever was interrupted is
#: done again; the underscore hides it from Spark.
LEDGER = "_ingested.json"

Stamps = dict[str, list[int]]
T = TypeVar("T")

#: At most: what a task has done is done again when its executor is lost.
_RUNS_OF_A_TASK = 32


@dataclass(frozen=True)
class Plan:
    """What there is to do: runs to read, runs whose records have to go, runs that are done already."""

    new: list[str]
    gone: list[str]
    kept: list[str]
    stamps: Stamps
    foreign: list[Problem]


def plan(folder: Path) -> Plan:
    """Compares DIR/runs with what DIR/parquet holds; a run whose records were touched since is new."""
    runs = folder / "runs"
    names, foreign = integrity.survey(runs)
    stamps = {name: integrity.stamp(runs, name) for name in names}
    done = held(folder)
    kept = [name for name in names if done.get(name) == stamps[name] + _stamp_of_records(folder, name)]
    there = {*kept}
    new = [name for name in names if name not in there]
    gone = [name for name in done if name not in there]
    return Plan(new, gone, kept, stamps, foreign)


def store(workers: Workers, folder: Path, todo: Plan | None = None) -> list[Problem]:
    """Brings DIR/parquet up to date with DIR/runs; `workers` read the traces.

    Every line is parsed once, on its way into DIR/parquet, where a damaged run leaves nothing. Writes
    DIR/ingest-report.json; what is set aside is also told on standard error, and returned.
    """
    todo = todo or plan(folder)
    tell(f"{folder}: reading {len(todo.new)} runs, {len(todo.kept)} are in the tables")
    _write_ledger(folder, todo, todo.kept)
    _keep(folder, todo.kept)
    problems = _take_all(workers, folder, todo.new)
    good = [name for name in todo.new if name not in problems]
    stored = todo.kept + good
    _keep(folder, stored)
    _write_ledger(folder, todo, stored)
    set_aside = todo.foreign + [problems[name] for name in sorted(problems)]
    report = {
        "runs": len(stored),
        "new": good,
        "set_aside": [problem.to_json() for problem in set_aside],
        "damaged": {name: todo.stamps[name] for name in sorted(problems)},
    }
    write_json(folder / REPORT, report)
    for problem in set_aside:
        print(f"set aside: {problem.file}: {problem.reason}", file=sys.stderr)
    return set_aside


def trace(spark: SparkSession, folder: Path) -> DataFrame:
    """All records of DIR/parquet with the run's keys, typed."""
    keys = dict(zip(PARTS, RUN_KEYS.values(), strict=True))
    columns = {column.name: column.type for column in trace_format.columns()} | keys
    schema = ", ".join(f"{name} {type_}" for name, type_ in columns.items())
    from mftpubsub.pipeline.session import literal

    stored = spark.read.schema(schema).parquet(literal(folder / "parquet"))
    return stored.withColumnsRenamed(dict(zip(PARTS, RUN_KEYS, strict=True)))


def in_tasks(workers: Workers, work: Callable[[list[str]], T], names: list[str]) -> list[T]:
    """What `work` gives for shares of the runs `names`, on all cores that there are."""
    tasks = max(4 * workers.cores, math.ceil(len(names) / _RUNS_OF_A_TASK))
    # Dealt out in turns: neighbours by name are of runs that take as long.
    return workers.map(work, [names[first::tasks] for first in range(min(tasks, len(names)))])


def _take_all(workers: Workers, folder: Path, names: list[str]) -> dict[str, Problem]:
    """Stores the records of runs. Returns what is wrong with runs, by run."""
    take = partial(records.take, (folder / "runs").resolve(), (folder / "parquet").resolve())
    found = in_tasks(workers, partial(_take_share, take), names)
    return {name: problem for problems in found for name, problem in problems.items()}


def _take_share(take: Callable[[str], Problem | None], names: list[str]) -> dict[str, Problem]:
    return {name: problem for name in names if (problem := take(name))}


def _keep(folder: Path, names: list[str]) -> None:
    """Removes all records but those of the runs `names`, and what an interrupted ingest has left."""
    parquet, kept = folder / "parquet", set(names)
    for path in parquet.glob("/".join(f"{part}=*" for part in PARTS)):
        if str(path.relative_to(parquet)) not in kept:
            shutil.rmtree(path)
            continue
        for unfinished in path.glob("_*.partial"):  # of a worker that outlived its ingest
            unfinished.unlink(missing_ok=True)


def held(folder: Path) -> Stamps:
    """The runs that DIR/parquet holds; none if they were read by another schema."""
    told = read_json(folder / "parquet" / LEDGER)
    return dict(told["runs"]) if told.get("schema") == trace_format.digest() else {}


def _stamp_of_records(folder: Path, name: str) -> list[int]:
    return stamp(folder / "parquet" / name / records.RECORDS)


def _write_ledger(folder: Path, todo: Plan, names: list[str]) -> None:
    stamps = {name: todo.stamps[name] + _stamp_of_records(folder, name) for name in sorted(names)}
    write_json(folder / "parquet" / LEDGER, {"schema": trace_format.digest(), "runs": stamps})
