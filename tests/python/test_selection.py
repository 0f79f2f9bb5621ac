"""The option `where`: which runs a condition on keys selects, as Spark's own `where` would."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from test_pipeline import COUNTED, SHORT
from test_source import lines_of, load

from mftpubsub.errors import ConfigurationError
from mftpubsub.pipeline import register, source
from mftpubsub.pipeline.selection import selected

if TYPE_CHECKING:
    from conftest import WriteRun
    from pyspark.sql import SparkSession

#: A key's values, None among them, which runs that another program made have on axes.
VALUES: dict[str, list[Any]] = {
    "protocol": ["aodv", "mft-pubsub", "a-b", "AODV"],
    "speed_mps": [0.0, 2.0, 2.5, 10.0],
    "seed": [1, 2, 10, -3],
    "overlay.timeout": [0.1, 5.0, None],
    "queue": ["10", "9", "é", None],
}
TYPES = {"protocol": pa.string(), "queue": pa.string(), "seed": pa.int64()}


def runs() -> pa.Table:
    drawn = random.Random(5)
    columns = {
        key: pa.array([drawn.choice(values) for _ in range(200)], TYPES.get(key, pa.float64()))
        for key, values in VALUES.items()
    }
    return pa.table({"id": range(200)} | columns)


def condition(drawn: random.Random, depth: int = 3) -> str:
    """Any that the option takes."""
    if depth and drawn.random() < 0.6:
        parts = [condition(drawn, depth - 1) for _ in range(2)]
        return drawn.choice(
            [f"({parts[0]} AND {parts[1]})", f"{parts[0]} or ({parts[1]})", f"NOT ({parts[0]})"]
        )
    key = drawn.choice([*VALUES])

    def value() -> str:
        found = drawn.choice(VALUES[key])
        if isinstance(found, str):
            return f"'{drawn.choice([found, found[:1], found + 'a'])}'"
        return drawn.choice([str(found), f"{found}e0", str(found + 0.5)]) if found is not None else "NULL"

    name = drawn.choice([f"`{key}`", f"`{key.upper()}`"]) if "." in key else drawn.choice([key, key.upper()])
    other = value()
    return drawn.choice(
        [
            f"{name} {drawn.choice(['=', '==', '<>', '!=', '<', '<=', '>', '>='])} {other}",
            f"{other} < {name}",
            f"{name} IN ({other}, {value()})",
            f"{name} NOT IN ({value()},{value()} )",
            f"{name} between {value()} and {other}",
            f"{name} IS NULL",
            f"{name} is not null",
        ]
    )


@pytest.mark.spark
def test_it_selects_what_spark_selects(spark: SparkSession) -> None:
    table, drawn = runs(), random.Random(7)
    frame = spark.createDataFrame(table.to_pylist(), "id int, " + SCHEMA).cache()
    conditions = [condition(drawn) for _ in range(150)]
    wanted = [
        f"sort_array(collect_list(CASE WHEN {one} THEN id END)) AS c{n}" for n, one in enumerate(conditions)
    ]
    (row,) = frame.selectExpr(*wanted).collect()
    for one, expected in zip(conditions, row, strict=True):
        assert selected(table, VALUES, one).column("id").to_pylist() == expected, one
    assert sum(0 < len(found) < 200 for found in row) > 60


SCHEMA = ", ".join(
    f"`{key}` {'string' if key in ('protocol', 'queue') else 'bigint' if key == 'seed' else 'double'}"
    for key in VALUES
)


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("protocl = 'aodv'", "did you mean 'protocol'"),
        ("protocol = aodv", "no key 'aodv'"),
        ("cast(seed AS string) = '1'", "no key 'cast'"),
        ("seed + 1 = 2", r"cannot read '\+ 1 = 2': it compares keys, numbers and texts in '...' by"),
        ('protocol = "aodv"', "cannot read"),
        (r"protocol = 'a\\b'", "cannot read"),
        ("protocol = 'a''b'", "is no condition"),
        ("seed = 1 ORDER BY seed", "no key 'ORDER'"),
        ("seed = 1; seed = 2", "cannot read '; seed"),
        ("seed = 1) OR (seed = 2", r"is no condition on keys of runs \(Parser Error"),
        ("seed = 'one'", r"is no condition on keys of runs \(Conversion Error"),
        ("overlay.timeout = 1", "no key 'overlay'"),
        ("seed", "a key or a value by itself is neither true nor false: compare it"),
        ("protocol = 'aodv' AND (speed_mps OR seed = 1)", "a key or a value by itself"),
        ("NOT seed", "a key or a value by itself"),
        ("seed -1", "a key or a value by itself"),
    ],
)
def test_what_may_mean_two_things_is_refused(where: str, why: str) -> None:
    with pytest.raises(ConfigurationError, match=f"where: .*{why}"):
        selected(runs(), VALUES, where)


@pytest.mark.spark
def test_runs_that_it_excludes_are_not_read(spark: SparkSession, write_run: WriteRun, tmp_path: Path) -> None:
    """Their traces are damaged: whoever reads them fails."""
    for seed in range(1, 5):
        write_run(COUNTED, seed=seed)
        write_run(SHORT, protocol="aodv", speed=seed, seed=seed)
    for run in (
        *tmp_path.glob("runs/protocol=aodv/*/speed=[34]/*"),
        *tmp_path.glob("runs/protocol=m*/*/*/*"),
    ):
        (run / "trace.gz").write_bytes(b"x" * (run / "trace.gz").stat().st_size)
    register(spark)
    one, other = (f"protocol = 'aodv' AND speed_mps {text}" for text in ("IN (1, 2.5)", "BETWEEN 2 AND 2.9"))
    found = load(spark, tmp_path, where=one).union(load(spark, tmp_path, where=other))
    assert found.select("seed").distinct().count() == 2
    assert found.count() == 2 * lines_of(SHORT)
    assert load(spark, tmp_path, where=one, table="runs").count() == 1
    with pytest.raises(Exception, match="content differs from what was written"):
        load(spark, tmp_path, where="speed_mps > 2").count()


def test_the_table_stored_is_not_selected_from(tmp_path: Path) -> None:
    for option in ("where", "protocol"):
        options = {"path": str(tmp_path), "table": "stored", option: "seed = 1"}
        with pytest.raises(ConfigurationError, match=f"without the option {option}: use where of the"):
            source.RunsSource(options).reader(None)
