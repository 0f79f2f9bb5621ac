"""Which folders below DIR/runs hold a complete run, and what is wrong with the others."""

from __future__ import annotations

import hashlib
import json
import os
import re
from array import array
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from gzip import BadGzipFile
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt
from isal import igzip
from isal.igzip_lib import IsalError

from mftpubsub.errors import MftPubsubError
from mftpubsub.folders import LOCAL_STAT, REMOTE_STAT, Folder, LocalFolder, Stat, stat_of
from mftpubsub.metrics.table import OF_RUNS
from mftpubsub.trace import trace_format
from mftpubsub.trace.blocks import NoBlockError
from mftpubsub.trace.layout import KEYS, METADATA, NAME, PARTIAL, PARTS, RAW, TRACE, folder_of, is_foreign

#: In the folder of a study.
RUNS = "runs"
#: B, more than any first line has.
LONGEST_HEADER = 1000
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
#: What it may have besides.
_OPTIONAL: dict[str, type | tuple[type, ...]] = {
    "axes": dict,
    "unknown": list,
    "wall_s": (int, float),
    "cpu_s": (int, float),
    "events": int,
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


@dataclass(frozen=True)
class Survey:
    """What lies below DIR/runs: the runs by their folders there, in the order of their names.

    `stats`: a row a run, what the file system says of its trace and then of its run.json; -1 of what is
    missing. `foreign`: files that belong to no run.
    """

    runs: list[str]
    stats: npt.NDArray[np.int64]
    foreign: list[Problem]

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Of the traces, B; -1 of one that is missing."""
        return self.stats[:, 0]

    def are_complete(self) -> npt.NDArray[np.bool_]:
        """By run, whether both of its files are there."""
        return (self.stats[:, 0] >= 0) & (self.stats[:, self.stats.shape[1] // 2] >= 0)


class _Found:
    """Runs as they are found, in as little memory as there are many: `width` numbers tell of a file."""

    def __init__(self, width: int) -> None:
        self._runs: list[str] = []
        self._numbers = array("q")
        self._missing = (-1,) * width
        self.foreign: list[Problem] = []

    def add(self, name: str, trace: Stat | None, metadata: Stat | None) -> None:
        self._runs.append(name)
        self._numbers.extend(trace or self._missing)
        self._numbers.extend(metadata or self._missing)

    def survey(self) -> Survey:
        order = sorted(range(len(self._runs)), key=self._runs.__getitem__)
        stats = np.frombuffer(self._numbers, np.int64) if order else np.empty(0, np.int64)
        stats = stats.reshape(-1, 2 * len(self._missing))
        return Survey([self._runs[row] for row in order], stats[order], self.foreign)


def survey(folder: Folder) -> Survey:
    """The runs in DIR/runs.

    Runs under way (`.partial-*`) are none. Symbolic links are followed where a part of a run's name
    stands, and are foreign elsewhere. Raises MftPubsubError for a folder that cannot be read: its runs are
    not gone.
    """
    if isinstance(folder, LocalFolder):
        found = _Found(len(LOCAL_STAT))
        _walk(folder.path / RUNS, "", 0, found)
    else:
        found = _sorted_out(folder.stats(RUNS))
    return found.survey()


def _sorted_out(files: Mapping[str, Stat]) -> _Found:
    """The same of a store, which has no folders and no links."""
    found = _Found(len(REMOTE_STAT))
    runs: dict[str, list[Stat | None]] = {}
    for path, stat in files.items():
        parts = PurePosixPath(path).relative_to(RUNS)
        inside = PurePosixPath(*parts.parts[: len(PARTS)])
        if _is_run(parts.parent) and parts.name in (TRACE, METADATA):
            runs.setdefault(str(parts.parent), [None, None])[(TRACE, METADATA).index(parts.name)] = stat
        elif any(part.startswith(PARTIAL) for part in parts.parts):
            continue
        elif not (
            _is_run(inside) and len(parts.parts) > len(PARTS) + 1 and parts.parts[len(PARTS)].startswith(RAW)
        ):
            found.foreign.append(Problem(path, "foreign: not part of a run"))
    for name, (trace, metadata) in runs.items():
        found.add(name, trace, metadata)
    return found


def _walk(runs: Path, folder: str, depth: int, found: _Found) -> None:
    """Looks into a folder below `runs`. `depth`: parts of a run's name that lead there; -1: astray."""
    is_run = depth == len(PARTS)
    own: dict[str, Stat | None] = {}
    below: list[tuple[str, int]] = []
    for entry in _entries(f"{runs}/{folder}"):
        # Not looked into: a sweep renames them meanwhile.
        if entry.name.startswith(PARTIAL):
            continue
        place = f"{folder}/{entry.name}" if folder else entry.name
        leads = 0 <= depth < len(PARTS) and entry.name.split("=")[0] == PARTS[depth]
        is_folder = _is_folder(entry)
        if is_run and entry.name in (TRACE, METADATA) and not is_folder:
            own[entry.name] = stat_of(entry)
        elif leads and depth == len(PARTS) - 1 and not is_folder and entry.is_symlink():  # to nothing
            found.add(place, None, None)
        elif not is_folder or (entry.is_symlink() and not leads):
            found.foreign.append(Problem(f"{RUNS}/{place}", "foreign: not part of a run"))
        elif not (is_run and entry.name.startswith(RAW)):
            below.append((place, depth + 1 if leads else -1))
    if own:
        missing = {file: stat_of(runs / folder / file) for file in {TRACE, METADATA} - {*own}}
        found.add(folder, *((own | missing)[file] for file in (TRACE, METADATA)))
    for place, parts in below:
        _walk(runs, place, parts, found)


def _entries(place: str) -> list[os.DirEntry[str]]:
    """What is in a folder, in the order of the names. Nothing of one that a sweep has replaced meanwhile."""
    try:
        with os.scandir(place) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise MftPubsubError(
            f"{error.filename} cannot be read ({error.strerror}): nothing was changed"
        ) from error


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False


def _is_run(folder: PurePosixPath) -> bool:
    return (*(part.split("=")[0] for part in folder.parts),) == PARTS


def stamp(folder: Folder, name: str) -> list[str]:
    """Size and SHA-256 (hex) of a run's trace, and SHA-256 of its metadata; empty of what cannot be read.

    Changes whenever what they say changes, and does not when they are copied.
    """
    found = []
    for file in (TRACE, METADATA):
        try:
            found.append(folder.digest(f"{RUNS}/{name}/{file}"))
        except OSError:
            found.append("")
    size = folder.stat(f"{RUNS}/{name}/{TRACE}")
    return [str(size[0] if size else ""), *found]


def metadata_of(folder: Folder, name: str) -> tuple[dict[str, Any], str]:
    """What a run's run.json says, and its SHA-256 (hex). Raises BadRunError if it is none, or another's."""
    try:
        content = folder.read(f"{RUNS}/{name}/{METADATA}")
    except FileNotFoundError:
        raise BadRunError(f"{METADATA} is missing") from None
    metadata = _metadata(content)
    _check_names(name, metadata)
    return metadata, hashlib.sha256(content).hexdigest()


def is_imported(folder: Folder, name: str) -> bool:
    """Whether a run's run.json, whatever else is wrong with it, says that another program made the run."""
    try:
        told = json.loads(folder.read(f"{RUNS}/{name}/{METADATA}"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(told, dict) and is_foreign(told)


def check_size(folder: Folder, name: str, metadata: Mapping[str, Any]) -> None:
    """Raises BadRunError unless a trace is as long as its run.json says."""
    stat = folder.stat(f"{RUNS}/{name}/{TRACE}")
    if stat is None:
        raise BadRunError(f"{TRACE} is missing")
    if (size := stat[0]) != metadata["trace_bytes"]:
        how = "truncated" if size < metadata["trace_bytes"] else "wrong size"
        raise BadRunError(f"{how}: {size} B, {metadata['trace_bytes']} B in {METADATA}")


def check_digest(digest: str, metadata: Mapping[str, Any]) -> None:
    """Raises BadRunError unless a trace has the SHA-256 (hex) that its run.json says."""
    if digest != metadata["trace_sha256"]:
        raise BadRunError(f"content differs from what was written: SHA-256 is not the one in {METADATA}")


def check_header(line: bytes) -> None:
    """Raises BadRunError unless the first line of a trace says that it is one."""
    header = line[:LONGEST_HEADER].decode("ascii", "replace").rstrip("\n")
    if header != trace_format.header():
        raise BadRunError(f"first line is {header[:100]!r}, not {trace_format.header()!r}")


@contextmanager
def reading(folder: Folder, name: str) -> Iterator[None]:
    """Raises BadRunError, which says what is wrong with the files of a run, for whatever they raise."""
    try:
        yield
    except (EOFError, IsalError, NoBlockError, BadGzipFile) as error:
        raise BadRunError(f"unreadable: {' '.join(str(error).split())[:300]}") from error
    except OSError as error:
        if not isinstance(folder, LocalFolder):
            raise
        words = f"{error}".replace(f"{folder.path.absolute() / RUNS}/", "")
        raise BadRunError(f"unreadable: {words}".replace(f"{folder.path / RUNS}/", "")) from error


def complaint(trace: Path) -> str | None:
    """Which line of a trace is the first that is no record, or not in its place, and why."""
    end = next((line for _, line in _lines(trace) if _is_end(line) and not _fault(line)), None)
    has_ended, before = False, 0.0
    for number, line in _lines(trace):
        reason = _fault(line)
        if not reason and has_ended:
            reason = "it comes after the END record"
        if not reason and end and _time(line) > _time(end):
            reason = f"it is later than the end of the run, {_time(end):g} s"
        if not reason and _time(line) < before:
            reason = f"it is earlier than the record before it, {before} s"
        if reason:
            return f"line {number}, {line[:200]!r}: {reason}"
        has_ended, before = has_ended or _is_end(line), _time(line)
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


@cache
def named() -> dict[str, frozenset[str]]:
    """By columns that say whose event it is, and for whom: records that must have them, as `LAYER KIND`.

    Without it a record would count in no metric, and nobody would be told.
    """
    return {
        column: frozenset(
            f"{record['layer']} {kind}"
            for record in trace_format.records()
            if column in record["columns"]
            for kind in record["kind"].split(", ")
        )
        for column in ("publisher", "sequence", "subscriber")
    }


def _fault(line: str) -> str | None:
    """What is wrong with a line by itself."""
    if reason := _fault_of_a_field(line):
        return reason
    fields = line.split(" ")
    _, time, _, layer, kind = fields[:5]
    if time == "-":
        return "time_s is missing"
    if not 0 <= float(time) < LAST_TIME:
        return "time_s is out of range"
    if layer in amounts() and not re.fullmatch(amounts()[layer], kind):
        return f"kind is no whole number, as {layer} has, or it is too large"
    for column, field in zip(trace_format.columns(), fields, strict=True):
        if field == "-" and f"{layer} {kind}" in named().get(column.name, ()):
            return f"{column.name} is missing"
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


def problem(name: str, reason: str) -> Problem:
    """That something is wrong with a run's trace."""
    return Problem(f"{RUNS}/{name}/{TRACE}", reason)


def _metadata(content: bytes) -> dict[str, Any]:
    try:
        metadata = json.loads(content.decode("utf-8"))
        json.dumps(metadata, ensure_ascii=False).encode()  # half a character may be escaped
    except (ValueError, RecursionError) as error:
        raise BadRunError(f"{METADATA} is no JSON: {error}") from error
    told = metadata if isinstance(metadata, dict) else {}
    wrong = [name for name, kind in _NEEDED.items() if not _is(told.get(name), kind)]
    wrong += [name for name, kind in _OPTIONAL.items() if name in told and not _is(told[name], kind)]
    if wrong:
        raise BadRunError(f"{METADATA} lacks {', '.join(wrong)}, or has something else there")
    if odd := [name for name, value in told.get("axes", {}).items() if name in KEYS or not _fits(value)]:
        raise BadRunError(f"axes in {METADATA}: no table has a column {', '.join(odd)} with that value")
    metrics = [metric.name for metric in OF_RUNS]
    if odd := [str(name) for name in told.get("unknown", []) if name not in metrics]:
        raise BadRunError(f"unknown in {METADATA}: {', '.join(odd)} is no metric of runs")
    return dict(told)


def _is(value: object, kind: type | tuple[type, ...]) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool) and _fits(value)


def _fits(value: object) -> bool:
    """Whether a table can hold a value, if it is a number."""
    return not isinstance(value, int | float) or -(2**63) <= value < 2**63


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
