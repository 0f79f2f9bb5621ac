"""Verdicts are monotone: what gets worse improves none, whatever a statement's parts look like."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from math import exp, inf, log, nan

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_statements import world

from mftpubsub.sources.thesis.statements import CLAIMS
from mftpubsub.studies import claims
from mftpubsub.studies.evidence import TIMES, Finding, Part, Runs, above, examine
from mftpubsub.studies.report.document import TESTS

#: From the worst verdict to the best.
ORDER = [*reversed(claims.KINDS)]


@cache
def shapes() -> dict[str, list[Part]]:
    """What each statement claims of its parts, whatever their values are."""
    return {claim.id: [*claim.check(Runs(world()))] for claim in CLAIMS}


@pytest.fixture(scope="module", autouse=True)
def no_ranks() -> Iterator[None]:
    """Without the signed-rank tests, which take most of the time: no verdict rests on them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mftpubsub.studies.evidence._p_rank", lambda *_: nan)
        yield


def on_scale(part: Part, value: float) -> float:
    """On the scale that a part is tested on."""
    if part.unit != TIMES:
        return value
    return log(value) if value > 0 else -inf


def by_seed(part: Part) -> pd.Series[float]:
    assert isinstance(part.values, pd.Series)
    return part.values


def shifted(part: Part, by: float) -> Part:
    """The part with all its seeds as far to one side."""
    values = by_seed(part) * exp(by) if part.unit == TIMES else by_seed(part) + by
    return replace(part, values=values)


def worse(part: Part, by: float) -> Part:
    """The part with all its seeds as far away from the claimed region."""
    low, high = on_scale(part, part.low), on_scale(part, part.high)
    if high == inf:
        return shifted(part, -by)
    if low == -inf:
        return shifted(part, by)
    values = [on_scale(part, value) for value in by_seed(part)]
    mean = sum(values) / len(values)
    return shifted(part, by if 2 * mean >= low + high else -by)


@st.composite
def parts(draw: st.DrawFn, shape: Part) -> Part:
    """The shape with seeds that lie around one of its bounds, or around where there is no effect."""
    bounds = [bound for bound in (shape.low, shape.high, shape.null) if bound is not None]
    near = draw(st.sampled_from([b for b in (on_scale(shape, bound) for bound in bounds) if abs(b) < inf]))
    noise = draw(st.one_of(st.lists(st.integers(-9, 9), min_size=3, max_size=10), st.just([0, 0, 0])))
    spread, away = draw(st.sampled_from([0.003, 0.03])), draw(st.integers(-40, 40)) / 10
    values = [near + spread * (one + away) for one in noise]
    own = pd.Series([exp(value) if shape.unit == TIMES else value for value in values], dtype=float)
    return replace(shape, values=own)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, list[Part]]:
    names = draw(st.lists(st.sampled_from([*shapes()]), min_size=1, max_size=3, unique=True))
    return {name: [draw(parts(shape)) for shape in shapes()[name]] for name in names}


def verdicts(table: Mapping[str, list[Part]]) -> dict[str, str]:
    found = {name: [examine(part) for part in of] for name, of in table.items()}
    return {name: decided[0] for name, decided in claims.decide(found).items()}


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_part_that_gets_worse_improves_no_verdict_and_one_that_gets_better_worsens_none(
    data: st.DataObject,
) -> None:
    before = data.draw(tables())
    name = data.draw(st.sampled_from([*before]))
    index = data.draw(st.integers(0, len(before[name]) - 1))
    by = data.draw(st.sampled_from([0.001, 0.01, 0.03, 0.1, 0.5, 5.0]))
    changed = [*before[name]]
    changed[index] = worse(changed[index], by)
    good, bad = verdicts(before), verdicts({**before, name: changed})
    for each in before:
        assert ORDER.index(bad[each]) <= ORDER.index(good[each]), (each, good[each], bad[each])


@pytest.mark.parametrize("outcome", ["holds", "open", "does not hold", "opposite"])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_in_every_mixture_the_verdict_falls_with_each_part(outcome: str, count: int) -> None:
    """From all parts held to all the other way round, one after the other, sure or not so sure."""
    for sure in (1e-9, 0.02):
        found = [finding("holds", sure) for _ in range(count)]
        ranks = [rank(found)]
        for index in range(count):
            found[index] = finding(outcome, sure)
            ranks.append(rank(found))
        assert ranks == sorted(ranks, reverse=True)


def rank(found: list[Finding]) -> int:
    others = {str(i): [finding("open", 0.5)] for i in range(30)}
    return ORDER.index(claims.decide({"it": found, **others})["it"][0])


def finding(outcome: str, sure: float) -> Finding:
    p, p_opposite = {
        "holds": (sure, 1 - sure),
        "open": (0.4, 0.6),
        "does not hold": (0.98, 0.1),
        "opposite": (1 - sure, sure),
    }[outcome]
    part = above("", "", pd.Series([1.0, 2.0, 3.0]), 0)
    return Finding(part, 3, 2.0, 1.0, 3.0, p, p_opposite, p, outcome)


def test_five_parts_that_hold_are_no_worse_than_four_of_them() -> None:
    """By a p value of all five that 31 statements are too many for."""
    others = {str(i): [finding("open", 0.5)] for i in range(30)}
    five = [*(finding("holds", 1e-6) for _ in range(4)), finding("holds", 0.01)]
    four = [*five[:4], finding("open", 0.2)]
    (all_hold, p_all, p_best), (one_is_open, *_) = (
        claims.decide({"it": of, **others})["it"] for of in (five, four)
    )
    assert (all_hold, one_is_open) == ("partly confirmed", "partly confirmed")
    assert p_all == pytest.approx(31 * 2 * 0.01)
    assert p_best == pytest.approx(5 * 2 * 1e-6)


def test_a_statement_that_turns_round_takes_no_correction_off_the_others() -> None:
    """Else one statement could be confirmed because another got worse."""
    first = [finding("holds", 0.02)]
    for second in (finding("open", 0.5), finding("opposite", 1e-9)):
        found = claims.decide({"first": first, "second": [second]})
        verdict, p, _ = found["first"]
        assert verdict == claims.UNDECIDED
        assert p == pytest.approx(2 * 2 * 0.02)


@pytest.mark.parametrize(
    ("found", "p_all", "text"),
    [
        ([finding("holds", 1e-6)] * 2, 0.3, "partly confirmed, all parts: p = 0.3"),
        ([finding("holds", 0.02)], 0.3, "cannot be decided, p = 0.3"),
        ([finding("holds", 0.02), finding("open", 0.5)], 1.0, "cannot be decided, surest part: p = 0.08"),
        ([finding("holds", 1e-6), finding("open", 0.5)], 1.0, "partly confirmed, surest part: p < 0.001"),
        ([finding("opposite", 0.02)] * 2, 0.3, "not confirmed, all parts: p = 0.3"),
        ([finding("open", 0.5)], 1.0, "cannot be decided, p = 1"),
        ([finding("holds", 0.02), finding("opposite", 0.01)], 1.0, "not confirmed"),
    ],
)
def test_beside_parts_that_hold_stands_the_p_value_that_the_verdict_lacks(
    found: list[Finding], p_all: float, text: str
) -> None:
    p_best = claims.decide({"it": found})["it"][2]
    decided = claims._verdict(found, p_all, p_all, p_best)
    assert claims.Verdict(CLAIMS[0], found, decided, p_all, p_best, "").text == text


def test_the_report_tells_each_rule() -> None:
    for word in ("confirmed", "partly confirmed", "not confirmed", "opposite", claims.UNDECIDED):
        assert word in TESTS
