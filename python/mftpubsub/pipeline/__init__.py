"""From trace files to tables: the metrics are SQL, which Spark's tasks have DuckDB run, each over some runs.

Stages: `ingest` (DIR/runs to DIR/parquet), `tables` (DIR/parquet to DIR/tables).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EDQUOT, ENOSPC
from pathlib import Path


def run(folder: Path, master: str | None = None) -> list[str]:
    """Brings DIR/parquet and DIR/tables up to date with DIR/runs, schema and SQL; does nothing if they are.

    Returns the runs that it had to set aside, which a sweep makes again; DIR/ingest-report.json tells why.
    Raises MftPubsubError if there is no complete run or another ingest is at work there, InstallationError if
    Spark cannot start.
    """
    from mftpubsub.errors import MftPubsubError
    from mftpubsub.files import locked
    from mftpubsub.notes import tell
    from mftpubsub.pipeline.ingest import ingest, plan
    from mftpubsub.pipeline.marks import LOCK, REPORT, damaged
    from mftpubsub.pipeline.session import session
    from mftpubsub.pipeline.tables import are_of, metrics

    if not (folder / "runs").is_dir():
        raise MftPubsubError(f"{folder}: no folder `runs`; `mftpubsub sweep CONFIG --out {folder}` makes it")
    with locked(folder / LOCK, "ingest"):
        todo = plan(folder)
        if not todo.new and not todo.gone and are_of(folder):
            tell(f"{folder}: all {len(todo.kept)} runs are in the tables already")
            return []
        with _telling_a_full_disk(folder):
            spark = session(master, light=True)
            ingest(spark, folder, todo)
            if not plan(folder).kept:
                raise MftPubsubError(f"{folder}: no complete run; see {folder / REPORT}")
            # A run that stays damaged is new every time, and changes nothing.
            if not are_of(folder):
                metrics(spark, folder)
        return [*damaged(folder)]


@contextmanager
def _telling_a_full_disk(folder: Path) -> Iterator[None]:
    """Raises DiskFullError where Python, or Spark in pages, say that no room is left."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    from mftpubsub.errors import DiskFullError

    try:
        yield
    except (OSError, Py4JError, PySparkException) as error:
        words = [os.strerror(number) for number in (ENOSPC, EDQUOT)]
        if any(word in str(error) for word in words):
            raise DiskFullError(
                f"{folder}: the disk is full; make room, and the same command goes on"
            ) from error
        raise
