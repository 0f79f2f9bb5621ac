"""G's analytical model (section 6): where subscribers are, and what that makes of the throughput.

Times are mean stays in seconds, rates in 1/s. Chains are solved in exact fractions, so that G's printed
digits can be told from its roundings.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mftpubsub.worlds.handoff.scenario import NEIGHBOURS

#: Coefficients of the cubic of G equation 16, highest power first: msg/s of a broker over its subscribers.
CUBIC = (0.0019, -0.2256, 12.362, 1.7111)


@dataclass(frozen=True)
class Stays:
    """Mean stays (s): connected T_beta, disconnected T_delta, in hand-off T_alpha (G table 1)."""

    connected: Fraction = Fraction(60)
    disconnected: Fraction = Fraction(12)
    handoff: Fraction = Fraction(3)


Matrix = list[list[Fraction]]


def random_chain(brokers: int = 6, stays: Stays = Stays()) -> Matrix:
    """Generator of G's random model (equations 1 to 3): hand-off, disconnected, then each broker."""
    alpha = 1 / (brokers * stays.handoff)
    delta = 1 / ((brokers + 1) * stays.disconnected)
    beta = 1 / (2 * stays.connected)
    size = brokers + 2
    rows = [[Fraction(0)] * size for _ in range(size)]
    rows[1][0] = delta
    for broker in range(2, size):
        rows[0][broker] = alpha
        rows[1][broker] = delta
        rows[broker][0] = rows[broker][1] = beta
    return _with_diagonal(rows)


def neighbouring_chain(
    neighbours: Mapping[int, Sequence[int]] = NEIGHBOURS, stays: Stays = Stays()
) -> Matrix:
    """Generator of the neighbouring model (equations 12 to 14), row 12 of the printed matrix restored.

    States: connected at each broker, then disconnected from each, then in hand-off from each. Where every
    broker neighbours all others this is figure 4 with random moves (ruling R15), what a simulation tends to.
    """
    beta = 1 / (2 * stays.connected)
    delta = 1 / (2 * stays.disconnected)
    names = sorted(neighbours)
    count = len(names)
    rows = [[Fraction(0)] * (3 * count) for _ in range(3 * count)]
    for index, name in enumerate(names):
        rows[index][count + index] = rows[index][2 * count + index] = beta
        rows[count + index][index] = rows[count + index][2 * count + index] = delta
        for neighbour in neighbours[name]:
            alpha = 1 / (len(neighbours[name]) * stays.handoff)
            rows[2 * count + index][names.index(neighbour)] = alpha
    return _with_diagonal(rows)


def stationary(generator: Matrix) -> list[Fraction]:
    """pi with pi M = 0 and sum 1 (equations 4, 5), by elimination in fractions."""
    size = len(generator)
    rows = [[generator[j][i] for j in range(size)] + [Fraction(0)] for i in range(size)]
    rows[-1] = [Fraction(1)] * (size + 1)
    for column in range(size):
        pivot = next(row for row in range(column, size) if rows[row][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        scale = rows[column][column]
        rows[column] = [value / scale for value in rows[column]]
        for row in range(size):
            if row != column and (factor := rows[row][column]):
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column], strict=True)]
    return [row[-1] for row in rows]


def random_closed_form(brokers: int = 6, stays: Stays = Stays()) -> tuple[Fraction, Fraction, Fraction]:
    """P, pi_1, pi_2 of the random model by equations 8, 6, 7."""
    n = brokers
    alpha = 1 / (n * stays.handoff)
    delta = 1 / ((n + 1) * stays.disconnected)
    beta = 1 / (2 * stays.connected)
    p = (n + 1) * alpha * delta / (n * beta * alpha + (n + 2) * beta * delta + n * (n + 1) * alpha * delta)
    return p, (n + 2) * beta / ((n + 1) * alpha) * p, n * beta / ((n + 1) * delta) * p


def neighbouring_closed_form(
    neighbours: Mapping[int, Sequence[int]] = NEIGHBOURS, stays: Stays = Stays()
) -> dict[int, Fraction]:
    """Probability of being connected at each broker: as its degree, if the graph is symmetric."""
    cycle = stays.connected + stays.disconnected / 2 + 3 * stays.handoff / 4
    degrees = {name: len(others) for name, others in neighbours.items()}
    return {
        name: stays.connected / cycle * Fraction(degree, sum(degrees.values()))
        for name, degree in degrees.items()
    }


def throughput(subscribers: float) -> float:
    """Equation 16: msg/s of a broker with so many expected subscribers (fitted for about 1 to 50)."""
    return float(np.polyval(CUBIC, subscribers))


def loss(buffer_events: int, rate: float, stays: Stays = Stays(), share: float = 0.2) -> float:
    """Share of events lost by overflow alone, with instant control (section 8 of the specification).

    Args:
        buffer_events: events that one buffer holds.
        rate: publications, events/s, of which a subscriber wants `share`.
    """
    a, b = float(stays.disconnected), float(stays.handoff)
    window = buffer_events / (share * rate)
    at_a, at_b = math.exp(-window / a), math.exp(-window / b)
    # (a^2 x^a - b^2 x^b) / (a - b) has the limit 2 a x^a + w x^a where the two means are equal
    both = (a * a * at_a - b * b * at_b) / (4 * (a - b)) if a != b else (2 * a * at_a + window * at_a) / 4
    return (b / 2 * at_b + a / 4 * at_a + both) / (float(stays.connected) + a / 2 + 3 * b / 4)


def printed_quantities() -> dict[str, dict[str, float | str]]:
    """Every quantity that G's section 6 prints: `printed`, our `value`, and what is `exact`.

    `value` follows G's own roundings where it says how it rounded (200 times the printed probability), so
    that it comes out to the printed digits; `exact` is unrounded, `fraction` the same where there is one.
    """
    subscribers = 200
    p, handoff, disconnected = random_closed_form()
    connected = neighbouring_closed_form()
    table = [
        ("P", 0.147679, p, 6),
        ("pi_1", 0.025316, handoff, 6),
        ("pi_2", 0.088608, disconnected, 6),
    ]
    quantities: dict[str, dict[str, float | str]] = {
        name: _quantity(printed, round(float(exact), digits), exact) for name, printed, exact, digits in table
    }
    quantities["n_i"] = _quantity(29.5358, round(subscribers * round(float(p), 6), 4), subscribers * p)
    x = float(subscribers * p)
    quantities["y"] = {"printed": 218.983, "value": round(throughput(x), 3), "exact": throughput(x)}
    exact = [connected[broker] for broker in sorted(connected)]
    states = [
        *zip(
            ("B1", "B2", "B3", "B4", "B5", "B6"),
            exact,
            (0.1099, 0.1648, 0.2198, 0.1099, 0.0549, 0.2198),
            strict=True,
        ),
        ("DH", 1 - sum(exact, Fraction(0)), 0.1209),
    ]
    numbers = (21.98, 32.96, 43.96, 21.98, 10.98, 43.96, 24.18)
    for (name, probability, printed), number in zip(states, numbers, strict=True):
        rounded = round(float(probability), 4)
        quantities[f"table5_pi_{name}"] = _quantity(printed, rounded, probability)
        quantities[f"table5_n_{name}"] = _quantity(
            number, round(subscribers * rounded, 2), subscribers * probability
        )
    return quantities


def _quantity(printed: float, value: float, exact: Fraction) -> dict[str, float | str]:
    return {"printed": printed, "value": value, "exact": float(exact), "fraction": str(exact)}


def _with_diagonal(rows: Matrix) -> Matrix:
    for index, row in enumerate(rows):
        row[index] = -sum(row, Fraction(0))
    return rows
