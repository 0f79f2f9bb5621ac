"""Means over seeds, and how sure they are."""

from __future__ import annotations

from collections.abc import Iterable
from math import nan
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T", float, "pd.Series[float]")

#: Of all intervals.
CONFIDENCE = 0.95
#: What is smaller is how a computer rounds.
NOISE = 1e-9
#: A test needs as many: with two an interval is more luck than measure.
FEWEST_SEEDS = 3


def are_equal(values: Iterable[float]) -> bool:
    """Whether values have no spread, but for how a computer rounds."""
    values = [*values]
    return max(values) - min(values) < NOISE


def half_width(sd: T, n: Any, confidence: float = CONFIDENCE) -> T:
    """Half the width of the confidence interval of a mean of `n` values (Student's t); NaN for one."""
    from scipy.special import stdtrit  # scipy.stats.t gives the same, and takes half a second to import

    width: T = stdtrit(n - 1, (1 + confidence) / 2) * sd / n**0.5
    return width


def moments(table: pd.DataFrame, metric: str, by: Iterable[str]) -> pd.DataFrame:
    """Mean, ci95 (half the width), sd and n over the seeds for each value of `by`; a seed's runs count once.

    What a run leaves undefined does not count. NaN is a value of `by` like any other: a run that another
    program made has it on an axis of ours. What the table knows of itself (`attrs`) stays.
    """
    by = [*by]
    per_seed = table.groupby([*by, "seed"], dropna=False)[metric].mean()
    found = per_seed.groupby(level=[*range(len(by))], dropna=False).agg(["mean", "std", "count"])
    found.columns = ["mean", "sd", "n"]
    found["ci95"] = half_width(found["sd"], found["n"])
    found.attrs = dict(table.attrs)
    return found[["mean", "ci95", "sd", "n"]]


def ends(mean: float, half: float, possible: tuple[float, float]) -> tuple[float, float]:
    """Of an interval around a mean, within what its values can be; never on the mean's other side."""
    least, largest = possible
    return min(mean, max(mean - half, least)), max(mean, min(mean + half, largest))


def paired(differences: pd.Series[float]) -> dict[str, float]:
    """Mean difference, its confidence interval, two-sided p against none, and n; NaN with one pair."""
    from scipy.stats import ttest_1samp

    values = differences.to_numpy(float)
    if are_equal(values):  # no spread: certain with several pairs, unknown with one
        mean = float(values[0]) if abs(values[0]) > NOISE else 0.0
        end, p = (mean, float(mean == 0)) if len(values) > 1 else (nan, nan)
        return {"difference": mean, "ci_low": end, "ci_high": end, "p": p, "n": len(values)}
    test = ttest_1samp(values, 0)
    low, high = test.confidence_interval(CONFIDENCE)
    return {
        "difference": float(values.mean()),
        "ci_low": float(low),
        "ci_high": float(high),
        "p": float(test.pvalue),
        "n": len(values),
    }
