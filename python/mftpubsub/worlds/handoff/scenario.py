"""One cell of G's evaluation (section 5): a scheme, how its subscribers move, and what is published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from mftpubsub.scenario.part import Model, Number, Period, Seconds

#: A tree in G's figure 3, on which schemes of related work route; the rest's messages are counted along it.
TREE = ((1, 2), (2, 3), (3, 4), (3, 5), (3, 6))

#: The brokers among which subscribers move in the neighbouring model (figure 3; the matrix of G 6.2).
NEIGHBOURS: Mapping[int, tuple[int, ...]] = {
    1: (2, 6),
    2: (1, 3, 6),
    3: (2, 4, 5, 6),
    4: (3, 6),
    5: (3,),
    6: (1, 2, 3, 4),
}

Mobility = Literal["random", "neighbouring"]
# Bounds as in Check of handoff-scenario.cc: sums of what one event or message takes stay within ns-3's time.
Cost = Annotated[Number, Field(ge=0, le=1e5)]
Rate = Annotated[Number, Field(ge=1e-6, le=1e6)]


def complete(brokers: int = 6) -> dict[int, tuple[int, ...]]:
    """The graph in which a subscriber may go from each broker to every other."""
    names = range(1, brokers + 1)
    return {name: tuple(other for other in names if other != name) for name in names}


class Costs(Model):
    """Work of the brokers in closed loop, ms each."""

    event: Cost = Field(default=0, description="ms per publication")
    delivered: Cost = Field(default=0, description="ms per copy sent to a subscriber")
    stored: Cost = Field(default=0, description="ms per copy put into a buffer")
    control: Cost = Field(default=0, description="ms per hand-off message")
    transferred: Cost = Field(default=0, description="ms per event in a hand-off message")


class HandoffScenario(Model):
    """Subscribers that move between G's six brokers (figure 3); times in s."""

    scheme: str = Field(description="durable, reactive, pro-active, jedi, ...")
    mobility: Mobility = Field(default="random", description="to any other broker, or to a neighbour")
    subscribers: int = Field(default=200, ge=1, le=50000, description="their number, K")
    rate: Rate | None = Field(default=None, description="publications, events/s; without: closed loop")
    costs: Costs = Field(default_factory=Costs, description="of the brokers, in closed loop")
    sleep: Seconds = Field(default=0, description="s between two publications, in closed loop")
    buffer_events: int = Field(default=256, ge=1, le=10**9, description="events that one buffer holds")
    event_bytes: int = Field(default=4096, ge=6, le=65535, description="size of an event, bytes")
    seed: int = Field(default=1, ge=1, le=2**31 - 1, description="of movement and interests")
    mean_connected: Period = Field(default=60, description="T_beta, s")
    warm_up: Seconds = Field(default=1800, description="s before the window")
    window: Period = Field(default=3600, description="s that are measured")
    drain: Seconds = Field(default=600, description="s after the window")
    interest: Annotated[Number, Field(ge=1e-6, le=1)] = Field(
        default=0.2, description="probability that a subscriber wants an event"
    )
    bandwidth: Annotated[Number, Field(ge=0.001)] | None = Field(
        default=None, description="to each subscriber, Mbit/s; without: no bound"
    )
    detection_delay: Seconds = Field(default=0, description="of a broken connection, s")
    transfer_time: Annotated[Number, Field(ge=0, le=100)] = Field(
        default=0.03, description="per event that a broker hands over, s"
    )
    home: bool = Field(default=False, description="reactive: a subscriber's first broker stores for it")
    filters_in_reconnect: bool = Field(
        default=False, description="reactive: subscribers have their filters with them"
    )

    root: int = Field(default=3, ge=1, le=6, description="of the brokers' tree: JEDI's root, ELVIN's proxy")
    announced: bool = Field(default=True, description="JEDI, SIENA: subscribers say that they leave")
    implicit_move_out: bool = Field(default=False, description="JEDI, SIENA: so does the loss of a link")
    session_expiry: Seconds = Field(default=0, description="mqtt-session: of an absent client's, s; 0: never")
    event_expiry: Period = Field(default=600, description="ELVIN: how long the proxy keeps an event, s")

    @model_validator(mode="after")
    def _loop(self) -> HandoffScenario:
        if self.rate is None and not any(self.costs.model_dump().values()):
            raise ValueError("give a rate (events/s), or costs for a closed loop")
        return self

    def moves(self) -> list[tuple[int, int]]:
        """From which broker to which subscribers may go."""
        graph: Any = NEIGHBOURS if self.mobility == "neighbouring" else complete()
        pairs = [(one, other) for one, others in graph.items() for other in others]
        return sorted(pairs)
