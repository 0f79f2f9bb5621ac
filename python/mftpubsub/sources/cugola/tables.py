"""Records to tables, with Spark, and what figures and claims ask of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mftpubsub.errors import MftPubsubError
from mftpubsub.files import write_table
from mftpubsub.statistics import half_width, moments
from mftpubsub.worlds.reconfiguration.records import FIELDS, QUERIES, RUN_KEYS, query

if TYPE_CHECKING:
    import pandas as pd

_STRAWMAN = "strawman"


def make_tables(
    folder: Path,
    over_time: Iterable[str] = (),
    master: str | None = None,
    names: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Makes DIR/tables of DIR/runs: `runs`, `messages` and `bins` by run (*.sql), `metrics` by case.

    `bins` is of the series in `over_time` only. Of series whose `x` counts values, `names` has what these are
    called, which the column `value` has then.
    """
    import pandas as pd

    from mftpubsub.pipeline.session import literal, session

    if not [*folder.glob("runs/series=*/seed=*.parquet")]:
        raise MftPubsubError(f"{folder}/runs holds no runs: run the study first")
    spark = session(master).newSession()
    columns = ", ".join(f"`{name}` {type_}" for name, type_ in {**FIELDS, **RUN_KEYS}.items())
    paths = [literal(path) for path in sorted(folder.glob("runs/series=*/seed=*.parquet"))]
    spark.read.schema(columns).parquet(*paths).createOrReplaceTempView("records")
    for name in QUERIES:
        found = spark.sql(query(name))
        if name == "bins":
            found = found.where(found["series"].isin([*over_time]))
        frame = pd.DataFrame.from_records(found.collect(), columns=found.columns)
        keys = [column for column in frame if column in (*RUN_KEYS, "kind", "seconds")]
        frame = frame.sort_values(keys, ignore_index=True)
        write_table(_named(frame, names or {}), folder / "tables" / name)
        if name == "runs":
            write_table(_named(_summary(frame), names or {}), folder / "tables" / "metrics")


def _named(frame: pd.DataFrame, names: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """A table with the column `value` behind `x`, if `x` counts the values of some series."""
    if not names:
        return frame
    places = zip(frame["series"], frame["x"], strict=True)
    told = [names[series][int(x)] if series in names else f"{x:g}" for series, x in places]
    frame = frame.copy()
    frame.insert([*frame].index("x") + 1, "value", told)
    return frame


def _summary(runs: pd.DataFrame) -> pd.DataFrame:
    """Mean, 95 % confidence interval, sd and n of every metric of every case, over its seeds."""
    long = runs.melt([*RUN_KEYS], var_name="metric").astype({"value": "float64"})
    return moments(long, "value", ["series", "x", "protocol", "metric"]).reset_index()


@dataclass(frozen=True)
class Estimate:
    """A mean over seeds, and half the width of its 95 % confidence interval."""

    mean: float
    half: float

    def __str__(self) -> str:
        return f"{self.mean:.4g} ± {self.half:.2g}"

    def lies(self, low: float, high: float) -> bool:
        """Whether the mean does."""
        return low <= self.mean <= high


class Tables:
    """The tables of a study."""

    def __init__(self, folder: Path) -> None:
        import pandas as pd

        try:
            self.runs, self.messages, self.bins = (
                pd.read_parquet(folder / "tables" / f"{name}.parquet") for name in QUERIES
            )
        except FileNotFoundError as error:
            raise MftPubsubError(f"{error.filename} is missing: `mftpubsub cugola` makes it") from None

    def values(self, series: str, protocol: str, metric: str, x: float | None = None) -> pd.Series[float]:
        """A metric by seed; without `x` of the only or flat value."""
        rows = self.runs[(self.runs["series"] == series) & (self.runs["protocol"] == protocol)]
        rows = rows[rows["x"] == (rows["x"].min() if x is None else x)]
        if rows.empty:
            at = "" if x is None else f" at {x:g}"
            raise MftPubsubError(f"the study has no runs of {protocol} in {series}{at}")
        values: pd.Series[float] = rows.set_index("seed")[metric].sort_index()
        return values

    def places(self, series: str, protocol: str) -> list[float]:
        """The values of what varies, ascending."""
        rows = self.runs[(self.runs["series"] == series) & (self.runs["protocol"] == protocol)]
        if rows.empty:
            raise MftPubsubError(f"the study has no runs of {protocol} in {series}")
        return sorted(float(value) for value in rows["x"].unique())

    def protocols(self, series: str) -> list[str]:
        return [*dict.fromkeys(self.runs[self.runs["series"] == series]["protocol"])]

    def mean(self, series: str, protocol: str, metric: str, x: float | None = None) -> Estimate:
        return mean(self.values(series, protocol, metric, x))

    def ratio(self, series: str, protocol: str, other: str, metric: str, x: float | None = None) -> Estimate:
        """Of the means of two protocols."""
        return ratio(self.values(series, protocol, metric, x), self.values(series, other, metric, x))

    def ratio_of(self, series: str, protocol: str, metric: str, other: str, x: float) -> Estimate:
        """Of the means of two metrics of one protocol."""
        return ratio(self.values(series, protocol, metric, x), self.values(series, protocol, other, x))

    def improvement(
        self, series: str, protocol: str, metric: str = "cost", x: float | None = None
    ) -> Estimate:
        """How much less than strawman's a metric is, in %: 100 (1 - ratio of the means)."""
        found = self.ratio(series, protocol, _STRAWMAN, metric, x)
        return Estimate(100 * (1 - found.mean), 100 * found.half)

    def kind(self, series: str, protocol: str, kind: str, column: str) -> pd.Series[float]:
        """A column of `messages` by seed; 0 where a run had none of that kind."""
        rows = self.messages
        rows = rows[(rows["series"] == series) & (rows["protocol"] == protocol) & (rows["kind"] == kind)]
        seeds = self.values(series, protocol, "cost").index
        values: pd.Series[float] = rows.set_index("seed")[column].reindex(seeds, fill_value=0.0)
        return values


def mean(values: Iterable[float]) -> Estimate:
    """Over the seeds, by Student's t."""
    import pandas as pd

    found = pd.Series([*values], dtype=float)
    return Estimate(float(found.mean()), half_width(float(found.std()), len(found)))


def ratio(values: pd.Series[float], others: pd.Series[float]) -> Estimate:
    """Of the means over the same seeds; the interval is that of the residuals of the ratio (delta method)."""
    both = values.to_frame("one").join(others.to_frame("other"), how="inner").astype(float)
    one, other = both["one"], both["other"]
    if not other.mean():
        return Estimate(float("nan"), float("nan"))
    found = float(one.mean() / other.mean())
    return Estimate(found, mean(one - found * other).half / float(other.mean()))
