"""What the tests share: one Spark session, and run folders made by hand."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mftpubsub import trace_schema

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WriteRun = Callable[..., Path]

END = "- 20 - run END - - - - - -"


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """One local session for all tests."""
    from mftpubsub.pipeline.session import session

    spark = session("local[2]")
    yield spark
    spark.stop()


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
        text = f"{header or trace_schema.header()}\n{lines.strip()}\n"
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
            "schema_version": trace_schema.version(),
            "trace_bytes": len(content),
            "trace_sha256": hashlib.sha256(content).hexdigest(),
            "wall_s": 1.5,
            "cpu_s": 1.25,
            "events": 1000,
        }
        (folder / "run.json").write_text(json.dumps(metadata | changes))
        return folder

    return write
