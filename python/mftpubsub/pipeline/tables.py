"""Parquet to tables: the metrics of each run, and their means over the seeds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from mftpubsub.pipeline.ingest import plan, trace
from mftpubsub.pipeline.integrity import METADATA
from mftpubsub.pipeline.single import RUN_KEYS, query

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame, SparkSession

#: A case is a run but for its seed.
CASE_KEYS = tuple(key for key in RUN_KEYS if key != "seed")
CONFIDENCE = 0.95


def metrics(spark: SparkSession, folder: Path) -> None:
    """Makes DIR/tables from DIR/parquet, each table as .parquet and .csv.

    `runs`: one row a run (metrics.sql). `frames_by_kind`: run, kind, frames, bytes. `losses`: run, cause,
    pairs. `metrics`: one row for each case and metric, with mean, ci95 (half the width), sd and n, the number
    of seeds that define it. Outside of them, since no two sweeps have the same, DIR/costs: what each run
    took, and what made it.
    """
    spark = spark.newSession()
    records = trace(spark, folder)
    # As many tasks after a shuffle as before: few for a small study, small ones for a large one.
    spark.conf.set("spark.sql.shuffle.partitions", records.rdd.getNumPartitions())
    records.createOrReplaceTempView("trace")
    tables = folder / "tables"
    runs = spark.sql(query("metrics")).orderBy(*RUN_KEYS)
    count = _write(runs, tables / "runs")
    for name in ("frames_by_kind", "losses"):
        _write(spark.sql(query(name)), tables / name)
    replace(costs(folder / "runs", plan(folder).kept), folder / "costs")
    per_run = spark.read.parquet(str(tables / "runs.parquet"))
    _write(summary(per_run, student_t(spark, count)), tables / "metrics")


def summary(runs: DataFrame, quantiles: DataFrame) -> DataFrame:
    """The tidy table: mean, 95 % confidence interval and n of every metric of every case.

    A metric that a run leaves undefined (NULL) does not count in its n; with n < 2 there is no interval.
    """
    from pyspark.sql import functions as F  # noqa: N812

    values = [F.col(name).cast("double").alias(name) for name in runs.columns if name not in RUN_KEYS]
    names = [name for name in runs.columns if name not in RUN_KEYS]
    long = runs.select(*CASE_KEYS, *values).unpivot([*CASE_KEYS], [*names], "metric", "value")
    moments = long.groupBy(*CASE_KEYS, "metric").agg(
        F.avg("value").alias("mean"), F.stddev_samp("value").alias("sd"), F.count("value").alias("n")
    )
    half_width = F.col("t") * F.col("sd") / F.sqrt("n")
    return (
        moments.join(F.broadcast(quantiles), "n", "left")
        .select(*CASE_KEYS, "metric", "mean", half_width.alias("ci95"), "sd", "n")
        .orderBy(*CASE_KEYS, "metric")
    )


def costs(runs: Path, names: list[str]) -> pd.DataFrame:
    """One row a run, from its run.json: times (s), simulator events, trace size (B), and what made it."""
    import pandas as pd

    rows = []
    for name in names:
        run = json.loads((runs / name / METADATA).read_text(encoding="utf-8"))
        versions = ", ".join(f"{part} {number}" for part, number in run["versions"].items())
        rows.append({key: run.get(key) for key in (*RUN_KEYS, *_COSTS)} | {"versions": versions})
    return pd.DataFrame(rows).sort_values([*RUN_KEYS])


#: `finished` is the instant (UTC) at which a run was complete.
_COSTS = ("wall_s", "cpu_s", "events", "trace_bytes", "finished", "git_commit", "machine")


def student_t(spark: SparkSession, most: int) -> DataFrame:
    """Two-sided quantiles `t` of Student's distribution for the mean of `n` = 2 ... `most` values."""
    from scipy.stats import t

    rows = [(n, float(t.ppf((1 + CONFIDENCE) / 2, n - 1))) for n in range(2, max(most, 2) + 1)]
    return spark.createDataFrame(rows, "n bigint, t double")


def _write(table: DataFrame, path: Path) -> int:
    """Writes a small table as `path`.parquet and `path`.csv. Returns its number of rows."""
    import pandas as pd

    schema = {field.name: _PANDAS_TYPES[field.dataType.typeName()] for field in table.schema}
    frame = pd.DataFrame.from_records(table.collect(), columns=table.columns).astype(schema)
    replace(frame, path)
    return len(frame)


_PANDAS_TYPES = {"string": "str", "double": "Float64", "integer": "Int64", "long": "Int64"}


def replace(frame: pd.DataFrame, path: Path) -> None:
    """Writes a small table as `path`.csv and `path`.parquet.

    CSV first: the Parquet file is the newer one, so an interrupted write is seen.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    csv, parquet = path.with_suffix(".csv"), path.with_suffix(".parquet")
    for target, write in ((csv, frame.to_csv), (parquet, frame.to_parquet)):
        partial = target.with_name(f".{target.name}.partial")
        write(partial, index=False)
        partial.replace(target)
