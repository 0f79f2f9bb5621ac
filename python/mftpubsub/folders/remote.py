"""A folder that is reached over the network."""

from __future__ import annotations

import io
import shutil
import tempfile
import threading
import time
import uuid
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from mftpubsub.errors import MftPubsubError
from mftpubsub.folders.folder import Folder


class UnreachableError(MftPubsubError):
    """A store does not answer, or refuses: that is no fault of the files in it."""


class RemoteFolder(Folder):
    """Below a URL. A file is copied to this machine for who needs a path, and locks are files."""

    #: s: how long who holds a lock may be silent; it says three times as often that it is there.
    patience = 30.0

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/") if "?" not in url else url

    def __str__(self) -> str:
        return self.url

    def __getstate__(self) -> str:
        return self.url

    def __setstate__(self, url: str) -> None:
        self.url = url

    @abstractmethod
    def raw(self, name: str) -> io.RawIOBase:
        """As `opened`, without a buffer."""

    @abstractmethod
    def names(self) -> list[str]:
        """Of what is in the folder itself."""

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:
        with io.BufferedReader(self.raw(name), 2**20) as file:
            yield file

    @contextmanager
    def on_disk(self, name: str) -> Iterator[Path]:
        with self.scratch() as path:
            with self.opened(name) as source, path.open("wb") as copy:
                shutil.copyfileobj(source, copy, 2**22)
            yield path

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="mftpubsub-") as place:
            yield Path(place) / "file"

    def keep(self, path: Path, name: str) -> None:
        self.upload(path, name)

    @contextmanager
    def locked(self, name: str, work: str) -> Iterator[object]:
        own = f"{name}-{uuid.uuid4().hex}"
        ended = threading.Event()

        def renew() -> None:
            while not ended.wait(self.patience / 3):
                with suppress(MftPubsubError):
                    self.write(own, uuid.uuid4().hex.encode())

        self.write(own, b"begun")
        try:
            # All stores tell at once of what was written: of two that begin, one at least sees the other.
            if self._is_another_alive(name, own):
                raise MftPubsubError(f"another {work} is at work in {self.url}: wait for it")
            renewing = threading.Thread(target=renew, daemon=True)
            renewing.start()
            try:
                yield None
            finally:
                ended.set()
                renewing.join()
        finally:
            self.remove(own)

    def _is_another_alive(self, name: str, own: str) -> bool:
        """Whether another one holds the lock: it renews it while we look, by our own clock alone."""
        others = self._locks(name, own)
        end = time.monotonic() + self.patience
        while others and time.monotonic() < end:
            time.sleep(self.patience / 20)
            now = self._locks(name, own)
            if any(other in others and others[other] != now[other] for other in now):
                return True
            others = {other: word for other, word in others.items() if other in now} | {
                other: now[other] for other in now if other not in others
            }
        for other in others:
            self.remove(other)
        return False

    def _locks(self, name: str, own: str) -> dict[str, bytes]:
        words = {}
        for other in self.names():
            if other.startswith(f"{name}-") and other != own:
                with suppress(FileNotFoundError):
                    words[other] = self.read(other)
        return words


def unreachable(url: str, error: Exception) -> UnreachableError:
    """What a user is told of an error of the place behind a URL."""
    words = " ".join(str(error).split())[:300]
    return UnreachableError(
        f"{url.partition('?')[0]} cannot be used ({words}): the same command goes on where it was"
    )
