"""What users derive a protocol from: a device's whole part on a broadcast channel."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Hashable
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Protocol

from mftpubsub.own.objects import is_ours, refuse_misspelt, source_of
from mftpubsub.protocols.content import Event, EventId, Filter
from mftpubsub.protocols.own_protocol import OwnProtocol

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
"""The methods by which a station is told what happens."""


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
    def broadcast(self, message: Any, to: int | None) -> None: ...
    def deliver(self, event: Event, sender: int, hops: int) -> None: ...
    def matched(self, event: EventId, subscriber: int) -> None: ...
    def held(self, event: EventId, subscriber: int) -> None: ...
    def gave_up(self, event: EventId, subscriber: int) -> None: ...
    def set_timer(self, timer: Hashable, after: float) -> None: ...
    def cancel_timer(self, timer: Hashable) -> None: ...
    def note(self, text: str) -> None: ...


class Station(OwnProtocol):
    """A protocol of one's own. Derive from it, and name the classes of its messages.

        class Flood(Station):
            messages = (Data,)

    A run works on a copy of the object for each device, so nothing is shared between devices or runs.
    Parameters are what `__init__` takes and keeps. What a device has in mind is made in `start`, which is
    called again after a crash. In tables it is called as its class, in kebab case, or by its `name`.
    """

    messages: ClassVar[tuple[type, ...]] = ()
    """The classes of its messages: the place of each is the kind of its frames."""
    _seat: Seat | None = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in vars(cls):
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", cls.__name__).lower()

    # What is given

    @property
    def id(self) -> int:
        """Of this device."""
        return self._at.id

    @property
    def now(self) -> float:
        """s since the run began."""
        return self._at.now

    @property
    def random(self) -> Random:
        """This device's own, seeded by the run's seed; another one after each restart."""
        return self._at.random

    @property
    def filters(self) -> list[Filter]:
        """Of the subscriber on this device; empty if it has none."""
        return self._at.filters

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
    def max_bytes(self) -> int:
        """That a message may have."""
        return self._at.max_bytes

    @property
    def load(self) -> float:
        """How much longer than usual frames wait in the MAC, 1 to 30."""
        return self._at.load

    @property
    def stable(self) -> dict[str, Any]:
        """What outlives a crash: values that JSON has."""
        return self._at.stable

    @property
    def _at(self) -> Seat:
        if self._seat is None:
            raise RuntimeError(
                f"{type(self).__name__} is on no device: only `start` and what follows may ask"
            )
        return self._seat

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
        self._at.broadcast(message, to)

    def send(self, message: Any, to: int) -> None:
        """The same for one node: others that hear it are told by `overhear`."""
        self._at.broadcast(message, to)

    def deliver(self, event: Event, sender: int, hops: int) -> None:
        """A copy of an event has come here from the node `sender`, after `hops`: call it for each copy.

        If a filter of the subscriber here matches, its application gets the event, once; further copies are
        counted.
        """
        self._at.deliver(event, sender, hops)

    def matched(self, event: Event | EventId, subscriber: int) -> None:
        """This node knows that `subscriber` wants the event: for the metric delivery_rate."""
        self._at.matched(_id(event), subscriber)

    def held(self, event: Event | EventId, subscriber: int) -> None:
        """This node keeps the event for `subscriber`: for the causes of losses."""
        self._at.held(_id(event), subscriber)

    def gave_up(self, event: Event | EventId, subscriber: int) -> None:
        """This node does not keep the event for `subscriber` any more."""
        self._at.gave_up(_id(event), subscriber)

    def set_timer(self, timer: Hashable, after: float) -> None:
        """`expire(timer)` follows after so many s. An equal timer that was set before moves."""
        self._at.set_timer(timer, after)

    def cancel_timer(self, timer: Hashable) -> None:
        """`timer` is not due any more, if it was."""
        self._at.cancel_timer(timer)

    def note(self, text: str) -> None:
        """A line in the laboratory's transcript."""
        self._at.note(text)

    # For those who host it

    @classmethod
    def has_own(cls, method: str) -> bool:
        """Whether its class overrides an input."""
        return getattr(cls, method) is not getattr(Station, method)

    @classmethod
    def check_class(cls) -> None:
        """Raises ValueError if the class cannot be meant as it stands."""
        if is_ours(cls):
            return
        refuse_misspelt(cls, Station, INPUTS)
        if not cls.messages:
            raise ValueError(
                f"{cls.__name__}.messages is empty: name the classes of its messages, as in (Data,)"
            )
        for kind in cls.messages:
            if not hasattr(kind, "_write_part"):
                raise ValueError(
                    f"{cls.__name__}.messages: {kind!r} is no message: decorate its class with @message"
                )
        names = [kind.kind_name for kind in cls.messages]  # type: ignore[attr-defined]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(
                f"{cls.__name__}.messages: two are called {twice[0]}: traces could not tell them apart"
            )

    def source_hash(self) -> str:
        """Hash of the modules of its class and its messages: helpers stand beside them."""
        kinds = [
            kind for kind in [*type(self).__mro__, *self.messages] if not is_ours(kind) and kind is not object
        ]
        texts = dict.fromkeys(_module_source(kind) or source_of(kind) for kind in kinds)
        return sha256("\n".join(texts).encode()).hexdigest()


def _id(event: Event | EventId) -> EventId:
    return event.id if isinstance(event, Event) else event


def _module_source(kind: type) -> str:
    """The text of the file of a class's module; empty if it is none, as at a prompt."""
    try:
        file = inspect.getsourcefile(sys.modules[kind.__module__])
        return Path(file).read_text(encoding="utf-8") if file else ""
    except (OSError, TypeError, KeyError):
        return ""
