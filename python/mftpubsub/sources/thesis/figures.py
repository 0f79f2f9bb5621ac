"""The thesis's figures 4.4 to 4.8, of any study that has what they show."""

from __future__ import annotations

from collections.abc import Mapping
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

from mftpubsub.labels import SPEED_MPS, in_order, label
from mftpubsub.sources.thesis import statements
from mftpubsub.studies import numbers
from mftpubsub.studies.figures import Figure, at, first_place, is_told_by, thesis_speed
from mftpubsub.trace.layout import axes_of

if TYPE_CHECKING:
    import pandas as pd

#: At which the thesis compares speeds.
CONFIG = "C16"


def plan(table: pd.DataFrame) -> list[Figure]:
    """The figures that a table allows. Where it lacks 8 m/s or C16, the nearest is shown.

    In the thesis's networks, with both of its protocols, they are named and numbered as there, and say what
    is lacking. Others are named by what they show, and over which key.
    """
    is_thesis = statements.concern(table)
    axes = first_place(table)
    speed = thesis_speed(at(table, axes)["speed_mps"])
    configs = in_order("config", table["config"])
    there = in_order("config", at(table, axes)["config"])  # not every network has runs at each place
    config = CONFIG if CONFIG in there else there[-1]
    places = {"config": config, "speed_mps": speed, **axes}
    words = {
        "config": f"configuration {config}"
        + (f" (no runs of {CONFIG})" if is_thesis and config != CONFIG and not axes else ""),
        "speed_mps": f"node speed {speed:g} m/s"
        + (f" (no runs at {SPEED_MPS:g} m/s)" if is_thesis and speed != SPEED_MPS and not axes else ""),
    }

    def figure(name: str, title: str, metric: str, ylabel: str, x: str, **more: Any) -> Figure:
        lines = _lines(table, x)
        shown = (x, lines)
        only = {key: v for key, v in places.items() if key not in shown and not is_told_by(table, key, shown)}
        if lines != "protocol":
            only["protocol"] = table["protocol"].iloc[0]
        place = "; ".join(words.get(key) or numbers.key_words(key, value) for key, value in only.items())
        rows = _rows(table, metric, only).dropna(subset=[*shown])  # what is nowhere on the axis has no point
        number = name.removeprefix("fig").replace("_", ".") if is_thesis and name.startswith("fig") else ""
        name = name if is_thesis or axes else f"{_OWN_NAMES[name]}_over_{x}"
        return Figure(name, f"{title}\n{place}", ylabel, metric, x, lines, only, rows, number=number, **more)

    if axes:
        over = [key for key in (*axes, "config", "speed_mps") if table[key].nunique() > 1]
        return [
            figure(f"{name}_over_{x}", *what, x, **more)
            for x in over
            for name, (what, more) in _OF_AXES.items()
        ]

    size = "config" if len(configs) > 1 else "speed_mps"
    has_speeds = is_thesis or table["speed_mps"].nunique() > 1
    rate = figure("fig4_4", "Delivery rate", "delivery_rate", "Delivery rate (%)", size, is_share=True)
    found = [
        *(_delivery_rates(table, is_thesis) if has_speeds else [rate]),
        *(
            figure(name, *what, "speed_mps" if name == OVER_SPEEDS else size, **more)
            for name, (what, more) in _OF_SIZES.items()
            if has_speeds or name != OVER_SPEEDS
        ),
    ]
    return [*{figure.name: figure for figure in found}.values()]


#: Title, metric and label, looks.
_What = tuple[tuple[str, str, str], Mapping[str, Any]]
_DELIVERY: _What = (
    ("Delivery rate, strict", "delivery_rate_strict", "Of all pairs (%)"),
    {"is_share": True},
)
_DELIVERED: _What = (("Messages delivered", "delivered_pairs", "Messages delivered"), {})
_DELAY: _What = (("End-to-end delay", "delay_mean_s", "End-to-end delay (s)"), {"is_log": True})
_MESSAGES: _What = (("Messages sent", "frames_per_node", "Messages per node"), {"is_log": True})
#: What is drawn over each key of a study that has axes, by name.
_OF_AXES: Mapping[str, _What] = {"delivery": _DELIVERY, "delay": _DELAY, "messages": _MESSAGES}
#: What is drawn over the sizes of networks, by the names of the thesis's figures, and the one over speeds.
_OF_SIZES: Mapping[str, _What] = {
    "delivery": _DELIVERY,
    "fig4_5a": _DELIVERED,
    "fig4_5b": _DELIVERED,
    "fig4_6": _DELAY,
    "fig4_7a": (("Average number of hops", "hops_mean", "Hops, average"), {}),
    "fig4_7b": (("Maximum number of hops", "hops_max", "Hops, maximum"), {}),
    "fig4_8": _MESSAGES,
}
OVER_SPEEDS = "fig4_5b"
#: What these show, which names those of other studies.
_OWN_NAMES: Mapping[str, str] = {
    "delivery": "delivery",
    "fig4_4": "delivery_rate",
    "fig4_5a": "delivered",
    "fig4_5b": "delivered",
    "fig4_6": "delay",
    "fig4_7a": "hops",
    "fig4_7b": "hops_max",
    "fig4_8": "messages",
}


def _lines(table: pd.DataFrame, x: str) -> str:
    """The key of the lines: protocols, or of one protocol another axis that has several values."""
    axes = [axis for axis in axes_of(table) if axis != x and table[axis].nunique() > 1]
    return axes[0] if axes and table["protocol"].nunique() == 1 else "protocol"


def _rows(table: pd.DataFrame, metric: str, only: Mapping[str, Any]) -> pd.DataFrame:
    return at(table, {"metric": metric, **only})


def _delivery_rates(table: pd.DataFrame, is_thesis: bool) -> list[Figure]:
    """Figure 4.4: the thesis's delivery rate; (a) MFT-PubSub, (b) AODV, then any other protocol."""
    present = in_order("protocol", table["protocol"])
    others = [name for name in present if name not in (statements.MFT, statements.AODV)]
    letters = dict(zip([statements.MFT, statements.AODV, *others], ascii_lowercase, strict=False))
    return [
        Figure(
            f"fig4_4{letters[protocol]}" if is_thesis else f"delivery_rate_over_speed_mps_of_{protocol}",
            f"Delivery rate\n{label(protocol)}",
            "Delivery rate (%)",
            "delivery_rate",
            "speed_mps",
            "config",
            only := {"protocol": protocol},
            _rows(table, "delivery_rate", only),
            is_share=True,
            number=f"4.4{letters[protocol]}"
            if is_thesis and protocol in (statements.MFT, statements.AODV)
            else "",
        )
        for protocol in sorted(present, key=lambda name: letters[name])
    ]
