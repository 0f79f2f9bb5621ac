"""Studies in HDFS: a name node and a data node of Hadoop's, which crash at any moment."""

from __future__ import annotations

import _thread
import json
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hadoop import DATA, JARS, NAMES, Hadoop, hadoop
from test_object_store import STUDY, ingest, upload
from test_pipeline import COUNTED, SHORT

import mftpubsub
from mftpubsub.errors import ConfigurationError, InstallationError, MftPubsubError
from mftpubsub.folders import Folder, RemoteFolder, UnreachableError, folder_at
from mftpubsub.folders.hdfs import HdfsFolder
from mftpubsub.pipeline import manifest
from mftpubsub.pipeline.marks import SOURCES
from mftpubsub.pipeline.parts import PARQUET
from mftpubsub.pipeline.stored import plan, store
from mftpubsub.pipeline.tables import are_of
from mftpubsub.pipeline.workers import Processes
from mftpubsub.sweeps.sweep import run_study

if TYPE_CHECKING:
    from conftest import WriteRun
    from pyspark.sql import SparkSession

#: By hand: the servers are not among what the tests install.
by_hand = pytest.mark.long


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hadoop]:
    if not JARS.is_dir() or not shutil.which("java"):
        pytest.skip("needs Java and Hadoop's jars: python tests/python/hadoop.py")
    with (
        pytest.MonkeyPatch.context() as patch,
        hadoop(tmp_path_factory.mktemp("hadoop")) as cluster,
    ):
        patch.setenv("HADOOP_CONF_DIR", str(cluster.settings))
        yield cluster


@pytest.fixture
def hdfs(servers: Hadoop, monkeypatch: pytest.MonkeyPatch) -> Hadoop:
    """Works as it should; locks are not waited for long."""
    for server in (NAMES, DATA):
        if server not in servers.running:
            servers.start(server)
    monkeypatch.setattr(RemoteFolder, "patience", 4.0)  # to write a file takes up to half a second
    return servers


@pytest.fixture
def study(hdfs: Hadoop, write_run: WriteRun, tmp_path: Path) -> Folder:
    """Three runs in a folder with brackets, a space and other letters."""
    for seed, lines in enumerate((COUNTED, SHORT, SHORT), 1):
        write_run(lines, seed=seed)
    folder = folder_at(hdfs.url(f"[é] *?#%{tmp_path.name}"))
    upload(tmp_path / "runs", folder)
    return folder


def assert_same(study: Folder, local: Folder) -> None:
    """The same tables, all parts that they are made of and no others, and nothing that is not whole."""
    names = [*local.stats("tables")]
    assert len(names) == 10
    assert {name: study.read(name) for name in names} == {name: local.read(name) for name in names}
    parts = manifest.load(study).parts
    assert {*study.stats("parquet")} - {*parts} == {manifest.MANIFEST, f"{PARQUET}/{SOURCES}"}
    assert not [name for name in study.stats("") if ".partial" in name]


@by_hand
def test_the_tables_are_those_of_a_folder_of_this_machine(study: Folder, tmp_path: Path) -> None:
    ingest(study)
    local = folder_at(tmp_path)
    ingest(local)
    assert_same(study, local)
    assert are_of(study)
    assert len(plan(study).kept) == 3


@by_hand
def test_processes_read_and_write_there(study: Folder, tmp_path: Path) -> None:
    """Each has a connection of its own."""
    mftpubsub.pipeline.run(str(study))
    ingest(folder_at(tmp_path))
    assert_same(study, folder_at(tmp_path))


@by_hand
def test_a_cluster_is_named_by_hadoop_s_settings(study: Folder) -> None:
    place = str(study).split("/", 3)[3]
    assert {*folder_at(f"hdfs:///{place}").stats("runs")} == {*study.stats("runs")}


def crashing(
    patch: pytest.MonkeyPatch, cluster: Hadoop, server: str, call: int, operation: str = "upload"
) -> None:
    """Kills a server when a folder is asked for an operation for the time number `call`."""
    count = iter(range(10**9))
    asked = getattr(HdfsFolder, operation)

    def crash(folder: HdfsFolder, *given: Any) -> Any:
        if next(count) == call:
            cluster.stop(server)
        return asked(folder, *given)

    patch.setattr(HdfsFolder, operation, crash)


@by_hand
@pytest.mark.parametrize("call", range(4))
def test_a_name_node_that_crashes_in_an_ingest_costs_nothing_that_was_there(
    hdfs: Hadoop, study: Folder, write_run: WriteRun, tmp_path: Path, call: int
) -> None:
    """At a part, the manifest, the report, and a table: what the manifest names is there as a whole."""
    ingest(study)
    write_run(SHORT, seed=1)
    upload(tmp_path / "runs", study)
    long, short = len(COUNTED.strip().splitlines()), len(SHORT.strip().splitlines())
    with pytest.MonkeyPatch.context() as patch:
        crashing(patch, hdfs, NAMES, call)
        with pytest.raises(UnreachableError, match=r"^hdfs://127.0.0.1:\d+/studies/.* cannot be used"):
            ingest(folder_at(str(study)))
    hdfs.start(NAMES)
    held = manifest.load(study)
    assert {*held.parts} <= {*study.stats("parquet")}
    assert dict(zip(held.column("seed"), held.column("rows"), strict=True))[1] in (long, short)
    ingest(study)
    ingest(folder_at(tmp_path))
    assert_same(study, folder_at(tmp_path))


@by_hand
@pytest.mark.parametrize("server", [NAMES, DATA])
def test_a_server_that_crashes_makes_no_run_a_damaged_one(hdfs: Hadoop, study: Folder, server: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        crashing(patch, hdfs, server, 1, "raw")
        with pytest.raises(UnreachableError, match="the same command goes on"):
            store(Processes(1), study)
    hdfs.start(server)
    assert not manifest.load(study).parts
    assert study.stat("ingest-report.json") is None
    store(Processes(1), study)
    assert len(manifest.load(study).runs) == 3


@by_hand
def test_a_sweep_goes_on_after_the_name_node_crashed(hdfs: Hadoop, tmp_path: Path) -> None:
    study, url = mftpubsub.Study.from_yaml(STUDY), hdfs.url(tmp_path.name)
    with pytest.MonkeyPatch.context() as patch:
        # the first two are the lock and a trace
        crashing(patch, hdfs, NAMES, 2)
        with pytest.raises(UnreachableError, match="cannot be used"):
            run_study(study, url, workers=1)
    hdfs.start(NAMES)
    folder = folder_at(url)
    assert not [name for name in folder.stats("runs") if name.endswith("run.json")]
    assert run_study(study, url, workers=1) == []
    ingest(folder)
    assert run_study(study, tmp_path / "here", workers=1) == []
    ingest(folder_at(tmp_path / "here"))
    assert_same(folder, folder_at(tmp_path / "here"))
    assert not [name for name in folder.stats("") if ".sweep" in name]


@by_hand
def test_what_cannot_be_written_is_not_there(hdfs: Hadoop, tmp_path: Path) -> None:
    folder = folder_at(hdfs.url(tmp_path.name))
    folder.write("file", b"before")
    hdfs.stop(DATA)
    with pytest.raises(UnreachableError, match="cannot be used"):
        folder.write("file", b"after")
    hdfs.start(DATA)
    assert folder.read("file") == b"before"
    assert {*folder.stats("")} == {"file"}


@by_hand
def test_ctrl_c_leaves_no_file_that_is_cut(hdfs: Hadoop, tmp_path: Path) -> None:
    folder = folder_at(hdfs.url(tmp_path.name))
    folder.write("file", before := b"before")
    (tmp_path / "file").write_bytes(after := bytes(2**27))
    for seconds in (0.02, 0.05, 0.1, 0.2):
        timer = threading.Timer(seconds, _thread.interrupt_main)
        with suppress(KeyboardInterrupt):
            timer.start()
            folder.upload(tmp_path / "file", "file")
            timer.join()
            time.sleep(0.1)
        assert folder.read("file") in (before, after)
        assert {*folder.stats("")} == {"file"}


@by_hand
def test_damaged_traces_are_set_aside_with_their_reasons(study: Folder) -> None:
    (name,) = (name for name in study.stats("runs") if "seed=2/trace" in name)
    study.write(name, study.read(name)[:-3])
    store(Processes(1), study)
    report = json.loads(study.read("ingest-report.json"))
    assert [problem["file"] for problem in report["set_aside"]] == [name]
    assert report["set_aside"][0]["reason"].startswith("truncated")


@by_hand
def test_two_at_once_are_kept_apart(study: Folder) -> None:
    other = folder_at(str(study))
    with (
        study.locked(".ingest", "ingest"),
        pytest.raises(MftPubsubError, match="another ingest is at work in hdfs://"),
        other.locked(".ingest", "ingest"),
    ):
        pass
    assert not [name for name in study.stats("") if name.startswith(".ingest")]


@by_hand
def test_spark_reads_and_ingests_a_study_in_hdfs(spark: SparkSession, study: Folder) -> None:
    from mftpubsub import pipeline

    url = str(study)
    assert pipeline.metrics(spark, url).count() == 3
    ingested = pipeline.ingest(spark, url)
    pipeline.register(spark)
    found = spark.read.format("mftpubsub").option("seed", "1").load(url)
    lines = len(COUNTED.strip().splitlines())
    assert found.count() == ingested.where("seed = 1").count() == lines
    of_first = ingested.where("protocol = 'mft-pubsub' and seed = 1")
    plan = of_first._jdf.queryExecution().executedPlan().toString()
    assert "(protocol#" in plan.split("PartitionFilters: [", 1)[1].split("]", 1)[0]
    assert "EqualTo(seed,1)" in plan.split("PushedFilters: [", 1)[1].split("]", 1)[0]
    assert spark.read.format("mftpubsub").option("table", "runs").load(url).count() == 3


def settings(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One attempt, as Hadoop's settings say."""
    told = "<property><name>dfs.client.failover.max.attempts</name><value>0</value></property>"
    (place / "hdfs-site.xml").write_text(f"<configuration>{told}</configuration>")
    monkeypatch.setenv("HADOOP_CONF_DIR", str(place))


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("hdfs://127.0.0.1:1/a", r"hdfs://127.0.0.1:1/a cannot be used \(Connection refused"),
        ("hdfs:///a", r"hdfs:///a cannot be used \(.*fs.defaultFS"),
    ],
)
def test_a_cluster_that_cannot_be_reached_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, why: str
) -> None:
    settings(tmp_path, monkeypatch)
    asked: list[Callable[[Folder], Any]] = [
        lambda folder: folder.stats("runs"),
        lambda folder: folder.read("run.json"),
        lambda folder: folder.write("run.json", b""),
    ]
    for ask in asked:
        with pytest.raises(UnreachableError, match=f"^{why}"):
            ask(folder_at(url))


def test_a_url_of_hdfs_has_no_options() -> None:
    for url in ("hdfs://host/a?b=c", "hdfs://host/a#b"):
        with pytest.raises(ConfigurationError, match="no options: write %3F for"):
            folder_at(url)


def test_a_package_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hdfs_native", None)
    with pytest.raises(InstallationError, match=r"need.* the package hdfs-native .*'mftpubsub\[hdfs\]'"):
        folder_at("hdfs://127.0.0.1:1/a").stats("runs")
