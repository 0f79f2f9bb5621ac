"""A protocol of brokers that pass on every event, and say anew all that a neighbour or client may lack."""

from __future__ import annotations

from typing import Any

from mftpubsub.protocols import Broker, Event, Filter, message, u8


@message(counts_as="PUB")
class Passed:
    e: Event
    hops: u8


class Passing(Broker):
    """Keeps all events. Brokers know by their ids, and subscribers anyway, which they have had."""

    messages = (Passed,)

    def start(self) -> None:
        self.events: dict[Any, tuple[Event, int]] = {}

    def link_up(self, neighbour: int) -> None:
        for event, hops in self.events.values():
            self.send(Passed(event, hops), neighbour)

    def link_reset(self, neighbour: int) -> None:
        self.link_up(neighbour)

    def migrated(self, client: int, previous: int | None) -> None:
        super().migrated(client, previous)
        self.give_all(client)

    def subscribed(self, client: int, where: Filter) -> None:
        self.give_all(client)

    def give_all(self, client: int) -> None:
        for event, hops in self.events.values():
            self.give(event, hops, client)

    def give(self, event: Event, hops: int, client: int) -> None:
        if any(where.matches(event) for where in self.clients[client]):
            self.deliver(event, client, hops)

    def publish(self, publisher: int, event: Event) -> None:
        self.take(event, 1)

    def receive(self, message: Passed, sender: int) -> None:
        self.take(message.e, message.hops)

    def take(self, event: Event, hops: int) -> None:
        if event.id not in self.events:
            self.events[event.id] = event, hops + 1
            self.send_to_neighbours(Passed(event, hops + 1))
            for client in self.clients:
                self.give(event, hops + 1, client)
