"""What G claims, in worlds of plain numbers: each claim on either side of each of its bounds."""

from __future__ import annotations

from collections.abc import Callable
from math import log, nan

import pandas as pd
import pytest

from mftpubsub.sources.gaddah import claims, printed
from mftpubsub.statistics import half_width
from mftpubsub.studies.evidence import NO_RUNS, NO_VARIANCE, TIMES, UNDEFINED, Part, Sample, exact, examine

#: A metric of a cell: scheme, mobility, subscribers, events a buffer holds, group.
Value = Callable[[str, str, int, int, str], float]


class Given(claims.Cells):
    """Cells whose metrics are functions of where they are."""

    def __init__(self, **metrics: Value) -> None:
        self.metrics = metrics

    def _one(self, *key: object) -> tuple[float, float, int]:
        group, scheme, mobility, subscribers, buffer_events, metric = key
        name, _, rest = str(metric).replace("handoff_latency_s.0.5", "median").partition(".")
        value = self.metrics[f"{name}_{rest}" if rest == "all" else name]
        place = int(rest) if rest.isdigit() else buffer_events
        found = value(str(scheme), str(mobility), subscribers, place, str(group))  # type: ignore[arg-type]
        return found, 1e-5 * found, 3


def by_scheme(durable: float, reactive: float, pro_active: float) -> Value:
    values = dict(zip(printed.SCHEMES, (durable, reactive, pro_active), strict=True))
    return lambda scheme, *_: values[scheme]


def near(random: float, neighbouring: float) -> Value:
    return lambda scheme, mobility, *_: neighbouring if mobility == "neighbouring" else random


def power(exponent: float) -> Value:
    return lambda scheme, mobility, k, *_: float(k) ** exponent


def at(k: int, there: float, elsewhere: float, scheme: str = "") -> Value:
    return lambda one, mobility, place, *_: there if place == k and scheme in ("", one) else elsewhere


def times_printed(table: dict[printed.Cell, float], factor: float) -> Value:
    return lambda scheme, mobility, k, *_: factor * table[scheme, mobility, k]


def losses(falls: bool, rises: bool, flat: float) -> Value:
    """pro-active's that falls with K, reactive's that rises, durable's that changes by a factor."""

    def told(scheme: str, mobility: str, k: int, *_: object) -> float:
        if scheme == "durable":
            return flat if k == 200 else 1.0
        sinks = falls if scheme == "pro-active" else not rises
        return 1 / k if sinks else float(k)

    return told


def by_broker(*values: float) -> Value:
    """Of a metric by broker under neighbouring moves; 2 under random ones."""
    return lambda scheme, mobility, k, broker, *_: values[broker - 1] if mobility == "neighbouring" else 2.0


def by_group(usual: float, long_stays: float) -> Value:
    return lambda *where: long_stays if where[-1] == "figure7" else usual


def control(factor: float) -> Value:
    should = {"durable": 0.0, "reactive": 4.0}
    return lambda scheme, mobility, *_: factor * should.get(scheme, 27.67 if mobility == "random" else 18.67)


same = by_scheme(1, 1, 1)
CASES: list[tuple[str, str, dict[str, Value], bool]] = [
    ("T2", "24 % off", {"throughput": times_printed(printed.THROUGHPUT, 1.24)}, True),
    ("T2", "26 % off", {"throughput": times_printed(printed.THROUGHPUT, 1.26)}, False),
    ("T2", "26 % below", {"throughput": times_printed(printed.THROUGHPUT, 0.74)}, False),
    ("T2a", "in order", {"throughput": by_scheme(1, 2, 3)}, True),
    ("T2a", "pro-active second", {"throughput": by_scheme(1, 3, 2)}, False),
    ("T2a", "durable second", {"throughput": by_scheme(2, 1, 3)}, False),
    ("T2b", "more", {"throughput": near(1, 1.01)}, True),
    (
        "T2b",
        "less at one K",
        {"throughput": lambda s, m, k, *_: 0.9 if (m, k) == ("neighbouring", 10) else 1 + (m != "random")},
        False,
    ),
    ("T2c", "9 % off", {"throughput": near(1, 1.09)}, True),
    ("T2c", "11 % off", {"throughput": near(1, 1.11)}, False),
    ("T2c", "11 % below", {"throughput": near(1, 0.89)}, False),
    ("T2d", "slower than K", {"throughput": power(0.9)}, True),
    ("T2d", "faster than K", {"throughput": power(1.1)}, False),
    ("T2d", "against K", {"throughput": power(-0.1)}, False),
    ("T3-pro", "2.4 times", {"loss_percent": times_printed(printed.LOSS, 2.4)}, True),
    ("T3-pro", "2.6 times", {"loss_percent": times_printed(printed.LOSS, 2.6)}, False),
    ("T3-pro", "1/2.6", {"loss_percent": times_printed(printed.LOSS, 1 / 2.6)}, False),
    ("T3", "2.4 times", {"loss_percent": times_printed(printed.LOSS, 2.4)}, True),
    ("T3", "1/2.6", {"loss_percent": times_printed(printed.LOSS, 1 / 2.6)}, False),
    ("T3c", "less", {"loss_percent": near(1, 0.99)}, True),
    ("T3c", "more", {"loss_percent": near(1, 1.01)}, False),
    ("T4c", "less", {"duplicates_percent": near(1, 0.99)}, True),
    ("T4c", "more", {"duplicates_percent": near(1, 1.01)}, False),
    *(
        ("F7b", what, {"throughput": by_group(1, rate), "loss_percent": by_group(1, lost)}, holds)
        for what, rate, lost, holds in (
            ("9 % less, loss up", 0.91, 1.1, True),
            ("11 % less", 0.89, 1.1, False),
            ("loss down", 1, 0.9, False),
        )
    ),
    ("T3a", "least", {"loss_percent": by_scheme(2, 3, 1)}, True),
    ("T3a", "least but one", {"loss_percent": by_scheme(0.5, 3, 1)}, False),
    ("T3b", "all three", {"loss_percent": losses(True, True, 1.4)}, True),
    ("T3b", "durable not flat", {"loss_percent": losses(True, True, 1.6)}, False),
    ("T3b", "pro-active rises", {"loss_percent": losses(False, True, 1)}, False),
    ("T3b", "reactive falls", {"loss_percent": losses(True, False, 1)}, False),
    ("T4", "in both ranges", {"duplicates_percent": by_scheme(29, 2.9, 0)}, True),
    ("T4", "durable above", {"duplicates_percent": by_scheme(31, 1, 0)}, False),
    ("T4", "durable below", {"duplicates_percent": by_scheme(4.9, 0.5, 0)}, False),
    ("T4", "reactive above", {"duplicates_percent": by_scheme(20, 3.1, 0)}, False),
    ("T4", "reactive below", {"duplicates_percent": by_scheme(20, 0.2, 0)}, False),
    ("T4a", "none", {"duplicates_percent": by_scheme(1, 1, 0)}, True),
    ("T4a", "some at one K", {"duplicates_percent": at(100, 0.01, 0, "pro-active")}, False),
    ("T4b", "5.1 times", {"duplicates_percent": by_scheme(5.1, 1, 0)}, True),
    ("T4b", "4.9 times", {"duplicates_percent": by_scheme(4.9, 1, 0)}, False),
    ("F5a", "highest", {"delay_first_copies_mean_s": by_scheme(1, 3, 2), "delay_mean_s": same}, True),
    ("F5a", "second", {"delay_first_copies_mean_s": by_scheme(1, 2, 3), "delay_mean_s": same}, False),
    ("F5a", "second too", {"delay_first_copies_mean_s": by_scheme(3, 2, 1), "delay_mean_s": same}, False),
    ("F5b", "in order", {"throughput": by_scheme(1, 2, 3), "duplicates_percent": same}, True),
    ("F5b", "reactive least", {"throughput": by_scheme(2, 1, 3), "duplicates_percent": same}, False),
    ("F5c", "11 times", {"transferred_share": by_scheme(0, 11, 1), "median": same}, True),
    ("F5c", "9 times", {"transferred_share": by_scheme(0, 9, 1), "median": same}, False),
    ("F6a", "71 %", {"handoffs_over_1_2_s_percent": by_scheme(0, 71, 0)}, True),
    ("F6a", "73 %", {"handoffs_over_1_2_s_percent": by_scheme(0, 73, 0)}, False),
    ("F6a", "47 %", {"handoffs_over_1_2_s_percent": by_scheme(0, 47, 0)}, False),
    *(
        (
            "F6b",
            f"{fast}, {faster}, {medians}",
            {
                "handoffs_under_0_35_s_percent": by_scheme(0, 0, fast),
                "handoffs_under_0_05_s_percent": by_scheme(faster, 0, 0),
                "median": by_scheme(*medians),
            },
            holds,
        )
        for fast, faster, medians, holds in (
            (61, 61, (1, 10, 1.9), True),
            (59, 61, (1, 10, 1.9), False),
            (61, 59, (1, 10, 1.9), False),
            (61, 61, (1, 10, 2.1), False),
        )
    ),
    *(
        (
            "F7a",
            "",
            {"throughput": same, "loss_percent": lost, "duplicates_percent": twice},
            holds,
        )
        for lost, twice, holds in (
            (by_group(2, 1), by_group(2, 1), True),
            (by_group(1, 2), by_group(2, 1), False),
            (by_group(2, 1), by_group(1, 2), False),
        )
    ),
    ("F8a", "least at B5", {"stored_per_event_by_broker": by_broker(1, 1, 1, 1, 0.5, 1)}, True),
    ("F8a", "least at B4", {"stored_per_event_by_broker": by_broker(1, 1, 1, 0.4, 0.5, 1)}, False),
    ("F8a", "more at B1", {"stored_per_event_by_broker": by_broker(3, 1, 1, 1, 0.5, 1)}, False),
    ("F8b", "B5 least, B3 and B6 most", {"throughput_by_broker": by_broker(2, 2, 5, 2, 1, 5)}, True),
    ("F8b", "B5 most", {"throughput_by_broker": by_broker(1, 2, 5, 2, 9, 5)}, False),
    ("F8b", "B2 above B6", {"throughput_by_broker": by_broker(2, 6, 5, 2, 1, 3)}, False),
    ("F8c", "fewer", {"stored_per_event_by_broker": by_broker(1, 1, 1, 1, 1, 6.9)}, True),
    ("F8c", "more", {"stored_per_event_by_broker": by_broker(1, 1, 1, 1, 1, 7.1)}, False),
    ("M", "0.9 % off", {"control_per_move_all": control(1.009)}, True),
    ("M", "1.1 % off", {"control_per_move_all": control(1.011)}, False),
    ("M", "1.1 % below", {"control_per_move_all": control(0.989)}, False),
]


@pytest.mark.parametrize(("name", "what", "metrics", "holds"), CASES, ids=lambda value: str(value)[:30])
def test_a_claim_holds_just_inside_its_bounds(
    name: str, what: str, metrics: dict[str, Value], holds: bool
) -> None:
    claim = next(claim for claim in claims.CLAIMS if claim.id == name)
    outcomes = {examine(part).outcome for part in claim.check(Given(**metrics))}
    assert (outcomes == {"holds"}) is holds, (what, outcomes)


def test_every_claim_that_is_judged_by_runs_has_both_sides_here() -> None:
    judged = {claim.id for claim in claims.CLAIMS} - {"X"}
    for holds in (True, False):
        assert {name for name, _, _, one in CASES if one is holds} == judged


def test_effects_between_cells_are_those_of_independent_means() -> None:
    """Welch's, on the scale of logarithms; of equal errors the degrees of freedom add up."""
    one, other = Sample(5, 4.0, 0.4, 4), Sample(5, 2.0, 0.2, 4)
    found = claims.over(one, other)
    assert (found.mean, found.error) == pytest.approx((log(2), 0.1 * 2**0.5))
    assert found.freedom == pytest.approx(8)
    assert claims.over(one, 2.0).error == pytest.approx(0.1)
    assert examine(Part("", TIMES, claims.over(one, Sample(5, 0.0, 0.1, 4)))).outcome == UNDEFINED


@pytest.mark.parametrize("n", [2, 10, 30])
def test_the_error_of_a_cell_is_that_of_the_mean_whose_interval_the_table_has(n: int) -> None:
    deviation = 3.0
    row = {"group": "tables", "scheme": "durable", "mobility": "random", "subscribers": 200}
    row |= {"buffer_events": 128, "metric": "loss_percent"}
    row |= {"mean": 5.0, "half_width": half_width(deviation, n), "seeds": n}
    found = claims.Cells(pd.DataFrame([row])).sample("loss_percent", "durable")
    assert (found.n, found.mean, found.freedom) == (n, 5.0, n - 1)
    assert found.error == pytest.approx(deviation / n**0.5)


def test_errors_of_means_within_the_same_runs_add_up() -> None:
    found = claims.total([Sample(5, 4.0, 0.4, 4), Sample(3, 2.0, 0.3, 2)])
    assert (found.n, found.mean, found.freedom) == (3, 6.0, 2)
    assert found.error == pytest.approx(0.7)


def test_of_one_seed_and_of_equal_seeds_nothing_is_tested() -> None:
    assert examine(Part("", "%", Sample(1, 4.0, nan, nan))).outcome == NO_RUNS
    assert examine(Part("", "%", Sample(5, 4.0, 0.0, 4))).outcome == NO_VARIANCE


def test_what_is_exact_holds_at_its_bounds() -> None:
    for value, outcome in ((2, "holds"), (2.1, "does not hold")):
        assert examine(exact("", "", value, 2, 2)).outcome == outcome
