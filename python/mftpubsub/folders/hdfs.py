"""A folder in HDFS, which the package hdfs-native speaks to: no Java, and no native library of Hadoop.

Hadoop's settings are those of HADOOP_CONF_DIR or HADOOP_HOME, where there are some.
"""

from __future__ import annotations

import io
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from mftpubsub.errors import ConfigurationError, InstallationError
from mftpubsub.folders.folder import Stat
from mftpubsub.folders.remote import RemoteFolder, unreachable

if TYPE_CHECKING:
    from hdfs_native import Client, FileReader, FileStatus

#: How the name of a file begins that is not whole yet; so do those of runs under way, which no survey counts.
_PARTIAL = ".partial-"
#: ns in the unit of HDFS's times.
_TICK = 10**6
#: Where Hadoop's settings are. Without them a cluster has one name node, which is asked so often: 20 s long.
_SETTINGS = {"HADOOP_CONF_DIR", "HADOOP_HOME"}
_ALONE = {"dfs.client.failover.max.attempts": "4"}


class HdfsFolder(RemoteFolder):
    """Below `hdfs://host:port/...`, or `hdfs:///...` of the cluster that Hadoop's settings name.

    A file is written beside its place and then renamed, which HDFS does in one step.
    """

    def __init__(self, url: str) -> None:
        super().__init__(url)
        parts = urlsplit(url)
        if parts.query or parts.fragment:
            raise ConfigurationError(f"{url}: a URL of HDFS has no options: write %3F for ? and %23 for #")

    @property
    def _base(self) -> str:
        return unquote(urlsplit(self.url).path).rstrip("/")

    @property
    def for_spark(self) -> str:
        return f"hdfs://{urlsplit(self.url).netloc}{self._base}"

    @cached_property
    def _client(self) -> Client:
        try:
            from hdfs_native import Client
        except ImportError as error:
            raise InstallationError(
                f"{self.url}: HDFS needs the package hdfs-native ({error}): pip install 'mftpubsub[hdfs]'"
            ) from error
        scheme, host, *_ = urlsplit(self.url)
        with _reached(self.url):
            return Client(f"{scheme}://{host}" if host else None, {} if _SETTINGS & {*os.environ} else _ALONE)

    def stats(self, below: str) -> dict[str, Stat]:
        return {
            found.path[len(self._base) + 1 :]: _stat_of(found)
            for found in self._listed(below, recursive=True)
            if not found.isdir
        }

    def stat(self, name: str) -> Stat | None:
        client = self._client
        with _reached(self.url), suppress(FileNotFoundError):
            found = client.get_file_info(f"{self._base}/{name}")
            return None if found.isdir else _stat_of(found)
        return None

    def raw(self, name: str) -> io.RawIOBase:
        client = self._client
        with _reached(self.url):
            return _Raw(client.read(f"{self._base}/{name}"), self.url)

    def upload(self, path: Path, name: str) -> None:
        from hdfs_native import WriteOptions

        client = self._client
        final = f"{self._base}/{name}"
        written = f"{final.rpartition('/')[0]}/{_PARTIAL}{uuid.uuid4().hex}"
        with path.open("rb") as source, _reached(self.url):
            copy = client.create(written, WriteOptions(create_parent=True))
            try:
                with copy:
                    shutil.copyfileobj(source, copy, 2**22)
                client.rename(written, final, overwrite=True)
            except BaseException:
                with suppress(OSError, RuntimeError):
                    client.delete(written)
                raise

    def remove(self, name: str) -> None:
        client = self._client
        with _reached(self.url):
            client.delete(f"{self._base}/{name}")

    def names(self) -> list[str]:
        return [found.path[len(self._base) + 1 :] for found in self._listed("", recursive=False)]

    def _listed(self, below: str, recursive: bool) -> list[FileStatus]:
        """What is in a folder; nothing if it is not there."""
        client = self._client
        with _reached(self.url), suppress(FileNotFoundError):
            return [*client.list_status(f"{self._base}/{below}".rstrip("/") or "/", recursive)]
        return []


class _Raw(io.RawIOBase):
    """A file to read, whose errors are ours."""

    def __init__(self, file: FileReader, url: str) -> None:
        self._file, self._url = file, url

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._file.seek(offset, whence)
        return self._file.tell()

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: Any) -> int:
        with _reached(self._url):
            found = self._file.read(len(buffer))
        buffer[: len(found)] = found
        return len(found)

    def readall(self) -> bytes:
        with _reached(self._url):
            return self._file.read()


def _stat_of(found: FileStatus) -> Stat:
    return (found.length, found.modification_time * _TICK)


@contextmanager
def _reached(url: str) -> Iterator[None]:
    """Raises UnreachableError where HDFS, or what speaks to it, cannot do something."""
    try:
        yield
    except FileNotFoundError:
        raise
    except (OSError, RuntimeError) as error:
        raise unreachable(url, error) from error
