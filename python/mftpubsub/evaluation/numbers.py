"""The numbers of a study: what each run gave, and its means over the seeds, as tables."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

from mftpubsub.errors import MftPubsubError
from mftpubsub.labels import heading, in_order, label, number, possible, rounded
from mftpubsub.statistics import ends, moments
from mftpubsub.trace.layout import CASE, KEYS

if TYPE_CHECKING:
    import pandas as pd


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


@dataclass(frozen=True)
class Query:
    """What a table shows: a row for each value of `by`, a column for each metric or each value of `across`.

    `only` restricts keys to values. `mean` is over seeds (each seed's runs averaged first), with its 95 %
    confidence interval and the number of seeds; `sum` and `max` are over runs.
    """

    metrics: tuple[str, ...]
    by: tuple[str, ...] = CASE
    across: str | None = None
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stat: Statistic = "mean"

    def command(self, folder: str) -> str:
        """The command line that prints this table."""
        parts = [f"mftpubsub table {folder}", *(f"--metric {name}" for name in self.metrics)]
        parts += [f"--by {','.join(self.by) or repr('')}"] if self.by != CASE else []
        parts += [f"--across {self.across}"] if self.across else []
        only = [f"{key}={','.join(given)}" for key, given in self.only.items()]
        parts += [f"--only {shlex.quote(text)}" for text in only]
        parts += [f"--stat {self.stat}"] if self.stat != "mean" else []
        return " ".join(parts)


def tabulate(table: pd.DataFrame, query: Query, folder: str) -> Table:
    """The table that `query` asks for. Raises MftPubsubError for a metric or key that is not there."""
    query = replace(query, by=tuple(key for key in dict.fromkeys(query.by) if key != query.across))
    table = _select(table, query)
    columns = _columns(table, query)
    cells: dict[tuple[Any, ...], str] = {}
    for name in query.metrics:
        cells |= {(name, *key): text for key, text in _cells(table, name, query).items()}
    orders = [in_order(key, table[key]) for key in query.by]
    rows, protocols = [], []
    for place in product(*orders):
        texts = [cells.get((column[0], *place, *column[1]), "-") for column in columns]
        if any(text != "-" for text in texts):
            rows.append([*map(label, place), *texts])
            protocols.append(str(place[query.by.index("protocol")]) if "protocol" in query.by else "")
    heading = [_KEY_HEADINGS[key] for key in query.by] + [column[2] for column in columns]
    return Table(heading, rows, protocols, query.command(folder))


_KEY_HEADINGS = {"protocol": "protocol", "config": "configuration", "speed_mps": "m/s", "seed": "seed"}


def _select(table: pd.DataFrame, query: Query) -> pd.DataFrame:
    known = sorted(str(name) for name in table.select_dtypes("number") if name not in KEYS)
    for name in query.metrics:
        if name not in known:
            raise MftPubsubError(f"no metric {name!r}; there are {', '.join(known)}")
    for key in (*query.by, *([query.across] if query.across else []), *query.only):
        if key not in KEYS:
            raise MftPubsubError(f"no key {key!r}; there are {', '.join(KEYS)}")
    if query.across and len(query.metrics) > 1:
        raise MftPubsubError("--across goes with one --metric")
    for key, given in query.only.items():
        texts = table[key].map(lambda value: f"{value:g}" if isinstance(value, float) else str(value))
        if missing := set(given) - set(texts):
            present = ", ".join(texts.unique())
            raise MftPubsubError(f"no {key} {', '.join(sorted(missing))}; there are {present}")
        table = table[texts.isin(given)]
    return table


def _columns(table: pd.DataFrame, query: Query) -> list[tuple[str, tuple[Any, ...], str]]:
    """Of each column: the metric, the value of `across` if there is one, and the heading."""
    if not query.across:
        return [(name, (), heading(name)[0]) for name in query.metrics]
    unit = " m/s" if query.across == "speed_mps" else ""
    return [
        (query.metrics[0], (value,), label(value) + unit)
        for value in in_order(query.across, table[query.across])
    ]


def _cells(table: pd.DataFrame, metric: str, query: Query) -> dict[tuple[Any, ...], str]:
    by = [*query.by, *([query.across] if query.across else [])]
    factor = heading(metric)[1]
    # A key that is the same for all, so that `by` may be empty.
    table, keys = table.assign(all=0), ["all", *by]
    if query.stat == "mean":
        found = moments(table, metric, keys)
        return {key[1:]: cell(row, metric) for key, row in _rows(found, keys)}
    grouped = table.dropna(subset=[metric]).groupby(keys)[metric].agg(query.stat).to_frame("value")
    return {key[1:]: number(row["value"] * factor) for key, row in _rows(grouped, keys)}


def _rows(table: pd.DataFrame, keys: list[str]) -> Iterable[tuple[tuple[Any, ...], Mapping[Any, Any]]]:
    for row in table.reset_index().to_dict("records"):
        yield tuple(row[key] for key in keys), row


def cell(row: Mapping[Any, Any], metric: str) -> str:
    """`mean ± ci95 (n)`, with the digits that the interval allows; `-` if no run defines the metric.

    `mean [low, high] (n)` where mean ± ci95 would reach beyond what is possible.
    """
    factor = heading(metric)[1]
    if row["n"] == 0:
        return "-"
    mean = row["mean"] * factor
    if row["n"] == 1:
        return f"{number(mean)} (1)"
    half = row["ci95"] * factor
    low, high = ends(mean, half, possible(metric))
    middle, width, bottom, top = rounded(mean, half, low, high, spread=half)
    is_possible = low == mean - half and high == mean + half
    return (
        f"{middle} ± {width} ({row['n']:g})" if is_possible else f"{middle} [{bottom}, {top}] ({row['n']:g})"
    )
