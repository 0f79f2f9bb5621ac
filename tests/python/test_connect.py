"""Spark Connect: data sources and an ingest work on its sessions; what needs a master is refused."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from test_ns3_traces import all_of, unpacked
from test_pipeline import COUNTED, SHORT

import mftpubsub
from mftpubsub.errors import ConfigurationError
from mftpubsub.pipeline.session import session

if TYPE_CHECKING:
    from conftest import WriteRun

#: In a process of its own: one that has used Spark Connect has no other sessions.
CODE = """
import sys
from pyspark.sql import SparkSession
from mftpubsub import pipeline

folder, archive, ip, flows = sys.argv[1:]
spark = SparkSession.builder.remote("local[1]").getOrCreate()
spark.addArtifacts(f"{archive}#mftpubsub", archive=True)
print(pipeline.metrics(spark, folder).count())
print(pipeline.ingest(spark, folder).count())
pipeline.register(spark)
source = spark.read.format("mftpubsub")
print(source.load(folder).count())
print(source.option("table", "stored").load(folder).count())
print([row.published for row in source.option("table", "runs").load(folder).sort("seed").collect()])
print({name: table.count() for name, table in pipeline.read_ns3(spark, ip=ip, flows=flows).items()})
print(spark.read.format("ns3").options(table="ns3_ip", ip=ip).load().where("op = 'd'").count())
spark.stop()
"""


@pytest.mark.spark
def test_on_a_session_of_spark_connect_everything_but_a_master_works(
    write_run: WriteRun, bare_python: Path, tmp_path: Path
) -> None:
    """The server's Python has the package only as an artifact of the session."""
    pytest.importorskip("grpc_status")
    for seed, lines in enumerate((COUNTED, SHORT), 1):
        write_run(lines, seed=seed)
    archive = shutil.make_archive(str(tmp_path / "mftpubsub"), "zip", mftpubsub.__path__[-1])
    files = all_of(unpacked("aodv-wifi", tmp_path / "wifi"))
    given = (tmp_path, archive, files.ip, files.flows)
    environment = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": str(bare_python)}
    done = subprocess.run(
        [sys.executable, "-c", CODE, *map(str, given)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    records = sum(len(lines.strip().splitlines()) for lines in (COUNTED, SHORT))
    of_ns3 = [str({"ns3_ip": 2352, "ns3_flows": 43, "ns3_flow_bins": 235}), "20"]
    assert done.stdout.splitlines() == ["2", *[str(records)] * 3, "[3, 1]", *of_ns3], done.stderr[-3000:]


def test_a_master_is_refused_where_spark_connect_is_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    with pytest.raises(
        ConfigurationError, match=r"Spark Connect is in use .*: give its session to mftpubsub"
    ):
        session("local[2]")
