"""Who does the work of an ingest: processes of this machine, or the executors of Spark."""

from __future__ import annotations

import os
import pickle
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from mftpubsub import notes
from mftpubsub.errors import InstallationError, MftPubsubError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

#: Pieces of work for each core of executors, of which the driver has the answers in memory.
_AT_ONCE = 4

A = TypeVar("A")
B = TypeVar("B")


class Workers(Protocol):
    """Does pieces of work that know nothing of each other; a piece may be done twice."""

    @property
    def cores(self) -> int:
        """How many pieces are done at once."""

    def map(self, work: Callable[[A], B], items: Sequence[A]) -> Iterator[B]:
        """What `work` gives for each of `items`, in their order; raises what it raises.

        Works while it is read, as Python's `map`: of large answers not all need be in memory. Raises
        MftPubsubError if who did it was killed.
        """


class Processes:
    """Processes of this machine, one a core; of a single piece of work this one."""

    def __init__(self, cores: int | None = None) -> None:
        self.cores = cores or len(os.sched_getaffinity(0))

    def map(self, work: Callable[[A], B], items: Sequence[A]) -> Iterator[B]:
        if min(self.cores, len(items)) <= 1:
            yield from map(work, items)
            return
        # Not forked: DuckDB and Arrow have threads, and the fork server of a process is its sweeps'.
        with ProcessPoolExecutor(min(self.cores, len(items)), get_context("spawn")) as pool:
            with notes.deaf():
                answers = pool.map(work, items)
            try:
                yield from answers
            except BrokenProcessPool as error:
                raise MftPubsubError(
                    "a process of the ingest was killed, perhaps for want of memory: "
                    "the same command goes on where it was"
                ) from error
            except BaseException:
                pool.shutdown(cancel_futures=True)  # what has begun comes to its end
                raise


class Executors:
    """The executors of a Spark session, which stays as it is; over Spark Connect, too."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    @property
    def cores(self) -> int:
        told = self._spark.conf.get("spark.sql.leafNodeDefaultParallelism", None)
        if told is None and hasattr(self._spark, "_jsc"):
            return int(self._spark.sparkContext.defaultParallelism)
        return int(told or len(os.sched_getaffinity(0)))

    def map(self, work: Callable[[A], B], items: Sequence[A]) -> Iterator[B]:
        most = _AT_ONCE * self.cores
        for first in range(0, len(items), most):
            yield from self._done(work, items[first : first + most])

    def _done(self, work: Callable[[A], B], items: Sequence[A]) -> Iterator[B]:
        """As `map`, with all answers in memory at once."""
        import pyarrow as pa

        # As rows, one in each partition: in the function every task would have all of them.
        rows = {"id": [*range(len(items))], "item": pa.array(map(pickle.dumps, items), pa.binary())}
        pieces = self._spark.createDataFrame(pa.table(rows)).coalesce(1)
        # mapInArrow is what runs Python on any kind of session.
        done = pieces.repartition(len(items)).mapInArrow(partial(_do, work), "id bigint, answer binary")
        with _missing_packages_told():
            answers = {row.id: row.answer for row in done.collect()}
        for number in range(len(items)):
            answer = pickle.loads(answers.pop(number))
            if isinstance(answer, MftPubsubError):
                raise answer
            yield answer


@contextmanager
def _missing_packages_told() -> Iterator[None]:
    """Raises InstallationError, instead of Spark's pages, where the workers' Python lacks a package."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        if missing := re.search("No module named '([^']*)'", str(error)):
            raise InstallationError(
                f"the Python of Spark's workers has no package {missing[1]}: name one that has it before "
                f"Spark starts (PYSPARK_PYTHON={sys.executable}), or have packages travel to it (--archives)"
            ) from error
        raise


def _do(work: Callable[[Any], Any], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Gives the answers to the items in `batches`; an error for the user is an answer, too."""
    import pyarrow as pa

    for batch in batches:
        items = map(pickle.loads, batch.column("item").to_pylist())
        answers = pa.array([pickle.dumps(_answer(work, item)) for item in items], pa.binary())
        yield pa.RecordBatch.from_pydict({"id": batch.column("id"), "answer": answers})


def _answer(work: Callable[[Any], Any], item: Any) -> Any:
    try:
        return work(item)
    except MftPubsubError as error:
        return error
