"""The records of a trace as columns for the viewer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mftpubsub.errors import QueryError
from mftpubsub.trace import sql
from mftpubsub.views.viewer.columns import NEVER, Columns

if TYPE_CHECKING:
    import pandas as pd

#: Columns that name nodes.
_NODES = ("node", "peer", "publisher", "subscriber")
#: Columns of a pair (event, subscriber) that hold a time, and the record that says it.
PAIR_TIMES = {"matched": "MATCH", "reachable": "REACHABLE", "delivered": "DELIVER"}


@dataclass(frozen=True)
class Clock:
    """Times as whole numbers of `tick_s`: microseconds, or coarser in a run above an hour."""

    tick_s: float

    @classmethod
    def for_duration(cls, duration_s: float) -> Clock:
        tick = 1e-6
        while duration_s / tick >= NEVER:
            tick *= 10
        return cls(tick)

    def tick(self, seconds: float) -> int:
        """One time."""
        return round(seconds / self.tick_s)

    def ticks(self, seconds: pd.Series[Any] | NDArray[np.float64]) -> NDArray[np.int64]:
        """NEVER where there is no time."""
        array = np.asarray(seconds, dtype=float)
        return np.where(np.isnan(array), NEVER, np.rint(array / self.tick_s)).astype(np.int64)


@dataclass(frozen=True)
class Records:
    """What a trace tells, and what of it goes into a block's header."""

    ids: list[int]
    """Of nodes; columns have their places among these."""
    roles: list[str]
    """Letters of B, S, P, or R, by node."""
    kinds: list[str]
    """Of frames."""
    causes: list[str]
    """Of losses; 0 of the column stands for none."""
    frames: int
    end_s: float
    clock: Clock
    event_keys: NDArray[np.int64]
    """Ascending: publisher and sequence of each event, packed."""
    event_order: NDArray[np.int64]
    """The place, by time of publication, of the event of each key."""

    def places_of(self, publishers: NDArray[Any], sequences: NDArray[Any]) -> NDArray[np.int64]:
        """The places of events; -1 for one that was not published."""
        keys = _packed(publishers, sequences)
        if not len(self.event_keys):
            return np.full(len(keys), -1)
        found = np.minimum(np.searchsorted(self.event_keys, keys), len(self.event_keys) - 1)
        return np.where(self.event_keys[found] == keys, self.event_order[found], -1)


def read(trace: Path, columns: Columns) -> Records:
    """Adds the columns of a trace file. Raises QueryError for a file that is none, or is not complete."""
    table = sql.read_trace(trace)
    ids = _put_places(table)
    if not len(table) or table["kind"].iloc[-1] != "END":
        raise QueryError(f"{trace}: the trace is not complete: its last record is not END")
    end_s = float(table["time_s"].max())
    by_layer = {str(layer): rows for layer, rows in table.groupby("layer", sort=False)}
    empty = table.iloc[:0]

    def of(layer: str) -> pd.DataFrame:
        return by_layer.get(layer, empty)

    clock = Clock.for_duration(end_s)
    kinds = _add_frames(columns, of("radio"), clock)
    _add_moves(columns, of("tree"), clock)
    _add_faults(columns, of("fault"), clock)
    published = of("app")[of("app")["kind"] == "PUBLISH"].sort_values("time_s", kind="stable")
    keys = _packed(published["publisher"], published["sequence"])
    order = np.argsort(keys, kind="stable")
    records = Records(
        ids=ids,
        roles=_roles(of("node"), len(ids)),
        kinds=kinds,
        causes=["", *sorted(of("loss")["kind"].unique())],
        frames=len(of("radio")),
        end_s=end_s,
        clock=clock,
        event_keys=keys[order],
        event_order=order,
    )
    columns.add("event.time", clock.ticks(published["time_s"]), "u4", "delta")
    columns.add("event.publisher", _ids(published["publisher"]), "i4", "delta")
    columns.add("event.sequence", _ids(published["sequence"]), "u4", "delta")
    columns.add("event.bytes", _ids(published["bytes"]), "i4", "delta")
    _add_pairs(columns, [of("app"), of("broker"), of("bound"), of("loss")], records)
    return records


def _packed(publishers: Any, sequences: Any) -> NDArray[np.int64]:
    packed: NDArray[np.int64] = np.asarray(publishers, dtype=np.int64) << 32 | np.asarray(
        sequences, dtype=np.int64
    )
    return packed


def _ids(column: pd.Series[Any]) -> NDArray[np.int64]:
    """Whole numbers, -1 where there is none."""
    return column.fillna(-1).to_numpy(dtype=np.int64)


def _put_places(table: pd.DataFrame) -> list[int]:
    """The nodes that a trace knows, in order; each is its place among them from here on.

    A simulation tells of each node, from 0 on. Live nodes have the ids that people gave them, up to 65534.
    """
    ids = np.unique(_ids(table.loc[table["layer"] == "node", "node"]))
    if not np.array_equal(ids, np.arange(len(ids))):
        ids = np.unique(np.concatenate([table[name].dropna() for name in _NODES]).astype(np.int64))
        for name in _NODES:
            is_known = table[name].notna()
            table.loc[is_known, name] = np.searchsorted(ids, _ids(table.loc[is_known, name]))
    return [int(id) for id in ids]


def _roles(nodes: pd.DataFrame, count: int) -> list[str]:
    roles = dict(zip(_ids(nodes["node"]), nodes["kind"], strict=True))
    return [str(roles.get(node, "R")) for node in range(count)]


def _places(column: pd.Series[Any]) -> tuple[NDArray[np.int64], list[str]]:
    """The distinct texts in order, and the place of each row's."""
    names, places = np.unique(column.to_numpy(dtype=str), return_inverse=True)
    return places, [str(name) for name in names]


def _add_frames(columns: Columns, frames: pd.DataFrame, clock: Clock) -> list[str]:
    places, kinds = _places(frames["kind"])
    columns.add("frame.time", clock.ticks(frames["time_s"]), "u4", "delta")
    columns.add("frame.node", _ids(frames["node"]), "i4", "delta")
    columns.add("frame.kind", places, "u1")
    columns.add("frame.peer", _ids(frames["peer"]), "i4", "delta")
    columns.add("frame.bytes", _ids(frames["bytes"]), "i4", "delta")
    return kinds


def _add_moves(columns: Columns, moves: pd.DataFrame, clock: Clock) -> None:
    columns.add("move.time", clock.ticks(moves["time_s"]), "u4", "delta")
    columns.add("move.node", _ids(moves["node"]), "i4", "delta")
    columns.add("move.parent", _ids(moves["peer"]), "i4", "delta")
    columns.add("move.isBroker", moves["kind"] == "BMIG", "u1")


FAULTS = ("CRASH", "BLACKOUT", "PARTITION", "ABSENT", "ASLEEP", "BATTERY")


def _add_faults(columns: Columns, faults: pd.DataFrame, clock: Clock) -> None:
    columns.add("fault.time", clock.ticks(faults["time_s"]), "u4", "delta")
    columns.add("fault.begins", faults["op"] == "-", "u1")
    columns.add("fault.kind", [FAULTS.index(kind) for kind in faults["kind"]], "u1")
    columns.add("fault.node", _ids(faults["node"]), "i4", "delta")
    columns.add("fault.peer", _ids(faults["peer"]), "i4", "delta")


def _add_pairs(columns: Columns, layers: Sequence[pd.DataFrame], records: Records) -> None:
    """A row for each event and subscriber of which the trace says anything, and its further copies."""
    import pandas as pd

    rows = pd.concat([layer[layer["subscriber"].notna()] for layer in layers])
    places = records.places_of(_ids(rows["publisher"]), _ids(rows["sequence"]))
    rows = rows.assign(key=places << 32 | _ids(rows["subscriber"]))[places >= 0]
    keys = np.unique(rows["key"].to_numpy(dtype=np.int64))
    columns.add("pair.event", keys >> 32, "u4", "delta")
    columns.add("pair.subscriber", keys & 0xFFFFFFFF, "i4", "delta")

    def first(kind: str) -> pd.DataFrame:
        """The first record of a kind of each pair."""
        return rows[rows["kind"] == kind].drop_duplicates("key").set_index("key").reindex(keys)

    columns.add("pair.wanted", first("SEND")["time_s"].notna(), "u1")
    for name, kind in PAIR_TIMES.items():
        found = first(kind)
        columns.add(f"pair.{name}", records.clock.ticks(found["time_s"]), "u4", "delta")
        if kind == "MATCH":
            columns.add("pair.matcher", _ids(found["node"]), "i4", "delta")
        elif kind == "DELIVER":
            columns.add("pair.from", _ids(found["peer"]), "i4", "delta")
            columns.add("pair.hops", _ids(found["hops"]), "i4", "delta")
    losses = rows[rows["layer"] == "loss"].drop_duplicates("key").set_index("key")["kind"].reindex(keys)
    columns.add("pair.cause", [records.causes.index(cause) for cause in losses.fillna("")], "u1")
    copies = rows[rows["kind"].isin(["DUPLICATE", "OVERHEARD"])].sort_values("time_s", kind="stable")
    columns.add("copy.time", records.clock.ticks(copies["time_s"]), "u4", "delta")
    columns.add("copy.pair", np.searchsorted(keys, copies["key"].to_numpy(dtype=np.int64)), "u4", "delta")
    columns.add("copy.from", _ids(copies["peer"]), "i4", "delta")
    columns.add("copy.isOverheard", copies["kind"] == "OVERHEARD", "u1")
