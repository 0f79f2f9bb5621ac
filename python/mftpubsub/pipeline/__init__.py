"""From trace files to tables: the metrics are SQL, which processes or Spark's tasks have DuckDB run.

Stages: `stored` (DIR/runs to DIR/parquet), `tables` (DIR/parquet to DIR/tables); `append` takes these to a
lakehouse. With a Spark session of one's own: `ingest`, `metrics`, `register` and `read_ns3`, which leave the
session as it is.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from errno import EDQUOT, ENOSPC
from pathlib import Path
from typing import TYPE_CHECKING

from mftpubsub.folders import Folder, LocalFolder, folder_at

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from mftpubsub.pipeline.stored import Plan
    from mftpubsub.pipeline.workers import Workers


#: B of traces that this process has read before others are there to help.
_SMALL = 2**21


def run(folder: str | Path, master: str | None = None) -> list[str]:
    """Brings DIR/parquet and DIR/tables up to date with DIR/runs, schema and SQL; does nothing if they are.

    DIR may be a URL: `s3://bucket/study`, `hdfs://...`, `file://...`. Processes of this machine do the
    work, or Spark on `master`; a small study is left to this process. Returns the runs that had to be set
    aside: a sweep makes its own again, others are to be imported again. DIR/ingest-report.json tells why.
    Raises MftPubsubError if there is no complete run, or another ingest or a join is at work there,
    InstallationError if Spark cannot start.
    """
    from mftpubsub.pipeline.workers import Executors, Processes

    def workers(todo: Plan) -> Workers:
        if master is None:
            return Processes(1 if todo.survey.sizes.sum() < _SMALL else None)
        from mftpubsub.pipeline.session import session

        return Executors(session(master, light=True))

    return _bring_up(folder_at(folder), workers)


def ingest(spark: SparkSession, folder: str | Path) -> DataFrame:
    """As `run`, on a session of one's own: all records of the runs in DIR, with the run's keys, typed.

    The session keeps its settings and stays open. Raises ConfigurationError if it was stopped.
    """
    from mftpubsub.pipeline.session import running
    from mftpubsub.pipeline.stored import trace
    from mftpubsub.pipeline.workers import Executors

    executors = Executors(running(spark))
    _bring_up(folder_at(folder), lambda _: executors)
    return trace(spark, folder)


def metrics(spark: SparkSession, folder: str | Path) -> DataFrame:
    """As `run`, on a session of one's own: the metrics, one row a run.

    The session keeps its settings and stays open.
    """
    from mftpubsub.pipeline.session import running
    from mftpubsub.pipeline.stored import table
    from mftpubsub.pipeline.workers import Executors

    executors = Executors(running(spark))
    _bring_up(folder_at(folder), lambda _: executors)
    return table(spark, folder, "tables/runs.parquet")


def append(folder: str | Path, target: str | Path) -> dict[str, int]:
    """Appends the tables of runs in DIR/tables to tables of Delta Lake, `target`/runs and so on.

    A run is there once, however often it is appended, from whichever study, by how many at once. Returns by
    table how many runs are new in it. Columns that a table lacks are added, NULL in older rows. Raises
    InstallationError without the package deltalake, MftPubsubError if DIR/tables are not up to date, a
    column has another type there, or the place cannot be written.
    """
    from mftpubsub.pipeline.lakehouse import append

    return append(folder_at(folder), str(target))


def register(spark: SparkSession) -> None:
    """Makes `spark.read.format("mftpubsub")` and `format("ns3")` known to a session; changes nothing else.

    `format("mftpubsub").load(DIR)` is all records of the runs in DIR/runs, with their keys, axes too. The
    option `table` names another table: runs, losses, frames_by_kind, deliveries, nodes. An option called as
    a key restricts what is read, as in `.option("protocol", "aodv,mft-mesh")`.
    """
    from mftpubsub.pipeline.source import register

    register(spark)


def read_ns3(
    spark: SparkSession,
    *,
    ip: str | Path | None = None,
    phy: str | Path | None = None,
    flows: str | Path | None = None,
    movement: str | Path | None = None,
    captures: Iterable[str | Path] = (),
) -> dict[str, DataFrame]:
    """What an ns-3 script wrote as tables by name: `ns3_ip`, `ns3_phy` and so on (ns3.tables.TABLES).

    Only of the files that are named: traces of IP, devices and mobility, FlowMonitor's XML, pcap files. Large
    text files are split. Raises TraceError for a file that cannot be read; what is damaged fails a query.
    """
    from mftpubsub.pipeline.source import read_ns3

    return read_ns3(spark, {"ip": ip, "phy": phy, "flows": flows, "movement": movement}, captures)


def _bring_up(folder: Folder, workers: Callable[[Plan], Workers]) -> list[str]:
    """As `run`; asks for `workers` if there is something to do."""
    from mftpubsub.notes import tell
    from mftpubsub.pipeline.marks import LOCK, damaged, refuse_half_joined
    from mftpubsub.pipeline.stored import plan, report_anew
    from mftpubsub.pipeline.tables import are_of

    _refuse_without_runs(folder)
    with folder.locked(LOCK, "ingest or join"):
        if isinstance(folder, LocalFolder):
            refuse_half_joined(folder.path)
        todo = plan(folder)
        if not todo.new and not todo.gone:
            report_anew(folder, todo)
        if not todo.new and not todo.gone and not todo.is_moved and are_of(folder):
            tell(f"{folder}: all {len(todo.kept)} runs are in the tables already")
        else:
            with _telling_a_full_disk(folder):
                _work(folder, todo, workers)
        _tell_mixed(folder)
        return [*damaged(folder)]


#: Lines about runs that differ: there may be thousands of cases.
_MOST_LINES = 5


def _tell_mixed(folder: Folder) -> None:
    """Says which runs the tables have means of that are not alike."""
    from mftpubsub.pipeline.manifest import load, mixed

    lines = mixed(load(folder))
    for line in lines[:_MOST_LINES]:
        advice = "means are over all of them; keep each in a folder of its own"
        print(f"{folder}: {line}: {advice}", file=sys.stderr)
    if (more := len(lines) - _MOST_LINES) > 0:
        print(f"{folder}: {more} more such groups of runs", file=sys.stderr)


def _refuse_without_runs(folder: Folder) -> None:
    from mftpubsub.errors import MftPubsubError

    if isinstance(folder, LocalFolder) and not (folder.path / "runs").is_dir():
        raise MftPubsubError(f"{folder}: no folder `runs`; `mftpubsub sweep CONFIG --out {folder}` makes it")


def _work(folder: Folder, todo: Plan, workers: Callable[[Plan], Workers]) -> None:
    from mftpubsub.errors import MftPubsubError
    from mftpubsub.pipeline.marks import REPORT, joined
    from mftpubsub.pipeline.stored import held, restate, store
    from mftpubsub.pipeline.tables import are_of, make

    commands = joined(folder)
    if not todo.new and not todo.gone:
        restate(folder, todo)
        if are_of(folder):
            return
    else:
        store(workers(todo), folder, todo)
    if not held(folder):
        raise MftPubsubError(f"{folder}: no complete run; see {folder}/{REPORT}")
    # A run that stays damaged is new every time, and changes nothing.
    if not are_of(folder):
        if commands:
            again = "; ".join(commands)
            print(f"{folder}: joined runs leave the tables; to join them again: {again}", file=sys.stderr)
        make(workers(todo), folder)


@contextmanager
def _telling_a_full_disk(folder: Folder) -> Iterator[None]:
    """Raises DiskFullError where Python, or Spark in pages, say that no room is left."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    from mftpubsub.errors import DiskFullError

    try:
        yield
    except (OSError, Py4JError, PySparkException) as error:
        words = [os.strerror(number) for number in (ENOSPC, EDQUOT)]
        if any(word in str(error) for word in words):
            raise DiskFullError(
                f"{folder}: the disk is full; make room, and the same command goes on"
            ) from error
        raise
