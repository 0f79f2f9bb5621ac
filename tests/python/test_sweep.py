"""A sweep runs what is missing, survives what fails, and never mixes settings."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import mftpubsub
from mftpubsub._core import code_version
from mftpubsub.errors import MftPubsubError
from mftpubsub.sweep import keep_study, sweep


@dataclass(frozen=True)
class Case:
    """What the sweep needs of a scenario. `fate` tells the fake runner what to do."""

    seed: int
    fate: str = "ok"
    settings: str = "a"
    protocol: str = "mft-pubsub"
    config: str = "C2"
    speed: float = 2.0
    duration: float = 10.0

    def count(self) -> int:
        return 4

    def fingerprint(self) -> str:
        return f"{self.settings}-{self.seed}"


class Study:
    """A list of cases."""

    def __init__(self, *cases: Case) -> None:
        self._cases = list(cases)

    def cases(self, protocols: Iterable[str] | None = None) -> list[Case]:
        return self._cases


def fake_run(case: Case, runs: Path) -> None:
    """Stands for run_to_directory, in the sweep's processes."""
    if case.fate == "raise":
        raise ValueError("no such thing")
    if case.fate == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if case.fate == "hang":
        (runs / f".partial-{os.getpid()}-x").mkdir()
        time.sleep(60)
    folder = runs / f"protocol={case.protocol}/config={case.config}/speed={case.speed:g}/seed={case.seed}"
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps({"fingerprint": case.fingerprint(), "code": code_version()}))


def run_sweep(out: Path, *cases: Case) -> int:
    study: Any = Study(*cases)
    runner: Any = fake_run
    return sweep(study, out, workers=2, runner=runner)


def done(out: Path) -> dict[int, int]:
    """Finished runs by seed, with the time at which each was finished."""
    return {
        int(path.parent.name.removeprefix("seed=")): path.stat().st_mtime_ns
        for path in (out / "runs").rglob("run.json")
    }


def test_a_second_sweep_runs_only_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_sweep(tmp_path, Case(1), Case(2)) == 0
    before = done(tmp_path)
    assert run_sweep(tmp_path, Case(1), Case(2), Case(3)) == 0
    after = done(tmp_path)
    assert set(after) == {1, 2, 3}
    assert {seed: after[seed] for seed in before} == before
    assert "3 runs, of which 2 are there already" in capsys.readouterr().err


def test_results_of_other_settings_are_refused(tmp_path: Path) -> None:
    run_sweep(tmp_path, Case(1))
    with pytest.raises(MftPubsubError, match=r"other settings a-1.*b-1.*delete"):
        run_sweep(tmp_path, Case(1, settings="b"), Case(2))
    assert set(done(tmp_path)) == {1}


@pytest.mark.parametrize("code", [None, "0" * 64])
def test_results_of_other_code_are_refused_though_they_are_of_other_cases(
    tmp_path: Path, code: str | None
) -> None:
    run_sweep(tmp_path, Case(1))
    path = next((tmp_path / "runs").rglob("run.json"))
    path.write_text(json.dumps(json.loads(path.read_text()) | {"code": code}))
    with pytest.raises(MftPubsubError, match=rf"seed=1 was run with other code {code}.*{code_version()}"):
        run_sweep(tmp_path, Case(2))
    assert set(done(tmp_path)) == {1}


def test_failures_and_crashes_are_told_and_the_others_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [Case(1, "raise"), Case(2, "crash"), Case(3), Case(4)]
    assert run_sweep(tmp_path, *cases) == 1
    assert set(done(tmp_path)) == {3, 4}
    told = capsys.readouterr().err
    assert "failed: mft-pubsub C2 2 m/s seed 1: ValueError: no such thing" in told
    assert "failed: mft-pubsub C2 2 m/s seed 2: the process died: SIGSEGV" in told


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_a_sweep_that_is_stopped_leaves_no_process_and_can_go_on(
    tmp_path: Path, sign: signal.Signals
) -> None:
    script = tmp_path / "sweeping.py"
    script.write_text(
        textwrap.dedent("""
            from pathlib import Path
            from test_sweep import Case, run_sweep

            if __name__ == "__main__":
                run_sweep(Path(__file__).parent, Case(1), Case(2, "hang"))
            """)
    )
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    running = subprocess.Popen([sys.executable, script], env=os.environ | {"PYTHONPATH": path})
    partial = wait_for(lambda: list((tmp_path / "runs").glob(".partial-*")))[0]
    wait_for(lambda: done(tmp_path))
    running.send_signal(sign)
    assert running.wait(10) != 0
    pid = partial.name.split("-")[1]
    wait_for(lambda: not Path("/proc", pid).exists())

    assert run_sweep(tmp_path, Case(1), Case(2)) == 0
    assert set(done(tmp_path)) == {1, 2}
    assert not list((tmp_path / "runs").glob(".partial-*"))


def wait_for(condition: Any) -> Any:
    """Waits until `condition()` holds, and returns its value."""
    end = time.monotonic() + 20
    while not (value := condition()):
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.05)
    return value


def test_what_was_run_is_kept_with_its_command_and_can_be_run_again(tmp_path: Path) -> None:
    config = Path(__file__).parents[2] / "configs" / "quick.yaml"
    study = mftpubsub.load(config)
    keep_study(study, config, tmp_path)
    kept = tmp_path / "studies" / "quick.yaml"
    assert kept.read_text().startswith(f"# mftpubsub sweep quick.yaml --out {tmp_path.name}\n")
    assert mftpubsub.load(kept) == study
