"""Seeds until an interval is narrow: a study that runs as many seeds as its answer needs.

Repeated looks need wider intervals: a study that stops at the first narrow one stops too early too often
(DeMets and Lan, Statistics in Medicine 13, 1994, 1341-1352). Look k has the error probability 0.05 / (k (k
+ 1)). The error is spent over the looks, as in that paper, and the number of looks need not be known
before. These probabilities sum to 0.05. By Bonferroni's inequality all intervals hold together, however
values depend on each other. The number of seeds doubles from look to look, so that there are few looks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mftpubsub.errors import ConfigurationError, MftPubsubError, no_such
from mftpubsub.files import read_texts, write_text
from mftpubsub.folders import is_url
from mftpubsub.metrics.table import METRICS
from mftpubsub.notes import tell
from mftpubsub.statistics import CONFIDENCE, FEWEST_SEEDS, are_equal, half_width
from mftpubsub.sweeps.table import run_table
from mftpubsub.trace.layout import keys_of, text

if TYPE_CHECKING:
    import pandas as pd

    from mftpubsub.scenario.scenario import Scenario
    from mftpubsub.scenario.study import Study

#: Seeds that a case gets at most, unless one says otherwise.
MOST_SEEDS = 64
#: In the folder of the study.
INTERVALS = "sequential.csv"
#: Its columns but for those that name a case and a metric.
_FOUND = ("mean", "half_width", "n", "confidence", "is_narrow")


@dataclass(frozen=True)
class Aim:
    """An interval that is narrow enough: half of it is at most `half_width`, in the metric's own unit."""

    metric: str
    half_width: float

    @classmethod
    def of(cls, text: str) -> Aim:
        """METRIC<=HALF_WIDTH. Raises ConfigurationError for anything else."""
        parts = re.fullmatch(r"\s*(\w+)\s*<=\s*(\S+)\s*", text)
        example = "such as 'delivery_rate_strict<=0.01': half the interval is at most 0.01"
        if not parts:
            raise ConfigurationError(f"until: {text!r} is not METRIC<=NUMBER, {example}")
        metric, number = parts.groups()
        if metric not in METRICS or METRICS[metric].values is None:
            numbers = [name for name, known in METRICS.items() if known.values is not None]
            raise ConfigurationError(f"until: {no_such('metric', metric, numbers)}")
        try:
            width = float(number)
        except ValueError:
            width = -1.0
        if not (isfinite(width) and width > 0):
            raise ConfigurationError(f"until: {number!r} is no width above 0, {example}")
        return cls(metric, width)


def confidence_at(look: int) -> float:
    """Of the intervals at look 1, 2, ..., so that all of them hold together with CONFIDENCE."""
    return 1 - (1 - CONFIDENCE) / (look * (look + 1))


def counts(first: int, most: int) -> Iterator[int]:
    """Of seeds, look by look: twice as many each time, `most` at last."""
    while first < most:
        yield first
        first *= 2
    yield most


def run_until(
    study: Study,
    out: str | Path,
    until: Iterable[str],
    *,
    most_seeds: int = MOST_SEEDS,
    protocols: Iterable[str] | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Runs seeds of each case of `study` until its intervals are as narrow as `until` says.

    The first look is at the study's own seeds, of which there must be two at least; after `most_seeds` a case
    is given up. Equal values say nothing of their spread: their interval is not known, and never narrow. Nor
    is one of fewer than three. `options` are those of `run_cases`. Writes the intervals, which hold however
    often one has looked, to `out`/sequential.csv, where those of other cases and metrics stay. Returns those
    of this study. Raises MftPubsubError if a run fails.
    """
    aims = [Aim.of(text) for text in until]
    seeds = list(dict.fromkeys(study.seeds))
    if is_url(out):
        raise ConfigurationError(f"until: needs a folder of this machine, not {out}")
    if len(seeds) < 2:
        raise ConfigurationError("until: the study has one seed, which has no interval: give it two or more")
    if most_seeds < (own := len(seeds)):
        raise ConfigurationError(f"most seeds: {most_seeds} are fewer than the study's own {own}")
    seeds += [max(seeds) + 1 + each for each in range(most_seeds - own)]
    open_cases = study.model_copy(update={"seeds": seeds[:1]}).cases(protocols)
    done: list[dict[str, Any]] = []
    for look, count in enumerate(counts(own, most_seeds), 1):
        tell(f"look {look}: {len(open_cases)} cases with {count} seeds each")
        rows = _look(open_cases, seeds[:count], out, aims, confidence_at(look), options)
        is_last = count == most_seeds
        narrow = [is_last or all(row["is_narrow"] for row in of_case) for of_case in rows]
        done += [row for of_case, ends in zip(rows, narrow, strict=True) if ends for row in of_case]
        open_cases = [case for case, ends in zip(open_cases, narrow, strict=True) if not ends]
        if not open_cases:
            break
    return _write(done, Path(out))


def _look(
    cases: Sequence[Scenario],
    seeds: Sequence[int],
    out: str | Path,
    aims: Sequence[Aim],
    confidence: float,
    options: dict[str, Any],
) -> list[list[dict[str, Any]]]:
    """Runs `cases` with `seeds`. Gives for each case a row an aim."""
    runs = [case.replace(seed=seed) for case in cases for seed in seeds]
    table = run_table(runs, out, **options)
    if (failed := table[table.failure.notna()]).size:
        raise MftPubsubError(f"{len(failed)} runs failed; the same command runs them again")
    found = []
    for number in range(len(cases)):
        own = table.iloc[number * len(seeds) : (number + 1) * len(seeds)]
        keys = {name: own[name].iloc[0] for name in keys_of(own)[:-1]}
        found.append([keys | _interval(own[aim.metric], aim, confidence) for aim in aims])
    for aim in aims:
        if undefined := int(table[aim.metric].isna().sum()):
            tell(f"{aim.metric} is undefined in {undefined} of {len(table)} runs: they count for no interval")
    return found


def _interval(values: pd.Series[float], aim: Aim, confidence: float) -> dict[str, Any]:
    known = values.dropna()
    is_known = len(known) > 1 and not are_equal(known)
    width = half_width(float(known.std()), len(known), confidence) if is_known else float("nan")
    return {
        "metric": aim.metric,
        "mean": known.mean(),
        "half_width": width,
        "n": len(known),
        "confidence": confidence,
        "is_narrow": bool(len(known) >= FEWEST_SEEDS and width <= aim.half_width),
    }


def _write(rows: list[dict[str, Any]], out: Path) -> pd.DataFrame:
    import pandas as pd

    path, table = out / INTERVALS, pd.DataFrame(rows)
    earlier = [read_texts(path, [*table.select_dtypes("number")])] if path.exists() else []
    both = pd.concat([*earlier, table], ignore_index=True)
    named = both[[name for name in both if name not in _FOUND]]
    texts = named.apply(lambda column: column.map(_text))
    write_text(path, both[~texts.duplicated(keep="last")].to_csv(index=False))
    return table


def _text(value: object) -> str:
    """What names a case or a metric, as in the file: nothing of a key that the case lacks."""
    known = text(value)
    return "" if known == "nan" else known
