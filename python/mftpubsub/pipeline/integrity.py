"""Which folders below DIR/runs hold a complete run, and what is wrong with the others."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from isal import igzip
from isal.igzip_lib import IsalError

from mftpubsub.errors import MftPubsubError
from mftpubsub.trace import trace_format
from mftpubsub.trace.layout import METADATA, NAME, PARTIAL, PARTS, TRACE, folder_of

#: What METADATA must have for its run to be ingested.
_NEEDED: dict[str, type | tuple[type, ...]] = {
    "protocol": str,
    "config": str,
    "speed_mps": (int, float),
    "seed": int,
    "schema_version": int,
    "trace_bytes": int,
    "trace_sha256": str,
    "versions": dict,
}


@dataclass(frozen=True)
class Problem:
    """A file that is set aside. `file` is relative to the folder of the study."""

    file: str
    reason: str

    def to_json(self) -> dict[str, str]:
        """For ingest-report.json."""
        return asdict(self)


class BadRunError(Exception):
    """Says what is wrong with a run; not seen outside this room."""


def survey(runs: Path) -> tuple[list[str], list[Problem]]:
    """The folders of runs, relative to `runs`, and the files that belong to none.

    Runs under way (`.partial-*`) are neither. Raises MftPubsubError for a folder that cannot be read: its
    runs are not gone.
    """
    folders: set[Path] = set()
    foreign: list[Problem] = []
    for place, below, files in os.walk(runs, onerror=_refuse_unreadable):
        # Not looked into: a sweep renames them meanwhile.
        below[:] = sorted(name for name in below if not name.startswith(PARTIAL))
        folder = Path(place).relative_to(runs)
        for name in sorted(files):
            if _is_run(folder) and name in (TRACE, METADATA):
                folders.add(folder)
            elif not name.startswith(PARTIAL):
                foreign.append(Problem(f"{runs.name}/{folder / name}", "foreign: not part of a run"))
    return sorted(str(folder) for folder in folders), foreign


def _refuse_unreadable(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):  # what a sweep has replaced meanwhile
        raise MftPubsubError(
            f"{error.filename} cannot be read ({error.strerror}): nothing was changed"
        ) from error


def _is_run(folder: Path) -> bool:
    return tuple(part.split("=")[0] for part in folder.parts) == PARTS


def stamp(runs: Path, folder: str) -> list[int]:
    """Changes whenever a run is made again: size (B) and time (ns) of its files, 0 for a missing one."""
    paths = [runs / folder / TRACE, runs / folder / METADATA]
    stats = [path.stat() if path.exists() else None for path in paths]
    return [number for stat in stats for number in ((stat.st_size, stat.st_mtime_ns) if stat else (0, 0))]


def examine(runs: Path, folder: str) -> Problem | None:
    """What is wrong with the files of a run, if anything; of its records only the first line is looked at."""
    trace = runs / folder / TRACE
    try:
        metadata = _metadata(runs / folder / METADATA)
        _check_names(folder, metadata)
        _check_bytes(trace, metadata)
        _check_text(trace)
    except BadRunError as error:
        return problem(runs, folder, str(error))
    except OSError as error:
        return problem(runs, folder, f"unreadable: {error}".replace(f"{runs}/", ""))
    return None


def complaint(trace: Path) -> str | None:
    """Which line of a trace is the first that is no record, and why."""
    with igzip.open(trace, "rt", encoding="ascii") as file:
        next(file)
        for number, line in enumerate(file, 2):
            record = line.rstrip("\n")
            if record and (reason := _fault(record)):
                return f"line {number}, {record[:200]!r}: {reason}"
    return None


def _fault(line: str) -> str | None:
    columns, fields = trace_format.columns(), line.split(" ")
    if len(fields) != len(columns):
        return f"{len(fields)} fields instead of {len(columns)}"
    for column, field in zip(columns, fields, strict=True):
        if column.type == "string" or field == "-":
            continue
        if not _NUMBERS[column.type].fullmatch(field):
            return f"{column.name} is no {column.type}"
        if column.type == "int" and not -(2**31) <= int(field) < 2**31:
            return f"{column.name} is out of range"
    return None


_NUMBERS = {"int": re.compile(r"-?\d+"), "double": re.compile(r"-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")}


def problem(runs: Path, folder: str, reason: str) -> Problem:
    """That something is wrong with a run's trace."""
    return Problem(f"{runs.name}/{folder}/{TRACE}", reason)


def _metadata(path: Path) -> dict[str, Any]:
    if not path.exists():
        raise BadRunError(f"{METADATA} is missing")
    try:
        metadata = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadRunError(f"{METADATA} is no JSON: {error}") from error
    told = metadata if isinstance(metadata, dict) else {}
    if wrong := [name for name, kind in _NEEDED.items() if not isinstance(told.get(name), kind)]:
        raise BadRunError(f"{METADATA} lacks {', '.join(wrong)}, or has something else there")
    return dict(told)


def _check_names(folder: str, metadata: dict[str, Any]) -> None:
    if not re.fullmatch(rf"(\w+={NAME}/?)+", folder):
        raise BadRunError("its name has characters that a Parquet partition cannot have")
    if (named := str(folder_of(metadata))) != folder:
        raise BadRunError(f"{METADATA} is of another run, {named}")
    if metadata["schema_version"] != trace_format.version():
        raise BadRunError(
            f"trace format {metadata['schema_version']}, this version reads {trace_format.version()}; "
            "delete the folder and run it again"
        )


def _check_bytes(trace: Path, metadata: dict[str, Any]) -> None:
    if not trace.exists():
        raise BadRunError(f"{TRACE} is missing")
    if (size := trace.stat().st_size) != metadata["trace_bytes"]:
        how = "truncated" if size < metadata["trace_bytes"] else "wrong size"
        raise BadRunError(f"{how}: {size} B, {metadata['trace_bytes']} B in {METADATA}")
    with trace.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != metadata["trace_sha256"]:
        raise BadRunError(f"content differs from what was written: SHA-256 is not the one in {METADATA}")


def _check_text(trace: Path) -> None:
    """Checks all that could end Spark's task: what it reads is a whole gzip file of ASCII lines."""
    try:
        with igzip.open(trace, "rb") as file:
            header = file.readline(1000).decode("ascii", "replace").rstrip("\n")
            if header != trace_format.header():
                raise BadRunError(f"first line is {header[:100]!r}, not {trace_format.header()!r}")
            while block := file.read(2**20):
                if not block.isascii():
                    raise BadRunError("unreadable: it holds bytes that are not ASCII")
    except (OSError, EOFError, IsalError) as error:
        words = " ".join(str(error).replace(str(trace), TRACE).split())
        raise BadRunError(f"unreadable: {words[:300]}") from error
