"""Effects, and whether they are where a statement says: comparisons seed by seed, and their tests.

An effect has one value a seed; the same seed gives every protocol the same mobility, shadowing and traffic,
so differences and ratios are paired. The 95 % confidence interval of its mean (Student's t; ratios by their
logarithms) decides: wholly inside the claimed region, the effect holds; wholly beyond the point of no effect,
the opposite is the case; wholly outside the region, it does not hold; else it stays open. Without spread
there is no test: a value that every seed has does not hold if it is outside the region, and else tells
nothing. Wilcoxon's signed-rank test stands beside it, which needs no normal distribution.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, replace
from itertools import product
from math import exp, inf, log, nan
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from mftpubsub.errors import MftPubsubError
from mftpubsub.labels import SPEED_MPS, in_order, number, rounded
from mftpubsub.statistics import CONFIDENCE, FEWEST_SEEDS, NOISE
from mftpubsub.trace.layout import CASE, axes_of

if TYPE_CHECKING:
    import pandas as pd

NO_RUNS = "too few runs"
UNDEFINED = "undefined"
NO_VARIANCE = "the same in every run"
#: Outcomes of what cannot be tested: for want of runs, since a ratio is one of nothing or to nothing, or
#: since no seed differs from another and no value is outside the region, which tells not how sure that is.
UNTESTED = (NO_RUNS, UNDEFINED, NO_VARIANCE)
#: Units of effects: of ratios, of differences between shares.
TIMES, POINTS = "times", "points"
#: Of so many values SciPy counts all choices of signs, too.
_MOST_COUNTED = 13


class NotRunError(MftPubsubError, LookupError):
    """What a statement speaks of has no runs."""


@dataclass(frozen=True)
class Sample:
    """An effect whose seeds are not kept: its mean, the mean's standard error, its degrees of freedom.

    Of a ratio: of its logarithm. With `n` 0 it is exact: computed, or the same in every run by its nature.
    """

    n: int
    mean: float
    error: float
    freedom: float


@dataclass(frozen=True)
class Part:
    """One effect, by seed or as a sample, of which a statement says that it lies between `low` and `high`.

    `null` is where there is no effect; beyond it, seen from the claimed region, the opposite is the case.
    """

    name: str
    unit: str
    values: pd.Series[float] | Sample
    low: float = -inf
    high: float = inf
    null: float | None = None

    def claimed(self) -> str:
        """The claimed region, for print."""
        if self.low == self.high:
            return f"{self.low:g}"
        if self.high == inf:
            return f"> {self.low:g}"
        return f"< {self.high:g}" if self.low == -inf else f"{self.low:g} to {self.high:g}"


def above(
    name: str, unit: str, values: pd.Series[float] | Sample, bound: float, null: float | None = None
) -> Part:
    """An effect said to be above `bound`; below `null` (by default the same) the opposite is the case."""
    return Part(name, unit, values, low=bound, null=bound if null is None else null)


def below(
    name: str, unit: str, values: pd.Series[float] | Sample, bound: float, null: float | None = None
) -> Part:
    """An effect said to be below `bound`; above `null` (by default the same) the opposite is the case."""
    return Part(name, unit, values, high=bound, null=bound if null is None else null)


def exact(name: str, unit: str, value: float, low: float, high: float) -> Part:
    """An effect that needs no test, said to be between `low` and `high`, ends included."""
    return Part(name, unit, Sample(0, value, 0.0, inf), low, high)


@dataclass(frozen=True)
class Finding:
    """A part, tested: mean effect, its interval, and the outcome.

    The outcome is "holds", "does not hold", "opposite", "open" or one of UNTESTED. `p` is one-sided, against
    the effect's being outside the claimed region; `p_opposite` against its not being beyond `null`; `p_rank`
    as `p`, by signed ranks.
    """

    part: Part
    n: int
    effect: float
    low: float
    high: float
    p: float
    p_opposite: float
    p_rank: float
    outcome: str

    @property
    def is_exact(self) -> bool:
        """Whether no test was needed."""
        return isinstance(self.part.values, Sample) and self.part.values.n == 0

    @property
    def is_constant(self) -> bool:
        """Whether it is the same in every run, so that there is no p value."""
        return self.n > 0 and self.low == self.high

    @property
    def measured(self) -> str:
        """`1.2 [0.8, 1.6] times (10)`, within what is possible; why not, if it was not tested."""
        if self.is_constant:
            return f"{number(self.effect)} {self.part.unit}, {NO_VARIANCE} ({self.n})"
        if self.outcome in UNTESTED:
            return self.outcome
        if self.is_exact:
            return f"{number(self.effect)} {self.part.unit}".rstrip()
        spread = (self.high - self.low) / 2
        least, most = (0.0, 100.0) if self.part.unit == "%" else (-inf, inf)
        ends = max(self.low, least), min(self.high, most)
        effect, low, high = rounded(self.effect, *ends, spread=spread)
        return f"{f'{effect} [{low}, {high}] {self.part.unit}'.rstrip()} ({self.n})"

    @property
    def text(self) -> str:
        """`C16: 1.2 [0.8, 1.6] times (10), holds`."""
        tested = "" if self.outcome in UNTESTED else f", {self.outcome}"
        return f"{self.part.name}: {self.measured}{tested}"


def examine(part: Part) -> Finding:
    """Tests a part, if it can be tested."""
    is_ratio = part.unit == TIMES
    if isinstance(part.values, Sample):
        return _examine_sample(part, part.values)
    values = [float(value) for value in part.values]
    if len(values) < FEWEST_SEEDS:
        return _untested(part, len(values), NO_RUNS)
    if not all((0 if is_ratio else -inf) < value < inf for value in values):
        return _untested(part, len(values), UNDEFINED)
    if max(values) - min(values) < NOISE:
        return _the_same(part, len(values), values[0])
    scaled = [log(value) for value in values] if is_ratio else values
    n = len(scaled)
    sample = Sample(n, fmean(scaled), stdev(scaled) / n**0.5, n - 1)
    return replace(_test(part, sample), p_rank=_p_rank(scaled, *_bounds(part)))


def _examine_sample(part: Part, sample: Sample) -> Finding:
    if sample.n == 0:
        holds = part.low <= sample.mean <= part.high
        p, outcome = (0.0, "holds") if holds else (1.0, "does not hold")
        return Finding(part, 0, sample.mean, sample.mean, sample.mean, p, 1.0, nan, outcome)
    if sample.n < FEWEST_SEEDS:
        return _untested(part, sample.n, NO_RUNS)
    if not abs(sample.mean) < inf:
        return _untested(part, sample.n, UNDEFINED)
    if sample.error < NOISE:
        return _the_same(part, sample.n, exp(sample.mean) if part.unit == TIMES else sample.mean)
    return _test(part, sample)


def _untested(part: Part, n: int, why: str) -> Finding:
    return Finding(part, n, nan, nan, nan, 1.0, 1.0, nan, why)


def _the_same(part: Part, n: int, value: float) -> Finding:
    value = value if abs(value) > NOISE else 0.0
    is_outside = value < part.low - NOISE or value > part.high + NOISE
    outcome = "does not hold" if is_outside else NO_VARIANCE
    return replace(_untested(part, n, outcome), effect=value, low=value, high=value)


def _log(value: float) -> float:
    return log(value) if value > 0 else -inf


def _bounds(part: Part) -> tuple[float, float]:
    """On the scale of tests: of ratios that of logarithms."""
    return (_log(part.low), _log(part.high)) if part.unit == TIMES else (part.low, part.high)


def _test(part: Part, sample: Sample) -> Finding:
    """The tests on the scale of the sample, the result on the part's own."""
    from scipy.special import stdtr, stdtrit  # scipy.stats.t gives the same, fifty times as slowly

    mean, error, freedom = sample.mean, sample.error, sample.freedom
    half = float(stdtrit(freedom, (1 + CONFIDENCE) / 2)) * error
    low, high = _bounds(part)

    def p_below(bound: float) -> float:
        """Against the mean's being at most `bound`."""
        return float(stdtr(freedom, (bound - mean) / error))

    def p_above(bound: float) -> float:
        """Against the mean's being at least `bound`."""
        return float(stdtr(freedom, (mean - bound) / error))

    inside = low < mean - half and mean + half < high
    outside = mean + half <= low or mean - half >= high
    p = max(p_below(low) if low > -inf else 0.0, p_above(high) if high < inf else 0.0)
    p_opposite, opposite = 1.0, False
    if part.null is not None:
        null = _log(part.null) if part.unit == TIMES else part.null
        is_claimed_above = low > -inf
        p_opposite = p_above(null) if is_claimed_above else p_below(null)
        opposite = mean + half < null if is_claimed_above else mean - half > null
    outcome = "opposite" if opposite else "holds" if inside else "does not hold" if outside else "open"
    effect, ci_low, ci_high = (
        exp(value) if part.unit == TIMES else value for value in (mean, mean - half, mean + half)
    )
    return Finding(part, sample.n, effect, ci_low, ci_high, p, p_opposite, nan, outcome)


def _p_rank(values: list[float], low: float, high: float) -> float:
    """As Finding.p, by Wilcoxon's signed-rank test.

    Differences that are equal stay ties: their last digits hang on the order in which a processor sums.
    """
    sides = [(bound, sign) for bound, sign in ((low, 1), (high, -1)) if abs(bound) < inf]
    tests = [_signed_rank([sign * round(value - bound, 10) for value in values]) for bound, sign in sides]
    return max(tests, default=nan)


def _signed_rank(inwards: list[float]) -> float:
    """The share of all choices of signs that are as far inwards; zeros have no sign.

    As SciPy's `wilcoxon`, which counts ties a hundred times as slowly. It approximates those of many values.
    """
    import numpy as np
    from scipy.stats import rankdata, wilcoxon

    if len(inwards) > _MOST_COUNTED:
        return float(wilcoxon(inwards, alternative="greater").pvalue) if any(inwards) else 1.0
    signed = np.array([value for value in inwards if value])
    ranks = rankdata(abs(signed))
    sums = np.array([*product((False, True), repeat=len(ranks))]) @ ranks
    return float(np.mean(sums >= ranks[signed > 0].sum()))


class Runs:
    """What each run gave, to be compared seed by seed; over axes it is averaged.

    `rate`: which of its delivery rates is meant.
    """

    def __init__(self, values: pd.DataFrame, rate: str = "delivery_rate") -> None:
        self.rate = rate
        if axes_of(values):
            values = values.groupby([*CASE, "seed"], as_index=False).mean(numeric_only=True)
        seeds = values.set_index("seed").sort_index()
        seeds.attrs = {}  # pandas would copy them into all that is computed
        self._cases = {case: rows for case, rows in seeds.groupby([*CASE])}
        self._seeds = {case: {*rows.index} for case, rows in self._cases.items()}
        self._orders = {key: in_order(key, values[key]) for key in CASE}
        self._asked: dict[tuple[str, str, str, float], pd.Series[float]] = {}

    def by(self, rate: str) -> Runs:
        """The same runs, of which another delivery rate is meant."""
        found = copy(self)
        found.rate = rate
        return found

    @property
    def configs(self) -> list[str]:
        """From the smallest to the largest."""
        return self._orders["config"]

    @property
    def speeds(self) -> list[float]:
        """In m/s."""
        return self._orders["speed_mps"]

    def of(self, metric: str, protocol: str, config: str, speed: float = SPEED_MPS) -> pd.Series[float]:
        """A metric of one case by seed; empty if there are no such runs."""
        asked = metric, protocol, config, speed
        if asked not in self._asked:  # statements ask for the same again and again
            self._asked[asked] = self._of(*asked)
        return self._asked[asked]

    def _of(self, metric: str, protocol: str, config: str, speed: float) -> pd.Series[float]:
        import pandas as pd

        rows = self._cases.get((protocol, config, speed))
        if rows is None or metric not in rows:
            return pd.Series(dtype=float)
        return rows[metric].astype(float).dropna()

    def speeds_of_all(self, config: str, *protocols: str) -> list[float]:
        """The speeds (m/s) at which all of some protocols ran with a seed in common, whatever came out."""
        found = []
        for speed in self.speeds:
            of_each = (self._seeds.get((protocol, config, speed), set()) for protocol in protocols)
            if set.intersection(*of_each):
                found.append(speed)
        return found

    def seeds_on_one_machine(
        self, one: str, other: str, config: str, speed: float = SPEED_MPS
    ) -> pd.Index[int]:
        """The seeds for which machines of one kind made the runs of both protocols.

        Costs tell the machine; where none is told, that is every seed.
        """
        import pandas as pd

        found = (self._cases.get((protocol, config, speed), pd.DataFrame()) for protocol in (one, other))
        ours, theirs = (rows.get("machine", pd.Series("", rows.index)) for rows in found)
        seeds = ours.index.intersection(theirs.index)
        return seeds[ours[seeds] == theirs[seeds]]

    def speeds_of(self, metric: str, protocol: str, config: str) -> list[float]:
        """The speeds (m/s) at which a metric is known."""
        return [speed for speed in self.speeds if len(self.of(metric, protocol, config, speed))]

    def mean(
        self, metric: str, protocol: str, config: str, speeds: Iterable[float] | None = None
    ) -> pd.Series[float]:
        """Mean over speeds (m/s), by default all, by seed."""
        return self._by_speed(metric, protocol, config, speeds).mean(axis=1)

    def slope(
        self, metric: str, protocol: str, config: str, speeds: Iterable[float] | None = None
    ) -> pd.Series[float]:
        """Change for each m/s by seed, by least squares."""
        return _slopes(self._by_speed(metric, protocol, config, speeds))

    def per_doubling(self, metric: str, protocol: str, speed: float = SPEED_MPS) -> pd.Series[float]:
        """Change with each doubling of the number of nodes by seed, by least squares."""
        return _slopes(self._by_size(metric, protocol, speed))

    def exponent(self, metric: str, protocol: str, configs: Iterable[str] | None = None) -> pd.Series[float]:
        """The k of `metric` ~ nodes^k at 8 m/s over the networks, by default all, by seed: least squares."""
        import numpy as np

        sizes = self._by_size(metric, protocol, SPEED_MPS, configs)
        return _slopes(sizes[(sizes > 0).all(axis=1)].map(np.log2))

    def _by_speed(
        self, metric: str, protocol: str, config: str, speeds: Iterable[float] | None
    ) -> pd.DataFrame:
        places = self.speeds if speeds is None else speeds
        return _side_by_side((speed, self.of(metric, protocol, config, speed)) for speed in places)

    def _by_size(
        self, metric: str, protocol: str, speed: float, configs: Iterable[str] | None = None
    ) -> pd.DataFrame:
        """Columns are the binary logarithms of the number of nodes, which several networks may have."""
        places = self.configs if configs is None else configs
        sizes = {config: self.of("nodes", protocol, config, speed) for config in places}
        return _side_by_side(
            (log(nodes.iloc[0], 2), self.of(metric, protocol, config, speed))
            for config, nodes in sizes.items()
            if len(nodes)
        )


def _side_by_side(columns: Iterable[tuple[float, pd.Series[float]]]) -> pd.DataFrame:
    """Of the cases that there are, the seeds that all of them have."""
    import pandas as pd

    present = [(place, column) for place, column in columns if len(column)]
    if not present:
        return pd.DataFrame()
    places, cases = zip(*present, strict=True)
    rows: pd.DataFrame = pd.concat(cases, axis="columns", keys=places, sort=True)
    return rows.dropna()


def _slopes(rows: pd.DataFrame) -> pd.Series[float]:
    """Slope of each row over the columns; empty with fewer than two different columns."""
    import numpy as np
    import pandas as pd

    if rows.columns.nunique() < 2:
        return pd.Series(dtype=float)
    places = np.array(rows.columns, float)
    places -= places.mean()
    slopes: pd.Series[float] = rows @ (places / (places**2).sum())
    return slopes
