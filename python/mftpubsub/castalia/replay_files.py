"""The files of a replay: path losses, positions and transmissions, as Castalia has them.

Each raises ConfigurationError that names the file, the column and what would be right.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path

import numpy as np
import pandas as pd

from mftpubsub.errors import ConfigurationError


def read_losses(path: Path) -> pd.DataFrame:
    """By cell of the sender and of the receiver: dB."""
    losses = _read(path, ["tx_cell", "rx_cell", "pathloss_db"])
    _check_rows(path, losses)
    return _with_ids(path, losses, ["tx_cell", "rx_cell"])


def read_positions(path: Path, field: float | None) -> pd.DataFrame:
    """By time and node: metres, within the field if there is one. All nodes have a place from the first."""
    places = _read(path, ["time_s", "node", "x", "y"])
    _check_rows(path, places)
    places = _with_ids(path, places, ["node"])
    _check_range(path, places["time_s"])
    for name in ("x", "y"):
        _check_range(path, places[name], np.inf if field is None else field)
    first, last = places["time_s"].iloc[0], places["node"].max()
    placed = {*places.loc[places["time_s"] == first, "node"]}
    without = next(node for node in count() if node not in placed)
    if without <= last:
        raise ConfigurationError(
            f"{path}: column node: node {without} has no position at {first:g} s, the first time; each node "
            f"from 0 to {last} needs one there"
        )
    return places


def read_transmissions(path: Path, nodes: int) -> pd.DataFrame:
    """When which of so many nodes sends, in the order of time."""
    sent = _with_ids(path, _read(path, ["on_air_start_s", "node"]), ["node"])
    _check_range(path, sent["on_air_start_s"])
    if (sent["node"] >= nodes).any():
        raise ConfigurationError(
            f"{path}: column node: node {sent['node'].max()} has no position; positions are of nodes 0 to "
            f"{nodes - 1}"
        )
    return sent.sort_values("on_air_start_s", kind="stable")


def _read(path: Path, columns: Sequence[str]) -> pd.DataFrame:
    try:
        table = pd.read_csv(path)
    except (OSError, ValueError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"cannot read {path}: {error}") from None
    if missing := [name for name in columns if name not in table.columns]:
        raise ConfigurationError(
            f"{path}: column {', '.join(missing)} is missing; expected {', '.join(columns)}"
        )
    values = table[list(columns)]
    try:
        values = values.astype(float)
    except ValueError as error:
        raise ConfigurationError(f"{path}: {error}") from None
    if not np.isfinite(values.to_numpy()).all():
        raise ConfigurationError(f"{path}: a value is missing or not finite")
    return values


def _check_rows(path: Path, table: pd.DataFrame) -> None:
    if table.empty:
        raise ConfigurationError(
            f"{path}: no row below the heading; expected values of {', '.join(table.columns)}"
        )


def _with_ids(path: Path, table: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """With these columns as whole numbers."""
    for name in names:
        ids = table[name]
        _refuse(path, ids[(ids < 0) | (ids >= 2**32) | (ids != ids.round())], "whole numbers from 0 on")
    return table.astype(dict.fromkeys(names, int))


def _check_range(path: Path, values: pd.Series[float], most: float = np.inf) -> None:
    expected = "no number below 0" if most == np.inf else f"0 to {most:g}, the side of the field in metres"
    _refuse(path, values[(values < 0) | (values > most)], expected)


def _refuse(path: Path, wrong: pd.Series[float], expected: str) -> None:
    """Raises ConfigurationError if there are wrong values in a column."""
    if len(wrong):
        line = wrong.index[0] + 2  # behind the heading
        raise ConfigurationError(
            f"{path}, line {line}: column {wrong.name}: {wrong.iloc[0]:g}; expected {expected}"
        )
