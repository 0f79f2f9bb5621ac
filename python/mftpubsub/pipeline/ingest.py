"""Traces to Parquet: the good ones, once each; what is wrong with the others is told."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mftpubsub import trace_schema
from mftpubsub.pipeline import integrity
from mftpubsub.pipeline.integrity import PARTS, Problem
from mftpubsub.pipeline.single import RUN_KEYS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

REPORT = "ingest-report.json"
#: Within DIR/parquet: which runs it holds, each with its stamp. Written last, so that whatever was
#: interrupted is done again; the underscore hides it from Spark.
LEDGER = "_ingested.json"

Stamps = dict[str, list[int]]


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

    Writes DIR/ingest-report.json; what is set aside is also told on standard error, and returned.
    """
    todo = todo or plan(folder)
    problems = _examine_all(spark, folder / "runs", todo.new)
    bad = {name for name, problem in problems.items() if problem}
    good = [name for name in todo.new if name not in bad]
    _forget(folder, todo)
    if good:
        texts = [str(folder / "runs" / name / integrity.TRACE) for name in good]
        lines = spark.read.option("basePath", str(folder / "runs")).text(texts)
        records(lines).write.partitionBy(*PARTS).mode("overwrite").parquet(str(folder / "parquet"))
    held = todo.kept + good
    _write_json(folder / "parquet" / LEDGER, {name: todo.stamps[name] for name in sorted(held)})
    set_aside = todo.foreign + [problem for problem in problems.values() if problem]
    report = {"runs": len(held), "new": good, "set_aside": [problem.to_json() for problem in set_aside]}
    _write_json(folder / REPORT, report)
    for problem in set_aside:
        print(f"set aside: {problem.file}: {problem.reason}", file=sys.stderr)
    return set_aside


def records(lines: DataFrame) -> DataFrame:
    """Trace lines (column `value`, and the parts of the run's folder) to the schema's typed columns.

    `-` is NULL, but in `op`, where it is a letter of its own. The first line and empty ones are left out.
    """
    from pyspark.sql import functions as F  # noqa: N812

    fields = F.split("value", " ")
    columns = [
        F.when((fields[i] != "-") | F.lit(column.name == "op"), fields[i])
        .cast(column.type)
        .alias(column.name)
        for i, column in enumerate(trace_schema.columns())
    ]
    return lines.where(F.col("value").rlike("^[^#]")).select(*columns, *PARTS)


def trace(spark: SparkSession, folder: Path) -> DataFrame:
    """All records of DIR/parquet with the run's keys, typed."""
    from pyspark.sql import functions as F  # noqa: N812

    stored = spark.read.parquet(str(folder / "parquet"))
    keys = [
        F.col(part).cast(type_).alias(key) for part, (key, type_) in zip(PARTS, RUN_KEYS.items(), strict=True)
    ]
    return stored.select(*(column.name for column in trace_schema.columns()), *keys)


def _examine_all(spark: SparkSession, runs: Path, names: list[str]) -> dict[str, Problem | None]:
    """Examines the files of runs, as many at once as Spark has cores."""
    if not names:
        return {}
    check: Callable[[str], Problem | None] = partial(integrity.examine, runs.resolve())
    return dict(
        zip(names, spark.sparkContext.parallelize(names, len(names)).map(check).collect(), strict=True)
    )


def _forget(folder: Path, todo: Plan) -> None:
    """Removes all records but those of the runs that are kept, and what an interrupted Spark has left."""
    parquet = folder / "parquet"
    for path in (*parquet.glob(".spark-staging-*"), *parquet.glob("_temporary")):
        shutil.rmtree(path)
    for path in parquet.glob("/".join(f"{part}=*" for part in PARTS)):
        if str(path.relative_to(parquet)) not in todo.kept:
            shutil.rmtree(path)


def _read_ledger(folder: Path) -> Stamps:
    path = folder / "parquet" / LEDGER
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _write_json(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial_path = path.with_name(f"_{path.name}.partial")
    partial_path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    partial_path.replace(path)
