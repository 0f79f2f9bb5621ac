"""What a search must not take for right: other orders, messages without end, events that were changed."""

from __future__ import annotations

from typing import Any

from mftpubsub.lab import AirLab, Lab, search
from mftpubsub.protocols import Broker, Event, Station, message, u8


@message
class Data:
    count: u8
    event: Event


class Saying(Station):
    """A publisher says its event once, and whoever hears it has it."""

    messages = (Data,)

    def publish(self, event: Event) -> None:
        self.broadcast(Data(1, event))

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        self.deliver(message.event, sender, 1)


class Queueing(Saying):
    """Passes on the first event, and the second one only if the first was of device 0."""

    def start(self) -> None:
        self.queue: dict[Any, Event] = {}

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        super().receive(message, sender, rssi_dbm)
        if self.is_broker:
            self.queue[message.event.id] = message.event
            if len(self.queue) == 2:
                self.set_timer("flush", 1.0)

    def expire(self, timer: str) -> None:
        first, second = self.queue.values()
        for event in (first, second) if first.id.publisher == 0 else (first,):
            self.broadcast(Data(2, event))


def test_the_order_of_a_dict_tells_states_apart() -> None:
    lab = AirLab(Queueing(), "P P B S", "0-2 1-2 2-3")
    for publisher in (0, 1):
        lab.publish(publisher, n=1)
    found = search(lab)
    assert found.violation == "undelivered: node 3 wants 0:0 and has not got it, and nothing is pending"


# Timers of brokers of one's own


class Answering(Broker):
    """Greets a second after a link came up, and answers after as many seconds as a message says."""

    messages = (Data,)

    def link_up(self, neighbour: int) -> None:
        self.set_timer("greet", 1.0)

    def publish(self, publisher: int, event: Event) -> None:
        self.send(Data(int(event.attributes["wait"]), event), self.neighbours[0])

    def receive(self, message: Data, sender: int) -> None:
        if message.count:
            self.set_timer("answer", message.count)

    def expire(self, timer: str) -> None:
        self.note(timer)


def answering() -> Lab:
    lab = Lab(Answering(), [("b1", "b2")], root="b1")
    lab.settle()
    lab.log.clear()
    return lab


def notes(lab: Lab) -> list[str]:
    return [record.text for record in lab.log if "notes" in record.text]


def test_timers_go_off_again_in_a_state_that_was_settled_before() -> None:
    lab = answering()
    lab.disconnect("b1", "b2")
    lab.connect("b1", "b2")
    lab.settle()
    assert notes(lab) == ["b1 notes greet", "b2 notes greet"]

    def gone_off(shown: Lab) -> bool:
        return not any(map(shown.timers, shown.brokers))

    found = search(lab, crashes=1, timers="at rest", quiet=gone_off)
    assert (found.complete, found.violation) == (True, None)


def test_a_timer_that_is_moved_to_an_earlier_time_goes_off() -> None:
    lab = answering()
    for wait in (10, 5):
        lab.publish("p", "b1", wait=wait)
    lab.settle()
    assert (notes(lab), lab.timers("b2")) == (["b2 notes answer"], [])
