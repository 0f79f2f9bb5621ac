"""Writing a trace, and whether one is compressed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mftpubsub.errors import DiskFullError, RunError, is_disk_full
from mftpubsub.files import unfinished_of
from mftpubsub.trace.blocks import Cutter

#: Of a trace's first line.
_FIRST_WORDS = b"# mftpubsub-trace "


def is_compressed(path: Path) -> bool:
    """Whether a file is of gzip: Python's traces are, those of C++ scripts are plain text."""
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def is_trace(path: Path) -> bool:
    """Whether a file begins as a trace does, or is compressed, as no other text that we read is."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(len(_FIRST_WORDS))
    return start == _FIRST_WORDS or is_compressed(path)


def temporary() -> tuple[tempfile.TemporaryDirectory[str], Path]:
    """A folder that goes when nobody holds it, and a trace's place there."""
    folder = tempfile.TemporaryDirectory(prefix="mftpubsub-")
    return folder, Path(folder.name) / "trace.gz"


class TraceFile:
    """A trace being written, gzip in blocks: under its name when it is complete, else it leaves nothing.

    Without a path it is temporary and lives as long as `keep`. Raises RunError if it cannot be written,
    ConfigurationError for what is no regular file.
    """

    def __init__(self, path: str | Path | None) -> None:
        self.keep: tempfile.TemporaryDirectory[str] | None = None
        if path is None:
            self.keep, path = temporary()
        self.path = Path(path)
        with self._writing():
            self._partial = unfinished_of(self.path)
            self._file = self._partial.open("wb")
        self._cutter = Cutter()

    def __enter__(self) -> TraceFile:
        return self

    def __exit__(self, *error: object) -> None:
        self._partial.unlink(missing_ok=True)
        with suppress(OSError):  # of a full disk: `write` or `complete` has told of it
            self._file.close()

    def write(self, block: bytes) -> None:
        with self._writing():
            self._file.write(self._cutter.add(block))

    def complete(self) -> None:
        """Gives the file its name."""
        with self._writing():
            self._file.write(self._cutter.end())
            self._file.close()
            self._partial.replace(self.path)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            kind = DiskFullError if is_disk_full(error) else RunError
            raise kind(f"{self.path} cannot be written: {error.strerror or error}") from error
