"""What the tests share: one Spark session, a browser, and run folders made by hand."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import signal
import sys
import sysconfig
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from dealing import ByFile, shares, thorough

from mftpubsub import notes
from mftpubsub.sources.gaddah import figures as gaddah_figures
from mftpubsub.studies import figures
from mftpubsub.sweeps.sweep import run_study
from mftpubsub.trace import trace_format

if TYPE_CHECKING:
    from browser import Browser
    from pyspark.sql import SparkSession

T = TypeVar("T")
WriteRun = Callable[..., Path]

END = "- 20 - run END - - - - - -"

# A shell that starts us in the background has programs that we start ignore Ctrl-C, which some tests send.
signal.signal(signal.SIGINT, signal.default_int_handler)

#: The package's settings of Spark for every Java that tests start, but without Java's second compiler and its
#: proofs that classes are well-formed. Tests have so few records that both take longer than they save.
_SPARK_SETTINGS = tempfile.TemporaryDirectory(prefix="mftpubsub-spark-")
if "SPARK_CONF_DIR" not in os.environ:
    shutil.copytree(str(files("mftpubsub") / "pipeline" / "conf"), _SPARK_SETTINGS.name, dirs_exist_ok=True)
    Path(_SPARK_SETTINGS.name, "java-opts").write_text(
        "-XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote\n"
    )
    os.environ["SPARK_CONF_DIR"] = _SPARK_SETTINGS.name

R = TypeVar("R", pytest.TestReport, pytest.CollectReport)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return _unless_skipped((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return _unless_skipped((yield))


def _unless_skipped(report: R) -> R:
    """A user's machine may lack tools; where `.ci/tools` has installed all of them, a skip is a failure."""
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("MFTPUBSUB_NO_SKIPS"):
        report.outcome = "failed"
        report.longrepr = f"{report.longreprtext}\nskipped, where nothing is to be: run .ci/tools"
    return report


@pytest.fixture(autouse=True)
def _notes_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test of `--quiet` does not silence those that follow."""
    monkeypatch.setattr(notes, "_quiet", False)


#: What tests are marked with that take long.
_LONG = ("spark", "programs", "browser", "slow")


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    return ByFile(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what needs Spark or a browser by its fixtures, before they are asked for.

    The longest begin: those that share something dear, then files by how many of their tests are marked.
    """
    for item in items:
        needed = getattr(item, "fixturenames", ())
        for fixture, marker in (("spark", "spark"), ("window", "browser")):
            if fixture in needed:
                item.add_marker(marker)
        if item.nodeid.startswith(thorough()):
            item.add_marker("thorough")
    marked = Counter(item.path for item in items if any(map(item.get_closest_marker, _LONG)))
    items.sort(key=lambda item: (shares(item.path) is None, -marked[item.path]))


@pytest.fixture(autouse=True)
def _spark_is_started_where_it_is_marked(request: pytest.FixtureRequest) -> Iterator[None]:
    """Who starts Spark unmarked would slow down `make quick` for everybody."""
    yield
    if "pyspark" in sys.modules and not any(map(_may_start_spark, request.session.items)):
        from pyspark import SparkContext

        assert SparkContext._active_spark_context is None, "starts Spark: mark it with pytest.mark.spark"


def _may_start_spark(item: pytest.Item) -> bool:
    return item.get_closest_marker("spark") is not None


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """One local session for all tests."""
    from mftpubsub.pipeline.session import session

    spark = session("local[2]")
    yield spark
    spark.stop()


@pytest.fixture
def one_kind_of_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of texts: what is drawn beside them is drawn once, not as PNG, SVG and PDF."""
    written_to = figures.files
    monkeypatch.setattr(figures, "files", lambda folder, name: written_to(folder, name)[:1])
    monkeypatch.setattr(gaddah_figures, "KINDS", ("png",))


@pytest.fixture(scope="module")
def window() -> Iterator[Browser]:
    """A browser, for tests that are skipped without one."""
    from browser import browser

    with browser() as opened:
        yield opened


STUDY = """
protocols: [mft-pubsub, aodv]
speeds: [2]
seeds: {seeds}
duration: 30
publisher: {{stop: 20}}
configurations:
  C16:
    area: [80, 80]
    nodes:
      - {{count: 2, roles: [publisher]}}
      - {{count: 16, roles: [subscriber]}}
      - {{count: 16, roles: [broker]}}
"""


@dataclass(frozen=True)
class Done:
    """A study of runs of up to a second, and the folder of a sweep of it that nothing disturbed."""

    config: Path
    out: Path


def tables(out: Path) -> dict[str, bytes]:
    """The tables, which are the same wherever and however often a sweep ran."""
    return {path.name: path.read_bytes() for path in (out / "tables").glob("*.csv")}


def finished(out: Path) -> dict[Path, int]:
    """The runs that are there, each with the time at which it was made."""
    runs = (out / "runs").glob("protocol=*/**/run.json")
    return {path.relative_to(out): path.stat().st_mtime_ns for path in runs}


def sweep_undisturbed(folder: Path, seeds: int) -> Done:
    """Sweeps and ingests a study of 2 x `seeds` runs on this machine."""
    import mftpubsub
    from mftpubsub import pipeline

    done = Done(folder / "study.yaml", folder / "undisturbed")
    done.config.write_text(STUDY.format(seeds=seeds))
    assert run_study(mftpubsub.load(done.config), done.out) == []
    pipeline.run(done.out)
    return done


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """A study of 16 runs, done without disturbance."""
    return sweep_undisturbed(tmp_path_factory.mktemp("undisturbed"), seeds=8)


def wait_for(condition: Callable[[], T], seconds: float = 300) -> T:
    """Waits until `condition()` holds, and returns its value."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)
    return value


@pytest.fixture
def bare_python(tmp_path: Path) -> Path:
    """A Python with all that ours has, but for this package, as an executor of Spark may have one."""
    (packages := tmp_path / "packages").mkdir()
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if "mftpubsub" not in path.name:
            (packages / path.name).symlink_to(path)
    python = tmp_path / "bare-python"
    own = Path(sys.executable).resolve()
    python.write_text(f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{packages}" exec {own} "$@"\n')
    python.chmod(0o755)
    return python


@pytest.fixture
def write_run(tmp_path: Path) -> WriteRun:
    """Writes the folder of one run below tmp_path/runs, as a finished run leaves it."""

    def write(
        lines: str,
        protocol: str = "mft-pubsub",
        config: str = "C2",
        speed: float = 2.0,
        seed: int = 1,
        header: str | None = None,
        **changes: Any,
    ) -> Path:
        folder = tmp_path / f"runs/protocol={protocol}/config={config}/speed={speed:g}/seed={seed}"
        folder.mkdir(parents=True, exist_ok=True)
        text = f"{header or trace_format.header()}\n{lines.strip()}\n"
        content = gzip.compress(text.encode(), mtime=0)
        (folder / "trace.gz").write_bytes(content)
        metadata = {
            "protocol": protocol,
            "config": config,
            "speed_mps": speed,
            "seed": seed,
            "fingerprint": "f" * 64,
            "scenario": {"duration": 20.0},
            "versions": {"mftpubsub": "0.1.0", "ns3": "3.44"},
            "git_commit": "0123456",
            "schema_version": trace_format.version(),
            "trace_bytes": len(content),
            "trace_sha256": hashlib.sha256(content).hexdigest(),
            "wall_s": 1.5,
            "cpu_s": 1.25,
            "events": 1000,
        }
        (folder / "run.json").write_text(json.dumps(metadata | changes))
        return folder

    return write
