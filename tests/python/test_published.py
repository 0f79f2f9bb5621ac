"""Published tables: runs made again and compared, and rows of runs that were made anew."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

import mftpubsub
from mftpubsub import pipeline
from mftpubsub.cli.main import app
from mftpubsub.errors import MftPubsubError
from mftpubsub.files import remove, write_table
from mftpubsub.scenario.study import Study
from mftpubsub.studies import joins, provenance, published, replacing
from mftpubsub.studies.results import StudyResults
from mftpubsub.sweeps.sweep import keep_study, run_study
from mftpubsub.trace.layout import PARTIAL

pytestmark = pytest.mark.slow

RESULTS = Path(__file__).parents[2] / "results"
#: Those with cases on the radio.
STUDIES = sorted(
    path.parents[1].relative_to(RESULTS).as_posix()
    for path in RESULTS.rglob("tables/runs.parquet")
    if (path.parents[1] / "costs.parquet").exists()
)
STUDY = """
protocols: [mft-pubsub, mft-mesh]
failure_policy: keep-link
overlay: {heartbeat_interval: 2, leader_timeout: 6}
speeds: [2]
seeds: 2
duration: 12
publisher: {stop: 8}
configurations:
  C2:
    area: [35, 35]
    nodes: [{count: 2, roles: [publisher]}, {count: 2, roles: [broker, subscriber]}]
"""


def made(folder: Path, text: str = STUDY, name: str = "small", protocols: Sequence[str] = ()) -> StudyResults:
    config = folder.parent / f"{name}.yaml"
    config.write_text(text, encoding="utf-8")
    study = Study.from_yaml(config)
    assert run_study(study, folder, protocols=protocols or None) == []
    keep_study(study, config, folder, protocols)
    pipeline.run(folder)
    return StudyResults(folder)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published") / "study"
    made(folder)
    return folder


@pytest.fixture(scope="module")
def anew(tmp_path_factory: pytest.TempPathFactory) -> StudyResults:
    text = STUDY.replace("[mft-pubsub, mft-mesh]", "[mft-pubsub, mft-mesh, mpl]")
    return made(tmp_path_factory.mktemp("anew") / "study", text, "anew", ["mft-mesh", "mpl"])


@pytest.fixture
def copy(study: Path, tmp_path: Path) -> Callable[[], StudyResults]:
    """The study as it is published: without its runs."""

    def copied() -> StudyResults:
        shutil.copytree(study, tmp_path / "study", dirs_exist_ok=True)
        remove(tmp_path / "study" / "runs")
        remove(tmp_path / "study" / "parquet")
        return StudyResults(tmp_path / "study")

    return copied


def change(results: StudyResults, metric: str, protocol: str) -> StudyResults:
    runs = results.need("runs")
    runs.loc[runs["protocol"] == protocol, metric] += 1
    write_table(runs, results.folder / "tables" / "runs")
    return StudyResults(results.folder)


def test_runs_of_the_same_code_are_the_same_in_every_metric(copy: Callable[[], StudyResults]) -> None:
    results = copy()
    table = published.verify(results, 5, seed=1)
    assert [(row[0], *row[2:]) for row in table.rows] == [
        ("MFT-PubSub", "2", "2", ""),
        ("MFT-Mesh", "2", "2", ""),
    ]
    assert table.rows[0][2:] in [row[2:] for row in provenance.tables(results)[-1].rows]


MIXED = STUDY + "axes: {mft_mesh.forget_after: [null, 5.0], mft_mesh.positions: [false]}\n"


def test_names_and_booleans_on_axes_are_known_again(tmp_path: Path) -> None:
    """Numbers beside a name are texts in tables, and numbers in those of another study."""
    results = made(tmp_path / "study", MIXED)
    found = published.verify(results, 4, seed=1)
    assert [row[2:] for row in found.rows] == [["4", "4", ""], ["4", "4", ""]]
    of_5 = MIXED.replace("[null, 5.0]", "[5.0]").replace("seeds: 2", "seeds: [2, 3]")
    joins.join(results, made(tmp_path / "newer", of_5, "newer"))
    runs = StudyResults(results.folder).need("runs")
    places = runs.groupby("mft_mesh.forget_after")["seed"].agg(sorted)
    assert places.to_dict() == {"5": [1, 1, 2, 2, 3, 3], "None": [1, 1, 2, 2]}


def test_a_metric_that_is_another_is_named_with_both_values(copy: Callable[[], StudyResults]) -> None:
    results = change(copy(), "frames", "mft-mesh")
    result = CliRunner().invoke(app, ["verify", str(results.folder), "--runs", "1"])
    assert result.exit_code == 1
    assert "| 1 | 1 |  |" in result.stdout
    assert "frames: " in result.stdout
    assert ", now " in result.stdout
    found = pd.read_csv(results.folder / replacing.VERIFIED, keep_default_na=False)
    assert sorted(bool(differs) for differs in found["differs"]) == [False, True]


@pytest.mark.parametrize(
    ("then", "now", "told"),
    [
        (1.0, 1.0 + 1e-12, ""),
        (1.0, 1.0001, "delay_mean_s: 1, now 1.0001"),
        (1.0, None, "delay_mean_s: 1, now nan"),
        (float("nan"), 2, "delay_mean_s: nan, now 2"),
        (float("nan"), None, ""),
    ],
)
def test_a_metric_that_is_undefined_on_one_side_differs(then: float, now: float | None, told: str) -> None:
    assert published.difference({"seed": 1, "delay_mean_s": then}, {"seed": 2, "delay_mean_s": now}) == told


def test_keys_restrict_what_is_made_again(copy: Callable[[], StudyResults]) -> None:
    results = copy()
    only = {"protocol": ("mft-mesh",), "seed": ("2",), "speed_mps": ("2.0",)}
    table = published.verify(results, 5, seed=1, only=only)
    assert [row[0] for row in table.rows] == ["MFT-Mesh"]
    assert table.rows[0][2] == "1"
    with pytest.raises(MftPubsubError, match="no key 'speed'"):
        published.verify(results, 1, seed=1, only={"speed": ("2",)})
    with pytest.raises(MftPubsubError, match="no config 'C4'; there are C2"):
        published.verify(results, 1, seed=1, only={"config": ("C4",)})


def test_runs_made_anew_stand_in_place_of_the_older_ones(
    copy: Callable[[], StudyResults], anew: StudyResults
) -> None:
    results = change(copy(), "frames", "mft-mesh")
    was = results.need("runs").set_index(["protocol", "seed"])["frames"]
    with pytest.raises(MftPubsubError, match=r"gives the runs of mft-pubsub: .*verify"):
        joins.join(results, anew)
    published.verify(results, 1, seed=1)
    assert CliRunner().invoke(app, ["join", str(results.folder), str(anew.folder)]).exit_code == 0
    joined = StudyResults(results.folder)
    told = published.verified(joined)
    assert told is not None
    assert [row[0] for row in told.rows] == ["MFT-PubSub"]  # nothing of a run that was replaced
    now = joined.need("runs").set_index(["protocol", "seed"])["frames"]
    assert now["mft-pubsub"].equals(was["mft-pubsub"])
    assert now["mft-mesh"].equals(was["mft-mesh"] - 1)
    assert list(now["mpl"].index) == [1, 2]
    for name in ("frames_by_kind", "costs", "metrics"):
        assert {*joined.need(name)["protocol"]} == {"mft-pubsub", "mft-mesh", "mpl"}
    means = joined.means.set_index(["protocol", "metric"])["mean"]
    assert means["mft-mesh", "frames"] == now["mft-mesh"].mean()
    lines = provenance.commands(joined.folder)
    assert [line.split()[1] for line in lines[:3]] == ["sweep", "ingest", "join"]
    assert provenance.missing(joined) == []


def test_a_join_of_runs_that_are_not_there_is_refused(
    copy: Callable[[], StudyResults], anew: StudyResults
) -> None:
    results = copy()
    with pytest.raises(MftPubsubError, match="no protocol 'mft-meshes'; did you mean 'mft-mesh'"):
        joins.join(results, anew, only={"protocol": ("mft-meshes",)})
    assert len(provenance.commands(results.folder)) == 2


def test_a_table_that_newer_runs_lack_keeps_no_rows_of_older_ones(
    copy: Callable[[], StudyResults], anew: StudyResults, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results, newer = copy(), tmp_path / "newer"
    shutil.copytree(anew.folder, newer)
    for path in (newer / "tables").glob("delays.*"):
        path.unlink()
    published.verify(results, 1, seed=1, only={"protocol": ("mft-pubsub",)})
    joins.join(results, StudyResults(newer), only={"protocol": ("mft-mesh",)})
    assert "newer has no table of delays: study keeps there no rows of the runs" in capsys.readouterr().err
    joined = StudyResults(results.folder)
    assert {*joined.need("delays")["protocol"]} == {"mft-pubsub"}
    assert {*joined.need("frames_by_kind")["protocol"]} == {"mft-pubsub", "mft-mesh"}


def test_a_join_that_is_interrupted_leaves_the_tables_as_they_were(
    copy: Callable[[], StudyResults], anew: StudyResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tables(results: StudyResults) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (results.folder / "tables").iterdir()}

    results = copy()
    written: list[Path] = []

    def stop(table: pd.DataFrame, path: Path) -> None:
        if len(written) == 2:
            raise KeyboardInterrupt
        written.append(path)
        write_table(table, path)

    published.verify(results, 1, seed=1, only={"protocol": ("mft-pubsub",)})
    before = tables(results)
    monkeypatch.setattr(joins, "write_table", stop)
    with pytest.raises(KeyboardInterrupt):
        joins.join(results, anew)
    assert tables(results) == before
    assert not [*results.folder.glob(f"{PARTIAL}*")]
    monkeypatch.undo()
    joins.join(results, anew)
    assert tables(results) != before


def test_verified_runs_of_a_published_study_stand_in_another(
    copy: Callable[[], StudyResults],
    anew: StudyResults,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copytree(anew.folder, tmp_path / "own")
    own, other = StudyResults(tmp_path / "own"), copy()
    only = ["--only", "protocol=mft-pubsub", "--only", "seed=2"]
    command = ["join", str(own.folder), str(other.folder), *only]
    assert CliRunner().invoke(app, command).exit_code == 1  # of unknown code
    published.verify(other, 1, seed=1, only={"protocol": ("mft-pubsub",)})
    assert CliRunner().invoke(app, command).exit_code == 0
    runs = StudyResults(own.folder).need("runs")
    assert [*runs.groupby("protocol")["seed"].apply(list)] == [[1, 2], [2], [1, 2]]
    kept = (own.folder / "studies" / "small-of-study.yaml").read_text(encoding="utf-8")
    assert Study.from_yaml(kept).protocols == ["mft-pubsub"]
    capsys.readouterr()
    pipeline.run(own.folder)
    told = "joined runs leave the tables; to join them again: mftpubsub join own study --only protocol=mft-"
    assert told in capsys.readouterr().err
    assert {*StudyResults(own.folder).need("runs")["protocol"]} == {"mft-mesh", "mpl"}
    remove(own.folder / "tables")
    pipeline.run(own.folder)
    assert "joined" not in capsys.readouterr().err


def test_runs_that_differ_do_not_stay_beside_newer_ones(
    copy: Callable[[], StudyResults], anew: StudyResults
) -> None:
    results = change(copy(), "frames", "mft-pubsub")
    published.verify(results, 2, seed=1)
    with pytest.raises(MftPubsubError, match="mft-pubsub"):
        joins.join(results, anew)


def test_runs_of_other_code_and_other_axes_are_not_joined(
    copy: Callable[[], StudyResults], anew: StudyResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = copy()
    runs = results.need("runs")
    runs.insert(3, "overlay.heartbeat_interval", 1)
    write_table(runs, results.folder / "tables" / "runs")
    with pytest.raises(MftPubsubError, match="other axes"):
        joins.join(StudyResults(results.folder), anew)
    monkeypatch.setattr(joins, "code_version", lambda: "other")
    with pytest.raises(MftPubsubError, match="not known whether this code gives"):
        joins.join(copy(), anew)


@pytest.mark.parametrize("name", STUDIES)
def test_published_studies_are_what_this_code_gives(name: str) -> None:
    """Of each protocol the run that takes least: what is published is of no other code."""
    results = StudyResults(RESULTS / name)
    runs, costs = results.need("runs"), results.need("costs")
    shortest = costs.loc[costs.groupby("protocol")["cpu_s"].idxmin()]
    rows = dict(zip(published.key_of_each(runs), runs.to_dict("records"), strict=True))
    cases = published.cases(results)
    for key in published.key_of_each(shortest):
        assert published.difference(rows[key], mftpubsub.run(cases[key]).metrics) == "", key
