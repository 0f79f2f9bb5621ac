"""What an ingest would read anew, and what is wrong with a run's files, told without Spark."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
from conftest import END

from mftpubsub.folders import LocalFolder, folder_at
from mftpubsub.pipeline import integrity, manifest, marks, tables
from mftpubsub.pipeline.integrity import BadRunError
from mftpubsub.pipeline.parts import whole_run
from mftpubsub.pipeline.stored import plan, restate, store
from mftpubsub.pipeline.workers import Processes
from mftpubsub.trace import trace_format

if TYPE_CHECKING:
    from conftest import WriteRun

NAME = "protocol=mft-pubsub/config=C2/speed=2/seed={}".format


@pytest.fixture
def folder(write_run: WriteRun, tmp_path: Path) -> Path:
    """Three runs, of which an ingest holds all, in one part, some time after they were written."""
    for seed in (1, 2, 3):
        write_run(END, seed=seed)
    store(Processes(1), tmp_path)
    settle(tmp_path)
    return tmp_path


def settle(folder: Path) -> None:
    """Has the manifest be written long after what it names, as far as the file system says."""
    later = time.time_ns() + 3600 * 10**9
    os.utime(folder / manifest.MANIFEST, ns=(later, later))


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
    (part,) = folder.glob("parquet/*/*/part-*.parquet")
    content, times = part.read_bytes(), part.stat()
    assert numbers(plan(folder).kept) == [1, 2, 3]
    for damaged in (content[:-1], content[:20] + b"x" + content[21:]):
        part.write_bytes(damaged)
        os.utime(part, ns=(times.st_atime_ns, times.st_mtime_ns))
        todo = plan(folder)
        assert (numbers(todo.new), numbers(todo.gone), todo.kept) == ([1, 2, 3], [1, 2, 3], [])
    part.write_bytes(content)
    assert numbers(plan(folder).kept) == [1, 2, 3]
    part.unlink()
    assert numbers(plan(folder).new) == [1, 2, 3]


def test_a_part_with_records_of_a_run_that_is_gone_is_read_anew_and_tables_of_it_are_made_anew(
    folder: Path,
) -> None:
    """An older version, killed at the wrong time, left such a part."""
    shutil.rmtree(folder / "runs" / NAME(1))
    held = manifest.load(folder_at(folder))
    manifest.save(folder_at(folder), [held.runs.slice(1)], held.parts)
    settle(folder)
    tables.make(Processes(1), folder)
    assert len(pd.read_csv(folder / "tables" / "runs.csv")) == 3
    assert numbers(plan(folder).new) == [2, 3]
    store(Processes(1), folder)
    settle(folder)
    assert numbers(plan(folder).kept) == [2, 3]
    assert not tables.are_of(folder)


@pytest.mark.parametrize(
    ("odd", "told"),
    [
        ({"axes": None}, "lacks axes"),
        ({"axes": [1]}, "lacks axes"),
        ({"axes": {"speed_mps": 5}}, "no table has a column speed_mps with that value"),
        ({"axes": {"publisher.rate": 2**70}}, "no table has a column publisher.rate with that value"),
        ({"unknown": "frames"}, "lacks unknown"),
        ({"unknown": ["frames", "nonsense"]}, "nonsense is no metric of runs"),
        ({"seed": 2**63}, "lacks seed"),
        ({"events": 2**70}, "lacks events"),
        ({"wall_s": 10**400}, "lacks wall_s"),
        ({"machine": "\ud83d"}, "is no JSON: .* surrogates not allowed"),
    ],
)
def test_a_run_json_that_no_table_can_hold_costs_only_its_own_run(
    folder: Path, write_run: WriteRun, odd: dict[str, Any], told: str
) -> None:
    write_run(END, **{"seed": 4} | odd)
    (problem,) = store(Processes(1), folder)
    assert re.search(told, problem.reason)


def test_runs_of_other_code_and_other_settings_are_told(folder: Path, write_run: WriteRun) -> None:
    def ingested(**run: Any) -> list[str]:
        write_run(END, **run)
        store(Processes(1), folder)
        return manifest.mixed(manifest.load(folder_at(folder)))

    file = {"sha256": "a", "path": "here"}
    scenario = {"duration": 20.0, "seed": 4}
    assert ingested(seed=4, scenario=scenario) == []
    assert ingested(config="C4", scenario=scenario | {"faults": [file]}) == []
    assert (
        ingested(config="C4", scenario={"faults": [file | {"path": "there"}], "duration": 20.0}, seed=2) == []
    )
    assert ingested(config="C8", scenario={"duration": 30.0}) == []
    assert ingested(config="C16", source="ns-3", code="other") == []
    (told,) = ingested(config="C8", scenario={"duration": 40.0}, seed=2)
    assert told == "runs in protocol=mft-pubsub/config=C8/speed=2 have 2 settings, besides their seeds"
    assert ingested(code="other", config="C2", seed=5) == ["runs of mft-pubsub are of 2 codes", told]


def test_a_folder_whose_name_is_none_of_unicode_s_costs_only_its_own_run(
    folder: Path, write_run: WriteRun
) -> None:
    shutil.move(write_run(END, seed=9), folder / "runs" / "protocol=\udcff/config=C2/speed=2/seed=9")
    (problem,) = store(Processes(1), folder)
    assert problem.reason == "its name has characters that a Parquet partition cannot have"
    settle(folder)
    assert numbers(plan(folder).kept) == [1, 2, 3]


def test_a_plan_holds_little_of_each_run(tmp_path: Path) -> None:
    """A driver's memory hardly grows with the runs."""
    runs = 2000
    for seed in range(runs):
        (run := tmp_path / "runs" / NAME(seed)).mkdir(parents=True)
        for file in ("trace.gz", "run.json"):
            (run / file).touch()
    plan(tmp_path)
    tracemalloc.start()
    todo = plan(tmp_path)
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(todo.new) == runs
    assert held / runs < 300  # B: its name, and what the file system says of two files
    assert peak / runs < 600


def test_a_copied_study_is_not_read_again(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for part in ("runs", "parquet"):
        shutil.copytree(folder / part, copy / part, copy_function=shutil.copyfile)
    todo = plan(copy)
    assert (numbers(todo.kept), todo.new, todo.gone, todo.is_moved) == ([1, 2, 3], [], [], True)
    restate(folder_at(copy), todo)
    settle(copy)
    assert not plan(copy).is_moved


def test_runs_that_were_copied_beside_records_that_were_not_are_read_but_once(
    folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder / "runs", tmp_path / "copied", copy_function=shutil.copyfile)
    shutil.rmtree(folder / "runs")
    (tmp_path / "copied").rename(folder / "runs")
    todo = plan(folder)
    assert (numbers(todo.kept), todo.new, todo.gone, todo.is_moved) == ([1, 2, 3], [], [], True)
    restate(folder_at(folder), todo)
    settle(folder)
    assert not plan(folder).is_moved


def test_of_files_that_the_file_system_says_are_the_same_nothing_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(integrity, "stamp", lambda *_: pytest.fail("read"))
    monkeypatch.setattr(LocalFolder, "digest", lambda *_: pytest.fail("read"))
    assert numbers(plan(folder).kept) == [1, 2, 3]


def test_a_changed_trace_is_noticed_whatever_its_size_and_times(folder: Path) -> None:
    trace = folder / "runs" / NAME(2) / "trace.gz"
    times, content = trace.stat(), trace.read_bytes()
    trace.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    os.utime(trace, ns=(times.st_atime_ns, times.st_mtime_ns))
    todo = plan(folder)
    assert (numbers(todo.new), numbers(todo.kept)) == ([2], [1, 3])


@pytest.mark.parametrize("ahead", [-3600, -1, 0, 1])
def test_a_file_that_changed_when_the_manifest_was_written_is_looked_into(
    folder: Path, monkeypatch: pytest.MonkeyPatch, ahead: int
) -> None:
    """Clocks that are wrong, or stand still while a file changes twice, hide no change."""
    time_of_trace = (folder / "runs" / NAME(1) / "trace.gz").stat().st_mtime_ns + ahead * 10**9
    os.utime(folder / manifest.MANIFEST, ns=(time_of_trace, time_of_trace))
    looked: list[str] = []
    real = integrity.stamp

    def looking(at: Any, name: str) -> Any:
        looked.append(name)
        return real(at, name)

    monkeypatch.setattr(integrity, "stamp", looking)
    assert numbers(plan(folder).kept) == [1, 2, 3]
    assert len(looked) == 3


@pytest.mark.parametrize("content", [b"", b"{", b"PAR1"])
def test_a_manifest_that_is_none_holds_nothing(folder: Path, content: bytes) -> None:
    (folder / manifest.MANIFEST).write_bytes(content)
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
    survey = integrity.survey(folder_at(folder))
    assert numbers([*survey.runs]) == [1, 2, 3, 4, 5]
    assert {problem.file for problem in survey.foreign} == {
        "runs/protocol=aodv",
        "runs/protocol=mft-pubsub/config=C2/speed=2/loop",
        "runs/protocol=mft-pubsub/config=C4/protocol=aodv",
        "runs/protocol=mft-pubsub/config=C4/protocol=mft-pubsub",
    }
    assert fault(folder, NAME(3)) == ""
    for seed, said in ((4, "run.json is of another run"), (5, "run.json is missing")):
        assert said in fault(folder, NAME(seed))


def fault(folder: Path, name: str) -> str:
    """What is wrong with a run, if anything."""
    try:
        whole_run(folder_at(folder), name)
    except BadRunError as error:
        return str(error)
    return ""


def test_what_was_read_by_another_schema_is_read_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_format, "digest", lambda: "another")
    assert numbers(plan(folder).new) == [1, 2, 3]


@pytest.mark.parametrize("file", ["trace.gz", "run.json"])
def test_a_stamp_is_of_the_content_of_both_files(folder: Path, file: str) -> None:
    path, at = folder / "runs" / NAME(1) / file, folder_at(folder)
    before = integrity.stamp(at, NAME(1))
    path.touch()
    assert integrity.stamp(at, NAME(1)) == before
    path.write_bytes(path.read_bytes()[::-1])
    turned = integrity.stamp(at, NAME(1))
    path.unlink()
    assert len({*map(tuple, (before, turned, integrity.stamp(at, NAME(1))))}) == 3


def test_only_a_folder_with_the_parts_of_a_name_is_one_of_a_run(folder: Path) -> None:
    for other in ("protocol=p/config=c/seed=1/speed=2", "protocol=p/config=c/speed=2", NAME(1) + "/more=1"):
        (folder / "runs" / other).mkdir(parents=True)
        (folder / "runs" / other / "trace.gz").touch()
    survey = integrity.survey(folder_at(folder))
    assert numbers([*survey.runs]) == [1, 2, 3]
    assert len(survey.foreign) == 3


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
    found = fault(tmp_path, NAME(1))
    assert bool(found) == bool(said)
    assert (said or "") in found


def test_a_run_whose_speed_is_minus_zero_is_no_other_than_that_of_zero(
    write_run: WriteRun, tmp_path: Path
) -> None:
    folder = write_run(END, speed=0)
    told = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(told | {"speed_mps": -0.0}))
    folder.parent.rename(folder.parents[1] / "speed=-0")
    assert "run.json is of another run, " in fault(tmp_path, NAME(1).replace("speed=2", "speed=-0"))


def test_tables_are_of_runs_and_sql_only_if_all_are_there(
    folder: Path, write_run: WriteRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "tables").mkdir()
    names = [folder / "tables" / name for name in ("runs", "frames_by_kind", "losses", "delays", "metrics")]
    both = (".csv", ".parquet")
    made = [path.with_suffix(suffix) for path in (*names, folder / "costs") for suffix in both]
    for path in made:
        path.write_text(path.name)

    def note() -> None:
        at = folder_at(folder)
        told = tables._sources(manifest.load(at)) | tables._made(at)
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
    write_run(END, seed=4)
    store(Processes(1), folder)
    assert not tables.are_of(folder)
    note()
    assert tables.are_of(folder)
    (folder / "parquet" / marks.SOURCES).write_text("{")
    assert not tables.are_of(folder)


def test_tables_that_were_published_without_records_are_whole(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    assert not marks.are_half_made(tmp_path)


def test_who_reads_a_file_that_is_replaced_has_what_was_there(tmp_path: Path) -> None:
    """The name leads to another file, at once: nobody sees one that is half written."""
    folder = folder_at(tmp_path)
    folder.write("a/file", b"before")
    (tmp_path / "new").write_bytes(b"uploaded")
    with folder.opened("a/file") as first:
        folder.write("a/file", b"after that")
        with folder.opened("a/file") as second:
            folder.upload(tmp_path / "new", "a/file")
            assert (first.read(), second.read()) == (b"before", b"after that")
    assert folder.read("a/file") == b"uploaded"
    assert {*folder.stats("")} == {"a/file", "new"}
