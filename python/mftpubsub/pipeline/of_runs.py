"""The runs of a study as they lie in DIR/runs, without an ingest: their keys, and tables of each run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import compute

from mftpubsub.errors import MftPubsubError
from mftpubsub.folders import Folder
from mftpubsub.metrics.table import measure, query
from mftpubsub.pipeline import integrity, records
from mftpubsub.pipeline.answers import settings
from mftpubsub.pipeline.integrity import RUNS, BadRunError
from mftpubsub.pipeline.manifest import described, load
from mftpubsub.pipeline.ns3.tables import ARROW_TYPES
from mftpubsub.pipeline.parts import disorder, text_of, whole_run
from mftpubsub.pipeline.pieces import LARGE
from mftpubsub.pipeline.records import NoRecordError
from mftpubsub.pipeline.tables import on_axes, scenario_in, told_of
from mftpubsub.runs.run_tables import VIEWS
from mftpubsub.trace import trace_format
from mftpubsub.trace.layout import RUN_KEYS, TRACE, keys_of, place

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

    folder: Folder
    keys: Mapping[str, str]
    runs: tuple[Run, ...]

    def without_runs(self) -> Study:
        """For tasks, each of which is told its runs."""
        return replace(self, runs=())


def study(folder: Folder) -> Study:
    """The complete runs in DIR/runs. Raises MftPubsubError if there are none."""
    import pandas as pd

    found = _complete(folder)
    if not found:
        raise MftPubsubError(f"{folder}: no complete run; `mftpubsub sweep CONFIG --out {folder}` makes them")
    rows = [
        {key: run[key] for key in RUN_KEYS} | {"config": place(run["config"], run["axes"])} for run in found
    ]
    table = pd.DataFrame(rows).assign(folder=[run["name"] for run in found])
    table = on_axes(table, found, scenario_in(folder))
    keys = keys_of(table)
    types = {key: RUN_KEYS.get(key) or _type_of(table[key]) for key in keys}
    told = {run["name"]: run for run in found}
    made = [
        Run(name, told[name]["trace_bytes"], dict(zip(keys, values, strict=True)), (*told[name]["unknown"],))
        for values, name in zip(table[[*keys]].astype(object).to_numpy(), table["folder"], strict=True)
    ]
    return Study(folder, types, (*made,))


def _complete(folder: Folder) -> list[dict[str, Any]]:
    """What names each complete run, from the manifest of an ingest if the run is as it was then."""
    survey = integrity.survey(folder)
    held = load(folder)
    known = dict(zip(held.column("name"), zip(held.column("stat"), told_of(held), strict=True), strict=True))
    found = []
    for name, stat in survey.runs.items():
        before, told = known.get(name, ((), {}))
        if (*before,) == stat:
            found.append(told)
            continue
        with suppress(BadRunError, FileNotFoundError, KeyError, TypeError):
            metadata, _ = integrity.metadata_of(folder, name)
            if metadata["trace_bytes"] == survey.sizes[name]:
                told = described(metadata)
                found.append(
                    told
                    | {"name": name, "axes": metadata.get("axes", {}), "unknown": metadata.get("unknown", [])}
                )
    return found


def _type_of(column: pd.Series[Any]) -> str:
    """Of an axis, in SQL."""
    kinds = {"i": "bigint", "f": "double"}
    return kinds.get(column.dtype.kind, "string")


@cache
def columns(table: str) -> dict[str, str]:
    """The columns of a table besides the keys of runs, with their types in SQL."""
    if table == "records":
        return {column.name: column.type for column in trace_format.columns()}
    with _connected([], table) as connection:
        described = connection.execute(f"DESCRIBE {_query(table)}").fetchall()
    return {name: _SPARK_TYPES[type_] for name, type_, *_ in described if name not in RUN_KEYS}


_SPARK_TYPES = {
    "BIGINT": "bigint",
    "HUGEINT": "bigint",
    "INTEGER": "int",
    "DOUBLE": "double",
    "VARCHAR": "string",
}


def read(study: Study, run: Run, begin: int = 0, end: int | None = None) -> Iterator[pa.RecordBatch]:
    """The records of one run, or of a range of its trace, with its keys.

    Raises MftPubsubError if the run is damaged. The blocks of a range have check sums of their own; only of
    a trace that is read as a whole the SHA-256 is compared.
    """
    for batch in _records(study.folder, run, begin, end):
        keys = _keys(study, [run], pa.repeat(pa.scalar(0, pa.int64()), len(batch)))
        yield pa.RecordBatch.from_arrays([*keys, *batch.columns], names=[*study.keys, *batch.schema.names])


def answer(study: Study, runs: Sequence[Run], table: str) -> Iterator[pa.RecordBatch]:
    """The rows of a table that is made of records, of some runs at once, with their keys.

    Raises MftPubsubError if a run is damaged.
    """
    types = columns(table)
    schema = pa.schema([(name, ARROW_TYPES[type_]) for name, type_ in types.items()])
    failures: list[MftPubsubError] = []
    with _connected(_numbered(study.folder, runs, failures), table) as connection:
        if failures:
            raise failures[0]
        found = connection.sql(_query(table)).to_arrow_table()
    numbers = found.column(_NUMBER).combine_chunks()
    found = found.select([*types]).cast(schema)
    if table == "runs":
        for name in {name for run in runs for name in run.unknown}:
            place = schema.get_field_index(name)
            is_unknown = pa.array([name in run.unknown for run in runs]).take(numbers)
            known = compute.if_else(
                is_unknown, pa.scalar(None, schema.field(place).type), found.column(place)
            )
            found = found.set_column(place, schema.field(place), known)
    keys = _keys(study, runs, numbers)
    named = pa.table([*keys, *found.columns], names=[*study.keys, *schema.names])
    yield from named.combine_chunks().to_batches()


def _keys(study: Study, runs: Sequence[Run], numbers: pa.Int64Array) -> list[pa.Array]:
    """The keys of the runs with these numbers."""
    return [
        pa.array([run.keys[key] for run in runs], ARROW_TYPES[type_]).take(numbers)
        for key, type_ in study.keys.items()
    ]


def _records(folder: Folder, run: Run, begin: int = 0, end: int | None = None) -> Iterator[pa.RecordBatch]:
    try:
        if end is None and run.bytes < LARGE:
            yield from whole_run(folder, run.folder)[-1]
        else:
            yield from _of_large(folder, run.folder, begin, end)
    except BadRunError as error:
        raise MftPubsubError(
            f"{folder}/{RUNS}/{run.folder}: {error}: `mftpubsub sweep` makes it again"
        ) from error


def _of_large(folder: Folder, name: str, begin: int, end: int | None) -> Iterator[pa.RecordBatch]:
    metadata, _ = integrity.metadata_of(folder, name)
    integrity.check_size(folder, name, metadata)
    if end is None:
        integrity.check_digest(folder.digest(f"{RUNS}/{name}/{TRACE}"), metadata)
    try:
        yield from records.batches(text_of(folder, name, begin, end))
    except NoRecordError as error:
        raise BadRunError(disorder(folder, name, error)) from error


#: Of RUN_KEYS, the column that has the number of a run in a database: all of its keys, but for the axes, may
#: be another one's.
_NUMBER = "seed"


def _numbered(
    folder: Folder, runs: Sequence[Run], failures: list[MftPubsubError]
) -> Iterator[pa.RecordBatch]:
    """The records of runs, with their numbers. DuckDB reads it: what is raised there would become its own."""
    try:
        for number, run in enumerate(runs):
            for batch in _records(folder, run):
                numbers = pa.repeat(pa.scalar(number, pa.int64()), len(batch))
                yield pa.RecordBatch.from_arrays([*batch.columns, numbers], schema=_numbered_schema())
    except MftPubsubError as error:
        failures.append(error)


def _numbered_schema() -> pa.Schema:
    return records.schema().append(pa.field(_NUMBER, pa.int64()))


@contextmanager
def _connected(numbered: Iterable[pa.RecordBatch], table: str) -> Iterator[Any]:
    """A database with records of runs as the query of a table wants them: `trace`."""
    import duckdb

    reader = pa.RecordBatchReader.from_batches(_numbered_schema(), numbered)
    others = "'' AS protocol, '' AS config, CAST(0 AS double) AS speed_mps"
    with (
        tempfile.TemporaryDirectory(prefix="mftpubsub-") as spill,
        duckdb.connect(config=settings(spill)) as connection,
    ):
        connection.register("numbered", reader)
        connection.execute(f"CREATE TABLE everything AS SELECT *, {others} FROM numbered")
        if table in VIEWS:
            connection.execute("CREATE VIEW trace AS FROM everything")
        else:
            measure(connection, RUN_KEYS)
        yield connection


def _query(table: str) -> str:
    if table in VIEWS:
        return VIEWS[table].query(_NUMBER)
    return query({"runs": "metrics"}.get(table, table))
