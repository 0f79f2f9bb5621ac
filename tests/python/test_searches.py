"""What a search must not take for right: other orders, messages without end, events that were changed."""

from __future__ import annotations

from mftpubsub.lab import Lab, search
from mftpubsub.protocols import Broker, Event, message, u8


@message
class Data:
    count: u8
    event: Event


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
