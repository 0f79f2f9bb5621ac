"""A folder in an object store that pyarrow has a file system for."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from mftpubsub.errors import ConfigurationError, is_disk_full
from mftpubsub.folders.folder import Stat
from mftpubsub.folders.remote import RemoteFolder, unreachable


class StoreFolder(RemoteFolder):
    """Below a URL that pyarrow has a file system for: `s3://`, `gs://` and the like."""

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

    def raw(self, name: str) -> io.RawIOBase:
        system, base = self._system
        with _reached(self.url):
            return _Raw(system.open_input_file(f"{base}/{name}"), self.url)

    def upload(self, path: Path, name: str) -> None:
        system, base = self._system
        with _reached(self.url):
            _copy(path, system, f"{base}/{name}")

    def remove(self, name: str) -> None:
        system, base = self._system
        with _reached(self.url), suppress(FileNotFoundError):
            system.delete_file(f"{base}/{name}")

    def names(self) -> list[str]:
        from pyarrow.fs import FileSelector

        system, base = self._system
        with _reached(self.url):
            found = system.get_file_info(FileSelector(base, allow_not_found=True))
        return [info.path[len(base) + 1 :] for info in found]


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
        raise unreachable(url, error) from error


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
