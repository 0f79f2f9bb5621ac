"""What G says of its evaluation, held against ours (section 11 of the specification).

Exact statements and invariants need no test. Of orders and numbers the effects are tested; where G prints a
number the tolerance is ours. The tables keep means and their intervals, so that effects between cells are
not paired by seed: their standard errors add up as those of independent means (Welch).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import inf, isnan, log, nan
from typing import Any

import pandas as pd

from mftpubsub.sources.gaddah import printed
from mftpubsub.sources.gaddah.analytic import printed_quantities
from mftpubsub.sources.gaddah.printed import MOBILITIES, SCHEMES, SUBSCRIBERS
from mftpubsub.statistics import CONFIDENCE, ends
from mftpubsub.studies.evidence import TIMES, NotRunError, Part, Sample, above, below, exact
from mftpubsub.studies.source import Claim

SIX = tuple((mobility, k) for mobility in MOBILITIES for k in SUBSCRIBERS)
#: Of subscribers in figure 5.
OVER_K = (10, 50, 100, 150, 200)
BROKERS = tuple(range(1, 7))


class Cells:
    """The aggregated runs: one number a metric of a cell."""

    def __init__(self, table: pd.DataFrame) -> None:
        keys = ["group", "scheme", "mobility", "subscribers", "buffer_events", "metric"]
        self._found: dict[tuple[object, ...], list[tuple[float, float, int]]] = {}
        values = table[["mean", "half_width", "seeds"]].to_numpy().tolist()
        for row, (mean, half, seeds) in zip(table[keys].to_numpy().tolist(), values, strict=True):
            self._found.setdefault(tuple(row), []).append((mean, half, int(seeds)))

    def get(
        self,
        metric: str,
        scheme: str,
        mobility: str = "random",
        subscribers: int = 200,
        buffer_events: int = 128,
        group: str = "tables",
    ) -> float:
        """Mean over the seeds. Raises NotRunError for a cell that is not there, or is there several times."""
        return self._one(group, scheme, mobility, subscribers, buffer_events, metric)[0]

    def sample(
        self,
        metric: str,
        scheme: str,
        mobility: str = "random",
        subscribers: int = 200,
        buffer_events: int = 128,
        group: str = "tables",
    ) -> Sample:
        """The mean with its standard error. Raises as `get`."""
        from scipy.special import stdtrit

        mean, half, n = self._one(group, scheme, mobility, subscribers, buffer_events, metric)
        if isnan(half) or n < 2:
            return Sample(1, mean, nan, nan)
        return Sample(n, mean, half / float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)), n - 1)

    def percent(
        self, metric: str, scheme: str, mobility: str, subscribers: int, group: str = "tables"
    ) -> str:
        """A share with its interval, for print, of buffers of 256 events. Raises as `get`."""
        mean, half, _ = self._one(group, scheme, mobility, subscribers, 256, metric)
        return interval(mean, half, 2, 100)

    def _one(self, *key: object) -> tuple[float, float, int]:
        found = self._found.get(key, [])
        if len(found) != 1:
            cell = ", ".join(map(str, key))
            raise NotRunError(f"{cell}: {len(found)} rates or stays" if found else f"no cell {cell}")
        return found[0]


def interval(mean: float, half: float, digits: int, most: float = inf) -> str:
    """`1.20 ± 0.30`; the ends, `1.20 [0.00, 2.90]`, of an interval that would reach beyond 0 or `most`."""
    if isnan(half):
        return f"{mean:.{digits}f}"
    if mean - half >= 0 and mean + half <= most:
        return f"{mean:.{digits}f} ± {half:.{digits}f}"
    low, high = ends(mean, half, (0, most))
    return f"{mean:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def over(one: Sample, other: Sample | float) -> Sample:
    """The ratio of two means, or of a mean to a number: on the scale of logarithms."""
    if not isinstance(other, Sample):
        other = Sample(one.n, other, 0.0, one.freedom)
    if one.mean <= 0 or other.mean <= 0:
        return Sample(min(one.n, other.n), nan, nan, nan)
    errors = one.error / one.mean, other.error / other.mean
    parts = [error**4 / side.freedom for error, side in zip(errors, (one, other), strict=True)]
    square = sum(error**2 for error in errors)
    freedom = square**2 / sum(parts) if sum(parts) else one.freedom
    return Sample(min(one.n, other.n), log(one.mean / other.mean), square**0.5, freedom)


def total(samples: Iterable[Sample]) -> Sample:
    """Of means within the same runs: their errors add up at most."""
    samples = [*samples]
    n, freedom = min(one.n for one in samples), min(one.freedom for one in samples)
    return Sample(n, sum(one.mean for one in samples), sum(one.error for one in samples), freedom)


def _of(cells: Cells, metric: str, buffer_events: int = 128, group: str = "tables") -> dict[Any, Sample]:
    """A metric of the cells of G's tables."""
    return {
        (scheme, *cell): cells.sample(metric, scheme, *cell, buffer_events, group)
        for scheme in SCHEMES
        for cell in SIX
    }


def _throughput(cells: Cells) -> dict[Any, Sample]:
    return _of(cells, "throughput", group="closed")


def _as_printed(
    ours: dict[Any, Sample],
    theirs: dict[printed.Cell, float],
    schemes: Iterable[str],
    low: float,
    high: float,
) -> Iterator[Part]:
    for scheme in schemes:
        for mobility, k in SIX:
            cell = (scheme, mobility, k)
            yield Part(f"{scheme}, {mobility}, K {k}", TIMES, over(ours[cell], theirs[cell]), low, high)


def _near_random(cells: Cells, metric: str, scheme: str, buffer_events: int, group: str) -> Iterator[Any]:
    """At each K the ratio of a metric under neighbouring moves to that under random ones."""
    for k in SUBSCRIBERS:
        random, near = (cells.sample(metric, scheme, m, k, buffer_events, group) for m in MOBILITIES)
        yield f"{scheme}, K {k}", over(near, random)


def analytic(cells: Cells) -> Iterator[Part]:
    rows = printed_quantities()
    right = sum(row["printed"] == row["value"] for row in rows.values())
    yield exact("to their digits", f"of {len(rows)}", right, len(rows), len(rows))


def t2(cells: Cells) -> Iterator[Part]:
    yield from _as_printed(_throughput(cells), printed.THROUGHPUT, SCHEMES, 0.75, 1.25)


def t2a(cells: Cells) -> Iterator[Part]:
    ours = _throughput(cells)
    for mobility, k in ((m, k) for m, k in SIX if k >= 100):
        for low, high in pairwise(SCHEMES):
            name = f"{high} over {low}, {mobility}, K {k}"
            yield above(name, TIMES, over(ours[high, mobility, k], ours[low, mobility, k]), 1)


def t2b(cells: Cells) -> Iterator[Part]:
    for name, ratio in _near_random(cells, "throughput", "pro-active", 128, "closed"):
        yield above(name, TIMES, ratio, 1)


def t2c(cells: Cells) -> Iterator[Part]:
    for scheme in ("durable", "reactive"):
        for name, ratio in _near_random(cells, "throughput", scheme, 128, "closed"):
            yield Part(name, TIMES, ratio, 0.9, 1.1)


def t2d(cells: Cells) -> Iterator[Part]:
    ours = _throughput(cells)
    for scheme in SCHEMES:
        for mobility in MOBILITIES:
            for few, many in pairwise(SUBSCRIBERS):
                ratio = over(ours[scheme, mobility, many], ours[scheme, mobility, few])
                yield Part(f"{scheme}, {mobility}, K {many} over {few}", TIMES, ratio, 1, many / few)


def t3(cells: Cells) -> Iterator[Part]:
    ours = _of(cells, "loss_percent", 256)
    yield from _as_printed(ours, printed.LOSS, ("durable", "reactive"), 1 / 2.5, 2.5)


def t3_pro_active(cells: Cells) -> Iterator[Part]:
    yield from _as_printed(_of(cells, "loss_percent", 256), printed.LOSS, ("pro-active",), 1 / 2.5, 2.5)


def t3a(cells: Cells) -> Iterator[Part]:
    losses = _of(cells, "loss_percent", 256)
    for mobility, k in SIX:
        for scheme in ("durable", "reactive"):
            ratio = over(losses["pro-active", mobility, k], losses[scheme, mobility, k])
            yield below(f"pro-active over {scheme}, {mobility}, K {k}", TIMES, ratio, 1)


def t3b(cells: Cells) -> Iterator[Part]:
    losses = _of(cells, "loss_percent", 256)
    for few, many in pairwise(SUBSCRIBERS):
        ratios = {s: over(losses[s, "random", many], losses[s, "random", few]) for s in SCHEMES}
        place = f"K {many} over {few}"
        yield below(f"pro-active, {place}", TIMES, ratios["pro-active"], 1)
        yield above(f"reactive, {place}", TIMES, ratios["reactive"], 1)
        yield Part(f"durable, {place}", TIMES, ratios["durable"], 1 / 1.5, 1.5)


def t3c(cells: Cells) -> Iterator[Part]:
    for scheme in SCHEMES:
        for name, ratio in _near_random(cells, "loss_percent", scheme, 256, "tables"):
            yield below(name, TIMES, ratio, 1)


def t4(cells: Cells) -> Iterator[Part]:
    ours = _of(cells, "duplicates_percent")
    for scheme, low, high in (("durable", 5, 30), ("reactive", 0.3, 3)):
        for mobility, k in SIX:
            yield Part(f"{scheme}, {mobility}, K {k}", "%", ours[scheme, mobility, k], low, high)


def t4a(cells: Cells) -> Iterator[Part]:
    sizes = (128, 256)
    most = max(cells.get("duplicates_percent", "pro-active", *cell, size) for cell in SIX for size in sizes)
    yield exact("at most, in any cell", "%", most, 0, 0)


def t4b(cells: Cells) -> Iterator[Part]:
    ours = _of(cells, "duplicates_percent")
    for mobility, k in SIX:
        ratio = over(ours["durable", mobility, k], ours["reactive", mobility, k])
        yield above(f"{mobility}, K {k}", TIMES, ratio, 5, null=1)


def t4c(cells: Cells) -> Iterator[Part]:
    for scheme in ("durable", "reactive"):
        for name, ratio in _near_random(cells, "duplicates_percent", scheme, 128, "tables"):
            yield below(name, TIMES, ratio, 1)


def over_k(cells: Cells, metric: str, scheme: str) -> list[Sample]:
    """A metric over the numbers of subscribers of figure 5."""
    groups = ("tables" if k in SUBSCRIBERS else "figure5" for k in OVER_K)
    return [
        cells.sample(metric, scheme, "random", k, 256, group) for k, group in zip(OVER_K, groups, strict=True)
    ]


def _ordered(cells: Cells, metric: str, *pairs: tuple[str, str]) -> Iterator[Part]:
    """Of each pair the first is larger, at every number of subscribers."""
    rows = {scheme: over_k(cells, metric, scheme) for scheme in SCHEMES}
    for place, k in enumerate(OVER_K):
        for high, low in pairs:
            yield above(f"{high} over {low}, K {k}", TIMES, over(rows[high][place], rows[low][place]), 1)


def f5a(cells: Cells) -> Iterator[Part]:
    pairs = (("reactive", "durable"), ("reactive", "pro-active"))
    yield from _ordered(cells, "delay_first_copies_mean_s", *pairs)


def f5b(cells: Cells) -> Iterator[Part]:
    yield from _ordered(cells, "throughput", ("pro-active", "reactive"), ("reactive", "durable"))


def f5c(cells: Cells) -> Iterator[Part]:
    reactive, pro_active = (
        cells.sample("transferred_share", scheme, "random", 200, 256) for scheme in ("reactive", "pro-active")
    )
    yield above("reactive over pro-active", TIMES, over(reactive, pro_active), 10, null=1)


def f6a(cells: Cells) -> Iterator[Part]:
    share = cells.sample("handoffs_over_1_2_s_percent", "reactive", "random", 200, 256)
    yield Part("over 1.2 s", "%", share, 48, 72)


def f6b(cells: Cells) -> Iterator[Part]:
    for scheme, metric in (
        ("pro-active", "handoffs_under_0_35_s_percent"),
        ("durable", "handoffs_under_0_05_s_percent"),
    ):
        yield Part(f"{scheme}, share", "%", cells.sample(metric, scheme, "random", 200, 256), low=60)
    medians = {
        s: cells.sample("handoff_latency_s.0.5", s, "random", 200, 256) for s in ("pro-active", "reactive")
    }
    name = "reactive over pro-active, median"
    yield above(name, TIMES, over(medians["reactive"], medians["pro-active"]), 5, null=1)


def _longer_stays(cells: Cells, metric: str, scheme: str) -> Sample:
    """A metric with T_beta 150 s over that with 60 s."""
    long, short = (cells.sample(metric, scheme, group=group) for group in ("figure7", "tables"))
    return over(long, short)


def f7a(cells: Cells) -> Iterator[Part]:
    for scheme in ("durable", "pro-active"):
        yield below(f"{scheme}, loss", TIMES, _longer_stays(cells, "loss_percent", scheme), 1)
    yield below("durable, duplicates", TIMES, _longer_stays(cells, "duplicates_percent", "durable"), 1)


def f7b(cells: Cells) -> Iterator[Part]:
    yield Part("throughput", TIMES, _longer_stays(cells, "throughput", "reactive"), 0.9, 1.1)
    yield above("loss", TIMES, _longer_stays(cells, "loss_percent", "reactive"), 1)


def _by_broker(cells: Cells, metric: str, mobility: str) -> list[Sample]:
    return [cells.sample(f"{metric}.{broker}", "pro-active", mobility, 200, 256) for broker in BROKERS]


def f8a(cells: Cells) -> Iterator[Part]:
    away, near = (_by_broker(cells, "stored_per_event_by_broker", m) for m in MOBILITIES)
    for broker in BROKERS:
        yield below(f"B{broker}, neighbouring", TIMES, over(near[broker - 1], away[broker - 1]), 1)
    for broker in BROKERS:
        if broker != 5:
            yield above(f"B{broker} over B5", TIMES, over(near[broker - 1], near[4]), 1)


def f8b(cells: Cells) -> Iterator[Part]:
    away, near = (_by_broker(cells, "throughput_by_broker", m) for m in MOBILITIES)
    for broker in (1, 2, 4):
        yield above(f"B{broker} over B5", TIMES, over(near[broker - 1], near[4]), 1)
        for high in (3, 6):
            yield above(f"B{high} over B{broker}", TIMES, over(near[high - 1], near[broker - 1]), 1)
    most, least = (pick(away, key=lambda one: one.mean) for pick in (max, min))
    yield Part("random moves, largest over smallest", TIMES, over(most, least), 0.9, 1.1)


def f8c(cells: Cells) -> Iterator[Part]:
    away, near = (total(_by_broker(cells, "stored_per_event_by_broker", m)) for m in MOBILITIES)
    yield below("neighbouring over random", TIMES, over(near, away), 1)


def control(cells: Cells) -> Iterator[Part]:
    for scheme, mobility, should in (
        ("durable", "random", 0.0),
        ("reactive", "random", 4.0),
        ("pro-active", "random", 27.67),
        ("pro-active", "neighbouring", 18.67),
    ):
        found = cells.sample("control_per_move.all", scheme, mobility, 200, 256)
        name, low, high = f"{scheme}, {mobility}", 0.99 * should, 1.01 * should
        if found.error == 0:
            yield exact(name, "messages", found.mean, low, high)
        else:
            yield Part(name, "messages", found, low, high)


CLAIMS = (
    Claim("X", "G 6, exact", "The analytical model's printed quantities, table 5 included.", analytic),
    Claim("T2", "G table 2", "Throughput in closed loop, costs fitted, is within 25 % of print.", t2),
    Claim("T2a", "G table 2", "Its order is pro-active > reactive > durable at K = 100, 200.", t2a),
    Claim("T2b", "G table 2", "pro-active: it is higher under neighbouring moves than under random.", t2b),
    Claim("T2c", "G table 2", "durable, reactive: both moves give the same within 10 %.", t2c),
    Claim("T2d", "G table 2", "Throughput grows with K, less than proportionally.", t2d),
    Claim("T3", "G table 3", "Loss of durable and reactive is within a factor 2.5 of print.", t3),
    Claim("T3-pro", "G table 3", "pro-active's loss is within a factor 2.5 of print.", t3_pro_active),
    Claim("T3a", "G table 3", "pro-active has the least loss at every K.", t3a),
    Claim(
        "T3b",
        "G table 3",
        "Loss falls with K for pro-active, is flat for durable (within 1.5 times), rises for reactive.",
        t3b,
    ),
    Claim("T3c", "G table 3", "All losses are lower under neighbouring moves.", t3c),
    Claim("T4", "G table 4", "Duplicates: durable 5 to 30 %, reactive 0.3 to 3 %.", t4),
    Claim("T4a", "G table 4, invariant", "pro-active has no duplicates.", t4a),
    Claim("T4b", "G table 4", "durable's duplicates are at least 5 times reactive's.", t4b),
    Claim("T4c", "G table 4", "Duplicates are lower under neighbouring moves.", t4c),
    Claim("F5a", "G figure 5", "The delay of first copies is highest for reactive.", f5a),
    Claim(
        "F5b", "G figure 5", "Throughput has table 2's order for K = 10 to 200, at the implied rates.", f5b
    ),
    Claim("F5c", "G figure 5", "Message overhead: reactive's is more than 10 times pro-active's.", f5c),
    Claim("F6a", "G figure 6", "reactive: about 60 % (within 12) of hand-offs take more than 1.2 s.", f6a),
    Claim(
        "F6b",
        "G figure 6",
        "60 % take under 0.35 s (pro-active), 0.05 s (durable); reactive's median is 5 times pro-active's.",
        f6b,
    ),
    Claim("F7a", "G figure 7", "T_beta 150 s: loss and duplicates of durable and pro-active fall.", f7a),
    Claim(
        "F7b", "G figure 7", "T_beta 150 s: reactive's throughput is unchanged (10 %), its loss rises.", f7b
    ),
    Claim(
        "F8a",
        "G figure 8",
        "pro-active: less work at every broker under neighbouring moves, least at B5.",
        f8a,
    ),
    Claim(
        "F8b",
        "G figure 8",
        "Throughput is lowest at B5, highest at B3 and B6; equal under random moves.",
        f8b,
    ),
    Claim("F8c", "G figure 8", "Stored copies fall from random to neighbouring moves.", f8c),
    Claim("M", "G 4, exact", "Messages a move: durable 0, reactive 4, pro-active 27.67 and 18.67.", control),
)
