"""What stands in a folder of tables is replaced all at once, by one command at a time."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from mftpubsub.errors import MftPubsubError
from mftpubsub.files import copy_tree, locked, remove
from mftpubsub.notes import tell
from mftpubsub.pipeline.marks import BEFORE, LOCK
from mftpubsub.trace.layout import PARTIAL

#: In DIR: one row for each run that `verify` made again.
VERIFIED = "verified.csv"
#: In DIR: what `join` changes.
_JOINED = ("tables", "costs.parquet", "costs.csv", "studies", VERIFIED)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Neither an ingest nor another join is at work in the folder meanwhile. Ends a join that did not."""
    if not folder.is_dir():
        raise MftPubsubError(f"{folder} is no folder: give one of a study that has tables")
    with locked(folder / LOCK, "ingest or join"):
        _put_back(folder)
        for unfinished in folder.glob(f"{PARTIAL}*"):
            remove(unfinished)
        yield


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """Gives a copy of what `join` changes, which takes its place all at once when the block has ended well.

    Who is interrupted leaves all as it was. Who is killed leaves what was there in DIR/BEFORE.
    """
    with TemporaryDirectory(dir=folder, prefix=PARTIAL) as temporary:
        made = Path(temporary) / "made"
        made.mkdir()
        for path in (folder / name for name in _JOINED):
            if path.is_dir():
                copy_tree(path, made / path.name, shutil.copy2)
            elif path.exists():
                shutil.copy2(path, made)
        yield made
        before = folder / BEFORE
        try:
            before.mkdir()
            _move(folder, before)
            _move(made, folder)
            before.rename(Path(temporary) / "old")
        except BaseException:
            _put_back(folder)
            raise


def _put_back(folder: Path) -> None:
    """Ends a join that did not: what was there before it is there again."""
    if (folder / BEFORE).exists():
        tell(f"{folder}: a join did not end, and what was there before it is there again")
        _move(folder / BEFORE, folder)
        remove(folder / BEFORE)


def _move(source: Path, target: Path) -> None:
    for name in _JOINED:
        if (source / name).exists():
            remove(target / name)
            (source / name).rename(target / name)
