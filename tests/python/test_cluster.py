"""A sweep on Spark, up to a real standalone cluster that loses a worker half-way."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest
from conftest import Done, finished, tables, wait_for
from fake_runs import study_of
from own_flood import Flood
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession
from test_pipeline import COUNTED, SHORT

import mftpubsub
from mftpubsub.errors import InstallationError, MftPubsubError
from mftpubsub.pipeline.session import session
from mftpubsub.pipeline.stored import store
from mftpubsub.pipeline.tables import make
from mftpubsub.pipeline.workers import Processes
from mftpubsub.protocols import cpp
from mftpubsub.runs.run import run_to_directory
from mftpubsub.sweeps import executors
from mftpubsub.sweeps.executors import SparkRuns
from mftpubsub.sweeps.sweep import run_cases, run_study

if TYPE_CHECKING:
    from conftest import WriteRun

pytestmark = pytest.mark.spark

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Cluster:
    """A standalone cluster: its master's address, and two workers with a core each."""

    master: str
    workers: list[subprocess.Popen[bytes]]

    def kill_worker(self, index: int) -> None:
        """Kills a worker and its executor."""
        os.killpg(self.workers[index].pid, signal.SIGKILL)


@pytest.fixture
def standalone(tmp_path: Path) -> Iterator[Cluster]:
    """A master and two workers, processes on this machine, as docs/how-to/cluster.md starts them."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    master = f"spark://127.0.0.1:{port}"
    processes = [start("master.Master", tmp_path / "master", "--port", port)]
    try:
        wait_for(lambda: is_open(port))
        for name in ("first", "second"):
            own = ("--cores", 1, "--memory", "1g", "--work-dir", tmp_path / name, master)
            processes.append(start("worker.Worker", tmp_path / name, *own))
        yield Cluster(master, processes[1:])
    finally:
        for process in processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def start(role: str, folder: Path, *arguments: object) -> subprocess.Popen[bytes]:
    """Starts a part of a cluster as the leader of a process group."""
    folder.mkdir()
    command: list[str | Path] = [
        Path(pyspark.__file__).parent / "bin" / "spark-class",
        f"org.apache.spark.deploy.{role}",
        *("--host", "127.0.0.1", "--webui-port", "0"),
        *map(str, arguments),
    ]
    environment = os.environ | {"SPARK_DAEMON_MEMORY": "256m", "SPARK_LOCAL_IP": "127.0.0.1"}
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(
            command, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True
        )


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def is_simulating(worker: subprocess.Popen[bytes], out: Path) -> bool:
    """Whether a run under way is that of a descendant of `worker`."""
    partial = [path.name.split("-") for path in (out / "runs").glob(".partial-*-*")]
    return any(worker.pid in ancestors(int(pid)) for _, pid, *_ in partial)


def ancestors(pid: int) -> Iterator[int]:
    while pid > 1:
        yield pid
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return


def test_a_cluster_that_loses_a_worker_half_way_gives_the_tables_of_one_machine(
    standalone: Cluster, undisturbed: Done, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    command = Path(sys.executable).with_name("mftpubsub")
    environment = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1"}
    sweeping = subprocess.Popen(
        [command, "sweep", undisturbed.config, "--out", out, "--master", standalone.master], env=environment
    )
    wait_for(lambda: len(finished(out)) >= 4 and is_simulating(standalone.workers[1], out))
    standalone.kill_worker(1)
    before = finished(out)
    assert sweeping.wait() == 0
    after = finished(out)
    assert len(before) < len(after) == len(finished(undisturbed.out))
    assert {run: after[run] for run in before} == before
    assert not list((out / "runs").glob(".partial-*"))

    subprocess.run([command, "ingest", out, "--master", standalone.master], env=environment, check=True)
    assert tables(out) == tables(undisturbed.out)


def test_a_cluster_for_the_time_of_one_command(tmp_path: Path) -> None:
    study_of(tmp_path, seeds=[1, 2])
    command = Path(sys.executable).with_name("mftpubsub")
    sweep: list[str | Path] = [command, "sweep", tmp_path / "study.yaml", "--out", tmp_path / "out"]
    subprocess.run([*sweep, "--master", "local-cluster[2,1,1024]"], check=True)
    assert len(finished(tmp_path / "out")) == 2


#: An ingest whose first task kills its executor, Java and all, before it can tell what it has done.
LOSING = """
import os, signal, sys
from pathlib import Path

from mftpubsub.pipeline import parts, pieces, stored
from mftpubsub.pipeline.session import session
from mftpubsub.pipeline.stored import store
from mftpubsub.pipeline.tables import make
from mftpubsub.pipeline.workers import Processes
from mftpubsub.pipeline.tables import make
from mftpubsub.pipeline.workers import Executors

folder = Path(sys.argv[1])
done = parts.make_all


def losing(place, work):
    made = done(place, work)
    try:
        (folder / "marker").touch(exist_ok=False)
    except FileExistsError:
        return made
    java = os.getppid()
    while Path(f"/proc/{java}/comm").read_text().strip() != "java":
        java = int(Path(f"/proc/{java}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(java, signal.SIGKILL)


if __name__ == "__main__":
    parts.make_all = losing
    pieces._LEAST = 1
    workers = Executors(session("local-cluster[2,1,1024]", light=True))
    assert stored.store(workers, folder) == []
    make(workers, folder)
"""


def test_an_ingest_that_loses_an_executor_gives_the_tables_of_one_that_does_not(
    write_run: WriteRun, tmp_path: Path
) -> None:
    for seed in range(1, 5):
        write_run(COUNTED if seed % 2 else SHORT, seed=seed)
    shutil.copytree(tmp_path / "runs", (here := tmp_path / "here") / "runs")
    store(Processes(1), here)
    make(Processes(1), here)
    (script := tmp_path / "losing.py").write_text(LOSING)
    done = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert (tmp_path / "marker").exists()
    assert tables(tmp_path) == tables(here)
    parts = {path.name for path in tmp_path.glob("parquet/*/*/*")}
    assert len(parts) == 4
    assert not [name for name in parts if not name.startswith("part-")]


def test_the_package_travels_to_executors_as_the_guide_says(
    write_run: WriteRun, bare_python: Path, tmp_path: Path
) -> None:
    guide = (ROOT / "docs/how-to/spark.md").read_text().split("## With spark-submit", 1)[1]
    (script,), (commands, *_) = (
        re.findall(f"```{kind}\n(.*?)```", guide, re.DOTALL) for kind in ("python", "sh")
    )
    (tmp_path / "study.py").write_text(script)
    for seed, lines in enumerate((COUNTED, SHORT), 1):
        write_run(lines, seed=seed)
    commands = commands.replace("spark://host:7077", "'local-cluster[1,1,1024]'").replace("out/quick", ".")
    environment = os.environ | {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": str(bare_python),
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    done = subprocess.run(
        ["bash", "-e", "-c", commands],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert re.search(r"\|mft-pubsub\|\s*0\.9\|", done.stdout), done.stderr[-3000:]


def test_on_spark_a_run_that_fails_or_crashes_costs_only_itself(spark: SparkSession, tmp_path: Path) -> None:
    def run(case: mftpubsub.Scenario, runs: Path, fingerprint: str) -> None:
        if case.seed == 1:
            raise ValueError("no such thing")
        if case.seed == 2:
            os.write(2, b"cond=impossible")
            os.abort()
        run_to_directory(case, runs, fingerprint)

    study = study_of(tmp_path, seeds=3)
    failures = run_study(study, tmp_path, master="local[2]", runner=run)
    assert sorted(failures) == [
        "mft-pubsub ok 2 m/s seed 1: ValueError: no such thing",
        "mft-pubsub ok 2 m/s seed 2: the process died: SIGABRT cond=impossible",
    ]
    (run_json,) = finished(tmp_path)
    alone = mftpubsub.run(study.cases()[2])
    assert (tmp_path / run_json).with_name("trace.gz").read_bytes() == alone.trace.read_bytes()


@pytest.mark.parametrize("master", ["nonsense://x", "lcoal[2]", "local[0]", "local[2", "127.0.0.1:7077"])
def test_what_is_no_master_is_refused(master: str) -> None:
    with pytest.raises(
        mftpubsub.ConfigurationError, match=f"no Spark master {re.escape(repr(master))}; such"
    ):
        session(master)


def test_a_master_that_cannot_be_reached_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(builder: object) -> None:
        raise Py4JError(
            "An error occurred while calling None.org.apache.spark.api.java.JavaSparkContext.\n"
            ": java.lang.IllegalStateException: no SparkContext\n"
            "This one was made at:\n\n\tat java.base/Method.invoke(Method.java)\n"
        )

    monkeypatch.setattr("pyspark.SparkContext._active_spark_context", None)
    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", fail)
    said = r"^Spark did not start on spark://.*: is a .*\(java.lang.IllegalStateException: no SparkContext\)$"
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.raises(InstallationError, match=said),
    ):
        session(f"spark://127.0.0.1:{server.getsockname()[1]}")


def test_an_executor_with_other_code_is_refused(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "code_version", lambda: "0" * 64)
    with pytest.raises(MftPubsubError, match=rf"given up: the executor on .* of other code .*{'0' * 64}"):
        run_study(study_of(tmp_path), tmp_path, master="local[2]")
    assert not finished(tmp_path)


def test_an_executor_that_does_not_see_the_folder_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    cases = study_of(tmp_path).cases()
    runs = SparkRuns("local[2]", tmp_path / "lock", "the word that the lock would hold")
    with pytest.raises(MftPubsubError, match=rf"not see {tmp_path} .* file system that all executors share"):
        list(runs.run(cases, tmp_path, run_to_directory))


def test_on_spark_a_protocol_of_ones_own_does_what_it_does_here(spark: SparkSession, tmp_path: Path) -> None:
    """In Python and in C++: executors get the class, and the text of the file."""
    in_cpp = cpp(ROOT / "python/examples/protocols/flood.cc", name="flood-cc", options={"jitter": 0.1})
    first = study_of(tmp_path, seeds=1).cases()[0]
    cases = [first.replace(protocol=protocol) for protocol in (Flood(jitter=0.2), in_cpp)]
    with pytest.raises(MftPubsubError, match="has no module 'own_flood': the modules of your classes"):
        run_cases(cases[:1], tmp_path / "none", master="local[2]")
    spark.sparkContext.addPyFile(str(Path(__file__).with_name("own_flood.py")))
    assert run_cases(cases, tmp_path / "out", master="local[2]") == {}
    for case in cases:
        (trace,) = (tmp_path / "out" / "runs" / f"protocol={case.protocol}").rglob("trace.gz")
        assert trace.read_bytes() == mftpubsub.run(case).trace.read_bytes()
