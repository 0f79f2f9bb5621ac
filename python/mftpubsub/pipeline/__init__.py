"""From trace files to tables: the metrics are SQL, run by Spark over many runs and by DuckDB over one.

Stages: `ingest` (DIR/runs to DIR/parquet), `tables` (DIR/parquet to DIR/tables).
"""

from __future__ import annotations

import sys
from pathlib import Path


def run(folder: Path, master: str | None = None) -> list[str]:
    """Brings DIR/parquet and DIR/tables up to date with DIR/runs, schema and SQL; does nothing if they are.

    Returns the runs that it had to set aside, which a sweep makes again; DIR/ingest-report.json tells why.
    Raises MftPubsubError if there is no complete run or another ingest is at work there, InstallationError if
    Spark cannot start.
    """
    from mftpubsub.errors import MftPubsubError
    from mftpubsub.locking import locked
    from mftpubsub.pipeline.ingest import ingest, plan
    from mftpubsub.pipeline.session import session
    from mftpubsub.pipeline.state import LOCK, damaged
    from mftpubsub.pipeline.tables import are_of, metrics

    if not (folder / "runs").is_dir():
        raise MftPubsubError(f"{folder}: no folder `runs`; `mftpubsub sweep CONFIG --out {folder}` makes it")
    with locked(folder / LOCK, "ingest"):
        todo = plan(folder)
        if not todo.new and not todo.gone and are_of(folder):
            print(f"{folder}: all {len(todo.kept)} runs are in the tables already", file=sys.stderr)
            return []
        spark = session(master)
        ingest(spark, folder, todo)
        if not plan(folder).kept:
            raise MftPubsubError(f"{folder}: no complete run; see {folder / 'ingest-report.json'}")
        # A run that stays damaged is new every time, and changes nothing.
        if not are_of(folder):
            metrics(spark, folder)
        return [*damaged(folder)]
