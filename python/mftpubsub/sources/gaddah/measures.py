"""What tables of cells show, and with which digits."""

from __future__ import annotations

from collections.abc import Mapping

from mftpubsub.labels import in_print
from mftpubsub.sources.gaddah.claims import interval

#: Column, metric, digits, and what one unit of it is divided by.
MEASURES = (
    ("loss, %", "loss_percent", 2, 1),
    ("duplicates, %", "duplicates_percent", 2, 1),
    ("delay of first copies, s", "delay_first_copies_mean_s", 2, 1),
    ("first event after a move, median s", "handoff_latency_s.0.5", 3, 1),
    ("messages a move", "control_per_move.all", 2, 1),
    ("links they cross", "control_hops_per_move", 2, 1),
    ("links an event crosses", "traffic_hops_per_event", 2, 1),
    ("events held a broker", "held_mean", 0, 6),
)


def measured(found: tuple[float, float], metric: str, digits: int, unit: float) -> str:
    """A mean with half of its interval, as it is printed."""
    _, most = in_print(metric).possible
    return interval(found[0] / unit, found[1] / unit, digits, most)


def texts(found: Mapping[str, tuple[float, float]]) -> list[str]:
    """Of a cell, by its metrics: every measure."""
    return [
        measured(found[metric], metric, digits, unit) if metric in found else "-"
        for _, metric, digits, unit in MEASURES
    ]
