"""Killed at any time, a sweep or ingest loses nothing finished and takes nothing half-written for whole."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from conftest import Done, finished, sweep_undisturbed, tables, wait_for

from mftpubsub import pipeline
from mftpubsub.folders import folder_at
from mftpubsub.pipeline import integrity

pytestmark = pytest.mark.spark


def start(*arguments: object) -> subprocess.Popen[bytes]:
    """Starts the command `mftpubsub` as the leader of a process group."""
    command: list[str | Path] = [Path(sys.executable).with_name("mftpubsub"), *map(str, arguments)]
    return subprocess.Popen(command, start_new_session=True)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kills a process and all that it has started."""
    os.killpg(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "it had ended before"


def sweep_with_kills(config: Path, out: Path, kills: int) -> None:
    """Kills a sweep `kills` times, within a second of its first run's start, and lets it finish then."""

    def begun(stale: set[Path]) -> set[Path]:
        return set((out / "runs").glob(".partial-*")) - stale

    instants = random.Random(kills)
    before: dict[Path, int] = {}
    for _ in range(kills):
        stale = set((out / "runs").glob(".partial-*"))
        process = start("sweep", config, "--out", out, "--workers", 2)
        wait_for(partial(begun, stale))
        time.sleep(instants.uniform(0, 1))
        kill(process)
        after = finished(out)
        assert {path: after.get(path) for path in before} == before
        survey = integrity.survey(folder_at(out))
        assert not survey.foreign
        for name in survey.runs:
            metadata, _ = integrity.metadata_of(folder_at(out), name)
            integrity.check_size(folder_at(out), name, metadata)
            assert integrity.complaint(out / "runs" / name / "trace.gz") is None
        before = after
    assert start("sweep", config, "--out", out).wait() == 0
    after = finished(out)
    assert {path: after[path] for path in before} == before


def check_a_sweep_with_kills(undisturbed: Done, out: Path, kills: int) -> None:
    sweep_with_kills(undisturbed.config, out, kills)
    assert not list((out / "runs").glob(".partial-*"))
    pipeline.run(out)
    assert tables(out) == tables(undisturbed.out)


def test_a_sweep_that_was_killed_gives_the_tables_of_one_that_was_not(
    undisturbed: Done, tmp_path: Path
) -> None:
    check_a_sweep_with_kills(undisturbed, tmp_path / "killed", kills=3)


@pytest.mark.long
def test_a_sweep_that_was_killed_ten_times_gives_the_tables_of_one_that_was_not(tmp_path: Path) -> None:
    check_a_sweep_with_kills(sweep_undisturbed(tmp_path, seeds=40), tmp_path / "killed", kills=10)


@pytest.mark.parametrize("sign", ["parquet/*/*/*", "tables/runs.csv"])
def test_an_ingest_that_was_killed_gives_the_tables_of_one_that_was_not(
    undisturbed: Done, tmp_path: Path, sign: str
) -> None:
    shutil.copytree(undisturbed.out / "runs", tmp_path / "runs")
    process = start("ingest", tmp_path)
    wait_for(lambda: list(tmp_path.glob(sign)))
    kill(process)
    pipeline.run(tmp_path)
    assert tables(tmp_path) == tables(undisturbed.out)
    # a worker of the one that was killed may still write its last run
    wait_for(lambda: not list((tmp_path / "parquet").rglob("*.partial")))
