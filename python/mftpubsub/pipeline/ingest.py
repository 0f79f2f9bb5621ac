"""Traces to Parquet: the good ones, once each; what is wrong with the others is told."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mftpubsub.files import write_json
from mftpubsub.notes import tell
from mftpubsub.pipeline import integrity
from mftpubsub.pipeline.integrity import Problem
from mftpubsub.pipeline.marks import REPORT
from mftpubsub.trace import trace_format
from mftpubsub.trace.layout import PARTS, RUN_KEYS, TRACE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Within DIR/parquet: which runs it holds, each with its stamp, and the schema they were read by. Told
#: of a run before its records go and after they came, so that whatever was interrupted is done again; the
#: underscore hides it from Spark.
LEDGER = "_ingested.json"
#: The parts of a run's folder as they are written there: a configuration named 8 is a name.
_NAMES = dict.fromkeys(PARTS, "string")

Stamps = dict[str, list[int]]

#: Compressed bytes that a task reads, of at most so many runs.
_CHUNK = 8_000_000
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
    """Compares DIR/runs with what DIR/parquet holds."""
    runs = folder / "runs"
    names, foreign = integrity.survey(runs)
    stamps = {name: integrity.stamp(runs, name) for name in names}
    done = _read_ledger(folder)
    kept = [name for name in names if done.get(name) == stamps[name]]
    new = [name for name in names if name not in kept]
    gone = [name for name in done if name not in kept]
    return Plan(new, gone, kept, stamps, foreign)


def ingest(spark: SparkSession, folder: Path, todo: Plan | None = None) -> list[Problem]:
    """Brings DIR/parquet up to date with DIR/runs.

    Every line is parsed once, on its way into DIR/parquet; what is found there of a run that turns out to
    be damaged is removed again before the ledger tells of it. Writes DIR/ingest-report.json; what is set
    aside is also told on standard error, and returned.
    """
    todo = todo or plan(folder)
    tell(f"{folder}: reading {len(todo.new)} runs, {len(todo.kept)} are in the tables")
    problems = _examine_all(spark, folder / "runs", todo.new)
    intact = [name for name in todo.new if name not in problems]
    _write_ledger(folder, todo, todo.kept)
    _keep(folder, todo.kept)
    if intact:
        _store(spark, folder, intact)
        problems |= _flaws(spark, folder, intact)
    good = [name for name in intact if name not in problems]
    held = todo.kept + good
    _keep(folder, held)
    _write_ledger(folder, todo, held)
    set_aside = todo.foreign + [problems[name] for name in sorted(problems)]
    report = {
        "runs": len(held),
        "new": good,
        "set_aside": [problem.to_json() for problem in set_aside],
        "damaged": {name: todo.stamps[name] for name in sorted(problems)},
    }
    write_json(folder / REPORT, report)
    for problem in set_aside:
        print(f"set aside: {problem.file}: {problem.reason}", file=sys.stderr)
    return set_aside


def records(lines: DataFrame) -> DataFrame:
    """Trace lines (column `value`, and the parts of the run's folder) to the schema's typed columns.

    `-` is NULL, but in `op`, where it is a letter of its own. The first line and empty ones are left out.
    `malformed` is the line itself if it is not of the schema, else NULL.
    """
    from pyspark.sql import functions as F  # noqa: N812

    columns = trace_format.columns()
    fields = {column.name: F.get("fields", F.lit(i)) for i, column in enumerate(columns)}
    typed = [
        F.when((fields[column.name] != "-") | F.lit(column.name == "op"), fields[column.name])
        .try_cast(column.type)
        .alias(column.name)
        for column in columns
    ]
    wrong = F.size("fields") != len(columns)
    for column in columns:
        if column.type != "string":
            wrong |= F.col(column.name).isNull() & (fields[column.name] != "-")
    # A projection for each step: what one step has computed, the next uses any number of times.
    return (
        lines.where(~F.col("value").isin("", trace_format.header()))
        .select("value", F.split("value", " ").alias("fields"), *PARTS)
        .select("*", *typed)
        .select(*fields, F.when(wrong, F.col("value")).alias("malformed"), *PARTS)
    )


def trace(spark: SparkSession, folder: Path) -> DataFrame:
    """All records of DIR/parquet with the run's keys, typed."""
    keys = dict(zip(PARTS, RUN_KEYS.values(), strict=True))
    stored = _stored(spark, keys, folder / "parquet")
    return stored.withColumnsRenamed(dict(zip(PARTS, RUN_KEYS, strict=True))).drop("malformed")


def _stored(spark: SparkSession, keys: dict[str, str], parquet: Path, *folders: Path) -> DataFrame:
    """What DIR/parquet holds, or some folders of it, as `records` gave it; `keys` are the parts' types."""
    columns = {column.name: column.type for column in trace_format.columns()} | {"malformed": "string"} | keys
    schema = ", ".join(f"{name} {type_}" for name, type_ in columns.items())
    paths = [_no_pattern(path) for path in folders or (parquet,)]
    return spark.read.schema(schema).option("basePath", str(parquet)).parquet(*paths)


def _store(spark: SparkSession, folder: Path, names: list[str]) -> None:
    """Writes the records of runs to DIR/parquet, a folder for each run; a task reads and writes some runs."""
    runs = folder / "runs"
    in_chunks = spark.newSession()
    # All files of a task are open at once: its records need not be sorted by run.
    in_chunks.conf.set("spark.sql.maxConcurrentOutputFileWriters", str(_RUNS_OF_A_TASK))
    in_chunks.conf.set("spark.sql.files.openCostInBytes", str(_CHUNK // _RUNS_OF_A_TASK))
    in_chunks.conf.set("spark.sql.files.maxPartitionBytes", str(_CHUNK))
    texts = [_no_pattern(runs / name / TRACE) for name in names]
    schema = ", ".join(f"{name} {type_}" for name, type_ in {"value": "string", **_NAMES}.items())
    lines = in_chunks.read.schema(schema).option("basePath", str(runs)).text(texts)
    writer = records(lines).write.partitionBy(*PARTS).mode("overwrite")
    # A run's folder is replaced, the others stay.
    writer.option("partitionOverwriteMode", "dynamic").parquet(str(folder / "parquet"))


def _no_pattern(path: Path) -> str:
    """For Spark's readers, which take paths for patterns."""
    return re.sub(r"([\\\[\]{}*?])", r"\\\1", str(path))


def _examine_all(spark: SparkSession, runs: Path, names: list[str]) -> dict[str, Problem]:
    """What is wrong with the files of runs, by run; examines as many at once as Spark has cores."""
    if not names:
        return {}
    check: Callable[[str], Problem | None] = partial(integrity.examine, runs.resolve())
    slices = min(len(names), 4 * spark.sparkContext.defaultParallelism)
    problems = spark.sparkContext.parallelize(names, slices).map(check).collect()
    return {name: problem for name, problem in zip(names, problems, strict=True) if problem}


def _flaws(spark: SparkSession, folder: Path, names: list[str]) -> dict[str, Problem]:
    """What is wrong with the records of runs, by run: a line that is none, or not exactly one END."""
    from pyspark.sql import functions as F  # noqa: N812

    parquet = folder / "parquet"
    # A run without any line has no folder.
    folders = [parquet / name for name in names if (parquet / name).exists()]
    end = (F.col("layer") == "run") & (F.col("kind") == "END")
    telling = _stored(spark, _NAMES, parquet, *folders).where(end | F.col("malformed").isNotNull())
    of_runs = telling.groupBy(*PARTS).agg(F.count_if(end).alias("ends"), F.min("malformed").alias("line"))
    found = {
        "/".join(f"{part}={row[part]}" for part in PARTS): (row.ends, row.line) for row in of_runs.collect()
    }
    problems = {name: integrity.flaw(folder / "runs", name, *found.get(name, (0, None))) for name in names}
    return {name: problem for name, problem in problems.items() if problem}


def _keep(folder: Path, names: list[str]) -> None:
    """Removes all records but those of the runs `names`, and what an interrupted Spark has left."""
    parquet, kept = folder / "parquet", set(names)
    for path in (*parquet.glob(".spark-staging-*"), *parquet.glob("_temporary")):
        shutil.rmtree(path)
    for path in parquet.glob("/".join(f"{part}=*" for part in PARTS)):
        if str(path.relative_to(parquet)) not in kept:
            shutil.rmtree(path)


def _read_ledger(folder: Path) -> Stamps:
    """The runs that DIR/parquet holds; none if they were read by another schema."""
    path = folder / "parquet" / LEDGER
    told = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return dict(told["runs"]) if told.get("schema") == trace_format.digest() else {}


def _write_ledger(folder: Path, todo: Plan, names: list[str]) -> None:
    stamps = {name: todo.stamps[name] for name in sorted(names)}
    write_json(folder / "parquet" / LEDGER, {"schema": trace_format.digest(), "runs": stamps})
