"""Runners that stand for `run_to_directory` in a sweep's processes, and a study of small networks for them.

Each of these processes imports this module, so it imports nothing that they have not.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
import time
from pathlib import Path

import mftpubsub
from mftpubsub.simulator.library import code_version
from mftpubsub.sweeps.sweep import run_study
from mftpubsub.trace.layout import run_folder

STUDY = """
protocols: [mft-pubsub]
speeds: [2]
seeds: {seeds}
duration: {duration}
publisher: {{stop: 5}}
configurations:
"""
CONFIGURATION = """
  {name}:
    area: [35, 35]
    nodes: [{{count: 2, roles: [publisher]}}, {{count: 2, roles: [broker, subscriber]}}]
"""


def study_of(folder: Path, *configs: str, seeds: object = 1, duration: float = 10) -> mftpubsub.Study:
    """A study of small networks; what the fake runner does with each is the name of its configuration."""
    text = STUDY.format(seeds=seeds, duration=duration)
    path = folder / "study.yaml"
    path.write_text(text + "".join(CONFIGURATION.format(name=name) for name in configs or ("ok",)))
    return mftpubsub.load(path)


def fake_run(case: mftpubsub.Scenario, runs: Path, fingerprint: str) -> None:
    """Stands for run_to_directory, in the sweep's processes."""
    if case.config == "raise":
        raise ValueError("no such thing")
    if case.config == "crash":
        os.write(2, b"cond=impossible, file=x.cc\n")
        os.kill(os.getpid(), signal.SIGSEGV)
    if case.config == "exit":
        sys.exit()
    if case.config == "hang":
        (runs / f".partial-{os.getpid()}-x").mkdir()
        time.sleep(600)
    folder = runs / run_folder(case)
    folder.mkdir(parents=True)
    (folder / "trace.gz").write_bytes(b"")
    metadata = {
        "protocol": case.protocol,
        "config": case.config,
        "speed_mps": case.speed,
        "seed": case.seed,
        "axes": dict(case.axes),
        "fingerprint": fingerprint,
        "scenario": case.model_dump(mode="json"),
        "code": code_version(),
        "trace_bytes": 0,
        "wall_s": 1.0,
    }
    (folder / "run.json").write_text(json.dumps(metadata))


def fake_sweep(out: Path, study: mftpubsub.Study) -> list[str]:
    return run_study(study, out, workers=2, runner=fake_run)


def full_disk(case: mftpubsub.Scenario, runs: Path, fingerprint: str) -> None:
    if case.seed == 2:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "trace.gz")
    fake_run(case, runs, fingerprint)


class Edited:
    """A case of code in a file, which is edited as it is run."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def fingerprint(self) -> str:
        return self.file.read_text()


def edit(case: Edited, runs: Path, fingerprint: str) -> None:
    case.file.write_text(f"{fingerprint} edited")


def hang(case: mftpubsub.Scenario, runs: Path, fingerprint: str) -> None:
    if case.config == "hang":
        while True:  # as C++ would: no Python code gets a turn
            time.sleep(1e6)
    fake_run(case, runs, fingerprint)
