"""What G prints of its evaluation (tables 2 to 4), and what these numbers imply."""

from __future__ import annotations

import numpy as np

SCHEMES = ("durable", "reactive", "pro-active")
MOBILITIES = ("random", "neighbouring")
SUBSCRIBERS = (10, 100, 200)

Cell = tuple[str, str, int]


def _cells(rows: dict[int, tuple[float, ...]]) -> dict[Cell, float]:
    columns = [(scheme, mobility) for scheme in SCHEMES for mobility in MOBILITIES]
    return {
        (scheme, mobility, subscribers): value
        for subscribers, values in rows.items()
        for (scheme, mobility), value in zip(columns, values, strict=True)
    }


#: Table 2, messages/s.
THROUGHPUT = _cells(
    {
        10: (86.99, 86.28, 92.39, 90.53, 108.90, 124.72),
        100: (589.33, 574.32, 664.39, 663.63, 810.26, 957.32),
        200: (806.81, 791.74, 980.77, 953.17, 1172.77, 1420.26),
    }
)
#: Table 3, %.
LOSS = _cells(
    {
        10: (4.78, 3.13, 3.65, 5.14, 2.25, 1.26),
        100: (5.14, 4.06, 8.92, 7.03, 0.86, 0.72),
        200: (4.56, 3.51, 9.62, 9.44, 0.58, 0.51),
    }
)
#: Table 4, %.
DUPLICATES = _cells(
    {
        10: (11.35, 12.10, 0.80, 1.52, 0.0, 0.0),
        100: (12.01, 11.68, 1.70, 0.85, 0.0, 0.0),
        200: (17.05, 16.97, 2.13, 1.90, 0.0, 0.0),
    }
)


def implied_rate(scheme: str, mobility: str, subscribers: int, share: float = 0.2) -> float:
    """Publications, events/s, for which G's throughput, loss and duplicates fit together.

    From Ts (1 - D) = K x share x rate x (1 - L); for other K, 1/rate is interpolated.
    """

    def at(k: int) -> float:
        cell = (scheme, mobility, k)
        received = THROUGHPUT[cell] * (1 - DUPLICATES[cell] / 100)
        return received / (k * share * (1 - LOSS[cell] / 100))

    return float(1 / np.interp(subscribers, SUBSCRIBERS, [1 / at(k) for k in SUBSCRIBERS]))
