"""Gossip by digests: brokers tell which events they keep, who lacks some asks, and they are said once more.

A frame that is lost costs a round, not an event, as long as somebody near keeps it.
"""

from mftpubsub.protocols import Event, EventId, Station, message, u8

MOST_IDS = 100


@message
class Data:
    hops: u8
    event: Event


@message
class Digest:
    ids: list[EventId]


@message
class Want:
    ids: list[EventId]


class Gossip(Station):
    """Brokers tell every `interval` s what they have heard of in the last `keep` s."""

    messages = (Data, Digest, Want)

    def __init__(self, interval: float = 2.0, keep: float = 60.0) -> None:
        self.interval = interval
        self.keep = keep

    def start(self):
        self.store = {}  # by id: the event, its hops, when it came
        self.had, self.asked = set(), set()
        if self.is_broker:
            self.set_timer("digest", self.random.uniform(0, self.interval))

    def publish(self, event):
        self.take(event, self.id, hops=0)
        self.broadcast(Data(1, event))

    def receive(self, message, sender, rssi_dbm):
        match message:
            case Data(hops, event):
                self.take(event, sender, hops)
            case Digest(ids):
                self.asked |= {id for id in ids if id not in self.had}
                if self.asked:
                    self.set_timer("want", self.random.uniform(0, 0.1))
            case Want(ids):
                for id in ids:
                    if id in self.store:
                        self.set_timer(id, self.random.uniform(0, 0.1))  # an id is a timer too

    def take(self, event, sender, hops):
        self.deliver(event, sender, hops)
        self.cancel_timer(event.id)  # somebody else has said it
        if event.id not in self.had:
            self.had.add(event.id)
            self.store[event.id] = (event, hops, self.now)

    def expire(self, timer):
        match timer:
            case "digest":
                self.store = {id: kept for id, kept in self.store.items() if kept[2] > self.now - self.keep}
                self.broadcast(Digest(list(self.store)[-MOST_IDS:]))
                self.set_timer("digest", self.interval * self.random.uniform(0.9, 1.1))
            case "want":
                if lacking := sorted(self.asked - self.had)[:MOST_IDS]:
                    self.broadcast(Want(lacking))
                self.asked = set()
            case EventId() if timer in self.store:
                event, hops, _ = self.store[timer]
                self.broadcast(Data(hops + 1, event))
