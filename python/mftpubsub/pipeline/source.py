"""PySpark's data sources: `mftpubsub` of a study's runs, and `ns3` of what ns-3's own scripts write.

No RDD and no Java of ours: they work on any kind of session, over Spark Connect, too.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyarrow import compute
from pyspark.errors import AnalysisException
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from mftpubsub.errors import ConfigurationError, MftPubsubError, no_such
from mftpubsub.folders import Folder, folder_at
from mftpubsub.pipeline import of_runs
from mftpubsub.pipeline.manifest import load
from mftpubsub.pipeline.ns3 import reading
from mftpubsub.pipeline.ns3.reading import Files
from mftpubsub.pipeline.ns3.tables import TABLES
from mftpubsub.pipeline.ns3.text import Share
from mftpubsub.pipeline.parts import keyed
from mftpubsub.pipeline.pieces import EACH, LARGE, ranges
from mftpubsub.pipeline.selection import selected
from mftpubsub.pipeline.session import running
from mftpubsub.trace.layout import RUN_KEYS, as_text, text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Columns of the rows that a task is given, beside those of a study's runs, and the end of a whole trace.
_BEGIN, _END, _ALL = "its begin", "its end", -1
#: B of traces that a task reads at least, if there are so many.
_BYTES_OF_A_TASK = 2**23


@dataclass(frozen=True)
class _Runs(InputPartition):
    """What one task reads: rows of a study's runs, each with the range of its trace."""

    runs: pa.Table


@dataclass(frozen=True)
class _Parts(InputPartition):
    """What one task reads: a part of DIR/parquet."""

    part: str


def _check_options(source: DataSource, known: Sequence[str]) -> None:
    """Raises ConfigurationError for an option that a source does not know: Spark hands over any."""
    folded = {name.lower() for name in known}
    if strange := [name for name in source.options if name.lower() not in folded]:
        raise ConfigurationError(f'format("{source.name()}"): {no_such("option", strange[0], known)}')


class RunsSource(DataSource):
    """`spark.read.format("mftpubsub").load(DIR)`: all records of the complete runs in DIR/runs.

    DIR may be a URL, as of `ingest`. Options: `table` is records, or runs, losses, frames_by_kind,
    deliveries or nodes, or stored, which is records as the newest ingest has stored them; a key of the runs
    (`protocol`, `config`, `speed_mps`, `seed`, an axis) restricts the others to values, separated by commas,
    and `where` to what a condition on keys selects, as in SQL. Other runs are not read.
    """

    @classmethod
    def name(cls) -> str:
        return "mftpubsub"

    @property
    def _folder(self) -> Folder:
        if not (path := self.options.get("path")):
            raise ConfigurationError(
                'format("mftpubsub"): load(DIR) names the folder of one study; in SQL a TEMPORARY VIEW does, '
                "by OPTIONS (path 'DIR'), as Spark tells a source nothing of a TABLE"
            )
        return folder_at(path)

    @cached_property
    def _study(self) -> of_runs.Study:
        return of_runs.study(self._folder)

    @property
    def _table(self) -> str:
        name = str(self.options.get("table", "records"))
        if name not in (known := (*of_runs.TABLES, "stored")):
            raise ConfigurationError(f'format("mftpubsub"): {no_such("table", name, known)}')
        return name

    def schema(self) -> str:
        if self._table == "stored":
            columns = RUN_KEYS | of_runs.columns("records")
        else:
            columns = {**self._study.keys} | of_runs.columns(self._table)
        return ", ".join(f"`{name}` {type_}" for name, type_ in columns.items())

    def reader(self, schema: Any) -> DataSourceReader:
        if self._table == "stored":
            if given := [name for name in (*RUN_KEYS, "where") if name in self.options]:
                raise ConfigurationError(
                    'format("mftpubsub"): the table stored is read as a whole, without the option '
                    f"{given[0]}: use where of the DataFrame"
                )
            _check_options(self, ("path", "table"))
            return StoredReader(self._folder)
        _check_options(self, ("path", "table", "where", *self._study.keys))
        runs = self._study.runs
        for key in self._study.keys:
            if key in self.options:
                known = {text(value): value for value in self._study.runs.column(key).unique().to_pylist()}
                typed = str(self.options[key]).split(",")
                wanted = [one if one in known else as_text(one) for one in typed]
                if strange := [one for one in wanted if one not in known]:
                    raise ConfigurationError(
                        f'format("mftpubsub"): {no_such(key, strange[0], sorted(known))}'
                    )
                values = [known[one] for one in wanted]
                runs = runs.filter(
                    compute.is_in(runs.column(key), pa.array(values, runs.schema.field(key).type))
                )
        if where := self.options.get("where"):
            runs = selected(runs, self._study.keys, where)
        return RunsReader(replace(self._study, runs=runs), self._table)


class RunsReader(DataSourceReader):
    """Reads runs, some in each task, and of a large one a range of its trace.

    Takes no filters from Spark (`pushFilters`): Spark 4.3.0 hands those of one use of a DataFrame to all its
    uses in a query, and a union of two selections is then twice the same one.
    """

    def __init__(self, study: of_runs.Study, table: str) -> None:
        self._study = study
        self._table = table

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_study": self._study.without_runs()}

    def partitions(self) -> Sequence[InputPartition]:
        found = []
        rows, begins, ends = array("q"), array("q"), array("q")
        room = _BYTES_OF_A_TASK
        for row, (folder, size) in enumerate(self._study.places()):
            for begin, end in self._ranges(folder, size):
                if room <= 0:
                    found.append(self._share(rows, begins, ends))
                    rows, begins, ends = array("q"), array("q"), array("q")
                    room = _BYTES_OF_A_TASK
                rows.append(row)
                begins.append(begin)
                ends.append(_ALL if end is None else end)
                room -= EACH + (size if end is None else end - begin)
        return [*found, self._share(rows, begins, ends)]

    def _share(self, *numbers: array[int]) -> _Runs:
        rows, begins, ends = map(np.asarray, numbers)
        runs = self._study.runs.take(pa.array(rows)).combine_chunks()
        return _Runs(runs.append_column(_BEGIN, pa.array(begins)).append_column(_END, pa.array(ends)))

    def _ranges(self, folder: str, size: int) -> list[tuple[int, int | None]]:
        if self._table != "records" or size < LARGE:
            return [(0, None)]
        return ranges(self._study.folder, folder, size)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, _Runs)
        rows = partition.runs.to_pylist()
        if self._table == "records":
            for row in rows:
                end = None if row[_END] == _ALL else row[_END]
                yield from of_runs.read(self._study, self._study.run(row), row[_BEGIN], end)
        else:
            yield from of_runs.answer(self._study, [*map(self._study.run, rows)], self._table)


class StoredReader(DataSourceReader):
    """Reads the parts that the newest ingest has made, one in each task."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    def partitions(self) -> Sequence[InputPartition]:
        names = sorted(load(self._folder).parts)
        if not names:
            raise MftPubsubError(
                f"{self._folder}: nothing is stored; `mftpubsub ingest {self._folder}` does it"
            )
        return [*map(_Parts, names)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, _Parts)
        yield from keyed(self._folder, partition.part)


@dataclass(frozen=True)
class _Share(InputPartition):
    """What one task reads."""

    share: Share


#: Files of ns-3's of which a run has one.
_FILES = ("ip", "phy", "flows", "movement")


def _captures(given: str) -> tuple[Path, ...]:
    """The files of the option `captures`. Raises ConfigurationError if it is no list of them."""
    try:
        paths = json.loads(given)
    except ValueError:
        paths = None
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        raise ConfigurationError(
            f"""format("ns3"): captures: {given!r} is no JSON list of files, such as '["a-0-0.pcap"]'"""
        )
    return tuple(map(Path, paths))


class Ns3Source(DataSource):
    """`spark.read.format("ns3").option("table", "ns3_ip").option("ip", FILE).load()`: ns-3's own traces.

    Options: `table`, one of TABLES; `ip`, `phy`, `flows`, `movement`: a file; `captures`: a JSON list.
    """

    @classmethod
    def name(cls) -> str:
        return "ns3"

    @property
    def _table(self) -> str:
        name = str(self.options.get("table", "ns3_ip"))
        if name not in TABLES:
            raise ConfigurationError(f'format("ns3"): {no_such("table", name, TABLES)}')
        return name

    def schema(self) -> str:
        return TABLES[self._table].ddl()

    def reader(self, schema: Any) -> DataSourceReader:
        _check_options(self, ("table", "captures", *_FILES))
        one = {name: Path(self.options[name]) for name in _FILES if name in self.options}
        captures = _captures(self.options.get("captures", "[]"))
        shares = [
            share for share in reading.shares(Files(captures=captures, **one)) if share.table == self._table
        ]
        if not shares:
            raise MftPubsubError(f'format("ns3"): no file for the table {self._table} was named')
        return Ns3Reader(shares)


class Ns3Reader(DataSourceReader):
    """Reads files, large ones in several tasks."""

    def __init__(self, shares: Sequence[Share]) -> None:
        self._shares = shares

    def partitions(self) -> Sequence[InputPartition]:
        return [_Share(share) for share in self._shares]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, _Share)
        return reading.batches(partition.share)


def register(spark: SparkSession) -> None:
    """As `mftpubsub.pipeline.register`."""
    running(spark)
    for source in (RunsSource, Ns3Source):
        try:
            spark.dataSource.register(source)
        except AnalysisException:
            _register_while_active(spark, source)


def _register_while_active(spark: SparkSession, source: type[DataSource]) -> None:
    """Spark asks the active session whether a name is taken, even if that is another one."""
    from pyspark.sql import SparkSession

    before = SparkSession.getActiveSession()
    spark.createDataFrame([], "id int")  # makes it the active one
    try:
        spark.dataSource.register(source)
    finally:
        if before is not None:
            before.createDataFrame([], "id int")


def read_ns3(
    spark: SparkSession, one: Mapping[str, str | Path | None], captures: Iterable[str | Path]
) -> dict[str, DataFrame]:
    """As `mftpubsub.pipeline.read_ns3`."""
    if isinstance(captures, str | Path):
        raise ConfigurationError(f"captures: {str(captures)!r} is one file: give a list, [{str(captures)!r}]")
    captures = [*captures]
    if not captures and not any(one.values()):
        raise ConfigurationError(f"nothing was given to read: name {', '.join(one)} or captures")
    register(spark)
    # Whole paths: Spark's processes have working directories of their own.
    given = {name: Path(path).absolute() for name, path in one.items() if path is not None}
    files = Files(captures=tuple(Path(path).absolute() for path in captures), **given)
    options = {name: str(path) for name, path in given.items()}
    options["captures"] = json.dumps([*map(str, files.captures)])
    tables = dict.fromkeys(share.table for share in reading.shares(files))
    return {name: spark.read.format("ns3").options(**options, table=name).load() for name in tables}
