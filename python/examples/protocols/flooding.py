"""Flooding: every broker broadcasts each event once.

It asks for no state but the ids of events, and its cost is a frame a broker and event.
"""

from mftpubsub.protocols import Event, Station, message, timer, u8


@message
class Data:
    hops: u8
    event: Event


@timer
class Forward:
    event: Event
    hops: int


class Flood(Station):
    """Every broker broadcasts each event once, up to `jitter` s after it has heard it."""

    messages = (Data,)

    def __init__(self, jitter: float = 0.05) -> None:
        self.jitter = jitter

    def start(self):
        self.seen = set()

    def publish(self, event):
        self.take(event, self.id, hops=0)

    def receive(self, message, sender, rssi_dbm):
        self.take(message.event, sender, message.hops)

    def take(self, event, sender, hops):
        self.deliver(event, sender, hops)  # each copy: the trace counts those that come again
        if event.id in self.seen:
            return
        self.seen.add(event.id)
        if self.is_broker or sender == self.id:
            self.set_timer(Forward(event, hops), self.random.uniform(0, self.jitter))

    def expire(self, timer):
        self.broadcast(Data(timer.hops + 1, timer.event))
