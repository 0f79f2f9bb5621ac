"""A sweep runs what is missing, survives what fails, and never mixes settings or code."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import wait_for
from fake_runs import Edited, edit, fake_run, fake_sweep, study_of

import mftpubsub
from mftpubsub.errors import MftPubsubError
from mftpubsub.simulator.library import code_version
from mftpubsub.studies import provenance
from mftpubsub.studies.results import StudyResults
from mftpubsub.sweeps import estimate, executors, processes
from mftpubsub.sweeps.processes import Outcome, packed, run_here
from mftpubsub.sweeps.sweep import keep_study, run_cases, run_study
from mftpubsub.trace.layout import run_folder

#: The module; the function of the package has its name.
sweeping = importlib.import_module("mftpubsub.sweeps.sweep")


def done(out: Path) -> dict[str, int]:
    """Finished runs, with the time at which each was finished."""
    finished = {}
    for path in (out / "runs").rglob("run.json"):
        config, _, seed = (part.split("=")[1] for part in path.parts[-4:-1])
        finished[f"{config} {seed}"] = path.stat().st_mtime_ns
    return finished


def test_speeds_are_told_apart_by_all_their_digits(tmp_path: Path) -> None:
    study = study_of(tmp_path).model_copy(update={"speeds": [13.8888888, 13.8888889, 8.0]})
    names = [run_folder(case).parts[2] for case in study.cases()]
    assert names == ["speed=13.8888888", "speed=13.8888889", "speed=8"]


def test_an_axis_of_seeds_takes_the_place_of_a_study_s(tmp_path: Path) -> None:
    study = study_of(tmp_path, seeds=2)
    assert [case.seed for case in study.cases()] == [1, 2]
    over = study.model_copy(update={"axes": {"seed": [7, 8]}})
    assert [case.seed for case in over.cases()] == [7, 8]


def test_faults_that_are_drawn_are_checked_for_each_seed(tmp_path: Path) -> None:
    study = study_of(tmp_path, seeds=[2, 1], duration=60)
    faults = [mftpubsub.churn([0], mtbf=60, mttr=5), mftpubsub.crash(0, at=20, restart=21)]
    with pytest.raises(
        mftpubsub.ConfigurationError, match=r"seed 1: faults\.1: node 0 is off already at 20 s"
    ):
        study.model_copy(update={"faults": faults}).cases()


@pytest.mark.slow
def test_a_second_sweep_runs_only_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fake_sweep(tmp_path, study_of(tmp_path, seeds=2)) == []
    before = done(tmp_path)
    assert fake_sweep(tmp_path, study_of(tmp_path, seeds=3)) == []
    after = done(tmp_path)
    assert set(after) == {"ok 1", "ok 2", "ok 3"}
    assert {name: after[name] for name in before} == before
    assert "3 runs, of which 2 are there already" in capsys.readouterr().err


@pytest.mark.parametrize("seeds", [[1, 2], [2]])
def test_results_of_other_settings_are_refused(tmp_path: Path, seeds: list[int]) -> None:
    fake_sweep(tmp_path, study_of(tmp_path, seeds=[1]))
    with pytest.raises(
        MftPubsubError, match=r"seed=1 was run with other settings \(duration was 10.* is 20.*delete"
    ):
        fake_sweep(tmp_path, study_of(tmp_path, seeds=seeds, duration=20))
    assert set(done(tmp_path)) == {"ok 1"}


def test_other_settings_of_other_seeds_are_refused_of_what_is_no_study_too(tmp_path: Path) -> None:
    fake_sweep(tmp_path, study_of(tmp_path, seeds=[1]))
    others = study_of(tmp_path, seeds=[2, 3], duration=20).cases()
    with pytest.raises(MftPubsubError, match=r"seed=1 was run with other settings \(duration was 10.* is 20"):
        run_cases(others, tmp_path, runner=fake_run)
    assert set(done(tmp_path)) == {"ok 1"}


def test_scenarios_whose_settings_go_by_the_seed_can_be_continued(tmp_path: Path) -> None:
    def drawn(seeds: range) -> list[mftpubsub.Scenario]:
        return [case.replace(duration=10 + case.seed) for case in study_of(tmp_path, seeds=[*seeds]).cases()]

    for seeds in (range(1, 3), range(3, 5)):
        assert run_cases(drawn(seeds), tmp_path, runner=fake_run) == {}
    assert set(done(tmp_path)) == {"ok 1", "ok 2", "ok 3", "ok 4"}


def test_a_sweep_ends_where_its_code_was_edited_meanwhile(tmp_path: Path) -> None:
    (tmp_path / "code").write_text("1")
    outcomes = run_here([Edited(tmp_path / "code")] * 2, tmp_path, 1, edit)
    assert next(outcomes).failure is None
    with pytest.raises(MftPubsubError, match="was edited while its runs were made: start anew"):
        next(outcomes)


def test_a_process_refuses_code_that_was_edited_as_it_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "code").write_text("1")
    monkeypatch.setattr(processes, "refuse_edited", lambda case, told: (tmp_path / "code").write_text("2"))
    (outcome,) = run_here([Edited(tmp_path / "code")], tmp_path, 1, edit)
    assert "was edited while its runs were made: start anew" in str(outcome.failure)


def test_an_executor_refuses_a_case_whose_code_was_edited_meanwhile(tmp_path: Path) -> None:
    (tmp_path / "code").write_text("1")
    case = Edited(tmp_path / "code")
    task = (0, packed(case), case.fingerprint())
    (tmp_path / "code").write_text("2")
    place = executors._Place(tmp_path, None, "", code_version())
    with pytest.raises(MftPubsubError, match="was edited while its runs were made: start anew"):
        executors._run_task(place, edit, None, *task)


def test_an_executor_takes_a_class_of_a_script_as_it_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no source of it to compare."""
    monkeypatch.setitem(sys.modules, "mftpubsub.runs.warm_up", SimpleNamespace())
    monkeypatch.setattr(executors, "run_forked", lambda index, *_: Outcome(index, None, 0.0))
    (tmp_path / "code").write_text("1")
    case = type("Own", (Edited,), {"__module__": "__main__"})(tmp_path / "code")
    place = executors._Place(tmp_path, None, "", code_version())
    told = executors._run_task(place, edit, None, 0, packed(case), "by its source")
    assert told.failure is None


@pytest.mark.slow
def test_a_renamed_configuration_does_not_let_other_settings_in(tmp_path: Path) -> None:
    fake_sweep(tmp_path, study_of(tmp_path, "ok"))
    with pytest.raises(MftPubsubError, match=r"config=ok.* with other settings \(duration was 10.* is 20"):
        fake_sweep(tmp_path, study_of(tmp_path, "renamed", duration=20))
    assert fake_sweep(tmp_path, study_of(tmp_path, "renamed")) == []


@pytest.mark.slow
def test_runs_of_other_networks_may_have_other_speeds_axes_and_parts_that_the_study_does_not_use(
    tmp_path: Path,
) -> None:
    usual = study_of(tmp_path, "ok")
    of_aodv = usual.model_copy(
        update={"protocols": ["aodv"], "aodv": mftpubsub.Aodv(attributes={"NetDiameter": "7"})}
    )
    assert fake_sweep(tmp_path / "parts", of_aodv) == []
    assert fake_sweep(tmp_path / "parts", study_of(tmp_path, "other")) == []
    for speed, name in ((3.0, "ok"), (5.0, "other")):
        mobility = usual.mobility.model_copy(update={"speed": speed})
        study = study_of(tmp_path, name).model_copy(update={"mobility": mobility, "speeds": [speed]})
        assert fake_sweep(tmp_path / "speeds", study) == []
    varied = usual.model_copy(update={"axes": {"overlay.leader_timeout": [4.0, 5.0]}})
    assert fake_sweep(tmp_path / "axes", varied) == []
    assert fake_sweep(tmp_path / "axes", study_of(tmp_path, "other")) == []
    with pytest.raises(MftPubsubError, match=r"with other settings \(duration was 10.0, is 20.0\)"):
        fake_sweep(tmp_path / "speeds", study_of(tmp_path, "third", duration=20))


@pytest.mark.parametrize("code", [None, "0" * 64])
def test_results_of_other_code_are_refused_though_they_are_of_other_cases(
    tmp_path: Path, code: str | None
) -> None:
    fake_sweep(tmp_path, study_of(tmp_path))
    path = next((tmp_path / "runs").rglob("run.json"))
    path.write_text(json.dumps(json.loads(path.read_text()) | {"code": code}))
    with pytest.raises(MftPubsubError, match=rf"seed=1 was run by other code \({code}.*{code_version()}"):
        fake_sweep(tmp_path, study_of(tmp_path, "crash"))
    assert set(done(tmp_path)) == {"ok 1"}


@pytest.mark.parametrize("damage", ["no run.json", "half a run.json", "half a trace", "more than a trace"])
def test_a_damaged_run_counts_as_missing(tmp_path: Path, damage: str) -> None:
    study = study_of(tmp_path, seeds=2)
    assert run_study(study, tmp_path, workers=1) == []
    trace = tmp_path / "runs" / run_folder(study.cases()[0]) / "trace.gz"
    whole, metadata = trace.read_bytes(), trace.with_name("run.json")
    if damage == "no run.json":
        metadata.unlink()
    elif damage == "half a run.json":
        metadata.write_text(metadata.read_text()[:100])
    else:
        trace.write_bytes(whole[: len(whole) // 2] if damage == "half a trace" else whole + b"more")
    before = done(tmp_path)
    assert run_study(study, tmp_path, workers=1) == []
    assert trace.read_bytes() == whole
    changed = {name for name, finished in done(tmp_path).items() if before.get(name) != finished}
    assert changed == {"ok 1"}


def test_runs_of_a_sweep_are_what_they_are_alone(tmp_path: Path) -> None:
    study = study_of(tmp_path, seeds=2)
    run_study(study, tmp_path, workers=2)
    for case in study.cases():
        trace = tmp_path / "runs" / run_folder(case) / "trace.gz"
        assert trace.read_bytes() == mftpubsub.run(case).trace.read_bytes()


@pytest.mark.slow
def test_what_runs_are_made_by_is_asked_before_processes_are_forked() -> None:
    script = """
        import mftpubsub.runs.warm_up
        from mftpubsub.runs.run import _provenance
        from mftpubsub.simulator.library import code_version
        print([each.cache_info().currsize for each in (_provenance, code_version)])
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "[1, 1]\n"


@pytest.mark.slow
def test_failures_and_crashes_are_told_and_the_others_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failures = fake_sweep(tmp_path, study_of(tmp_path, "raise", "crash", "exit", "ok"))
    assert sorted(failures) == [
        "mft-pubsub crash 2 m/s seed 1: the process died: SIGSEGV cond=impossible, file=x.cc",
        "mft-pubsub exit 2 m/s seed 1: the process ended before its run did, as if by sys.exit()",
        "mft-pubsub raise 2 m/s seed 1: ValueError: no such thing",
    ]
    told = capsys.readouterr().err
    assert all(f"failed: {failure}" in told for failure in failures)
    assert "3 of 4 runs failed" in told
    assert set(done(tmp_path)) == {"ok 1"}


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_a_sweep_that_is_stopped_leaves_no_process_and_can_go_on(
    tmp_path: Path, sign: signal.Signals
) -> None:
    running = start_hanging_sweep(tmp_path)
    partial = wait_for(lambda: [p for p in (tmp_path / "runs").glob(".partial-*") if p.is_dir()])[0]
    wait_for(lambda: done(tmp_path))
    with pytest.raises(MftPubsubError, match="another sweep is at work"):
        fake_sweep(tmp_path, study_of(tmp_path))
    running.send_signal(sign)
    assert running.wait(120) != 0
    pid = partial.name.split("-")[1]
    wait_for(lambda: not Path("/proc", pid).exists())

    assert fake_sweep(tmp_path, study_of(tmp_path, seeds=2)) == []
    assert set(done(tmp_path)) == {"ok 1", "ok 2"}
    assert not list((tmp_path / "runs").glob(".partial-*"))


class LateSpark:
    """Stands for a SparkContext that has no job yet when it is first told to cancel it."""

    def __init__(self) -> None:
        self.cancelled = threading.Semaphore(0)
        self.value = [Outcome(0, None, 0.0)]
        self.has_stopped = False

    def accumulator(self, *_: object) -> LateSpark:
        return self

    def setJobGroup(self, *_: object, **__: object) -> None:  # noqa: N802
        self.cancelled.acquire(timeout=120)

    def parallelize(self, *_: object) -> LateSpark:
        return self

    def foreach(self, action: object) -> None:
        self.has_stopped = self.cancelled.acquire(timeout=120)

    def cancelJobGroup(self, group: str) -> None:  # noqa: N802
        self.cancelled.release()


@pytest.mark.slow
def test_a_sweep_that_is_stopped_before_spark_has_its_job_stops_it_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = LateSpark()
    monkeypatch.setattr(executors, "session", lambda master, light: SimpleNamespace(sparkContext=context))
    spark = executors.SparkRuns("local[2]", tmp_path / "lock", "")
    outcomes = spark.run(study_of(tmp_path).cases(), tmp_path, fake_run)
    next(outcomes)
    outcomes.close()
    assert context.has_stopped


def test_what_cannot_be_run_or_written_is_refused(tmp_path: Path) -> None:
    study = study_of(tmp_path)
    for workers in (-1, 0):
        with pytest.raises(
            mftpubsub.ConfigurationError, match=f"a number of processes, at least 1 .given: {workers}"
        ):
            run_study(study, tmp_path / "out", workers=workers)
    (tmp_path / "file").touch()
    with pytest.raises(MftPubsubError, match=r"file/runs cannot be made \(Not a directory\): choose another"):
        run_study(study, tmp_path / "file")


def start_hanging_sweep(out: Path) -> subprocess.Popen[bytes]:
    script = out / "sweeping.py"
    script.write_text(
        textwrap.dedent("""
            from pathlib import Path
            from fake_runs import fake_sweep, study_of

            if __name__ == "__main__":
                out = Path(__file__).parent
                fake_sweep(out, study_of(out, "ok", "hang"))
            """)
    )
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    return subprocess.Popen([sys.executable, script], env=os.environ | {"PYTHONPATH": path})


def test_a_disk_that_is_too_small_is_refused_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**9, 10**9, 10**4))
    with pytest.raises(MftPubsubError, match=r"need about .* GB, 1e-05 GB are free"):
        fake_sweep(tmp_path, study_of(tmp_path, seeds=10))
    assert done(tmp_path) == {}


@pytest.mark.slow
def test_a_disk_needs_room_for_the_runs_that_are_missing_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fake_sweep(tmp_path, study_of(tmp_path, seeds=9)) == []
    for path in (tmp_path / "runs").rglob("run.json"):
        path.with_name("trace.gz").write_bytes(bytes(10**5))
        path.write_text(json.dumps(json.loads(path.read_text()) | {"trace_bytes": 10**5}))
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**9, 10**9, 2 * 10**5))
    assert fake_sweep(tmp_path, study_of(tmp_path, seeds=10)) == []
    assert len(done(tmp_path)) == 10
    with pytest.raises(MftPubsubError, match=r"need about .* GB, 0.0002 GB are free"):
        fake_sweep(tmp_path, study_of(tmp_path, seeds=14))


def test_the_expected_time_follows_what_was_measured_of_the_most_alike(tmp_path: Path) -> None:
    study = study_of(tmp_path, "small", "other")
    small, other = study.cases()
    aodv = study.case(protocol="aodv", config="small", speed=2, seed=1)
    time_of = estimate.Estimate(estimate.seconds)
    assert time_of.of(small) == estimate.seconds(small)
    time_of.learn(aodv, 10 * estimate.seconds(aodv))
    assert time_of.of(small) == pytest.approx(10 * estimate.seconds(small))
    time_of.learn(small, 4.0)
    time_of.learn(small, 6.0)
    assert time_of.of(small) == pytest.approx(5.0)
    assert time_of.of(other) == pytest.approx(5.0)
    assert time_of.of(aodv) == pytest.approx(10 * estimate.seconds(aodv))
    time_of.learn(other, 20.0)
    assert time_of.of(small) == pytest.approx(5.0)
    assert time_of.of(other) == pytest.approx(20.0)


def test_as_many_runs_are_under_way_as_there_are_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    clock = estimate.Clock(
        study_of(tmp_path, seeds=5).cases(), estimate.Estimate(lambda case: 10.0), lambda: 2
    )
    now = 5.0  # two of five are half done
    assert clock.work() == 3 * 10 + 2 * 5
    assert clock.left() == 20
    clock.finish(0, took=10.0, failed=False)
    assert clock.work() == 3 * 10 + 5  # the third has just begun
    now = 10.0
    assert clock.work() == 2 * 10 + 5 + 0
    clock.finish(1, took=10.0, failed=False)
    assert clock.done == 20


@pytest.mark.slow
def test_the_longest_run_is_the_first(tmp_path: Path) -> None:
    study = study_of(tmp_path, "small", "large", "middle")
    larger: dict[str, list[dict[str, Any]]] = {
        "large": [{"count": 30, "roles": ["broker", "subscriber"]}],
        "middle": [{"count": 9, "roles": ["broker", "subscriber"]}],
    }
    cases = [
        case.replace(
            nodes=[*case.nodes, *(mftpubsub.Group(**group) for group in larger.get(case.config, []))]
        )
        for case in study.cases()
    ]
    assert run_cases(cases, tmp_path, workers=1, runner=fake_run) == {}
    finished = done(tmp_path)
    assert sorted(finished, key=lambda name: finished[name]) == ["large 1", "middle 1", "small 1"]


def test_the_time_left_follows_what_runs_that_are_there_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fake run says that it took 1 s, and has an empty trace."""
    fake_sweep(tmp_path, study_of(tmp_path, seeds=2))
    clocks: list[estimate.Clock] = []

    def watch(cases: object, outcomes: object, clock: estimate.Clock) -> dict[str, str]:
        clocks.append(clock)
        return {}

    monkeypatch.setattr(sweeping, "_watch", watch)
    fake_sweep(tmp_path, study_of(tmp_path, seeds=6))
    assert clocks[0].work() == pytest.approx(4, abs=0.5)


def test_there_are_as_many_processes_as_processors_and_memory_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(5)))
    for memory, count in ((1.0, 5), (1e15, 1)):
        monkeypatch.setattr(sweeping, "RUN_MEMORY", memory)
        assert sweeping._default_workers() == count


def test_the_time_left_is_that_of_all_processes_but_never_less_than_that_of_one_run(tmp_path: Path) -> None:
    cases = study_of(tmp_path, seeds=5).cases()
    clock = estimate.Clock(cases, estimate.Estimate(lambda case: 1000.0), slots=lambda: 2)
    assert clock.left() == pytest.approx(2500, abs=100)
    clock.finish(1, took=100.0, failed=False)  # so the other four will take 100 s each
    assert clock.left() == pytest.approx(200, abs=100)
    for case in (0, 2, 3):
        clock.finish(case, took=100.0, failed=False)
    assert clock.left() == pytest.approx(100, abs=50)
    clock.finish(4, took=100.0, failed=True)
    assert clock.left() == 0
    clock = estimate.Clock(cases, estimate.Estimate(lambda case: 1000.0), slots=lambda: 2)
    clock.finish(1, took=1.0, failed=True)  # which says nothing of the other four
    assert clock.left() == pytest.approx(2000, abs=100)


def test_what_was_run_is_kept_with_its_command_and_can_be_run_again(tmp_path: Path) -> None:
    config = Path(__file__).parents[2] / "configs" / "quick.yaml"
    study = mftpubsub.load(config)
    keep_study(study, config, tmp_path)
    kept = tmp_path / "studies" / "quick.yaml"
    assert kept.read_text().startswith(f"# mftpubsub sweep quick.yaml --out {tmp_path.name}\n")
    assert mftpubsub.load(kept) == study


def test_of_an_axis_of_radios_each_keeps_its_channel(tmp_path: Path) -> None:
    config = Path(__file__).parents[2] / "configs" / "quick.yaml"
    radios = {"thesis": {"model": "cc2420"}, "wifi": {"model": "wifi"}}
    study = mftpubsub.load(config).model_copy(update={"axes": {"radio": radios}})
    keep_study(study, config, tmp_path)
    kept = mftpubsub.load(tmp_path / "studies" / "quick.yaml")
    assert [case.fingerprint() for case in kept.cases()] == [case.fingerprint() for case in study.cases()]


def test_what_was_run_of_some_protocols_is_kept_beside_it_and_only_if_it_is_new(tmp_path: Path) -> None:
    config = Path(__file__).parents[2] / "configs" / "quick.yaml"
    study = mftpubsub.load(config)
    keep_study(study, config, tmp_path)
    keep_study(study, config, tmp_path, ["aodv"])
    kept = tmp_path / "studies" / "quick+aodv.yaml"
    assert kept.read_text().splitlines()[0].endswith(" --protocol aodv")
    assert mftpubsub.load(kept).protocols == ["aodv"]
    before = kept.stat().st_mtime_ns
    keep_study(study, config, tmp_path, ["aodv"])
    assert kept.stat().st_mtime_ns == before
    assert sorted(path.name for path in kept.parent.iterdir()) == ["quick+aodv.yaml", "quick.yaml"]


def test_seeds_until_an_interval_is_narrow_are_part_of_the_command(tmp_path: Path) -> None:
    config = Path(__file__).parents[2] / "configs" / "quick.yaml"
    study = mftpubsub.load(config)
    aims = ["delivery_rate_strict<=0.01", "delay_mean_s<=2"]
    keep_study(study, config, tmp_path)
    keep_study(study, config, tmp_path, (), aims, 32)
    keep_study(study, config, tmp_path)
    plain = f"mftpubsub sweep quick.yaml --out {tmp_path.name}"
    narrow = "--until 'delivery_rate_strict<=0.01' --until 'delay_mean_s<=2' --most-seeds 32"
    assert provenance.commands(tmp_path) == [plain, f"{plain} {narrow}"]
    assert mftpubsub.load(tmp_path / "studies" / "quick.yaml") == study
    longer = study.model_copy(update={"duration": 2 * study.duration})
    keep_study(longer, config, tmp_path)
    assert provenance.commands(tmp_path) == [plain]


@pytest.mark.parametrize(
    ("left", "steps"),
    [
        ((), []),
        (("ingest-report.json",), ["ingest"]),
        (("costs.parquet", "figures/overview.png"), ["ingest", "figures"]),
        (("costs.parquet", "figures/delay_by_size.png", "report.md"), ["ingest", "report"]),
    ],
)
def test_only_what_was_run_is_told(tmp_path: Path, left: tuple[str, ...], steps: list[str]) -> None:
    config = Path(__file__).parents[2] / "configs" / "quick.yaml"
    keep_study(mftpubsub.load(config), config, tmp_path)
    provenance.check(StudyResults(tmp_path))
    for name in left:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [line.split()[1] for line in provenance.commands(tmp_path)] == ["sweep", *steps]
    told = provenance.commands(tmp_path, is_reported=True)
    assert [line.split()[1] for line in told if line.split()[1] == "report"] == ["report"]


def test_what_is_kept_follows_what_was_run_last(tmp_path: Path) -> None:
    config = Path(__file__).parents[2] / "configs" / "quick.yaml"
    study = mftpubsub.load(config)
    keep_study(study, config, tmp_path)
    longer = study.model_copy(update={"duration": 2 * study.duration})
    keep_study(longer, config, tmp_path)
    assert mftpubsub.load(tmp_path / "studies" / "quick.yaml") == longer
