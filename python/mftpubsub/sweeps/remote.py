"""A sweep into an object store or HDFS: runs are made on this machine or on executors, and then uploaded.

A run's trace goes first and its run.json last: without that the run is not there.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from mftpubsub.folders import Folder
from mftpubsub.pipeline import integrity
from mftpubsub.pipeline.integrity import RUNS
from mftpubsub.pipeline.marks import damaged
from mftpubsub.sweeps.processes import Runner
from mftpubsub.trace.layout import METADATA, TRACE, Named, run_folder

#: In DIR: who sweeps there.
LOCK = ".sweep"


@contextmanager
def staged(folder: Folder, runner: Runner, cases: Iterable[Named]) -> Iterator[tuple[Path, Runner]]:
    """A folder of this machine that has, of each complete run in `folder`, what a sweep asks of it.

    And a runner that uploads what it has made. Keeps other sweeps out until the block ends. Damaged
    `cases` are removed from `folder`.
    """
    with (
        folder.locked(LOCK, "sweep"),
        tempfile.TemporaryDirectory(prefix="mftpubsub-") as scratch,
    ):
        stage = Path(scratch)
        _remove_damaged(folder, cases)
        with ThreadPoolExecutor(8) as pool:
            survey = integrity.survey(folder)
            for _ in pool.map(partial(_copy, folder, stage), survey.runs, survey.sizes.tolist()):
                pass
        yield stage, partial(run_and_upload, folder, runner)


def run_and_upload(folder: Folder, runner: Runner, case: Any, runs: Path, fingerprint: str) -> None:
    """Runs a case below `runs`, then uploads it. Of the trace only the size stays here."""
    made = runner(case, runs, fingerprint)
    name = f"{RUNS}/{made.relative_to(runs).as_posix()}"
    for file in (TRACE, METADATA):
        folder.upload(made / file, f"{name}/{file}")
    _hollow(made / TRACE, (made / TRACE).stat().st_size)


def _copy(folder: Folder, stage: Path, name: str, size: int) -> None:
    with suppress(FileNotFoundError):
        content = folder.read(f"{RUNS}/{name}/{METADATA}")
        place = stage / RUNS / name
        place.mkdir(parents=True)
        (place / METADATA).write_bytes(content)
        _hollow(place / TRACE, max(size, 0))


def _hollow(path: Path, size: int) -> None:
    """A file of that size without content, which takes no room."""
    path.write_bytes(b"")
    os.truncate(path, size)


def _remove_damaged(folder: Folder, cases: Iterable[Named]) -> None:
    names = {run_folder(case).as_posix() for case in cases}
    for name, stamp in damaged(folder).items():
        if name in names and integrity.stamp(folder, name) == stamp:
            for file in (METADATA, TRACE):
                folder.remove(f"{RUNS}/{name}/{file}")
