"""Ratios of means with a value a seed: their linearization, as the delta method has it.

The mean of these values is the ratio of the means, and their spread is that of the ratio. So ratios can be
added and subtracted, seed by seed, before they are tested.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log, nan
from typing import TYPE_CHECKING

from mftpubsub.studies.evidence import Sample

if TYPE_CHECKING:
    import pandas as pd


def _both(one: pd.Series[float], other: pd.Series[float]) -> tuple[pd.Series[float], pd.Series[float]]:
    """Of the seeds that both have."""
    rows = one.astype(float).to_frame("one").join(other.astype(float).to_frame("other"), how="inner").dropna()
    return rows["one"], rows["other"]


def share(one: pd.Series[float], other: pd.Series[float]) -> pd.Series[float]:
    """The ratio of two means by seed; NaN if the second mean is 0."""
    one, other = _both(one, other)
    mean = float(other.mean()) or nan
    ratio = float(one.mean()) / mean
    return ratio + (one - ratio * other) / mean


def improvement(one: pd.Series[float], other: pd.Series[float]) -> pd.Series[float]:
    """How much less (%) the first mean is than the second, by seed."""
    return 100 * (1 - share(one, other))


@dataclass(frozen=True)
class Ratio(Sample):
    """The logarithm of a ratio of means, tested as one; the difference of two is that of their ratio."""

    values: pd.Series[float]

    def __sub__(self, other: Ratio) -> Ratio:
        return _ratio((self.values - other.values).dropna())


def over(one: pd.Series[float], other: pd.Series[float]) -> Ratio:
    """The ratio of two means, for a part in TIMES; undefined unless both are above 0."""
    one, other = _both(one, other)
    means = float(one.mean()), float(other.mean())
    if not all(0 < mean < inf for mean in means):
        return _ratio(one * nan)
    return _ratio(log(means[0] / means[1]) + one / means[0] - other / means[1])


def _ratio(values: pd.Series[float]) -> Ratio:
    n = max(len(values), 1)  # of none a sample would be exact
    return Ratio(n, float(values.mean()), float(values.std()) / n**0.5, n - 1, values)
