"""What protocols, metrics and causes of loss are called in print, and in which order they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from math import floor, inf, isfinite, log10, nan
from typing import TYPE_CHECKING, Any

from mftpubsub.metrics.table import METRICS, Metric
from mftpubsub.notes import tell
from mftpubsub.protocols.catalogue import PROTOCOLS, self_matching
from mftpubsub.trace.layout import text

if TYPE_CHECKING:
    import pandas as pd

#: At which the thesis compares sizes.
SPEED_MPS = 8.0

#: By what shares are multiplied for print.
SHARE = 100.0

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
    "UNKNOWN": "not known why",
}
LOST = "lost_"


#: Of delivery, what a protocol is judged by that matches where events arrive.
STRICT = ("delivery_rate_strict", "delivered_of_reachable")


def leading(metrics: Iterable[str], protocols: Iterable[str]) -> list[str]:
    """Names of metrics for print: the strict rate and what was reachable stand first if some protocol matches
    where events arrive, as `why_strict` says."""
    names = list(metrics)
    if not self_matching(protocols):
        return names
    return [*STRICT, *(name for name in names if name not in STRICT)]


def why_strict(protocols: Iterable[str]) -> str:
    """Why `delivery_rate` may say nothing of some of the protocols; empty if it does of all."""
    found = [label(name) for name in self_matching(protocols)]
    if not found:
        return ""
    return (
        "delivery_rate counts what somebody has matched. Where subscribers match what they receive it is 1 "
        f"by construction. Of {', '.join(found)} read {' and '.join(STRICT)}."
    )


def note_strict(metric: str, rows: pd.DataFrame) -> None:
    """Tells why `delivery_rate` may say nothing of some of the protocols of a table, if it is asked for."""
    if metric == "delivery_rate" and "protocol" in rows and (why := why_strict(rows["protocol"].unique())):
        tell(why)


#: Of a table, what it knows of itself (`attrs`): by key the names of its values, in the order of the study.
ORDERS = "orders"


def in_order(key: str, values: pd.Series[Any]) -> list[Any]:
    """Distinct values of a key column, as they stand in print: numbers and sizes by size, C2 before C16,
    protocols as in the catalogue, ours before AODV, other names as in the study, if the table knows that.
    Behind all others stands NaN, as `one_nan` has it."""
    there = values.dropna().unique()
    known = [] if sizes_of(there) else list(values.attrs.get(ORDERS, {}).get(key, ()))

    def order(value: Any) -> Any:
        if key == "protocol":
            return _by_label(value)
        if not isinstance(value, str):
            return value
        return (known.index(value) if value in known else len(known), by_number(value))

    return [*sorted(there, key=order), *([nan] if values.isna().any() else [])]


def one_nan(value: Any) -> Any:
    """The value; NaN as one and the same object, which alone is found in lists and dictionaries."""
    return nan if value != value else value


def sizes_of(names: Iterable[Any]) -> list[int]:
    """The numbers of names that are a word and a size each, the same word: C2, C4, ... Otherwise nothing."""
    parts = [re.fullmatch(r"(\D*)([1-9]\d*)", name) for name in names if isinstance(name, str)]
    found = [part for part in parts if part]
    is_of_sizes = len(found) == len(parts) > 0 and len({part[1] for part in found}) == 1
    return [int(part[2]) for part in found] if is_of_sizes else []


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
    return text(value)


def tick(value: Any) -> str:
    """How a value is printed along an axis, where its place tells further digits."""
    return f"{value:g}" if isinstance(value, float) else label(value)


def in_print(name: str) -> Metric:
    """How a metric is printed. One that metrics.yaml has not stands under its own name."""
    if name.startswith(LOST):
        cause = CAUSES.get(name.removeprefix(LOST), name.removeprefix(LOST))
        return Metric(name, "", "share", (0.0, 1.0), cause, "%", SHARE)
    most = SHARE if name.endswith("_percent") else inf
    return METRICS.get(name, Metric(name, "", values=(0.0, most)))


def number(value: float) -> str:
    """Four significant digits, or all digits of a whole number."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def rounded(*values: float, spread: float) -> list[str]:
    """Values of which `spread` says how sure they are: with the place of its second significant digit."""
    noise = 1e-9 * max(map(abs, values))
    if not isfinite(spread) or spread <= noise:
        return [number(value if abs(value) > noise else 0.0) for value in values]
    places = 1 - floor(log10(spread))
    return [f"{round(value, places) + 0.0:.{max(places, 0)}f}" for value in values]
