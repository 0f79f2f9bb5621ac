"""Runs of one study in the tables of another: which settings they have, and what is kept of them."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

import pandas as pd
import pytest

from mftpubsub import pipeline
from mftpubsub.errors import DiskFullError, MftPubsubError
from mftpubsub.files import locked, write_table
from mftpubsub.pipeline.marks import BEFORE, LOCK
from mftpubsub.scenario.study import Study
from mftpubsub.studies import joins, published, replacing
from mftpubsub.studies.results import StudyResults
from mftpubsub.sweeps.sweep import keep_study, run_study
from mftpubsub.trace.layout import PARTIAL, keys_of, run_keys

STUDY = """
protocols: [mft-mesh, flooding]
speeds: [2, 8]
seeds: 2
duration: 12
configurations:
  C2: &network
    area: [35, 35]
    nodes: [{count: 2, roles: [publisher]}, {count: 2, roles: [broker, subscriber]}]
  C4: *network
axes:
  publisher.rate: [1.0000001, 1.0000002]
"""
FIRST, SECOND = "1.0000001", "1.0000002"


@pytest.fixture(autouse=True)
def _known_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joins, "_refuse_unknown", lambda results, protocols: None)


def made(folder: Path, frames: int, old: str = "", new: str = "", name: str = "small") -> StudyResults:
    """Tables without any run, of which each has so many frames, and the study that would give them."""
    folder.mkdir(parents=True)
    config = folder / f"{name}.yaml"
    config.write_text(STUDY.replace(old, new), encoding="utf-8")
    study = Study.from_yaml(config)
    keep_study(study, config, folder)
    rows = []
    for case in study.cases():
        *names, seed = run_keys(case).items()
        rows.append(dict([*names, *case.axes.items(), seed]) | {"frames": frames})
    (folder / "tables").mkdir()
    write_table(pd.DataFrame(rows), folder / "tables" / "runs")
    write_table(pd.DataFrame(rows), folder / "costs")
    return StudyResults(folder)


def of(results: StudyResults, frames: int) -> set[published.Key]:
    """The runs that have so many frames."""
    runs = StudyResults(results.folder).need("runs")
    return {*published.key_of_each(runs[runs["frames"] == frames])}


def files(folder: Path) -> dict[str, bytes]:
    """All that is there, but for the lock."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.name != LOCK)
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def durations(results: StudyResults, runs: set[published.Key]) -> set[float]:
    """What the kept studies say of these runs."""
    known = published.cases(StudyResults(results.folder))
    return {known[key].duration for key in runs}


def test_runs_of_other_settings_do_not_come_into_a_case(tmp_path: Path) -> None:
    results, other = made(tmp_path / "a", 1), made(tmp_path / "b", 2, "duration: 12", "duration: 14")
    with pytest.raises(MftPubsubError, match=r"b: mft-mesh C2 .* seed 2 .* \(duration was 12.0, is 14.0\)"):
        joins.join(results, other, {"protocol": ("mft-mesh",), "seed": ("2",)})
    assert not of(results, 2)


def test_runs_of_more_seeds_and_the_same_settings_come_into_a_case(tmp_path: Path) -> None:
    results, other = made(tmp_path / "a", 1), made(tmp_path / "b", 2, "seeds: 2", "seeds: [2, 3]")
    joins.join(results, other)
    assert {key[-1] for key in of(results, 1)} == {"1"}
    assert {key[-1] for key in of(results, 2)} == {"2", "3"}


@pytest.mark.parametrize(
    "only",
    [
        {"protocol": ("flooding",)},
        {"config": ("C4",)},
        {"speed_mps": ("8",)},
        {"publisher.rate": (FIRST,)},
        {"protocol": ("flooding",), "config": ("C2",), "publisher.rate": (SECOND,)},
    ],
    ids=lambda only: ",".join(only),
)
def test_of_a_study_only_what_was_taken_is_kept(tmp_path: Path, only: dict[str, tuple[str, ...]]) -> None:
    """The newer file comes first by name, and its cases count nevertheless."""
    results = made(tmp_path / "a", 1)
    other = made(tmp_path / "b", 2, "duration: 12", "duration: 14", name="other")
    joins.join(results, other, only)
    taken = of(results, 2)
    assert len(taken) == 32 // 2 ** len(only)
    assert durations(results, taken) == {14}
    assert durations(results, of(results, 1)) == {12}


def test_kept_studies_of_folders_of_one_name_stand_beside_each_other(tmp_path: Path) -> None:
    results = made(tmp_path / "a", 1, "seeds: 2", "seeds: 1")
    for place, seed in (("here", 4), ("there", 5)):
        joins.join(results, made(tmp_path / place / "b", seed, "seeds: 2", f"seeds: [{seed}]"))
        results = StudyResults(results.folder)
    kept = sorted((results.folder / "studies").glob("*.yaml"))
    assert [path.name for path in kept] == ["small-of-b.1.yaml", "small-of-b.yaml", "small.yaml"]
    assert {*published.cases(results)} == of(results, 1) | of(results, 4) | of(results, 5)


def test_a_kept_study_of_which_no_run_stays_is_replaced(tmp_path: Path) -> None:
    results = made(tmp_path / "a", 1)
    joins.join(results, made(tmp_path / "here" / "b", 2), {"seed": ("1",)})
    joins.join(StudyResults(results.folder), made(tmp_path / "there" / "b", 3))
    assert {path.name for path in (results.folder / "studies").iterdir()} == {"small.yaml", "small-of-b.yaml"}


def test_a_folder_is_not_joined_to_itself(tmp_path: Path) -> None:
    results = made(tmp_path / "a", 1)
    (tmp_path / "link").symlink_to(tmp_path / "a")
    before = files(results.folder)
    with pytest.raises(MftPubsubError, match=r"a and .*link are one folder: NEW is another one"):
        joins.join(results, StudyResults(tmp_path / "link"))
    assert files(results.folder) == before


def test_a_join_that_finds_no_room_leaves_all_as_it_was_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(source: str, target: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", source, None, target)

    results, other = made(tmp_path / "a", 1), made(tmp_path / "b", 2)
    before = files(results.folder)
    monkeypatch.setattr(shutil, "copy2", no_room)
    with pytest.raises(DiskFullError, match=rf"^{results.folder}/\.partial-.*: the disk is full; make room"):
        joins.join(results, other)
    assert files(results.folder) == before


def test_what_verify_found_of_other_axes_is_refused_before_runs_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = made(tmp_path / "a", 1)
    (results.folder / replacing.VERIFIED).write_text(
        "protocol,config,speed_mps,seed,code,git_commit,differs\n"
    )
    monkeypatch.setattr(published, "sweep", lambda _: pytest.fail("runs are made"))
    with pytest.raises(MftPubsubError, match=r"verified.csv has no column publisher.rate: delete it"):
        published.verify(results, 1, 1)


def test_what_verify_found_in_a_damaged_file_is_told_with_the_remedy(tmp_path: Path) -> None:
    results = made(tmp_path / "a", 1)
    (results.folder / replacing.VERIFIED).touch()
    with pytest.raises(MftPubsubError, match=r"verified.csv is no table in CSV .*: delete it, and"):
        published.verified(results)


def test_a_folder_without_costs_is_told_where_they_lack(tmp_path: Path) -> None:
    results, other = made(tmp_path / "a", 1), made(tmp_path / "b", 2)
    (results.folder / "costs.parquet").unlink()
    with pytest.raises(MftPubsubError, match=rf"^{results.folder}/costs.parquet is missing"):
        joins.join(results, other)


def test_runs_of_no_kept_study_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results, other = made(tmp_path / "a", 1), made(tmp_path / "b", 2, "seeds: 2", "seeds: [3]")
    (other.folder / "studies" / "small.yaml").unlink()
    joins.join(results, other)
    assert f"16 of 16 runs are of no study in {other.name}/studies" in capsys.readouterr().err
    results = StudyResults(results.folder)
    published._drawn(results, 1, 1, {})
    assert f"16 of 48 runs are of no study in {results.name}/studies" in capsys.readouterr().err


def end_at(rename: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the `rename`-th of them, counted from 0, and no other, be the moment of Ctrl-C."""
    renamed, left = Path.rename, iter(range(100))

    def stop(path: Path, target: Path) -> Path:
        if next(left) == rename:
            raise KeyboardInterrupt
        return renamed(path, target)

    monkeypatch.setattr(Path, "rename", stop)


def test_a_join_that_is_interrupted_at_any_rename_leaves_all_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results, other = made(tmp_path / "a", 1), made(tmp_path / "b", 2)
    before = files(results.folder)
    for rename in range(9):
        with monkeypatch.context() as interrupted:
            end_at(rename, interrupted)
            with pytest.raises(KeyboardInterrupt):
                joins.join(results, other)
        assert files(results.folder) == before
    joins.join(results, other)
    assert not of(results, 1)


@pytest.mark.parametrize("rename", [2, 5, 8])
def test_what_a_killed_join_has_left_is_put_back_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rename: int
) -> None:
    results, other = made(tmp_path / "a", 1), made(tmp_path / "b", 2)
    before = files(results.folder)
    with monkeypatch.context() as killed:
        end_at(rename, killed)
        killed.setattr(replacing, "_put_back", lambda folder: None)
        with pytest.raises(KeyboardInterrupt):
            joins.join(results, other)
    write_table(pd.DataFrame({"seed": [1]}), results.folder / f"{PARTIAL}x" / "made" / "tables" / "runs")
    assert files(results.folder) != before
    with pytest.raises(MftPubsubError, match="no protocol 'other'"):
        joins.join(results, other, {"protocol": ("other",)})
    assert files(results.folder) == before


def test_nobody_reads_or_adds_to_what_a_killed_join_has_left(tmp_path: Path) -> None:
    results = made(tmp_path / "a", 1)
    study = Study.from_yaml(results.folder / "small.yaml")
    for folder in ("runs", BEFORE):
        (results.folder / folder).mkdir()
    before = files(results.folder)
    refused = pytest.raises(MftPubsubError, match=r"a: a join did not end.* repeat that `mftpubsub join`")
    with refused:
        results.need("runs")
    with refused:
        pipeline.run(results.folder)
    with refused:
        run_study(study, results.folder)
    assert files(results.folder) == before


def test_who_changes_tables_is_refused_while_another_is_at_work(tmp_path: Path) -> None:
    results, other = made(tmp_path / "a", 1), made(tmp_path / "b", 2)
    before = files(results.folder)
    refused = pytest.raises(MftPubsubError, match=r"another ingest or join is at work in .*a: wait for it")
    with locked(results.folder / LOCK, "ingest"):
        with refused:
            joins.join(results, other)
        with refused:
            published._keep(results, [], ["seed"])
    assert files(results.folder) == before


def test_a_join_keeps_what_another_has_joined_since_its_tables_were_read(tmp_path: Path) -> None:
    results = made(tmp_path / "a", 1)
    results.need("runs")
    for number, seed in ((2, "1"), (3, "2")):
        joins.join(results, made(tmp_path / str(number), number), {"seed": (seed,)})
    assert {key[-1] for key in of(results, 2)} == {"1"}
    assert {key[-1] for key in of(results, 3)} == {"2"}


def test_a_join_into_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MftPubsubError, match="missing is no folder: give one of a study that has tables"):
        joins.join(StudyResults(tmp_path / "missing"), made(tmp_path / "b", 2))


def test_a_run_stands_once_in_verified_where_names_look_like_numbers(tmp_path: Path) -> None:
    results = made(tmp_path / "a", 1, "C4:", "'4':")
    runs = results.need("runs").query("config == '4'")
    keys = keys_of(runs)
    for code in ("0", "1e1"):
        of_code = {"code": code, "git_commit": "", "differs": ""}
        rows = [{name: row[name] for name in keys} | of_code for row in runs.to_dict("records")]
        published._keep(results, rows, keys)
    kept = published.found_again(results)
    assert [row["code"] for row in kept] == ["1e1"] * len(runs)
    assert {row["config"] for row in kept} == {"4"}
