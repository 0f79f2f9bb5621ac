"""Figures of one's own choice: what they show, how they look, and what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from made_up import study
from matplotlib.figure import Figure as Drawing

import mftpubsub
from mftpubsub.errors import MftPubsubError
from mftpubsub.face.study import StudyResults
from mftpubsub.studies import figures, lines, own_figure
from mftpubsub.studies.own_figure import Wish

AT_8 = {"speed_mps": ("8",)}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> StudyResults:
    folder = tmp_path_factory.mktemp("study")
    return mftpubsub.open_study(study(folder, configs=("C2", "C8", "C16"), speeds=(2.0, 8.0)))


def words(drawing: Drawing) -> list[str]:
    """How a figure calls its lines."""
    return [text.get_text() for text in drawing.axes[0].texts]


def test_a_line_shows_the_means_of_the_table(results: StudyResults) -> None:
    drawing = results.figure("delivery_rate_strict", only={"speed_mps": [8]})
    axes = drawing.axes[0]
    runs = results.runs[(results.runs["speed_mps"] == 8) & (results.runs["protocol"] == "mft-pubsub")]
    means = 100 * runs.groupby("config")["delivery_rate_strict"].mean()[["C2", "C8", "C16"]]
    shown = next(bar for bar in axes.containers if bar.get_label() == "mft-pubsub")[0].get_ydata()
    assert list(shown) == pytest.approx(list(means))
    assert axes.get_title() == "Delivery rate (strict), %\n8 m/s"
    assert axes.get_ylabel() == "Delivery rate (strict), %"
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["C2", "C8", "C16"]


def test_numbers_along_an_axis_do_not_touch(tmp_path: Path) -> None:
    """Their places are marked all the same."""
    made = mftpubsub.open_study(study(tmp_path, configs=("C8",), speeds=(0.0, 0.05, 0.5, 1.0), seeds=2))
    axes = made.figure("delivery_rate_strict", x="speed_mps").axes[0]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["0", "", "0.5", "1"]
    assert [*axes.get_xticks()] == [0.0, 0.05, 0.5, 1.0]


@pytest.mark.parametrize(
    ("seeds", "said"), [(1, "1 seed"), (2, "mean and 95 % confidence interval, 2 seeds")]
)
def test_one_seed_has_no_interval(tmp_path: Path, seeds: int, said: str) -> None:
    drawing = mftpubsub.open_study(study(tmp_path, configs=("C2", "C8"), speeds=(8.0,), seeds=seeds)).figure(
        "delivery_rate_strict"
    )
    assert drawing.get_supxlabel() == said


def test_a_logarithmic_axis_tells_of_points_that_it_has_no_place_for(
    results: StudyResults, capsys: pytest.CaptureFixture[str]
) -> None:
    wish = Wish("hops_mean", x="speed_mps", by="protocol", only={"config": ("C2",)}, is_log=True)
    own_figure.figure(results.runs, wish)
    assert "logarithmic" not in capsys.readouterr().err
    runs = results.runs
    own_figure.figure(runs.assign(hops_mean=runs["hops_mean"].where(runs["speed_mps"] > 2, 0.0)), wish)
    assert "2 of 4 points are 0, for which a logarithmic axis has no place" in capsys.readouterr().err


def test_a_line_without_a_place_on_a_logarithmic_axis_has_its_name_at_the_foot(results: StudyResults) -> None:
    wish = Wish("migrations", x="speed_mps", only={"config": ("C2",)}, is_log=True)
    names = own_figure.draw(results.runs, wish).axes[0].texts
    assert {name.get_text(): 0.0 <= name.get_position()[1] <= 1.0 for name in names} == {
        "mft-pubsub": True,
        "aodv": True,
    }


def test_values_below_0_are_within_the_axes(results: StudyResults) -> None:
    drawing = results.figure("load_by_depth", x="speed_mps", only={"config": ["C2"]})
    low, high = drawing.axes[0].get_ylim()
    assert low < -0.6 < high


def test_points_of_several_names_stand_beside_each_other(results: StudyResults) -> None:
    drawing = results.figure("hops_mean", x="protocol", by="config", only={"speed_mps": [8.0]})
    drawing.draw_without_rendering()
    (axes,) = drawing.axes
    shown = [bar[0] for bar in axes.containers]
    places = [line.get_transform().transform((0.0, 0.0))[0] for line in shown]
    apart = [right - left for left, right in pairwise(places)]
    assert len(apart) > 1
    assert min(apart) > shown[0].get_markersize() / 72 * drawing.dpi


def test_numbers_along_an_axis_are_short_where_their_place_tells_the_rest(results: StudyResults) -> None:
    speeds, seeds = (results.runs[key] for key in ("speed_mps", "seed"))
    runs = results.runs.assign(speed_mps=speeds.replace(2.0, 1 / 3), seed=seeds.replace(5, 1234567))
    ticks = {
        x: [tick.get_text() for tick in own_figure.draw(runs, wish).axes[0].get_xticklabels()]
        for x in ("speed_mps", "seed")
        for wish in [Wish("hops_mean", x=x, only={"config": ("C2",)} | ({} if x != "seed" else AT_8))]
    }
    assert ticks == {"speed_mps": ["0.333333", "8"], "seed": ["1", "2", "3", "4", "1234567"]}


def test_protocols_are_called_as_on_the_command_line_or_as_one_says(results: StudyResults) -> None:
    asked = {"metric": "hops_mean", "x": "speed_mps", "only": {"config": ["C2"]}}
    assert words(results.figure(**asked)) == ["mft-pubsub", "aodv"]  # type: ignore[arg-type]
    named = results.figure(**asked, labels={"mft-pubsub": "ours"})  # type: ignore[arg-type]
    assert words(named) == ["ours", "aodv"]


def test_a_mean_over_several_cases_is_told_and_of_unequal_ones_refused(results: StudyResults) -> None:
    wish = Wish("hops_mean", x="protocol", by="config")
    assert own_figure.figure(results.runs, wish).title == "Hops, mean\nmean of 2, 8 m/s"
    runs = results.runs
    uneven = runs[(runs["protocol"] != "aodv") | (runs["speed_mps"] == 2)]
    with pytest.raises(
        MftPubsubError, match="not every point has all of 2, 8 m/s; choose by --only speed_mps"
    ):
        own_figure.figure(uneven, wish)
    assert own_figure.figure(uneven, replace(wish, only={"speed_mps": ("2",)})).title.endswith("2 m/s")


def test_points_of_as_many_other_networks_are_refused(results: StudyResults) -> None:
    runs = results.runs
    apart = runs[runs["config"] == runs["protocol"].map({"mft-pubsub": "C2", "aodv": "C16"})]
    with pytest.raises(MftPubsubError, match="config: not every point has all of C2, C16"):
        own_figure.figure(apart, Wish("hops_mean", x="speed_mps"))
    diagonal = runs[(runs["config"] == "C2") == ((runs["speed_mps"] == 2) == (runs["protocol"] == "aodv"))]
    with pytest.raises(
        MftPubsubError, match="config, speed_mps: not every point has all of C2, C8; 2, 8 m/s"
    ):
        own_figure.figure(diagonal[diagonal["config"] != "C16"], Wish("hops_mean", x="protocol", by="seed"))


def test_a_network_that_is_shown_may_have_a_speed_of_its_own(results: StudyResults) -> None:
    runs = results.runs
    own = runs[runs["speed_mps"] == runs["config"].map({"C2": 2.0, "C8": 8.0})]
    assert own_figure.figure(own, Wish("hops_mean")).title.endswith("2, 8 m/s")


def test_keys_are_restricted_to_a_value_or_several(results: StudyResults) -> None:
    one, several = ({"speed_mps": value, "config": "C8"} for value in (8, [8]))
    rows = results.table("hops_mean", by="protocol", only=one).rows
    assert rows == results.table("hops_mean", by=["protocol"], only=several).rows
    assert len(rows) == 2


def test_long_titles_are_folded_between_their_clauses() -> None:
    title = "Delivery rate (strict), %\nmean of N6, N9; mean of 1, 7 m/s; mean of leader_timeout 2.5, 4 s"
    assert lines.folded(title, 40).splitlines() == [
        "Delivery rate (strict), %",
        "mean of N6, N9; mean of 1, 7 m/s;",
        "mean of leader_timeout 2.5, 4 s",
    ]
    assert lines.folded("Events that all subscribers had", 16) == "Events that all\nsubscribers had"
    assert lines.folded("") == ""


@pytest.mark.slow
def test_a_long_title_is_within_its_figure(results: StudyResults) -> None:
    runs = results.runs.assign(config="a network of my own that has a name of many words")
    wish = Wish("delivery_rate_strict", x="seed", by="protocol")
    drawing = own_figure.draw(runs, wish)
    drawing.draw_without_rendering()
    for text in (drawing.axes[0].title, drawing.axes[0].yaxis.label):
        box = text.get_window_extent()
        assert box.x0 >= 0
        assert box.y0 >= 0
        assert box.x1 <= drawing.bbox.width
        assert box.y1 <= drawing.bbox.height


def test_long_names_along_an_axis_do_not_touch(tmp_path: Path) -> None:
    protocols = ("mft-pubsub", "mft-pubsub-tuned", "mft-pubsub-r", "aodv", "aodv-tuned-acked", "olsr-tuned")
    made = mftpubsub.open_study(study(tmp_path, protocols=protocols, configs=("C8",), speeds=(8.0,), seeds=2))
    drawing = own_figure.draw(made.runs, Wish("delivery_rate_strict", x="protocol", by="config"))
    drawing.draw_without_rendering()
    ends = [text.get_window_extent().x1 for text in drawing.axes[0].get_xticklabels()]
    height = 10 * drawing.dpi / 72  # of a line
    assert all(right - left > height for left, right in pairwise(ends))
    assert drawing.axes[0].get_window_extent().height > 1.5 * drawing.dpi


@pytest.mark.slow
def test_a_backend_that_shows_figures_keeps_doing_so(tmp_path: Path) -> None:
    """As a notebook's does, which is loaded by the first figure."""
    (tmp_path / "showing.py").write_text(
        "import matplotlib\nfrom matplotlib.backends.backend_agg import *\nmatplotlib.interactive(True)\n"
    )
    script = """
import matplotlib.pyplot as plt
from mftpubsub.style import in_style
with in_style({"figure.figsize": (2, 2)}):
    figure, _ = plt.subplots()
assert plt.isinteractive()
assert tuple(figure.get_size_inches()) == (2, 2)
assert plt.rcParams["figure.figsize"] != [2, 2]
"""
    environment = os.environ | {"MPLBACKEND": "module://showing", "PYTHONPATH": str(tmp_path)}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)


def test_a_style_changes_the_looks_and_titles_can_go(results: StudyResults, tmp_path: Path) -> None:
    (tmp_path / "mine.mplstyle").write_text("figure.figsize: 7, 2\n")
    only = {"speed_mps": [8]}
    paper = results.figure("hops_max", only=only, style="paper", has_title=False)
    assert tuple(paper.get_size_inches()) == (3.4, 2.7)
    assert paper.axes[0].get_title() == ""
    mine = results.figure("hops_max", only=only, style=["paper", str(tmp_path / "mine.mplstyle")])
    assert tuple(mine.get_size_inches()) == (7, 2)


@pytest.mark.slow
def test_text_stays_text_in_svg_and_a_pdf_is_the_same_each_time(
    results: StudyResults, tmp_path: Path
) -> None:
    paths = [tmp_path / name for name in ("a.svg", "a.pdf", "b.pdf")]
    for path in paths:
        results.figure("hops_max", only={"speed_mps": [8]}, out=path)
    assert ">mft-pubsub</text>" in paths[0].read_text()
    assert paths[1].read_bytes() == paths[2].read_bytes()


def test_no_style_turns_text_into_outlines(results: StudyResults, tmp_path: Path) -> None:
    """matplotlib's classic style asks for it, in SVG and PDF."""
    paths = [tmp_path / name for name in ("a.svg", "a.pdf")]
    own_figure.write(results.runs, Wish("hops_max", only=AT_8, styles=["classic"]), paths)
    assert ">mft-pubsub</text>" in paths[0].read_text()
    assert b"/Type3" not in paths[1].read_bytes()


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        (Wish("hop_max", only=AT_8), "no metric 'hop_max'; did you mean 'hops_max'"),
        (Wish("hops_max", x="conf", only=AT_8), "no key 'conf'; did you mean 'config'"),
        (Wish("hops_max", x="protocol", only=AT_8), "protocol: it is either along the axis or a line"),
        (Wish("hops_max", only=AT_8, styles=["papr"]), "no style 'papr'; did you mean 'paper'"),
    ],
)
def test_what_is_not_there_is_refused(results: StudyResults, wish: Wish, said: str) -> None:
    with pytest.raises(MftPubsubError, match=said):
        own_figure.draw(results.runs, wish)


def test_a_file_of_another_kind_is_refused(results: StudyResults, tmp_path: Path) -> None:
    with pytest.raises(MftPubsubError, match=r"figures end in \.png, \.svg, \.pdf"):
        own_figure.write(results.runs, Wish("hops_max", only=AT_8), [tmp_path / "a.bmp"])


def test_no_two_causes_of_loss_look_alike_in_grey() -> None:
    assert len(set(figures.HATCHES)) == len(figures.CAUSE_COLOURS) == len(figures.HATCHES)
    assert figures.hatch("RADIO") == figures.HATCHES[list(figures.CAUSE_COLOURS).index("RADIO")]
