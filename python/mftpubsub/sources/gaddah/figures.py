"""G's figures 5 to 8, 12 and 13 from our runs, and the analytical model beside the simulation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from mftpubsub.sources.gaddah.analytic import (
    neighbouring_chain,
    neighbouring_closed_form,
    random_closed_form,
    stationary,
    throughput,
)
from mftpubsub.sources.gaddah.printed import MOBILITIES, SCHEMES
from mftpubsub.studies.evidence import NotRunError
from mftpubsub.studies.figures import KINDS, add_legend, save
from mftpubsub.style import COLOURS, DASHES, MARKERS, in_style
from mftpubsub.worlds.handoff.scenario import complete
from mftpubsub.worlds.handoff.world import QUANTILES

BROKERS = tuple(range(1, 7))
SUBSCRIBERS = 200
LOOKS = {
    scheme: {"color": COLOURS[place], "marker": MARKERS[place], "linestyle": DASHES[place]}
    for place, scheme in enumerate(SCHEMES)
}
#: Of bars that stand side by side, which tell them apart in grey print.
HATCHES = ("", "//", "..")


def make(table: pd.DataFrame, folder: Path) -> list[Path]:
    """Draws each figure whose cells were run into `folder`, as PNG, SVG and PDF. Returns the PNGs."""
    import matplotlib.pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    with in_style({"savefig.dpi": 110, "legend.frameon": True}):
        for name, draw in (
            ("overview", _overview),
            ("fig5", _over_subscribers),
            ("fig6", _latencies),
            ("fig7", _frequency),
            ("fig8", _brokers),
            ("fig12_13", _analysis),
            ("occupancy", _occupancy),
        ):
            files = [folder / f"{name}.{kind}" for kind in KINDS]
            try:
                figure = draw(plt, table)
            except NotRunError:
                plt.close()
                continue
            save(figure, files)
            paths.append(files[0])
    return paths


def _cells(table: pd.DataFrame, metric: str, **keys: Any) -> pd.DataFrame:
    """The rows of some cells. Raises NotRunError if there is none."""
    rows = table[table.metric == metric]
    for key, value in keys.items():
        rows = rows[rows[key].isin(value if isinstance(value, (list, tuple)) else [value])]
    if rows.empty:
        raise NotRunError(metric)
    return rows


def _by_broker(table: pd.DataFrame, metric: str, mobility: str) -> tuple[list[float], list[float]]:
    rows = [
        _cells(
            table,
            f"{metric}.{broker}",
            group="tables",
            scheme="pro-active",
            mobility=mobility,
            subscribers=SUBSCRIBERS,
            buffer_events=256,
        ).iloc[0]
        for broker in BROKERS
    ]
    return [float(row["mean"]) for row in rows], [float(row["half_width"]) for row in rows]


#: Over the number of subscribers: metric, what it is called.
_DELAY = ("delay_first_copies_mean_s", "mean delay of first copies, s")
_RATE = ("throughput", "throughput, messages/s")
_LOSS = ("loss_percent", "events lost, %")


def _overview(plt: Any, table: pd.DataFrame) -> Any:
    return _panels(plt, table, _LOSS, _DELAY, _RATE)


def _over_subscribers(plt: Any, table: pd.DataFrame) -> Any:
    return _panels(plt, table, _DELAY, _RATE)


def _panels(plt: Any, table: pd.DataFrame, *panels: tuple[str, str]) -> Any:
    figure, grid = plt.subplots(1, len(panels), figsize=(5 * len(panels), 4))
    for axes, (metric, label) in zip(grid, panels, strict=True):
        for scheme in SCHEMES:
            rows = _cells(
                table,
                metric,
                group=["tables", "figure5"],
                scheme=scheme,
                mobility="random",
                buffer_events=256,
            ).sort_values("subscribers")
            axes.errorbar(
                rows.subscribers,
                rows["mean"],
                rows.half_width,
                label=scheme,
                **LOOKS[scheme],
            )
        axes.set(xlabel="subscribers", ylabel=label, ylim=(0, None))
    add_legend(figure, grid, len(SCHEMES))
    return figure


def _latencies(plt: Any, table: pd.DataFrame) -> Any:
    figure, axes = plt.subplots(figsize=(6, 4))
    for scheme in SCHEMES:
        seconds = [
            _cells(
                table,
                f"handoff_latency_s.{quantile:g}",
                group="tables",
                scheme=scheme,
                mobility="random",
                subscribers=SUBSCRIBERS,
                buffer_events=256,
            )["mean"].iloc[0]
            for quantile in QUANTILES
        ]
        axes.plot(seconds, QUANTILES, label=scheme, **LOOKS[scheme])
    axes.set(xlabel="hand-off latency, s", ylabel="share of hand-offs", xscale="log", ylim=(0, 1))
    axes.legend()
    return figure


def _frequency(plt: Any, table: pd.DataFrame) -> Any:
    figure, all_axes = plt.subplots(1, 3, figsize=(12, 4))
    for axes, metric in zip(all_axes, ("throughput", "loss_percent", "duplicates_percent"), strict=True):
        for offset, (group, label) in enumerate((("tables", "T_beta 60 s"), ("figure7", "T_beta 150 s"))):
            rows = _cells(
                table,
                metric,
                group=group,
                scheme=SCHEMES,
                mobility="random",
                subscribers=SUBSCRIBERS,
                buffer_events=128,
            ).set_index("scheme")
            places = [index + 0.4 * offset for index in range(len(SCHEMES))]
            chosen = rows.reindex(list(SCHEMES))
            look = {"color": COLOURS[offset], "hatch": HATCHES[offset], "linewidth": 0}
            axes.bar(places, chosen["mean"], 0.38, yerr=chosen["half_width"], label=label, **look)
        axes.set_xticks([index + 0.2 for index in range(len(SCHEMES))], SCHEMES)
        axes.set_title(metric)
        axes.legend()
    return figure


def _bars(axes: Any, series: Sequence[tuple[str, Sequence[float], Sequence[float] | None]]) -> None:
    width = 0.8 / len(series)
    for index, (label, values, errors) in enumerate(series):
        places = [broker + (index + 0.5) * width - 0.4 for broker in BROKERS]
        look = {"color": COLOURS[index], "hatch": HATCHES[index], "linewidth": 0}
        axes.bar(places, values, width, yerr=errors, label=label, **look)
    axes.set_xticks(BROKERS, [f"B{broker}" for broker in BROKERS])
    axes.legend()


def _brokers(plt: Any, table: pd.DataFrame) -> Any:
    figure, (rates, work) = plt.subplots(1, 2, figsize=(11, 4))
    for axes, metric, label in (
        (rates, "throughput_by_broker", "throughput, messages/s"),
        (work, "stored_per_event_by_broker", "copies stored per event"),
    ):
        _bars(axes, [(mobility, *_by_broker(table, metric, mobility)) for mobility in MOBILITIES])
        axes.set_ylabel(label)
    return figure


def _analysis(plt: Any, table: pd.DataFrame) -> Any:
    figure, all_axes = plt.subplots(1, 2, figsize=(11, 4))
    share, *_ = random_closed_form()
    near = neighbouring_closed_form()
    expected = {"random": dict.fromkeys(BROKERS, share), "neighbouring": near}
    for axes, mobility in zip(all_axes, MOBILITIES, strict=True):
        analysis = [throughput(float(SUBSCRIBERS * expected[mobility][broker])) for broker in BROKERS]
        simulated = _by_broker(table, "throughput_by_broker", mobility)
        _bars(axes, [("G's equation 16", analysis, None), ("simulation", *simulated)])
        axes.set(title=mobility, ylabel="throughput, messages/s")
    return figure


def _occupancy(plt: Any, table: pd.DataFrame) -> Any:
    figure, all_axes = plt.subplots(1, 2, figsize=(11, 4))
    share, *_ = random_closed_form()
    third = stationary(neighbouring_chain(complete()))
    exact = neighbouring_closed_form()
    chains = {
        "random": [
            ("G's chain (figure 9)", [float(SUBSCRIBERS * share)] * 6, None),
            ("chain of figure 4", [float(SUBSCRIBERS * third[broker - 1]) for broker in BROKERS], None),
        ],
        "neighbouring": [
            ("G's chain (figure 10)", [float(SUBSCRIBERS * exact[broker]) for broker in BROKERS], None)
        ],
    }
    for axes, mobility in zip(all_axes, MOBILITIES, strict=True):
        simulated = _by_broker(table, "connected_by_broker", mobility)
        _bars(axes, [*chains[mobility], ("simulation", *simulated)])
        axes.set(title=mobility, ylabel="subscribers connected")
    return figure
