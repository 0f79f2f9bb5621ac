"""The work of a task: traces, whole ones or ranges of a large one, to one Parquet file of records.

The file is called by its content. So a task may be done again, by two at once, or in vain.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from isal import igzip
from pyarrow import parquet

from mftpubsub.folders import Folder
from mftpubsub.pipeline import integrity, records
from mftpubsub.pipeline.integrity import RUNS, BadRunError, Problem, reading
from mftpubsub.pipeline.manifest import TOLD, Part, described
from mftpubsub.pipeline.records import NoRecordError, Seen
from mftpubsub.trace import blocks
from mftpubsub.trace.layout import RUN_KEYS, TRACE

#: In DIR.
PARQUET = "parquet"
#: Records that become a group of rows, at least, but in the last one: so much has statistics of its own.
_GROUP = 2**18
#: Of a part, besides those of the records: which run it is. Protocol and configuration are in its name.
KEYS = pa.schema([("speed_mps", pa.float64()), ("seed", pa.int64())])


@dataclass(frozen=True)
class Piece:
    """What becomes one part, all of it of one protocol and configuration.

    `runs` are read whole. `kept` are runs whose records another part has, which goes. `split` is one large
    run: its blocks that begin from byte `begin` up to `end`, all of it without `end`. `is_digest`: no part,
    only the SHA-256 of that run's trace.
    """

    partition: str
    runs: tuple[str, ...] = ()
    kept: tuple[tuple[str, tuple[str, ...]], ...] = ()
    split: str = ""
    begin: int = 0
    end: int | None = None
    is_digest: bool = False


@dataclass
class Made:
    """What came of a piece: the part, if any; what is known of each run (TOLD), or what is wrong with it."""

    piece: Piece
    parts: dict[str, Part] = field(default_factory=dict)
    runs: pa.Table = field(default_factory=TOLD.empty_table)
    problems: dict[str, Problem] = field(default_factory=dict)
    seen: Seen = field(default_factory=Seen)
    digest: str = ""

    def moved(self) -> Iterator[tuple[str, str]]:
        """Parts that go, each with the one that has now what is left of its records."""
        return ((before, after) for before, _ in self.piece.kept for after in self.parts)


def make_all(folder: Folder, pieces: Iterable[Piece]) -> list[Made]:
    """Does pieces of work, one after the other."""
    return [make(folder, piece) for piece in pieces]


def make(folder: Folder, piece: Piece) -> Made:
    """Does a piece of work."""
    made = Made(piece)
    if piece.is_digest:
        with suppress(FileNotFoundError):  # the other pieces tell
            made.digest = folder.digest(f"{RUNS}/{piece.split}/{TRACE}")
        return made
    with folder.scratch() as path:
        with _Writer(path) as writer:
            if piece.split:
                _take_range(folder, piece, made, writer)
            for part, names in piece.kept:
                _take_kept(folder, part, names, writer)
            told = [_take_run(folder, name, made, writer) for name in piece.runs]
            made.runs = pa.concat_tables([made.runs, pa.Table.from_pylist([*filter(None, told)], TOLD)])
        if writer.rows and not (piece.split and made.problems):
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            # Two ranges of a trace may say the same.
            named = f"{PARQUET}/{piece.partition}/part-{digest[:32]}-{piece.begin}.parquet"
            made.parts[named] = Part(path.stat().st_size, digest, writer.rows)
            folder.keep(path, named)
    return made


class _Writer:
    """Writes records, in groups of rows of some size."""

    def __init__(self, path: Path) -> None:
        self._schema = pa.schema([*records.schema(), *KEYS])
        self._file = parquet.ParquetWriter(path, self._schema)
        self._waiting: list[pa.RecordBatch] = []
        self._rows = 0
        self.rows = 0

    def __enter__(self) -> _Writer:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if error is None:
            self._write()
        self._file.close()

    def add(self, batch: pa.RecordBatch, keys: Iterable[Any]) -> None:
        """Records of a run, of which `keys` tells."""
        columns = [
            pa.repeat(pa.scalar(value, kind.type), len(batch)) for value, kind in zip(keys, KEYS, strict=True)
        ]
        self.add_keyed(pa.RecordBatch.from_arrays([*batch.columns, *columns], schema=self._schema))

    def add_keyed(self, batch: pa.RecordBatch) -> None:
        """Records with the keys of their runs."""
        self._waiting.append(batch)
        self._rows += len(batch)
        self.rows += len(batch)
        if self._rows >= _GROUP:
            self._write()

    def _write(self) -> None:
        if self._waiting:
            self._file.write_table(pa.Table.from_batches(self._waiting, self._schema).combine_chunks())
        self._waiting, self._rows = [], 0


def _take_run(folder: Folder, name: str, made: Made, writer: _Writer) -> dict[str, Any] | None:
    """All records of a small run, and what is known of it, unless something is wrong with it."""
    try:
        metadata, digest, found = whole_run(folder, name)
    except BadRunError as error:
        made.problems[name] = integrity.problem(name, str(error))
        return None
    for batch in found:
        writer.add(batch, (metadata["speed_mps"], metadata["seed"]))
    return _told(name, metadata, digest, sum(map(len, found)))


def _told(name: str, metadata: dict[str, Any], digest: str, rows: int) -> dict[str, Any]:
    return described(metadata) | {"name": name, "metadata_sha256": digest, "rows": rows}


def whole_run(folder: Folder, name: str) -> tuple[dict[str, Any], str, list[pa.RecordBatch]]:
    """What run.json says of a small run, its SHA-256, and all records. Raises BadRunError."""
    with reading(folder, name):
        metadata, digest = integrity.metadata_of(folder, name)
        integrity.check_size(folder, name, metadata)
        content = folder.read(f"{RUNS}/{name}/{TRACE}")
        integrity.check_digest(hashlib.sha256(content).hexdigest(), metadata)
        with igzip.open(io.BytesIO(content), "rb") as file:
            text = file.read()
    seen, found = Seen(), []
    try:
        for batch in records.batches(records.without_header([text])):
            seen.add(batch)
            found.append(batch)
        seen.check()
    except NoRecordError as error:
        raise BadRunError(disorder(folder, name, error)) from error
    return metadata, digest, found


def _take_range(folder: Folder, piece: Piece, made: Made, writer: _Writer) -> None:
    """The records of a large run that begin in a range of its trace."""
    name = piece.split
    try:
        with reading(folder, name):
            metadata, digest = integrity.metadata_of(folder, name)
            integrity.check_size(folder, name, metadata)
        for batch in records.batches(text_of(folder, name, piece.begin, piece.end)):
            made.seen.add(batch)
            writer.add(batch, (metadata["speed_mps"], metadata["seed"]))
    except BadRunError as error:
        made.problems[name] = integrity.problem(name, str(error))
    except NoRecordError as error:
        made.problems[name] = integrity.problem(name, disorder(folder, name, error))
    else:
        made.runs = pa.Table.from_pylist([_told(name, metadata, digest, made.seen.rows)], TOLD)


def text_of(folder: Folder, name: str, begin: int = 0, end: int | None = None) -> Iterator[bytes]:
    """The text of a run's trace in a range of its blocks, all of it without `end`, but for its first line.

    Raises BadRunError if it is damaged.
    """
    with reading(folder, name), folder.opened(f"{RUNS}/{name}/{TRACE}") as file:
        if end is None:
            with igzip.open(file, "rb") as whole:
                yield from records.without_header(iter(partial(whole.read, 2**20), b""))
        else:
            found = blocks.blocks(file, begin, end)
            yield from found if begin else records.without_header(found)


def disorder(folder: Folder, name: str, error: Exception) -> str:
    """Which line of a run's trace is no record, or in the wrong place."""
    with folder.on_disk(f"{RUNS}/{name}/{TRACE}") as path:
        return _disorder_in(path, error)


def _disorder_in(trace: Path, error: Exception) -> str:
    reason = integrity.complaint(trace)
    how = "damaged" if not isinstance(error.__cause__, pa.ArrowInvalid) else "unreadable"
    return f"{how}: {reason or error}"


def layers_of(trace: Path) -> set[str]:
    """The layers in a trace. Raises BadRunError unless each line is a record, and the last the only END."""
    seen, layers = Seen(), set[str]()
    try:
        with igzip.open(trace, "rb") as file:
            for batch in records.batches(records.without_header(iter(partial(file.read, 2**20), b""))):
                seen.add(batch)
                layers |= {*batch.column("layer").unique().to_pylist()}
        seen.check()
    except NoRecordError as error:
        raise BadRunError(_disorder_in(trace, error)) from error
    return layers


def _take_kept(folder: Folder, part: str, names: tuple[str, ...], writer: _Writer) -> None:
    """The records of some of the runs in another part."""
    import pandas as pd

    wanted = [keys_in(name) for name in names]
    with folder.on_disk(part) as path, parquet.ParquetFile(path) as file:
        for group in file.iter_batches(_GROUP):
            keys = pd.MultiIndex.from_arrays([group.column(key.name).to_numpy() for key in KEYS])
            writer.add_keyed(group.filter(pa.array(keys.isin(wanted))))


def keys_in(name: str) -> tuple[float, int]:
    """Speed and seed of a run, by its name."""
    _, _, speed, seed = (part.partition("=")[2] for part in name.split("/"))
    return float(speed), int(seed)


def keyed(folder: Folder, part: str) -> Iterator[pa.RecordBatch]:
    """The records in a part, behind the keys of their runs."""
    protocol, config = (each.partition("=")[2] for each in part.split("/")[1:3])
    with folder.on_disk(part) as path, parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(_GROUP):
            rows = len(batch)
            names = [pa.repeat(pa.scalar(value, pa.string()), rows) for value in (protocol, config)]
            keys = [batch.column(key.name) for key in KEYS]
            fields = [batch.column(name) for name in records.schema().names]
            yield pa.RecordBatch.from_arrays(
                [*names, *keys, *fields], names=[*RUN_KEYS, *records.schema().names]
            )


def joined(folder: Folder, pieces: list[Made]) -> Made:
    """What came of all pieces of one large run, in the order of its trace, the digest's among them."""
    (digest,) = (made.digest for made in pieces if made.piece.is_digest)
    ranges = [made for made in pieces if not made.piece.is_digest]
    name = ranges[0].piece.split
    whole = Made(ranges[0].piece)
    try:
        told = next((made.runs.to_pylist()[0] for made in ranges if len(made.runs)), None)
        if told:
            integrity.check_digest(digest, told)
        if problem := next((made.problems[name] for made in ranges if made.problems), None):
            whole.problems[name] = problem
            return whole
        for made in ranges:
            whole.seen.join(made.seen)
        whole.seen.check()
    except BadRunError as error:
        whole.problems[name] = integrity.problem(name, str(error))
    except NoRecordError as error:
        whole.problems[name] = integrity.problem(name, disorder(folder, name, error))
    else:
        whole.runs = pa.Table.from_pylist([(told or {}) | {"rows": whole.seen.rows}], TOLD)
        whole.parts = {part: made_part for made in ranges for part, made_part in made.parts.items()}
    return whole
