"""What tells others how far an ingest or a join of a folder is: that one is at work, that one did not end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mftpubsub.errors import MftPubsubError
from mftpubsub.folders import Folder

#: In DIR: held by the ingest or join at work there.
LOCK = ".ingest"
#: In DIR while a join replaces what it changes: what was there before.
BEFORE = "before-join"
#: Within DIR/parquet: of which runs, by which SQL the tables are, and what they hold. Removed first and
#: written last.
SOURCES = "_tables.json"
#: There: what `note_join` was told.
_JOINED = "joined"
#: In DIR: what the newest ingest took and what it set aside.
REPORT = "ingest-report.json"


def report(folder: Folder) -> dict[str, Any]:
    """What the newest ingest has told in REPORT; nothing if that is gone or damaged."""
    return _read(folder, REPORT)


def joined(folder: Folder) -> list[str]:
    """The commands that have put runs of others into the tables since an ingest made them."""
    return list(_read(folder, f"parquet/{SOURCES}").get(_JOINED, []))


def note_join(folder: Folder, command: str) -> None:
    """Tells the next ingest of a folder, which makes the tables anew, what it undoes."""
    if told := _read(folder, f"parquet/{SOURCES}"):
        told[_JOINED] = [*joined(folder), command]
        folder.write(f"parquet/{SOURCES}", json.dumps(told, indent=1).encode())


def _read(folder: Folder, name: str) -> dict[str, Any]:
    try:
        return dict(json.loads(folder.read(name)))
    except (FileNotFoundError, ValueError, TypeError):
        return {}


def damaged(folder: Folder) -> dict[str, list[str]]:
    """The runs that the newest ingest set aside, each with its stamp at that time."""
    return dict(report(folder).get("damaged", {}))


def are_half_made(folder: Path) -> bool:
    """Whether an ingest that did not end may have left DIR/tables mixed, or none.

    Tables without DIR/parquet, as they are published, are whole.
    """
    parquet = folder / "parquet"
    return parquet.exists() and not (parquet / SOURCES).exists()


def refuse_half_joined(folder: Path) -> None:
    """Raises MftPubsubError where a join did not end: the next would put older tables over newer work."""
    if (folder / BEFORE).exists():
        raise MftPubsubError(
            f"{folder}: a join did not end, so its tables may be mixed; "
            f"repeat that `mftpubsub join`, which first puts back what is in {folder / BEFORE}"
        )
