"""Greedy geographic forwarding: an event says where it goes, and each hop is nearer to that place.

Brokers tell their neighbours where they are. An event has the attributes x and y, m. It goes to the neighbour
that is nearest to them, until nobody is nearer than who has it; that one broadcasts it.
Source: Karp and Kung, GPSR, MobiCom 2000, section 2.1, without the way round a void.
"""

from math import dist, inf

from mftpubsub.protocols import Event, Station, f64, message, u8


@message
class Hello:
    x: f64
    y: f64


@message
class Data:
    hops: u8
    event: Event


class Greedy(Station):
    """A broker says where it is each `interval` s; who is not heard well for `lifetime` s has left."""

    messages = (Hello, Data)

    def __init__(self, interval: float = 1.0, lifetime: float = 3.0, weakest_dbm: float = -90.0) -> None:
        self.interval = interval
        self.lifetime = lifetime
        self.weakest_dbm = weakest_dbm

    def start(self):
        self.near = {}  # by neighbour: where it was, and when
        self.ended = set()
        if self.is_broker:
            self.set_timer("hello", self.random.uniform(0, self.interval))

    def expire(self, timer):
        x, y, _ = self.position
        self.broadcast(Hello(x, y))
        self.set_timer(timer, self.interval * self.random.uniform(0.9, 1.1))

    def publish(self, event):
        self.forward(event, hops=0)

    def receive(self, message, sender, rssi_dbm):
        match message:
            case Hello(x, y) if rssi_dbm >= self.weakest_dbm:
                self.near[sender] = ((x, y), self.now)
            case Data(hops, event):
                self.deliver(event, sender, hops)
                if self.is_broker:
                    self.forward(event, hops)

    def forward(self, event, hops):
        goal = event.attributes["x"], event.attributes["y"]
        fresh = self.now - self.lifetime
        near = [(dist(at, goal), node) for node, (at, when) in self.near.items() if when > fresh]
        nearest, node = min(near, default=(inf, self.id))
        if nearest < dist(self.position[:2], goal):
            self.send(Data(hops + 1, event), to=node)
        elif event.id not in self.ended:
            self.ended.add(event.id)
            self.broadcast(Data(hops + 1, event))
