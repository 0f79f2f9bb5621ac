"""What a folder can do, and one on this machine's file systems."""

from __future__ import annotations

import hashlib
import os
import shutil
import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO

from mftpubsub import files

#: What a file system says of a file for nothing: its size (B), and what changes when it is written again.
Stat = tuple[int, ...]
#: What that is on this machine's file systems (times in ns), and in a store.
LOCAL_STAT = ("size", "mtime", "ctime", "inode")
REMOTE_STAT = ("size", "mtime")
#: How the names of what is being written end.
PARTIAL = ".partial"


class Folder(ABC):
    """Files by their names, relative to the folder, with `/`."""

    @abstractmethod
    def stats(self, below: str) -> dict[str, Stat]:
        """Of all files below a folder of this one, by their names in this one."""

    @abstractmethod
    def stat(self, name: str) -> Stat | None:
        """Of a file; None if it is not there."""

    @abstractmethod
    def opened(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A file to read, at any place. Raises FileNotFoundError."""

    @abstractmethod
    def on_disk(self, name: str) -> AbstractContextManager[Path]:
        """A file, or a copy of it that lives as long as the block, for who needs a path."""

    @abstractmethod
    def scratch(self) -> AbstractContextManager[Path]:
        """A file to write on this machine, which goes with the block unless it is kept."""

    @abstractmethod
    def keep(self, path: Path, name: str) -> None:
        """Gives a file from `scratch` its name here."""

    @abstractmethod
    def upload(self, path: Path, name: str) -> None:
        """Copies a file of this machine, whatever its name."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Removes a file if it is there."""

    @abstractmethod
    def locked(self, name: str, work: str) -> AbstractContextManager[object]:
        """Keeps others out until the block ends. Raises MftPubsubError if another one's `work` goes on."""

    @property
    def for_spark(self) -> str | None:
        """The folder as Spark's own readers name it, without a pattern; None if they need jars for it."""
        return None

    def read(self, name: str) -> bytes:
        """The content of a small file. Raises FileNotFoundError."""
        with self.opened(name) as file:
            return file.read()

    def digest(self, name: str) -> str:
        """SHA-256 (hex) of a file. Raises FileNotFoundError."""
        with self.opened(name) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]

    def write(self, name: str, content: bytes) -> None:
        """Writes a small file."""
        with self.scratch() as path:
            path.write_bytes(content)
            self.keep(path, name)


class LocalFolder(Folder):
    """On a file system with renames and locks; symbolic links are followed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    def __getstate__(self) -> dict[str, Path]:
        return {"path": self.path.absolute()}

    @property
    def for_spark(self) -> str:
        # Java has a working directory of its own, and Spark perhaps another file system by default.
        # No as_uri(): Hadoop takes %20 for three letters.
        return f"file://{self.path.absolute()}"

    def stats(self, below: str) -> dict[str, Stat]:
        found = {}
        for place, _, names in os.walk(self.path / below):
            for name in names:
                path = Path(place, name)
                found[path.relative_to(self.path).as_posix()] = stat_of(path)
        return {name: stat for name, stat in found.items() if stat is not None}

    def stat(self, name: str) -> Stat | None:
        return stat_of(self.path / name)

    def opened(self, name: str) -> AbstractContextManager[BinaryIO]:
        return (self.path / name).open("rb")

    @contextmanager
    def on_disk(self, name: str) -> Iterator[Path]:
        yield self.path / name

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        place = self.path / "parquet"
        place.mkdir(parents=True, exist_ok=True)
        path = place / f"_{uuid.uuid4().hex}{PARTIAL}"
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)

    def keep(self, path: Path, name: str) -> None:
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        path.replace(self.path / name)

    def upload(self, path: Path, name: str) -> None:
        with self.scratch() as copy:
            shutil.copyfile(path, copy)
            self.keep(copy, name)

    def remove(self, name: str) -> None:
        (self.path / name).unlink(missing_ok=True)

    def locked(self, name: str, work: str) -> AbstractContextManager[object]:
        return files.locked(self.path / name, work)


def stat_of(place: Path | os.DirEntry[str]) -> Stat | None:
    """LOCAL_STAT of a file; None if it is not there.

    The time of its last change of any kind is one that no program can set back.
    """
    try:
        found = place.stat()
    except OSError:
        return None
    return (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino & (2**63 - 1))
