"""Two ways to do something, compared run by run under equal conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mftpubsub.errors import QueryError, no_such, suggest
from mftpubsub.labels import note_strict
from mftpubsub.statistics import paired

if TYPE_CHECKING:
    import pandas as pd


def compare(
    table: pd.DataFrame,
    *,
    by: str,
    metric: str,
    pair: str | Sequence[str] = "seed",
    to: Any = None,
) -> pd.DataFrame:
    """How a metric differs between the values of the column `by`: differences of pairs, with intervals.

        mftpubsub.compare(table, by="parent_policy", metric="delivery_rate", pair="seed")

    A seed gives every run the same movement, shadowing and traffic, so runs are compared within what `pair`
    names; runs that agree in it are averaged first. One row for each value of `by` but the one compared `to`
    (default: the first in the table): the mean of both, `difference`, its 95 % confidence interval (`ci_low`,
    `ci_high`; Student's t), the two-sided `p`, and `n`, the number of pairs. Undefined values do not count.
    Raises QueryError for what the table has not, for a single value of `by`, and for a value without a pair.
    """
    import pandas as pd

    pairs = [pair] if isinstance(pair, str) else list(pair)
    _check(table, by, metric, pairs)
    note_strict(metric, table)
    means = table.dropna(subset=[metric]).groupby([*pairs, by], sort=False)[metric].mean().unstack(by)
    values = list(dict.fromkeys(table[by]))
    base = values[0] if to is None else to
    if base not in values:
        raise QueryError(no_such(by, base, map(str, values)))
    if len(values) < 2:
        raise QueryError(
            f"compare: all rows have {by} {base!r}: two values are needed, one to compare to another"
        )
    rows = []
    for value in values:
        if value == base:
            continue
        both = means[[base, value]].dropna() if {base, value} <= {*means.columns} else means.iloc[:0]
        if both.empty:
            raise QueryError(f"{by} {value!r} and {base!r} have no {', '.join(pairs)} in common")
        rows.append(
            {
                by: value,
                "to": base,
                metric: both[value].mean(),
                f"{metric}_to": both[base].mean(),
                **paired(both[value] - both[base]),
            }
        )
    return pd.DataFrame(rows)


def _check(table: Any, by: str, metric: str, pairs: Sequence[str]) -> None:
    """Raises QueryError for what cannot be compared."""
    import pandas as pd

    if not isinstance(table, pd.DataFrame):
        raise QueryError(f"compare: needs a table, as `sweep` returns, not {table!r}")
    if not len(table):
        raise QueryError("compare: the table has no rows")
    for name in (by, metric, *pairs):
        if name not in table:
            raise QueryError(no_such("column", name, map(str, table.columns)))
    if not pairs or by in pairs or metric in (by, *pairs):
        raise QueryError("compare: by, metric and pair are to name different columns, pair at least one")
    if not pd.api.types.is_numeric_dtype(table[metric]):
        numeric = map(str, table.select_dtypes("number").columns)
        raise QueryError(f"compare: {metric} has no numbers to compare; {suggest(metric, numeric)}")
    if table[metric].isna().all():
        raise QueryError(f"compare: no row has a {metric}")
