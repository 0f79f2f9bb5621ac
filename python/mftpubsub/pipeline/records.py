"""The trace of a run to a Parquet file of its records, by Arrow: each line is parsed once, and checked.

And from such files to rows of tables, by DuckDB.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import duckdb
import pyarrow as pa
from isal import igzip
from pyarrow import compute, csv, parquet

from mftpubsub.files import written
from mftpubsub.pipeline import integrity
from mftpubsub.pipeline.integrity import BadRunError, Problem
from mftpubsub.trace import trace_format
from mftpubsub.trace.layout import PARTS, RUN_KEYS, TRACE

#: In the folder of a run below DIR/parquet.
RECORDS = "records.parquet"
#: Bytes that are parsed at a time, and become a group of rows.
_BLOCK = 2**24

_ARROW_TYPES = {"string": pa.string(), "double": pa.float64(), "int": pa.int32()}


def take(runs: Path, stored: Path, name: str) -> Problem | None:
    """Writes the records of a run below `runs` to `stored`, or says what is wrong with the run.

    May be done again, and by two at once: what has its name is whole.
    """
    if problem := integrity.examine(runs, name):
        return problem
    try:
        convert(runs / name / TRACE, stored / name / RECORDS)
    except BadRunError as error:
        return integrity.problem(runs, name, str(error))
    return None


def convert(trace: Path, target: Path) -> None:
    """Writes the records of a trace, a whole gzip file of ASCII lines, with the columns of trace_schema.yaml.

    `-` is NULL, but in `op`, where it is a letter of its own. The first line and empty ones are left out.
    Raises BadRunError, and writes nothing, at a line that is no record, unless the last line is the only
    END, and at one that is later than it.
    """
    ends, end, latest = 0, math.nan, 0.0
    with written(target) as file, parquet.ParquetWriter(file, schema()) as writer:
        for batch in batches(trace):
            if not batch.num_rows:
                continue
            if not _is_sound(batch):
                raise _damaged(trace)
            writer.write_batch(batch)
            is_end = _is_end(batch)
            ends += compute.sum(is_end).as_py()
            end = batch.column("time_s")[-1].as_py() if is_end[-1].as_py() else math.nan
            latest = max(latest, compute.max(batch.column("time_s")).as_py())
        if ends == 0:
            raise BadRunError("incomplete: 0 END records instead of one")
        if ends > 1 or not latest <= end:
            raise _damaged(trace)


def _is_sound(batch: pa.RecordBatch) -> bool:
    """Whether each record is one by itself, as integrity.complaint tells it of lines."""
    time, layer, kind = (batch.column(name) for name in ("time_s", "layer", "kind"))
    in_time = compute.and_(compute.greater_equal(time, 0.0), compute.less(time, integrity.LAST_TIME))
    of_amounts = [
        compute.match_substring_regex(kind.filter(compute.equal(layer, name)), f"^{pattern}$")
        for name, pattern in integrity.amounts().items()
    ]
    tests = (test.fill_null(False) for test in (in_time, *of_amounts))
    return all(compute.all(test, min_count=0).as_py() for test in tests)


def _damaged(trace: Path, error: object = "its records are in disorder") -> BadRunError:
    return BadRunError(f"damaged: {integrity.complaint(trace) or error}")


def schema() -> pa.Schema:
    """Of the records, for Arrow."""
    return pa.schema([(column.name, _ARROW_TYPES[column.type]) for column in trace_format.columns()])


def batches(trace: Path) -> Iterator[pa.RecordBatch]:
    """The records of a trace, a whole gzip file of ASCII lines. Raises BadRunError at a line that is none."""
    fields = schema()
    op = fields.get_field_index("op")
    try:
        with (
            igzip.open(trace, "rb") as lines,
            csv.open_csv(
                lines,
                csv.ReadOptions(use_threads=False, column_names=fields.names, skip_rows=1, block_size=_BLOCK),
                csv.ParseOptions(delimiter=" ", quote_char=False, escape_char=False),
                csv.ConvertOptions(column_types=fields, null_values=["-"], strings_can_be_null=True),
            ) as parsed,
        ):
            for batch in parsed:
                yield batch.set_column(op, fields.field(op), batch.column(op).fill_null("-"))
    except pa.ArrowInvalid as error:
        raise BadRunError(f"unreadable: {integrity.complaint(trace) or error}") from error


def _is_end(batch: pa.RecordBatch) -> pa.BooleanArray:
    return compute.and_(
        compute.equal(batch.column("layer"), "run"), compute.equal(batch.column("kind"), "END")
    )


def answer(stored: Path, queries: list[str], names: list[str]) -> list[pa.Table]:
    """What each query gives over the records of the runs `names` below `stored`, with their keys: `trace`."""
    keys = zip(PARTS, RUN_KEYS.items(), strict=True)
    columns = [column.name for column in trace_format.columns()]
    columns += [f"CAST({part} AS {type_}) AS {key}" for part, (key, type_) in keys]
    files = ", ".join(f"'{name}/{RECORDS}'" for name in names)
    # From there: of a whole path DuckDB would take `[` for a pattern and any `seed=1` for a column.
    with (
        tempfile.TemporaryDirectory(prefix="mftpubsub-") as spill,
        chdir(stored),
        duckdb.connect(config={"threads": 1, "temp_directory": spill}) as connection,
    ):
        connection.execute(
            f"""CREATE VIEW trace AS SELECT {", ".join(columns)}
                FROM read_parquet([{files}], hive_partitioning = true, hive_types_autocast = false)"""
        )
        return [connection.sql(query).to_arrow_table() for query in queries]
