"""A run as exports tell it: its frames with who heard them, where its nodes were, what it looked like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count, takewhile
from math import inf
from pathlib import Path
from typing import NamedTuple

from mftpubsub.errors import QueryError
from mftpubsub.runs.result import Result
from mftpubsub.runs.simulation import Progress
from mftpubsub.scenario.observers import At, Observer
from mftpubsub.scenario.scenario import Scenario
from mftpubsub.simulator.snapshot import Snapshot
from mftpubsub.views.viewer.replay import OUTCOMES, Packet, Replay, replay, replay_result, step_for

EVERYBODY = -1
#: By the letters of traces.
_ROLES = {"B": "broker", "S": "subscriber", "P": "publisher"}
#: Five minutes at 10 pictures a second, and some minutes of drawing.
_MOST_PICTURES = 3000


class Frame(NamedTuple):
    """A frame of the trace, and who heard it."""

    time_s: float
    node: int
    kind: str
    peer: int
    """For whom, or EVERYBODY."""
    bytes: int
    """On the air."""
    hearers: list[int]
    outcomes: list[int]
    """Places of OUTCOMES, one a hearer."""
    length_s: float
    """By the radio's rate, without what comes before the bytes."""

    @property
    def end_s(self) -> float:
        """When its signal ends."""
        return self.time_s + self.length_s

    def by_outcome(self) -> dict[str, list[int]]:
        """The hearers to which the same happened."""
        found: dict[str, list[int]] = {}
        for hearer, outcome in zip(self.hearers, self.outcomes, strict=True):
            found.setdefault(OUTCOMES[outcome], []).append(hearer)
        return found

    @property
    def received(self) -> list[int]:
        """Who received it."""
        return self.by_outcome().get("received", [])


@dataclass(frozen=True)
class Excerpt:
    """What of a run is wanted, and how moving pictures show it."""

    begin_s: float = 0.0
    end_s: float | None = None
    """None: the end of the run."""
    fps: int = 10
    """Pictures a second."""
    pace: float = 1.0
    """Simulated seconds a second of the pictures."""

    def span(self, duration_s: float) -> tuple[float, float]:
        """First and last instant, s. Raises QueryError if the run has no such part."""
        end_s = duration_s if self.end_s is None else self.end_s
        if not 0 <= self.begin_s < end_s <= duration_s:
            raise QueryError(
                f"{self.begin_s:g} to {end_s:g} s is no part of a run that goes from 0 to {duration_s:g} s"
            )
        return self.begin_s, end_s

    def instants(self, duration_s: float) -> list[float]:
        """When pictures are taken, s. Raises QueryError if they are too many, or endless."""
        begin_s, end_s = self.span(duration_s)
        if not (0 < self.fps < inf and 0 < self.pace < inf):
            raise QueryError(
                f"moving pictures need fps and pace above 0 (given: fps {self.fps}, pace {self.pace})"
            )
        step_s = self.pace / self.fps
        if (end_s - begin_s) / step_s >= _MOST_PICTURES:
            raise QueryError(
                f"{begin_s:g} to {end_s:g} s in steps of {step_s:g} s are too many pictures (at most "
                f"{_MOST_PICTURES}): choose a shorter part, a higher pace or fewer pictures a second"
            )
        times = (round(begin_s + index * step_s, 9) for index in count())
        return list(takewhile(lambda time_s: time_s <= end_s, times))


@dataclass(frozen=True)
class Recording:
    """A part of a run that was looked at."""

    result: Result
    seen: Replay
    excerpt: Excerpt
    snapshots: list[Snapshot] = field(default_factory=list)
    """At the excerpt's instants, if pictures are wanted; without tables."""

    @property
    def span(self) -> tuple[float, float]:
        """First and last instant, s."""
        return self.excerpt.span(self.result.scenario.duration)

    def roles(self) -> list[tuple[str, ...]]:
        """The roles of each node, by id."""
        letters = self.result.to_pandas("nodes")["roles"]
        return [tuple(_ROLES[letter] for letter in some if letter in _ROLES) for some in letters]

    def is_told(self, time_s: float) -> bool:
        """Whether that instant is a part of it."""
        begin_s, end_s = self.span
        return begin_s <= time_s <= end_s

    def frames(self) -> Iterator[Frame]:
        """Its frames, in order."""
        return (frame for frame in self._all_frames() if self.is_told(frame.time_s))

    def packets(self) -> Iterator[tuple[Frame, Packet]]:
        """Its frames, each with what it carried."""
        for frame, packet in zip(self._all_frames(), self.seen.packets, strict=True):
            if self.is_told(frame.time_s):
                yield frame, packet

    def _all_frames(self) -> Iterator[Frame]:
        frames = self.result.to_pandas("frames")
        frames["peer"] = frames["peer"].fillna(EVERYBODY).astype(int)
        rows = zip(*(frames[name].tolist() for name in Frame._fields[:5]), strict=True)
        heard = self.seen.air.by_frame(len(frames))
        byte_s = self.result.scenario.radio.seconds_per_byte()
        for row, (hearers, outcomes) in zip(rows, heard, strict=True):
            yield Frame._make([*row, hearers.tolist(), outcomes.tolist(), row[4] * byte_s])


@dataclass(frozen=True)
class Wanted:
    """What is to be looked at."""

    excerpt: Excerpt = Excerpt()
    has_packets: bool = False
    has_pictures: bool = False

    def check(self, duration_s: float) -> None:
        """Raises QueryError for a part that a run of that length has not."""
        self.excerpt.span(duration_s)
        if self.has_pictures:
            self.excerpt.instants(duration_s)

    def observers(self, duration_s: float, snapshots: list[Snapshot]) -> list[At]:
        """Who takes pictures."""
        if not self.has_pictures:
            return []

        def take(snapshot: Snapshot) -> None:
            nodes = tuple(replace(node, _routes={}) for node in snapshot.nodes)
            snapshots.append(replace(snapshot, nodes=nodes))

        return [At(self.excerpt.instants(duration_s), take)]


def record_scenario(
    scenario: Scenario,
    wanted: Wanted,
    progress: Progress | None = None,
    trace: Path | None = None,
    observers: Iterable[Observer] = (),
) -> Recording:
    """Runs a scenario and looks at it, as `observers` do. `trace` names the file to keep the trace in.

    Raises QueryError for a part that the run has not.
    """
    wanted.check(scenario.duration)
    snapshots: list[Snapshot] = []
    seen = replay(
        scenario,
        step_for(scenario.count(), scenario.duration, None),
        progress,
        observers=[*wanted.observers(scenario.duration, snapshots), *observers],
        has_packets=wanted.has_packets,
        trace=trace,
    )
    result = Result(scenario, seen.trace, seen.cost, seen.keep)
    return Recording(result, seen, wanted.excerpt, snapshots)


def record_result(result: Result, wanted: Wanted, progress: Progress | None = None) -> Recording:
    """Runs what gave `result` once more and looks at it. Raises QueryError if that cannot be."""
    wanted.check(result.scenario.duration)
    if result.rerun_obstacle:
        raise QueryError(f"the run cannot be simulated anew: {result.rerun_obstacle}")
    snapshots: list[Snapshot] = []
    observers = wanted.observers(result.scenario.duration, snapshots)
    seen = replay_result(result, None, progress, observers=observers, has_packets=wanted.has_packets)
    return Recording(result, seen, wanted.excerpt, snapshots)
