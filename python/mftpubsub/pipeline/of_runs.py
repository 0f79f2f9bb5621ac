"""The runs of a study as they lie in DIR/runs, without an ingest: their keys, and tables of each run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import compress
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import compute

from mftpubsub.errors import MftPubsubError
from mftpubsub.folders import Folder
from mftpubsub.metrics.table import measure, query
from mftpubsub.pipeline import integrity, records
from mftpubsub.pipeline.answers import settings
from mftpubsub.pipeline.integrity import RUNS, BadRunError
from mftpubsub.pipeline.ns3.tables import ARROW_TYPES
from mftpubsub.pipeline.parts import disorder, text_of, whole_run
from mftpubsub.pipeline.pieces import LARGE
from mftpubsub.pipeline.records import NoRecordError
from mftpubsub.pipeline.tables import on_axes, scenario_in
from mftpubsub.runs.run_tables import VIEWS
from mftpubsub.trace import trace_format
from mftpubsub.trace.layout import PARTS, RUN_KEYS, TRACE, is_foreign, keys_of

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


#: By table and column: the metric without which nobody knows it. FlowMonitor alone tells no datagram's times.
_KNOWN_BY = {
    "deliveries": {
        **dict.fromkeys(("published_s", "matched_s", "delivered_s", "delay_s"), "delay_median_s"),
        "duplicates": "duplicates",
    },
    "nodes": {
        **dict.fromkeys(("frames", "bytes"), "frames"),
        **{"published": "published", "delivered": "delivered_pairs", "migrations": "migrations"},
    },
}


@dataclass(frozen=True)
class Run:
    """A run: its folder below DIR/runs, its trace's size (B), and its keys."""

    folder: str
    bytes: int
    keys: Mapping[str, Any]


@dataclass(frozen=True)
class Study:
    """The complete runs of a folder; `keys` are the columns that name a run, with their types in SQL.

    `runs`: a row a run, its folder, the bytes of its trace, and its keys.
    """

    folder: Folder
    keys: Mapping[str, str]
    runs: pa.Table

    def without_runs(self) -> Study:
        """For tasks, each of which is told its runs."""
        return replace(self, runs=self.runs.schema.empty_table())

    def places(self) -> Iterator[tuple[str, int]]:
        """Of each run the folder, and the size of its trace, B."""
        for batch in self.runs.select([_FOLDER, _BYTES]).to_batches(2**12):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    def run(self, row: Mapping[str, Any]) -> Run:
        """A run by its row in `runs`."""
        return Run(row[_FOLDER], row[_BYTES], {key: row[key] for key in self.keys})


#: Columns of a study's runs, which no axis is called.
_FOLDER, _BYTES = "its folder", "its bytes"
#: How the folder of a run is called.
_NAMED = "^" + "/".join(f"{part}=(?P<{part}>[^/]+)" for part in PARTS) + "$"


def study(folder: Folder) -> Study:
    """The complete runs in DIR/runs.

    Reads one run.json for each protocol and configuration with its axes; all else is in the folders' names.
    Raises MftPubsubError if there are none, or none of a protocol and configuration can be read.
    """
    survey = integrity.survey(folder)
    is_complete = survey.are_complete()
    names = [*compress(survey.runs, is_complete)]
    if not names:
        raise MftPubsubError(f"{folder}: no complete run; `mftpubsub sweep CONFIG --out {folder}` makes them")
    table = _named(folder, names)
    table[_FOLDER], table[_BYTES] = names, survey.sizes[is_complete]
    table = on_axes(table, _told(folder, names), scenario_in(folder))
    keys = keys_of(table)
    types = {key: RUN_KEYS.get(key) or _type_of(table[key]) for key in keys}
    columns = {_FOLDER: pa.string(), _BYTES: pa.int64()} | {key: ARROW_TYPES[types[key]] for key in keys}
    runs = pa.Table.from_pandas(table, pa.schema([*columns.items()]), preserve_index=False)
    return Study(folder, types, runs.replace_schema_metadata())


def _named(folder: Folder, names: list[str]) -> pd.DataFrame:
    """RUN_KEYS of runs, as their folders are called; the configuration has its axes with it."""
    try:
        return _parsed(names)
    except ValueError as error:
        wrong = next(name for name in names if not _is_named(name))
        raise MftPubsubError(f"{folder}/{RUNS}/{wrong!r}: no run is called so: remove it") from error


def _parsed(names: list[str]) -> pd.DataFrame:
    """The same. Raises ValueError, of which Arrow's errors and Unicode's are, if one is called otherwise."""
    import pandas as pd

    parts = compute.extract_regex(pa.array(names), _NAMED)
    if parts.null_count:
        raise ValueError("not all have the parts of a run's name")
    columns = {part: compute.struct_field(parts, part) for part in PARTS}
    columns["speed_mps"] = columns.pop("speed").cast(pa.float64())
    columns["seed"] = columns["seed"].cast(pa.int64())
    return pd.DataFrame({key: columns[key].to_pandas() for key in RUN_KEYS})


def _is_named(name: str) -> bool:
    try:
        _parsed([name])
    except ValueError:
        return False
    return True


def _told(folder: Folder, names: Sequence[str]) -> list[dict[str, Any]]:
    """What the last run of each protocol and configuration, with its axes, says: those of all its runs."""
    of_places: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        of_places.setdefault(tuple(name.split("/")[:2]), []).append(name)
    with ThreadPoolExecutor(4) as pool:
        return [*pool.map(partial(_told_by_one, folder), of_places.values())]


def _told_by_one(folder: Folder, names: Sequence[str]) -> dict[str, Any]:
    """What the last of some runs whose run.json can be read says."""
    for name in reversed(names):
        try:
            metadata, _ = integrity.metadata_of(folder, name)
        except (BadRunError, FileNotFoundError) as error:
            reason = f"{folder}/{RUNS}/{name}: {error}: {_remedy(folder, name)}"
            continue
        told = {key: metadata[key] for key in ("protocol", "config")} | {"axes": metadata.get("axes", {})}
        return told | {"name": name, "is_foreign": is_foreign(metadata)}
    raise MftPubsubError(reason)


def _remedy(folder: Folder, name: str) -> str:
    is_imported = integrity.is_imported(folder, name)
    return "remove it and import it again" if is_imported else "`mftpubsub sweep` makes it again"


def _type_of(column: pd.Series[Any]) -> str:
    """Of an axis, in SQL."""
    kinds = {"i": "bigint", "f": "double"}
    return kinds.get(column.dtype.kind, "string")


@cache
def columns(table: str) -> dict[str, str]:
    """The columns of a table besides the keys of runs, with their types in SQL."""
    if table == "records":
        return {column.name: column.type for column in trace_format.columns()}
    with _connected((), table) as connection:
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
    with _damage_told(study.folder, run):
        for batch in _opened(study.folder, run, begin, end)[1]:
            keys = _keys(study, [run], pa.repeat(pa.scalar(0, pa.int64()), len(batch)))
            yield pa.RecordBatch.from_arrays(
                [*keys, *batch.columns], names=[*study.keys, *batch.schema.names]
            )


def answer(study: Study, runs: Sequence[Run], table: str) -> Iterator[pa.RecordBatch]:
    """The rows of a table that is made of records, of some runs at once, with their keys.

    Raises MftPubsubError if a run is damaged.
    """
    types = columns(table)
    schema = pa.schema([(name, ARROW_TYPES[type_]) for name, type_ in types.items()])
    failures: list[MftPubsubError] = []
    unknown: list[list[str]] = []
    with _connected(_numbered(study.folder, runs, failures, unknown), table) as connection:
        if failures:
            raise failures[0]
        found = connection.sql(_query(table)).to_arrow_table()
    numbers = found.column(_NUMBER).combine_chunks()
    found = found.select([*types]).cast(schema)
    for name in types:
        metric = name if table == "runs" else _KNOWN_BY.get(table, {}).get(name)
        if any(metric in names for names in unknown):
            place = schema.get_field_index(name)
            is_unknown = pa.array([metric in names for names in unknown]).take(numbers)
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


@contextmanager
def _damage_told(folder: Folder, run: Run) -> Iterator[None]:
    """Raises MftPubsubError, which names the run, where it is damaged."""
    try:
        yield
    except BadRunError as error:
        told = f"{folder}/{RUNS}/{run.folder}: {error}: {_remedy(folder, run.folder)}"
        raise MftPubsubError(told) from error


def _opened(
    folder: Folder, run: Run, begin: int = 0, end: int | None = None
) -> tuple[dict[str, Any], Iterator[pa.RecordBatch]]:
    """What a run's run.json says, and its records, or those of a range of its trace. Raises BadRunError."""
    if end is None and run.bytes < LARGE:
        metadata, _, found = whole_run(folder, run.folder)
        return metadata, iter(found)
    metadata, _ = integrity.metadata_of(folder, run.folder)
    integrity.check_size(folder, run.folder, metadata)
    if end is None:
        integrity.check_digest(folder.digest(f"{RUNS}/{run.folder}/{TRACE}"), metadata)
    return metadata, _of_large(folder, run.folder, begin, end)


def _of_large(folder: Folder, name: str, begin: int, end: int | None) -> Iterator[pa.RecordBatch]:
    try:
        yield from records.batches(text_of(folder, name, begin, end))
    except NoRecordError as error:
        raise BadRunError(disorder(folder, name, error)) from error


#: Of RUN_KEYS, the column that has the number of a run in a database: all of its keys, but for the axes, may
#: be another one's.
_NUMBER = "seed"


def _numbered(
    folder: Folder, runs: Sequence[Run], failures: list[MftPubsubError], unknown: list[list[str]]
) -> Iterator[pa.RecordBatch]:
    """The records of runs, with their numbers. DuckDB reads it: what is raised there would become its own.

    Notes of each run which metrics nobody knows of it.
    """
    try:
        for number, run in enumerate(runs):
            with _damage_told(folder, run):
                metadata, found = _opened(folder, run)
                unknown.append(metadata.get("unknown", []))
                for batch in found:
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
