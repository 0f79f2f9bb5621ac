"""Where the nodes of a run of another program were, if its trace of mobility was taken with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mftpubsub.views.viewer.columns import Columns
from mftpubsub.views.viewer.records import Clock

#: s between looks, or what keeps them few.
_STEP_S, _MOST_LOOKS = 0.5, 2000


@dataclass(frozen=True)
class Walk:
    """`places_mm` by instant and node: x and y from the lower left corner of `area_m`, and the height."""

    times_s: NDArray[np.float64]
    places_mm: NDArray[np.int64]
    area_m: tuple[float, float]

    def add_to(self, columns: Columns, clock: Clock) -> None:
        """A row of all nodes for each instant."""
        columns.add("film.time", clock.ticks(self.times_s), "u4", "delta")
        for place, name in enumerate("xyz" if self.places_mm[:, :, 2].any() else "xy"):
            columns.add(f"film.{name}", self.places_mm[:, :, place], "i4", "delta")


def walk(run: Path, nodes: Sequence[int], end_s: float) -> Walk | None:
    """How nodes moved until `end_s`, by the table `ns3_movement` of the folder of a run.

    None where it does not tell of each of them. A node is where its first line has it until then.
    """
    courses = _courses(run)
    if not nodes or not {*nodes} <= courses.keys():
        return None
    step_s = max(_STEP_S, end_s / _MOST_LOOKS)
    times = np.append(np.arange(0, end_s, step_s), end_s)
    places = np.stack([_places(courses[node], times) for node in nodes], axis=1)
    flat = places[:, :, :2]
    flat -= np.minimum(flat.min(axis=(0, 1)), 0)
    width, height = (max(1.0, float(most)) for most in flat.max(axis=(0, 1)))
    return Walk(times, np.rint(places * 1000).astype(np.int64), (width, height))


def _courses(run: Path) -> dict[int, NDArray[np.float64]]:
    """By node, in the order of time: rows of time (s), x, y, z (m) and their speeds (m/s)."""
    import duckdb

    parts = sorted(str(path) for path in (run / "ns3_movement").glob("*.parquet"))
    if not parts:
        return {}
    with duckdb.connect() as connection:
        table: dict[str, Any] = (
            connection.read_parquet(parts, file_row_number=True, filename=True)
            .order("time_s, filename, file_row_number")
            .project("node, time_s, x_m, y_m, z_m, vx_mps, vy_mps, vz_mps")
            .fetchnumpy()
        )
    rows = np.column_stack([np.asarray(table[name], float) for name in [*table][1:]])
    return {int(node): rows[table["node"] == node] for node in np.unique(table["node"])}


def _places(course: NDArray[np.float64], times: NDArray[np.float64]) -> NDArray[np.float64]:
    at = np.maximum(np.searchsorted(course[:, 0], times, side="right") - 1, 0)
    since = np.maximum(times - course[at, 0], 0)
    places: NDArray[np.float64] = course[at, 1:4] + course[at, 4:7] * since[:, None]
    return places
