"""A study's folder wherever it lies: on this machine's file systems, in an object store, in HDFS.

A file appears under its name as a whole or not at all. Object stores have no rename and no locks: a file is
there once its upload has ended, and who works in a folder says so by a file that it keeps renewing.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
import tempfile
import threading
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import parse_qsl, unquote, urlsplit

from mftpubsub import files
from mftpubsub.errors import ConfigurationError, MftPubsubError, is_disk_full

#: What a file system says of a file for nothing: its size (B), and what changes when it is written again.
Stat = tuple[int, ...]
#: What that is on this machine's file systems (times in ns), and in a store.
LOCAL_STAT = ("size", "mtime", "ctime", "inode")
REMOTE_STAT = ("size", "mtime")
#: How the names of what is being written end.
PARTIAL = ".partial"


class UnreachableError(MftPubsubError):
    """A store does not answer, or refuses: that is no fault of the files in it."""


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


class RemoteFolder(Folder):
    """Below a URL that pyarrow has a file system for: `s3://`, `gs://`, `hdfs://` and the like."""

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

    @cached_property
    def _system(self) -> tuple[Any, str]:
        """The file system, and the folder's path there."""
        with _reached(self.url):
            return _file_system(self.url)

    def stats(self, below: str) -> dict[str, Stat]:
        from pyarrow.fs import FileSelector, FileType

        system, base = self._system
        with _reached(self.url):
            found = system.get_file_info(
                FileSelector(f"{base}/{below}".rstrip("/"), allow_not_found=True, recursive=True)
            )
        return {
            info.path[len(base) + 1 :]: (info.size, info.mtime_ns or 0)
            for info in found
            if info.type == FileType.File
        }

    def stat(self, name: str) -> Stat | None:
        from pyarrow.fs import FileType

        system, base = self._system
        with _reached(self.url):
            info = system.get_file_info(f"{base}/{name}")
        return (info.size, info.mtime_ns or 0) if info.type == FileType.File else None

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:
        system, base = self._system
        with _reached(self.url):
            file = io.BufferedReader(_Raw(system.open_input_file(f"{base}/{name}"), self.url), 2**20)
        with file:
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

    def upload(self, path: Path, name: str) -> None:
        system, base = self._system
        final = f"{base}/{name}"
        has_rename = system.type_name in ("hdfs", "local")
        target = f"{base}/_{uuid.uuid4().hex}{PARTIAL}" if has_rename else final
        with _reached(self.url):
            if has_rename:
                system.create_dir(final.rpartition("/")[0], recursive=True)
            _copy(path, system, target)
            if has_rename:
                system.move(target, final)

    def remove(self, name: str) -> None:
        system, base = self._system
        with _reached(self.url), suppress(FileNotFoundError):
            system.delete_file(f"{base}/{name}")

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
        system, base = self._system
        from pyarrow.fs import FileSelector

        with _reached(self.url):
            found = system.get_file_info(FileSelector(base, allow_not_found=True))
        names = [info.path[len(base) + 1 :] for info in found]
        words = {}
        for other in names:
            if other.startswith(f"{name}-") and other != own:
                with suppress(FileNotFoundError):
                    words[other] = self.read(other)
        return words


class _Raw(io.RawIOBase):
    """A file of pyarrow's whose errors are ours."""

    def __init__(self, file: Any, url: str) -> None:
        self._file, self._url = file, url

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def readinto(self, buffer: Any) -> int:
        with _reached(self._url):
            return int(self._file.readinto(buffer))

    def readall(self) -> bytes:
        with _reached(self._url):
            return bytes(self._file.read())  # Python's own asks for 8 KiB at a time, each a request

    def close(self) -> None:
        self._file.close()
        super().close()


def _copy(path: Path, system: Any, target: str) -> None:
    """Writes a file of this machine to another file system.

    Within one call, which Ctrl-C does not end: pyarrow's streams cannot be given up. One that is closed has
    what it was given appear as a whole file.
    """
    from pyarrow import fs

    fs.copy_files(
        str(path.absolute()),
        target,
        source_filesystem=fs.LocalFileSystem(),
        destination_filesystem=system,
        chunk_size=2**22,
        use_threads=False,
    )


@contextmanager
def _reached(url: str) -> Iterator[None]:
    """Raises UnreachableError where pyarrow's file systems say that they cannot do something."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError:
        raise
    except (OSError, pa.ArrowException) as error:
        if isinstance(error, OSError) and is_disk_full(error):
            raise
        words = " ".join(str(error).split())[:300]
        raise UnreachableError(
            f"{url.partition('?')[0]} cannot be used ({words}): the same command goes on where it was"
        ) from error


#: How often a request to S3 is made, in all, before it counts as failed.
_ATTEMPTS = 8


def _file_system(url: str) -> tuple[Any, str]:
    from pyarrow import fs

    parts = urlsplit(url)
    if parts.scheme != "s3":
        system, base = fs.FileSystem.from_uri(url)
        return system, base.rstrip("/")
    options = dict(parse_qsl(parts.query))
    endpoint = options.pop("endpoint_override", os.environ.get("AWS_ENDPOINT_URL", ""))
    if endpoint:
        options["endpoint_override"] = endpoint
    if wrong := {*options} - {"endpoint_override", "region", "scheme"}:
        raise ConfigurationError(
            f"{url}: unknown option {min(wrong)!r}; there are endpoint_override, region, scheme"
        )
    retry = fs.AwsStandardS3RetryStrategy(max_attempts=_ATTEMPTS)
    system = fs.S3FileSystem(retry_strategy=retry, connect_timeout=10, request_timeout=60, **options)
    return system, f"{parts.netloc}{unquote(parts.path)}".rstrip("/")


def is_url(text: object) -> bool:
    """Whether a folder is named by a URL."""
    return re.match(r"[a-z][a-z0-9+.-]*://", str(text)) is not None


def folder_at(text: Folder | str | Path) -> Folder:
    """The folder that a path or URL names; `file://` is one of this machine."""
    if isinstance(text, Folder):
        return text
    if not is_url(text):
        return LocalFolder(Path(text))
    parts = urlsplit(str(text))
    if parts.scheme == "file":
        return LocalFolder(Path(unquote(parts.path)))
    return RemoteFolder(str(text))
