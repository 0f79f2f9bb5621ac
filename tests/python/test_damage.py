"""What is damaged, unreadable, full or interrupted is told in one line, and a second start goes on."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from conftest import wait_for
from fake_runs import fake_run, full_disk, hang, study_of
from test_sweep import done
from typer.testing import CliRunner, Result

import mftpubsub
from mftpubsub import pipeline
from mftpubsub.cli.main import app
from mftpubsub.errors import DiskFullError, MftPubsubError
from mftpubsub.folders import folder_at
from mftpubsub.pipeline import integrity
from mftpubsub.pipeline.stored import plan
from mftpubsub.sources.thesis.source import THESIS
from mftpubsub.studies import figures
from mftpubsub.studies.results import StudyResults
from mftpubsub.sweeps import processes
from mftpubsub.sweeps.sweep import run_cases, run_study

pytestmark = pytest.mark.spark


def command(*arguments: object, **more: Any) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("mftpubsub")
    return subprocess.run(
        [program, *map(str, arguments)], capture_output=True, text=True, check=False, **more
    )


def here(*arguments: object) -> Result:
    """The same in this process, for tests that are not of processes."""
    return CliRunner().invoke(app, [*map(str, arguments)])


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two runs."""
    folder = tmp_path_factory.mktemp("swept")
    assert run_study(study_of(folder, seeds=2), folder) == []
    return folder


@pytest.fixture
def study(swept: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(swept, tmp_path / "study"))


def test_a_folder_that_cannot_be_read_removes_no_run(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.scandir

    def scandir(path: Any) -> Any:
        if str(path).endswith("seed=2"):
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), str(path))
        return real(path)

    assert len(plan(study).new) == 2
    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(
        MftPubsubError, match=r"seed=2 cannot be read \(Stale file handle\): nothing was changed"
    ):
        plan(study)


def test_a_folder_that_a_sweep_replaces_meanwhile_is_no_error(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.scandir

    def scandir(path: Any) -> Any:
        if str(path).endswith("seed=2"):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert len(plan(study).new) == 1


def test_a_flipped_bit_is_told_by_ingest_and_mended_by_sweep(study: Path) -> None:
    trace = next(study.glob("runs/*/*/*/seed=1/trace.gz"))
    whole = trace.read_bytes()
    trace.write_bytes(whole[:-20] + bytes([whole[-20] ^ 1]) + whole[-19:])
    told = here("ingest", study)
    assert told.exit_code == 1
    assert "content differs from what was written" in told.stderr
    assert "1 runs are set aside; `mftpubsub sweep` makes them again" in told.stderr
    other = next(study.glob("runs/*/*/*/seed=2/run.json"))
    before = other.stat().st_mtime_ns
    mended = here("sweep", study / "study.yaml", "--out", study)
    assert mended.exit_code == 0
    assert f"again, as it is damaged: {trace.parent}" in mended.stderr
    assert trace.read_bytes() == whole
    assert other.stat().st_mtime_ns == before
    assert here("sweep", study / "study.yaml", "--out", study).stderr.count("damaged") == 0
    assert here("ingest", study).exit_code == 0
    assert len(pd.read_parquet(study / "tables" / "runs.parquet")) == 2


def test_a_sweep_removes_no_damaged_run_that_it_does_not_make_again(study: Path) -> None:
    imported, own = (next(study.glob(f"runs/*/*/*/seed={seed}")) for seed in (1, 2))
    add_runs(study, [3])
    told = json.loads((imported / "run.json").read_text())
    (imported / "run.json").write_text(json.dumps(told | {"source": "ns-3"}))
    for run in (imported, own):
        (run / "trace.gz").write_bytes((run / "trace.gz").read_bytes()[:-1])
    told_by_ingest = here("ingest", study).stderr
    assert "1 runs are set aside; `mftpubsub sweep` makes them again" in told_by_ingest
    assert "1 imported runs are set aside; remove them and import them again" in told_by_ingest
    cases = mftpubsub.load(study / "study.yaml").cases()
    run_cases(cases[1:], study, runner=fake_run)
    assert imported.exists()
    assert (own / "trace.gz").read_bytes() == b""  # it was made again


def test_an_ingest_tells_of_runs_of_other_code(study: Path) -> None:
    path = next(study.glob("runs/*/*/*/seed=1/run.json"))
    path.write_text(json.dumps(json.loads(path.read_text()) | {"code": "other"}))
    for _ in range(2):
        told = here("ingest", study)
        assert told.exit_code == 0
        assert "study: runs of mft-pubsub are of 2 codes: means are over all of them" in told.stderr


def test_the_report_of_an_ingest_forgets_a_damaged_run_that_was_removed(study: Path) -> None:
    run = next(study.glob("runs/*/*/*/seed=1"))
    (run / "trace.gz").write_bytes(b"")
    assert here("ingest", study).exit_code == 1
    shutil.rmtree(run)
    assert "are in the tables already" in here("ingest", study).stderr
    assert json.loads((study / "ingest-report.json").read_text())["set_aside"] == []


def test_runs_that_are_links_are_in_the_tables_and_a_sweep_mends_the_link_only(study: Path) -> None:
    elsewhere = study.parent / "elsewhere"
    shutil.copytree(study / "runs", elsewhere)
    for run in [path.parent for path in study.glob("runs/*/*/*/*/run.json")]:
        shutil.rmtree(run)
        run.symlink_to(elsewhere / run.relative_to(study / "runs"))
    assert pipeline.run(study) == []
    assert len(pd.read_parquet(study / "tables" / "runs.parquet")) == 2
    trace = next(elsewhere.glob("*/*/*/seed=1/trace.gz"))
    spoilt = trace.read_bytes()[:-20]
    trace.write_bytes(spoilt)
    assert len(pipeline.run(study)) == 1
    assert run_study(mftpubsub.load(study / "study.yaml"), study) == []
    assert pipeline.run(study) == []
    assert trace.read_bytes() == spoilt
    link, other = sorted(study.glob("runs/*/*/*/seed=*"))
    assert (link.is_symlink(), other.is_symlink()) == (False, True)


NAMES = ["a[1]b", "a{b,c}", "a*", "a?", "a ü 中", "a\\b", "seed=7"]

#: What the command does with each folder, in one process: its start takes longer than an ingest.
INGEST_ALL = """
import sys
from mftpubsub.cli.main import app
if __name__ == "__main__":
    for folder in sys.argv[1:]:
        if app(["ingest", folder], standalone_mode=False):
            sys.exit(f"{folder} is not whole")
"""


@pytest.fixture(scope="module")
def ingested(swept: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Studies of all these names, beside one that stays without tables."""
    folder = tmp_path_factory.mktemp("names")
    for name in (*NAMES, "ax"):  # `a?` and `a*` would match the last one, too
        shutil.copytree(swept, folder / name)
    (script := folder / "all.py").write_text(INGEST_ALL)
    subprocess.run(
        [sys.executable, script, *(folder / name for name in NAMES)],
        env=os.environ | {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"},
        check=True,
    )
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_a_study_may_lie_in_a_folder_of_any_name(ingested: Path, name: str) -> None:
    folder = ingested / name
    assert len(pd.read_parquet(folder / "tables" / "runs.parquet")) == 2
    assert not (ingested / "ax" / "tables").exists()
    result = mftpubsub.open_run(next(folder.glob("runs/*/*/*/seed=1")))
    assert result.metrics["published"] == len(result.to_pandas("events")) > 0


def test_a_corrupt_trace_is_one_line(study: Path) -> None:
    trace = next(study.glob("runs/*/*/*/seed=1/trace.gz"))
    size = trace.stat().st_size
    trace.write_bytes(b"x" * size)
    result = mftpubsub.open_run(trace.parent)
    for ask in (result.to_pandas, lambda: result.to_pandas("events"), lambda: result.metrics):
        with pytest.raises(
            mftpubsub.QueryError, match=r"trace\.gz is no whole trace: run the scenario"
        ) as error:
            ask()
        assert "\n" not in str(error.value)


def test_pictures_depend_on_contents_and_not_on_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from test_figures import write_table

    written_to = figures.files
    monkeypatch.setattr(figures, "files", lambda *figure: written_to(*figure)[1:2])  # SVG
    write_table(tmp_path, configs=["C2"], speeds=[8.0])
    figures.make(StudyResults(tmp_path), THESIS)
    table, picture = tmp_path / "tables" / "metrics.parquet", tmp_path / "figures" / "fig4_8.svg"
    drawn = picture.read_bytes(), picture.stat().st_mtime_ns
    os.utime(table)
    figures.make(StudyResults(tmp_path), THESIS)
    assert (picture.read_bytes(), picture.stat().st_mtime_ns) == drawn
    other = pd.read_parquet(table)
    other["mean"] *= 2
    other.to_parquet(table)
    os.utime(table, (0, 0))  # as of an archive
    figures.make(StudyResults(tmp_path), THESIS)
    assert picture.read_bytes() != drawn[0]
    new = picture.read_bytes()
    picture.write_bytes(b"spoilt")
    figures.make(StudyResults(tmp_path), THESIS)
    assert picture.read_bytes() == new


def test_a_full_disk_stops_a_sweep_in_one_line_and_it_goes_on_later(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = study_of(tmp_path, seeds=20)
    with pytest.raises(DiskFullError, match=r"No space left on device.*make room, and the same") as error:
        run_study(study, tmp_path, workers=1, runner=full_disk)
    assert "\n" not in str(error.value)
    assert "failed: " not in capsys.readouterr().err
    assert set(done(tmp_path)) == {"ok 1"}
    assert run_study(study, tmp_path, workers=2, runner=fake_run) == []


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "x"),
        OSError(f"pages of Java\njava.io.IOException: {os.strerror(errno.ENOSPC)}\n\tat ..."),
    ],
)
def test_a_full_disk_stops_an_ingest_in_one_line(
    study: Path, monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("mftpubsub.pipeline.workers.Processes", fail)
    with pytest.raises(
        DiskFullError, match=r"study: the disk is full; make room, and the same command goes on$"
    ):
        pipeline.run(study)


def test_a_run_that_takes_longer_than_its_limit_fails_and_the_others_go_on(tmp_path: Path) -> None:
    study = study_of(tmp_path, "hang", "ok")
    failures = run_study(study, tmp_path, workers=2, runner=hang, time_limit=10)
    assert failures == ["mft-pubsub hang 2 m/s seed 1: it took longer than the time limit of 10 s"]
    assert set(done(tmp_path)) == {"ok 1"}
    with pytest.raises(mftpubsub.ConfigurationError, match="time_limit: must be a number above 0, in s"):
        run_study(study, tmp_path, time_limit=0)


HANDLERS: list[object] = []
os.register_at_fork(after_in_child=lambda: HANDLERS.append(signal.getsignal(signal.SIGINT)))


def note_handlers(case: mftpubsub.Scenario, runs: Path, fingerprint: str) -> None:
    (runs / "deaf").write_text(str(HANDLERS == [signal.SIG_IGN]))


def test_a_forked_run_never_hears_of_ctrl_c_not_even_while_it_starts(tmp_path: Path) -> None:
    """One that hears of it before our first line writes a traceback."""
    case = study_of(tmp_path).cases()[0]
    before = signal.getsignal(signal.SIGINT)
    processes.run_forked(0, partial(note_handlers, case, tmp_path, ""), tmp_path, None)
    assert (tmp_path / "deaf").read_text() == "True"
    assert signal.getsignal(signal.SIGINT) is before


FIRST_SIGHT = """
import os, signal
from multiprocessing.util import register_after_fork
class There: pass
there = There()
register_after_fork(there, lambda _: os.kill(os.getpid(), signal.SIGINT))
"""


def test_runs_of_a_fork_server_never_hear_of_ctrl_c_not_even_while_they_start(tmp_path: Path) -> None:
    """These get one as soon as they hear of signals."""
    (tmp_path / "first_sight.py").write_text(FIRST_SIGHT)
    study_of(tmp_path, seeds=2)
    script = f"""
from multiprocessing import get_context
from pathlib import Path
import mftpubsub
from mftpubsub.sweeps import processes
from fake_runs import fake_run
context = type(get_context("forkserver"))
preload = context.set_forkserver_preload
context.set_forkserver_preload = lambda self, names: preload(self, ["first_sight", *names])
folder = Path({str(tmp_path)!r})
for outcome in processes.run_here(mftpubsub.load(folder / "study.yaml").cases(), folder, 2, fake_run):
    print(outcome.failure)
"""
    paths = os.pathsep.join([str(tmp_path), str(Path(__file__).parent)])
    told = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": paths},
    )
    assert told.stdout == "None\nNone\n"
    assert told.stderr == ""


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_amid_the_start_of_a_run_waits_until_that_has_its_orders(tmp_path: Path, times: int) -> None:
    """It came between the fork and what the new process reads then, which wrote a traceback."""
    study_of(tmp_path, seeds=2)
    script = f"""
import os, signal
from multiprocessing import forkserver
from pathlib import Path
import mftpubsub
from mftpubsub.sweeps import processes
from fake_runs import hang
def connect(fds, connect=forkserver.connect_to_new_process):
    ends = connect(fds)
    for _ in range({times}):
        os.kill(os.getpid(), signal.SIGINT)
    return ends
forkserver.connect_to_new_process = connect
folder = Path({str(tmp_path)!r})
try:
    list(processes.run_here(mftpubsub.load(folder / "study.yaml").cases(), folder, 2, hang))
except KeyboardInterrupt:
    print("heard", signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""
    told = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent)},
        timeout=300,
    )
    assert told.stdout == "heard True\n"
    assert told.stderr == ""


def test_runs_that_are_ended_early_leave_nothing_unfinished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does what a killed process left stay there."""
    study_of(tmp_path, seeds=1)
    left, under_way = (tmp_path / f".partial-{name}.log" for name in ("left", "under-way"))
    left.touch()
    seen: list[bool] = []

    class Begun:
        receiver = 0

        def __init__(self, *_: Any) -> None:
            seen.append(left.exists())
            under_way.touch()

        def stop(self) -> None:
            pass

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(processes, "_Child", Begun)
    monkeypatch.setattr("multiprocessing.forkserver.ensure_running", lambda: None)
    monkeypatch.setattr(processes, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(processes.run_here(mftpubsub.load(tmp_path / "study.yaml").cases(), tmp_path, 1, fake_run))
    assert seen == [False]
    assert not under_way.exists()


def add_runs(study: Path, seeds: Iterable[int]) -> None:
    """Runs of these seeds, which are copies of one."""
    first = next(study.glob("runs/*/*/*/seed=1"))
    told = json.loads((first / "run.json").read_text())
    case = mftpubsub.load(study / "study.yaml").cases()[0]
    for seed in seeds:
        run = shutil.copytree(first, first.with_name(f"seed={seed}"))
        told |= {"seed": seed, "fingerprint": case.replace(seed=seed).fingerprint()}
        (run / "run.json").write_text(json.dumps(told))


#: The command, for which no study is small.
BY_PROCESSES = """
from mftpubsub import pipeline
from mftpubsub.cli.main import main
pipeline._SMALL = 0
main()
"""


@pytest.mark.parametrize("step", ["sweep", "ingest", "ingest by processes"])
def test_ctrl_c_is_one_line_that_says_how_to_go_on(study: Path, step: str) -> None:
    program = [Path(sys.executable).with_name("mftpubsub"), step]
    if step == "ingest by processes":
        program = [sys.executable, "-c", BY_PROCESSES, "ingest"]
    if step == "sweep":
        text = (study / "study.yaml").read_text().replace("duration: 10", "duration: 70000")
        (study / "long.yaml").write_text(text)
        program += [study / "long.yaml", "--out", study / "other"]
        sign = "other/runs/.partial-*/*"
    else:
        add_runs(study, range(3, 43))  # of two it might have made tables before the signal comes
        program += [study]
        sign = "parquet/*/*/*"
    process = subprocess.Popen(
        [str(word) for word in program], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_for(lambda: list(study.glob(sign)))
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all
    told = process.communicate(timeout=300)[1]
    assert process.returncode == 130
    lines = [line for line in told.splitlines() if line and "runs, of which" not in line]
    assert lines[-1] == "mftpubsub: interrupted; the same command goes on where this one stopped"
    assert "Traceback" not in told
    assert "Exception" not in told
    if step != "sweep":
        assert here("ingest", study).exit_code == 0


EVIL = """
from pathlib import Path
from mftpubsub.policies import ParentPolicy
Path("imported").touch()

class Own(ParentPolicy):
    def __init__(self, least: float = 0.0):
        self.least = least
"""


def test_opening_a_run_runs_no_code_of_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / "evil.py").write_text(EVIL)
    make = """
import mftpubsub, sys
from mftpubsub.sweeps import processes
from mftpubsub.sweeps.sweep import run_study
study = mftpubsub.Study.from_yaml(sys.argv[1])
if __name__ == "__main__":
    assert run_study(study, "out") == []
"""
    study_of(tmp_path)
    text = (tmp_path / "study.yaml").read_text() + "parent_policy: {'evil:Own': {least: 2.0}}\n"
    (tmp_path / "study.yaml").write_text(text)
    here = os.environ | {"PYTHONPATH": str(tmp_path)}
    (tmp_path / "make.py").write_text(make)
    subprocess.run([sys.executable, "make.py", "study.yaml"], cwd=tmp_path, env=here, check=True)
    (tmp_path / "imported").unlink()
    look = """
import mftpubsub, pathlib, sys
folder, = pathlib.Path("out/runs").glob("*/*/*/*")
result = mftpubsub.open_run(folder)
assert result.metrics["published"] > 0
assert not pathlib.Path("imported").exists() and "evil" not in sys.modules
assert "evil:Own is not imported" in result.rerun_obstacle, result.rerun_obstacle
try:
    result.snapshot(1.0)
    raise SystemExit("it was simulated")
except mftpubsub.QueryError as error:
    assert "evil:Own is not imported" in str(error)
try:
    mftpubsub.run(result.scenario)
    raise SystemExit("it was simulated")
except mftpubsub.RunError as error:
    assert "evil:Own is not imported" in str(error)
result = mftpubsub.open_run(folder, import_policies=True)
assert pathlib.Path("imported").exists() and result.rerun_obstacle == ""
assert len(result.snapshot(1.0).nodes) == 4
assert mftpubsub.open_run(folder).rerun_obstacle == ""  # it is loaded by now
"""
    subprocess.run([sys.executable, "-c", look], cwd=tmp_path, env=here, check=True)


def test_a_run_json_that_names_no_policy_s_class_is_refused(study: Path) -> None:
    path = next(study.glob("runs/*/*/*/seed=1/run.json"))
    told = json.loads(path.read_text())
    told["scenario"]["parent_policy"] = {"class": "pathlib:Path", "parameters": {}}
    path.write_text(json.dumps(told))
    with pytest.raises(mftpubsub.QueryError, match="pathlib:Path is no ParentPolicy"):
        mftpubsub.open_run(path.parent)


def test_stamps_tell_a_run_that_was_made_again(study: Path) -> None:
    name, _ = plan(study).new
    folder, path = folder_at(study), study / "runs" / name / "run.json"
    before = integrity.stamp(folder, name)
    path.touch()
    assert integrity.stamp(folder, name) == before
    path.write_text(path.read_text().replace("wall_s", "Wall_s"))
    assert integrity.stamp(folder, name) != before
