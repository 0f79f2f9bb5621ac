"""G's analytical model: printed digits, chains against closed forms, and what a simulation tends to."""

from __future__ import annotations

from fractions import Fraction

import pytest

from mftpubsub.sources.gaddah.analytic import (
    loss,
    neighbouring_chain,
    neighbouring_closed_form,
    printed_quantities,
    random_chain,
    random_closed_form,
    stationary,
    throughput,
)
from mftpubsub.sources.gaddah.printed import implied_rate
from mftpubsub.worlds.handoff.scenario import complete


def test_all_printed_quantities_come_out_to_their_digits() -> None:
    quantities = printed_quantities()

    assert len(quantities) == 19
    assert all(row["value"] == row["printed"] for row in quantities.values())


def test_three_printed_quantities_are_rounded_by_the_source_itself() -> None:
    own = {
        name
        for name, row in printed_quantities().items()
        if round(float(row["exact"]), len(str(row["printed"]).split(".")[1])) != row["printed"]
    }

    assert own == {"n_i", "table5_n_B2", "table5_n_B5"}


def test_random_chain_solves_to_its_closed_form() -> None:
    p, handoff, disconnected = random_closed_form()

    assert stationary(random_chain()) == [handoff, disconnected, *[p] * 6]
    assert (p, handoff, disconnected) == (Fraction(35, 237), Fraction(2, 79), Fraction(7, 79))


def test_neighbouring_chain_solves_to_degrees() -> None:
    pi = stationary(neighbouring_chain())

    assert pi[:6] == list(neighbouring_closed_form().values())
    assert sum(pi[6:12]) == Fraction(8, 91)
    assert sum(pi[12:]) == Fraction(3, 91)


def test_figure_4_with_random_moves_spreads_subscribers_evenly() -> None:
    assert stationary(neighbouring_chain(complete()))[:6] == [Fraction(80, 91) / 6] * 6


def test_curve_gives_the_printed_throughput() -> None:
    assert throughput(29.5358) == pytest.approx(218.983, abs=5e-4)


def test_loss_formula_is_continuous_where_its_two_means_meet() -> None:
    from mftpubsub.sources.gaddah.analytic import Stays

    equal = loss(128, 30, Stays(disconnected=Fraction(3)))
    near = loss(128, 30, Stays(disconnected=Fraction(30001, 10000)))

    assert equal == pytest.approx(near, rel=1e-3)


@pytest.mark.parametrize(
    ("scheme", "mobility", "subscribers", "rate"),
    [
        ("durable", "random", 10, 40.49),
        ("reactive", "neighbouring", 200, 25.81),
        ("pro-active", "random", 100, 40.86),
    ],
)
def test_printed_tables_imply_the_specified_rates(
    scheme: str, mobility: str, subscribers: int, rate: float
) -> None:
    assert implied_rate(scheme, mobility, subscribers) == pytest.approx(rate, abs=0.005)
