"""Which folders below DIR/runs hold a complete run, and what is wrong with the others."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from isal import igzip
from isal.igzip_lib import IsalError

from mftpubsub import files
from mftpubsub.errors import MftPubsubError
from mftpubsub.trace import trace_format
from mftpubsub.trace.layout import METADATA, NAME, PARTIAL, PARTS, RAW, TRACE, folder_of

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

    Runs under way (`.partial-*`) are neither. Symbolic links are followed where a part of a run's name
    stands, and are foreign elsewhere. Raises MftPubsubError for a folder that cannot be read: its runs are
    not gone.
    """
    folders: set[Path] = set()
    foreign: list[Problem] = []
    for place, below, names in os.walk(runs, onerror=_refuse_unreadable, followlinks=True):
        # Not looked into: a sweep renames them meanwhile.
        below[:] = sorted(name for name in below if not name.startswith(PARTIAL))
        folder = Path(place).relative_to(runs)
        if _is_run(folder):
            below[:] = [name for name in below if not name.startswith(RAW)]
        astray = [name for name in below if (runs / folder / name).is_symlink() and not _leads(folder / name)]
        below[:] = [name for name in below if name not in astray]
        for name in sorted([*names, *astray]):
            if _is_run(folder) and name in (TRACE, METADATA):
                folders.add(folder)
            elif _is_run(folder / name) and (runs / folder / name).is_symlink():  # to nothing
                folders.add(folder / name)
            elif not name.startswith(PARTIAL):
                foreign.append(Problem(f"{runs.name}/{folder / name}", "foreign: not part of a run"))
    return sorted(str(folder) for folder in folders), foreign


def _refuse_unreadable(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):  # what a sweep has replaced meanwhile
        raise MftPubsubError(
            f"{error.filename} cannot be read ({error.strerror}): nothing was changed"
        ) from error


def _leads(folder: Path) -> bool:
    """Whether folders of runs may lie there or below."""
    parts = [part.split("=")[0] for part in folder.parts]
    return (*parts,) == PARTS[: len(parts)]


def _is_run(folder: Path) -> bool:
    return _leads(folder) and len(folder.parts) == len(PARTS)


def stamp(runs: Path, folder: str) -> list[int]:
    """Changes whenever a run is made again (files.stamp)."""
    return files.stamp(runs / folder / TRACE, runs / folder / METADATA)


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
    """Which line of a trace is the first that is no record, or not one of before its END, and why."""
    end = next((line for _, line in _lines(trace) if _is_end(line) and not _fault(line)), None)
    has_ended = False
    for number, line in _lines(trace):
        reason = _fault(line)
        if not reason and has_ended:
            reason = "it comes after the END record"
        if not reason and end and _time(line) > _time(end):
            reason = f"it is later than the end of the run, {_time(end):g} s"
        if reason:
            return f"line {number}, {line[:200]!r}: {reason}"
        has_ended = has_ended or _is_end(line)
    return None


def _lines(trace: Path) -> Iterator[tuple[int, str]]:
    """The lines of a trace but for the first and empty ones, each with its number."""
    with igzip.open(trace, "rt", encoding="ascii") as file:
        next(file)
        for number, line in enumerate(file, 2):
            if record := line.rstrip("\n"):
                yield number, record


def _is_end(line: str) -> bool:
    return line.split(" ")[3:5] == ["run", "END"]


def _time(line: str) -> float:
    return float(line.split(" ")[1])


#: s: as many ns fill the simulator's clock, and a whole number of the tables.
LAST_TIME = 2**63 / 1e9
#: Digits that what a record has instead of a kind may have: so much is summed, or squared and summed.
_DIGITS = {"MICROJOULES": 15, "THOUSANDTHS": 9}


@cache
def amounts() -> dict[str, str]:
    """By layers whose records have a whole number instead of a kind: what it must match."""
    return {
        record["layer"]: rf"[0-9]{{1,{_DIGITS[record['kind']]}}}"
        for record in trace_format.records()
        if record["kind"] in _DIGITS
    }


def _fault(line: str) -> str | None:
    """What is wrong with a line by itself."""
    if reason := _fault_of_a_field(line):
        return reason
    _, time, _, layer, kind = line.split(" ")[:5]
    if time == "-":
        return "time_s is missing"
    if not 0 <= float(time) < LAST_TIME:
        return "time_s is out of range"
    if layer in amounts() and not re.fullmatch(amounts()[layer], kind):
        return f"kind is no whole number, as {layer} has, or it is too large"
    return None


def _fault_of_a_field(line: str) -> str | None:
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
