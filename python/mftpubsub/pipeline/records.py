"""The text of a trace to records, by Arrow: each line is parsed once, and checked."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyarrow import compute, csv

from mftpubsub.pipeline import integrity
from mftpubsub.pipeline.integrity import BadRunError
from mftpubsub.trace import trace_format

#: Bytes that are parsed at a time.
_BLOCK = 2**24

_ARROW_TYPES = {"string": pa.string(), "double": pa.float64(), "int": pa.int32()}


class NoRecordError(Exception):
    """A line is none; which one, integrity.complaint finds out."""


@dataclass
class Seen:
    """What was seen of a run's records, or of a part of them."""

    rows: int = 0
    ends: int = 0
    """END records."""
    is_over: bool = False
    """Whether the last record so far is one."""
    first: float = 0.0
    latest: float = 0.0

    def add(self, batch: pa.RecordBatch) -> None:
        """Takes note of further records. Raises NoRecordError if one says nothing, or times go back."""
        if not batch.num_rows:
            return
        is_end, times = _is_end(batch), batch.column("time_s")
        if not _is_sound(batch) or compute.any(compute.less(times[1:], times[:-1])).as_py():
            raise NoRecordError("its records are in disorder")
        ends, first, last = compute.sum(is_end).as_py(), times[0].as_py(), times[-1].as_py()
        self.join(Seen(batch.num_rows, ends, is_end[-1].as_py(), first, last))

    def join(self, further: Seen) -> None:
        """Takes note of what was seen of what follows. Raises NoRecordError if it is from before."""
        if not further.rows:
            return
        if not self.rows:
            self.first = further.first
        elif further.first < self.latest:
            raise NoRecordError("its records are in disorder")
        self.rows += further.rows
        self.ends += further.ends
        self.is_over, self.latest = further.is_over, further.latest

    def check(self) -> None:
        """Raises BadRunError without an END record, NoRecordError unless the last record is the only one."""
        if self.ends == 0:
            raise BadRunError("incomplete: 0 END records instead of one")
        if self.ends > 1 or not self.is_over:
            raise NoRecordError("its records are in disorder")


def schema() -> pa.Schema:
    """Of the records, for Arrow."""
    return pa.schema([(column.name, _ARROW_TYPES[column.type]) for column in trace_format.columns()])


def batches(text: Iterable[bytes]) -> Iterator[pa.RecordBatch]:
    """The records in a text of lines, with the columns of trace_schema.yaml.

    `-` is NULL, but in `op`, where it is a letter of its own. Empty lines are left out. Raises
    NoRecordError at a line that is no record, BadRunError for letters that are not ASCII's.
    """
    fields = schema()
    op = fields.get_field_index("op")
    chunks = _ascii(text)
    first = next(chunks, None)
    if first is None:
        return
    try:
        with csv.open_csv(
            _Lines(first, chunks),
            csv.ReadOptions(use_threads=False, column_names=fields.names, block_size=_BLOCK),
            csv.ParseOptions(delimiter=" ", quote_char=False, escape_char=False),
            csv.ConvertOptions(column_types=fields, null_values=["-"], strings_can_be_null=True),
        ) as parsed:
            for batch in parsed:
                yield batch.set_column(op, fields.field(op), batch.column(op).fill_null("-"))
    except pa.ArrowInvalid as error:
        raise NoRecordError(str(error)) from error


def without_header(text: Iterable[bytes]) -> Iterator[bytes]:
    """A trace's text behind its first line. Raises BadRunError if that is another one."""
    chunks = iter(text)
    first = b""
    for chunk in chunks:
        first += chunk
        if b"\n" in first or len(first) > integrity.LONGEST_HEADER:
            break
    line, _, rest = first.partition(b"\n")
    integrity.check_header(line)
    yield rest
    yield from chunks


def _ascii(text: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in text:
        if not chunk.isascii():
            raise BadRunError("unreadable: it holds bytes that are not ASCII")
        if chunk.strip(b"\n"):
            yield chunk


class _Lines(io.RawIOBase):
    """Chunks of a text as a file, for Arrow."""

    def __init__(self, first: bytes, further: Iterator[bytes]) -> None:
        self._rest, self._further = memoryview(first), further

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not len(self._rest):
            chunk = next(self._further, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


def _is_sound(batch: pa.RecordBatch) -> bool:
    """Whether each record is one by itself, as integrity.complaint tells it of lines."""
    time, layer, kind = (batch.column(name) for name in ("time_s", "layer", "kind"))
    in_time = compute.and_(compute.greater_equal(time, 0.0), compute.less(time, integrity.LAST_TIME))
    of_amounts = [
        compute.match_substring_regex(kind.filter(compute.equal(layer, name)), f"^{pattern}$")
        for name, pattern in integrity.amounts().items()
    ]
    tests = (test.fill_null(False) for test in (in_time, *of_amounts))
    return all(compute.all(test, min_count=0).as_py() for test in tests) and _has_names(batch)


def _has_names(batch: pa.RecordBatch) -> bool:
    """Whether each record that is of an event, or for a subscriber, says which."""
    columns = integrity.named()
    layers = {name.partition(" ")[0] for names in columns.values() for name in names}
    rows = batch.filter(compute.is_in(batch.column("layer"), pa.array(sorted(layers))))
    for column, names in columns.items():
        lacking = rows.filter(compute.is_null(rows.column(column)))
        told = compute.binary_join_element_wise(lacking.column("layer"), lacking.column("kind"), " ")
        if compute.any(compute.is_in(told, pa.array(sorted(names))), min_count=0).as_py():
            return False
    return True


def _is_end(batch: pa.RecordBatch) -> pa.BooleanArray:
    return compute.and_(
        compute.equal(batch.column("layer"), "run"), compute.equal(batch.column("kind"), "END")
    )
