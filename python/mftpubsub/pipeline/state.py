"""What tells others how far an ingest of a folder is: that one is at work there, that one did not end."""

from __future__ import annotations

from pathlib import Path

#: In DIR: held by the ingest at work there.
LOCK = ".ingest"
#: Within DIR/parquet: of which runs, by which SQL the tables are. Removed first and written last.
SOURCES = "_tables.json"


def are_half_made(folder: Path) -> bool:
    """Whether an ingest that did not end may have left DIR/tables mixed, or none.

    Tables without DIR/parquet, as they are published, are whole.
    """
    parquet = folder / "parquet"
    return parquet.exists() and not (parquet / SOURCES).exists()
