"""Axes of a study are keys of its tables, figures and reports, as protocols and configurations are."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from made_up import study as made_up_study
from typer.testing import CliRunner

import mftpubsub
from mftpubsub import Broker, Group, RandomWaypoint, Scenario, pipeline
from mftpubsub.cli.main import app
from mftpubsub.errors import ConfigurationError, MftPubsubError
from mftpubsub.face.study import StudyResults
from mftpubsub.pipeline import tables
from mftpubsub.pipeline.tables import on_axes, summary
from mftpubsub.scenario.study import choose
from mftpubsub.sources.thesis.figures import plan
from mftpubsub.sources.thesis.source import THESIS
from mftpubsub.studies import claims, figures, lines, provenance
from mftpubsub.studies.report import overview
from mftpubsub.trace import layout

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("one_kind_of_picture")]

QUICK = Path(__file__).parents[2] / "configs" / "quick.yaml"
TIMEOUT = "overlay.leader_timeout"
SMALL = Scenario(
    area=(45, 45),
    duration=10,
    nodes=[Group(3, [Broker()]), Group(2, ["subscriber"]), Group(1, ["publisher"])],
    mobility=RandomWaypoint(3),
)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> StudyResults:
    """Of a sweep over a number and a name, and beside it runs that are on neither axis."""
    folder = tmp_path_factory.mktemp("study")
    over: dict[str, list[Any]] = {
        TIMEOUT: [2.5, 10.0],
        "queue_policy": ["unbounded", {"bounded": {"capacity": 2}}],
        "seed": [1, 2],
    }
    mftpubsub.sweep(SMALL, folder, over=over, workers=2)
    mftpubsub.sweep([SMALL.replace(seed=seed) for seed in (1, 2)], folder, workers=2)
    assert pipeline.run(folder) == []
    return mftpubsub.open_study(folder)


def on_an_axis(folder: Path, axis: str, values: Sequence[float | str]) -> StudyResults:
    """A study made up, the same at each value but for the rates, which grow with it."""
    made_up_study(folder, configs=("C2", "C8"), speeds=(2.0, 8.0), seeds=3)
    for name in ("runs", "losses", "frames_by_kind"):
        path = folder / "tables" / f"{name}.parquet"
        table = pd.read_parquet(path)
        parts = []
        for place, value in enumerate(values):
            part = table.copy()
            part.insert(3, axis, value)
            if name == "runs":
                part["delivery_rate_strict"] = (1 + place) / 10
            parts.append(part)
        pd.concat(parts).to_parquet(path)
    (folder / "costs.parquet").unlink()
    summary(pd.read_parquet(folder / "tables/runs.parquet")).to_parquet(folder / "tables/metrics.parquet")
    return mftpubsub.open_study(folder)


def test_every_table_has_a_column_for_each_axis(results: StudyResults) -> None:
    own = Scenario.model_fields["overlay"].default.leader_timeout
    for name in ("runs", "losses", "frames_by_kind", "costs"):
        table = results.need(name) if name != "costs" else pd.read_csv(results.folder / "costs.csv")
        assert [*table.columns[:6]] == ["protocol", "config", "speed_mps", TIMEOUT, "queue_policy", "seed"]
        assert {*table["config"]} == {"custom"}
        assert {*table[TIMEOUT]} == {2.5, 10.0, own}  # what is on no axis has its own value
        assert {*table["queue_policy"]} == {"unbounded", "bounded capacity 2"}
    assert [*results.means.columns[:6]] == [*table.columns[:5], "metric"]
    assert len(results.runs) == 10
    there = results.runs[(results.runs[TIMEOUT] == 2.5) & (results.runs["queue_policy"] == "unbounded")]
    alone = mftpubsub.run(SMALL.replace(overlay={"leader_timeout": 2.5}, seed=2)).metrics
    assert there.set_index("seed").loc[2, "delivered_pairs"] == alone["delivered_pairs"]
    assert there.set_index("seed").loc[2, "events"] == alone["events"]


def test_an_axis_is_a_key_of_tables_figures_and_comparisons(results: StudyResults) -> None:
    table = results.table("frames_per_node", by=[TIMEOUT], across="queue_policy")
    assert table.heading[0] == f"{TIMEOUT}, s"
    assert [row[0] for row in table.rows] == ["2.5", "3", "10"]
    assert table.heading[1:] == ["queue_policy bounded capacity 2", "queue_policy unbounded"]
    every = results.table("frames_per_node")
    assert every.heading[:5] == ["protocol", "configuration", "m/s", f"{TIMEOUT}, s", "queue_policy"]
    assert len(every.rows) == 5
    drawing = results.figure(
        "frames_per_node", x=TIMEOUT, by="queue_policy", only={TIMEOUT: [2.5, 10]}, has_title=True
    )
    axes = drawing.axes[0]
    assert axes.get_xlabel() == f"{TIMEOUT} (s)"
    assert [*axes.get_xticks()] == [2.5, 10]
    assert axes.get_title().endswith("\nMFT-PubSub; custom; 3 m/s")
    found = mftpubsub.compare(
        results.runs, by=TIMEOUT, metric="frames_per_node", pair=["queue_policy", "seed"], to=2.5
    )
    assert {*found[TIMEOUT]} == {3.0, 10.0}
    with pytest.raises(MftPubsubError, match=r"no key 'overlay.leader_timout'; did you mean"):
        results.table("frames_per_node", by=["overlay.leader_timout"])
    with pytest.raises(MftPubsubError, match=r"no overlay.leader_timeout '4'; there are 2.5, 3, 10"):
        results.table("frames_per_node", only={TIMEOUT: [4]})


def test_commands_take_axes_too(results: StudyResults, tmp_path: Path) -> None:
    chosen = [
        "--metric",
        "frames_per_node",
        "--only",
        f"{TIMEOUT}=2.5,10",
        "--out",
        str(tmp_path / "own.svg"),
    ]
    over = ["--x", TIMEOUT, "--by", "queue_policy"]
    told = CliRunner().invoke(app, ["figures", str(results.folder), *over, *chosen])
    assert told.exit_code == 0, told.output
    assert "queue_policy unbounded</text>" in (tmp_path / "own.svg").read_text()


def test_the_report_shows_what_varies_and_the_case_that_a_picture_is_of(tmp_path: Path) -> None:
    study = on_an_axis(tmp_path, TIMEOUT, [2.0, 3.0, 5.0])
    page = study.report()
    text = "\n".join(part.read_text() for part in page.parent.glob("*.md"))
    assert f"Varied: {TIMEOUT}, s: 2, 3, 5." in text
    assert "no runs of C16" not in text
    assert "Delivery rate, strict, configuration C8; node speed 8 m/s" in text
    assert "What became of all pairs" not in text
    drawn = plan(study.means)
    assert [figure.name for figure in drawn[:3]] == [
        f"{what}_over_{TIMEOUT}" for what in ("delivery", "delay", "messages")
    ]
    assert figures.overview(drawn) == drawn[:3]
    first = drawn[0]
    ours = first.rows[first.rows["protocol"] == "mft-pubsub"].set_index(TIMEOUT)["mean"]
    assert dict(ours) == pytest.approx({2.0: 0.1, 3.0: 0.2, 5.0: 0.3})
    answer = "What follows is of C8, 8 m/s, leader_timeout 2 s."
    assert answer in text
    html = page.read_text()
    assert html.count(answer) == 1
    assert (
        html.index("</h1>") < html.index(answer) < html.index(f"Varied: {TIMEOUT}") < html.index("Contents")
    )
    over_size = next(figure for figure in drawn if figure.name == "delivery_over_config")
    assert over_size.title.endswith("node speed 8 m/s; leader_timeout 2 s")
    assert {*over_size.rows["mean"].round(6)} == {0.1}
    found = figures.outcomes(study.runs)
    assert found is not None
    assert found.place == "node speed 8 m/s; leader_timeout 2 s"
    assert {*found.shares["delivered"].round(6)} == {0.1}


@pytest.mark.slow
def test_what_is_nowhere_on_an_axis_has_no_point_and_no_verdict(tmp_path: Path) -> None:
    study = on_an_axis(tmp_path, TIMEOUT, [3.0, 2.0, nan])
    over = next(figure for figure in plan(study.means) if figure.x == TIMEOUT)
    assert {*over.rows[TIMEOUT]} == {2.0, 3.0}
    assert [*claims.at_each(study.runs, THESIS)] == ["2", "3"]


def test_a_network_without_runs_at_the_first_place_is_drawn_over_the_axis_only(tmp_path: Path) -> None:
    study = on_an_axis(tmp_path, TIMEOUT, [2.5, 10.0])
    path = tmp_path / "tables/runs.parquet"
    runs = study.need("runs")
    runs = runs[(runs["config"] != "C8") | (runs[TIMEOUT] != 2.5)]
    runs.to_parquet(path)
    summary(runs).to_parquet(tmp_path / "tables/metrics.parquet")
    study = mftpubsub.open_study(tmp_path)
    drawn = plan(study.need("metrics"))
    assert {figure.only["config"] for figure in drawn if figure.x != "config"} == {"C2"}
    assert all(len(figure.rows) for figure in drawn)
    assert study.report()


def test_a_speed_that_the_axis_says_is_not_what_a_figure_is_restricted_to(tmp_path: Path) -> None:
    """As of movements that have speeds of their own."""
    study = on_an_axis(tmp_path, "mobility", ["slow", "fast"])
    runs = study.need("runs")
    runs = runs[runs["speed_mps"] == runs["mobility"].map({"slow": 2.0, "fast": 8.0})]
    runs.to_parquet(tmp_path / "tables/runs.parquet")
    summary(runs).to_parquet(tmp_path / "tables/metrics.parquet")
    study = mftpubsub.open_study(tmp_path)
    over = next(figure for figure in plan(study.need("metrics")) if figure.name == "delivery_over_mobility")
    assert {*over.rows["mobility"]} == {"slow", "fast"}
    assert over.title == "Delivery rate, strict\nconfiguration C8"
    study.report()
    text = (tmp_path / "report.md").read_text()
    assert "What follows is of C8, 8 m/s, mobility fast." in text
    assert "| MFT-PubSub | slow |" in text
    assert "| MFT-PubSub | fast |" in text


def test_with_one_protocol_another_axis_has_the_lines(results: StudyResults) -> None:
    by_name = {figure.name: figure for figure in plan(results.means)}
    assert by_name[f"delivery_over_{TIMEOUT}"].lines == "queue_policy"
    assert by_name["delivery_over_queue_policy"].lines == TIMEOUT
    assert by_name["delivery_over_queue_policy"].line_label(2.5) == "leader_timeout 2.5 s"


@pytest.mark.parametrize(("key", "own"), [("protocol", "protocols"), ("speed", "speeds"), ("seed", "seeds")])
def test_what_a_study_has_a_key_for_is_no_axis(key: str, own: str) -> None:
    """The axis would have hidden the key."""
    study = f"base: {QUICK}\naxes: {{{key}: [1, 2]}}"
    with pytest.raises(ConfigurationError, match=f"axes.{key}: a study says this by `{own}`"):
        mftpubsub.Study.from_yaml(study)


def test_what_a_study_with_axes_lacks_is_told(results: StudyResults, tmp_path: Path) -> None:
    study = """
protocols: [mft-pubsub]
speeds: [3.0]
seeds: [1, 2, 3]
configurations: {custom: {}}
axes: {overlay.leader_timeout: [2.5], queue_policy: [unbounded]}
"""
    folder = results.folder / "studies"
    folder.mkdir()
    half = results.folder / "ingest-report.json"
    try:
        (folder / "own.yaml").write_text(study)
        half.write_text('{"set_as')
        assert provenance.missing(results) == [
            "no run: MFT-PubSub, custom leader_timeout 2.5 queue_policy unbounded, 3 m/s, seed 3"
        ]
    finally:
        half.unlink()
        (folder / "own.yaml").unlink()
        folder.rmdir()


def test_two_runs_that_are_the_same_count_once() -> None:
    told = [
        {"protocol": "flooding", "config": "C8", "scenario": SMALL.model_dump(mode="json")},
        {"protocol": "flooding", "config": "C8", "axes": {"duration": 10.0}},
        {"protocol": "flooding", "config": "C8", "axes": {"duration": 20.0}},
        {"protocol": "phoenix", "config": "C8", "axes": {"duration": 10.0}},
    ]
    rows = [
        ("flooding", config, 2.0, 1, kind)
        for config in ("C8", "C8 duration 10.0", "C8 duration 20.0")
        for kind in ("ACK", "PUB")
    ]
    rows += [("phoenix", "C8 duration 10.0", 2.0, 1, "ACK")]
    table = pd.DataFrame(rows, columns=["protocol", "config", "speed_mps", "seed", "kind"])
    found = on_axes(table, told)
    assert [*found.itertuples(index=False, name=None)] == [
        ("flooding", "C8", 2.0, 10.0, 1, "ACK"),
        ("flooding", "C8", 2.0, 10.0, 1, "PUB"),
        ("flooding", "C8", 2.0, 20.0, 1, "ACK"),
        ("flooding", "C8", 2.0, 20.0, 1, "PUB"),
        ("phoenix", "C8", 2.0, 10.0, 1, "ACK"),
    ]


def test_runs_of_another_program_that_say_nothing_of_a_number_are_counted() -> None:
    """Nothing is no value of the axis, and yet a place of its own, not that of our runs of that name."""
    key = ["protocol", "config", "speed_mps", "seed"]
    table = pd.DataFrame(
        [
            (protocol, at, 2.0, seed)
            for protocol, at, seeds in (
                ("aodv", "C8", (1, 2)),
                ("aodv", "C8 leader_timeout 2.5", (1, 2)),
                ("script", "C8", (1, 2, 3)),
            )
            for seed in seeds
        ],
        columns=key,
    )
    told: list[dict[str, Any]] = [
        {"protocol": "aodv", "config": "C8", "axes": {TIMEOUT: 2.5}},
        {"protocol": "aodv", "config": "C8", "scenario": SMALL.model_dump(mode="json")},
        {"protocol": "script", "config": "C8", "axes": {}, "is_foreign": True},
    ]
    found = on_axes(table, told)
    assert found[TIMEOUT].fillna(-1).tolist() == [2.5, 2.5, 3, 3, -1, -1, -1]
    assert found["seed"].tolist() == [1, 2, 1, 2, 1, 2, 3]
    script = found[found["protocol"] == "script"].assign(config="theirs")
    both = pd.concat([found[found[TIMEOUT] == 2.5], script])
    assert overview._cases(both) == "2 networks (C8, theirs) at 2 m/s, 2 to 3 seeds"


def test_runs_of_another_program_have_no_name_on_an_axis_of_names() -> None:
    told: list[dict[str, Any]] = [
        {"protocol": "aodv", "config": "C8", "axes": {"queue": "weak", "depth": None}},
        {"protocol": "script", "config": "C8", "axes": {}, "is_foreign": True},
    ]
    rows = [(run["protocol"], layout.place(run["config"], run["axes"]), 2.0, 1) for run in told]
    table = pd.DataFrame(rows, columns=["protocol", "config", "speed_mps", "seed"])
    found = on_axes(table, told)
    assert (found["queue"][0], found["depth"][0]) == ("weak", "None"), "none is a value"
    assert [*found["queue"].isna(), *found["depth"].isna()] == [False, True] * 2


def test_means_of_many_runs_are_those_of_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = pd.DataFrame(
        [
            ("aodv", "C8", 2.0, "a b", seed, seed * 1.5, None if seed == 2 else 7)
            for seed in (1, 2, 3)
            for _ in range(2)
        ]
        + [("aodv", "C8", 2.0, "B", 1, 4.0, None), ("phoenix", "C16", 10.0, "a b", 1, 0.5, 2)],
        columns=["protocol", "config", "speed_mps", "axis", "seed", "z", "a"],
    )
    together = summary(runs)
    assert len(together) == 6
    monkeypatch.setattr(tables, "_VALUES", 1)
    pd.testing.assert_frame_equal(summary(runs), together)


STUDY = """
protocols: [mft-mesh]
speeds: [2, 6]
seeds: 1
duration: 10
publisher: {stop: 8}
configurations:
  C2: {area: [40, 40], nodes: [{roles: [publisher]}, {count: 2, roles: [broker, subscriber]}]}
axes: {mobility: {way: random-waypoint, walk: random-walk, calm: static}, mft_mesh.forget_after: [null, 5]}
"""


def test_ways_to_move_and_values_that_are_none_are_axes_like_others(tmp_path: Path) -> None:
    """A way to move takes the study's speeds unless it has its own; no run is left out of the tables."""
    (tmp_path / "s.yaml").write_text(STUDY)
    out = tmp_path / "out"
    swept = CliRunner().invoke(app, ["sweep", str(tmp_path / "s.yaml"), "--out", str(out), "--workers", "2"])
    assert swept.exit_code == 0, swept.output
    assert pipeline.run(out) == []
    found = mftpubsub.open_study(out)
    places = found.runs.groupby(["mobility", "speed_mps"])["mft_mesh.forget_after"].agg(sorted)
    assert places.to_dict() == {
        (way, speed): ["5", "None"]
        for way, speed in [("calm", 0), ("walk", 2), ("walk", 6), ("way", 2), ("way", 6)]
    }
    for command in ("figures", "report"):  # the first place on the axes has other speeds
        ended = CliRunner().invoke(app, [command, str(out)])
        assert ended.exit_code == 0, ended.output
    methods = (out / "methods.md").read_text()
    assert "movement: (varied)" in methods
    assert "mobility walk: random-walk" in methods
    assert "radio: CC2420 at 0 dBm" in methods


def test_a_number_may_be_said_as_tables_print_it(results: StudyResults) -> None:
    said, printed = (results.table("frames", only={"speed_mps": speed}) for speed in ("3", "3.0"))
    assert said.rows == printed.rows
    with pytest.raises(MftPubsubError, match=r"no speed_mps '3\.5'"):
        results.table("frames", only={"speed_mps": "3.5"})


def test_a_run_of_a_study_with_axes_is_at_a_place_on_them(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(STUDY.replace("null, 5", "4, 5"))
    run = ["run", str(path), "--protocol", "mft-mesh", "--config", "C2", "--speed", "2"]
    asked = CliRunner().invoke(app, run)
    assert asked.exit_code != 0
    assert isinstance(asked.exception, MftPubsubError)
    assert "--at mobility=... (way, walk, calm), --at mft_mesh.forget_after=... (4, 5)" in str(
        asked.exception
    )
    wrong = CliRunner().invoke(app, [*run, "--at", "mobility=wlak"])
    assert "did you mean 'walk'" in str(wrong.exception)
    placed = CliRunner().invoke(app, [*run, "--at", "mobility=walk", "--at", "mft_mesh.forget_after=5"])
    assert placed.exit_code == 0, placed.output


@pytest.mark.parametrize(("axis", "said"), [("[false, true]", "true"), ("[1.0, 2]", "1"), ("[1, 2]", "1.0")])
def test_a_place_is_known_by_its_text(tmp_path: Path, axis: str, said: str) -> None:
    """As `--only` knows it; only `True` and `1.0`, letter by letter, were known."""
    key = "mft_mesh.positions" if said == "true" else "publisher.rate"
    (tmp_path / "s.yaml").write_text(STUDY.partition("axes:")[0] + f"axes: {{{key}: {axis}}}\n")
    chosen = {"protocol": "mft-mesh", "config": "C2", "speed": 2.0}
    case = choose(tmp_path / "s.yaml", at={key: said}, **chosen)
    assert case.axes[key] == 1


NAMED = ("wifi", "cc2420", "any")


@pytest.fixture
def in_its_order(tmp_path: Path) -> StudyResults:
    """A study whose file has networks and radios in another order than that of the alphabet."""
    on_an_axis(tmp_path, "radio", NAMED)
    for path in (tmp_path / "tables").glob("*.parquet"):
        pd.read_parquet(path).replace({"config": {"C2": "town", "C8": "field"}}).to_parquet(path)
    (tmp_path / "studies").mkdir()
    radios = ", ".join(f"{name}: {{model: cc2420}}" for name in NAMED)
    (tmp_path / "studies" / "own.yaml").write_text(
        "protocols: [mft-pubsub, aodv]\nspeeds: [2.0, 8.0]\nseeds: [1, 2, 3]\n"
        "configurations: {town: {area: [9, 9]}, field: {area: [90, 90]}}\n"
        f"axes: {{radio: {{{radios}}}}}\n"
    )
    return mftpubsub.open_study(tmp_path)


def test_names_stand_in_the_order_of_the_studys_file(in_its_order: StudyResults) -> None:
    only = {"protocol": "aodv", "speed_mps": 2}
    table = in_its_order.table("frames_per_node", by=["config"], across="radio", only=only)
    assert table.heading[1:] == [f"radio {name}" for name in NAMED]
    assert [row[0] for row in table.rows] == ["town", "field"]
    drawing = in_its_order.figure("frames_per_node", x="config", by="radio", only=only)
    _, shown = drawing.axes[0].get_legend_handles_labels()
    assert shown == table.heading[1:]
    assert [tick.get_text() for tick in drawing.axes[0].get_xticklabels()] == ["town", "field"]
    delivery, *_ = plan(in_its_order.means)
    assert [*delivery.places()] == [*NAMED]
    assert delivery.title.endswith("configuration field; node speed 8 m/s")  # the last one of the file
    assert figures.first_place(in_its_order.means) == {"radio": "wifi"}
    bars = figures.outcomes(in_its_order.runs)
    assert bars is not None
    assert bars.bars("aodv")[0] == ["town", "field"]


def test_the_report_has_names_in_the_order_of_the_studys_file(in_its_order: StudyResults) -> None:
    page = in_its_order.report()
    text = "\n".join(part.read_text() for part in page.parent.glob("*.md"))
    assert "Varied: radio: wifi, cc2420, any." in text
    assert "2 networks (town, field)" in text
    assert "What follows is of field, 8 m/s, radio wifi." in text
    cells = [line.split(" | ")[1] for line in text.splitlines() if line.startswith("| MFT-PubSub | ")]
    assert [cell for cell in cells if cell in NAMED][:3] == [*NAMED]
    assert page.read_text().index(">wifi<") < page.read_text().index(">cc2420<")


def test_without_the_studys_file_names_stand_as_in_a_dictionary(in_its_order: StudyResults) -> None:
    (in_its_order.folder / "studies" / "own.yaml").unlink()
    found = mftpubsub.open_study(in_its_order.folder).table("frames_per_node", by=["radio"])
    assert [row[0] for row in found.rows] == ["any", "cc2420", "wifi"]


def test_names_of_numbers_have_no_unit(tmp_path: Path) -> None:
    study = on_an_axis(tmp_path, TIMEOUT, ["slow", "fast"])
    assert study.table("frames_per_node", by=[TIMEOUT]).heading[0] == TIMEOUT
    over, beside = plan(study.means)[0], plan(study.means)[-1]
    assert lines.x_label(over) == TIMEOUT
    assert beside.title.endswith("; leader_timeout fast")
    assert f"Varied: {TIMEOUT}: fast, slow." in overview.runs(study.runs)
    assert "leader_timeout fast." in overview.answer(study.runs)[0]
