"""Binary spray and wait for publish/subscribe (Spyropoulos, Psounis, Raghavendra: WDTN 2005, section 3).

An event begins with L copies. Who has more than one gives half of them to each broker that it meets (spray).
Who has one waits for subscribers. The source's destination is a node: here it is who has a matching filter.
"""

from mftpubsub.protocols import Event, EventId, Filter, Station, message, u8

MOST_IDS = 80


@message
class Hello:
    """Who is near: what it takes, and what it has already."""

    carries: bool
    wants: list[Filter]
    has: list[EventId]


@message
class Copy:
    hops: u8
    copies: u8
    event: Event


class SprayAndWait(Station):
    """Sprays `copies` of each event among brokers, which say hello every `interval` s."""

    messages = (Hello, Copy)

    def __init__(self, copies: int = 8, interval: float = 2.0) -> None:
        self.copies = copies
        self.interval = interval

    def start(self):
        self.carried = {}  # by id: the event, its hops, copies
        self.got = {}  # ids of all that was here, in order
        if self.is_broker or self.is_subscriber:
            self.set_timer("hello", self.random.uniform(0, self.interval))

    def publish(self, event):
        self.deliver(event, self.id, 0)
        self.got[event.id] = None
        self.carried[event.id] = (event, 0, self.copies)

    def expire(self, timer):
        self.broadcast(Hello(self.is_broker, sorted(self.filters), list(self.got)[-MOST_IDS:]))
        self.set_timer("hello", self.interval * self.random.uniform(0.9, 1.1))

    def receive(self, message, sender, rssi_dbm):
        match message:
            case Hello(carries, wants, has):
                self.meet(sender, carries, wants, set(has))
            case Copy(hops, copies, event):
                self.deliver(event, sender, hops)
                self.got[event.id] = None
                if copies and self.is_broker:  # what two have given is added: copies are not lost
                    before = self.carried.get(event.id, (event, hops, 0))[2]
                    self.carried[event.id] = (event, hops, before + copies)

    def meet(self, peer, carries, wants, has):
        for id, (event, hops, copies) in self.carried.items():
            if id in has:
                continue
            if carries and copies > 1:
                self.carried[id] = (event, hops, copies - copies // 2)
                self.send(Copy(hops + 1, copies // 2, event), peer)
            elif any(where.matches(event) for where in wants):
                self.send(Copy(hops + 1, 0, event), peer)
