"""What the statements of claims.py say, as parts with bounds: effects by seed, each with its claimed region.

C compares means of costs. An improvement is 100 (1 - cost / strawman's), of means over the seeds. A ratio of
means has a value a seed by its linearization (the delta method), so that effects that are made of several
ratios stay paired by seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise, product
from typing import TYPE_CHECKING

from mftpubsub.errors import MftPubsubError
from mftpubsub.sources.cugola.tables import Tables
from mftpubsub.studies.evidence import POINTS, TIMES, Part, above, below, exact
from mftpubsub.studies.linear import improvement, over, share
from mftpubsub.worlds.reconfiguration.groups import DEFERRED, INFORMED

if TYPE_CHECKING:
    import pandas as pd

    from mftpubsub.studies.linear import Ratio

OURS = (*DEFERRED, *INFORMED)
STRAWMAN = "strawman"
ALL = (STRAWMAN, *OURS)
#: Those that figures 18, 24 and 26 have.
FOUR = (STRAWMAN, "tdu", "ndu", "ila")
#: s; from here on every link is back at both rates of figure 12.
_REPAIRED = 7.1
PERCENT = "%"

Check = Callable[[Tables], Iterator[Part]]


def _counts(tables: Tables, rate: float, begin: float, end: float) -> tuple[pd.Series[float], ...]:
    """What was delivered and what was expected of the events of a span of time (s), by seed."""
    rows = tables.bins[(tables.bins["series"] == "delivery") & (tables.bins["x"] == rate)]
    rows = rows[(rows["seconds"] > begin - 1e-6) & (rows["seconds"] < end - 1e-6)]
    if rows.empty:
        raise MftPubsubError("the study has no runs over time in delivery")
    sums = rows.groupby("seed")[["delivered", "expected"]].sum()
    return sums["delivered"], sums["expected"]


def delivered_in_the_end(tables: Tables) -> Iterator[Part]:
    for rate in (3, 30):
        delivered, expected = _counts(tables, rate, _REPAIRED, 8)
        yield exact(f"{rate}/s", PERCENT, 100 * float(delivered.sum() / expected.sum()), 100, 100)


def loss_by_rate(tables: Tables) -> Iterator[Part]:
    lost = {}
    for rate in (3, 30):
        delivered, expected = _counts(tables, rate, 3, _REPAIRED)
        lost[rate] = 100 * share(expected - delivered, expected)
    yield below("lost at 3/s", PERCENT, lost[3], 5)
    yield above("lost at 30/s over 3/s", TIMES, over(lost[30], lost[3]), 2, 1)


def rec(tables: Tables) -> Iterator[Part]:
    for name, column, printed in (("REC", "telling_hops", 3.44), ("cost", "cost", 90.9)):
        values = tables.kind("default", "rp", "REC", column)
        yield Part(name, "", values, 0.85 * printed, 1.15 * printed)


def control(tables: Tables) -> Iterator[Part]:
    for protocol, kind in (("ndu", "FLUSH"), ("ila", "FLUSH"), ("rp", "FLUSH"), ("rp", "RECACK")):
        cost = tables.kind("default", protocol, kind, "cost")
        of_all = 100 * share(cost, tables.values("default", protocol, "cost"))
        yield below(f"{kind} of {protocol}", f"{PERCENT} of the cost", of_all, 5)
    for protocol, kind in (("ila", "ACTIVATE"), ("rp", "REC")):
        cost, hops = (tables.kind("default", protocol, kind, column) for column in ("cost", "hops"))
        yield above(f"{kind} of {protocol}, a hop", TIMES, over(cost, hops), 1)


def _improves(
    tables: Tables, series: str, protocol: str, metric: str = "cost", x: float | None = None
) -> pd.Series[float]:
    """By how much (%) a protocol has less of a metric than strawman."""
    own, strawman = (tables.values(series, name, metric, x) for name in (protocol, STRAWMAN))
    return improvement(own, strawman)


def _average(values: Iterable[pd.Series[float]]) -> pd.Series[float]:
    """Of effects by seed, of the seeds that all have."""
    import pandas as pd

    mean: pd.Series[float] = pd.concat([*values], axis=1).dropna().mean(axis=1)
    return mean


def _mean_improvement(tables: Tables, series: str, protocols: tuple[str, ...]) -> pd.Series[float]:
    """Over all places and protocols."""
    return _average(
        _improves(tables, series, name, x=x) for name in protocols for x in tables.places(series, name)
    )


def rises(series: str, protocols: tuple[str, ...]) -> Check:
    """Costs rise from each place to the next."""

    def check(tables: Tables) -> Iterator[Part]:
        for name in protocols:
            for begin, end in pairwise(tables.places(series, name)):
                ratio = _ratio_of_places(tables, series, name, end, begin)
                yield above(f"{name}, {end:g} over {begin:g}", TIMES, ratio, 1)

    return check


def _ratio_of_places(
    tables: Tables, series: str, protocol: str, x: float, other: float, metric: str = "cost"
) -> Ratio:
    one, two = (tables.values(series, protocol, metric, place) for place in (x, other))
    return over(one, two)


def best(tables: Tables) -> Iterator[Part]:
    found = {
        f"{name}, {x:g}": _improves(tables, "scale", name, x=x)
        for name in OURS
        for x in tables.places("scale", name)
    }
    name = max(found, key=lambda one: found[one].mean())
    yield Part(name, PERCENT, found[name], 67, 83)


def deferred_below_informed(tables: Tables) -> Iterator[Part]:
    informed, deferred = (_mean_improvement(tables, "scale", group) for group in (INFORMED, DEFERRED))
    yield Part("mean over N", POINTS, (informed - deferred).dropna(), 12, 28, null=0)


def as_good_as(one: str, other: str, bound: float) -> Check:
    """At each N two protocols improve alike."""

    def check(tables: Tables) -> Iterator[Part]:
        for x in tables.places("scale", one):
            gap = _improves(tables, "scale", one, x=x) - _improves(tables, "scale", other, x=x)
            yield Part(f"N {x:g}", POINTS, gap.dropna(), -bound, bound)

    return check


def improvement_moves(series: str, protocols: tuple[str, ...], begin: int, sign: int) -> Check:
    """Improvements rise (1) or fall (-1) from each place to the next, from the `begin`-th one on."""

    def check(tables: Tables) -> Iterator[Part]:
        for name in protocols:
            for one, other in pairwise(tables.places(series, name)[begin:]):
                change = _improves(tables, series, name, x=other) - _improves(tables, series, name, x=one)
                yield _moved(f"{name}, {one:g} to {other:g}", change.dropna(), sign)

    return check


def _moved(name: str, change: pd.Series[float], sign: int) -> Part:
    return above(name, POINTS, change, 0) if sign > 0 else below(name, POINTS, change, 0)


def random_costs_more(tables: Tables) -> Iterator[Part]:
    for name in ALL:
        for x in tables.places("scale", name):
            random, balanced = (
                tables.values(series, name, "cost", x) for series in ("scale-random", "scale")
            )
            yield above(f"{name}, N {x:g}", TIMES, over(random, balanced), 1)


def random_change(protocols: tuple[str, ...], low: float, high: float) -> Check:
    """What random trees change of the mean improvement, in points."""

    def check(tables: Tables) -> Iterator[Part]:
        random, balanced = (
            _mean_improvement(tables, series, protocols) for series in ("scale-random", "scale")
        )
        yield Part("mean over N", POINTS, (random - balanced).dropna(), low, high)

    return check


def _saved(tables: Tables, series: str, protocol: str) -> pd.Series[float]:
    """Strawman's cost less a protocol's, over all N."""
    places = tables.places(series, protocol)
    return len(places) * _average(
        tables.values(series, STRAWMAN, "cost", x) - tables.values(series, protocol, "cost", x)
        for x in places
    )


def savings(tables: Tables) -> Iterator[Part]:
    for name in OURS:
        ratio = over(_saved(tables, "scale-random", name), _saved(tables, "scale", name))
        yield above(f"{name}, random over balanced", TIMES, ratio, 1)


def everyone_subscribes(tables: Tables) -> Iterator[Part]:
    for name, low, high in (("tdu", 10, 30), ("ndu", 10, 30), ("ila", 28, 52)):
        yield Part(name, PERCENT, _improves(tables, "subscribers", name, x=1.0), low, high)


def _peak(tables: Tables, protocol: str) -> float:
    """The rate at which a protocol costs most."""
    return max(
        tables.places("rate", protocol), key=lambda x: tables.values("rate", protocol, "cost", x).mean()
    )


def rate_peaks(tables: Tables) -> Iterator[Part]:
    first, *_, last = tables.places("rate", STRAWMAN)
    peaks = {name: _peak(tables, name) for name in FOUR}
    peak = peaks[STRAWMAN]
    yield above("strawman at its peak over the lowest rate", TIMES, _rate(tables, STRAWMAN, peak, first), 1)
    falls = {name: _rate(tables, name, last, peaks[name]) for name in FOUR}
    yield below("strawman at the highest rate over its peak", TIMES, falls[STRAWMAN], 1)
    for name in FOUR[1:]:
        yield exact(f"{name} peaks at", "/s", peaks[name], peak, last)
        own, other = (
            over(*(tables.values("rate", one, "cost", x) for x in (last, peaks[one])))
            for one in (name, STRAWMAN)
        )
        yield above(f"what is left of the peak, {name} over strawman", TIMES, own - other, 1)


def _rate(tables: Tables, protocol: str, x: float, other: float) -> Ratio:
    return _ratio_of_places(tables, "rate", protocol, x, other)


def below_strawman(tables: Tables) -> Iterator[Part]:
    for x in tables.places("rate", STRAWMAN):
        for name in FOUR[1:]:
            yield below(f"{name}, {x:g}/s", TIMES, _over(tables, "rate", name, STRAWMAN, x=x), 1)


def _over(
    tables: Tables, series: str, one: str, other: str, metric: str = "cost", x: float | None = None
) -> Ratio:
    """The ratio of two protocols."""
    own, others = (tables.values(series, name, metric, x) for name in (one, other))
    return over(own, others)


def notified_above_timed(tables: Tables) -> Iterator[Part]:
    for x in tables.places("rate", "ndu"):
        if 30 <= x <= 200:
            yield above(f"NDU over TDU, {x:g}/s", TIMES, _over(tables, "rate", "ndu", "tdu", x=x), 1)


def step_at_repair(series: str, metric: str) -> Check:
    """Below the time of repair T_u costs as much as strawman, above it much less."""

    def check(tables: Tables) -> Iterator[Part]:
        short = tables.values(series, "tdu", metric, 0.08)
        yield above("0.08 s over strawman", TIMES, over(short, tables.values(series, STRAWMAN, metric)), 0.8)
        long = tables.values(series, "tdu", metric, 0.12)
        yield below("0.12 s over 0.08 s", TIMES, over(long, short), 0.8, 1)

    return check


def long_timer_helps(tables: Tables) -> Iterator[Part]:
    change = {name: _ratio_of_places(tables, "unsubscribe-timer", name, 0.5, 0.15) for name in DEFERRED}
    yield below("TDU, 0.5 s over 0.15 s", TIMES, change["tdu"], 1)
    yield below("that of TDU over that of NDU", TIMES, change["tdu"] - change["ndu"], 1)


def second_step(tables: Tables) -> Iterator[Part]:
    ratio = _ratio_of_places(tables, "unsubscribe-timer", "ila", 0.26, 0.24)
    yield above("ILA, 0.26 s over 0.24 s", TIMES, ratio, 1.2, 1)


def short_subscribe_timer(tables: Tables) -> Iterator[Part]:
    ila = tables.values("subscribe-timer", "ila", "cost", 0.0)
    ratio = over(ila, tables.values("subscribe-timer", "tdu", "cost"))
    yield Part("ILA with T_s = 0 over TDU", TIMES, ratio, 0.8, 1.25)


def subscribe_threshold(tables: Tables) -> Iterator[Part]:
    ratio = _ratio_of_places(tables, "subscribe-timer", "ila", 0.045, 0.055)
    yield above("ILA, 0.045 s over 0.055 s", TIMES, ratio, 1.2, 1)


def long_subscribe_timer(tables: Tables) -> Iterator[Part]:
    ratio = _ratio_of_places(tables, "subscribe-timer", "ila", 0.3, 0.15)
    yield below("ILA, 0.3 s over 0.15 s", TIMES, ratio, 1.02)


def worst_at_many_events(tables: Tables) -> Iterator[Part]:
    for one, other in (*product(DEFERRED, INFORMED), ("tdu", "ndu"), ("ila", "rp")):
        yield above(f"{one} over {other}", TIMES, _over(tables, "events", one, other, "overhead", 51.2), 1)


def misrouted(tables: Tables) -> Iterator[Part]:
    hops = {name: tables.values("events", name, "misrouted", 51.2) for name in ALL}
    strawman = 100 * share(hops[STRAWMAN], hops["tdu"])
    yield below("strawman's of TDU's", PERCENT, strawman, 5)
    for one, other, bound in (("tdu", "ndu", 1), ("ndu", "ila", 1), ("ila", "rp", 0.8)):
        yield above(f"{one} over {other}", TIMES, over(hops[one], hops[other]), bound)
    linear = over(hops["tdu"], tables.values("events", "tdu", "misrouted", 12.8))
    yield Part("TDU, 51.2 over 12.8 events/s", TIMES, linear, 3, 5)


def misrouted_share(tables: Tables) -> Iterator[Part]:
    found = {
        x: 100 * share(*(tables.values("events", "tdu", metric, x) for metric in ("misrouted", "overhead")))
        for x in (1.0, 51.2)
    }
    unit = f"{PERCENT} of the overhead"
    yield below("1 event/s", unit, found[1.0], 5)
    yield above("51.2 events/s", unit, found[51.2], 25)


def traffic_ratios(tables: Tables) -> Iterator[Part]:
    for name, printed in ((STRAWMAN, 2), ("ila", 10)):
        good, other = (tables.values("events", name, metric, 1.0) for metric in ("goodput", "total_overhead"))
        yield Part(f"good over overhead, {name}", TIMES, over(good, other), printed / 1.6, printed * 1.6)


def faster_lifts(tables: Tables) -> Iterator[Part]:
    for name in FOUR:
        fast, slow = (
            tables.values(series, name, "total_overhead", 1.0) for series in ("events-fast", "events")
        )
        yield above(f"{name}, 30 over 3 reconfigurations/s", TIMES, over(fast, slow), 1)


def grows_with_timer(tables: Tables) -> Iterator[Part]:
    growth = {
        name: _ratio_of_places(tables, "unsubscribe-timer-events", name, 0.5, 0.12, "overhead")
        for name in FOUR[1:]
    }
    for name in ("ndu", "ila"):
        yield below(f"{name}, 0.5 s over 0.12 s", TIMES, growth[name], 1.15)
        yield above(f"that of TDU over that of {name}", TIMES, growth["tdu"] - growth[name], 1)


def _burst(tables: Tables, protocol: str, *spans: tuple[float, float]) -> pd.Series[float]:
    """Traffic within spans of time (s), by seed."""
    rows = tables.bins[(tables.bins["series"] == "burst") & (tables.bins["protocol"] == protocol)]
    inside = [rows["seconds"].between(begin - 1e-6, end - 1e-6) for begin, end in spans]
    by_seed: pd.Series[float] = rows[sum(inside[1:], inside[0])].groupby("seed")["traffic"].sum()
    return by_seed


def outside_burst(tables: Tables) -> Iterator[Part]:
    spans = ((2.5, 5.0), (6.0, 8.0))
    ratio = over(_burst(tables, "ef", *spans), _burst(tables, "ila", *spans))
    yield Part("EF over ILA, 2.5 to 5 s and 6 to 8 s", TIMES, ratio, 1.7, 2.3)


def in_burst(tables: Tables) -> Iterator[Part]:
    ratio = over(_burst(tables, "ila", (5.0, 5.7)), _burst(tables, "ef", (5.0, 5.7)))
    yield above("ILA over EF, 5 to 5.7 s", TIMES, ratio, 1)


def below_forwarding(tables: Tables) -> Iterator[Part]:
    for name in FOUR:
        ratio = _over(tables, "traffic", name, "ef", "total_traffic", 10.0)
        yield below(f"{name} over EF", TIMES, ratio, 1)


def half_involved(tables: Tables) -> Iterator[Part]:
    for name in OURS:
        for x in tables.places("scale", name):
            fewer = _improves(tables, "scale", name, "involved", x)
            yield above(f"{name}, N {x:g}, fewer", PERCENT, fewer, 50)


def few_involved(tables: Tables) -> Iterator[Part]:
    for name in INFORMED:
        for x in tables.places("scale", name)[1:]:
            fewer = _improves(tables, "scale", name, "involved", x)
            yield Part(f"{name}, N {x:g}, fewer", PERCENT, fewer, 85, 95)


def share_involved_falls(tables: Tables) -> Iterator[Part]:
    for name in ALL:
        for begin, end in pairwise(tables.places("scale", name)):
            one, other = (tables.values("scale", name, "involved", x) for x in (begin, end))
            yield _moved(f"{name}, {begin:g} to {end:g}", 100 * (other - one).dropna(), -1)


def independent(series: str) -> Check:
    """The share of dispatchers that are involved hardly changes from place to place."""

    def span(tables: Tables, name: str) -> pd.Series[float]:
        shares = [100 * tables.values(series, name, "involved", x) for x in tables.places(series, name)]
        shares.sort(key=lambda one: float(one.mean()))
        return (shares[-1] - shares[0]).dropna()

    def check(tables: Tables) -> Iterator[Part]:
        found = {name: span(tables, name) for name in (STRAWMAN, *INFORMED)}
        for name in INFORMED:
            yield below(f"{name}, largest less smallest share", POINTS, found[name], 5)
        yield below("RP's less ILA's", POINTS, (found["rp"] - found["ila"]).dropna(), 0)
        third = (found["ila"] - found[STRAWMAN] / 3).dropna()
        yield below("ILA's less a third of strawman's", POINTS, third, 0)

    return check


def abstract(tables: Tables) -> Iterator[Part]:
    found = {name: _improves(tables, "default", name) for name in OURS}
    best_one = max(found, key=lambda name: found[name].mean())
    yield Part("tdu", PERCENT, found["tdu"], 40, 60)
    yield Part(f"the best, {best_one}", PERCENT, found[best_one], 72, 88)
