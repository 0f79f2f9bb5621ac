"""Results of many studies in tables of Delta Lake, to which each run's rows are appended once."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from mftpubsub.errors import ConfigurationError, InstallationError, MftPubsubError
from mftpubsub.folders import Folder
from mftpubsub.metrics.table import query
from mftpubsub.pipeline.manifest import load
from mftpubsub.pipeline.tables import OF_RUNS, are_of, on_axes, scenario_in, told_of
from mftpubsub.trace import trace_format
from mftpubsub.trace.layout import RUN_KEYS, keys_of

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from deltalake import DeltaTable

#: What tells a run and what was asked of it, whatever study it is in.
IDENTITY = ("run", "trace_sha256", "trace_version", "query_sha256")
#: The application of Delta's transactions: of two that begin from one version of a table, one fails.
_APPLICATION = "mftpubsub"
#: How often one that another one was ahead of begins again.
_ATTEMPTS = 20


def append(folder: Folder, target: str) -> dict[str, int]:
    """Appends the tables of runs in DIR/tables to `target`/NAME; returns by table how many runs are new."""
    try:
        import deltalake
    except ImportError as error:
        raise InstallationError(
            f"tables of Delta Lake need the package deltalake ({error}): pip install 'mftpubsub[lakehouse]'"
        ) from error
    if not are_of(folder):
        raise MftPubsubError(
            f"{folder}: DIR/tables are not of its runs; `mftpubsub ingest {folder}` makes them"
        )
    if not target:
        raise ConfigurationError("delta: '' is no place for tables, such as 's3://lake/mftpubsub'")
    runs = _identities(folder)
    try:
        return {name: _append(f"{target.rstrip('/')}/{name}", _rows(folder, name, runs)) for name in OF_RUNS}
    except (deltalake.exceptions.DeltaError, OSError) as error:
        raise MftPubsubError(f"{target}: no tables of Delta Lake can be written there: {error}") from error


def _identities(folder: Folder) -> pd.DataFrame:
    """One row a run: what names it in tables, and IDENTITY but for the query."""
    held = load(folder)
    found = held.runs.select([*RUN_KEYS, "name", "trace_sha256"]).to_pandas().rename(columns={"name": "run"})
    found["config"] = held.places().to_pandas()
    found["trace_version"] = trace_format.version()
    return on_axes(found, told_of(held), scenario_in(folder))


def _rows(folder: Folder, name: str, runs: pd.DataFrame) -> pa.Table:
    """A table with the identity of each row's run. Axes that are numbers are so in every study alike."""
    import pandas as pd
    import pyarrow as pa

    with folder.on_disk(f"tables/{name}.parquet") as path:
        table = pd.read_parquet(path)
    digest = hashlib.sha256((query("measured") + query(OF_RUNS[name])).encode()).hexdigest()
    found = table.merge(runs.assign(query_sha256=digest), on=[*keys_of(runs)])
    axes = [key for key in keys_of(runs) if key not in RUN_KEYS and found[key].dtype.kind in "iu"]
    return pa.Table.from_pandas(found.astype(dict.fromkeys(axes, "float64")), preserve_index=False)


def _append(target: str, rows: pa.Table) -> int:
    """Appends the rows of runs that a table does not have, in one commit; returns how many runs these are."""
    from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake
    from deltalake.exceptions import CommitFailedError

    DeltaTable.create(target, rows.schema, mode="ignore")
    for _ in range(_ATTEMPTS):
        table = DeltaTable(target)
        _check_types(table, rows)
        new = _without(rows, table)
        if not len(new):
            return 0
        mark = Transaction(_APPLICATION, table.version() + 1)
        of_ours = CommitProperties(app_transactions=[mark])
        try:
            write_deltalake(table, new, mode="append", schema_mode="merge", commit_properties=of_ours)
        except CommitFailedError:
            continue
        return len(new.group_by([*IDENTITY]).aggregate([]))
    raise MftPubsubError(f"{target}: others append all the time; the same command goes on later")


def _check_types(table: DeltaTable, rows: pa.Table) -> None:
    """Raises MftPubsubError if a column has another type in the table."""
    from deltalake import Schema

    types = {field.name: field.type for field in table.schema().fields}
    for field in Schema.from_arrow(rows.schema).fields:
        if types.get(field.name, field.type) != field.type:
            raise MftPubsubError(
                f"{table.table_uri}: column {field.name} has {types[field.name].type} there, "
                f"{field.type.type} here: append this study to another place"
            )


def _without(rows: pa.Table, table: DeltaTable) -> pa.Table:
    """The rows of runs that a table does not have."""
    import duckdb

    # Some rows at a time: Arrow reads 4 files and 16 batches ahead by default.
    scanner = table.to_pyarrow_dataset().scanner(columns=[*IDENTITY], batch_readahead=1, fragment_readahead=1)
    with duckdb.connect() as connection:
        connection.register("there", scanner.to_reader())
        there = connection.sql(f"SELECT DISTINCT {', '.join(IDENTITY)} FROM there").to_arrow_table()
    return rows.join(there.cast(rows.select(IDENTITY).schema), [*IDENTITY], join_type="left anti")
