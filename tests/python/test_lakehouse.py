"""Results of studies in tables of Delta Lake: each run once, whoever appends it, and however often."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
from test_pipeline import COUNTED, SHORT
from typer.testing import CliRunner

from mftpubsub import pipeline
from mftpubsub.cli.main import app
from mftpubsub.errors import ConfigurationError, InstallationError, MftPubsubError
from mftpubsub.metrics.table import query
from mftpubsub.pipeline import lakehouse, tables
from mftpubsub.pipeline.stored import store
from mftpubsub.pipeline.tables import make
from mftpubsub.pipeline.workers import Processes
from mftpubsub.trace import trace_format

if TYPE_CHECKING:
    from conftest import WriteRun

deltalake = pytest.importorskip("deltalake")


def ingest(folder: Path) -> None:
    store(Processes(1), folder)
    make(Processes(1), folder)


@pytest.fixture
def study(write_run: WriteRun, tmp_path: Path) -> Path:
    """Two runs, ingested."""
    write_run(COUNTED, seed=1)
    write_run(SHORT, seed=2)
    ingest(tmp_path)
    return tmp_path


@pytest.fixture
def lake(tmp_path: Path) -> str:
    return str(tmp_path / "the lake")


def rows(lake: str, table: str = "runs") -> pd.DataFrame:
    found: pd.DataFrame = deltalake.DeltaTable(f"{lake}/{table}").to_pandas()
    return found.sort_values(["seed", "query_sha256"], ignore_index=True)


@pytest.mark.slow
def test_a_run_is_appended_once(study: Path, lake: str, write_run: WriteRun) -> None:
    assert pipeline.append(study, lake) == {"runs": 2, "frames_by_kind": 2, "losses": 1, "delays": 2}
    assert set(pipeline.append(study, lake).values()) == {0}
    write_run(SHORT, seed=3)
    ingest(study)
    assert pipeline.append(study, lake)["runs"] == 1
    assert [*rows(lake)["seed"]] == [1, 2, 3]
    assert [*rows(lake)["published"]] == [3, 1, 1]
    of_first = rows(lake, "frames_by_kind").query("seed == 1")
    assert dict(zip(of_first["kind"], of_first["frames"], strict=True))["PUB"] == 2


def test_a_table_is_not_read_as_a_whole(study: Path, lake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have more rows than memory holds."""
    monkeypatch.delattr(deltalake.DeltaTable, "to_pyarrow_table")
    assert [{*pipeline.append(study, lake).values()} for _ in range(2)] == [{1, 2}, {0}]


@pytest.mark.slow
def test_a_copy_of_a_study_is_the_same_runs_and_a_run_that_changed_is_another(
    study: Path, lake: str, write_run: WriteRun, tmp_path: Path
) -> None:
    pipeline.append(study, lake)
    shutil.copytree(study / "runs", (copied := tmp_path / "copied") / "runs")
    ingest(copied)
    assert set(pipeline.append(copied, lake).values()) == {0}
    write_run(SHORT, seed=1)
    ingest(study)
    assert pipeline.append(study, lake)["runs"] == 1
    assert [*rows(lake)["seed"]] == [1, 1, 2]
    assert rows(lake)["trace_sha256"].nunique() == 2  # of seed 1 now the one of seed 2


def overtaken(by: Callable[[], object], done: Callable[..., Any]) -> Callable[..., Any]:
    """`done`, behind which another one works, once."""
    others = iter([by])

    def do(*given: Any) -> Any:
        found = done(*given)
        next(others, lambda: None)()
        return found

    return do


def test_of_two_that_append_at_once_one_begins_again(
    study: Path, lake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one commits after the first has looked, and before it writes."""
    other = overtaken(lambda: pipeline.append(study, lake), lakehouse._without)
    monkeypatch.setattr(lakehouse, "_without", other)
    assert pipeline.append(study, lake)["runs"] == 0
    assert [*rows(lake)["seed"]] == [1, 2]


@pytest.mark.slow
def test_a_later_trace_may_have_columns_that_older_rows_lack(
    study: Path, lake: str, write_run: WriteRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline.append(study, lake)
    more = query("metrics").replace("    published,\n", "    published,\n    2 * published AS doubled,\n")
    assert more != query("metrics")
    for room in (tables, lakehouse):
        monkeypatch.setattr(room, "query", lambda name: more if name == "metrics" else query(name))
    version = trace_format.version()
    monkeypatch.setattr(trace_format, "version", lambda: version + 1)
    monkeypatch.setattr(trace_format, "digest", lambda: "of the next version")
    shutil.rmtree(study / "runs")
    write_run(SHORT, seed=3)
    ingest(study)
    assert pipeline.append(study, lake)["runs"] == 1
    found = rows(lake)
    assert [*found["trace_version"]] == [version, version, version + 1]
    assert [*found["doubled"].isna()] == [True, True, False]
    assert found["doubled"][2] == 2


def test_a_column_of_another_type_is_told(study: Path, lake: str) -> None:
    other = rows_of(lake, study).assign(published="many")
    deltalake.write_deltalake(f"{lake}/runs", other)
    with pytest.raises(MftPubsubError, match=r"runs/: column published has string there, long here: append"):
        pipeline.append(study, lake)


def rows_of(lake: str, study: Path) -> pd.DataFrame:
    """What would be appended, by way of another place."""
    pipeline.append(study, f"{lake}-elsewhere")
    return rows(f"{lake}-elsewhere")


def test_tables_that_are_not_of_the_runs_are_refused(study: Path, lake: str) -> None:
    (study / "tables" / "runs.csv").unlink()
    with pytest.raises(MftPubsubError, match="tables are not of its runs; `mftpubsub ingest"):
        pipeline.append(study, lake)


def test_a_package_that_is_missing_is_told(study: Path, lake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "deltalake", None)
    with pytest.raises(InstallationError, match=r"need the package deltalake .*'mftpubsub\[lakehouse\]'"):
        pipeline.append(study, lake)


def test_the_command_appends_what_it_has_ingested(study: Path, lake: str) -> None:
    assert CliRunner().invoke(app, ["ingest", str(study), "--delta", lake]).exit_code == 0
    assert len(rows(lake)) == 2


def test_a_place_that_is_none_is_told(study: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MftPubsubError, match="file: no tables of Delta Lake can be written there: "):
        pipeline.append(study, tmp_path / "file")
    of_no_variable = CliRunner().invoke(app, ["ingest", str(study), "--delta", ""])
    assert isinstance(of_no_variable.exception, ConfigurationError)
    assert "delta: '' is no place" in str(of_no_variable.exception)


@pytest.mark.slow
def test_an_older_trace_comes_behind_a_later_one(
    study: Path, lake: str, write_run: WriteRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its columns that the table has and it lacks are NULL, and none of the table's goes."""
    more = query("metrics").replace("    published,\n", "    published,\n    2 * published AS doubled,\n")
    with monkeypatch.context() as later:
        for room in (tables, lakehouse):
            later.setattr(room, "query", lambda name: more if name == "metrics" else query(name))
        later.setattr(trace_format, "version", lambda: 99)
        later.setattr(trace_format, "digest", lambda: "of a later version")
        write_run(SHORT, seed=3, schema_version=99)
        for seed in (1, 2):
            shutil.rmtree(study / f"runs/protocol=mft-pubsub/config=C2/speed=2/seed={seed}")
        ingest(study)
        assert pipeline.append(study, lake)["runs"] == 1
    shutil.rmtree(study / "runs")
    write_run(COUNTED, seed=1)
    ingest(study)
    assert pipeline.append(study, lake)["runs"] == 1
    found = rows(lake)
    assert [*found["trace_version"]] == [trace_format.version(), 99]
    assert [*found["doubled"].isna()] == [True, False]
