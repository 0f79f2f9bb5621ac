"""The file of what a station of one's own keeps in `stable`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, BinaryIO

from mftpubsub.errors import RunError
from mftpubsub.protocols import given

#: Lines of a file, in bytes, after which only the last is kept.
_LARGE = 1 << 20


class StableFile:
    """What is in `stable`, over ends of the process.

    Each line is all of it, and the last whole line counts: one that a loss of power has cut is as if it had
    not been written. What `keep` has written survives the end of the process; `sync` makes it survive a loss
    of power.
    """

    def __init__(self, path: Path) -> None:
        """Raises RunError for a file that is damaged, or cannot be read."""
        self._path = path
        self.values: dict[str, Any] = _read(path)
        self._text = _line(self.values)
        self._file: BinaryIO | None = None
        self._bytes = 0
        self._is_synced = True

    def keep(self, stable: dict[str, Any]) -> None:
        """Writes what is stable, if it is something else than before. Raises ValueError: JSON has it not."""
        try:
            text = _line(stable)
        except (TypeError, ValueError):
            text = b""  # told next
        if text == self._text:
            return
        given.storage(stable)
        self._text = text
        if self._file is None or self._bytes > _LARGE + len(text):
            self._begin()
        else:
            self._file.write(text)
            self._bytes += len(text)
        self._is_synced = False

    def _begin(self) -> None:
        """Another file, with the last line only, takes the place of this one."""
        self.close()
        new = self._path.with_name(f"{self._path.name}.new")
        file = new.open("wb", buffering=0)
        file.write(self._text)
        os.fsync(file.fileno())
        new.replace(self._path)
        sync_folder(self._path.parent)  # the name itself must last, too
        self._file, self._bytes = file, len(self._text)

    def sync(self) -> None:
        """Makes what was kept survive a loss of power."""
        if self._file and not self._is_synced:
            os.fsync(self._file.fileno())
            self._is_synced = True

    def close(self) -> None:
        """Makes it survive, and closes the file."""
        self.sync()
        if self._file:
            self._file.close()
            self._file = None


def sync_folder(folder: Path) -> None:
    """Makes names of files survive a loss of power."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _line(stable: dict[str, Any]) -> bytes:
    return json.dumps(stable, sort_keys=True).encode() + b"\n"


def _read(path: Path) -> dict[str, Any]:
    """Of the last whole line; empty if there is no file."""
    try:
        lines = path.read_bytes().split(b"\n")[:-1]
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise RunError(f"{path}: {error.strerror}") from error
    for line in reversed(lines):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            return found
    raise RunError(f"{path} is damaged: no line of it is whole")
