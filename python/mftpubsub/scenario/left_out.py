"""What of a scenario's files its run leaves out, though nobody has asked for that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from mftpubsub.notes import tell
from mftpubsub.scenario.arrivals import Recorded
from mftpubsub.scenario.event_files import read
from mftpubsub.scenario.roles import Publisher
from mftpubsub.scenario.scenario import Scenario


def left_out(scenario: Scenario) -> list[str]:
    """A line for each recording of which events are not published, with how many of how many."""
    found: dict[str, None] = {}
    for group in scenario.nodes:
        for role in group.roles:
            publisher = scenario.publisher if role == Publisher.role else role
            if isinstance(publisher, Publisher) and isinstance(publisher.arrivals, Recorded):
                end = scenario.duration if publisher.stop is None else None
                file = publisher.arrivals
                found |= dict.fromkeys(_of(str(file.path), file.sha256, end, group.count))
    return [*found]


def tell_left_out(scenarios: Iterable[Scenario]) -> None:
    """Tells it before runs begin, each line once."""
    for line in dict.fromkeys(line for scenario in scenarios for line in left_out(scenario)):
        tell(line)


@lru_cache(maxsize=64)
def _of(file: str, sha256: str, end: float | None, count: int) -> tuple[str, ...]:
    """Of a file that `count` nodes replay until `end` (s), unless its user has said when they stop."""
    return tuple(_lines(file, sha256, end, count))


def _lines(file: str, sha256: str, end: float | None, count: int) -> Iterator[str]:
    events = read(file, sha256)
    late = 0 if end is None else sum(event.time >= end for event in events)
    if late:
        yield (
            f"{file}: {late} of {len(events)} events are left out, since the run ends at {end:g} s: "
            f"duration must be above {events[-1].time:g} for all"
        )
    if others := sum(event.publisher >= count for event in events):
        yield (
            f"{file}: {others} of {len(events)} events are left out, since `publisher` counts from 0 the "
            f"nodes of the group, which has {count}"
        )
