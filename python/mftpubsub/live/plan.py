"""What happens in a scenario, for nodes that run: what is published when, and who hears whom.

A simulation tells both: its publishers draw the same events for every protocol, and its radio knows who is
near whom. So the nodes that run publish the very events of the simulation with which they are compared.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from mftpubsub.errors import ConfigurationError
from mftpubsub.protocols import Event, Station, message, u8
from mftpubsub.runs.simulation import simulate
from mftpubsub.runs.to_cpp import to_cpp
from mftpubsub.scenario.observers import Every
from mftpubsub.scenario.scenario import Scenario
from mftpubsub.simulator.snapshot import Snapshot

#: s between looks at who hears whom.
LOOK_INTERVAL = 0.5


@dataclass(frozen=True)
class Publication:
    """An event of a scenario."""

    at: float
    """s since the beginning."""
    attributes: Mapping[str, Any]
    payload: int
    """B"""


@dataclass(frozen=True)
class Plan:
    """What nodes do, and what they hear."""

    duration: float
    publications: Mapping[int, list[Publication]]
    """By publisher, by time."""
    links: list[tuple[float, list[tuple[int, int]]]] = field(default_factory=list)
    """Who reaches whom from a time on, as pairs of nodes; an entry for each change."""
    crashes: list[tuple[int, float, float | None]] = field(default_factory=list)
    """Node, when it is killed and when it starts again, if it does; s."""

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Plan:
        """Raises ConfigurationError for a file that `write` did not write."""
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
            publications = {
                int(id): [Publication(**one) for one in own] for id, own in told["publications"].items()
            }
            links = [(at, [(one, other) for one, other in pairs]) for at, pairs in told["links"]]
            return cls(told["duration"], publications, links, [tuple(one) for one in told["crashes"]])
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise ConfigurationError(f"{path}: no plan of a trial: {error}") from None


@message
class Nothing:
    """Never sent."""

    nothing: u8


class Listener(Station):
    """Takes note of what is published, and sends nothing."""

    messages = (Nothing,)
    published: ClassVar[list[tuple[float, Event]]] = []

    def publish(self, event: Event) -> None:
        Listener.published.append((self.now, event))


def make(scenario: Scenario) -> Plan:
    """The plan of a scenario, by a simulation in which nobody sends. Raises RunError if that fails."""
    Listener.published.clear()
    links: list[tuple[float, list[tuple[int, int]]]] = []

    def look(snapshot: Snapshot) -> None:
        pairs = sorted(snapshot.links)
        if not links or links[-1][1] != pairs:
            links.append((snapshot.time_s, pairs))

    # All are up at once: a station that is not cannot take note.
    quiet = scenario.replace(protocol=Listener(), faults=[], radio={"startup_spread": 0.0})
    simulate(quiet, lambda block: None, observers=[Every(LOOK_INTERVAL, look)])
    publications: dict[int, list[Publication]] = {}
    for at, event in Listener.published:
        told = Publication(at, dict(event.attributes), event.payload_bytes)
        publications.setdefault(event.id.publisher, []).append(told)
    Listener.published.clear()
    crashes = [
        (each["node"], each["atSeconds"], each["restartSeconds"] if each["restarts"] else None)
        for each in to_cpp(scenario)["crashes"]
    ]
    return Plan(scenario.duration, publications, links, crashes)


def hears(pairs: list[tuple[int, int]], id: int) -> list[int]:
    """Whom a node hears, of those who reach each other."""
    return sorted({one + other - id for one, other in pairs if id in (one, other)})
