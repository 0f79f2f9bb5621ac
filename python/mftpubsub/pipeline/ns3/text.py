"""Text traces in shares: whole lines of a file, so that a large one is parsed by many tasks."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
from isal import igzip, isal_zlib

from mftpubsub.errors import TraceError
from mftpubsub.pipeline.ns3.tables import TABLES

#: B of a file that one task parses, and B of lines that are parsed at a time.
SHARE, _BLOCK = 2**26, 2**24
#: B: no line of ns-3 is longer.
_LONGEST = 2**16
#: How a file that gzip compressed begins.
_GZIP = b"\x1f\x8b"
#: The tables of text traces, and what makes these, as a user calls it.
MADE_BY = {
    "ns3_ip": "an IP trace (InternetStackHelper::EnableAsciiIpv4All)",
    "ns3_phy": "a device's trace (EnableAsciiAll of Wi-Fi, csma, point-to-point or lr-wpan)",
    "ns3_movement": "a trace of mobility (MobilityHelper::EnableAsciiAll)",
}
#: s, of units in which ns-3 prints times.
_UNITS = {b"s": 1.0, b"ms": 1e-3, b"us": 1e-6, b"ns": 1e-9, b"ps": 1e-12, b"fs": 1e-15}


@dataclass(frozen=True)
class Share:
    """A part of a file that is a table `table`: the lines that begin from byte `begin` up to `end`."""

    table: str
    path: str
    begin: int = 0
    end: int | None = None


def shares(table: str, path: Path, size: int = SHARE) -> list[Share]:
    """The parts of a text trace. A compressed one is one part. Raises TraceError if it cannot be read."""
    try:
        length = path.stat().st_size
        compressed = _is_compressed(path)
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}") from error
    if not length:
        raise TraceError(f"{path} is empty: has the script ended, and was its stream closed?")
    if compressed:
        return [Share(table, str(path))]
    return [Share(table, str(path), begin, min(begin + size, length)) for begin in range(0, length, size)]


def read(share: Share) -> Iterator[pa.RecordBatch]:
    """The rows of a share of a text trace (MADE_BY), in the order of its lines.

    Raises TraceError, naming file and line, at a line that is none of such a trace, and at times that go
    back; the last line of the share before counts too. A truncated last line of a file is left out. Raises
    TraceError for a file without any whole line, one that is not there, and a compressed one that is damaged
    or truncated.
    """
    rows = 0
    try:
        for batch in _rows(share):
            rows += batch.num_rows
            yield batch
    except (OSError, EOFError, isal_zlib.error) as error:
        if reason := getattr(error, "strerror", None):  # the file system's: a damaged gzip has none
            raise TraceError(f"{share.path}: {reason}") from error
        raise TraceError(
            f"{share.path} cannot be read to its end, it is damaged or truncated: {error}"
        ) from error
    if not share.begin and not rows:
        raise TraceError(f"{share.path} has no whole line: has the script ended, and was its stream closed?")


def _rows(share: Share) -> Iterator[pa.RecordBatch]:
    import duckdb

    latest = _time_before(share)
    parse = _query(share.table)
    schema = TABLES[share.table].schema()
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute(_query("macros"))
        for offset, block in _blocks(share):
            text = pa.table({"line": pa.array(block.split(b"\n"), pa.binary()).cast(pa.string(), safe=False)})
            connection.register("lines", text)
            parsed = connection.sql(parse).to_arrow_table()
            latest = _check(share, offset, block, parsed, latest)
            yield from parsed.cast(schema).combine_chunks().to_batches()


def is_truncated(path: Path) -> bool:
    """Whether a text trace ends within a line."""
    if _is_compressed(path):
        return False  # `read` leaves such a line out, too: to look for it here would read the whole file
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read(1) != b"\n"


def _is_compressed(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_GZIP)) == _GZIP


def _open(path: Path) -> BinaryIO:
    return igzip.open(path, "rb") if _is_compressed(path) else path.open("rb")


@cache
def _query(name: str) -> str:
    return files("mftpubsub.pipeline.ns3").joinpath(f"{name}.sql").read_text(encoding="utf-8")


def _blocks(share: Share) -> Iterator[tuple[int, bytes]]:
    """Whole lines of a share, each block with its place in the file, without the last line's end."""
    with _open(Path(share.path)) as file:
        place = share.begin
        if place:
            file.seek(place - 1)
            place += len(file.readline()) - 1  # the line that begins in the share before
        while share.end is None or place < share.end:
            size = _BLOCK if share.end is None else min(_BLOCK, share.end - place)
            block = file.read(size)
            if not block:
                return
            if not block.endswith(b"\n"):
                block += file.readline()  # the rest of the last line that begins in here
            whole, ending, _ = block.rpartition(b"\n")
            if ending and whole:
                yield place, whole
            place += len(block)


def _time_before(share: Share) -> float:
    """The time of the last line before a share, s; of a first one before all times."""
    if not share.begin:
        return -math.inf
    with Path(share.path).open("rb") as file:
        start = max(0, share.begin - _LONGEST)
        file.seek(start)
        before = file.read(share.begin - 1 - start) + file.readline()
    return _time(before.removesuffix(b"\n").rpartition(b"\n")[2])


def _time(line: bytes) -> float:
    found = re.match(rb"(?:\S |now=)\+?([0-9.e+-]+?)([munpf]?s)? ", line)
    return float(found[1]) * _UNITS[found[2] or b"s"] if found else -math.inf


def _check(share: Share, offset: int, block: bytes, parsed: pa.Table, latest: float) -> float:
    """The last time of a block. Raises TraceError for what `read` refuses."""
    from pyarrow import compute

    told = parsed["op"] if "op" in parsed.column_names else parsed["time_s"]
    bad = compute.index(compute.is_null(told), True).as_py()
    times = parsed["time_s"].to_numpy()
    back = next(iter((times[1:] < times[:-1]).nonzero()[0] + 1), -1)
    if bad < 0 and len(times) and times[0] < latest:
        back = 0
    if bad < 0 <= back:
        earlier = times[back - 1] if back else latest
        raise TraceError(
            f"{_where(share, offset, block, back)}: time goes back, from {earlier:g} s to {times[back]:g} s: "
            "are there two runs in one file?"
        )
    if bad < 0 and len(times) and times[0] < 0:
        raise TraceError(
            f"{_where(share, offset, block, 0)}: time {times[0]:g} s is before the start of a run"
        )
    if bad >= 0:
        line = block.split(b"\n")[bad][:120].decode("ascii", "replace")
        raise TraceError(
            f"{_where(share, offset, block, bad)}: no line of {MADE_BY[share.table]}: {line!r}; "
            "is it damaged, or another kind of trace?"
        )
    return float(times[-1]) if len(times) else latest


def _where(share: Share, offset: int, block: bytes, row: int) -> str:
    path = Path(share.path)
    number = row + 1
    with _open(path) as file:
        left = offset
        while left and (part := file.read(min(left, _BLOCK))):
            number += part.count(b"\n")
            left -= len(part)
    return f"{path}, line {number}"
