"""The results of a study, read once: one row a run, and tables for print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mftpubsub.errors import MftPubsubError
from mftpubsub.files import as_typed
from mftpubsub.labels import CAUSES, LOST, ORDERS
from mftpubsub.pipeline.marks import are_half_made, refuse_half_joined
from mftpubsub.studies.kept import orders
from mftpubsub.studies.numbers import Query, Statistic, Table, tabulate
from mftpubsub.trace.layout import axes_of, keys_of, text

if TYPE_CHECKING:
    import pandas as pd

#: Kinds of frames that are no control messages, as in metrics.sql.
NO_CONTROL = ("ACK", "ASK", "HEARTBEAT", "HELLO", "PUB", "DATA", "REP")

#: Tables that only studies of reconfiguration and of hand-offs have.
_OF_OTHERS = ("messages.parquet", "cells.parquet")


class StudyResults:
    """What a study gave, from the tables in its folder. Each is read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._tables: dict[str, pd.DataFrame | None] = {}

    @property
    def name(self) -> str:
        """The folder, for a shell."""
        return as_typed(self.folder)

    @cached_property
    def runs(self) -> pd.DataFrame:
        """One row a run: its keys and all that is known of it.

        Besides what docs/reference/metrics.md has and what the run took: `matched_share`, control messages
        and bytes per migration, the frames per node of each kind (`frames_per_node_RREQ`), and by cause
        (`lost_QUEUED`) the share of the sent pairs that was not delivered.
        """
        found = _values(self)
        found.attrs[ORDERS] = self._orders
        return found

    @cached_property
    def _orders(self) -> dict[str, list[str]]:
        return orders(self.folder)

    @property
    def means(self) -> pd.DataFrame:
        """One row for each case and metric: mean, ci95 (half the width), sd and n over the seeds."""
        return self.need("metrics")

    def table(
        self,
        *metrics: str,
        by: str | Iterable[str] | None = None,
        across: str | None = None,
        only: Mapping[str, object] | None = None,
        stat: Statistic = "mean",
    ) -> Table:
        """Metrics with their 95 % intervals over the seeds, for print; a notebook shows it.

        A row for each value of the keys `by`, by default for each case, axes too; a column for each metric,
        or, of one metric, for each value of the key `across`. `only` restricts keys to a value or several;
        `stat` may be "sum" or "max", over runs. Raises MftPubsubError for a metric or key that is not there.
        """
        rows = None if by is None else (by,) if isinstance(by, str) else tuple(by)
        return tabulate(self.runs, Query(metrics, rows, across, chosen(only), stat), self.name)

    def read(self, name: str) -> pd.DataFrame | None:
        """The table DIR/tables/`name`, or DIR/costs; None if there is none. What is undefined is NaN.

        Raises MftPubsubError if it cannot be read, or an ingest or a join did not end.
        """
        if name not in self._tables:
            table = _read(self.folder, name)
            if table is not None:
                table.attrs[ORDERS] = self._orders
            self._tables[name] = table
        return self._tables[name]

    def need(self, name: str) -> pd.DataFrame:
        """The table `name`. Raises MftPubsubError if it is not there, or the study is not of the radio."""
        self.refuse_others()
        table = self.read(name)
        if table is None:
            path = _place(self.folder, name)
            is_published = (self.folder / "tables").exists() and not (self.folder / "runs").exists()
            remedy = (
                "it is made of the study's runs, which are not here"
                if is_published
                else f"`mftpubsub ingest {self.folder}` makes it"
            )
            raise MftPubsubError(f"{path} is missing; {remedy}")
        return table

    def refuse_others(self) -> None:
        """Raises MftPubsubError for a study of reconfiguration or of hand-offs, whose tables are others."""
        if any((self.folder / "tables" / name).exists() for name in _OF_OTHERS):
            raise MftPubsubError(
                f"{self.folder} is no study of the radio: `mftpubsub study` makes its figures and report, "
                f"and its provenance.md says what made it"
            )

    def __repr__(self) -> str:
        runs = self.need("runs")
        protocols = ", ".join(sorted(runs["protocol"].unique()))
        return f"StudyResults({self.folder}: {len(runs)} runs of {protocols})"


def chosen(only: Mapping[str, object] | None) -> dict[str, tuple[str, ...]]:
    """What keys are restricted to, a value or several, as texts."""
    return {key: tuple(map(text, _several(given))) for key, given in (only or {}).items()}


def _several(given: object) -> Iterable[object]:
    return given if isinstance(given, Iterable) and not isinstance(given, str) else (given,)


def _place(folder: Path, name: str) -> Path:
    return (folder if name == "costs" else folder / "tables") / f"{name}.parquet"


def _read(folder: Path, name: str) -> pd.DataFrame | None:
    """The table DIR/tables/`name`, or DIR/costs; None if there is none. What is undefined is NaN.

    Raises MftPubsubError if it cannot be read, or an ingest or a join did not end.
    """
    import pandas as pd

    refuse_half_joined(folder)
    if are_half_made(folder):
        raise MftPubsubError(
            f"{folder}: an ingest did not end, so its tables may be mixed; "
            f"`mftpubsub ingest {folder}` mends that"
        )
    path = _place(folder, name)
    if not path.exists():
        return None
    try:
        table = pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise MftPubsubError(
            f"{path} cannot be read ({' '.join(str(error).split())}); delete it, "
            f"and `mftpubsub ingest {folder}` makes it anew"
        ) from error
    # The pipeline marks what is undefined by types of its own; seeds and counts stay whole numbers.
    marked = {name: kind for name, kind in table.dtypes.items() if str(kind) in ("Float64", "Int64")}
    return table.astype(
        {
            name: "int64" if str(kind) == "Int64" and table[name].notna().all() else "float64"
            for name, kind in marked.items()
        }
    )


def _values(results: StudyResults) -> pd.DataFrame:
    table = results.need("runs")
    keys = [*keys_of(table)]
    runs = table.set_index(keys)
    migrations = runs["migrations"].where(runs["migrations"] > 0)
    runs = runs.assign(
        matched_share=runs["matched_pairs"] / runs["sent_pairs"],
        control_per_migration=runs["frames_per_node_control"] * runs["nodes"] / migrations,
        frames_per_event=runs["frames"] / runs["published"].where(runs["published"] > 0),
    )
    frames, losses, costs = (results.read(name) for name in ("frames_by_kind", "losses", "costs"))
    # All parts have the index of `runs` itself: pandas joins two indexes that have NaN wrongly.
    parts: list[pd.DataFrame | pd.Series[Any]] = []
    if frames is not None:
        known = runs["nodes"].where(runs["frames"].notna())
        parts.append(_spread(frames, ("kind", "frames"), "frames_per_node_", known))
        control = frames[~frames["kind"].isin(NO_CONTROL)]
        size = control.groupby(keys, dropna=False)["bytes"].sum().reindex(runs.index)
        parts.append((size / migrations).rename("control_bytes_per_migration"))
    if losses is not None:
        shares = _spread(losses, ("cause", "pairs"), LOST, runs["sent_pairs"])
        parts.append(shares.reindex(columns=[f"{LOST}{cause}" for cause in CAUSES], fill_value=0.0))
    found = runs.join(parts).reset_index()
    return found if costs is None else found.merge(costs, "left", keys)


def _spread(table: pd.DataFrame, columns: tuple[str, str], prefix: str, base: pd.Series[Any]) -> pd.DataFrame:
    """Long counts (`columns`: their kinds, the counts) to one column for each kind, relative to `base`."""
    kind, count = columns
    wide = table.groupby([*base.index.names, kind], dropna=False)[count].sum().unstack(kind)
    wide = wide.reindex(base.index).fillna(0).astype(float)
    return wide.div(base.astype(float), axis=0).add_prefix(prefix)


def on_one_axis(one: pd.DataFrame, other: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Two tables of runs to be one: an axis that has names in one of them has texts of its numbers in the
    other, as it would have if all had been one study."""
    for axis in axes_of(one):
        has_names = [table[axis].dtype.kind not in "if" for table in (one, other)]
        if any(has_names) and not all(has_names):
            one, other = (
                table.assign(**{axis: table[axis].map(text, na_action="ignore")}) for table in (one, other)
            )
    return one, other
