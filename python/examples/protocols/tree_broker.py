"""Brokers in a tree: subscriptions flood it, events follow them back, as in simple routing.

Unlike that, a broker tells a new neighbour what it knows, and forgets what it knew by one that has gone.
"""

from mftpubsub.protocols import Broker, Event, Filter, message, u8


@message(counts_as="SUB")
class Route:
    f: Filter


@message(counts_as="UNS")
class NoRoute:
    f: Filter


@message(counts_as="PUB")
class Forwarded:
    e: Event
    hops: u8


class TreeBroker(Broker):
    """Keeps by neighbour or client the filters that lie there, as often as they have been said."""

    messages = (Route, NoRoute, Forwarded)

    def start(self):
        self.routes = {}

    def link_up(self, neighbour):
        for where in [where for _, filters in sorted(self.routes.items()) for where in filters]:
            self.send(Route(where), neighbour)

    def link_down(self, neighbour):
        for where in self.routes.pop(neighbour, []):
            self.send_to_neighbours(NoRoute(where))

    def link_reset(self, neighbour):  # at both ends: what was under way is lost
        self.link_down(neighbour)
        self.link_up(neighbour)

    def subscribed(self, client, where):
        self.learn(client, where)

    def unsubscribed(self, client, where):
        self.forget(client, where)

    def publish(self, publisher, event):
        self.forward(None, event, hops=1)  # a subscriber on the publisher's device wants it too

    def receive(self, message, sender):
        match message:
            case Route(where):
                self.learn(sender, where)
            case NoRoute(where):
                self.forget(sender, where)
            case Forwarded(event, hops):
                self.forward(sender, event, hops)

    def learn(self, source, where):
        self.routes.setdefault(source, []).append(where)
        self.send_to_neighbours(Route(where), but=source)

    def forget(self, source, where):
        if where in self.routes.get(source, []):
            self.routes[source].remove(where)
        self.send_to_neighbours(NoRoute(where), but=source)

    def forward(self, source, event, hops):
        for to in sorted(self.routes):
            if to != source and any(where.matches(event) for where in self.routes[to]):
                if to in self.clients:
                    self.deliver(event, to, hops + 1)
                else:
                    self.send(Forwarded(event, hops + 1), to)
