"""A sweep's runs as tasks of Spark: on the executors of a cluster, or on this machine as if it were one."""

from __future__ import annotations

import pickle
import re
import socket
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from pyspark.accumulators import AccumulatorParam

from mftpubsub.errors import MftPubsubError
from mftpubsub.pipeline.session import session
from mftpubsub.simulator.library import code_version
from mftpubsub.sweeps.processes import Outcome, Runner, packed, packed_by_name, refuse_edited, run_forked
from mftpubsub.trace.layout import read_metadata, run_folder

if TYPE_CHECKING:
    from pyspark import SparkContext

    from mftpubsub.scenario.scenario import Scenario

_GROUP = "mftpubsub sweep"


class _Outcomes(AccumulatorParam[list[Outcome]]):
    """What the tasks tell. Spark counts each task once, however often it had to be started."""

    def zero(self, value: list[Outcome]) -> list[Outcome]:
        return []

    def addInPlace(self, value1: list[Outcome], value2: list[Outcome]) -> list[Outcome]:  # noqa: N802
        value1 += value2
        return value1


class SparkRuns:
    """Runs cases on `master`, into `runs`, which all executors must see.

    `token` is what the file `lock` holds: by it an executor knows that it sees the same folder. Without
    `lock` they need not see it: the runner brings what it has made to where it belongs.
    """

    def __init__(self, master: str, lock: Path | None, token: str) -> None:
        self._context: SparkContext = session(master, light=True).sparkContext
        self._lock = lock
        self._token = token

    def slots(self) -> int:
        """Number of runs at once: the cores of the executors that are there now."""
        return int(self._context.defaultParallelism)

    def run(
        self, cases: Sequence[Scenario], runs: Path, runner: Runner, time_limit: float | None = None
    ) -> Generator[Outcome]:
        """Runs cases, those first that come first, each for `time_limit` s at most.

        Stops them when it is closed. Raises MftPubsubError if Spark gives up, with the reason.
        """
        outcomes = self._context.accumulator([], _Outcomes())
        place = _Place(runs.resolve(), self._lock and self._lock.resolve(), self._token, code_version())
        task = partial(_run_task, place, runner, time_limit)
        tasks = [(index, packed(case), case.fingerprint()) for index, case in enumerate(cases)]
        seen = 0
        with ThreadPoolExecutor(1) as pool:
            job = pool.submit(self._foreach, tasks, lambda each: outcomes.add([task(*each)]))
            try:
                while not wait([job], timeout=0.3).done or seen < len(outcomes.value):
                    told = outcomes.value[seen:]
                    yield from told
                    seen += len(told)
            finally:
                # More than once: Spark may not have the job yet.
                while not job.done():
                    self._context.cancelJobGroup(_GROUP)
                    wait([job], timeout=0.3)
            if error := job.exception():
                raise MftPubsubError(f"Spark has given up: {_reason(error)}") from error

    def _foreach(self, tasks: Sequence[Any], action: Callable[[Any], None]) -> None:
        if tasks:
            self._context.setJobGroup(_GROUP, "runs of a sweep", interruptOnCancel=True)
            self._context.parallelize(tasks, len(tasks)).foreach(action)


@dataclass(frozen=True)
class _Place:
    """Where runs go, and how an executor knows that it sees that place, and has the same code."""

    runs: Path
    lock: Path | None
    token: str
    code: str

    def check(self) -> None:
        """Raises MftPubsubError if this executor must not run: Spark tries others, then gives up."""
        host = socket.gethostname()
        if self.lock and not (self.lock.exists() and self.lock.read_text(encoding="utf-8") == self.token):
            raise MftPubsubError(
                f"the executor on {host} does not see {self.lock.parent} as it is where the sweep was "
                "started: --out must be on a file system that all executors share, under the same path"
            )
        if (own := code_version()) != self.code:
            raise MftPubsubError(
                f"the executor on {host} has mftpubsub of other code ({own}) than where the sweep was "
                f"started ({self.code}): install the same version"
            )


def _run_task(
    place: _Place, runner: Runner, time_limit: float | None, index: int, case: bytes, fingerprint: str
) -> Outcome:
    """On an executor: runs a case unless that is done already, by an executor that is lost since."""
    scenario = _unpacked(case)
    place.check()
    if place.lock and read_metadata(place.runs / run_folder(scenario)):
        return Outcome(index, None, 0.0)
    if packed_by_name(scenario):  # a script's classes travel as they were, and have no source here
        refuse_edited(scenario, fingerprint)
    import mftpubsub.runs.warm_up  # noqa: F401

    with nullcontext(place.runs) if place.lock else TemporaryDirectory(prefix="mftpubsub-") as runs:
        run = partial(runner, scenario, Path(runs), fingerprint)
        return run_forked(index, run, Path(runs), time_limit)


def _unpacked(case: bytes) -> Scenario:
    """The case that was handed over. Raises MftPubsubError if a class of it is not here."""
    try:
        scenario: Scenario = pickle.loads(case)
    except ModuleNotFoundError as error:
        raise MftPubsubError(
            f"the executor on {socket.gethostname()} has no module {error.name!r}: the modules of your "
            "classes must be there, by PYTHONPATH or SparkContext.addPyFile"
        ) from None
    return scenario


def _reason(error: BaseException) -> str:
    """The Python error that ended Spark's job, without the traces of Python and Java around it."""
    found = re.findall(r"^(?:mftpubsub\.errors\.)?(\w+(?:Error|Exception): .+)$", str(error), re.MULTILINE)
    return str(found[0]).removeprefix("MftPubsubError: ") if found else str(error)
