"""Writing a trace."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from isal import igzip

from mftpubsub.errors import DiskFullError, RunError, is_disk_full
from mftpubsub.files import unfinished_of

#: Of 0 to 3: an eighth of the time that zlib takes at its level 4, 9 % more bytes.
COMPRESSION_LEVEL = 1


class TraceFile:
    """A trace being written (gzip): it appears under its name when it is complete, else it leaves nothing.

    Without a path it is temporary and lives as long as `keep`. Raises RunError if it cannot be written.
    """

    def __init__(self, path: str | Path | None) -> None:
        self.keep = None
        if path is None:
            self.keep = tempfile.TemporaryDirectory(prefix="mftpubsub-")
            path = Path(self.keep.name) / "trace.gz"
        self.path = Path(path)
        self._partial = unfinished_of(self.path)
        with self._writing():
            self._file = self._partial.open("wb")
        self._gzip = igzip.IGzipFile(
            filename="", mode="wb", compresslevel=COMPRESSION_LEVEL, fileobj=self._file, mtime=0
        )

    def __enter__(self) -> TraceFile:
        return self

    def __exit__(self, *error: object) -> None:
        self._partial.unlink(missing_ok=True)
        with suppress(OSError):  # of a full disk: `write` or `complete` has told of it
            self._close()

    def write(self, block: bytes) -> None:
        with self._writing():
            self._gzip.write(block)

    def complete(self) -> None:
        """Gives the file its name."""
        with self._writing():
            self._close()
            self._partial.replace(self.path)

    def _close(self) -> None:
        try:
            self._gzip.close()
        finally:
            self._file.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            kind = DiskFullError if is_disk_full(error) else RunError
            raise kind(f"{self.path} cannot be written: {error.strerror or error}") from error
