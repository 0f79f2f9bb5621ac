"""What policies are shown: nodes, brokers that were heard, events held, neighbours that lack them."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass


@dataclass(slots=True)
class Me:
    """The node that asks, at the moment of the question."""

    id: int
    _: KW_ONLY
    time_s: float = 0.0
    """Simulated time, s."""
    roles: tuple[str, ...] = ("broker",)
    """Of broker, subscriber, publisher."""
    leader: int | None = None
    """Id of the leader that it follows, None if nobody yet."""
    round: int = 0
    """Number of that leader's newest heartbeat."""
    parent: int | None = None
    """Id of its parent (of a client: its broker), None if it has none."""
    hops: int = 0
    """To the leader."""
    attached_s: float = 0.0
    """s since it got this parent."""
    children: int = 0
    """Number of brokers below it."""
    speed_mps: float = 0.0
    """Its own speed, m/s."""
    queued: int = 0
    """Events that it holds as a broker, one for each (event, subscriber)."""


@dataclass(slots=True)
class Candidate:
    """A broker whose heartbeat was heard."""

    id: int
    _: KW_ONLY
    rssi_dbm: float = 0.0
    """Signal strength of the heartbeat, dBm."""
    hops: int = 0
    """From the leader, as it announced."""
    parent: int | None = None
    """Id of its own parent, as it announced."""
    advertised: int | None = None
    """What its policy advertises (`advertise`), 0 to 255, if anything."""
    arrival: int = 0
    """How many were heard before it in its round; 0 was the first."""
    age_s: float = 0.0
    """s since it was heard."""


@dataclass(slots=True)
class QueuedEvent:
    """An event that a broker holds for a subscriber."""

    publisher: int
    """With `sequence`, the event's id."""
    sequence: int
    _: KW_ONLY
    age_s: float = 0.0
    """s since it was queued here."""
    payload_bytes: int = 0
    """Its payload, B."""


@dataclass(slots=True)
class LackingNeighbour:
    """A neighbour of a broker of mft-mesh that lacks events which the broker holds."""

    id: int
    _: KW_ONLY
    events: int = 1
    """Number of events that it is to be sent."""
    age_s: float = 0.0
    """s since it was heard to lack the first of them."""
    hops: float = 0.0
    """How far away it is, by the strength of its latest frame that said so: 0.2 to 1.2."""
