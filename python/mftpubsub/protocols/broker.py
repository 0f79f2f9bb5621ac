"""What users derive a protocol of brokers from: on the elected tree, with the shipped clients."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from mftpubsub.protocols import given
from mftpubsub.protocols.broker_inputs import INPUTS
from mftpubsub.protocols.content import Event, EventId, Filter
from mftpubsub.protocols.device import Device


class Broker(Device):
    """Brokers of one's own on the elected tree, with reliable sessions; clients are those that ship.

        class Tree(Broker):
            messages = (Route, Forwarded)

    Who its neighbours in the tree are, leader election says. What is sent to one arrives in order, once, or
    `delivery_failed` says that it may not have. Subscribers and publishers attach themselves, and say SUB,
    UNS, MIG and PUB: `subscribed`, `unsubscribed`, `migrated`, `publish`. Each broker has a copy of the
    object. What it has in mind is made in `start`, which is called again after a crash.
    """

    inputs = INPUTS
    policies: ClassVar[tuple[str, ...]] = (
        "parent_policy",
        "client_policy",
        "leader_policy",
        "migration_policy",
        "retry_policy",
        "failure_policy",
    )
    parts: ClassVar[tuple[str, ...]] = ("overlay", "transport")
    roles: ClassVar[tuple[str, ...]] = ("broker", "publisher", "subscriber")
    broadcasts: ClassVar[bool] = False

    # What is given

    @property
    def neighbours(self) -> tuple[int, ...]:
        """Brokers that have a link to this one in the tree, ascending."""
        return self._at.neighbours  # type: ignore[no-any-return]

    @property
    def parent(self) -> int | None:
        """The neighbour through which the leader is reached; None at the leader."""
        return self._at.parent  # type: ignore[no-any-return]

    @property
    def clients(self) -> Mapping[int, tuple[Filter, ...]]:
        """Clients that are attached here, each with the filters that it has said."""
        return MappingProxyType(self._at.clients)

    # What happens: override these

    def start(self) -> None:
        """The broker starts, or restarts with nothing but `stable`. Nobody is near yet."""

    def link_up(self, neighbour: int) -> None:
        """There is a link to a neighbour in the tree from now on."""

    def link_down(self, neighbour: int) -> None:
        """A neighbour is none any more, or a client was seen to leave. It is not in `clients` any more."""

    def link_reset(self, neighbour: int) -> None:
        """A neighbour stays, and what was under way from it is lost: say anew what it needs to know."""

    def parent_changed(self, previous: int | None, current: int | None) -> None:
        """Another neighbour leads to the leader; `link_up` came before. None: there is none."""

    def neighbour_alive(self, neighbour: int) -> None:
        """A neighbour has shown a sign of life: a heartbeat, a message, an acknowledgement."""

    def expire(self, timer: Any) -> None:
        """A timer that was set is due."""

    def receive(self, message: Any, sender: int) -> None:
        """A message of this protocol came from a neighbour."""

    def delivery_failed(self, message: Any, to: int) -> None:
        """The transport has given up a message to a neighbour, or the event that a client was to get.

        It may have arrived nevertheless: it was its acknowledgement that did not.
        """

    def attached(self, client: int) -> None:
        """A subscriber with nothing to subscribe to yet is here."""

    def migrated(self, client: int, previous: int | None) -> None:
        """A subscriber has come from the broker `previous`, or was in doubt whether this one knows it.

        By default it is told the filters that are known of it here, and says what is missing.
        """
        self.tell_filters(client, self.clients[client])

    def subscribed(self, client: int, where: Filter) -> None:
        """A subscriber here has a filter more."""

    def unsubscribed(self, client: int, where: Filter) -> None:
        """A subscriber here has a filter less."""

    def publish(self, publisher: int, event: Event) -> None:
        """A publisher here has published an event."""

    def table(self) -> Mapping[int, tuple[int | None, Iterable[Filter]]]:
        """By subscriber the next hop to it (None: unknown) and its filters. Optional.

        If defined, the viewer shows it, and laboratories check it.
        """
        return {}

    def queues(self) -> Mapping[int, Iterable[Event | EventId]]:
        """By subscriber the events that wait here for it. Optional, instead of `held` and `gave_up`."""
        return {}

    # What a broker does

    def send(self, message: Any, to: int) -> None:
        """Sends a message to a neighbour. If it is none by then, `delivery_failed` follows."""
        self._at.send(message, given.node(to, "send"))

    def send_to_neighbours(self, message: Any, but: int | None = None) -> None:
        """Sends a message to all neighbours but one."""
        for neighbour in self.neighbours:
            if neighbour != but:
                self._at.send(message, neighbour)

    def deliver(self, event: Event, client: int, hops: int) -> None:
        """Sends an event to a client here, after `hops` with this one. It also says that it is `matched`.

        If the client has left, `delivery_failed` follows. Subscribers suppress copies.
        """
        self._at.deliver(*given.delivery(event, client, hops))

    def tell_filters(self, client: int, filters: Iterable[Filter]) -> None:
        """Tells a subscriber which filters are known of it here. It answers with what is wrong.

        Nothing happens if it has left.
        """
        known = [given.filter_of(where, "tell_filters") for where in filters]
        self._at.tell_filters(given.node(client, "tell_filters"), known)

    def set_timer(self, timer: Hashable, after: float) -> None:
        """`expire(timer)` follows after so many s. An equal timer that was set before moves.

        In laboratories timers go off where nothing else is pending.
        """
        super().set_timer(timer, after)
