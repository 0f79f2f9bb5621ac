"""Files that are whole or absent, locks, and how paths are typed."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import shlex
import shutil
import uuid
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

from mftpubsub.errors import ConfigurationError, DiskFullError, MftPubsubError, is_disk_full

if TYPE_CHECKING:
    import pandas as pd

#: Of Parquet files, which are written once and published: little is worth more than fast.
_LEVEL: Final = 19


def as_path(value: object, what: str, usual: str) -> Path:
    """`value` as a path. Raises ConfigurationError, which says `what` is no path, for what is none.

    Nor is a URL, of which `Path` leaves one slash: it would name a folder below the working directory.
    """
    if not isinstance(value, str | os.PathLike) or not str(value):
        raise ConfigurationError(f"{what}: {value!r} is no path, such as {usual!r}")
    if re.match(r"[a-z][a-z0-9+.-]+:/", str(value)):
        raise ConfigurationError(
            f"{what}: {str(value)!r} is no path of this machine, such as {usual!r}; "
            "`mftpubsub sweep` and `ingest` take a URL, and Python does as a text with ://"
        )
    return Path(value)


@contextmanager
def locked(path: Path, work: str, remedy: str = "wait for it") -> Iterator[TextIO]:
    """Holds the lock file `path`, which is given, until the block, or this process, ends.

    Raises MftPubsubError if another process holds it; `work` says what that does, `remedy` what to do then.
    """
    with path.open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise MftPubsubError(f"another {work} is at work in {path.parent}: {remedy}") from None
        except OSError as error:
            raise MftPubsubError(
                f"{path} cannot be locked ({error.strerror}): it must be on a file system with locks"
            ) from error
        yield file


@contextmanager
def written(path: Path) -> Iterator[Path]:
    """Gives a file to write beside `path`, which takes its place when the block has ended well.

    An OSError about it names `path`, which users know. Raises ConfigurationError if that is no regular file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = unfinished_of(path)
    try:
        yield unfinished
        unfinished.replace(path)
    except OSError as error:
        if error.filename is None or str(error.filename) == str(unfinished):
            error.filename = str(path)
        raise
    finally:
        unfinished.unlink(missing_ok=True)


def need_writable(folder: Path) -> None:
    """Raises PermissionError for a folder that is only read: asked before what takes long is begun."""
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))


def need_replaceable(path: Path) -> None:
    """Raises ConfigurationError for what no file may take the place of: a folder, a pipe, a device.

    In /dev, links lead to devices and to what the shell has opened: a file would take the link's place.
    """
    if (path.exists() and not path.is_file()) or path.absolute().parent == Path("/dev"):
        raise ConfigurationError(f"{path} is no regular file: give the name of one, or a new name")


def unfinished_of(path: Path) -> Path:
    """A name beside `path` for what becomes it: hidden from Spark, and another one each time.

    Raises ConfigurationError if nothing may become it.
    """
    need_replaceable(path)
    return path.with_name(f"_{path.name}.{uuid.uuid4().hex}.partial")


def write_text(path: Path, text: str) -> None:
    """Writes a text file that is there as a whole or not at all."""
    with written(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


def write_json(path: Path, content: object) -> None:
    """As `write_text`, of JSON."""
    write_text(path, json.dumps(content, indent=1) + "\n")


def read_json(path: Path) -> dict[str, Any]:
    """The mapping in a file that `write_json` wrote; empty if it is gone, or something else by now."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return dict(content) if isinstance(content, dict) else {}


def stamp(*paths: Path) -> list[int]:
    """Changes whenever a file is written again: size (B) and time (ns) of each, 0 for a missing one."""
    stats = [path.stat() if path.exists() else None for path in paths]
    return [number for stat in stats for number in ((stat.st_size, stat.st_mtime_ns) if stat else (0, 0))]


def remove(folder: Path) -> None:
    """Removes a folder if it is there; of a symbolic link only the link."""
    if folder.is_symlink():
        folder.unlink()
    else:
        shutil.rmtree(folder, ignore_errors=True)


def copy_tree(source: Path, target: Path, copy: Callable[[str, str], object]) -> None:
    """Copies a folder, each file by `copy`. Raises DiskFullError where no room is left.

    `shutil.copytree` goes on after an error, and tells all of them as one that has no number.
    """
    target.mkdir()
    for path in source.iterdir():
        place = target / path.name
        if path.is_dir():
            copy_tree(path, place, copy)
            continue
        try:
            copy(str(path), str(place))
        except OSError as error:
            if not is_disk_full(error):
                raise
            raise DiskFullError(
                f"{place}: the disk is full; make room, and the same command goes on"
            ) from error


def write_parquet(frame: pd.DataFrame, path: Path) -> None:
    """Writes a table without its index, in half of what it takes by pandas's default.

    Measured numbers are hardly ever equal: a dictionary of them is as long as they are. Nobody skips parts of
    a table of one part, so there are no statistics.
    """
    with parquet_rows(path) as add:
        add(frame)


@contextmanager
def parquet_rows(path: Path) -> Iterator[Callable[[pd.DataFrame], None]]:
    """The same of a table that is given some rows at a time, with the columns of the first."""
    import pyarrow as pa
    from pyarrow import parquet

    with ExitStack() as opened:
        writers: list[parquet.ParquetWriter] = []

        def add(frame: pd.DataFrame) -> None:
            schema = writers[0].schema if writers else None
            table = pa.Table.from_pandas(frame, schema, preserve_index=False)
            if not writers:
                words = [field.name for field in table.schema if not pa.types.is_primitive(field.type)]
                told = {"compression": "zstd", "compression_level": _LEVEL, "use_dictionary": words}
                writer = parquet.ParquetWriter(path, table.schema, write_statistics=False, **told)
                writers.append(opened.enter_context(writer))
            writers[0].write_table(table)

        yield add


def write_table(frame: pd.DataFrame, path: Path) -> None:
    """Writes a small table as `path`.csv and `path`.parquet."""
    with written(path.with_suffix(".csv")) as csv, written(path.with_suffix(".parquet")) as parquet:
        frame.to_csv(csv, index=False)
        write_parquet(frame, parquet)


def read_texts(path: Path, numbers: Collection[str]) -> pd.DataFrame:
    """A table in CSV whose columns are texts, even if all look like numbers; those in `numbers` are not.

    Raises MftPubsubError if it is none.
    """
    import pandas as pd

    try:
        texts = {name: str for name in pd.read_csv(path, nrows=0) if name not in numbers}
        undefined = {name: [""] for name in numbers}
        return pd.read_csv(path, dtype=texts, keep_default_na=False, na_values=undefined)
    except ValueError as error:
        why = " ".join(str(error).split())
        raise MftPubsubError(
            f"{path} is no table in CSV ({why}): delete it, and the command that wrote it makes it anew"
        ) from error


def as_typed(folder: Path) -> str:
    """For a shell: a relative path as it is; of an absolute one, which means nothing elsewhere, the name."""
    return shlex.quote(folder.name if folder.is_absolute() else folder.as_posix())
