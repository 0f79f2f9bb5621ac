"""The metrics of one trace, by DuckDB: the same SQL that the pipeline runs over all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mftpubsub.errors import QueryError
from mftpubsub.metrics.database import small_database
from mftpubsub.metrics.table import measure, query
from mftpubsub.trace import trace_format
from mftpubsub.trace.file import is_compressed
from mftpubsub.trace.layout import RUN_KEYS

if TYPE_CHECKING:
    import pandas as pd


def _records(path: Path) -> str:
    """Table function that reads a trace file, its one parameter; a line not of the schema is an error."""
    compression = "gzip"
    if path.is_file() and not is_compressed(path):
        compression = "none"
        _check_header(path)
    types = ", ".join(f"'{column.name}': '{column.type.upper()}'" for column in trace_format.columns())
    # By its suffix DuckDB would take a trace that a user calls x.trace for plain text.
    return f"""read_csv(?, compression = '{compression}', delim = ' ', quote = '', escape = '', nullstr = '-',
                        skip = 1, header = false, auto_detect = false, hive_partitioning = false,
                        columns = {{{types}}})"""


def _check_header(path: Path) -> None:
    """Raises QueryError for a text that does not begin as a trace does: any other may be read as one."""
    with path.open("rb") as text:
        first = text.readline(200).decode("ascii", "replace").rstrip("\n")
    if first != trace_format.header():
        raise QueryError(f"{path} is no whole trace: run the scenario again (its first line is {first!r})")


#: B, compressed: for the records of a longer trace DuckDB takes all cores.
_SHORT = 1 << 20

#: `-` is NULL in every column but `op`, where it is a letter of its own.
_FIELDS = "* REPLACE (coalesce(op, '-') AS op)"


@contextmanager
def _connected(path: Path) -> Iterator[tuple[Any, str]]:
    """A database, and what it calls the trace file `path`. Raises QueryError if that cannot be read."""
    import duckdb

    try:
        with small_database() if _is_short(path) else duckdb.connect() as connection:
            yield connection, re.sub(r"([\[*?])", r"[\1]", str(path))  # it takes names for patterns
    except duckdb.Error as error:
        why = " ".join(str(error).split())[:200]
        raise QueryError(f"{path} is no whole trace: run the scenario again ({why})") from error


def _is_short(path: Path) -> bool:
    return path.is_file() and path.stat().st_size < _SHORT


def read_trace(path: Path) -> pd.DataFrame:
    """The records of one trace file, with the columns and units of trace_format.yaml."""
    with _connected(path) as (connection, trace):
        frame: pd.DataFrame = connection.execute(f"SELECT {_FIELDS} FROM {_records(path)}", [trace]).df()
    return frame


def query_trace(path: Path, queries: Iterable[str]) -> list[pd.DataFrame]:
    """What each query gives over the records of one trace file, its table `trace`."""
    with _connected(path) as (connection, trace):
        connection.execute(f"CREATE TEMP TABLE trace AS SELECT {_FIELDS} FROM {_records(path)}", [trace])
        return [connection.execute(query).df() for query in queries]


def metrics_of(path: Path, keys: Mapping[str, Any]) -> dict[str, Any]:
    """Metrics of one trace by name (metrics.sql), `frames_by_kind` and `lost_by_cause` as dicts of counts.

    `keys` names the run: protocol, config, speed_mps and seed. An undefined metric is None.
    """
    literals = ", ".join(f"CAST(? AS {type_}) AS {name}" for name, type_ in RUN_KEYS.items())
    values = [keys[name] for name in RUN_KEYS]
    with _connected(path) as (connection, trace):
        connection.execute(
            f"CREATE TEMP TABLE everything AS SELECT {_FIELDS}, {literals} FROM {_records(path)}",
            [*values, trace],
        )
        measure(connection, RUN_KEYS)
        result = connection.execute(query("metrics"))
        names = [column[0] for column in result.description]
        metrics = dict(zip(names, result.fetchone() or (), strict=True))
        for name, table in (("frames_by_kind", "frames_by_kind"), ("lost_by_cause", "losses")):
            rows = connection.execute(query(table)).fetchall()
            metrics[name] = {kind: count for kind, count, *_ in (row[len(RUN_KEYS) :] for row in rows)}
    return metrics
