"""A source's figures, and what became of all pairs, drawn from the tables alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mftpubsub.files import written
from mftpubsub.labels import CAUSES, LOST, SHARE, SPEED_MPS, in_order, in_print, label, sizes_of, tick
from mftpubsub.studies import lines, made, numbers
from mftpubsub.studies.results import StudyResults
from mftpubsub.studies.source import Source
from mftpubsub.style import EDITABLE, in_style
from mftpubsub.trace.layout import axes_of, text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as MatplotlibFigure

#: The tables that the figures are drawn from.
SOURCES = ("metrics", "runs", "losses", "frames_by_kind")
#: Of what was delivered, and of what was lost by each cause: kept by someone, lost on the way, never routed.
DELIVERED = "#0072B2"
CAUSE_COLOURS: Mapping[str, str] = {
    "UNSENT": "#bbbbbb",
    "UNMATCHED": "#888888",
    "NO_ROUTE": "#CC79A7",
    "EXPIRED_ROUTE": "#882255",
    "NO_ADDRESS": "#AA4499",
    "TTL": "#661100",
    "STRANDED": "#999933",
    "RADIO": "#D55E00",
    "MAC": "#DDCC77",
    "DROPPED_BY_QUEUE": "#117733",
    "CRASHED": "#000000",
    "QUEUED": "#56B4E9",
    "IN_FLIGHT": "#44AA99",
    "UNKNOWN": "#332288",
}
#: Which tell the causes apart in grey print.
HATCHES = ("", "..", "//", "\\\\", "xx", "--", "||", "++", "oo", "**", "///", "OO", "-\\", "+x")
#: Files that a figure is written as: for the screen, to edit, for a paper.
KINDS = ("png", "svg", "pdf")


@dataclass(frozen=True)
class Figure:
    """One figure: means of `metric` over the key `x`, a line for each value of the key `lines`.

    `only` is what it is restricted to, `rows` are those of the tidy table. `number`: of the source's figure
    that it stands beside, if it does.
    """

    name: str
    title: str
    ylabel: str
    metric: str
    x: str
    lines: str
    only: Mapping[str, Any]
    rows: pd.DataFrame
    is_log: bool = False
    is_share: bool = False
    number: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Of lines and values, where they are not to be called as usual."""
    along: str = ""
    """What stands along the axis, where the key is not to be called as usual."""
    looks: Mapping[Any, int] = field(default_factory=dict)
    """Of lines that are no protocols of the radio: their colour, marker and dashes in all figures."""

    @property
    def possible(self) -> tuple[float, float]:
        """What its values can be, as they are printed."""
        low, high = in_print(self.metric).possible
        return low, min(high, SHARE) if self.is_share else high

    def label(self, value: Any) -> str:
        """How a value of x is called."""
        return self.labels.get(text(value)) or tick(value)

    def line_label(self, value: Any) -> str:
        """How a line is called."""
        return self.labels.get(text(value)) or numbers.key_words(self.lines, value)

    def places(self) -> dict[Any, float]:
        """Where the values of x stand: numbers on their scale, sizes of networks (C2, C4, ...) by their
        logarithm, other names side by side, in order."""
        values = in_order(self.x, self.rows[self.x])
        if sizes := sizes_of(values):
            return {value: log2(size) for value, size in zip(values, sizes, strict=True)}
        is_scale = self.x != "seed" and not any(isinstance(value, str) for value in values)
        return {value: value if is_scale else place for place, value in enumerate(values)}

    @property
    def is_ordered(self) -> bool:
        """Whether a line may lead from one value of x to the next: names have no order."""
        values = in_order(self.x, self.rows[self.x])
        return bool(sizes_of(values)) or not any(isinstance(value, str) for value in values)


def make(results: StudyResults, source: Source) -> list[Path]:
    """Draws the source's figures into DIR/figures, as .png, .svg and .pdf, unless they are of these tables.

    Returns their paths. Raises MftPubsubError if there is no table.
    """
    plan = source.plan(results.means)
    drawings: dict[str, Callable[[], MatplotlibFigure]] = {
        figure.name: partial(draw, figure) for figure in plan
    }
    if first := overview(plan):
        drawings[PANELS] = partial(draw_panels, first)
    if results.read("losses") is not None and (found := outcomes(results.runs)):
        drawings["losses"] = partial(draw_outcomes, found)
    folder = results.folder
    tables = (folder / "tables" / f"{name}.parquet" for name in SOURCES)
    of = made.digest(*(path for path in (*tables, folder / "costs.parquet") if path.exists()))
    (folder / "figures").mkdir(exist_ok=True)
    drawn = []
    with in_style():
        for name, drawing in drawings.items():
            paths = files(folder, name)
            if not made.are_made(folder, paths, of):
                save(drawing(), paths)
                made.record(folder, paths, of)
            drawn += paths
    return drawn


def write_panels(folder: Path, drawings: Mapping[str, Sequence[Figure]]) -> dict[str, Path]:
    """Draws figures side by side into DIR/figures/NAME.KIND of each name. Returns the PNGs by name."""
    drawn = {}
    with in_style():
        for name, panels in drawings.items():
            paths = files(folder, name)
            paths[0].parent.mkdir(parents=True, exist_ok=True)
            save(draw_panels(panels), paths)
            drawn[name] = paths[0]
    return drawn


def files(folder: Path, name: str) -> list[Path]:
    """Where a figure of a study is written unless one says otherwise."""
    return [folder / "figures" / f"{name}.{kind}" for kind in KINDS]


def first_place(table: pd.DataFrame) -> dict[str, Any]:
    """Of the places on the axes of a table of runs or of `metrics` the first at which most protocols ran.

    There is drawn, and compared, what is not over the axes.
    """
    axes = axes_of(table)
    orders = [in_order(axis, table[axis]) for axis in axes]
    places = (dict(zip(axes, chosen, strict=True)) for chosen in product(*orders))
    return max(places, key=lambda place: at(table, place)["protocol"].nunique())


def at(table: pd.DataFrame, only: Mapping[str, Any]) -> pd.DataFrame:
    """The rows of a table with these values, by key."""
    for key, value in only.items():
        table = table[table[key] == value]
    return table


def is_told_by(table: pd.DataFrame, key: str, others: Iterable[str]) -> bool:
    """Whether a key of several values has one at each place of the others, as has the speed of a movement."""
    return table[key].nunique() > 1 and bool(table.groupby([*others])[key].nunique().max() == 1)


#: What a reader asks for first: delivery, delay, messages.
OVERVIEW = ("delivery_rate_strict", "delay_mean_s", "frames_per_node")


#: The file of the figures of OVERVIEW, side by side.
PANELS = "overview"


def overview(figures: list[Figure]) -> list[Figure]:
    """The first figure of each metric of OVERVIEW."""
    first: dict[str, Figure] = {}
    for figure in figures:
        first.setdefault(figure.metric, figure)
    return [first[metric] for metric in OVERVIEW if metric in first]


def thesis_speed(speeds: pd.Series[float]) -> float:
    """The speed (m/s) at which the thesis compares protocols, or the nearest that there is."""
    return float(min(speeds.unique(), key=lambda value: (abs(value - SPEED_MPS), value)))


@dataclass(frozen=True)
class Outcomes:
    """What became of the pairs that a subscription asked for, as shares of them, at a place: key by key.

    `shares`: rows by protocol and configuration; columns `delivered` and the causes of loss, in order.
    `reachable` is what an ideal epidemic protocol would have delivered.
    """

    only: Mapping[str, Any]
    shares: pd.DataFrame
    reachable: pd.Series[float]

    @property
    def place(self) -> str:
        """`node speed 8 m/s`, and where on the axes."""
        return f"node speed {'; '.join(numbers.key_words(*item) for item in self.only.items())}"

    @property
    def causes(self) -> list[str]:
        """Of losses that occurred, in order."""
        return [str(name) for name in self.shares if name != "delivered"]

    def protocols(self) -> list[str]:
        """In the order of print."""
        return in_order("protocol", self.shares.index.to_frame()["protocol"])

    def bars(self, protocol: str) -> tuple[list[str], dict[str, list[float]], list[float]]:
        """Of a protocol, in %: configurations; heights by cause, from below; reachable."""
        shares = 100 * self.shares.xs(protocol)
        configs = in_order("config", shares.reset_index()["config"])
        heights = {
            str(name): [float(column[config]) for config in configs] for name, column in shares.items()
        }
        reachable = 100 * self.reachable.xs(protocol).loc[configs]
        return configs, heights, [float(value) for value in reachable]


def colour(column: str) -> str:
    """Of a column of Outcomes.shares."""
    return CAUSE_COLOURS.get(column, DELIVERED)


def hatch(column: str) -> str:
    """Of a column of Outcomes.shares."""
    return dict(zip(CAUSE_COLOURS, HATCHES, strict=True)).get(column, "")


#: Colours on which black lines would not be seen.
_DARK = ("EXPIRED_ROUTE", "TTL", "DROPPED_BY_QUEUE", "CRASHED")


def hatch_ink(column: str) -> str:
    """What the hatch of a column of Outcomes.shares is drawn in."""
    return "white" if column in _DARK else "black"


def outcomes(values: pd.DataFrame) -> Outcomes | None:
    """From one row a run (StudyResults.runs); None if the causes of loss are not known."""
    place = first_place(values)
    only = {"speed_mps": thesis_speed(at(values, place)["speed_mps"]), **place}
    rows = at(values, only).rename(columns={"delivery_rate_strict": "delivered"})
    rows = rows.rename(columns=lambda name: name.removeprefix(LOST))
    means = rows.groupby(["protocol", "config"]).mean(numeric_only=True)
    causes = [cause for cause in CAUSES if cause in means and (means[cause] > 0).any()]
    if not any(str(column).startswith(LOST) for column in values):
        return None
    return Outcomes(only, means[["delivered", *causes]].astype(float), means["reachable"].astype(float))


def draw(figure: Figure) -> MatplotlibFigure:
    """In the style that is set."""
    import matplotlib.pyplot as plt

    drawing, axes = plt.subplots()
    drawing.set_figheight(drawing.get_figheight() + lines.room_below(figure))
    lines.draw(axes, figure)
    _explain(drawing, [axes], figure, 5 if figure.lines == "config" else 3)
    return drawing


def draw_panels(figures: Sequence[Figure]) -> MatplotlibFigure:
    """Figures of the same lines side by side, in the style that is set."""
    import matplotlib.pyplot as plt

    drawing, grid = plt.subplots(1, len(figures), squeeze=False, figsize=(5.0 * len(figures), 4))
    drawing.set_figheight(drawing.get_figheight() + max(map(lines.room_below, figures)))
    panels = list(grid.flat)
    for axes, figure in zip(panels, figures, strict=True):
        lines.draw(axes, figure)
    _explain(drawing, panels, figures[0], 7)
    return drawing


def _explain(drawing: MatplotlibFigure, panels: list[Axes], figure: Figure, columns: int) -> None:
    """Names points that no lines join in a legend, as lines are at their ends; says how sure they are."""
    note = numbers.seeds_note(figure.rows["n"])
    if figure.is_ordered:
        drawing.supxlabel(note, fontsize="small", color=lines.ASIDE)
    else:
        add_legend(drawing, panels[:1], columns, note)


#: Rows of a legend that the usual height has room for.
_ROWS = 3


def add_legend(drawing: MatplotlibFigure, panels: Iterable[Axes], most_columns: int, title: str = "") -> None:
    """Of what has a label on the panels, below them, in as many columns as fit; many rows make it higher."""
    from matplotlib.legend import Legend

    handles: dict[str, Any] = {}
    for axes in panels:
        handles |= {text: handle for handle, text in zip(*axes.get_legend_handles_labels(), strict=True)}
    texts = [*handles]
    if not texts:
        return

    def legend(columns: int) -> Legend:
        return drawing.legend(
            handles.values(),
            texts,
            loc="outside lower center",
            ncols=columns,
            columnspacing=1.0,
            title=title or None,
        )

    for columns in range(most_columns, 0, -1):
        below = legend(columns)
        if columns == 1 or below.get_window_extent().width <= drawing.bbox.width:
            break
        below.remove()
    rows = -(-len(texts) // columns)
    row_height = 1.5 * below.get_texts()[0].get_fontproperties().get_size_in_points() / 72
    drawing.set_figheight(drawing.get_figheight() + max(0, rows - _ROWS) * row_height)


#: What files would tell of when and by what they were written: without it they are the same each time.
_METADATA: Mapping[str, dict[str, None]] = {
    "svg": {"Date": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None},
}


def save(drawing: MatplotlibFigure, paths: Iterable[Path]) -> None:
    """Into files of KINDS, by their names' ends, which are the same each time. Closes the drawing.

    Their text is text, whatever style is set.
    """
    import matplotlib.pyplot as plt

    for path in paths:
        kind = path.suffix.removeprefix(".")
        with written(path) as unfinished, plt.rc_context(EDITABLE):
            drawing.savefig(unfinished, format=kind, metadata=_METADATA[kind])
            if kind == "png":
                _reduce(unfinished)
    plt.close(drawing)


def _reduce(path: Path) -> None:
    """Writes a PNG with a palette: drawings have few colours, and take less than half of the bytes."""
    from PIL import Image

    with Image.open(path) as picture:
        palette = picture.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        palette.save(path, format="png", optimize=True)


#: Side by side.
_MOST_PANELS = 7
#: Characters that there is room for above a panel, and below it.
_PANEL_WIDE = 20


def draw_outcomes(found: Outcomes) -> MatplotlibFigure:
    """A panel for each protocol, in it a bar for each configuration: delivered, then lost by cause."""
    import matplotlib.pyplot as plt

    protocols = found.protocols()
    rows = -(-len(protocols) // _MOST_PANELS)
    columns = -(-len(protocols) // rows)
    drawing, grid = plt.subplots(
        rows,
        columns,
        sharey=True,
        squeeze=False,
        figsize=(max(7.5, 1.2 + 1.7 * columns), 1.2 + 2.6 * rows),
    )
    panels = list(grid.flat)
    for axes, protocol in zip(panels, protocols, strict=False):
        _draw_bars(axes, found, protocol)
    for axes in panels[len(protocols) :]:
        axes.set_axis_off()
    for first in grid[:, 0]:
        first.set_ylabel("Of all pairs (%)")
    handles, _ = panels[0].get_legend_handles_labels()
    drawing.legend(handles=handles, loc="outside lower center", ncols=3)
    drawing.suptitle(f"What became of all pairs, {found.place}", fontsize=10)
    return drawing


def _draw_bars(axes: Axes, found: Outcomes, protocol: str) -> None:
    configs, bars, reachable = found.bars(protocol)
    bottom = [0.0] * len(configs)
    for column, heights in bars.items():
        axes.bar(
            configs,
            heights,
            bottom=bottom,
            width=0.8,
            color=colour(column),
            hatch=hatch(column),
            edgecolor=hatch_ink(column),
            linewidth=0,
            label=CAUSES.get(column, column),
        )
        bottom = [low + height for low, height in zip(bottom, heights, strict=True)]
    places = range(len(configs))
    axes.hlines(
        reachable,
        [place - 0.45 for place in places],
        [place + 0.45 for place in places],
        colors="black",
        linewidth=1.5,
        label="reachable",
    )
    axes.set_title(lines.folded(label(protocol), _PANEL_WIDE))
    if len("".join(configs)) > _PANEL_WIDE:
        lines.slant(axes)
    axes.grid(visible=False, axis="x")
    axes.set_ylim(0, 104)
