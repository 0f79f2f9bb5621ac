"""The thesis's figures 4.4 to 4.8, drawn from the tidy table DIR/tables/metrics.parquet alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

from mftpubsub.errors import MftPubsubError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: Speed (m/s) and configuration at which the thesis compares the protocols.
SPEED_MPS = 8.0
CONFIG = "C16"

#: How protocols are called and ordered in print; others follow under their own names.
LABELS = {"mft-pubsub": "MFT-PubSub", "mft-pubsub-r": "MFT-PubSub-R", "aodv": "AODV"}

#: Colour-blind-safe (Wong 2011), each with a marker and a line style of its own for grey print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)))

STYLE: Any = {
    "figure.figsize": (4.6, 3.4),  # inch
    "figure.constrained_layout.use": True,
    "savefig.dpi": 300,
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#d9d9d9",
    "grid.linewidth": 0.6,
    "legend.fontsize": 9,
    "legend.title_fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "lines.markersize": 5,
    "svg.hashsalt": "mftpubsub",
}


@dataclass(frozen=True)
class Figure:
    """One figure: `rows` of the table, drawn over `x` ("config" or "speed_mps"), a line for each `lines`."""

    name: str
    title: str
    ylabel: str
    x: str
    lines: str
    rows: pd.DataFrame
    is_log: bool = False
    is_share: bool = False


def make(folder: Path) -> None:
    """Draws DIR/figures/fig4_4a ... fig4_8, each .png (300 dpi) and .svg, that are older than the table.

    Raises MftPubsubError if there is no table.
    """
    import matplotlib as mpl

    table = folder / "tables" / "metrics.parquet"
    target = folder / "figures"
    target.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(STYLE):
        for figure in plan(read_table(folder)):
            paths = [target / f"{figure.name}.{kind}" for kind in ("png", "svg")]
            if not all(is_newer(path, table) for path in paths):
                _draw(figure, paths)


def is_newer(path: Path, *sources: Path) -> bool:
    """Whether `path` exists and none of `sources` changed after it."""
    return path.exists() and all(path.stat().st_mtime_ns > source.stat().st_mtime_ns for source in sources)


def read_table(folder: Path) -> pd.DataFrame:
    """The tidy table, one row for each case and metric. Raises MftPubsubError if it is not there."""
    import pandas as pd

    path = folder / "tables" / "metrics.parquet"
    if not path.exists():
        raise MftPubsubError(f"{path} is missing; `mftpubsub ingest {folder}` makes it")
    return pd.read_parquet(path)


def plan(table: pd.DataFrame) -> list[Figure]:
    """The figures that a table allows. Where it lacks 8 m/s or C16, the nearest is shown and named."""
    speed = min(table["speed_mps"].unique(), key=lambda value: (abs(value - SPEED_MPS), value))
    configs = in_order("config", table["config"])
    config = CONFIG if CONFIG in configs else configs[-1]
    at_speed = table[table["speed_mps"] == speed]
    at_config = table[table["config"] == config]
    where = f"node speed {speed:g} m/s" + ("" if speed == SPEED_MPS else f" (no runs at {SPEED_MPS:g} m/s)")
    which = f"configuration {config}" + ("" if config == CONFIG else f" (no runs of {CONFIG})")

    def by_config(name: str, title: str, metric: str, ylabel: str, is_log: bool = False) -> Figure:
        rows = at_speed[at_speed["metric"] == metric]
        return Figure(name, f"{title}\n{where}", ylabel, "config", "protocol", rows, is_log)

    def by_speed(name: str, title: str, metric: str, ylabel: str) -> Figure:
        rows = at_config[at_config["metric"] == metric]
        return Figure(name, f"{title}\n{which}", ylabel, "speed_mps", "protocol", rows)

    return [
        *_delivery_rates(table[table["metric"] == "delivery_rate"]),
        by_config("fig4_5a", "Messages delivered", "delivered_pairs", "Messages delivered"),
        by_speed("fig4_5b", "Messages delivered", "delivered_pairs", "Messages delivered"),
        by_config("fig4_6", "End-to-end delay", "delay_mean_s", "End-to-end delay (s)", is_log=True),
        by_config("fig4_7a", "Average number of hops", "hops_mean", "Hops, average"),
        by_config("fig4_7b", "Maximum number of hops", "hops_max", "Hops, maximum"),
        by_config(
            "fig4_8", "Messages sent by each node", "frames_per_node", "Messages per node", is_log=True
        ),
    ]


def _delivery_rates(rows: pd.DataFrame) -> list[Figure]:
    """Figure 4.4: the thesis's delivery rate; (a) MFT-PubSub, (b) AODV, then any other protocol."""
    present = in_order("protocol", rows["protocol"])
    others = [name for name in present if name not in ("mft-pubsub", "aodv")]
    letters = dict(zip(["mft-pubsub", "aodv", *others], ascii_lowercase, strict=False))
    return [
        Figure(
            f"fig4_4{letters[protocol]}",
            f"Delivery rate\n{label('protocol', protocol)}",
            "Delivery rate (%)",
            "speed_mps",
            "config",
            rows[rows["protocol"] == protocol],
            is_share=True,
        )
        for protocol in present
    ]


def in_order(key: str, values: pd.Series[Any]) -> list[Any]:
    """Distinct values of a key column, as they stand in figures: C2 before C16, ours before AODV."""
    orders: dict[str, Callable[[Any], Any]] = {
        "config": _by_number,
        "protocol": _by_label,
        "speed_mps": float,
    }
    return sorted(values.unique(), key=orders[key])


def _by_number(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def _by_label(name: str) -> tuple[int, str]:
    known = list(LABELS)
    return (known.index(name) if name in known else len(known), name)


def label(key: str, value: Any) -> str:
    """How a value of a key column is printed."""
    return f"{value:g}" if key == "speed_mps" else LABELS.get(value, str(value))


def _draw(figure: Figure, paths: list[Path]) -> None:
    import matplotlib.pyplot as plt

    drawing, axes = plt.subplots()
    values = in_order(figure.x, figure.rows[figure.x])
    # Speeds stand where they are on the scale, configurations side by side.
    places = {value: value if figure.x == "speed_mps" else place for place, value in enumerate(values)}
    for i, name in enumerate(in_order(figure.lines, figure.rows[figure.lines])):
        _draw_line(axes, figure, name, i, places)
    _set_axes(axes, figure, places)
    handles, names = axes.get_legend_handles_labels()
    if handles:
        drawing.legend(
            handles, names, loc="outside lower center", ncols=min(len(names), 5), title=_note(figure)
        )
    for path in paths:
        drawing.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else {"Software": None})
    plt.close(drawing)


def _draw_line(axes: Axes, figure: Figure, name: str, i: int, places: dict[Any, float]) -> None:
    """The `i`-th line, a little to the side of the others so that error bars do not cover each other."""
    rows = figure.rows[figure.rows[figure.lines] == name].dropna(subset=["mean"])
    rows = rows.assign(place=rows[figure.x].map(places)).sort_values("place")
    count = figure.rows[figure.lines].nunique()
    width = (max(places.values()) - min(places.values())) or 1.0
    scale = 100.0 if figure.is_share else 1.0
    axes.errorbar(
        rows["place"].to_numpy(float) + (i - (count - 1) / 2) * 0.012 * width,
        rows["mean"].to_numpy(float) * scale,
        yerr=rows["ci95"].fillna(0.0).to_numpy(float) * scale,
        label=label(figure.lines, name),
        color=COLOURS[i % len(COLOURS)],
        marker=MARKERS[i % len(MARKERS)],
        linestyle=DASHES[i % len(DASHES)],
        capsize=3,
        elinewidth=1.0,
    )


def _set_axes(axes: Axes, figure: Figure, places: dict[Any, float]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_title(figure.title)
    axes.set_ylabel(figure.ylabel)
    axes.set_xlabel("Node speed (m/s)" if figure.x == "speed_mps" else "Configuration")
    axes.set_xticks(list(places.values()), [label(figure.x, value) for value in places])
    axes.grid(visible=False, axis="x")
    if figure.is_log and (figure.rows["mean"] > 0).any():
        axes.set_yscale("log", nonpositive="clip")
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(0, 104 if figure.is_share else None)


def _note(figure: Figure) -> str:
    seeds = figure.rows["n"]
    count = f"{seeds.min()}" if seeds.min() == seeds.max() else f"{seeds.min()} to {seeds.max()}"
    return f"mean and 95 % confidence interval, {count} seeds"
