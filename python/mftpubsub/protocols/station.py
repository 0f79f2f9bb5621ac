"""What users derive a protocol from: a device's whole part on a broadcast channel."""

from __future__ import annotations

from collections.abc import Hashable
from random import Random
from typing import Any, Protocol

from mftpubsub.protocols import given
from mftpubsub.protocols.content import Event, EventId, Filter
from mftpubsub.protocols.device import Device

INPUTS = (
    "start",
    "publish",
    "receive",
    "overhear",
    "expire",
    "subscribed",
    "unsubscribed",
    "dropped",
    "next_message",
)
"""The methods by which a station is told what happens: StationInput of C++ (hook-station.h)."""

Position = tuple[float, float, float]
"""x, y and z, m; z is above the ground."""


class Seat(Protocol):
    """Where a station sits, on a radio or in a laboratory: what it knows, and who carries out its effects."""

    id: int
    roles: tuple[str, ...]
    random: Random
    filters: list[Filter]
    max_bytes: int
    stable: dict[str, Any]

    @property
    def now(self) -> float: ...
    @property
    def load(self) -> float: ...
    @property
    def position(self) -> Position | None: ...
    def broadcast(self, message: Any, to: int | None) -> None: ...
    def deliver(self, event: Event, sender: int, hops: int) -> None: ...
    def matched(self, event: EventId, subscriber: int) -> None: ...
    def held(self, event: EventId, subscriber: int) -> None: ...
    def gave_up(self, event: EventId, subscriber: int) -> None: ...
    def set_timer(self, timer: Hashable, after: float) -> None: ...
    def cancel_timer(self, timer: Hashable) -> None: ...
    def note(self, text: str) -> None: ...


class Station(Device):
    """A protocol of one's own. Derive from it, and name the classes of its messages.

        class Flood(Station):
            messages = (Data,)

    A run works on a copy of the object for each device. All devices and runs of a process share what a class
    holds itself, and the globals of its module. Where its methods name what has changed there, or functions
    that they call do, the run says so. It does not look at what other modules and other classes hold.
    Parameters are what `__init__` takes and keeps. What a device has in mind is made in `start`, which is
    called again after a crash. In tables it is called as its class, in kebab case, or by its `name`.
    """

    inputs = INPUTS

    # What is given

    @property
    def filters(self) -> list[Filter]:
        """Of the subscriber on this device; empty if it has none."""
        return list(self._at.filters)

    @property
    def is_broker(self) -> bool:
        return "broker" in self._at.roles

    @property
    def is_subscriber(self) -> bool:
        return "subscriber" in self._at.roles

    @property
    def is_publisher(self) -> bool:
        return "publisher" in self._at.roles

    @property
    def load(self) -> float:
        """How much longer than usual frames wait in the MAC, 1 to 30."""
        return self._at.load  # type: ignore[no-any-return]

    @property
    def position(self) -> Position | None:
        """Where the device is just now, (x, y, z) in m, by its mobility; None where nobody knows, as live."""
        return self._at.position  # type: ignore[no-any-return]

    # What happens: override these

    def start(self) -> None:
        """The device starts, or restarts with nothing but `stable`."""

    def publish(self, event: Event) -> None:
        """The application on this device publishes."""

    def receive(self, message: Any, sender: int, rssi_dbm: float) -> None:
        """A frame of this protocol was heard from the node `sender`, for everybody or for this device."""

    def overhear(self, message: Any, sender: int, to: int, rssi_dbm: float) -> None:
        """A frame was heard that `sender` meant for the node `to`."""

    def expire(self, timer: Any) -> None:
        """A timer that was set is due."""

    def subscribed(self, where: Filter) -> None:
        """The subscriber here has a filter more; those that it has from the beginning come after `start`."""

    def unsubscribed(self, where: Filter) -> None:
        """The subscriber here has a filter less."""

    def dropped(self, message: Any) -> None:
        """The MAC has given a frame up."""

    def next_message(self) -> Any:
        """What to send now that the channel is free and nothing is queued: late binding.

        A message, a pair of one and the id of the node that it is for, or None. A class that defines it is
        asked whenever something has happened.
        """

    # What a station does

    def broadcast(self, message: Any, to: int | None = None) -> None:
        """Queues a message, one frame; `to` only names who is meant. One frame is in the MAC at a time."""
        self._at.broadcast(message, None if to is None else given.node(to, "broadcast"))

    def send(self, message: Any, to: int) -> None:
        """The same for one node: others that hear it are told by `overhear`."""
        self._at.broadcast(message, given.node(to, "send"))

    def deliver(self, event: Event, sender: int, hops: int) -> None:
        """A copy of an event has come here from the node `sender`, after `hops`: call it for each copy.

        If a filter of the subscriber here matches, its application gets the event, once; further copies are
        counted.
        """
        self._at.deliver(*given.delivery(event, sender, hops))
