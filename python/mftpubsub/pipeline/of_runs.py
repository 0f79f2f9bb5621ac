"""The runs of a study as they lie in DIR/runs, without an ingest: their keys, and tables of each run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mftpubsub.errors import MftPubsubError
from mftpubsub.metrics.table import query
from mftpubsub.pipeline import integrity, records
from mftpubsub.pipeline.integrity import BadRunError
from mftpubsub.pipeline.ns3.tables import ARROW_TYPES
from mftpubsub.pipeline.tables import on_axes
from mftpubsub.runs.run_tables import VIEWS
from mftpubsub.trace import trace_format
from mftpubsub.trace.layout import RUN_KEYS, TRACE, keys_of, place, read_metadata

if TYPE_CHECKING:
    import pandas as pd

#: By name: what a row is.
TABLES = {
    "records": "each record of a trace",
    "runs": "each run, with its metrics",
    "losses": "each run and cause, with the pairs that were not delivered",
    "frames_by_kind": "each run and kind, with the frames",
    "deliveries": VIEWS["deliveries"].doc.removeprefix("a row for "),
    "nodes": VIEWS["nodes"].doc.removeprefix("a row for "),
}


@dataclass(frozen=True)
class Run:
    """A run: its folder below DIR/runs, its trace's size (B), its keys, and metrics nobody knows of it."""

    folder: str
    bytes: int
    keys: Mapping[str, Any]
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Study:
    """The complete runs of a folder; `keys` are the columns that name a run, with their types in SQL."""

    folder: str
    keys: Mapping[str, str]
    runs: tuple[Run, ...]


def study(folder: Path) -> Study:
    """The complete runs in DIR/runs. Raises MftPubsubError if there are none."""
    import pandas as pd

    runs = folder / "runs"
    names, _ = integrity.survey(runs) if runs.is_dir() else ([], [])
    found = {name: run for name in names if (run := read_metadata(runs / name))}
    if not found:
        raise MftPubsubError(f"{folder}: no complete run; `mftpubsub sweep CONFIG --out {folder}` makes them")
    told = [*found.values()]
    rows = [
        {key: run[key] for key in RUN_KEYS} | {"config": place(run["config"], run.get("axes", {}))}
        for run in told
    ]
    table = on_axes(pd.DataFrame(rows).assign(folder=[*found]), told)
    keys = keys_of(table)
    types = {key: RUN_KEYS.get(key) or _type_of(table[key]) for key in keys}
    made = []
    for values, name in zip(table[[*keys]].astype(object).to_numpy(), table["folder"], strict=True):
        run = found[name]
        made.append(
            Run(
                name,
                int(run["trace_bytes"]),
                dict(zip(keys, values, strict=True)),
                tuple(run.get("unknown", ())),
            )
        )
    return Study(str(folder), types, tuple(made))


def _type_of(column: pd.Series[Any]) -> str:
    """Of an axis, in SQL."""
    kinds = {"i": "bigint", "f": "double"}
    return kinds.get(column.dtype.kind, "string")


@cache
def columns(table: str) -> dict[str, str]:
    """The columns of a table besides the keys of runs, with their types in SQL."""
    if table == "records":
        return {column.name: column.type for column in trace_format.columns()}
    with _connected([], {key: None for key in RUN_KEYS}) as connection:
        described = connection.execute(f"DESCRIBE {_query(table)}").fetchall()
    return {name: _SPARK_TYPES[type_] for name, type_, *_ in described if name not in RUN_KEYS}


_SPARK_TYPES = {
    "BIGINT": "bigint",
    "HUGEINT": "bigint",
    "INTEGER": "int",
    "DOUBLE": "double",
    "VARCHAR": "string",
}


def read(study: Study, run: Run, table: str) -> Iterator[pa.RecordBatch]:
    """The rows of a table of one run, with its keys. Raises MftPubsubError if the run is damaged."""
    runs = Path(study.folder) / "runs"
    try:
        if problem := integrity.examine(runs, run.folder):
            raise BadRunError(problem.reason)
        batches = records.batches(runs / run.folder / TRACE)
        for batch in batches if table == "records" else _answer(run, batches, table):
            yield _with_keys(batch, study.keys, run)
    except BadRunError as error:
        raise MftPubsubError(f"{runs / run.folder}: {error}: `mftpubsub sweep` makes it again") from error


def _answer(run: Run, batches: Iterable[pa.RecordBatch], table: str) -> list[pa.RecordBatch]:
    types = columns(table)
    schema = pa.schema([(name, ARROW_TYPES[type_]) for name, type_ in types.items()])
    with _connected(batches, {key: run.keys[key] for key in RUN_KEYS}) as connection:
        found = connection.sql(_query(table)).to_arrow_table().select([*types]).cast(schema)
    if table == "runs":
        for name in run.unknown:
            place = schema.get_field_index(name)
            found = found.set_column(
                place, schema.field(place), pa.nulls(len(found), schema.field(place).type)
            )
    return list(found.combine_chunks().to_batches())


@contextmanager
def _connected(batches: Iterable[pa.RecordBatch], keys: Mapping[str, Any]) -> Iterator[Any]:
    """A database with the records of a run, its table `trace`."""
    import duckdb

    reader = pa.RecordBatchReader.from_batches(records.schema(), batches)
    literals = ", ".join(f"CAST(? AS {type_}) AS {name}" for name, type_ in RUN_KEYS.items())
    with (
        tempfile.TemporaryDirectory(prefix="mftpubsub-") as spill,
        duckdb.connect(config={"threads": 1, "temp_directory": spill}) as connection,
    ):
        connection.register("records", reader)
        connection.execute(f"CREATE TABLE trace AS SELECT *, {literals} FROM records", [*keys.values()])
        yield connection


def _query(table: str) -> str:
    if table in VIEWS:
        return VIEWS[table].query
    return query({"runs": "metrics"}.get(table, table))


def _with_keys(batch: pa.RecordBatch, keys: Mapping[str, str], run: Run) -> pa.RecordBatch:
    types = [ARROW_TYPES[type_] for type_ in keys.values()]
    named = [
        pa.repeat(pa.scalar(run.keys[key], type_), len(batch)) for key, type_ in zip(keys, types, strict=True)
    ]
    return pa.RecordBatch.from_arrays([*named, *batch.columns], names=[*keys, *batch.schema.names])
