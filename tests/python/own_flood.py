"""Protocols as users write them: flooding with duplicate suppression, and some that fail or only listen."""

from mftpubsub.protocols import Event, Filter, Station, message, timer, u8


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

    def start(self) -> None:
        self.seen: set[object] = set()

    def publish(self, event: Event) -> None:
        self.take(event, self.id, hops=0)

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        self.take(message.event, sender, message.hops)

    def take(self, event: Event, sender: int, hops: int) -> None:
        self.deliver(event, sender, hops)
        if event.id in self.seen:
            return
        self.seen.add(event.id)
        if self.is_broker or sender == self.id:
            self.set_timer(Forward(event, hops), self.random.uniform(0, self.jitter))

    def expire(self, timer: Forward) -> None:
        self.broadcast(Data(timer.hops + 1, timer.event))


class Failing(Flood):
    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        raise ValueError("boom")


class Fat(Flood):
    """Says more than fits."""

    def expire(self, timer: Forward) -> None:
        self.broadcast(Data(1, Event(timer.event.id, {}, 2000)))


class Listener(Station):
    """Tells by notes on stable storage what happens to it."""

    messages = (Data,)

    def start(self) -> None:
        self.stable["starts"] = self.stable.get("starts", 0) + 1
        self.heard: list[str] = []
        self.set_timer("later", 1.0)
        self.set_timer("sooner", 0.5)
        self.set_timer("never", 0.7)
        self.cancel_timer("never")
        self.set_timer("later", 2.0)

    def subscribed(self, where: Filter) -> None:
        assert where in self.filters
        self.heard.append(f"subscribed {where}")

    def expire(self, timer: str) -> None:
        self.heard.append(f"{timer} {self.now:.1f}")
        assert timer != "never"

    def publish(self, event: Event) -> None:
        self.heard.append("publish")
        self.send(Data(1, event), to=0)

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        self.deliver(message.event, sender, message.hops)

    def overhear(self, message: Data, sender: int, to: int, rssi_dbm: float) -> None:
        assert to == 0
        assert self.id != 0
        assert rssi_dbm <= 0
        self.deliver(message.event, sender, message.hops)


class OneAtATime(Station):
    """Binds late: it says what is newest when the channel is free."""

    messages = (Data,)

    def start(self) -> None:
        self.waiting: list[Event] = []

    def publish(self, event: Event) -> None:
        self.waiting.append(event)

    def next_message(self) -> Data | None:
        return Data(1, self.waiting.pop()) if self.waiting else None

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        self.deliver(message.event, sender, message.hops)
