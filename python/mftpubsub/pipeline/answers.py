"""Parts of records to rows of tables, by DuckDB, in a task."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack, chdir
from pathlib import Path

import duckdb
import pyarrow as pa

from mftpubsub.folders import Folder, LocalFolder
from mftpubsub.metrics.table import measure
from mftpubsub.pipeline.manifest import Manifest
from mftpubsub.pipeline.parts import KEYS, PARQUET
from mftpubsub.trace import trace_format
from mftpubsub.trace.layout import RUN_KEYS

#: Records that a task has before it, at most, unless one run has more.
_RECORDS_OF_A_TASK = 2**23


def shares(held: Manifest, cores: int) -> list[tuple[str, ...]]:
    """The parts for each task, those of a run in one of them."""
    units = sorted(
        ((sum(held.parts[part].rows for part in names), names) for names in held.lists_of_parts()),
        reverse=True,
    )
    total = sum(rows for rows, _ in units)
    most = min(_RECORDS_OF_A_TASK, -(-total // (4 * cores)))
    found: list[list[str]] = []
    room = 0
    for rows, names in units:
        if not found or room < rows:
            found.append([])
            room = most
        found[-1] += names
        room -= rows
    return [(*share,) for share in found]


def answer(folder: Folder, queries: list[str], parts: tuple[str, ...]) -> list[pa.Table]:
    """What each query gives over the records in some parts, with the keys of their runs: `trace`."""
    columns = [column.name for column in trace_format.columns()] + ["protocol", "config"]
    columns += [key.name for key in KEYS]
    files = ", ".join(f"'{name.removeprefix(f'{PARQUET}/')}'" for name in parts)
    with ExitStack() as stack:
        spill = stack.enter_context(tempfile.TemporaryDirectory(prefix="mftpubsub-"))
        if isinstance(folder, LocalFolder):
            place = folder.path / PARQUET
        else:
            place = Path(spill) / PARQUET
            for name in parts:
                _fetch(folder, name, Path(spill) / name)
        # From there: of a whole path DuckDB would take `[` for a pattern and any `seed=1` for a column.
        stack.enter_context(chdir(place))
        connection = stack.enter_context(duckdb.connect(config=settings(f"{spill}/spill")))
        connection.execute(
            f"""CREATE VIEW everything AS SELECT {", ".join(columns)}
                FROM read_parquet([{files}], hive_partitioning = true, hive_types_autocast = false)"""
        )
        measure(connection, RUN_KEYS)
        return [connection.sql(query).to_arrow_table() for query in queries]


def settings(spill: str) -> dict[str, str | bool | int | float | list[str]]:
    """Of a task's database, which has its overflow in a folder of this machine."""
    return {"threads": 1, "temp_directory": spill, "memory_limit": "600MB"}


def _fetch(folder: Folder, name: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with folder.on_disk(name) as copy:
        copy.replace(path)
