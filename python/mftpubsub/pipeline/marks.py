"""What tells others how far an ingest of a folder is: that one is at work there, that one did not end."""

from __future__ import annotations

from pathlib import Path

from mftpubsub.files import read_json

#: In DIR: held by the ingest at work there.
LOCK = ".ingest"
#: Within DIR/parquet: of which runs, by which SQL the tables are, and what they hold. Removed first and
#: written last.
SOURCES = "_tables.json"
#: In DIR: what the newest ingest took and what it set aside.
REPORT = "ingest-report.json"


def damaged(folder: Path) -> dict[str, list[int]]:
    """The runs that the newest ingest set aside, each with its stamp at that time."""
    return dict(read_json(folder / REPORT).get("damaged", {}))


def are_half_made(folder: Path) -> bool:
    """Whether an ingest that did not end may have left DIR/tables mixed, or none.

    Tables without DIR/parquet, as they are published, are whole.
    """
    parquet = folder / "parquet"
    return parquet.exists() and not (parquet / SOURCES).exists()
