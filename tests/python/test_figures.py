"""Figures from made-up tables."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from made_up import study
from matplotlib.figure import Figure as Drawing
from PIL import Image

from mftpubsub.errors import MftPubsubError
from mftpubsub.labels import label, sizes_of
from mftpubsub.protocols.catalogue import PROTOCOLS
from mftpubsub.sources.thesis.figures import plan
from mftpubsub.sources.thesis.source import THESIS
from mftpubsub.studies import figures, lines, made, numbers
from mftpubsub.studies.report import charts
from mftpubsub.studies.results import StudyResults
from mftpubsub.style import DASHES, INKS, MARKERS, STYLE, in_style

ALL = [f"fig4_{panel}" for panel in ("4a", "4b", "5a", "5b", "6", "7a", "7b", "8")] + ["delivery", "overview"]
NETWORKS = ["C2", "C4", "C8", "C16", "C32"]
#: Protocols with a look of their own.
LOOKS = tuple(row.name for row in PROTOCOLS.values() if row.look is not None)
SPEEDS = [2.0, 4.0, 6.0, 8.0, 10.0]

#: For MFT-PubSub and AODV: the value in C2 and how it grows with each doubling.
SHAPES = {
    "delivery_rate": ((0.99, 0.96), (0.97, 0.8)),
    "delivery_rate_strict": ((0.95, 0.93), (0.97, 0.8)),
    "reachable": ((0.99, 0.98), (0.99, 0.98)),
    "delivered_pairs": ((900, 1.7), (880, 1.6)),
    "delay_mean_s": ((0.3, 3), (0.02, 4)),
    "delay_p95_s": ((0.9, 3), (0.07, 4)),
    "hops_mean": ((1.6, 1.2), (1.4, 1.15)),
    "hops_max": ((3, 1.4), (3, 1.3)),
    "frames_per_node": ((2100, 1.1), (500, 3)),
}


def write_table(
    folder: Path,
    protocols: tuple[str, ...] = ("mft-pubsub", "aodv"),
    configs: list[str] = NETWORKS,
    speeds: list[float] = SPEEDS,
    seeds: int = 10,
) -> None:
    rows = []
    for protocol, config, speed, metric in product(protocols, configs, speeds, SHAPES):
        start, growth = SHAPES[metric][protocol == "aodv"]
        mean = start * growth ** NETWORKS.index(config) * (1 - 0.01 * (speed - 2))
        rows.append((protocol, config, speed, metric, mean, 0.06 * mean, 0.08 * mean, seeds))
    columns = ["protocol", "config", "speed_mps", "metric", "mean", "ci95", "sd", "n"]
    (folder / "tables").mkdir(exist_ok=True)
    pd.DataFrame(rows, columns=columns).to_parquet(folder / "tables" / "metrics.parquet")


def digests(folder: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (folder / "figures").iterdir()
    }


@pytest.mark.slow
def test_all_figures_of_the_thesis_are_drawn_and_are_the_same_each_time(tmp_path: Path) -> None:
    write_table(tmp_path)
    figures.make(StudyResults(tmp_path), THESIS)
    first = digests(tmp_path)
    assert set(first) == {f"{name}.{kind}" for name in ALL for kind in figures.KINDS}
    for path in (tmp_path / "figures").iterdir():
        path.unlink()
    figures.make(StudyResults(tmp_path), THESIS)
    assert digests(tmp_path) == first


@pytest.mark.slow
def test_only_missing_or_outdated_figures_are_drawn(tmp_path: Path) -> None:
    write_table(tmp_path, configs=["C2"], speeds=[8.0])
    figures.make(StudyResults(tmp_path), THESIS)
    kept, lost = tmp_path / "figures" / "fig4_6.png", tmp_path / "figures" / "fig4_8.svg"
    before = kept.stat().st_mtime_ns
    lost.unlink()
    figures.make(StudyResults(tmp_path), THESIS)
    assert lost.exists()
    assert kept.stat().st_mtime_ns == before


def test_a_record_that_is_half_written_tells_of_nothing_that_was_made(tmp_path: Path) -> None:
    (picture := tmp_path / "fig.png").touch()
    (tmp_path / made.RECORD).write_text('{"fig')
    assert not made.are_made(tmp_path, [picture], "x")
    made.record(tmp_path, [picture], "x")
    assert made.are_made(tmp_path, [picture], "x")


@pytest.mark.slow
def test_a_figure_that_was_interrupted_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def save_half(drawing: Drawing, path: Path, **options: object) -> None:
        path.write_bytes(b"half of it")
        raise KeyboardInterrupt

    write_table(tmp_path, configs=["C2"], speeds=[8.0])
    with monkeypatch.context() as patch:
        patch.setattr(Drawing, "savefig", save_half)
        with pytest.raises(KeyboardInterrupt):
            figures.make(StudyResults(tmp_path), THESIS)
    assert not list((tmp_path / "figures").glob("*.png"))
    figures.make(StudyResults(tmp_path), THESIS)
    assert set(digests(tmp_path)) == {f"{name}.{kind}" for name in ALL for kind in figures.KINDS}


def test_a_part_of_the_study_shows_the_nearest_and_says_so(tmp_path: Path) -> None:
    write_table(tmp_path, configs=["C2", "C8"], speeds=[2.0, 4.0])
    titles = {figure.name: figure.title for figure in plan(StudyResults(tmp_path).means)}
    assert "configuration C8 (no runs of C16)" in titles["fig4_5b"]
    assert "node speed 4 m/s (no runs at 8 m/s)" in titles["fig4_6"]


def test_every_protocol_has_its_delivery_rate_and_the_thesis_letters_stay(tmp_path: Path) -> None:
    write_table(tmp_path, protocols=("aodv", "flooding", "mft-pubsub"), configs=["C2"], speeds=[8.0])
    found = plan(StudyResults(tmp_path).means)
    assert [figure.name for figure in found[:3]] == ["fig4_4a", "fig4_4b", "fig4_4c"]
    assert [figure.only["protocol"] for figure in found[:3]] == ["mft-pubsub", "aodv", "flooding"]


def test_pictures_of_other_studies_are_named_by_what_they_show(tmp_path: Path) -> None:
    write_table(tmp_path, protocols=("aodv", "flooding"), configs=["C2", "C8"], speeds=[8.0])
    names = [figure.name for figure in plan(StudyResults(tmp_path).means)]
    shown = ("delivery_rate", "delivery", "delivered", "delay", "hops", "hops_max", "messages")
    assert names == [f"{what}_over_config" for what in shown]  # of one speed nothing is drawn over speeds
    write_table(tmp_path, protocols=("aodv", "flooding"), configs=["C2"], speeds=[4.0, 8.0])
    names = [figure.name for figure in plan(StudyResults(tmp_path).means)]
    assert names[:2] == [f"delivery_rate_over_speed_mps_of_{name}" for name in ("aodv", "flooding")]
    assert names.count("delivered_over_speed_mps") == 1  # there is nothing else to draw it over
    assert len(names) == len({*names})


@pytest.mark.slow
def test_a_single_seed_and_undefined_metrics_can_be_drawn(tmp_path: Path) -> None:
    write_table(tmp_path, configs=["C2"], speeds=[8.0], seeds=1)
    path = tmp_path / "tables" / "metrics.parquet"
    table = pd.read_parquet(path)
    table["ci95"] = float("nan")
    table.loc[table["metric"] == "delay_mean_s", "mean"] = float("nan")
    table.to_parquet(path)
    figures.make(StudyResults(tmp_path), THESIS)
    assert (tmp_path / "figures" / "fig4_6.png").exists()


def test_a_place_without_a_point_counts_for_no_number_of_seeds() -> None:
    assert numbers.seeds_note(pd.Series([0, 3, 1])).endswith(", 1 to 3 seeds")
    assert numbers.seeds_note(pd.Series([0, 3, 3])).endswith(", 3 seeds")
    assert numbers.seeds_note(pd.Series([0, 1])) == "1 seed"
    assert numbers.seeds_note(pd.Series([0, 0])) == "no run has a value"


def test_without_tables_the_error_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(MftPubsubError, match="mftpubsub ingest"):
        figures.make(StudyResults(tmp_path / "typo"), THESIS)
    assert not (tmp_path / "typo").exists()


def test_a_protocol_looks_the_same_in_every_figure(tmp_path: Path) -> None:
    write_table(tmp_path, protocols=("aodv", "flooding"), configs=["C2"], speeds=[8.0])
    *_, figure = plan(StudyResults(tmp_path).means)
    alone = lines.style(figure, "aodv")
    write_table(tmp_path, protocols=("mft-pubsub", "aodv"), configs=["C2"], speeds=[8.0])
    *_, figure = plan(StudyResults(tmp_path).means)
    assert lines.style(figure, "aodv") == alone != lines.style(figure, "mft-pubsub")


def test_no_two_protocols_look_alike(tmp_path: Path) -> None:
    write_table(tmp_path, protocols=LOOKS, configs=["C2"], speeds=[8.0])
    *_, figure = plan(StudyResults(tmp_path).means)
    looks = {lines.style(figure, name) for name in LOOKS}
    assert len(looks) == len(LOOKS)
    for look in (INKS, MARKERS, DASHES, charts.DASHES):
        assert len({look[i] for i in looks}) == len(looks)


def test_protocols_of_others_look_like_no_line_beside_them() -> None:
    names = ["mft-pubsub", "aodv", "aodv-wifi", "olsr-lena"]
    assert len({lines.look("protocol", names, name) for name in names}) == 4
    assert lines.look("protocol", names, "aodv") == lines.look("protocol", ["aodv"], "aodv")
    assert lines.look("protocol", [*LOOKS, "aodv-wifi"], "aodv-wifi") in range(len(INKS))


@pytest.mark.parametrize("count", [2, 14])
def test_lines_are_named_at_their_ends_within_the_picture(tmp_path: Path, count: int) -> None:
    study(tmp_path, protocols=LOOKS[:count], configs=("C2", "C8"), speeds=(8.0,), seeds=2)
    with mpl.rc_context(STYLE):
        drawing = figures.draw(plan(StudyResults(tmp_path).means)[-1])
        drawing.canvas.draw()
    (axes,) = drawing.axes
    assert drawing.legends == []
    assert {text.get_text() for text in axes.texts} == {label(name) for name in LOOKS[:count]}
    whole = drawing.bbox
    edges = sorted((text.get_window_extent() for text in axes.texts), key=lambda edge: edge.y0)
    for edge in edges:
        assert axes.bbox.x1 < edge.x0 < edge.x1 <= whole.x1
        assert whole.y0 <= edge.y0 < edge.y1 <= whole.y1
    for below, above in pairwise(edges):
        assert (below.y0 + below.y1) / 2 + 0.9 * below.height / 2 < (above.y0 + above.y1) / 2
    assert axes.bbox.height > 0.4 * STYLE["figure.figsize"][1] * drawing.dpi


def test_at_most_five_lines_stand_out(tmp_path: Path) -> None:
    study(tmp_path, protocols=LOOKS[:14], configs=("C2", "C8"), speeds=(8.0,), seeds=2)
    drawing = figures.draw(plan(StudyResults(tmp_path).means)[-1])
    (axes,) = drawing.axes
    colours = {line.get_color() for line in axes.lines if np.size(line.get_xdata()) == 2}
    assert lines.FAINT in colours
    assert len(colours) == 6
    bright = {text.get_text() for text in axes.texts if text.get_color() != lines.ASIDE}
    assert {"MFT-PubSub", "AODV"} <= bright
    assert len(bright) == 5
    assert lines.standing_out(["aodv", "flooding"]) == ["aodv", "flooding"]


def test_a_line_of_one_point_is_seen_though_it_does_not_stand_out(tmp_path: Path) -> None:
    study(tmp_path, protocols=LOOKS[:7], configs=("C2", "C8"), speeds=(8.0,), seeds=2)
    figure = plan(StudyResults(tmp_path).means)[-1]
    is_there = (figure.rows["config"] == "C2") | (figure.rows["protocol"] == LOOKS[0])
    drawing = figures.draw(replace(figure, rows=figure.rows[is_there]))
    grey = [line for line in drawing.axes[0].get_lines() if line.get_color() == lines.ASIDE]
    assert len({line.get_marker() for line in grey}) == 2
    plt.close(drawing)


def test_sizes_stand_by_their_logarithm_and_names_are_not_joined(tmp_path: Path) -> None:
    study(tmp_path, protocols=("aodv", "mft-pubsub"), configs=("C2", "C8", "C16"), speeds=(8.0,), seeds=2)
    figure = plan(StudyResults(tmp_path).means)[-1]
    assert figure.places() == {"C2": 1, "C8": 3, "C16": 4}
    assert sizes_of(["C2", "D4"]) == sizes_of(["M0", "M1"]) == sizes_of(["a"]) == []
    turned = replace(figure, x="protocol", lines="config")
    assert not turned.is_ordered
    drawing = figures.draw(turned)
    (axes,) = drawing.axes
    assert {bar[0].get_linestyle() for bar in axes.containers} == {"None"}
    assert [text.get_text() for text in drawing.legends[0].get_texts()] == ["C2", "C8", "C16"]
    chart = charts.of_figure(turned)
    assert chart is not None
    assert {line.path for line in chart.lines} == {""}


def test_long_names_below_panels_stand_aslant(tmp_path: Path) -> None:
    study(tmp_path, configs=("C2", "C16"), speeds=(8.0,))
    runs = StudyResults(tmp_path).runs
    long = {"C2": "a small network in a hall", "C16": "a large network outside"}
    for named, rotation in ((runs, 0), (runs.assign(config=runs["config"].map(long)), 45)):
        found = figures.outcomes(named)
        assert found is not None
        panels = figures.draw_outcomes(found).axes
        assert {text.get_rotation() for axes in panels for text in axes.get_xticklabels()} == {rotation}


def test_a_study_of_ones_own_lacks_nothing_of_the_thesis(tmp_path: Path) -> None:
    study(tmp_path, configs=("C2", "C8"), speeds=(4.0,), protocols=("mft-mesh", "aodv"))
    assert not any("no runs" in figure.title for figure in plan(StudyResults(tmp_path).means))


def test_names_at_ends_keep_their_order_and_distance() -> None:
    assert lines.spread([0.5, 0.1, 0.9], 0.1) == [0.5, 0.1, 0.9]
    found = lines.spread([0.5, 0.52, 0.51, 0.9], 0.1)
    assert found == pytest.approx([0.41, 0.61, 0.51, 0.9])


def test_what_nobody_wanted_has_no_bar(tmp_path: Path) -> None:
    study(tmp_path, configs=("C2", "C16"), speeds=(8.0,))
    found = figures.outcomes(StudyResults(tmp_path).runs)
    assert found is not None
    nothing = [index for index in found.shares.index if index[1] == "C2"]
    found.shares.loc[nothing] = float("nan")
    found.reachable.loc[nothing] = float("nan")
    for chart in charts.of_outcomes(found):
        assert not any(math.isnan(bar.y) or math.isnan(bar.height) for bar in (*chart.bars, *chart.marks))
        assert len(chart.marks) == 1


@pytest.mark.slow
def test_what_became_of_all_pairs_adds_up_for_every_bar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study(tmp_path, configs=("C2", "C16"), speeds=(8.0,))
    found = figures.outcomes(StudyResults(tmp_path).runs)
    assert found is not None
    assert found.causes == ["UNMATCHED", "RADIO", "QUEUED"]
    for protocol in ("mft-pubsub", "aodv"):
        configs, heights, reachable = found.bars(protocol)
        assert configs == ["C2", "C16"]
        assert [sum(column) for column in zip(*heights.values(), strict=True)] == pytest.approx([100, 100])
        assert reachable == [100, 100]
    written_to = figures.files
    monkeypatch.setattr(figures, "files", lambda to, name: written_to(to, name) if name == "losses" else [])
    figures.make(StudyResults(tmp_path), THESIS)
    assert (tmp_path / "figures" / "losses.svg").exists()


def test_a_png_has_a_palette_and_looks_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn(name: str) -> Image.Image:
        drawing, axes = plt.subplots()
        for place, ink in enumerate(INKS):
            axes.plot([0, 1], [0, place], color=ink, label=str(place))
        axes.legend()
        figures.save(drawing, [tmp_path / name])
        with Image.open(tmp_path / name) as picture:
            assert (picture.mode == "P") is (name == "reduced.png")
            return picture.convert("RGB")

    reduced = drawn("reduced.png")
    monkeypatch.setattr(figures, "_reduce", lambda path: None)
    difference = np.abs(np.asarray(reduced, int) - np.asarray(drawn("full.png"), int))
    assert difference.mean() < 1
    assert difference.max() < 32  # of 255: no line is of another colour


def test_a_legend_is_within_its_figure() -> None:
    names = ("Timed deferred unsubscription", "Notified deferred unsubscription", "Strawman")
    with in_style({"figure.figsize": (4.6, 3.9)}):
        drawing, panels = plt.subplots(1, 2)
        for panel, name in zip((*panels, panels[0]), names, strict=True):
            panel.errorbar([0, 1], [0, 1], yerr=0.1, marker="o", label=name)
        figures.add_legend(drawing, panels, 2)
        drawing.draw_without_rendering()
    (below,) = drawing.legends
    assert [text.get_text() for text in below.get_texts()] == [names[0], names[2], names[1]]
    box = below.get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= drawing.bbox.width
    assert all(text.get_window_extent().x1 <= drawing.bbox.width for text in below.get_texts())
    plt.close(drawing)


def test_at_most_five_points_without_an_order_stand_out(tmp_path: Path) -> None:
    study(tmp_path, protocols=LOOKS[:7], configs=("C2", "C8"), speeds=(8.0,), seeds=2)
    figure = plan(StudyResults(tmp_path).means)[-1]
    rows = figure.rows.assign(config=figure.rows["config"].map({"C2": "lab", "C8": "hall"}))
    drawing = figures.draw(replace(figure, rows=rows))
    grey = [line for line in drawing.axes[0].get_lines() if line.get_color() == lines.ASIDE]
    assert len(grey) == 2
    assert {line.get_linestyle() for line in grey} == {"None"}
    assert len({line.get_marker() for line in grey}) == 2
    shown = {text.get_text() for text in drawing.legends[0].get_texts()}
    assert shown == {label(name) for name in LOOKS[:7]}
    for points in drawing.axes[0].get_lines():  # those beside their place too are within the picture
        x = points.get_transform().transform(points.get_xydata())[:, 0]
        assert drawing.axes[0].bbox.x0 < x.min() <= x.max() < drawing.axes[0].bbox.x1
    plt.close(drawing)
