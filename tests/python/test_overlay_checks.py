"""What C says, in tables of plain numbers: statements on either side of each of their bounds."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from math import log
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from mftpubsub.sources.cugola import checks
from mftpubsub.sources.cugola.checks import Check
from mftpubsub.sources.cugola.source import CUGOLA
from mftpubsub.sources.cugola.tables import Estimate, Tables, mean, ratio
from mftpubsub.studies import claims, linear
from mftpubsub.studies.evidence import TIMES, Part, above, examine

SEEDS = [*range(1, 11)]


def with_luck(value: float, *what: object) -> pd.Series[float]:
    """A value by seed: each has some luck of its own, which adds up to none."""
    draw = random.Random(str(what))
    luck = [draw.uniform(-1, 1) for _ in SEEDS]
    mean_luck = sum(luck) / len(luck)
    return pd.Series([value * (1 + 1e-4 * (one - mean_luck)) for one in luck], index=SEEDS)


class Given(Tables):
    """Tables by functions: `metric` of series, protocol and x, `kinds` by protocol, kind and column."""

    def __init__(
        self,
        metric: Callable[[str, str, float], float] = lambda *_: 1.0,
        kinds: Mapping[tuple[str, str, str], float] | None = None,
        bins: pd.DataFrame | None = None,
        others: Mapping[str, Callable[[str, str, float], float]] | None = None,
        places: tuple[float, ...] = (1.0, 2.0),
    ) -> None:
        self.metric, self.kinds, self.others, self.at = metric, kinds or {}, others or {}, places
        self.bins = pd.DataFrame() if bins is None else bins

    def values(self, series: str, protocol: str, metric: str, x: float | None = None) -> pd.Series[float]:
        place = self.at[0] if x is None else x
        value = self.others.get(metric, self.metric)(series, protocol, place)
        return with_luck(value, series, protocol, metric, place)

    def places(self, series: str, protocol: str) -> list[float]:
        return [*self.at]

    def kind(self, series: str, protocol: str, kind: str, column: str) -> pd.Series[float]:
        return with_luck(self.kinds.get((protocol, kind, column), 0.0), protocol, kind, column)


def by(**values: float) -> Callable[[str, str, float], float]:
    """Of each protocol a number; 1 for those that are not named."""
    return lambda series, protocol, x: values.get(protocol.replace("-", "_"), 1.0)


def at(protocol: str, **values: float) -> Callable[[str, str, float], float]:
    """Of a protocol a number at each x (`x0_08`); 1 elsewhere."""
    return lambda series, one, x: values.get(f"x{x:g}".replace(".", "_"), 1.0) if one == protocol else 1.0


def by_timer(**values: float) -> Callable[[str, str, float], float]:
    """With a timer of 0.5 s of each protocol a number; 1 with all others."""
    return lambda series, protocol, x: values.get(protocol, 1.0) if x == 0.5 else 1.0


def bins(low: int, high: int, late: int = 100) -> pd.DataFrame:
    """Of 100 expected at each rate, what is delivered while links break, and after the last is back."""
    rows = [
        ("delivery", rate, seed, seconds, float(count), 100)
        for rate, early in ((3, low), (30, high))
        for seconds, delivered in ((5.0, with_luck(early, rate)), (7.5, {seed: late for seed in SEEDS}))
        for seed, count in delivered.items()
    ]
    return pd.DataFrame(rows, columns=["series", "x", "seed", "seconds", "delivered", "expected"])


def shares(**percent: float) -> Given:
    """How much less than strawman's each costs; strawman's is 100."""
    return Given(by(strawman=100.0, **{name: 100.0 - value for name, value in percent.items()}))


def spans(strawman: float, ila: float, rp: float) -> Given:
    widths = {"strawman": strawman, "ila": ila, "rp": rp}
    return Given(lambda series, one, x: 0.5 + (x == 2.0) * widths.get(one, 0.1) / 100)


def of_rec(count: float, cost: float) -> Given:
    return Given(kinds={("rp", "REC", "telling_hops"): count, ("rp", "REC", "cost"): cost})


def of_control(flush: float, activate: float, rec: float) -> Given:
    kinds = {(one, "FLUSH", "cost"): flush for one in ("ndu", "ila", "rp")}
    kinds |= {("ila", "ACTIVATE", "cost"): activate, ("ila", "ACTIVATE", "hops"): 1.0}
    kinds[("rp", "RECACK", "cost")] = 1.0
    return Given(
        by(ndu=100, ila=100, rp=100), kinds | {("rp", "REC", "cost"): rec, ("rp", "REC", "hops"): 1.0}
    )


def random_trees(own: float, straw: float = 1.0) -> Given:
    """Costs over those on balanced trees, where strawman's is 100 and those of the others are 50."""

    def cost(series: str, protocol: str, x: float) -> float:
        usual, factor = (100.0, straw) if protocol == "strawman" else (50.0, own)
        return usual * factor if series == "scale-random" else usual

    return Given(cost)


CASES: list[tuple[Check, str, Given, bool]] = [
    (checks.delivered_in_the_end, "all", Given(bins=bins(90, 50)), True),
    (checks.delivered_in_the_end, "all but one", Given(bins=bins(90, 50, 99)), False),
    (checks.loss_by_rate, "4 and 9 %", Given(bins=bins(96, 91)), True),
    (checks.loss_by_rate, "6 and 30 %", Given(bins=bins(94, 70)), False),
    (checks.loss_by_rate, "4 and 7 %", Given(bins=bins(96, 93)), False),
    (checks.rec, "as printed", of_rec(3.44, 90.9), True),
    (checks.rec, "16 % more", of_rec(3.44 * 1.16, 90.9), False),
    (checks.rec, "cost 16 % less", of_rec(3.44, 90.9 * 0.84), False),
    (checks.control, "4.9 %", of_control(4.9, 1.1, 1.1), True),
    (checks.control, "5.1 %", of_control(5.1, 1.1, 1.1), False),
    (checks.control, "ACTIVATE light", of_control(4.9, 0.9, 1.1), False),
    (checks.control, "REC light", of_control(4.9, 1.1, 0.9), False),
    (checks.best, "68 %", shares(tdu=10, ndu=10, ila=20, rp=68), True),
    (checks.best, "66 %", shares(tdu=10, ndu=10, ila=20, rp=66), False),
    (checks.best, "84 %", shares(tdu=84, ndu=10, ila=20, rp=70), False),
    (checks.deferred_below_informed, "27 points", shares(tdu=40, ndu=40, ila=67, rp=67), True),
    (checks.deferred_below_informed, "29 points", shares(tdu=40, ndu=40, ila=69, rp=69), False),
    (checks.deferred_below_informed, "11 points", shares(tdu=40, ndu=40, ila=51, rp=51), False),
    (checks.deferred_below_informed, "20 the other way", shares(tdu=60, ndu=60, ila=40, rp=40), False),
    (checks.as_good_as("tdu", "ndu", 3), "2.9", shares(tdu=40, ndu=42.9), True),
    (checks.as_good_as("tdu", "ndu", 3), "3.1", shares(tdu=43.1, ndu=40), False),
    (checks.random_costs_more, "all", random_trees(1.1, 1.1), True),
    (checks.random_costs_more, "strawman less", random_trees(1.1, 0.9), False),
    (checks.savings, "larger", random_trees(1.1, 1.2), True),
    (checks.savings, "smaller", random_trees(1.3, 1.1), False),
    (checks.random_change(("tdu",), -16, -4), "-10 points", random_trees(1.2), True),
    (checks.random_change(("tdu",), -16, -4), "10 points", random_trees(0.8), False),
    (checks.random_change(("tdu",), -16, -4), "-20 points", random_trees(1.4), False),
    (checks.everyone_subscribes, "in range", shares(tdu=20, ndu=29, ila=29), True),
    (checks.everyone_subscribes, "NDU above", shares(tdu=20, ndu=31, ila=40), False),
    (checks.everyone_subscribes, "ILA below", shares(tdu=20, ndu=20, ila=27), False),
    (checks.below_strawman, "all", Given(by(strawman=2.0)), True),
    (checks.below_strawman, "NDU not", Given(by(strawman=2.0, ndu=2.1)), False),
    (checks.notified_above_timed, "above", Given(by(ndu=1.1), places=(30.0, 200.0, 400.0)), True),
    (
        checks.notified_above_timed,
        "above but at 400",
        Given(at("ndu", x30=1.1, x200=1.1, x400=0.8), places=(30.0, 200.0, 400.0)),
        True,
    ),
    (
        checks.notified_above_timed,
        "not at 200",
        Given(at("ndu", x30=1.1, x200=0.9, x400=1.1), places=(30.0, 200.0, 400.0)),
        False,
    ),
    (checks.step_at_repair("t", "cost"), "step", Given(at("tdu", x0_08=0.9, x0_12=0.7)), True),
    (checks.step_at_repair("t", "cost"), "no step", Given(at("tdu", x0_08=0.9, x0_12=0.8)), False),
    (checks.step_at_repair("t", "cost"), "low before", Given(at("tdu", x0_08=0.7, x0_12=0.3)), False),
    (checks.long_timer_helps, "helps", Given(at("tdu", x0_5=0.8)), True),
    (checks.long_timer_helps, "helps NDU more", Given(at("ndu", x0_5=0.5)), False),
    (
        checks.long_timer_helps,
        "harms, NDU more",
        Given(by_timer(tdu=2, ndu=3)),
        False,
    ),
    (checks.second_step, "up", Given(at("ila", x0_26=1.3)), True),
    (checks.second_step, "hardly up", Given(at("ila", x0_26=1.1)), False),
    (checks.short_subscribe_timer, "1.2 times", Given(by(ila=1.2)), True),
    (checks.short_subscribe_timer, "1.3 times", Given(by(ila=1.3)), False),
    (checks.short_subscribe_timer, "0.7 times", Given(by(ila=0.7)), False),
    (checks.subscribe_threshold, "down", Given(at("ila", x0_045=1.3)), True),
    (checks.subscribe_threshold, "hardly down", Given(at("ila", x0_045=1.1)), False),
    (checks.long_subscribe_timer, "1 % more", Given(at("ila", x0_3=1.01)), True),
    (checks.long_subscribe_timer, "3 % more", Given(at("ila", x0_3=1.03)), False),
    (checks.worst_at_many_events, "in order", Given(by(tdu=4, ndu=3, ila=2, rp=1)), True),
    (checks.worst_at_many_events, "NDU worst", Given(by(tdu=3, ndu=4, ila=2, rp=1)), False),
    (checks.worst_at_many_events, "ILA above NDU", Given(by(tdu=4, ndu=2, ila=3, rp=1)), False),
    (checks.worst_at_many_events, "ILA below RP", Given(by(tdu=4, ndu=3, ila=1, rp=2)), False),
    (checks.faster_lifts, "all", Given(lambda series, *_: 2.0 if series == "events-fast" else 1.0), True),
    (checks.faster_lifts, "none", Given(), False),
    (checks.grows_with_timer, "TDU", Given(at("tdu", x0_5=2.0)), True),
    (
        checks.grows_with_timer,
        "NDU too",
        Given(by_timer(tdu=3, ndu=1.2, ila=1.2)),
        False,
    ),
    (checks.grows_with_timer, "NDU most", Given(at("ndu", x0_5=1.1)), False),
    (checks.below_forwarding, "all", Given(by(ef=1.1)), True),
    (checks.below_forwarding, "TDU above", Given(by(ef=1.1, tdu=1.2)), False),
    (checks.half_involved, "51 % fewer", shares(tdu=51, ndu=60, ila=90, rp=90), True),
    (checks.half_involved, "49 % fewer", shares(tdu=49, ndu=60, ila=90, rp=90), False),
    (checks.few_involved, "86 and 94 %", shares(ila=86, rp=94), True),
    (checks.few_involved, "RP 84 %", shares(ila=90, rp=84), False),
    (checks.few_involved, "ILA 96 %", shares(ila=96, rp=90), False),
    (checks.independent("patterns"), "4 points", spans(30, 4, 3), True),
    (checks.independent("patterns"), "ILA 6 points", spans(30, 6, 3), False),
    (checks.independent("patterns"), "RP more than ILA", spans(30, 3, 4), False),
    (checks.independent("patterns"), "strawman not much more", spans(11, 4, 3), False),
    (checks.abstract, "in range", shares(tdu=50, ndu=50, ila=70, rp=80), True),
    (checks.abstract, "TDU 61 %", shares(tdu=61, ndu=50, ila=70, rp=80), False),
    (checks.abstract, "best 71 %", shares(tdu=50, ndu=50, ila=70, rp=71), False),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("check", "what", "tables", "holds"),
    CASES,
    ids=[f"{check.__name__}: {what}" for check, what, *_ in CASES],
)
def test_a_statement_holds_just_inside_its_bounds(
    check: Check, what: str, tables: Given, holds: bool
) -> None:
    outcomes = {examine(part).outcome for part in check(tables)}
    assert (outcomes == {"holds"}) is holds, what


def over_places(*values: float) -> Given:
    """Of every protocol these costs, and shares that are involved, at three places."""
    by_place = dict(zip((50.0, 100.0, 200.0), values, strict=True))
    return Given(
        lambda series, protocol, x: 100.0 if protocol == "strawman" else by_place[x], places=(*by_place,)
    )


@pytest.mark.parametrize(
    ("costs", "against"),
    [
        ((1, 2, 3), []),
        ((1, 3, 2), ["tdu, 200 over 100"]),
        ((2, 1, 3), ["tdu, 100 over 50"]),
        ((3, 2, 1), ["tdu, 100 over 50", "tdu, 200 over 100"]),
    ],
)
def test_what_rises_does_so_from_each_place_to_the_next(costs: tuple[float, ...], against: list[str]) -> None:
    found = [examine(part) for part in checks.rises("scale", ("tdu",))(over_places(*costs))]
    assert [one.part.name for one in found if one.outcome == "opposite"] == against
    assert [one.outcome for one in found].count("holds") == 2 - len(against)


def all_hold(check: Check, tables: Given) -> bool:
    return {examine(part).outcome for part in check(tables)} == {"holds"}


def test_improvements_move_from_the_place_on_that_is_named() -> None:
    tables = over_places(91, 99, 98)
    assert all_hold(checks.improvement_moves("scale", ("tdu",), 1, 1), tables)
    assert not all_hold(checks.improvement_moves("scale", ("tdu",), 0, 1), tables)
    assert not all_hold(checks.improvement_moves("scale", ("tdu",), 1, -1), tables)


def test_a_share_that_rises_once_does_not_fall() -> None:
    falling = Given(
        lambda series, protocol, x: {50.0: 3.0, 100.0: 2.0, 200.0: 1.0}[x], places=(50.0, 100.0, 200.0)
    )
    rising = Given(
        lambda series, protocol, x: {50.0: 1.0, 100.0: 2.0, 200.0: 0.0}[x], places=(50.0, 100.0, 200.0)
    )
    assert all_hold(checks.share_involved_falls, falling)
    assert not all_hold(checks.share_involved_falls, rising)


@pytest.mark.slow
def test_every_statement_of_the_source_has_parts_and_what_is_sure_is_confirmed() -> None:
    tables = Tables(Path(__file__).parents[2] / "results" / "cugola")
    verdicts = {one.claim.id: one for one in claims.hold_against(tables, CUGOLA)}
    assert len(verdicts) == 43
    assert all(one.findings for one in verdicts.values())
    assert {one.verdict for one in verdicts.values()} <= {*claims.KINDS}
    assert all(one.n == 0 or one.n > 2 for verdict in verdicts.values() for one in verdict.findings)


def test_a_ratio_of_means_has_a_value_a_seed_whose_mean_it_is() -> None:
    one, other = (pd.Series(values, index=[1, 2, 3], dtype=float) for values in ((2, 4, 7), (1, 2, 3)))
    by_seed = linear.share(one, other)
    assert by_seed.mean() == pytest.approx(13 / 6)
    assert mean(by_seed).half == pytest.approx(ratio(one, other).half)
    assert linear.improvement(other, one).mean() == pytest.approx(100 * (1 - 6 / 13))
    times = linear.over(one, other)
    assert times.mean == pytest.approx(log(13 / 6))
    assert times.error == pytest.approx(by_seed.std() / 3**0.5 / (13 / 6))
    assert (times - times).mean == 0


def test_a_ratio_of_nothing_or_of_runs_that_differ_is_not_tested() -> None:
    one, none = pd.Series([1.0, 2, 3]), pd.Series([0.0, 0, 0])
    later = pd.Series([1.0, 2, 3], index=[7, 8, 9])
    for ratio_ in (linear.over(one, none), linear.over(none, one)):
        assert examine(above("one", TIMES, ratio_, 1)).outcome == "undefined"
    assert examine(above("one", TIMES, linear.over(one, later), 1)).outcome == "too few runs"
    assert examine(Part("one", "%", linear.share(one, none), high=5)).outcome == "undefined"


def test_an_estimate_lies_where_its_mean_does() -> None:
    assert Estimate(2.0, 9.0).lies(2, 3)
    assert not Estimate(1.9, 9.0).lies(2, 3)
    assert not Estimate(3.1, 9.0).lies(2, 3)


def test_the_interval_of_a_ratio_is_that_of_its_residuals() -> None:
    one, other = (pd.Series(values, index=[1, 2, 3], dtype=float) for values in ((2, 4, 7), (1, 2, 3)))
    found = ratio(one, other)
    rest = one - found.mean * other
    assert found.mean == pytest.approx(13 / 6)
    assert found.half == pytest.approx(mean(rest).half / 2)
    assert found.half == pytest.approx(4.302653 * float(rest.std()) / 3**0.5 / 2, rel=1e-5)


def test_a_run_without_messages_of_a_kind_counts_as_none() -> None:
    tables = Tables.__new__(Tables)
    rows: dict[str, Any] = {"series": "a", "protocol": "tdu", "x": 1.0, "cost": 5.0}
    tables.runs = pd.DataFrame([rows | {"seed": seed} for seed in (1, 2, 3)])
    tables.messages = pd.DataFrame([rows | {"seed": 2, "kind": "REC", "hops": 6.0}])
    assert tables.kind("a", "tdu", "REC", "hops").to_dict() == {1: 0, 2: 6, 3: 0}
