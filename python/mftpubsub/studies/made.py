"""Files that are made of others: they are made again when what they are made of, or the code, has changed.

Neither depends on when files were written: a clone, a copy and an unpacked archive give files any time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from mftpubsub.files import read_json, write_json

#: In the folder of a study: of what its files were made.
RECORD = ".made.json"
_DRAWN_BY = ("matplotlib", "jinja2", "pandas", "scipy")


def digest(*sources: Path) -> str:
    """SHA-256 (hex) over the names and contents of files, this package's code and the libraries that draw."""
    parts = [f"{path.name} {_sha256(path)}" for path in sorted(sources)]
    return hashlib.sha256("\n".join([*parts, _code()]).encode()).hexdigest()


def are_made(folder: Path, paths: Iterable[Path], of: str) -> bool:
    """Whether files of `folder` are as they were when they were made `of` this digest."""
    told = _read(folder)
    return all(
        path.is_file() and told.get(_name(folder, path)) == {"of": of, "sha256": _sha256(path)}
        for path in paths
    )


def record(folder: Path, paths: Iterable[Path], of: str) -> None:
    """Tells that files of `folder` were made `of` this digest."""
    made = {_name(folder, path): {"of": of, "sha256": _sha256(path)} for path in paths}
    write_json(folder / RECORD, _read(folder) | made)


def _name(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()


def _read(folder: Path) -> dict[str, dict[str, str]]:
    return read_json(folder / RECORD)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def _code() -> str:
    sources = sorted(_sources(files("mftpubsub")))
    return "\n".join([*sources, *(f"{name} {version(name)}" for name in _DRAWN_BY)])


def _sources(folder: Traversable) -> Iterable[str]:
    for file in folder.iterdir():
        if file.is_dir():
            yield from _sources(file)
        elif file.name.endswith((".py", ".j2", ".css", ".js", ".sql", ".yaml")):
            yield f"{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}"
