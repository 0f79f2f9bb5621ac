"""Rows of a table of many runs: on this machine's disk, and some of them at a time in memory, sorted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyarrow import compute

from mftpubsub.trace.layout import RUN_KEYS, case_of, keys_of

if TYPE_CHECKING:
    import pandas as pd

#: Rows that are in memory at a time, unless one case has more.
SOME = 2**11
#: Where the rows of a run are: in which share, from which on, and how many.
_SHARE, _BEGIN, _COUNT = "its share", "its first row", "its rows"


class Rows:
    """A table as it comes, a share of the runs after the other; the rows of a run are in one of them.

    `to_pandas`: how a share becomes a frame.
    """

    def __init__(self, place: Path, to_pandas: Callable[[pa.Table], pd.DataFrame]) -> None:
        self._place = place
        self._to_pandas = to_pandas
        self._runs: list[pd.DataFrame] = []
        self._names: list[str] = []

    def add(self, share: pa.Table) -> None:
        """Brings a share to the disk, the rows of each run behind each other in the order that they have."""
        share = share.take(compute.sort_indices(share, [(name, "ascending") for name in RUN_KEYS]))  # stable
        keys, rest = share.select([*RUN_KEYS]), share.drop_columns([*RUN_KEYS])
        starts = _starts(keys)
        runs = self._to_pandas(keys.take(pa.array(starts)))
        counts = np.diff(np.append(starts, len(share)))
        number = len(self._runs)
        runs[_SHARE], runs[_BEGIN], runs[_COUNT] = number, starts, counts
        self._runs.append(runs)
        self._names = share.column_names
        path = str(self._place / str(number))
        with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, rest.schema) as writer:
            writer.write_table(rest)

    def frames(self, arranged: Callable[[pd.DataFrame], pd.DataFrame]) -> Iterator[pd.DataFrame]:
        """The table, whole cases at a time; at least one frame.

        `arranged` is given the runs, in the order of their keys, and says which there are, in which order,
        and called how.
        """
        import pandas as pd

        read = lru_cache(4)(self._read)
        runs = pd.concat(self._runs, ignore_index=True).sort_values([*RUN_KEYS], kind="stable")
        runs = arranged(runs.reset_index(drop=True))
        for some in _whole_cases(runs):
            counts = some[_COUNT].to_numpy()
            keys = some[[*keys_of(some)]].loc[some.index.repeat(counts)].reset_index(drop=True)
            shares = some[_SHARE].to_numpy().repeat(counts)
            begins = some[_BEGIN].to_numpy() - (np.cumsum(counts) - counts)
            rows = np.arange(len(keys)) + begins.repeat(counts)
            parts = [read(share).take(pa.array(rows[shares == share])) for share in np.unique(shares)]
            found = pa.concat_tables(parts) if parts else read(0).slice(0, 0)
            # Which row of these a row of the frame is: they are by share, and by their order within.
            order = np.empty(len(keys), np.int64)
            order[np.argsort(shares, kind="stable")] = np.arange(len(keys))
            values = self._to_pandas(found.take(pa.array(order)))
            frame = pd.concat([keys, values], axis="columns")
            yield frame if [*keys] != [*RUN_KEYS] else frame[self._names]

    def _read(self, share: int) -> pa.Table:
        with pa.OSFile(str(self._place / str(share)), "rb") as file:
            return pa.ipc.open_file(file).read_all()


def _starts(keys: pa.Table) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The rows where another run begins."""
    if not len(keys):
        return np.empty(0, np.int64)
    is_other = np.ones(len(keys), bool)
    before, after = keys.slice(0, len(keys) - 1), keys.slice(1)
    others = [compute.not_equal(after.column(name), before.column(name)) for name in keys.column_names]
    is_other[1:] = np.any([np.asarray(one) for one in others], axis=0)
    return np.flatnonzero(is_other)


def _whole_cases(runs: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Runs, some at a time, of which those of a case are together."""
    if runs.empty:
        yield runs
        return
    cases = runs.groupby([*case_of(runs)], sort=False, dropna=False).ngroup().to_numpy()
    before = np.append(0, np.cumsum(runs[_COUNT].to_numpy()))
    first = 0
    for begin in (np.flatnonzero(np.diff(cases)) + 1).tolist():
        if before[begin] - before[first] >= SOME:
            yield runs.iloc[first:begin]
            first = begin
    yield runs.iloc[first:]
