"""Spark as its users mean it: data sources of runs and of ns-3's traces; a session stays the caller's."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from conftest import END
from test_ns3_traces import KEYS as NS3_KEYS
from test_ns3_traces import all_of, unpacked
from test_pipeline import COUNTED, SHORT, SILENT

from mftpubsub import pipeline
from mftpubsub.errors import ConfigurationError, MftPubsubError
from mftpubsub.folders import folder_at
from mftpubsub.pipeline import integrity, of_runs, pieces, source
from mftpubsub.pipeline.ns3 import reading
from mftpubsub.pipeline.ns3.take import Script, take
from mftpubsub.pipeline.session import session
from mftpubsub.pipeline.workers import Processes
from mftpubsub.trace import blocks, trace_format
from mftpubsub.trace.file import TraceFile

if TYPE_CHECKING:
    from conftest import WriteRun
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

LINE = "t 0.25 1 radio HEARTBEAT - 20 - - - -"
KEYS = ["protocol", "config", "speed_mps", "seed"]


@pytest.fixture
def study(spark: SparkSession, write_run: WriteRun, tmp_path: Path) -> Path:
    """Three seeds of one protocol, one of another."""
    for seed, lines in enumerate((COUNTED, SHORT, SILENT), 1):
        write_run(lines, seed=seed)
    write_run(SHORT, protocol="aodv", speed=8, seed=1)
    pipeline.register(spark)
    return tmp_path


def load(spark: SparkSession, folder: Path, **options: str) -> DataFrame:
    return spark.read.format("mftpubsub").options(**options).load(str(folder))


def sorted_rows(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, frame.astype(object).where(frame.notna(), None).to_numpy()), key=str)


def test_all_records_have_the_keys_of_their_runs_typed(spark: SparkSession, study: Path) -> None:
    found = load(spark, study)
    assert dict(found.dtypes[:6]) == {
        "protocol": "string",
        "config": "string",
        "speed_mps": "double",
        "seed": "bigint",
        "op": "string",
        "time_s": "double",
    }
    assert sorted_rows(found.toPandas()) == sorted_rows(
        pipeline.ingest(spark, study).select(found.columns).toPandas()
    )


def assert_equal(found: pd.DataFrame, expected: pd.DataFrame, keys: list[str]) -> None:
    """Whatever undefined numbers are marked by."""
    assert [*found.columns] == [*expected.columns]
    both = [frame.sort_values(keys, ignore_index=True) for frame in (found, expected)]
    plain = [frame.astype(object).where(frame.notna(), None) for frame in both]
    pd.testing.assert_frame_equal(plain[0], plain[1], check_dtype=False, rtol=1e-12)


@pytest.mark.parametrize("table", ["runs", "losses", "frames_by_kind"])
def test_both_engines_give_the_same_tables(spark: SparkSession, study: Path, table: str) -> None:
    """DuckDB in the tasks of the data source, and the pipeline's tables by processes."""
    pipeline.run(study)
    stored = pd.read_parquet(study / "tables" / f"{table}.parquet")
    found = load(spark, study, table=table).toPandas()
    assert_equal(found, stored, [*stored.columns[:5]])


def test_spark_s_own_sql_gives_the_same_metrics(spark: SparkSession, study: Path) -> None:
    from mftpubsub.metrics.table import query

    load(spark, study).createOrReplaceTempView("trace")
    by_spark = spark.sql(query("metrics")).toPandas()
    assert_equal(load(spark, study, table="runs").toPandas(), by_spark, KEYS)


def test_deliveries_and_nodes_are_tables_too(spark: SparkSession, study: Path) -> None:
    deliveries = load(spark, study, table="deliveries", protocol="mft-pubsub", seed="1").toPandas()
    assert len(deliveries) == 6
    assert set(deliveries["cause"].dropna()) == {"QUEUED", "UNMATCHED"}
    assert load(spark, study, table="nodes").count() == 4 * 4


@pytest.mark.parametrize("table", [*of_runs.TABLES][1:])
def test_a_task_answers_for_many_runs_at_once(
    write_run: WriteRun, tmp_path: Path, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the rows that each run has alone, also where runs differ by nothing but an axis."""
    for seed, lines in enumerate((COUNTED, SHORT, SILENT), 1):
        write_run(lines, seed=seed, unknown=["delay_mean_s"] if seed == 1 else [])
        write_run(lines, seed=seed, protocol="aodv")
    study = of_runs.study(folder_at(tmp_path))
    seeds = pa.array([1] * len(study.runs))
    study = replace(study, runs=study.runs.drop_columns("seed").append_column("seed", seeds))
    alone = [
        row
        for run in map(study.run, study.runs.to_pylist())
        for batch in of_runs.answer(study, [run], table)
        for row in batch.to_pylist()
    ]
    if table == "runs":
        assert sum(row["delay_mean_s"] is None for row in alone) == 3  # SILENT has none
    opened: list[Any] = []
    connect = duckdb.connect

    def count(**given: Any) -> Any:
        opened.append(given)
        return connect(**given)

    monkeypatch.setattr(duckdb, "connect", count)
    reader = source.RunsReader(study, table)
    parts = reader.partitions()
    together = [row for part in parts for batch in reader.read(part) for row in batch.to_pylist()]
    assert sorted(map(str, together)) == sorted(map(str, alone))
    assert len(opened) == len(parts) == 1


def test_runs_that_an_option_excludes_are_not_read(spark: SparkSession, study: Path) -> None:
    """Their traces are damaged: whoever reads them fails."""
    for run in study.glob("runs/protocol=mft-pubsub/config=C2/speed=2/seed=[23]/trace.gz"):
        run.write_bytes(b"x" * run.stat().st_size)
    found = load(spark, study, protocol="mft-pubsub", seed="1")
    assert found.count() == lines_of(COUNTED)
    assert load(spark, study, protocol="aodv,mft-pubsub", seed="1", speed_mps="2,8").count() > found.count()
    with pytest.raises(Exception, match="seed=2: content differs from what was written"):
        load(spark, study).count()


def lines_of(lines: str) -> int:
    return len([*filter(None, lines.splitlines())])


def test_a_plan_reads_one_run_json_of_a_protocol_and_configuration(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All else is in the folders' names: 10^5 runs are planned in seconds."""
    read: list[str] = []
    metadata_of = integrity.metadata_of

    def reading(folder: Any, name: str) -> Any:
        read.append(name)
        return metadata_of(folder, name)

    monkeypatch.setattr(integrity, "metadata_of", reading)
    found = of_runs.study(folder_at(study))
    assert len(found.runs) == 4
    assert len(read) == 2  # of MFT-PubSub's three runs one
    # one that cannot be read tells nothing, and others do
    ours = next(name for name in read if name.startswith("protocol=mft-pubsub/"))
    (study / "runs" / ours / "run.json").write_text("{")
    assert of_runs.study(folder_at(study)).runs.equals(found.runs)
    assert len(read) == 5


@pytest.mark.slow
def test_our_runs_stay_on_an_axis_beside_a_script_whose_network_is_called_as_ours(
    write_run: WriteRun, tmp_path: Path
) -> None:
    """By the plan of Spark's source, and by the tables."""
    nodes = [{"count": 1, "roles": ["broker"]}]
    scenario = {"area": [9, 9], "nodes": nodes, "mobility": {"model": "static"}}
    write_run(SHORT, protocol="aodv", scenario=scenario)
    axes = write_run(SHORT, protocol="aodv", config="C2 leader_timeout 2.5") / "run.json"
    told = json.loads(axes.read_text()) | {"config": "C2", "axes": {"overlay.leader_timeout": 2.5}}
    axes.write_text(json.dumps(told))
    write_run(SHORT, protocol="script", source="ns-3")
    expected = [("aodv", 2.5), ("aodv", 3.0), ("script", -1.0)]
    keys = ["protocol", "overlay.leader_timeout"]
    planned = of_runs.study(folder_at(tmp_path)).runs.select(keys).to_pandas().fillna(-1)
    assert sorted(planned.itertuples(index=False, name=None)) == expected
    assert pipeline.run(tmp_path) == []
    tabled = pd.read_parquet(tmp_path / "tables/runs.parquet", columns=keys).fillna(-1)
    assert [*tabled.itertuples(index=False, name=None)] == expected


def test_what_spark_s_driver_sends_does_not_grow_with_the_square_of_the_runs(
    write_run: WriteRun, tmp_path: Path
) -> None:
    sizes = []
    for seed in range(1, 51):
        write_run(SILENT, seed=seed)
        if seed in (10, 50):
            reader = source.RunsReader(of_runs.study(folder_at(tmp_path)), "runs")
            sizes.append((len(pickle.dumps(reader)), len(pickle.dumps(reader.partitions()))))
    (few, of_few), (many, of_many) = sizes
    assert few == many
    assert of_many - of_few < 40 * 150  # B a run, with its folder's name


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"trace_bytes": 10**6}, "seed=1: truncated: "),
        ({"schema_version": 99}, "seed=1: trace format 99, this version reads"),
    ],
)
def test_a_run_that_is_not_whole_is_not_left_out_in_silence(
    write_run: WriteRun, tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    write_run(SHORT, seed=1, **changes)
    write_run(SHORT, seed=2)
    reader = source.RunsReader(of_runs.study(folder_at(tmp_path)), "runs")
    with pytest.raises(MftPubsubError, match=said):
        [*reader.read(reader.partitions()[0])]


@pytest.mark.parametrize("name", ["seed=x", "seed=", "seed=1_0", "seed=\udcff"])
def test_a_folder_that_is_called_as_no_run_is_told(write_run: WriteRun, tmp_path: Path, name: str) -> None:
    run = write_run(SHORT)
    shutil.copytree(run, run.with_name(name))
    with pytest.raises(MftPubsubError, match=r"speed=2/seed=.*: no run is called so: remove it"):
        of_runs.study(folder_at(tmp_path))


def test_two_selections_of_one_data_frame_are_two(spark: SparkSession, study: Path) -> None:
    """Spark 4.3 gives one of them twice if a source takes filters from it."""
    name = "spark.sql.python.filterPushdown.enabled"
    before = spark.conf.get(name)
    assert before
    spark.conf.set(name, "true")
    try:
        whole = load(spark, study)
        both = whole.where("seed = 1 and speed_mps = 2").union(whole.where("protocol = 'aodv'"))
        assert both.count() == lines_of(COUNTED) + lines_of(SHORT)
    finally:
        spark.conf.set(name, before)


def test_tasks_have_runs_of_some_size(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "_BYTES_OF_A_TASK", 1)
    reader = source.RunsSource({"path": str(study)}).reader(None)
    assert [len(one.runs) for one in reader.partitions()] == [1, 1, 1, 1]  # type: ignore[attr-defined]
    # small runs count for more than their bytes, since to open one takes time
    monkeypatch.setattr(source, "_BYTES_OF_A_TASK", 2 * pieces.EACH)
    assert [len(one.runs) for one in reader.partitions()] == [2, 2]  # type: ignore[attr-defined]


def test_a_large_run_is_read_by_many_tasks(
    spark: SparkSession, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 500)
    folder = study / "runs/protocol=aodv/config=C2/speed=8/seed=1"
    with TraceFile(folder / "trace.gz") as file:
        file.write("\n".join([trace_format.header(), *[LINE] * 300, END, ""]).encode())
        file.complete()
    content = (folder / "trace.gz").read_bytes()
    told = {"trace_bytes": len(content), "trace_sha256": hashlib.sha256(content).hexdigest()}
    (folder / "run.json").write_text(json.dumps(json.loads((folder / "run.json").read_text()) | told))
    reader = source.RunsSource({"path": str(study), "protocol": "aodv"}).reader(None)
    with monkeypatch.context() as patch:
        patch.setattr(source, "LARGE", 1)
        patch.setattr(pieces, "RANGE", 200)
        patch.setattr(source, "_BYTES_OF_A_TASK", 1)
        shares = reader.partitions()
    assert len(shares) > 3
    monkeypatch.setattr(of_runs, "LARGE", 1)
    assert sum(len(batch) for share in shares for batch in reader.read(share)) == 301
    assert load(spark, study, protocol="aodv").count() == 301


def test_what_an_ingest_has_stored_is_a_table_too(spark: SparkSession, study: Path) -> None:
    ingested = pipeline.ingest(spark, study)
    stored = load(spark, study, table="stored")
    assert sorted_rows(stored.toPandas()) == sorted_rows(ingested.select(stored.columns).toPandas())


def test_where_nothing_is_stored_the_table_of_it_is_refused(study: Path) -> None:
    """No rows would look like an answer, also where DIR is misspelt."""
    given = source.RunsSource({"path": str(study), "table": "stored"})
    with pytest.raises(MftPubsubError, match=r"nothing is stored; `mftpubsub ingest .*` does it"):
        given.reader(None).partitions()


def test_sql_reads_a_study_by_a_temporary_view(spark: SparkSession, study: Path) -> None:
    """By a path as Java writes it, too: Spark gives no table of its catalogue to a source."""
    for name, path in (("plain", study), ("of_java", f"file:{study}")):
        options = f"path '{path}', table 'runs', protocol 'aodv'"
        spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW {name} USING mftpubsub OPTIONS ({options})")
        assert [row.published for row in spark.sql(f"SELECT published FROM {name}").collect()] == [1]
        spark.catalog.dropTempView(name)
    with pytest.raises(ConfigurationError, match="in SQL a TEMPORARY VIEW does"):
        source.RunsSource({}).schema()


def test_of_ingested_records_spark_reads_only_what_a_filter_on_keys_leaves(
    spark: SparkSession, study: Path
) -> None:
    """By protocol and configuration it reads no other parts, by speed and seed no other groups of rows."""
    records = pipeline.ingest(spark, study)
    of_aodv, seeds = records.where("protocol = 'aodv'"), records.where("seed = 9")
    plans = [frame._jdf.queryExecution().executedPlan().toString() for frame in (of_aodv, seeds)]
    assert "(protocol#" in plans[0].split("PartitionFilters: [", 1)[1].split("]", 1)[0]
    assert "EqualTo(seed,9)" in plans[1].split("PushedFilters: [", 1)[1].split("]", 1)[0]
    for part in study.glob("parquet/protocol=mft-pubsub/*/part-*"):
        part.write_bytes(b"x" * part.stat().st_size)
    assert of_aodv.count() == lines_of(SHORT)
    with pytest.raises(Exception, match="not a Parquet file"):
        records.count()


def test_records_are_read_below_a_folder_whatever_it_is_called(
    spark: SparkSession, study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Letters of patterns and of URLs; by where Python is now; on this machine, whatever Spark's default."""
    (odd := tmp_path / "[a] {b} * 5%20 #ü?").mkdir()
    (study / "runs").rename(odd / "runs")
    monkeypatch.chdir(tmp_path)
    with_hdfs = spark.newSession()
    with_hdfs.conf.set("fs.defaultFS", "hdfs://127.0.0.1:9")
    assert pipeline.ingest(with_hdfs, odd.name).where("protocol = 'aodv'").count() == lines_of(SHORT)
    assert pipeline.metrics(with_hdfs, odd.name).count() == 4


def test_axes_are_keys(spark: SparkSession, write_run: WriteRun, tmp_path: Path) -> None:
    for value in (1, 3):
        write_run(SHORT, config=f"C2 timeout {value}")
        path = tmp_path / f"runs/protocol=mft-pubsub/config=C2 timeout {value}/speed=2/seed=1/run.json"
        text = path.read_text().replace(f'"C2 timeout {value}"', '"C2"')
        path.write_text(text.replace('"seed": 1,', f'"seed": 1, "axes": {{"overlay.timeout": {value}}},'))
    pipeline.register(spark)
    runs = load(spark, tmp_path, table="runs").where("`overlay.timeout` = 3")
    assert [*runs.columns[:5]] == ["protocol", "config", "speed_mps", "overlay.timeout", "seed"]
    assert runs.count() == 1


def test_options_take_values_as_users_type_them(write_run: WriteRun, tmp_path: Path) -> None:
    """PySpark hands over True as `true`."""
    for value in (False, True):
        told = write_run(SHORT, config=f"C2 acks {value}") / "run.json"
        told.write_text(json.dumps(json.loads(told.read_text()) | {"config": "C2", "axes": {"acks": value}}))
    options = {"path": str(tmp_path), "table": "runs", "acks": "true", "speed_mps": "2.0"}
    (partition,) = source.RunsSource(options).reader(None).partitions()
    assert isinstance(partition, source._Runs)
    assert partition.runs.column("acks").to_pylist() == ["True"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"path": "none"}, "none: no complete run"),
        ({}, "names the folder of one study"),
    ],
)
def test_a_folder_without_runs_is_refused(options: dict[str, str], why: str) -> None:
    with pytest.raises(Exception, match=why):
        source.RunsSource(options).schema()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"protocl": "aodv"}, "no option 'protocl'; did you mean 'protocol'"),
        ({"speeds": "2"}, "no option 'speeds'; did you mean"),
        ({"protocol": "aodw"}, "no protocol 'aodw'; did you mean 'aodv'"),
        ({"protocol": "aodv,x"}, "no protocol 'x'; there are aodv, mft-pubsub"),
        ({"speed_mps": "3"}, "no speed_mps '3'; there are 2, 8"),
    ],
)
def test_an_option_that_selects_nothing_is_refused(study: Path, options: dict[str, str], why: str) -> None:
    """By a plan for everything, averages would be of runs that were not asked for, or of none."""
    given = source.RunsSource({"path": str(study), "table": "runs", **options})
    with pytest.raises(ConfigurationError, match=why):
        given.reader(None)


def test_what_is_stored_has_no_other_options(study: Path) -> None:
    with pytest.raises(ConfigurationError, match="no option 'tabel'; did you mean 'table'"):
        source.RunsSource({"path": str(study), "table": "stored", "tabel": "runs"}).reader(None)


def test_an_unknown_table_is_refused(study: Path) -> None:
    with pytest.raises(ConfigurationError, match="did you mean 'losses'"):
        source.RunsSource({"path": str(study), "table": "loses"}).schema()
    with pytest.raises(ConfigurationError, match="did you mean 'ns3_flows'"):
        source.Ns3Source({"table": "ns3_flow"}).schema()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"capture": "[]"}, "no option 'capture'; did you mean 'captures'"),
        ({"path": "ip.tr"}, "no option 'path'; there are table"),
        ({"captures": "a-0-0.pcap"}, "captures: 'a-0-0.pcap' is no JSON list of files"),
        ({"captures": '"a-0-0.pcap"'}, "is no JSON list of files"),
    ],
)
def test_an_option_that_names_no_trace_of_ns_3_is_refused(options: dict[str, str], why: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(why)):
        source.Ns3Source({"ip": "ip.tr", **options}).reader(None)


@pytest.mark.parametrize("one", ["a-0-0.pcap", Path("a-0-0.pcap")])
def test_one_capture_is_not_a_list_of_letters(one: Any) -> None:
    with pytest.raises(ConfigurationError, match=re.escape("'a-0-0.pcap' is one file: give a list, ['a-0")):
        source.read_ns3(None, {}, one)  # type: ignore[arg-type]


def test_captures_of_which_there_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nothing was given to read: name ip, .* or captures"):
        pipeline.read_ns3(None, captures=tmp_path.glob("*.pcap"))  # type: ignore[arg-type]


def test_metrics_nobody_knows_are_null(spark: SparkSession, tmp_path: Path) -> None:
    wifi = unpacked("aodv-wifi", tmp_path / "wifi")
    take(Script(NS3_KEYS, all_of(wifi)), tmp_path, Processes(1))
    pipeline.register(spark)
    (run,) = load(spark, tmp_path, table="runs").collect()
    assert (run.delivered_pairs, run.reachable, run.senders_mean) == (71, None, None)


def test_tables_of_ns_3_s_traces(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = all_of(unpacked("aodv-wifi", tmp_path))
    monkeypatch.chdir(tmp_path)  # where neither Java nor a task is
    captures = [path.name for path in files.captures]
    found = pipeline.read_ns3(spark, ip="ip.tr", phy="phy.tr", flows="flows.xml", captures=captures)
    assert [*found] == ["ns3_ip", "ns3_phy", "ns3_flows", "ns3_flow_bins", "ns3_frames"]
    for name, frame in found.items():
        expected = sum(
            batch.num_rows
            for share in reading.shares(files)
            if share.table == name
            for batch in reading.batches(share)
        )
        assert frame.count() == expected > 10
    flows = found["ns3_flows"].where("dst_port = 4000")
    assert flows.selectExpr("sum(tx_packets)", "sum(rx_packets)").collect() == [(80, 71)]
    assert [*pipeline.read_ns3(spark, ip=files.ip)] == ["ns3_ip"]


#: What a caller has set, and what we would set otherwise.
OWN = {
    "spark.sql.session.timeZone": "Asia/Kathmandu",
    "spark.sql.files.maxPartitionBytes": "77m",
    "spark.sql.ansi.enabled": "false",
    "spark.sql.caseSensitive": "true",
    "spark.sql.shuffle.partitions": "3",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1",
}


def test_the_caller_s_session_stays_as_it_is(spark: SparkSession, study: Path) -> None:
    """Settings, environment, and that it runs; whatever of ours works on it."""
    before = {name: spark.conf.get(name) or "" for name in OWN}
    for name, value in OWN.items():
        spark.conf.set(name, value)
    try:
        everything, environment = spark.conf.getAll, {**os.environ}
        assert pipeline.ingest(spark, study).count() > 10
        assert pipeline.metrics(spark, study).count() == 4
        pipeline.register(spark)
        assert load(spark, study).count() > 10
        (study / "tables" / "runs.csv").unlink()
        pipeline.run(study)
        (study / "tables" / "runs.csv").unlink()
        pipeline.run(study, "local[2]")
        assert (spark.conf.getAll, {**os.environ}) == (everything, environment)
        assert spark.range(1).count() == 1
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


def test_a_second_session_has_the_sources_too(spark: SparkSession, study: Path) -> None:
    """Whichever is active, and stays so."""
    second = spark.newSession()
    spark.createDataFrame([], "id int")  # makes it the active one
    for _ in range(2):
        pipeline.register(second)
    assert second.read.format("mftpubsub").load(str(study)).count() == load(spark, study).count()
    active = type(spark).getActiveSession()
    assert active is not None
    assert active.conf.get("spark.sql.session.timeZone") == spark.conf.get("spark.sql.session.timeZone")
    assert pipeline.metrics(second, study).count() == 4


#: In a process of its own, whose session is stopped, and whose workers' Python lacks this package.
SESSIONS = """
import sys
from pyspark.sql import SparkSession
from mftpubsub import pipeline
from mftpubsub.errors import MftPubsubError

folder = sys.argv[1]
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
uses = [pipeline.metrics, pipeline.ingest, lambda spark, _: pipeline.register(spark)]
for stops in (False, True):
    if stops:
        spark.stop()
    for use in uses if stops else uses[:1]:
        try:
            use(spark, folder)
        except MftPubsubError as error:
            print(error)
"""


def test_sessions_that_cannot_do_it_are_told(write_run: WriteRun, bare_python: Path, tmp_path: Path) -> None:
    write_run(SHORT)
    environment = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": str(bare_python)}
    done = subprocess.run(
        [sys.executable, "-c", SESSIONS, tmp_path],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    lacking, *stopped = done.stdout.splitlines()
    assert re.search(
        rf"Spark's workers has no package mftpubsub: .*PYSPARK_PYTHON={re.escape(sys.executable)}", lacking
    ), done.stderr[-3000:]
    assert [text.partition(":")[0] for text in stopped] == ["the Spark session was stopped"] * 3


def test_another_master_than_that_of_the_session_is_refused(spark: SparkSession, study: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"Spark runs on local\[2\] here, not on local-cluster"):
        pipeline.run(study, "local-cluster[1,1,1024]")
    assert session() is not None


def test_processes_and_executors_give_the_same_tables(
    spark: SparkSession, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "_SMALL", 0)

    def tables() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (study / "tables").iterdir()}

    pipeline.run(study)
    by_processes = tables()
    for part in ("parquet", "tables"):
        (study / part).rename(study / f"old-{part}")
    pipeline.metrics(spark, study)
    assert tables() == by_processes
