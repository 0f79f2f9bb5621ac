"""Runs in processes of their own: one that crashes costs only itself."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import sys
import threading
import time
import uuid
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from multiprocessing import forkserver, get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any, Protocol

from mftpubsub import notes
from mftpubsub.errors import DiskFullError, MftPubsubError, ending, is_disk_full
from mftpubsub.simulator.worlds import load
from mftpubsub.trace.layout import PARTIAL


class Case(Protocol):
    """What is run: a scenario, or several at once."""

    def fingerprint(self) -> str:
        """Tells apart what has different results."""


#: Runs a case of a fingerprint into its place below a folder of runs; must be importable by name.
Runner = Callable[[Any, Path, str], Any]


@dataclass(frozen=True)
class Outcome:
    """How a case, named by its index, ended: why it failed, None if it did not, and what it took in s.

    `is_disk_full`: the others would fail too.
    """

    case: int
    failure: str | None
    seconds: float
    is_disk_full: bool = False


def run_here(
    cases: Sequence[Case], runs: Path, workers: int, runner: Runner, time_limit: float | None = None
) -> Generator[Outcome]:
    """Runs cases on this machine, in their order, `workers` at once, each for `time_limit` s at most.

    Stops them when it is closed, and leaves nothing unfinished. Nobody else may run cases into `runs`
    meanwhile. Raises MftPubsubError if code of the user changes meanwhile: each process reads it anew.
    """
    clean(runs)
    context = get_context("forkserver")
    # The command's own module too: every process imports what its parent was started with.
    context.set_forkserver_preload(["mftpubsub.runs.warm_up", "mftpubsub.cli.main"])
    with notes.deaf():
        forkserver.ensure_running()
    waiting = iter([(index, case, case.fingerprint()) for index, case in enumerate(cases)])
    running: dict[Connection, _Child] = {}
    try:
        while True:
            for _, (index, case, told) in zip(range(workers - len(running)), waiting, strict=False):
                refuse_edited(case, told)
                run = _orders(partial(runner, case, runs, told))
                with notes.undivided():  # a process that gets half of its orders writes a traceback
                    child = _Child(context, index, run, runs, time_limit)
                    running[child.receiver] = child
            if not running:
                return
            ready = wait([*running])
            for receiver in [receiver for receiver in running if receiver in ready]:
                yield running.pop(receiver).outcome()
    finally:
        for child in running.values():
            child.stop()
        clean(runs)


def clean(runs: Path) -> None:
    """Removes what processes that are no more left unfinished."""
    for path in runs.glob(f"{PARTIAL}*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def refuse_edited(case: Case, told: str) -> None:
    """Raises MftPubsubError if a case is no longer what it was when it was `told`, by its fingerprint."""
    if case.fingerprint() != told:
        raise MftPubsubError(
            "a policy or protocol was edited while its runs were made: start anew, since the "
            "rest would be of other code than those that are there"
        )


def run_forked(index: int, run: Callable[[], Any], runs: Path, time_limit: float | None) -> Outcome:
    """Runs the case of this index, by `run`, in a fork of this process, which must have no threads."""
    with notes.deaf():
        child = _Child(get_context("fork"), index, run, runs, time_limit)
    return child.outcome()


class _OfMainError(Exception):
    """Nobody but this process can import it."""


class _Pickler(pickle.Pickler):
    """Refuses what `__main__` defines: a process that a notebook has started has another one, or none."""

    def reducer_override(self, thing: Any) -> Any:
        if getattr(thing, "__module__", None) == "__main__":
            raise _OfMainError
        return NotImplemented


def packed(thing: object) -> bytes:
    """`thing` for another process: classes by name, but those that it could not import as a whole.

    Raises whatever says why that cannot be.
    """
    if content := packed_by_name(thing):
        return content
    from pyspark import cloudpickle

    dumps: Callable[[object], bytes] = cloudpickle.dumps
    return dumps(thing)


def packed_by_name(thing: object) -> bytes:
    """The same, if modules that can be imported have all of its classes; else nothing."""
    content = BytesIO()
    try:
        _Pickler(content).dump(thing)
    except Exception:  # whatever the user's code raises
        return b""
    return content.getvalue()


def _orders(run: partial[Any]) -> Callable[[], None]:
    """`run` for a process that has yet to begin."""
    named = packed_by_name(run)
    return partial(_call_named, named) if named else partial(_call, packed(run))


def _call(run: bytes) -> None:
    pickle.loads(run)()


def _call_named(run: bytes) -> None:
    """Its code is read here, so it may have been edited since it was looked at."""
    made = pickle.loads(run)
    case, _, told = made.args
    refuse_edited(case, told)
    made()


class _Child:
    """A process that runs one case, for `time_limit` s at most. It ends when its parent does."""

    def __init__(
        self,
        context: BaseContext,
        index: int,
        run: Callable[[], Any],
        runs: Path,
        time_limit: float | None,
    ) -> None:
        self._index = index
        self._time_limit = time_limit
        self._log = runs / f"{PARTIAL}{uuid.uuid4().hex}.log"
        self._start = time.monotonic()
        self.receiver, sender = context.Pipe(duplex=False)
        self._process: Any = context.Process(  # type: ignore[attr-defined]
            target=_run, args=(run, sender, self._log, time_limit), daemon=True
        )
        self._process.start()
        sender.close()

    def outcome(self) -> Outcome:
        """Waits for the end. What the process wrote on standard error is passed on, or why it died."""
        is_disk_full = False
        try:
            failure, seconds, is_disk_full = self.receiver.recv()
        except EOFError:
            failure = "the process ended before its run did, as if by sys.exit()"
            seconds = time.monotonic() - self._start
        self._process.join()
        told = self._log.read_text(encoding="utf-8", errors="replace") if self._log.exists() else ""
        self._log.unlink(missing_ok=True)
        if self._process.exitcode == -signal.SIGALRM and self._time_limit is not None:
            failure = f"it took longer than the time limit of {self._time_limit:g} s"
        elif self._process.exitcode:
            failure = f"the process died: {ending(self._process.exitcode)} {' '.join(told.split())[-500:]}"
        elif told:
            print(told, end="", file=sys.stderr)
        return Outcome(self._index, failure, seconds, is_disk_full)

    def stop(self) -> None:
        self._process.terminate()
        self._process.join()


def _run(run: Callable[[], Any], sender: Connection, log: Path, time_limit: float | None) -> None:
    """Body of the process: sends why the run failed (None: it did not), what it took in s, and whether the
    disk is full."""
    start = time.monotonic()
    if time_limit is not None:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # it ends the process, whatever that is doing
        signal.setitimer(signal.ITIMER_REAL, time_limit)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # also below a fork server that others have started
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with log.open("wb") as file:
        os.dup2(file.fileno(), 2)
    load()
    failure, no_room = None, False
    try:
        run()
    except Exception as error:
        failure = f"{type(error).__name__}: {error}"
        no_room = isinstance(error, DiskFullError) or (isinstance(error, OSError) and is_disk_full(error))
    sender.send((failure, time.monotonic() - start, no_room))


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
