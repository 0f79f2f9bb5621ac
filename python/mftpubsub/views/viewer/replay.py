"""What the viewer shows beyond a trace: the run simulated once more, and looked at.

A run is a function of its scenario, so the same run tells, if it is asked: where its nodes were, whom they
followed, who heard each frame, and which events each carried.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil, inf
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from isal import igzip
from numpy.typing import NDArray

from mftpubsub.errors import QueryError
from mftpubsub.runs.result import Result
from mftpubsub.runs.simulation import Cost, Progress, simulate
from mftpubsub.scenario.observers import At, Observer
from mftpubsub.scenario.scenario import Scenario
from mftpubsub.simulator.snapshot import Snapshot
from mftpubsub.trace.file import TraceFile
from mftpubsub.views.viewer.columns import Columns
from mftpubsub.views.viewer.records import Clock, Records

#: frame-log.h: EtherType and size, before a frame's bytes.
_PACKET = struct.Struct(">QHH")
#: air-log.h: AirRecord.
RECORD = np.dtype(
    [
        ("frame", "<u4"),
        ("sequence", "<u4"),
        ("node", "<u2"),
        ("publisher", "<u2"),
        ("subscriber", "<u2"),
        ("what", "u1"),
        ("outcome", "u1"),
    ]
)
_SIGNAL, _EVENT = 0, 1
#: radio.h: SignalOutcome, in words.
OUTCOMES = ("received", "received", "bit error", "interference", "radio not receiving")
_NO_NODE = 0xFFFF
#: Of bits: of the links of all instants together, and of what each node heard of each frame.
_MOST_LINKS = 5e8
_MOST_SIGNALS = 4e8
#: Of routes of all instants together.
_MOST_ROUTES = 2e7
#: That a byte holds.
_MOST = 255


@dataclass
class Air:
    """What was heard of frames and what they carried, collected block by block."""

    frames: list[NDArray[Any]] = field(default_factory=list)
    nodes: list[NDArray[Any]] = field(default_factory=list)
    outcomes: list[NDArray[Any]] = field(default_factory=list)
    carried: list[NDArray[Any]] = field(default_factory=list)

    def take(self, block: bytes) -> None:
        records = np.frombuffer(block, RECORD)
        signals = records[records["what"] == _SIGNAL]
        self.frames.append(signals["frame"].copy())
        self.nodes.append(signals["node"].copy())
        self.outcomes.append(signals["outcome"].copy())
        self.carried.append(records[records["what"] == _EVENT])

    def by_frame(self, frames: int) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        """For each of so many frames: who heard its signal, and a place of OUTCOMES for each."""
        if not self.frames:
            yield from ((np.empty(0, np.uint16), np.empty(0, np.uint8)) for _ in range(frames))
            return
        numbers = np.concatenate(self.frames)
        order = np.argsort(numbers, kind="stable")
        nodes, outcomes = np.concatenate(self.nodes)[order], np.concatenate(self.outcomes)[order]
        ends = np.searchsorted(numbers[order], np.arange(frames + 1))
        for start, end in pairwise(ends):
            yield nodes[start:end], outcomes[start:end]

    def add_to(self, columns: Columns, records: Records) -> bool:
        """Adds the columns; False if they would be too many to look at."""
        cells = records.frames * len(records.roles)
        self._add_carried(columns, records)
        if cells > _MOST_SIGNALS or not cells:
            return False
        heard = np.zeros((records.frames, len(records.roles)), np.uint8)
        if self.frames:
            heard[np.concatenate(self.frames), np.concatenate(self.nodes)] = np.concatenate(self.outcomes) + 1
        for bit in range(3):
            columns.add(f"heard.{bit}", np.packbits(heard >> bit & 1, axis=1, bitorder="little"), "u1")
        return True

    def _add_carried(self, columns: Columns, records: Records) -> None:
        carried = np.concatenate(self.carried) if self.carried else np.empty(0, RECORD)
        subscribers = carried["subscriber"].astype(np.int64)
        places = records.places_of(carried["publisher"], carried["sequence"])
        columns.add("carried.frame", carried["frame"], "u4", "delta")
        columns.add("carried.event", places, "i4", "delta")
        columns.add("carried.subscriber", np.where(subscribers == _NO_NODE, -1, subscribers), "i4", "delta")


class Packet(NamedTuple):
    """What a device was given to send in a frame."""

    wait_s: float
    """From the MAC's taking it to its going on the air."""
    ethertype: int
    content: bytes


@dataclass
class Packets:
    """What devices were given to send in frames, collected block by block (frame-log.h)."""

    blocks: list[bytes] = field(default_factory=list)

    def take(self, block: bytes) -> None:
        self.blocks.append(block)

    def __iter__(self) -> Iterator[Packet]:
        """That of each frame, in the order of the trace's frames."""
        for block in self.blocks:
            at = 0
            while at < len(block):
                wait_ns, ethertype, size = _PACKET.unpack_from(block, at)
                at += _PACKET.size
                yield Packet(wait_ns / 1e9, ethertype, block[at : at + size])
                at += size


class Film:
    """Snapshots of a run, as columns."""

    def __init__(self) -> None:
        self._times: list[float] = []
        self._states: list[NDArray[np.int64]] = []
        self._links: list[NDArray[np.uint8]] = []
        self._routes: list[NDArray[np.int64]] = []

    def take(self, snapshot: Snapshot) -> None:
        """Keeps what is shown of an instant."""
        none = -1
        self._times.append(snapshot.time_s)
        states = [
            (
                round(node.x * 1000),
                round(node.y * 1000),
                none if node.parent is None else node.parent,
                none if node.leader is None else node.leader,
                node.queued,
                node.is_up,
                round(node.z * 1000),
            )
            for node in snapshot.nodes
        ]
        self._states.append(np.array(states, np.int64))
        count = len(snapshot.nodes)
        bits = np.zeros(count * (count - 1) // 2, np.uint8)
        if snapshot.links:
            low, high = np.array(sorted(snapshot.links)).T
            bits[high * (high - 1) // 2 + low] = 1
        self._links.append(np.packbits(bits, bitorder="little"))
        self._take_routes(snapshot)

    def _take_routes(self, snapshot: Snapshot) -> None:
        """Of each route: where it stands among all, next hop, hops, and events held."""
        count = len(snapshot.nodes)
        rows = [
            (node.id * count + subscriber, next_hop, hops, queued)
            for node in snapshot.nodes
            for subscriber, next_hop, _, hops, queued in node.routes
        ]
        self._routes.append(np.array(rows, np.int64).reshape(-1, 4))

    def __len__(self) -> int:
        return len(self._times)

    def thin(self) -> None:
        """Forgets every other look, but neither the first nor the last."""
        self._forget(slice(1, -1, 2))

    def forget_last(self) -> None:
        self._forget(slice(-1, None))

    def _forget(self, which: slice) -> None:
        for looks in (self._times, self._states, self._links, self._routes):
            del looks[which]

    @property
    def times(self) -> list[float]:
        """When it was looked, s."""
        return self._times

    def places(self) -> NDArray[np.float64]:
        """Where nodes were, m: by instant and node, x and y."""
        return np.array(self._states, dtype=float)[:, :, :2] / 1000

    def queues(self) -> Iterator[tuple[float, int, int]]:
        """Time (s), node and how many events wait there, for each look at each node."""
        for time_s, states in zip(self._times, self._states, strict=True):
            for node, state in enumerate(states):
                yield time_s, node, int(state[4])

    def add_to(self, columns: Columns, clock: Clock) -> None:
        """A row of all nodes for each instant; positions in mm, heights if there are any."""
        columns.add("film.time", clock.ticks(np.array(self._times)), "u4", "delta")
        states = np.array(self._states)
        for place, name in enumerate(("x", "y", "parent", "leader", "queued")):
            columns.add(f"film.{name}", states[:, :, place], "i4", "delta")
        columns.add("film.isUp", states[:, :, 5], "u1", "xor")
        if states[:, :, 6].any():
            columns.add("film.z", states[:, :, 6], "i4", "delta")
        columns.add("film.links", np.array(self._links), "u1", "xor")

    def add_routes_to(self, columns: Columns) -> bool:
        """Adds tables: a row for each instant, in it a place for each route that was ever there.

        `route.place` tells which broker and subscriber that is, as broker times nodes plus subscriber; where
        there is no route its `hops` are 0, else one more than they are; a byte's 255 stands for more, too.
        False if they would be too many.
        """
        places = np.unique(np.concatenate([rows[:, 0] for rows in self._routes]))
        if not len(places) or len(places) * len(self._routes) > _MOST_ROUTES:
            return not len(places)
        tables = np.zeros((3, len(self._routes), len(places)), np.uint16)
        for instant, rows in enumerate(self._routes):
            at = np.searchsorted(places, rows[:, 0])
            tables[:, instant, at] = rows[:, 1:].T
            tables[1, instant, at] += 1
        next_hops, hops, queued = tables
        columns.add("route.place", places, "i4", "delta")
        columns.add("route.hops", np.minimum(hops, _MOST), "u1", "xor")
        columns.add("route.queued", np.minimum(queued, _MOST), "u1", "xor")
        columns.add(
            "route.nextHop", next_hops.astype("<u2").view(np.uint8).reshape(len(tables[0]), -1), "u1", "xor"
        )
        return True


@dataclass(frozen=True)
class Replay:
    """A run that was looked at."""

    trace: Path
    film: Film
    air: Air
    packets: Packets
    """None, unless they were asked for."""
    cost: Cost
    keep: Any
    """The trace lives as long as this."""


def replay(
    scenario: Scenario,
    step_s: float,
    progress: Progress | None = None,
    *,
    observers: Iterable[Observer] = (),
    has_packets: bool = False,
    trace: Path | None = None,
) -> Replay:
    """Runs a scenario, with looks each `step_s` s and at its end, and by `observers`. Its own are not asked.

    `has_packets`: whether the bytes of frames are kept. `trace` names the file to keep the trace in.
    """
    film, air, packets = Film(), Air(), Packets()
    steps = ceil(round(scenario.duration / step_s, 9))
    looks = At([*(step * step_s for step in range(steps)), scenario.duration], film.take)
    with TraceFile(trace) as file:
        cost = simulate(
            scenario,
            file.write,
            progress,
            [looks, *observers],
            air=air.take,
            packets=packets.take if has_packets else None,
        )
        file.complete()
    return Replay(file.path, film, air, packets, cost, file.keep)


def replay_result(
    result: Result,
    step_s: float | None,
    progress: Progress | None = None,
    *,
    observers: Iterable[Observer] = (),
    has_packets: bool = False,
) -> Replay:
    """Runs what gave `result` once more. Raises QueryError if that gives another trace."""
    scenario = result.scenario
    step_s = step_for(scenario.count(), scenario.duration, step_s)
    seen = replay(scenario, step_s, progress, observers=observers, has_packets=has_packets)
    check_same(result.trace, seen.trace)
    return seen


def check_same(one: Path, other: Path) -> None:
    """Raises QueryError unless two trace files hold the same trace."""
    if _digest(one) != _digest(other):
        raise QueryError(f"{one}: simulated anew, the run has another trace: was the file changed?")


def _digest(trace: Path) -> str:
    with igzip.open(trace, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def step_for(nodes: int, duration_s: float, wanted_s: float | None) -> float:
    """The time between looks, in s: half a second, or what the number of links allows.

    Raises QueryError if the wanted one is none.
    """
    if wanted_s is not None:
        if not (isinstance(wanted_s, Real) and 0 < wanted_s < inf):
            raise QueryError(f"the time between looks must be above 0 s (given: {wanted_s!r})")
        return wanted_s
    return max(0.5, duration_s * nodes * (nodes - 1) / 2 / _MOST_LINKS)
