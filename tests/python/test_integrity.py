"""What an ingest would read anew, and what is wrong with a run's files, told without Spark."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import END

from mftpubsub import files
from mftpubsub.pipeline import integrity, marks, records, tables
from mftpubsub.pipeline.stored import LEDGER, plan
from mftpubsub.trace import trace_format

if TYPE_CHECKING:
    from conftest import WriteRun

NAME = "protocol=mft-pubsub/config=C2/speed=2/seed={}".format


@pytest.fixture
def folder(write_run: WriteRun, tmp_path: Path) -> Path:
    """Three runs, of which an ingest says that it holds all."""
    stamps = {}
    for name, seed in ((NAME(seed), seed) for seed in (1, 2, 3)):
        write_run(END, seed=seed)
        assert records.take(tmp_path / "runs", tmp_path / "parquet", name) is None
        held = files.stamp(tmp_path / "parquet" / name / records.RECORDS)
        stamps[name] = integrity.stamp(tmp_path / "runs", name) + held
    write_ledger(tmp_path, runs=stamps, schema=trace_format.digest())
    return tmp_path


def write_ledger(folder: Path, **content: object) -> None:
    (folder / "parquet").mkdir(exist_ok=True)
    (folder / "parquet" / LEDGER).write_text(json.dumps(content))


def numbers(names: list[str]) -> list[int]:
    return [int(name.rpartition("=")[2]) for name in names]


def test_what_changed_is_read_anew_and_what_went_is_removed(folder: Path, write_run: WriteRun) -> None:
    for path in (folder / "runs" / NAME(1)).iterdir():
        path.unlink()
    write_run(END, seed=2, wall_s=9.25)  # of the same trace
    write_run(END, seed=4)
    todo = plan(folder)
    assert numbers(todo.new) == [2, 4]
    assert numbers(todo.gone) == [1, 2]
    assert numbers(todo.kept) == [3]


def test_records_that_are_lost_or_cut_are_read_anew(folder: Path) -> None:
    def stored(seed: int) -> Path:
        return folder / "parquet" / NAME(seed) / records.RECORDS

    assert numbers(plan(folder).kept) == [1, 2, 3]
    stored(1).unlink()
    times = stored(2).stat()
    stored(2).write_bytes(stored(2).read_bytes()[:-1])
    os.utime(stored(2), ns=(times.st_atime_ns, times.st_mtime_ns))
    todo = plan(folder)
    assert (numbers(todo.new), numbers(todo.gone), numbers(todo.kept)) == ([1, 2], [1, 2], [3])
    stored(3).touch()
    assert numbers(plan(folder).new) == [1, 2, 3]


@pytest.mark.parametrize("content", ["", "{", "[]", '"x"', "{}"])
def test_a_ledger_that_is_none_holds_nothing(folder: Path, content: str) -> None:
    (folder / "parquet" / LEDGER).write_text(content)
    assert numbers(plan(folder).new) == [1, 2, 3]


def test_runs_that_are_links_are_runs(folder: Path, tmp_path: Path) -> None:
    runs, elsewhere = folder / "runs", tmp_path / "elsewhere"
    (runs / "protocol=mft-pubsub").rename(elsewhere)
    (runs / "protocol=mft-pubsub").symlink_to(elsewhere)
    (elsewhere / "config=C2/speed=2/seed=4").symlink_to(elsewhere / "config=C2/speed=2/seed=3")
    (elsewhere / "config=C2/speed=2/seed=5").symlink_to(tmp_path / "nothing")
    (elsewhere / "config=C2/speed=2/loop").symlink_to(runs)
    (elsewhere / "config=C4").symlink_to(runs)
    (runs / "protocol=aodv").symlink_to(tmp_path / "nothing")
    found, foreign = integrity.survey(runs)
    assert numbers(found) == [1, 2, 3, 4, 5]
    assert {problem.file for problem in foreign} == {
        "runs/protocol=aodv",
        "runs/protocol=mft-pubsub/config=C2/speed=2/loop",
        "runs/protocol=mft-pubsub/config=C4/protocol=aodv",
        "runs/protocol=mft-pubsub/config=C4/protocol=mft-pubsub",
    }
    assert integrity.examine(runs, NAME(3)) is None
    for seed, said in ((4, "run.json is of another run"), (5, "run.json is missing")):
        problem = integrity.examine(runs, NAME(seed))
        assert problem
        assert said in problem.reason


def test_what_was_read_by_another_schema_is_read_anew(folder: Path) -> None:
    told = json.loads((folder / "parquet" / LEDGER).read_text())
    write_ledger(folder, **told | {"schema": "another"})
    assert numbers(plan(folder).new) == [1, 2, 3]


@pytest.mark.parametrize("file", ["trace.gz", "run.json"])
def test_a_stamp_has_size_and_time_of_both_files(folder: Path, file: str) -> None:
    path = folder / "runs" / NAME(1) / file
    before, times = integrity.stamp(folder / "runs", NAME(1)), path.stat()
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns + 1))
    later = integrity.stamp(folder / "runs", NAME(1))
    path.write_bytes(path.read_bytes() + b" ")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    longer = integrity.stamp(folder / "runs", NAME(1))
    path.unlink()
    without = integrity.stamp(folder / "runs", NAME(1))
    assert len({tuple(stamp) for stamp in (before, later, longer, without)}) == 4


def test_only_a_folder_with_the_parts_of_a_name_is_one_of_a_run(folder: Path) -> None:
    for other in ("protocol=p/config=c/seed=1/speed=2", "protocol=p/config=c/speed=2", NAME(1) + "/more=1"):
        (folder / "runs" / other).mkdir(parents=True)
        (folder / "runs" / other / "trace.gz").touch()
    found, foreign = integrity.survey(folder / "runs")
    assert numbers(found) == [1, 2, 3]
    assert len(foreign) == 3


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({}, None),
        ({"trace_bytes": 1}, "wrong size"),
        ({"trace_bytes": 10**6}, "truncated"),
        ({"trace_sha256": "0" * 64}, "content differs from what was written"),
        ({"schema_version": trace_format.version() + 1}, "this version reads"),
        ({"schema_version": trace_format.version() - 1}, "this version reads"),
        ({"seed": 7}, "run.json is of another run"),
        ({"versions": None}, "lacks versions"),
    ],
)
def test_a_run_s_files_are_as_its_run_json_says(
    write_run: WriteRun, tmp_path: Path, metadata: dict[str, object], said: str | None
) -> None:
    path = write_run(END) / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | metadata))
    problem = integrity.examine(tmp_path / "runs", NAME(1))
    assert (problem is None) == (said is None)
    assert said is None or (problem and said in problem.reason)


def test_tables_are_of_runs_and_sql_only_if_all_are_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "tables").mkdir()
    names = [folder / "tables" / name for name in ("runs", "frames_by_kind", "losses", "metrics")]
    both = (".csv", ".parquet")
    made = [path.with_suffix(suffix) for path in (*names, folder / "costs") for suffix in both]
    for path in made:
        path.write_text(path.name)

    def note() -> None:
        told = tables._sources(folder) | tables._made(folder)
        (folder / "parquet" / marks.SOURCES).write_text(json.dumps(told))

    assert marks.are_half_made(folder)
    note()
    assert tables.are_of(folder)
    for path in made:
        path.write_text(path.name[::-1])  # by hand, of the same size
        assert not tables.are_of(folder)
        path.unlink()
        assert not tables.are_of(folder)
        path.write_text(path.name)
        assert tables.are_of(folder)
    assert not marks.are_half_made(folder)
    with monkeypatch.context() as patch:
        patch.setattr(tables, "query", lambda name: "SELECT 1")
        assert not tables.are_of(folder)
    write_ledger(folder, runs={}, schema="")
    assert not tables.are_of(folder)
    note()
    assert tables.are_of(folder)
    (folder / "parquet" / marks.SOURCES).write_text("{")
    assert not tables.are_of(folder)


def test_tables_that_were_published_without_records_are_whole(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    assert not marks.are_half_made(tmp_path)
