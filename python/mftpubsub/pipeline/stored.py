"""Traces to Parquet: the good ones, once each; what is wrong with the others is told."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from mftpubsub.folders import Folder, LocalFolder, Stat, folder_at
from mftpubsub.notes import tell
from mftpubsub.pipeline import integrity, manifest, parts
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

    `stats` is what the file system says of each run; `held` what DIR/parquet has, without what is lost.
    """

    new: list[str]
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
    rows = dict(zip(held.column("name"), range(len(held.runs)), strict=True))
    stats, part_names = held.column("stat"), held.column("parts")
    kept, doubted, new = [], [], []
    for name, stat in survey.runs.items():
        row = rows.get(name)
        if row is None or not all(part in there for part in part_names[row]):
            new.append(name)
        elif (*stats[row],) == stat and _is_settled(stat, held.written):
            kept.append(name)
        else:
            doubted.append(name)
    same = _unchanged(folder, doubted, held)
    kept_set = {*kept, *same}
    is_moved = any((*stats[rows[name]],) != survey.runs[name] for name in same) or renewed
    return Plan(
        sorted({*new, *doubted} - kept_set),
        [name for name in rows if name not in kept_set],
        sorted(kept_set),
        survey,
        replace(held, parts=there),
        is_moved,
    )


def _is_settled(stat: Stat, written: int) -> bool:
    """Whether a file that changed at the times in `stat` cannot have changed again without new ones."""
    return all(time + _TICK < written for time in stat if time > 10**15)


def _parts_there(folder: Folder, held: Manifest) -> tuple[dict[str, Part], bool]:
    """The parts that are as the manifest says, and whether they were copied since."""
    stats = folder.stats(PARQUET) if held.parts else {}
    there, renewed = {}, False
    for name, part in held.parts.items():
        stat = stats.get(name)
        if stat is None or stat[0] != part.bytes:
            continue
        if stat == part.stat:
            there[name] = part
        elif folder.digest(name) == part.sha256:
            there[name] = replace(part, stat=stat)
            renewed = True
    return there, renewed


def _unchanged(folder: Folder, names: list[str], held: Manifest) -> list[str]:
    """Of runs that are held, those whose files have the content that they had."""
    if not names:
        return []
    columns = ("name", "trace_bytes", "trace_sha256", "metadata_sha256")
    told = {
        name: [str(size), trace, metadata]
        for name, size, trace, metadata in zip(*map(held.column, columns), strict=True)
    }
    with ThreadPoolExecutor(4) as pool:
        stamps = pool.map(partial(integrity.stamp, folder), names)
        return [name for name, stamp in zip(names, stamps, strict=True) if stamp == told[name]]


def store(workers: Workers, folder: Folder | str | Path, todo: Plan | None = None) -> list[Problem]:
    """Brings DIR/parquet up to date with DIR/runs; `workers` read the traces.

    Every line is parsed once, on its way into DIR/parquet, where a damaged run leaves nothing. What a round
    of work has done is committed by the manifest: an ingest that is killed costs the round that it was in.
    Writes DIR/ingest-report.json; what is set aside is also told on standard error, and returned.
    """
    folder = folder_at(folder)
    todo = todo or plan(folder)
    tell(f"{folder}: reading {len(todo.new)} runs, {len(todo.kept)} are in the tables")
    holding = _Holding(folder, todo)
    pieces = [
        *pieces_of.kept(todo.held, todo.gone),
        *pieces_of.new(folder, todo.new, todo.survey.sizes, workers.cores),
    ]
    problems: dict[str, Problem] = {}
    good: list[str] = []
    for made in _rounds(workers, folder, pieces):
        found = [*_whole_runs(folder, made)]
        holding.add(found)
        for one in found:
            problems.update(one.problems)
            good += one.runs
    if not pieces:
        holding.add([])
    set_aside = todo.survey.foreign + [problems[name] for name in sorted(problems)]
    report = {
        "runs": len(todo.kept) + len(good),
        "new": sorted(good),
        "set_aside": [problem.to_json() for problem in set_aside],
        "damaged": {name: integrity.stamp(folder, name) for name in sorted(problems)},
    }
    folder.write(REPORT, (json.dumps(report, indent=1) + "\n").encode())
    for problem in set_aside:
        print(f"set aside: {problem.file}: {problem.reason}", file=sys.stderr)
    return set_aside


def restate(folder: Folder, todo: Plan) -> None:
    """Notes what the file system says now of files that are the same."""
    _Holding(folder, todo).add([])


class _Holding:
    """What DIR/parquet holds while an ingest goes on."""

    def __init__(self, folder: Folder, todo: Plan) -> None:
        self._folder = folder
        self._stats = todo.survey.runs
        kept = {*todo.kept}
        names = todo.held.column("name")
        mask = pa.array([name in kept for name in names], pa.bool_())
        self._tables = [self._restated(todo.held.runs.filter(mask))]
        self._parts = dict(todo.held.parts)

    def _restated(self, runs: pa.Table) -> pa.Table:
        names = runs.column("name").to_pylist()
        stats = pa.array([self._stats[name] for name in names], manifest.SCHEMA.field("stat").type)
        return runs.set_column(manifest.SCHEMA.get_field_index("stat"), "stat", stats)

    def add(self, found: list[Made]) -> None:
        """Commits what came of a round of work, and removes what nothing names any more."""
        for made in found:
            self._parts.update(made.parts)
            if made.piece.kept:
                self._move(made)
            self._tables.append(self._rows(made))
        runs = pa.concat_tables(self._tables)
        named = {part for names in runs.column("parts").to_pylist() for part in names}
        there = self._folder.stats(PARQUET)
        self._parts = {name: replace(self._parts[name], stat=there.get(name, ())) for name in sorted(named)}
        self._tables = [runs]
        manifest.save(self._folder, [runs], self._parts)
        for name in there:
            if name not in named and name not in (manifest.MANIFEST, f"{PARQUET}/{SOURCES}"):
                self._folder.remove(name)

    def _rows(self, made: Made) -> pa.Table:
        rows = [
            told | {"name": name, "parts": [*made.parts], "stat": self._stats[name]}
            for name, told in made.runs.items()
        ]
        return pa.Table.from_pylist(rows, manifest.SCHEMA)

    def _move(self, made: Made) -> None:
        """Has runs that were in parts that go be in the new part."""
        moved = {name for _, names in made.piece.kept for name in names}
        (runs,) = self._tables[:1]
        lists = [
            [*made.parts] if name in moved else before
            for name, before in zip(
                runs.column("name").to_pylist(), runs.column("parts").to_pylist(), strict=True
            )
        ]
        column = manifest.SCHEMA.get_field_index("parts")
        moved_to = pa.array(lists, manifest.SCHEMA.field("parts").type)
        self._tables[0] = runs.set_column(column, "parts", moved_to)


def _rounds(workers: Workers, folder: Folder, pieces: list[Piece]) -> Iterator[list[Made]]:
    """What came of the pieces of work, a round of them at a time; a large run is in one round."""
    waiting: list[Piece] = []
    for _, group in groupby(pieces, lambda piece: piece.split or id(piece)):
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
    if not isinstance(place, LocalFolder):
        from mftpubsub.pipeline.source import register

        register(spark)
        return spark.read.format("mftpubsub").option("table", "stored").load(str(folder)).select(*columns)
    names = sorted(manifest.load(place).parts)
    reader = spark.read.schema(schema).option("basePath", str(place.path / PARQUET))  # no pattern
    return reader.parquet(*(literal(place.path / name) for name in names))


def table(spark: SparkSession, folder: str | Path, name: str) -> DataFrame:
    """A table that an ingest has made."""
    from mftpubsub.pipeline.session import literal

    place = folder_at(folder)
    if isinstance(place, LocalFolder):
        return spark.read.parquet(literal(place.path / name))
    from pyarrow import parquet

    with place.on_disk(name) as path:
        return spark.createDataFrame(parquet.read_table(path))
