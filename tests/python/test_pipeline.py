"""The pipeline, from traces written by hand to a table counted with a pencil."""

from __future__ import annotations

import hashlib
import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
from conftest import END

from mftpubsub import pipeline
from mftpubsub.errors import DiskFullError, MftPubsubError
from mftpubsub.files import locked
from mftpubsub.folders import LocalFolder, folder_at
from mftpubsub.metrics.table import query
from mftpubsub.pipeline import answers, integrity, marks, pieces, tables
from mftpubsub.pipeline import run as run_pipeline
from mftpubsub.pipeline import stored as ingesting
from mftpubsub.pipeline.manifest import MANIFEST, load
from mftpubsub.pipeline.stored import plan, store, trace
from mftpubsub.pipeline.tables import make
from mftpubsub.pipeline.workers import Executors, Processes, Workers
from mftpubsub.trace import trace_format
from mftpubsub.trace.sql import metrics_of, read_trace

if TYPE_CHECKING:
    from conftest import WriteRun
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

# A publisher (0), two brokers (1, 2; 2 is a subscriber too) and a subscriber (3).
NODES = """
+ 0 0 node P - - - - - -
+ 0 1 node B - - - - - -
+ 0 2 node BS - - - - - -
+ 0 3 node S - - - - - -""".lstrip()

# Three events for two subscribers are six pairs. All but (3, node 3) are matched; of those five, four
# arrive: after 0.5 s, 1.5 s, 2 s and 8 s, over 2, 3, 2 and 1 hops. One copy comes twice.
COUNTED = (
    NODES
    + """
t 0.25 1 radio HEARTBEAT - 20 - - - -
t 0.5 2 tree BMIG 1 - - - - -
t 0.5 2 radio BMIG 1 40 - - - -
t 0.5 1 radio ACK 2 11 - - - -
t 0.75 3 tree MIG 2 - - - - -
+ 0.75 0 attachment SILENT 1 - - - - -
t 0.75 3 radio MIG 2 30 - - - -
+ 0.875 3 attachment AGAIN 2 - - - - -
+ 1 0 app PUBLISH - 100 0 1 - -
+ 1 0 app SEND - - 0 1 2 -
+ 1 0 app SEND - - 0 1 3 -
t 1 0 radio PUB 1 130 - - - -
+ 1.25 1 broker MATCH - - 0 1 2 -
+ 1.25 1 broker MATCH - - 0 1 3 -
t 1.25 1 radio PUB 2 130 - - - -
r 1.5 2 app DELIVER 2 - 0 1 2 2
r 1.5 2 bound REACHABLE - - 0 1 2 -
r 2.5 3 app DELIVER 2 - 0 1 3 3
r 2.5 3 bound REACHABLE - - 0 1 3 -
d 2.75 3 app DUPLICATE 2 - 0 1 3 3
d 2.875 3 app OVERHEARD 2 - 0 1 3 3
+ 3 0 app PUBLISH - 100 0 2 - -
+ 3 0 app SEND - - 0 2 2 -
+ 3 0 app SEND - - 0 2 3 -
+ 3.5 1 broker MATCH - - 0 2 2 -
+ 3.5 1 broker MATCH - - 0 2 3 -
r 5 2 app DELIVER 1 - 0 2 2 2
r 5 2 bound REACHABLE - - 0 2 2 -
r 6 3 bound REACHABLE - - 0 2 3 -
t 10.5 2 radio REP 3 150 - - - -
r 11 3 app DELIVER 2 - 0 2 3 1
t 11 3 radio ACK 2 11 - - - -
+ 12 0 app PUBLISH - 100 0 3 - -
+ 12 0 app SEND - - 0 3 2 -
+ 12 0 app SEND - - 0 3 3 -
+ 12.5 1 broker MATCH - - 0 3 2 -
r 13 2 bound REACHABLE - - 0 3 2 -
d 20 - loss QUEUED - - 0 3 2 -
d 20 - loss UNMATCHED - - 0 3 3 -
- 20 0 energy 1360000 - - - - - -
- 20 1 energy 1350000 - - - - - -
- 20 2 energy 1340000 - - - - - -
- 20 3 energy 1330001 - - - - - -
- 20 1 depth 250 - - - - - -
- 20 2 depth 750 - - - - - -
- 20 - branch 875 - - - - - -
- 20 - run END - - - - - -
"""
)

EXPECTED: dict[str, Any] = {
    "published": 3,
    "sent_pairs": 6,
    "matched_pairs": 5,
    "reachable_pairs": 5,
    "delivered_pairs": 4,
    "delivery_rate": 4 / 5,
    "delivery_rate_strict": 4 / 6,
    "delivered_of_reachable": 4 / 5,
    "reachable": 5 / 6,
    "delay_mean_s": (0.5 + 1.5 + 2 + 8) / 4,
    "delay_median_s": (1.5 + 2) / 2,
    "delay_p95_s": 2 + 0.85 * (8 - 2),  # rank 0.95 * 3 = 2.85
    "delay_p99_s": 2 + 0.97 * (8 - 2),  # rank 0.99 * 3 = 2.97
    "hops_mean": (2 + 3 + 2 + 1) / 4,
    "hops_max": 3,
    "nodes": 4,
    "frames": 8,  # HEARTBEAT, BMIG, MIG, REP, 2 ACK, 2 PUB
    "senders_mean": (20 + 40 + 2 * 11 + 30 + 2 * 130 + 150) * 8 / 250e3 / 20,
    "frames_per_node": 8 / 4,
    "frames_per_node_ack": 2 / 4,
    "frames_per_node_heartbeat": 1 / 4,
    "frames_per_node_pub": 2 / 4,
    "frames_per_node_rep": 1 / 4,
    "frames_per_node_control": 2 / 4,
    "frames_per_broker": (3 + 2) / 2,  # nodes 1 and 2
    "frames_per_subscriber": (2 + 2) / 2,  # nodes 2 and 3
    "frames_per_publisher": 1.0,
    "energy_per_node_j": (1.36 + 1.35 + 1.34 + 1.330001) / 4,
    "energy_per_delivery_j": (1.36 + 1.35 + 1.34 + 1.330001) / 4,
    "energy_per_broker_j": (1.35 + 1.34) / 2,
    "energy_per_subscriber_j": (1.34 + 1.330001) / 2,
    "energy_per_publisher_j": 1.36,
    "load_busiest_broker": 3 / 2.5,
    "load_by_depth": -1.0,  # the deeper of two brokers sends less
    "largest_branch": 0.875,
    "migrations": 2,
    "migrations_broker": 1,
    "migrations_client": 1,
    "attachments": 3,
    "reattachments": 1,
    "duplicates": 1,
    "overheard": 1,
}
BY_KIND = {"ACK": 2, "BMIG": 1, "HEARTBEAT": 1, "MIG": 1, "PUB": 2, "REP": 1}
BY_CAUSE = {"QUEUED": 1, "UNMATCHED": 1}

# Two events, of which one comes to its only subscriber before a broker has matched it, and the other is lost.
OVERTAKEN = (
    NODES
    + """
+ 1 0 app PUBLISH - 100 0 1 - -
+ 1 0 app SEND - - 0 1 3 -
r 2 3 app DELIVER 0 - 0 1 3 1
+ 3 0 app PUBLISH - 100 0 2 - -
+ 3 0 app SEND - - 0 2 3 -
+ 4 1 broker MATCH - - 0 2 3 -
- 20 - run END - - - - - -
"""
)

# One event, delivered at once to its only subscriber.
SHORT = (
    NODES
    + """
+ 1 0 app PUBLISH - 100 0 1 - -
+ 1 0 app SEND - - 0 1 2 -
+ 1 0 broker MATCH - - 0 1 2 -
t 1 0 radio DATA 2 130 - - - -
r 2 2 app DELIVER 0 - 0 1 2 1
- 20 - run END - - - - - -
"""
)
SILENT = NODES + "\n- 20 - run END - - - - - -"
KEYS = {"protocol": "mft-pubsub", "config": "C2", "speed_mps": 2.0, "seed": 1}


def set_aside(folder: Path) -> dict[str, str]:
    """Reasons in the ingest report, by file."""
    report = json.loads((folder / "ingest-report.json").read_text())
    return {problem["file"]: problem["reason"] for problem in report["set_aside"]}


def test_metrics_of_a_trace_are_what_pencil_and_paper_give(write_run: WriteRun) -> None:
    folder = write_run(COUNTED)
    found = metrics_of(folder / "trace.gz", KEYS)
    assert found.pop("frames_by_kind") == BY_KIND
    assert found.pop("lost_by_cause") == BY_CAUSE
    assert found == pytest.approx(KEYS | EXPECTED)


def test_what_no_broker_matched_is_not_in_the_rate_of_what_brokers_matched(write_run: WriteRun) -> None:
    found = metrics_of(write_run(OVERTAKEN) / "trace.gz", KEYS)
    assert (found["delivery_rate"], found["delivery_rate_strict"]) == (0.0, 0.5)


def test_the_whole_chain_gives_what_pencil_and_paper_give(
    spark: SparkSession, write_run: WriteRun, tmp_path: Path
) -> None:
    write_run(COUNTED, seed=1)
    write_run(SHORT, seed=2)
    store(Executors(spark), tmp_path)
    make(Executors(spark), tmp_path)

    runs = pd.read_parquet(tmp_path / "tables" / "runs.parquet").set_index("seed")
    assert runs.loc[1, list(EXPECTED)].to_dict() == pytest.approx(EXPECTED)
    kinds = pd.read_csv(tmp_path / "tables" / "frames_by_kind.csv").query("seed == 1")
    assert dict(zip(kinds["kind"], kinds["frames"], strict=True)) == BY_KIND
    assert kinds.set_index("kind")["bytes"][["ACK", "PUB"]].tolist() == [2 * 11, 2 * 130]
    losses = pd.read_csv(tmp_path / "tables" / "losses.csv")
    assert dict(zip(losses["cause"], losses["pairs"], strict=True)) == BY_CAUSE

    tidy = pd.read_csv(tmp_path / "tables" / "metrics.csv").set_index("metric")
    assert set(tidy.index) == set(EXPECTED)
    rate = tidy.loc["delivery_rate"]  # 0.8 and 1: sd = 0.1 sqrt 2; t(0.975, 1) = 12.7062
    assert (rate["mean"], rate["n"]) == (pytest.approx(0.9), 2)
    assert rate["sd"] == pytest.approx(0.1 * math.sqrt(2))
    assert rate["ci95"] == pytest.approx(12.706205 * 0.1)
    bound = tidy.loc["delivered_of_reachable"]  # the second run has no reachable pair: it does not count
    assert (bound["mean"], bound["n"]) == (pytest.approx(0.8), 1)
    assert math.isnan(bound.to_dict()["ci95"])


def test_what_each_run_took_and_what_made_it_is_a_table(
    spark: SparkSession, write_run: WriteRun, tmp_path: Path
) -> None:
    write_run(SHORT, seed=1, machine="Linux", finished="2026-11-21T08:00:00+00:00")
    write_run(SHORT, seed=2, wall_s=4.5)
    store(Executors(spark), tmp_path)
    make(Executors(spark), tmp_path)
    costs = pd.read_csv(tmp_path / "costs.csv").set_index("seed")
    assert costs["wall_s"].to_dict() == {1: 1.5, 2: 4.5}
    assert set(costs["events"]) == {1000}
    assert costs.loc[1, "versions"] == "mftpubsub 0.1.0, ns3 3.44"
    assert costs.loc[1, "machine"] == "Linux"
    assert (costs["trace_bytes"] > 0).all()


def numbers(run: dict[str, Any], names: Iterable[str]) -> dict[str, float]:
    """Those metrics of a run, NaN where one is undefined, without its keys."""
    return {name: math.nan if pd.isna(run[name]) else run[name] for name in names if name not in KEYS}


def test_spark_and_duckdb_agree(spark: SparkSession, write_run: WriteRun, tmp_path: Path) -> None:
    """The tables, a trace by itself, and Spark's SQL over all records."""
    folders = {seed: write_run(lines, seed=seed) for seed, lines in enumerate((COUNTED, SHORT, SILENT), 1)}
    store(Executors(spark), tmp_path)
    make(Executors(spark), tmp_path)
    trace(spark, tmp_path).createOrReplaceTempView("trace")
    by_spark = {row.seed: row.asDict() for row in spark.sql(query("metrics")).collect()}
    runs = pd.read_parquet(tmp_path / "tables" / "runs.parquet").set_index("seed")
    for seed, folder in folders.items():
        alone = metrics_of(folder / "trace.gz", KEYS | {"seed": seed})
        expected = numbers(alone, alone.keys() - {"frames_by_kind", "lost_by_cause"})
        by_duckdb = {str(name): value for name, value in runs.loc[seed].to_dict().items()}
        for found in (by_duckdb, by_spark[seed]):
            assert numbers(found, found.keys()) == pytest.approx(expected, rel=1e-12, nan_ok=True)
    for name in ("frames_by_kind", "losses"):
        table = pd.read_parquet(tmp_path / "tables" / f"{name}.parquet")
        assert [*table.itertuples(index=False, name=None)] == [*map(tuple, spark.sql(query(name)).collect())]


def test_the_tables_do_not_depend_on_how_spark_splits_the_work(
    spark: SparkSession, write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    delays = random.Random(1)
    lines = [NODES, *(f"+ 1 0 app PUBLISH - 100 0 {event} - -" for event in range(1, 400))]
    times = {event: 1 + delays.random() * 10 ** delays.randint(-3, 2) for event in range(1, 400)}
    for event in sorted(times, key=times.__getitem__):
        lines.append(f"r {times[event]:.9f} 2 app DELIVER 0 - 0 {event} 2 1")
    for seed in (1, 2, 3):
        write_run("\n".join([*lines, "- 200 - run END - - - - - -"]), seed=seed)
    monkeypatch.setattr(pieces, "_LEAST", 1)
    store(Executors(spark), tmp_path)
    assert len([*tmp_path.glob("parquet/*/*/part-*")]) == 3
    found = set()
    for share in (1, 2, 3):
        monkeypatch.setattr(answers, "_RECORDS_OF_A_TASK", 800 * share)
        make(Executors(spark), tmp_path)
        found.add(
            (tmp_path / "tables" / "runs.csv").read_bytes()
            + (tmp_path / "tables" / "metrics.csv").read_bytes()
        )
    assert len(found) == 1


ONE_OF_EACH = """
+ 0 0 node BSP - - - - - -
+ 0.25 0 app PUBLISH - 100 0 1 - -
+ 0.25 0 app SEND - - 0 1 0 -
+ 0.25 0 broker MATCH - - 0 1 0 -
t 0.25 0 radio PUB - 100 - - - -
r 0.5 0 app DELIVER 0 - 0 1 0 1
r 0.5 0 bound REACHABLE - - 0 1 0 -
- 1 - run END - - - - - -"""


def test_a_share_of_one_is_defined(write_run: WriteRun) -> None:
    """One node, one event, one pair, one second: no denominator is taken for nothing."""
    metrics = metrics_of(write_run(ONE_OF_EACH) / "trace.gz", KEYS)
    shares = ("delivery_rate", "delivery_rate_strict", "delivered_of_reachable", "reachable")
    assert [metrics[name] for name in shares] == [1, 1, 1, 1]
    assert [metrics[f"frames_per_node{kind}"] for kind in ("", "_pub", "_ack", "_rep")] == [1, 1, 0, 0]
    assert [metrics[f"frames_per_node_{kind}"] for kind in ("heartbeat", "control")] == [0, 0]
    assert metrics["senders_mean"] == pytest.approx(100 * 8 / 250e3)
    assert metrics["delay_mean_s"] == pytest.approx(0.25)


def test_a_run_without_events_has_undefined_rates(write_run: WriteRun) -> None:
    silent = metrics_of(write_run(SILENT) / "trace.gz", KEYS)
    assert silent["delivered_pairs"] == 0
    assert silent["frames_per_node"] == 0
    assert silent["delivery_rate"] is None
    assert silent["delay_mean_s"] is None


def test_a_trace_reads_as_a_frame_with_the_columns_of_the_schema(write_run: WriteRun) -> None:
    frame = read_trace(write_run(COUNTED) / "trace.gz")
    assert list(frame.columns) == [column.name for column in trace_format.columns()]
    assert len(frame) == len(COUNTED.strip().splitlines())
    assert frame.iloc[-1]["op"] == "-"
    assert pd.isna(frame.iloc[-1]["node"])


def test_bad_files_are_named_and_the_others_are_ingested(
    spark: SparkSession, write_run: WriteRun, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write_run(SHORT, seed=1)
    truncated = write_run(COUNTED, seed=2) / "trace.gz"
    truncated.write_bytes(truncated.read_bytes()[:-20])
    write_run(SHORT, seed=3, header="# another-trace 1 op time")
    write_run(SHORT, seed=4, trace_sha256="0" * 64)
    (write_run(SHORT, seed=5) / "run.json").unlink()
    write_run(SHORT.replace("- 20 - run END - - - - - -", ""), seed=6)
    write_run(SHORT.replace("t 1 0 radio", "t one 0 radio"), seed=7)
    write_run(SHORT, seed=8, schema_version=99)
    (tmp_path / "runs" / "notes.txt").write_text("mine")
    (tmp_path / "runs" / ".partial-1-x").mkdir()
    (tmp_path / "runs" / ".partial-1-x" / "trace.gz").write_bytes(b"")

    store(Executors(spark), tmp_path)

    stored = trace(spark, tmp_path).select("seed").distinct().collect()
    assert [row.seed for row in stored] == [1]
    at = "runs/protocol=mft-pubsub/config=C2/speed=2/seed={}/trace.gz".format
    found = set_aside(tmp_path)
    expected = {
        at(2): "truncated",
        at(3): "first line",
        at(4): "SHA-256",
        at(5): "run.json is missing",
        at(6): "0 END records",
        at(7): "unreadable",
        at(8): "trace format 99",
        "runs/notes.txt": "foreign",
    }
    assert found.keys() == expected.keys()
    for file, words in expected.items():
        assert words in found[file]
    told = capfd.readouterr().err
    assert all(file in told for file in expected)


def test_an_odd_file_costs_only_its_own_run(spark: SparkSession, write_run: WriteRun, tmp_path: Path) -> None:
    write_run(SHORT, seed=1)
    write_run(SHORT, seed=2, speed_mps="2")
    write_run(SHORT, seed=3, trace_bytes=None)
    (write_run(SHORT, seed=4) / "run.json").write_text("[]")
    unreadable = write_run(SHORT, seed=5) / "trace.gz"
    unreadable.unlink()
    unreadable.mkdir()
    write_metadata(unreadable, trace_bytes=unreadable.stat().st_size)
    metadata = write_run(SHORT, seed=6) / "run.json"
    metadata.unlink()
    metadata.mkdir()
    write_run(SHORT, seed=7, versions="0.1.0")

    run_pipeline(tmp_path)

    at = "runs/protocol=mft-pubsub/config=C2/speed=2/seed={}/trace.gz".format
    found = set_aside(tmp_path)
    assert found.keys() == {at(seed) for seed in range(2, 8)}
    assert found[at(2)] == "run.json lacks speed_mps, or has something else there"
    assert found[at(3)] == "run.json lacks trace_bytes, or has something else there"
    assert found[at(4)].startswith("run.json lacks protocol, config, ")
    for seed, file in ((5, unreadable), (6, metadata)):
        name = file.relative_to(tmp_path / "runs")
        assert found[at(seed)] == f"unreadable: [Errno 21] Is a directory: '{name}'"
    assert found[at(7)] == "run.json lacks versions, or has something else there"
    assert list(pd.read_csv(tmp_path / "tables" / "runs.csv")["seed"]) == [1]


def write_metadata(trace: Path, **changes: Any) -> None:
    path = trace.with_name("run.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_runs_under_way_are_not_looked_into(
    write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(SHORT)
    (tmp_path / "runs" / ".partial-1-x").mkdir()
    (tmp_path / "runs" / ".partial-1.log").touch()
    looked: list[str] = []
    scan = os.scandir

    def looking(path: Path) -> Any:
        looked.append(str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", looking)
    survey = integrity.survey(folder_at(tmp_path))
    assert ([*survey.runs], survey.foreign) == (["protocol=mft-pubsub/config=C2/speed=2/seed=1"], [])
    assert looked
    assert not [path for path in looked if ".partial-" in path]


def test_what_a_worker_left_unfinished_that_outlived_its_ingest_is_removed(
    spark: SparkSession, write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(SHORT)
    worked = ingesting._worked

    def work_beside_another(*given: Any) -> Any:
        made = worked(*given)
        (tmp_path / "parquet" / "_0.partial").touch()
        next((tmp_path / "parquet").rglob("part-*")).with_name("part-none.parquet").touch()
        return made

    monkeypatch.setattr(ingesting, "_worked", work_beside_another)
    store(Executors(spark), tmp_path)
    left = [path.name[:5] for path in (tmp_path / "parquet").rglob("*") if path.is_file()]
    assert sorted(left) == ["_mani", "part-"]


def test_records_that_are_none_are_told_with_their_line_and_field(
    spark: SparkSession, write_run: WriteRun, tmp_path: Path
) -> None:
    sent = "+ 1 0 app SEND - - 0 1 2 -"
    damages = {
        sent.removesuffix(" -"): "10 fields instead of 11",
        f"{sent} -": "12 fields instead of 11",
        "# a remark": "3 fields instead of 11",
        sent.replace("+ 1", "+ 1s"): "time_s is no double",
        sent.replace("+ 1", "+ "): "time_s is no double",
        sent.replace("- - 0", "- - zero"): "publisher is no int",
        sent.replace("0 1 2", "0 1.5 2"): "sequence is no int",
        sent.replace("0 1 2", "0 1 3000000000"): "subscriber is out of range",
    }
    for seed, line in enumerate(damages):
        write_run(SHORT.replace(sent, line), seed=seed)
    write_run(SHORT, seed=20)
    write_run(SHORT + END, seed=21)
    write_run("", seed=22)
    write_run(SHORT.replace("PUBLISH", "PUBLISHÉ"), seed=23)
    whole = (write_run(SHORT, seed=24) / "trace.gz").read_bytes()
    cut = whole[:-8]
    metadata = {"trace_bytes": len(cut), "trace_sha256": hashlib.sha256(cut).hexdigest()}
    (write_run(SHORT, seed=24, **metadata) / "trace.gz").write_bytes(cut)

    store(Executors(spark), tmp_path)

    at = "runs/protocol=mft-pubsub/config=C2/speed=2/seed={}/trace.gz".format
    found = set_aside(tmp_path)
    last = len((SHORT + END).strip().splitlines()) + 1  # after the header
    for seed, (line, words) in enumerate(damages.items()):
        assert found.pop(at(seed)) == f"unreadable: line 7, {line!r}: {words}"
    assert found == {
        at(21): f"damaged: line {last}, {END!r}: it comes after the END record",
        at(22): "incomplete: 0 END records instead of one",
        at(23): "unreadable: it holds bytes that are not ASCII",
        at(24): "unreadable: Compressed file ended before the end-of-stream marker was reached",
    }
    assert {row.seed for row in trace(spark, tmp_path).select("seed").collect()} == {20}
    assert trace(spark, tmp_path).count() == len(SHORT.strip().splitlines())


def test_a_second_ingest_adds_what_is_new_replaces_what_changed_and_drops_what_is_gone(
    spark: SparkSession, write_run: WriteRun, tmp_path: Path
) -> None:
    def stored() -> dict[int, int]:
        counts = trace(spark, tmp_path).groupBy("seed").count().collect()
        return {row.seed: row["count"] for row in counts}

    long, short = len(COUNTED.strip().splitlines()), len(SHORT.strip().splitlines())
    write_run(COUNTED, seed=1)
    write_run(COUNTED, seed=2)
    gone = write_run(SHORT, seed=3)
    store(Executors(spark), tmp_path)
    assert stored() == {1: long, 2: long, 3: short}

    write_run(SHORT, seed=2)
    for path in gone.iterdir():
        path.unlink()
    write_run(SHORT, seed=4)
    store(Executors(spark), tmp_path)
    assert stored() == {1: long, 2: short, 4: short}
    assert len(json.loads((tmp_path / "ingest-report.json").read_text())["new"]) == 2


@pytest.mark.parametrize("ahead", [0, 3600], ids=["within a tick", "a clock that is ahead"])
def test_what_may_have_changed_unseen_by_the_clock_is_compared_by_its_content(
    write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ahead: int
) -> None:
    """The file system says the same of two contents: written at once, or by a machine with another clock."""
    run = write_run(SHORT, seed=1)
    for path in run.iterdir():
        times = path.stat().st_mtime + ahead
        os.utime(path, (times, times))
    before = integrity.survey(folder_at(tmp_path))
    run_pipeline_alone(tmp_path)
    monkeypatch.setattr(integrity, "survey", lambda folder: before)
    assert plan(tmp_path).new == []
    write_run(COUNTED, seed=1)
    assert plan(tmp_path).new == ["protocol=mft-pubsub/config=C2/speed=2/seed=1"]


def test_an_interrupted_ingest_is_made_good(spark: SparkSession, write_run: WriteRun, tmp_path: Path) -> None:
    write_run(SHORT, seed=1)
    store(Executors(spark), tmp_path)
    (tmp_path / MANIFEST).unlink()  # as if killed before it was written
    store(Executors(spark), tmp_path)
    assert trace(spark, tmp_path).count() == len(SHORT.strip().splitlines())


def killed_at(call: int, done: Callable[..., Any]) -> Callable[..., Any]:
    """`done`, which ends everything when it is called for the time number `call`."""
    calls = iter(range(call))

    def do(*given: Any) -> Any:
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return done(*given)

    return do


@pytest.mark.parametrize("step", ["keep", "remove", "stats"])
def test_a_driver_that_is_killed_at_any_step_leaves_what_was_there_or_what_is_to_be(
    write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """What the manifest names is there as a whole, whenever one looks."""
    short, long = len(SHORT.strip().splitlines()), len(COUNTED.strip().splitlines())
    for call in range(20):
        shutil.rmtree(tmp_path / "runs", ignore_errors=True)
        shutil.rmtree(tmp_path / "parquet", ignore_errors=True)
        write_run(SHORT, seed=1)
        write_run(SHORT, seed=2)
        store(Processes(1), tmp_path)
        write_run(COUNTED, seed=2)
        write_run(SHORT, seed=3)
        with monkeypatch.context() as patch:
            patch.setattr(LocalFolder, step, killed_at(call, getattr(LocalFolder, step)))
            try:
                store(Processes(1), tmp_path)
                is_through = True
            except KeyboardInterrupt:
                is_through = False
        assert rows_by_seed(tmp_path) in ({1: short, 2: short}, {1: short, 2: long, 3: short})
        store(Processes(1), tmp_path)
        assert rows_by_seed(tmp_path) == {1: short, 2: long, 3: short}
        assert len([*tmp_path.glob("parquet/*/*/*")]) == len(load(folder_at(tmp_path)).parts)
        if is_through:
            return
    pytest.fail("there are more steps than were looked at")


def rows_by_seed(folder: Path) -> dict[int, int]:
    """Of each run that DIR/parquet holds, its records, as its parts have them."""
    held = load(folder_at(folder))
    found = pd.concat([pd.read_parquet(folder / name, partitioning=None) for name in held.parts])
    counts = Counter(map(int, found["seed"]))
    told = Counter[int]()
    for seed, rows in zip(held.column("seed"), held.column("rows"), strict=True):
        told[seed] += rows
    assert counts == told
    return counts


def test_what_a_round_of_work_has_done_is_not_done_again(
    write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(1, 5):
        write_run(SHORT, seed=seed)
    monkeypatch.setattr(pieces, "_LEAST", 1)
    monkeypatch.setattr(ingesting, "_ROUND", 1)
    with monkeypatch.context() as patch:
        patch.setattr(ingesting, "_worked", killed_at(2, ingesting._worked))
        with pytest.raises(KeyboardInterrupt):
            run_pipeline_alone(tmp_path)
    assert len(plan(tmp_path).kept) == 2
    run_pipeline_alone(tmp_path)
    assert len(plan(tmp_path).kept) == 4


@pytest.mark.parametrize("change", ["gone", "made anew"])
def test_an_ingest_that_is_killed_after_a_round_leaves_no_records_of_runs_that_are_gone_or_were_made_anew(
    write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    lines = len(SHORT.strip().splitlines())
    configs = ("C2", "C4", "C8")
    for config in configs:
        gone = [write_run(SHORT, config=config, seed=seed) for seed in (2, 1)][-1]
    store(Processes(1), tmp_path)
    for config in configs:
        if change == "gone":
            shutil.rmtree(Path(str(gone).replace("C8", config)))
        else:
            write_run(COUNTED, config=config, seed=1)
    monkeypatch.setattr(ingesting, "_ROUND", 1)
    with monkeypatch.context() as patch:
        patch.setattr(ingesting, "_worked", killed_at(1, ingesting._worked))
        with suppress(KeyboardInterrupt):
            store(Processes(1), tmp_path)
    assert rows_by_seed(tmp_path) == {2: 3 * lines}
    store(Processes(1), tmp_path)
    of_anew = {} if change == "gone" else {1: 3 * len(COUNTED.strip().splitlines())}
    assert rows_by_seed(tmp_path) == {2: 3 * lines} | of_anew


def dying(marker: Path, work: Callable[[Any], Any], item: Any) -> Any:
    """Does the work, and dies before it can tell, once."""
    answer = work(item)
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return answer


@dataclass
class Mortal:
    """Workers one of which is killed in the round of work number `round_`."""

    workers: Workers
    marker: Path
    round_: int = 1

    @property
    def cores(self) -> int:
        return self.workers.cores

    def map(self, work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        self.round_ -= 1
        return self.workers.map(work if self.round_ else partial(dying, self.marker, work), items)


def test_a_process_that_is_killed_costs_its_round_and_leaves_nothing_half_written(
    write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(1, 5):
        write_run(SHORT, seed=seed)
    monkeypatch.setattr(pieces, "_LEAST", 1)
    monkeypatch.setattr(ingesting, "_ROUND", 1)
    workers = Mortal(Processes(2), tmp_path / "marker", round_=2)
    with pytest.raises(MftPubsubError, match=r"^a process of the ingest was killed, .* command goes on"):
        store(workers, tmp_path)
    lines = len(SHORT.strip().splitlines())
    assert rows_by_seed(tmp_path) == {1: lines, 2: lines}
    assert plan(tmp_path).new == [f"protocol=mft-pubsub/config=C2/speed=2/seed={seed}" for seed in (3, 4)]
    store(Processes(2), tmp_path)
    assert rows_by_seed(tmp_path) == dict.fromkeys(range(1, 5), lines)
    assert len([*tmp_path.glob("parquet/*/*/*")]) == len(load(folder_at(tmp_path)).parts)


def test_a_small_study_is_read_by_this_process_and_a_larger_one_by_others(
    write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for protocol in ("mft-pubsub", "aodv"):
        write_run(SHORT, protocol=protocol)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr("mftpubsub.pipeline.workers.ProcessPoolExecutor", None)
    assert run_pipeline(tmp_path) == []
    shutil.rmtree(tmp_path / "parquet")
    monkeypatch.setattr(pipeline, "_SMALL", 0)
    with pytest.raises(TypeError, match="not callable"):
        run_pipeline(tmp_path)


class Dying(Executors):
    """Executors each of whose tasks does its work, and dies before it can tell."""

    def map(self, work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        def die(item: Any) -> None:
            work(item)
            os.kill(os.getpid(), signal.SIGKILL)

        return super().map(die, items)


def test_a_task_of_spark_that_is_killed_leaves_what_was_there(
    spark: SparkSession, write_run: WriteRun, tmp_path: Path
) -> None:
    lines = len(SHORT.strip().splitlines())
    write_run(SHORT, seed=1)
    store(Executors(spark), tmp_path)
    write_run(COUNTED, seed=1)
    write_run(SHORT, seed=2)
    with pytest.raises(Exception, match="Python worker exited unexpectedly"):
        store(Dying(spark), tmp_path)
    assert rows_by_seed(tmp_path) == {1: lines}
    store(Executors(spark), tmp_path)
    assert rows_by_seed(tmp_path) == {1: len(COUNTED.strip().splitlines()), 2: lines}


def run_pipeline_alone(folder: Path) -> None:
    store(Processes(1), folder)


def test_two_ingests_of_a_folder_are_kept_apart(write_run: WriteRun, tmp_path: Path) -> None:
    write_run(SHORT)
    with (
        locked(tmp_path / marks.LOCK, "ingest"),
        pytest.raises(MftPubsubError, match=f"^another ingest or join is at work in {tmp_path}: wait"),
    ):
        run_pipeline(tmp_path)
    assert not (tmp_path / "parquet").exists()


def test_a_run_that_stays_damaged_does_not_have_the_tables_made_anew(
    spark: SparkSession, write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(SHORT, seed=1)
    write_run(SHORT, seed=2, trace_sha256="0" * 64)
    run_pipeline(tmp_path)
    monkeypatch.setattr(tables, "make", lambda workers, folder: pytest.fail("tables were made"))
    run_pipeline(tmp_path)
    assert len(set_aside(tmp_path)) == 1


def test_without_new_runs_the_pipeline_does_nothing(
    spark: SparkSession, write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(SHORT)
    store(Executors(spark), tmp_path)
    make(Executors(spark), tmp_path)
    monkeypatch.setattr("mftpubsub.pipeline.workers.Processes", lambda: pytest.fail("work was done"))
    run_pipeline(tmp_path)


def test_a_number_that_is_none_costs_only_its_own_run(
    spark: SparkSession, write_run: WriteRun, tmp_path: Path
) -> None:
    lines = {
        2: ("r 2 2 app DELIVER", "r nan 2 app DELIVER"),
        3: ("r 2 2 app DELIVER", "r inf 2 app DELIVER"),
        4: ("- 20 - run END", "- 20 1 energy much - - - - - -\n- 20 - run END"),
        5: ("r 2 2 app DELIVER", "r 21 2 app DELIVER"),
    }
    write_run(SHORT, seed=1)
    for seed, (then, now) in lines.items():
        assert then in SHORT
        write_run(SHORT.replace(then, now), seed=seed)
    assert sorted(name[-1] for name in run_pipeline(tmp_path)) == ["2", "3", "4", "5"]
    found = set_aside(tmp_path)
    assert all(reason.startswith("damaged: line ") for reason in found.values())
    assert list(pd.read_csv(tmp_path / "tables" / "runs.csv")["seed"]) == [1]


def test_what_was_lost_cut_or_changed_by_hand_is_made_anew(
    spark: SparkSession, write_run: WriteRun, tmp_path: Path
) -> None:
    def made() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in [*tmp_path.glob("tables/*"), tmp_path / "costs.csv"]}

    for seed in (1, 2, 3):
        write_run(SHORT, seed=seed)
    run_pipeline(tmp_path)
    first = made()
    (part,) = (tmp_path / "parquet").rglob("part-*.parquet")
    part.write_bytes(part.read_bytes()[:-7])
    assert run_pipeline(tmp_path) == []
    assert json.loads((tmp_path / marks.REPORT).read_text())["runs"] == 3
    assert len(plan(tmp_path).kept) == 3
    assert made() == first
    (tmp_path / "tables" / "runs.csv").unlink()
    (tmp_path / "tables" / "metrics.parquet").write_bytes(b"mine")
    (tmp_path / "costs.csv").write_text((tmp_path / "costs.csv").read_text().replace("1.5", "2.5"))
    assert run_pipeline(tmp_path) == []
    assert made() == first


def test_changed_sql_makes_the_tables_anew(
    spark: SparkSession, write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def published() -> list[int]:
        return list(pd.read_csv(tmp_path / "tables" / "runs.csv")["published"])

    write_run(SHORT)
    run_pipeline(tmp_path)
    assert published() == [1]
    changed = query("metrics").replace("    published,\n", "    2 * published AS published,\n")
    monkeypatch.setattr(tables, "query", lambda name: changed if name == "metrics" else query(name))
    run_pipeline(tmp_path)
    assert published() == [2]


def test_a_changed_schema_has_all_runs_read_anew(
    spark: SparkSession, write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(SHORT)
    store(Executors(spark), tmp_path)
    assert plan(tmp_path).new == []
    monkeypatch.setattr(trace_format, "digest", lambda: "other")
    assert len(plan(tmp_path).new) == 1
    store(Executors(spark), tmp_path)
    assert (plan(tmp_path).new, trace(spark, tmp_path).count()) == ([], len(SHORT.strip().splitlines()))


def test_tables_that_were_interrupted_are_made_anew(
    spark: SparkSession, write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(SHORT)
    run_pipeline(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(tables, "summary", lambda runs: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            make(Executors(spark), tmp_path)
    assert not tables.are_of(tmp_path)
    assert marks.are_half_made(tmp_path)
    run_pipeline(tmp_path)
    assert tables.are_of(tmp_path)
    assert not marks.are_half_made(tmp_path)
    (tmp_path / "tables" / "runs.parquet").unlink()
    assert not tables.are_of(tmp_path)


def test_tables_that_are_interrupted_at_any_step_are_known_for_such(
    write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(SHORT)
    run_pipeline_alone(tmp_path)
    (scratch := tmp_path / "scratch").mkdir()
    rows = tables._of_runs(Processes(1), folder_at(tmp_path), load(folder_at(tmp_path)), scratch)
    monkeypatch.setattr(tables, "_of_runs", lambda *_: rows)
    make(Processes(1), tmp_path)
    for call in range(20):
        with monkeypatch.context() as patch:
            patch.setattr(LocalFolder, "keep", killed_at(call, LocalFolder.keep))
            try:
                make(Processes(1), tmp_path)
                is_through = True
            except KeyboardInterrupt:
                is_through = False
        assert tables.are_of(tmp_path) == is_through
        assert marks.are_half_made(tmp_path) != is_through
        if is_through:
            assert call == 13  # six tables of two files each, and what they are made of
            return
    pytest.fail("there are more steps than were looked at")


def test_a_disk_that_is_full_costs_nothing_that_was_there(
    write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def full(_: LocalFolder) -> Iterator[Path]:
        yield Path("/dev/full")

    lines = len(SHORT.strip().splitlines())
    write_run(SHORT, seed=1)
    run_pipeline_alone(tmp_path)
    write_run(SHORT, seed=2)
    with monkeypatch.context() as patch:
        patch.setattr(LocalFolder, "scratch", full)
        with pytest.raises(DiskFullError, match=r"the disk is full; make room, and the same command"):
            run_pipeline(tmp_path)
    assert rows_by_seed(tmp_path) == {1: lines}
    run_pipeline(tmp_path)
    assert rows_by_seed(tmp_path) == {1: lines, 2: lines}


def test_tables_made_while_the_ledger_changed_are_not_taken_for_its_own(
    spark: SparkSession, write_run: WriteRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(SHORT)
    store(Executors(spark), tmp_path)

    def summary_while_another_ingests(runs: pd.DataFrame) -> pd.DataFrame:
        write_run(COUNTED)
        store(Processes(1), tmp_path)
        return tables_summary(runs)

    tables_summary = tables.summary
    monkeypatch.setattr(tables, "summary", summary_while_another_ingests)
    make(Executors(spark), tmp_path)
    assert not tables.are_of(tmp_path)


def test_published_tables_are_whole_without_parquet_and_that_is_told_without_spark(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    assert not marks.are_half_made(tmp_path)
    code = "import sys, mftpubsub.pipeline.marks; sys.exit('pyspark' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_folder_without_runs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MftPubsubError, match="no folder `runs`"):
        run_pipeline(tmp_path)


def test_the_documented_trace_format_is_the_schema() -> None:
    text = (Path(__file__).parents[2] / "docs" / "trace-format.md").read_text(encoding="utf-8")
    assert text == trace_format.markdown()
