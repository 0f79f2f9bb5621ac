"""Two ways to do something, compared run by run under equal conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Any

from mftpubsub.errors import QueryError, no_such, suggest
from mftpubsub.labels import note_strict
from mftpubsub.notes import tell
from mftpubsub.statistics import paired
from mftpubsub.trace.layout import as_text, keys_of, may_tell, text

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
    names; runs that agree in it are averaged first. Only pairs count that have the cases of the others with
    both values; notes tell how many runs are left out, and how many failed. One row for each value of `by`
    but the one compared `to` (default: the first in the table): the mean of both, `difference`, its 95 %
    confidence interval (`ci_low`, `ci_high`; Student's t), the two-sided `p`, and `n`, the number of pairs.
    Undefined values do not count.
    Raises QueryError for what the table has not, for a single value of `by`, for infinite values of the
    metric, which have no mean, and for a value that has no pair or no network, speed or axis value in common
    with the one compared to.
    """
    import pandas as pd

    pairs = [pair] if isinstance(pair, str) else list(pair)
    _check(table, by, metric, pairs)
    note_strict(metric, table)
    values = list(dict.fromkeys(table[by].dropna()))
    base = values[0] if to is None and values else _named(by, to, values)
    if len(values) < 2:
        raise QueryError(
            f"compare: all rows have {by} {base!r}: two values are needed, one to compare to another"
        )
    table = _without_failed(table)
    rows = []
    for value in values:
        if value == base:
            continue
        rows_of_both = _in_common(table[table[by].isin([base, value])], by, metric, pairs)
        if rows_of_both.empty:
            raise QueryError(f"{by} {value!r} and {base!r} have no {', '.join(pairs)} in common")
        both = rows_of_both.groupby([*pairs, by], sort=False, dropna=False)[metric].mean().unstack(by)
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


def _named(by: str, name: Any, values: Sequence[Any]) -> Any:
    """The value that is called so, as `--only` would: True is the text that a study's tables have of it."""
    by_text = {text(value): value for value in values}
    for called in (text(name), as_text(str(name))):
        if called in by_text:
            return by_text[called]
    raise QueryError(no_such(by, name, by_text))


def _without_failed(table: pd.DataFrame) -> pd.DataFrame:
    """A failed run is a missing one: its case is no result. Tells how many there are."""
    if "failure" not in table or not (failed := table["failure"].notna()).any():
        return table
    tell(f"compare: {failed.sum()} of {len(table)} runs are left out, since they failed")
    return table[~failed]


def _in_common(rows: pd.DataFrame, by: str, metric: str, pairs: Sequence[str]) -> pd.DataFrame:
    """Of two values of `by` the rows that are of the same cases in each pair; tells how many others are not.

    A case whose metric is undefined for one value counts for neither, and its pair counts all the same. A
    key of which each value has other values, as a movement its speed, is no part of a case. Raises QueryError
    where that would compare one scenario with another.
    """
    others = [key for key in keys_of(rows) if key not in (by, *pairs)] if "seed" in rows else []
    varied = [key for key in others if rows[key].nunique(dropna=False) > 1]
    shared = [key for key in varied if (rows.groupby(key, dropna=False)[by].nunique() > 1).any()]
    both = " and ".join(map(repr, dict.fromkeys(rows[by])))
    if (apart := [key for key in varied if key not in shared]) and not may_tell(by):
        raise QueryError(
            f"compare: {by} {both} have no {', '.join(apart)} in common: choose rows of the same {apart[0]}"
        )
    case = [*pairs, *shared]
    found = _of_both(rows, by, case)
    if found.empty:
        return found
    if shared:
        found = _of_the_same_cases(found, pairs, shared)
    if len(found) < len(rows):
        tell(
            f"compare: {len(rows) - len(found)} of {len(rows)} runs of {by} {both} are left out, since not "
            f"every {', '.join(pairs)} has their case with both"
            + (f"; rows of one {', '.join(shared)} at a time lack fewer" if shared else "")
        )
    defined = _of_both(found.dropna(subset=[metric]), by, case)
    if defined.empty:
        raise QueryError(
            f"compare: no {', '.join(pairs)} has a {metric} of both {by} {both}: it is undefined there"
        )
    return defined


def _of_both(rows: pd.DataFrame, by: str, case: Sequence[str]) -> pd.DataFrame:
    """The rows of cases that both values of `by` have."""
    found: pd.DataFrame = rows[rows.groupby([*case], dropna=False)[by].transform("nunique") == 2]
    return found


def _of_the_same_cases(rows: pd.DataFrame, pairs: Sequence[str], shared: Sequence[str]) -> pd.DataFrame:
    """The rows of the pairs that have the most cases: if these have several sets of them, the commonest."""
    cases = rows.groupby([*shared], dropna=False).ngroup()
    pair = rows.groupby([*pairs], dropna=False).ngroup()
    sets = {of: frozenset(its) for of, its in cases.groupby(pair)}
    counts = Counter(sets.values())
    chosen = max(counts, key=lambda one: (len(one), counts[one]))
    found: pd.DataFrame = rows[pair.isin([of for of, its in sets.items() if its == chosen])]
    return found


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
    if infinite := int(table[metric].isin([inf, -inf]).sum()):
        raise QueryError(
            f"compare: {metric} is infinite in {infinite} of {len(table)} rows, and has no mean with these: "
            "leave them out, or have NaN for what is undefined"
        )
