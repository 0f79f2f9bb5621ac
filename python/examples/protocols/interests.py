"""Interests as in named-data networking: they leave breadcrumbs, and data follow these back.

A subscriber broadcasts its filters now and then. Each broker remembers from whom it first heard an interest
well, and says it once more. An event goes from breadcrumb to breadcrumb to those who want it.
Source: Jacobson et al., Networking Named Content, CoNEXT 2009, section 3: pending interests.
"""

from mftpubsub.protocols import Event, Filter, Node, Station, message, u8, u32


@message
class Interest:
    subscriber: Node
    number: u32
    where: Filter


@message
class Data:
    hops: u8
    via: set[Node]
    event: Event


class Interests(Station):
    """Subscribers say their interests every `interval` s; a breadcrumb lasts for `lifetime` s."""

    messages = (Interest, Data)

    def __init__(self, interval: float = 3.0, lifetime: float = 7.0, weakest_dbm: float = -90.0) -> None:
        self.interval = interval
        self.lifetime = lifetime
        self.weakest_dbm = weakest_dbm

    def start(self):
        self.crumbs = {}  # by subscriber and filter: the neighbour, the interest's number, when it came
        self.sent = set()

    def subscribed(self, where):
        self.set_timer("interest", self.random.uniform(0, 0.1))

    def expire(self, timer):
        if isinstance(timer, Interest):  # a message is a timer too
            return self.broadcast(timer)
        number = round(self.now * 1000)  # it goes on after a crash
        for where in sorted(self.filters):
            self.broadcast(Interest(self.id, number, where))
        self.set_timer(timer, self.interval * self.random.uniform(0.9, 1.1))

    def publish(self, event):
        self.forward(event, self.id, hops=0)

    def receive(self, message, sender, rssi_dbm):
        match message:
            case Interest() if message.subscriber != self.id and rssi_dbm >= self.weakest_dbm:
                self.crumb(message, sender)
            case Data(hops, via, event):
                self.deliver(event, sender, hops)
                if self.id in via:
                    self.forward(event, sender, hops)

    def crumb(self, interest, sender):
        key = (interest.subscriber, interest.where)
        if interest.number <= self.crumbs.get(key, (0, 0, 0))[1]:
            return
        self.crumbs[key] = (sender, interest.number, self.now)
        if self.is_broker:
            self.set_timer(interest, self.random.uniform(0, 0.05))

    def forward(self, event, sender, hops):
        fresh = self.now - self.lifetime
        via = {
            neighbour
            for (_, where), (neighbour, _, when) in self.crumbs.items()
            if when > fresh and neighbour != sender and where.matches(event)
        }
        if via and event.id not in self.sent:
            self.sent.add(event.id)
            self.broadcast(Data(hops + 1, via, event))
