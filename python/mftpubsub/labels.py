"""What protocols, metrics and causes of loss are called in print, and in which order they stand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import floor, inf, isfinite, log10
from typing import TYPE_CHECKING, Any

from mftpubsub.protocols.catalogue import PROTOCOLS

if TYPE_CHECKING:
    import pandas as pd

#: At which the thesis compares sizes.
SPEED_MPS = 8.0

#: By what shares are multiplied for print.
SHARE = 100.0

#: Headings of metrics, and by what they are multiplied for print. Others stand under their own names.
METRICS: Mapping[str, tuple[str, float]] = {
    "delivery_rate": ("delivery rate (thesis), %", 100.0),
    "delivery_rate_strict": ("delivery rate (strict), %", 100.0),
    "reachable": ("reachable, %", 100.0),
    "delivered_of_reachable": ("delivered of reachable, %", 100.0),
    "matched_share": ("matched, %", 100.0),
    "delivered_pairs": ("messages delivered", 1.0),
    "delay_mean_s": ("delay, mean, s", 1.0),
    "delay_median_s": ("delay, median, s", 1.0),
    "delay_p95_s": ("delay, p95, s", 1.0),
    "hops_mean": ("hops, mean", 1.0),
    "hops_max": ("hops, maximum", 1.0),
    "frames_per_node": ("messages per node", 1.0),
    "frames_per_event": ("messages per event", 1.0),
    "frames_per_node_pub": ("PUB, DATA", 1.0),
    "frames_per_node_rep": ("REP", 1.0),
    "frames_per_node_control": ("control", 1.0),
    "frames_per_node_heartbeat": ("heartbeat, HELLO", 1.0),
    "frames_per_node_ack": ("ACK", 1.0),
    "frames_per_broker": ("by a broker", 1.0),
    "frames_per_subscriber": ("by a subscriber", 1.0),
    "frames_per_publisher": ("by a publisher", 1.0),
    "energy_per_node_j": ("energy per node, J", 1.0),
    "energy_per_delivery_j": ("energy per delivered message, J", 1.0),
    "energy_per_broker_j": ("of a broker, J", 1.0),
    "energy_per_subscriber_j": ("of a subscriber, J", 1.0),
    "energy_per_publisher_j": ("of a publisher, J", 1.0),
    "load_busiest_broker": ("messages of the busiest broker over the mean broker", 1.0),
    "load_by_depth": ("correlation of brokers' depth and messages", 1.0),
    "largest_branch": ("brokers on the largest branch, %", SHARE),
    "control_per_migration": ("control messages per migration", 1.0),
    "control_bytes_per_migration": ("control bytes per migration", 1.0),
    "senders_mean": ("nodes sending at a time", 1.0),
    "wall_s": ("wall time of a run, s", 1.0),
    "cpu_s": ("processor time of a run, s", 1.0),
    "events": ("simulator events", 1.0),
    "trace_bytes": ("trace, MB", 1e-6),
}

#: Why pairs were not delivered, in the order of an event's way; words for print.
CAUSES: Mapping[str, str] = {
    "UNSENT": "never left the publisher",
    "UNMATCHED": "never matched",
    "NO_ROUTE": "no route found",
    "EXPIRED_ROUTE": "route expired on the way",
    "NO_ADDRESS": "next hop without address",
    "TTL": "too many hops",
    "STRANDED": "no way on at a later broker",
    "RADIO": "lost on the air",
    "MAC": "dropped by the MAC's buffer",
    "DROPPED_BY_QUEUE": "dropped by a queue",
    "CRASHED": "on a node that crashed",
    "QUEUED": "queued at the end",
    "IN_FLIGHT": "under way at the end",
}
LOST = "lost_"


def in_order(key: str, values: pd.Series[Any]) -> list[Any]:
    """Distinct values of a key column, as they stand in print: C2 before C16, ours before AODV."""
    if key == "protocol":
        return sorted(values.unique(), key=_by_label)
    is_text = any(isinstance(value, str) for value in values.unique())
    return sorted(values.unique(), key=by_number if is_text else float)


def by_number(name: str) -> list[tuple[int, str]]:
    """Sorts names as people do: C2 before C16."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def _by_label(name: str) -> tuple[int, str]:
    known = list(PROTOCOLS)
    return (known.index(name) if name in known else len(known), name)


def label(value: Any) -> str:
    """How a value of a key column is printed."""
    if isinstance(value, str):
        return PROTOCOLS[value].label if value in PROTOCOLS else value
    return f"{value:g}"


def heading(metric: str) -> tuple[str, float]:
    """How a metric is called in print, and by what it is multiplied."""
    if metric.startswith(LOST):
        cause = metric.removeprefix(LOST)
        return f"{CAUSES.get(cause, cause)}, %", 100.0
    return METRICS.get(metric, (metric, 1.0))


def possible(metric: str) -> tuple[float, float]:
    """The least and the largest that a metric can be, as it is printed."""
    if metric == "load_by_depth":
        return -1.0, 1.0
    return 0.0, SHARE if heading(metric)[1] == SHARE else inf


def number(value: float) -> str:
    """Four significant digits, or all digits of a whole number."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def rounded(*values: float, spread: float) -> list[str]:
    """Values of which `spread` says how sure they are: with the place of its second significant digit."""
    if not isfinite(spread) or spread <= 1e-9 * max(map(abs, values)):
        return [number(value) for value in values]
    places = 1 - floor(log10(spread))
    return [f"{round(value, places) + 0.0:.{max(places, 0)}f}" for value in values]
