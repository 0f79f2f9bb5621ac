"""The metrics of one trace, by DuckDB: the same SQL that Spark runs over all of them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mftpubsub import trace_schema

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

#: What names a run, in the order of its folder: protocol=P/config=C/speed=V/seed=N. Types as in SQL.
RUN_KEYS = {"protocol": "string", "config": "string", "speed_mps": "double", "seed": "bigint"}


def query(name: str) -> str:
    """Text of the query file `name` of this package, `metrics` or `frames_by_kind`."""
    return files("mftpubsub.pipeline").joinpath(f"{name}.sql").read_text(encoding="utf-8")


def _records(connection: duckdb.DuckDBPyConnection, path: Path) -> duckdb.DuckDBPyRelation:
    """The records of a trace; `-` is NULL, but in `op`, where it is a letter of its own."""
    types = {column.name: column.type.upper() for column in trace_schema.columns()}
    records = connection.read_csv(
        str(path), sep=" ", quotechar="", escapechar="", na_values="-", skiprows=1, header=False, columns=types
    )
    return records.project("* REPLACE (coalesce(op, '-') AS op)")


def read_trace(path: Path) -> pd.DataFrame:
    """The records of one trace file, with the columns and units of trace_schema.yaml."""
    import duckdb

    with duckdb.connect() as connection:
        frame: pd.DataFrame = _records(connection, path).df()
    return frame


def metrics_of(path: Path, keys: Mapping[str, Any]) -> dict[str, Any]:
    """Metrics of one trace by name (metrics.sql), and `frames_by_kind` as a dict of counts.

    `keys` names the run: protocol, config, speed_mps and seed. An undefined metric is None.
    """
    import duckdb

    with duckdb.connect() as connection:
        _records(connection, path).to_table("records")
        literals = ", ".join(f"CAST(? AS {type_}) AS {name}" for name, type_ in RUN_KEYS.items())
        run = connection.sql(f"SELECT {literals}", params=[keys[name] for name in RUN_KEYS])
        connection.register("run", run)
        connection.execute("CREATE VIEW trace AS SELECT * FROM records CROSS JOIN run")
        result = connection.execute(query("metrics"))
        names = [column[0] for column in result.description]
        metrics = dict(zip(names, result.fetchone(), strict=True))
        frames = connection.execute(query("frames_by_kind")).fetchall()
    return metrics | {"frames_by_kind": {kind: count for *_, kind, count in frames}}


def count_ends(path: Path) -> int:
    """Number of END records. Raises ValueError if a line is not of the format."""
    import duckdb

    with duckdb.connect(config={"threads": 1}) as connection:
        try:
            row = _records(connection, path).filter("layer = 'run' AND kind = 'END'").count("*").fetchone()
        except duckdb.Error as error:
            raise ValueError(str(error)) from error
    return int(row[0]) if row else 0
