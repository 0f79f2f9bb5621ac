"""Counter-based flooding, planted with a fault: a broker that hears an event often enough says nothing.

Some of its neighbours may have heard none of these copies. A search finds the shortest order of messages in
which they get nothing, though nothing is lost (find_a_fault.py). With `patience=True` a broker says it late.
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


class Counting(Station):
    """A broker waits up to `jitter` s, and says an event unless it has heard `enough` copies by then."""

    messages = (Data,)

    def __init__(self, enough: int = 2, jitter: float = 0.05, patience: bool = False) -> None:
        self.enough = enough
        self.jitter = jitter
        self.patience = patience

    def start(self):
        self.heard = {}  # by event: copies

    def publish(self, event):
        self.heard[event.id] = self.enough
        self.broadcast(Data(1, event))

    def receive(self, message, sender, rssi_dbm):
        event = message.event
        self.deliver(event, sender, message.hops)
        copies = self.heard[event.id] = self.heard.get(event.id, 0) + 1
        if self.is_broker and copies == 1:
            self.set_timer(Forward(event, message.hops), self.random.uniform(0, self.jitter))

    def expire(self, timer):
        if self.heard[timer.event.id] < self.enough or self.patience:
            self.broadcast(Data(timer.hops + 1, timer.event))
