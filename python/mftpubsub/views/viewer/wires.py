"""Networks of wires as blocks for the viewer: laboratories, overlays, hand-offs.

They have no radio and no metres: messages go between processes, which stand where it is easy to look.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mftpubsub.errors import QueryError
from mftpubsub.views.viewer.columns import Columns
from mftpubsub.views.viewer.records import Clock

#: Of bits: of what each process heard of each message.
_MOST_SIGNALS = 4e8
#: Of changes of rows of brokers' tables.
_MOST_STATES = 300_000
#: OUTCOMES of replay.py, one more than their places.
_RECEIVED, _FAILED = 1, 6

Pair = tuple[int, int]


class Message(NamedTuple):
    """What one process sent another, or broadcast."""

    tick: int
    node: int
    kind: str
    hearers: tuple[int, ...]
    bytes: int = 0
    has_failed: bool = False


class State(NamedTuple):
    """A row of what a node knows and holds, as it is from a time on."""

    since: float
    node: int
    name: str
    """Whom it is for."""
    text: str
    """Empty: it is gone."""


def told_of_time(
    clock: Clock, duration_s: float, states: Sequence[State], untold: Sequence[str]
) -> dict[str, Any]:
    """What a header says where time counts: of it, of brokers' tables, and of what a page does not tell."""
    told = {"unit": "s", "tick": clock.tick_s, "duration": duration_s}
    if len(states) > _MOST_STATES:
        return told | {"untold": ["tables (they change too often for a page)", *untold]}
    rounded = [state._replace(since=clock.tick(state.since) * clock.tick_s) for state in states]
    return told | {"states": rounded, "untold": list(untold)}


def add_messages(columns: Columns, messages: Sequence[Message], nodes: int) -> list[str]:
    """Adds messages, which are in order of time, and who got them. Returns their kinds.

    Raises QueryError if they would be too many to look at.
    """
    if len(messages) * nodes > _MOST_SIGNALS:
        raise QueryError(
            f"{len(messages)} messages of {nodes} nodes do not fit on a page: view a shorter run"
        )
    kinds = sorted({message.kind for message in messages})
    columns.add("frame.time", [message.tick for message in messages], "u4", "delta")
    columns.add("frame.node", [message.node for message in messages], "i4", "delta")
    columns.add("frame.kind", [kinds.index(message.kind) for message in messages], "u1")
    peers = [message.hearers[0] if len(message.hearers) == 1 else -1 for message in messages]
    columns.add("frame.peer", peers, "i4", "delta")
    columns.add("frame.bytes", [message.bytes for message in messages], "i4", "delta")
    heard = np.zeros((len(messages), nodes), np.uint8)
    for place, message in enumerate(messages):
        heard[place, list(message.hearers)] = _FAILED if message.has_failed else _RECEIVED
    for bit in range(3):
        columns.add(f"heard.{bit}", np.packbits(heard >> bit & 1, axis=1, bitorder="little"), "u1")
    return kinds


def add_film(
    columns: Columns,
    times: Sequence[int],
    places: ArrayLike,
    links: Iterable[Collection[Pair]],
    parents: ArrayLike = -1,
    is_up: ArrayLike = 1,
) -> None:
    """Adds what is so from each instant on: places (thousandths of a field of 100 by 100), links, parents.

    The last axis of `places` is x and y; `places`, `parents` and `is_up` may be the same for all instants.
    """
    positions = np.asarray(places)
    shape = (len(times), positions.shape[-2])
    positions = np.broadcast_to(positions, (*shape, 2))
    columns.add("film.time", times, "u4", "delta")
    columns.add("film.x", positions[..., 0], "i4", "delta")
    columns.add("film.y", positions[..., 1], "i4", "delta")
    columns.add("film.parent", np.broadcast_to(parents, shape), "i4", "delta")
    columns.add("film.leader", np.full(shape, -1), "i4", "delta")
    columns.add("film.queued", np.zeros(shape, int), "i4", "delta")
    columns.add("film.isUp", np.broadcast_to(is_up, shape), "u1", "xor")
    bits = np.zeros((len(times), shape[1] * (shape[1] - 1) // 2), np.uint8)
    for row, some in zip(bits, links, strict=True):
        for one, other in some:
            low, high = sorted((one, other))
            row[high * (high - 1) // 2 + low] = 1
    columns.add("film.links", np.packbits(bits, axis=1, bitorder="little"), "u1", "xor")


def told(name: str, names: Sequence[str], roles: Sequence[str], kinds: Sequence[str]) -> dict[str, Any]:
    """What the header of every such block says."""
    return {
        "format": 1,
        "name": name,
        "names": list(names),
        "roles": list(roles),
        "kinds": list(kinds),
        "causes": [""],
        "faults": [],
    }


def tree_places(count: int, edges: Iterable[Pair]) -> NDArray[np.int64]:
    """Where the nodes of trees stand, seen from above: a row of x and y for each, in thousandths."""
    joined: list[list[int]] = [[] for _ in range(count)]
    for one, other in edges:
        joined[one].append(other)
        joined[other].append(one)
    found: dict[int, tuple[float, int]] = {}
    leaves = 0

    def put(node: int, depth: int) -> float:
        """Puts a node and all below it; returns where it stands among the leaves."""
        nonlocal leaves
        found[node] = (0.0, depth)
        below = [put(other, depth + 1) for other in joined[node] if other not in found]
        if not below:
            leaves += 1
        x = sum(below) / len(below) if below else leaves - 0.5
        found[node] = (x, depth)
        return x

    for node in range(count):
        if node not in found:
            put(node, 0)
    deepest = max(depth for _, depth in found.values()) or 1
    return np.array(
        [
            (round(100_000 * found[node][0] / leaves), round(92_000 - 84_000 * found[node][1] / deepest))
            for node in range(count)
        ]
    )
