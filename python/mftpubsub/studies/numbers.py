"""The numbers of a study: what each run gave, and its means over the seeds, as tables."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

from mftpubsub.errors import MftPubsubError, no_such
from mftpubsub.labels import in_order, in_print, label, number, one_nan, rounded
from mftpubsub.notes import tell
from mftpubsub.scenario.scenario import unit_of
from mftpubsub.statistics import ends, moments
from mftpubsub.trace.layout import as_text, case_of, keys_of, may_tell, text

if TYPE_CHECKING:
    import pandas as pd


#: Characters of a cell.
WIDEST = 200

Statistic = Literal["mean", "sum", "max"]


@dataclass(frozen=True)
class Table:
    """A table for print. `command` prints it; `protocols` says of which protocol each row is, if of one."""

    heading: list[str]
    rows: list[list[str]]
    protocols: list[str] = field(default_factory=list)
    command: str = ""

    def markdown(self) -> str:
        """The table in Markdown."""
        lines = [self.heading, ["---"] * len(self.heading), *self.rows]
        return "\n".join(f"| {' | '.join(text.replace('|', '&#124;') for text in line)} |" for line in lines)

    __str__ = markdown

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(text)}</th>" for text in self.heading)
        rows = ("".join(f"<td>{escape(text)}</td>" for text in row) for row in self.rows)
        return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def seeds_note(counts: pd.Series, where: str = "") -> str:
    """What a figure shows of so many seeds each; one seed has no interval, and none no point."""
    counts = counts[counts > 0]
    if counts.empty:
        return "no run has a value"
    least, most = counts.min(), counts.max()
    if most <= 1:
        return "1 seed"
    seeds = f"{least}" if least == most else f"{least} to {most}"
    return f"mean and 95 % confidence interval{where}, {seeds} seeds"


@dataclass(frozen=True)
class Query:
    """What a table shows: a row for each value of `by`, a column for each metric or each value of `across`.

    Without `by` there is a row for each case. `only` restricts keys to values. `mean` is over seeds (each
    seed's runs averaged first), with its 95 % confidence interval and the number of seeds; `sum` and `max`
    are over runs.
    """

    metrics: tuple[str, ...]
    by: tuple[str, ...] | None = None
    across: str | None = None
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stat: Statistic = "mean"

    def command(self, folder: str) -> str:
        """The command line that prints this table."""
        parts = [f"mftpubsub table {folder}", *(f"--metric {name}" for name in self.metrics)]
        parts += [f"--by {','.join(self.by) or repr('')}"] if self.by is not None else []
        parts += [f"--across {self.across}"] if self.across else []
        only = [f"{key}={','.join(given)}" for key, given in self.only.items()]
        parts += [f"--only {shlex.quote(text)}" for text in only]
        parts += [f"--stat {self.stat}"] if self.stat != "mean" else []
        return " ".join(parts)


def tabulate(table: pd.DataFrame, query: Query, folder: str) -> Table:
    """The table that `query` asks for. Raises MftPubsubError for a metric or key that is not there."""
    asked, query = query, _whole(query, table)
    table = _select(table, query)
    columns = _columns(table, query)
    cells: dict[tuple[Any, ...], str] = {}
    for name in query.metrics:
        cells |= {(name, *key): text for key, text in _cells(table, name, query).items()}
    by = _rows(query)
    orders = [in_order(key, table[key]) for key in by]
    rows, protocols = [], []
    for place in product(*orders):
        texts = [cells.get((column[0], *place, *column[1]), "-") for column in columns]
        if any(text != "-" for text in texts):
            rows.append([*map(label, place), *texts])
            protocols.append(str(place[by.index("protocol")]) if "protocol" in by else "")
    heading = [key_heading(key, *values) for key, values in zip(by, orders, strict=True)]
    heading += [column[2] for column in columns]
    return Table(heading, rows, protocols, asked.command(folder))


def _whole(query: Query, table: pd.DataFrame) -> Query:
    """With the keys of its rows, each once, whether it names them or not."""
    by = case_of(table) if query.by is None else query.by
    return replace(query, by=tuple(key for key in dict.fromkeys(by) if key != query.across))


def _rows(query: Query) -> tuple[str, ...]:
    return query.by or ()


def key_heading(key: str, *values: object) -> str:
    """What a column of a key with these values is called: of an axis its key, with the unit of numbers."""
    if key in _KEY_HEADINGS:
        return _KEY_HEADINGS[key]
    unit = unit_of_values(key, values)
    return f"{key}, {unit}" if unit else key


def unit_of_values(key: str, values: Iterable[object]) -> str | None:
    """The unit of a key's values, if it has one and these are not names of values."""
    return None if any(isinstance(value, str) for value in values) else unit_of(key)


def key_words(key: str, *values: object) -> str:
    """A value of a key, or several, in a sentence: `C8`, `8 m/s`, `leader_timeout 3, 5 s`."""
    if key in ("protocol", "config"):
        return ", ".join(map(label, values))
    given = ", ".join(map(text, values))
    if key == "speed_mps":
        return f"{given} m/s"
    unit = unit_of_values(key, values)
    return f"{key.rpartition('.')[2]} {given}{f' {unit}' if unit else ''}"


_KEY_HEADINGS = {"protocol": "protocol", "config": "configuration", "speed_mps": "m/s", "seed": "seed"}


def tidy(table: pd.DataFrame, query: Query) -> pd.DataFrame:
    """What `query` asks for, for other programs: a row for each metric and case.

    Columns: the keys, `metric`, then `mean`, `ci95` (half the interval's width), `sd` and `n`, or the
    statistic asked for; in the units that the metrics' names tell. Raises MftPubsubError as `tabulate`.
    """
    import pandas as pd

    query = _whole(query, table)
    table = _select(table, query)
    by = _keys(query)
    found = [_computed(table, name, query).assign(metric=name) for name in query.metrics]
    values = pd.concat(found).reset_index().drop(columns="all")
    return values[[*by, "metric", *values.columns.drop([*by, "metric"])]]


def _select(table: pd.DataFrame, query: Query) -> pd.DataFrame:
    keys = keys_of(table)
    known = sorted(str(name) for name in table.select_dtypes("number") if name not in keys)
    for name in query.metrics:
        if name not in known:
            raise MftPubsubError(no_such("metric", name, known))
    _check_keys(_keys(query), table)
    if query.across and len(query.metrics) > 1:
        raise MftPubsubError("--across goes with one --metric")
    rows = selected(table, query.only)
    if unlikeness := {"mean": unequal, "sum": _uneven}.get(query.stat):
        notes: dict[str, list[str]] = {}
        for name in query.metrics:
            for note in unlikeness(rows.dropna(subset=[name]), _keys(query)):
                notes.setdefault(note, []).append(name)
        for note, names in notes.items():
            tell(f"{', '.join(names)}: {note}")
    return rows


def _uneven(rows: pd.DataFrame, shown: Sequence[str]) -> Iterator[str]:
    """Words of how many runs sums are over, if these are not the same."""
    runs = rows.assign(all=0).groupby(["all", *shown], dropna=False).size()
    if runs.nunique() > 1:
        yield f"sums are over {runs.min()} to {runs.max()} runs each; means can be compared"


def unequal(rows: pd.DataFrame, shown: Sequence[str]) -> Iterator[str]:
    """Words of what means are not alike in: seeds without the same cases, and means over other ones."""
    others = [key for key in case_of(rows) if key not in shown]
    if not others:
        return
    if keys := unlike(rows, shown):
        values = "; ".join(words_of(rows, key) for key in keys)
        yield f"not every mean is over all of {values}; --only leaves cases out"
    rows = rows.assign(all=0, case=rows.groupby(others, dropna=False).ngroup())
    means = rows.groupby(["all", *shown], dropna=False)
    lacking = means["case"].nunique() * means["seed"].nunique() - means.size()
    uneven = lacking[lacking > 0].reset_index(name="runs")
    if len(uneven):
        first = uneven.iloc[0]
        where = ", ".join(key_words(key, first[key]) for key in shown)
        yield (
            f"{len(uneven)} of {len(lacking)} means are over seeds that do not have the same cases: "
            f"{where and f'{where}: '}{first['runs']} runs are missing or undefined; --only leaves cases out"
        )


def unlike(rows: pd.DataFrame, shown: Sequence[str]) -> Sequence[str]:
    """The keys in whose combinations the values of the `shown` ones differ: one key, if it alone differs.

    A network or an axis that is shown may have a value of its own of another key: it tells it.
    """
    told = [key for key in shown if may_tell(key)]
    compared = [
        key
        for key in case_of(rows)
        if key not in shown and all(rows.groupby(by)[key].nunique(dropna=False).max() > 1 for by in told)
    ]
    if not shown or not compared:
        return ()
    for keys in (*([key] for key in compared), compared):
        cases = rows.groupby(keys, dropna=False).ngroup()
        if len({frozenset(its) for _, its in cases.groupby([rows[key] for key in shown])}) > 1:
            return keys
    return ()


def words_of(rows: pd.DataFrame, key: str) -> str:
    """The values of a key, in order."""
    return key_words(key, *in_order(key, rows[key]))


def selected(table: pd.DataFrame, only: Mapping[str, tuple[str, ...]]) -> pd.DataFrame:
    """The rows in which keys have the values of `only`. Raises MftPubsubError for one that is not there."""
    _check_keys(only, table)
    for key, given in only.items():
        texts = table[key].map(text)
        there = {*texts}
        given = tuple(_values(given, there))
        if missing := sorted({*given} - there):
            raise MftPubsubError(no_such(key, missing[0], texts.unique()))
        table = table[texts.isin(given)]
    return table


def _values(given: Sequence[str], there: set[str]) -> Iterator[str]:
    """The values that are `given`: one with commas was parted at them, as `--only KEY=VALUE,VALUE` is."""
    while given:
        lengths = range(1, len(given) + 1)
        end = next((end for end in lengths if ",".join(given[:end]) in there), 1)
        value, given = ",".join(given[:end]), given[end:]
        yield value if value in there else as_text(value)


def _check_keys(keys: Iterable[str], table: pd.DataFrame) -> None:
    known = keys_of(table)
    for key in keys:
        if key not in known:
            raise MftPubsubError(no_such("key", key, known))


def _columns(table: pd.DataFrame, query: Query) -> list[tuple[str, tuple[Any, ...], str]]:
    """Of each column: the metric, the value of `across` if there is one, and the heading."""
    if not query.across:
        return [(name, (), in_print(name).title) for name in query.metrics]
    return [
        (query.metrics[0], (value,), key_words(query.across, value))
        for value in in_order(query.across, table[query.across])
    ]


def _cells(table: pd.DataFrame, metric: str, query: Query) -> dict[tuple[Any, ...], str]:
    factor = in_print(metric).factor
    rows = _computed(table, metric, query).reset_index().to_dict("records")
    return {
        tuple(one_nan(row[key]) for key in _keys(query)): (
            cell(row, metric) if query.stat == "mean" else number(row[query.stat] * factor)
        )
        for row in rows
    }


def _keys(query: Query) -> list[str]:
    return [*_rows(query), *([query.across] if query.across else [])]


def _computed(table: pd.DataFrame, metric: str, query: Query) -> pd.DataFrame:
    """The statistic of one metric by the keys, and by `all`, which is the same for all: there may be none."""
    table, keys = table.assign(all=0), ["all", *_keys(query)]
    if query.stat == "mean":
        return moments(table, metric, keys)
    return (
        table.dropna(subset=[metric]).groupby(keys, dropna=False)[metric].agg(query.stat).to_frame(query.stat)
    )


def cell(row: Mapping[Any, Any], metric: str) -> str:
    """`mean ± ci95 (n)`, with the digits that the interval allows; `-` if no run defines the metric.

    `mean [low, high] (n)` where mean ± ci95 would reach beyond what is possible.
    """
    factor = in_print(metric).factor
    return told(row["mean"] * factor, row["ci95"] * factor, row["n"], in_print(metric).possible)


def told(mean: float, half: float, n: float, possible: tuple[float, float]) -> str:
    """A mean of `n` values, of which `half` is half the width of the interval, as `cell` has it."""
    if n == 0:
        return "-"
    if n == 1:
        return f"{number(mean)} (1)"
    low, high = ends(mean, half, possible)
    middle, width, bottom, top = rounded(mean, half, low, high, spread=half)
    is_possible = low == mean - half and high == mean + half
    return f"{middle} ± {width} ({n:g})" if is_possible else f"{middle} [{bottom}, {top}] ({n:g})"
