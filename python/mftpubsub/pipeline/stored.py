"""Traces to Parquet: the good ones, once each; what is wrong with the others is told."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress, groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from mftpubsub.folders import Folder, folder_at
from mftpubsub.notes import tell
from mftpubsub.pipeline import integrity, manifest, marks, parts
from mftpubsub.pipeline import pieces as pieces_of
from mftpubsub.pipeline.integrity import Problem
from mftpubsub.pipeline.manifest import Manifest, Part
from mftpubsub.pipeline.marks import REPORT, SOURCES
from mftpubsub.pipeline.parts import PARQUET, Made, Piece
from mftpubsub.pipeline.workers import Workers
from mftpubsub.trace import trace_format
from mftpubsub.trace.layout import RUN_KEYS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Shares of work for each core until what is done is committed.
_ROUND = 32
#: ns: a file system's clock may stand still for so long while a file changes twice.
_TICK = 2 * 10**9


@dataclass(frozen=True)
class Plan:
    """What there is to do: runs to read, runs whose records have to go, runs that are done already.

    `sizes` are of the traces of `new`, B; `held` is what DIR/parquet has, without what is lost.
    """

    new: list[str]
    sizes: npt.NDArray[np.int64]
    gone: list[str]
    kept: list[str]
    survey: integrity.Survey
    held: Manifest
    is_moved: bool = False
    """The same files, of which the file system says something else by now: they were copied."""


def plan(folder: Folder | str | Path) -> Plan:
    """Compares DIR/runs with what DIR/parquet holds, by content.

    A file of which the file system says what it said when it was read was not changed since. Of any other
    the SHA-256 tells.
    """
    folder = folder_at(folder)
    survey = integrity.survey(folder)
    held = manifest.load(folder)
    there, renewed = _parts_there(folder, held)
    rows = held.rows_of(survey.runs)
    is_held = rows >= 0
    is_held[is_held] = held.are_in(there)[rows[is_held]]
    is_same = is_held.copy()
    before = held.stats(survey.stats.shape[1])[rows[is_held]]
    is_same[is_held] = np.equal(before, survey.stats[is_held]).all(axis=1)
    is_moved = is_held & ~is_same
    doubted = np.flatnonzero(is_held & ~(is_same & _are_settled(survey.stats, held.written)))
    is_same[doubted] = _are_unchanged(folder, [survey.runs[row] for row in doubted], held)
    is_gone = np.ones(len(held.runs), bool)
    is_gone[rows[is_same]] = False
    return Plan(
        [*compress(survey.runs, ~is_same)],
        survey.sizes[~is_same],
        held.runs.column("name").filter(pa.array(is_gone)).to_pylist(),
        [*compress(survey.runs, is_same)],
        survey,
        replace(held, parts=there),
        bool(np.any(is_moved & is_same)) or renewed,
    )


def _are_settled(stats: npt.NDArray[np.int64], written: int) -> npt.NDArray[np.bool_]:
    """By run, whether files that changed at these times cannot have changed again without new ones."""
    settled: npt.NDArray[np.bool_] = np.all((stats <= 10**15) | (stats < written - _TICK), axis=1)
    return settled


def _parts_there(folder: Folder, held: Manifest) -> tuple[dict[str, Part], bool]:
    """The parts that are as the manifest says, and hold nothing else; whether they were copied since."""
    stats = folder.stats(PARQUET) if held.parts else {}
    there, renewed = {}, False
    unfit = held.unfit()
    for name, part in held.parts.items():
        stat = stats.get(name)
        if stat is None or stat[0] != part.bytes or name in unfit:
            continue
        if stat == part.stat:
            there[name] = part
        elif folder.digest(name) == part.sha256:
            there[name] = replace(part, stat=stat)
            renewed = True
    return there, renewed


def _are_unchanged(folder: Folder, names: list[str], held: Manifest) -> npt.NDArray[np.bool_]:
    """Of runs that are held, whether their files have the content that they had."""
    columns = ["trace_bytes", "trace_sha256", "metadata_sha256"]
    told = held.runs.select(columns).take(held.rows_of(names)).to_pylist()
    with ThreadPoolExecutor(4) as pool:
        stamps = pool.map(partial(integrity.stamp, folder), names)
        same = [stamp == [*map(str, run.values())] for stamp, run in zip(stamps, told, strict=True)]
    return np.array(same, bool)


def store(workers: Workers, folder: Folder | str | Path, todo: Plan | None = None) -> list[Problem]:
    """Brings DIR/parquet up to date with DIR/runs; `workers` read the traces.

    Every line is parsed once, on its way into DIR/parquet, where a damaged run leaves nothing. What a round
    of work has done is committed by the manifest: an ingest that is killed costs the round that it was in.
    Writes DIR/ingest-report.json; what is set aside is also told on standard error, and returned.
    """
    folder = folder_at(folder)
    todo = todo or plan(folder)
    tell(f"{folder}: reading {len(todo.new)} runs, {len(todo.kept)} are in the tables")
    if not todo.held.are_in(todo.held.parts).all():
        folder.remove(f"{PARQUET}/{SOURCES}")  # the tables may be of what a part should not have held
    holding = _Holding(folder, todo)
    pieces = [
        *pieces_of.kept(todo.held, todo.gone),
        *pieces_of.new(folder, todo.new, todo.sizes, workers.cores),
    ]
    problems: dict[str, Problem] = {}
    good: list[str] = []
    for made in _rounds(workers, folder, pieces):
        found = [*_whole_runs(folder, made)]
        holding.add(found)
        for one in found:
            problems.update(one.problems)
            good += one.runs.column("name").to_pylist()
    if not pieces:
        holding.add([])
    return _report(folder, todo, good, problems)


def _report(folder: Folder, todo: Plan, new: list[str], problems: Mapping[str, Problem]) -> list[Problem]:
    """Tells what is set aside, which is returned, and writes DIR/ingest-report.json."""
    set_aside = todo.survey.foreign + [problems[name] for name in sorted(problems)]
    report = {
        "runs": len(todo.kept) + len(new),
        "new": sorted(new),
        "set_aside": [problem.to_json() for problem in set_aside],
        "damaged": {name: integrity.stamp(folder, name) for name in sorted(problems)},
    }
    folder.write(REPORT, (json.dumps(report, indent=1) + "\n").encode())
    for problem in set_aside:
        print(f"set aside: {problem.file}: {problem.reason}", file=sys.stderr)
    return set_aside


def report_anew(folder: Folder, todo: Plan) -> None:
    """Writes DIR/ingest-report.json if its list no longer fits, where there is nothing to read."""
    if marks.report(folder).get("set_aside") != [problem.to_json() for problem in todo.survey.foreign]:
        _report(folder, todo, [], {})


def restate(folder: Folder, todo: Plan) -> None:
    """Notes what the file system says now of files that are the same."""
    _Holding(folder, todo).add([])


class _Holding:
    """What DIR/parquet holds while an ingest goes on."""

    def __init__(self, folder: Folder, todo: Plan) -> None:
        self._folder = folder
        self._names = manifest.encoded(todo.survey.runs)
        self._stats = todo.survey.stats
        self._runs = self._stated(todo.held.runs.take(todo.held.rows_of(todo.kept)))
        self._parts = dict(todo.held.parts)

    def _stated(self, runs: pa.Table) -> pa.Table:
        """With what the file system said of them before they were read."""
        stats = self._stats[manifest.places(runs.column("name"), self._names)]
        return _with(runs, "stat", manifest.listed(stats))

    def add(self, found: list[Made]) -> None:
        """Commits what came of a round of work, and removes what nothing names any more."""
        for made in found:
            self._parts.update(made.parts)
        moved = {before: after for made in found for before, after in made.moved()}
        if moved:
            self._runs = _with(self._runs, "parts", _renamed(self._runs.column("parts"), moved))
        new = [
            _with(self._stated(made.runs), "parts", _each([*made.parts], len(made.runs))) for made in found
        ]
        self._runs = pa.concat_tables([self._runs, *(runs.select(manifest.SCHEMA.names) for runs in new)])
        there = self._folder.stats(PARQUET)
        named = {*compute.unique(compute.list_flatten(self._runs.column("parts"))).to_pylist()}
        self._parts = {name: replace(self._parts[name], stat=there.get(name, ())) for name in sorted(named)}
        manifest.save(self._folder, [self._runs], self._parts)
        for name in there:
            if name not in named and name not in (manifest.MANIFEST, f"{PARQUET}/{SOURCES}"):
                self._folder.remove(name)


def _with(runs: pa.Table, name: str, values: pa.Array) -> pa.Table:
    """Runs with another column of SCHEMA, or one that they lack."""
    field = manifest.SCHEMA.field(name)
    place = runs.schema.get_field_index(name)
    return runs.append_column(field, values) if place < 0 else runs.set_column(place, field, values)


def _each(parts: list[str], count: int) -> pa.Array:
    """The same parts for so many runs."""
    return pa.array([parts] * count, manifest.SCHEMA.field("parts").type)


def _renamed(lists: pa.ChunkedArray, moved: Mapping[str, str]) -> pa.Array:
    """Lists of parts, some of which are called something else by now."""
    column = lists.combine_chunks()
    values = column.flatten().dictionary_encode()
    names = pa.array([moved.get(name, name) for name in values.dictionary.to_pylist()], pa.string())
    offsets = compute.subtract(column.offsets, column.offsets[0])
    return pa.ListArray.from_arrays(offsets, names.take(values.indices))


def _rounds(workers: Workers, folder: Folder, pieces: list[Piece]) -> Iterator[list[Made]]:
    """What came of the pieces of work, a round of them at a time.

    A large run is in one round. So is all that is kept: the first commit no longer names the runs that go.
    """
    waiting: list[Piece] = []
    for _, group in groupby(pieces, lambda piece: bool(piece.kept) or piece.split or id(piece)):
        waiting += group
        if len(waiting) >= _ROUND * workers.cores:
            yield _worked(workers, folder, waiting)
            waiting = []
    if waiting:
        yield _worked(workers, folder, waiting)


def _worked(workers: Workers, folder: Folder, pieces: list[Piece]) -> list[Made]:
    """Pieces that are much smaller than a share are done some at a time."""
    tasks = 4 * workers.cores
    shares = [pieces[first::tasks] for first in range(min(tasks, len(pieces)))]
    done = workers.map(partial(parts.make_all, folder), shares)
    by_piece = {made.piece: made for share in done for made in share}
    return [by_piece[piece] for piece in pieces]


def _whole_runs(folder: Folder, made: list[Made]) -> Iterator[Made]:
    for split, group in groupby(made, lambda one: one.piece.split):
        pieces = [*group]
        yield from [parts.joined(folder, pieces)] if split else pieces


def held(folder: Folder) -> list[str]:
    """The runs that DIR/parquet holds."""
    return manifest.load(folder).column("name")


def trace(spark: SparkSession, folder: str | Path) -> DataFrame:
    """All records of DIR/parquet with the run's keys, typed."""
    from mftpubsub.pipeline.session import literal

    place = folder_at(folder)
    columns = {column.name: column.type for column in trace_format.columns()} | RUN_KEYS
    schema = ", ".join(f"{name} {type_}" for name, type_ in columns.items())
    if place.for_spark is None:
        from mftpubsub.pipeline.source import register

        register(spark)
        return spark.read.format("mftpubsub").option("table", "stored").load(str(folder)).select(*columns)
    names = sorted(manifest.load(place).parts)
    reader = spark.read.schema(schema).option("basePath", f"{place.for_spark}/{PARQUET}")  # no pattern
    return reader.parquet(*(literal(f"{place.for_spark}/{name}") for name in names))


def table(spark: SparkSession, folder: str | Path, name: str) -> DataFrame:
    """A table that an ingest has made."""
    from mftpubsub.pipeline.session import literal

    place = folder_at(folder)
    if place.for_spark is not None:
        return spark.read.parquet(literal(f"{place.for_spark}/{name}"))
    from pyarrow import parquet

    with place.on_disk(name) as path:
        return spark.createDataFrame(parquet.read_table(path))
