"""What a search must not take for right: other orders, messages without end, events that were changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

from mftpubsub.lab import AirLab, Lab, LabError, Transcript, search
from mftpubsub.protocols import Broker, Event, Station, message, u8

ENDLESS = "endless: messages go round for ever"


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


def line(protocol: Station) -> AirLab:
    return published(AirLab(protocol, "P B S", "0-1 1-2"))


def pair(protocol: Station) -> AirLab:
    return published(AirLab(protocol, "P S", "0-1"))


def published(lab: AirLab) -> AirLab:
    lab.publish(0, n=1)
    return lab


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


# Messages that go round for ever


def migrating() -> Lab:
    """The shipped failure mft-pubsub-endless-event, one step before."""
    lab = Lab("mft-pubsub", [("b1", "b2"), ("b1", "b3"), ("b3", "b4")], root="b1")
    lab.subscribe("s1", "b4", where="topic = 'f'")
    lab.settle()
    lab.migrate("b4", "b1")
    lab.step(("b4", "b1"))
    lab.publish("p1", "b2", topic="f")
    lab.migrate("b4", "b3")
    for _ in range(7):
        lab.step()
    return lab


def test_an_event_that_goes_round_for_ever_is_found_in_each_kind_of_search() -> None:
    assert search(migrating()).violation == ENDLESS
    assert search(migrating(), schedules=1).violation == ENDLESS


class Token(Saying):
    """Devices say to each other for ever what they hear."""

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        super().receive(message, sender, rssi_dbm)
        self.broadcast(message)


class Bouncing(Token):
    """The same, and nobody takes the event."""

    def deliver(self, event: Event, sender: int, hops: int) -> None: ...


class Late(Bouncing):
    """It begins to go round when a timer goes off."""

    def publish(self, event: Event) -> None:
        self.event = event
        self.set_timer("say", 1.0)

    def expire(self, timer: str) -> None:
        self.broadcast(Data(1, self.event))


@pytest.mark.parametrize("protocol", [Bouncing(), Late()])
def test_messages_of_stations_go_round_for_ever_while_somebody_lacks_an_event(protocol: Station) -> None:
    assert search(pair(protocol)).violation == ENDLESS
    found = search(pair(protocol), schedules=1)
    assert found.violation == ENDLESS
    assert len(found.schedule) < 3, "what is not needed is left out"


def test_a_token_may_go_round_unless_quiet_would_never_be_asked() -> None:
    found = search(pair(Token()))
    assert (found.complete, found.violation) == (True, None)
    assert search(pair(Token()), schedules=2).violation is None
    for schedules in (None, 1):
        found = search(pair(Token()), quiet=lambda lab: True, schedules=schedules)
        assert found.violation == ENDLESS


@pytest.mark.parametrize("lab", [pair(Token()), line(Token())])
def test_a_laboratory_does_not_settle_messages_that_go_round_for_ever(lab: AirLab) -> None:
    """On a line more and more of them wait for device 2, whose turn never comes."""
    with pytest.raises(LabError, match="settle: messages go round for ever"):
        lab.settle()


class Returning(Broker):
    """Sends back whatever it gets, once a timer has gone off."""

    messages = (Data,)

    def publish(self, publisher: int, event: Event) -> None:
        self.event = event
        self.set_timer("send", 1.0)

    def expire(self, timer: str) -> None:
        self.send(Data(1, self.event), self.neighbours[0])

    def receive(self, message: Data, sender: int) -> None:
        self.send(message, sender)


@pytest.mark.parametrize("seed", [None, pytest.param(1, marks=pytest.mark.slow)])
def test_messages_of_brokers_go_round_for_ever_once_their_timers_go_off(seed: int | None) -> None:
    lab = Lab(Returning(), [("b1", "b2")], root="b1", seed=seed)
    lab.publish("p", "b1", n=1)
    found = search(lab, quiet=lambda shown: True)
    assert (found.violation, found.schedule) == (ENDLESS, ("step p b1", "settle"))


def replay(transcript: str) -> Transcript:
    made = Transcript()
    for line in transcript.splitlines():
        if line and not line.startswith("#"):
            made.run(line)
    return made


@pytest.mark.parametrize("schedules", [None, 1])
def test_a_transcript_goes_round_as_the_search_has_said(schedules: int | None) -> None:
    with pytest.raises(LabError, match="messages go round for ever"):
        replay(search(pair(Bouncing()), schedules=schedules).transcript)
    *before, last = search(migrating(), schedules=schedules).transcript.splitlines()
    assert replay("\n".join(before)).run(last) == ["endless: not quiet after 100000 steps"]


class Racing(Saying):
    """A publisher says its event after 4 s. A subscriber is deaf 5 s after its start."""

    def start(self) -> None:
        self.is_deaf = False
        self.set_timer("beat", 5.0)
        if self.is_subscriber:
            self.set_timer("first", 2.0)

    def publish(self, event: Event) -> None:
        self.event = event
        self.set_timer("say", 4.0)

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        if not self.is_deaf:
            super().receive(message, sender, rssi_dbm)

    def expire(self, timer: str) -> None:
        if timer == "beat":
            self.set_timer("beat", 5.0)
        elif timer == "first":
            self.set_timer("second", 3.0)
        elif timer == "second":
            self.is_deaf = True
        else:
            self.broadcast(Data(1, self.event))


@pytest.mark.parametrize("schedules", [None, 30])
def test_a_transcript_of_clocks_that_go_apart_replays(schedules: int | None) -> None:
    found = search(pair(Racing()), timers="in order", schedules=schedules)
    assert str(found.violation).startswith("undelivered: node 1 wants 0:0")
    assert replay(found.transcript).run("owed") == ["1 0:0"]


# What checks look at


class Keeping(Saying):
    """Keeps an event for 10 s."""

    def start(self) -> None:
        self.kept: dict[Any, Event] = {}

    def publish(self, event: Event) -> None:
        super().publish(event)
        self.kept[event.id] = event
        self.set_timer(event.id, 10.0)

    def expire(self, timer: Any) -> None:
        del self.kept[timer]


def test_random_schedules_ask_quiet_where_no_timer_is_pending() -> None:
    lab = pair(Keeping())
    for _ in range(40):
        published(lab)

    def is_empty(lab: AirLab) -> bool:
        return not lab.station(0).kept  # type: ignore[attr-defined]

    assert search(lab, timers="at rest", schedules=5, quiet=is_empty).violation is None


@pytest.mark.parametrize("schedules", [None, 1])
def test_always_is_asked_of_the_first_state(schedules: int | None) -> None:
    for lab in (pair(Saying()), migrating()):
        found = search(lab, schedules=schedules, always=lambda shown: "it is wrong")
        assert (found.violation, found.schedule) == ("always: it is wrong", ())


class Rallying(Broker):
    """Sends an event back and forth more often than a random schedule has steps."""

    messages = (Data,)

    def start(self) -> None:
        self.count = 0

    def publish(self, publisher: int, event: Event) -> None:
        self.send(Data(1, event), self.neighbours[0])

    def receive(self, message: Data, sender: int) -> None:
        self.count = message.count
        if self.count < 250:
            self.send(Data(self.count + 1, message.event), sender)


def test_always_is_asked_while_a_random_schedule_of_brokers_settles() -> None:
    def is_right(shown: Lab) -> bool:
        return bool(shown.broker("b2").count != 231)  # type: ignore[attr-defined]

    found = search(tree(Rallying()), schedules=1, always=is_right)
    assert found.violation == "always: it answered False"
    assert not is_right(replayed_on(tree(Rallying()), found.schedule))


def replayed_on(lab: Lab, schedule: Sequence[Any]) -> Lab:
    for command in map(str, schedule):
        words = command.split()
        lab.step((words[1], words[2]) if len(words) > 1 else None)
    return lab


def test_quiet_is_asked_of_each_order_in_which_a_client_gets_events() -> None:
    lab = Lab("mft-pubsub", [("b1", "b2")], root="b1")
    lab.subscribe("s", "b1", where="n > 0")
    lab.settle()
    for publisher in ("p", "q"):
        lab.publish(publisher, "b1", n=1)
    for order in (["p#1", "q#1"], ["q#1", "p#1"]):

        def is_other(shown: Lab, order: list[str] = order) -> bool:
            return shown.delivered("s") != order

        assert search(lab, quiet=is_other).violation == "quiet: it answered False", order
    assert search(lab, always=lambda shown: not shown.log).violation is None, "a search keeps no log"


@pytest.mark.parametrize("answer", [np.False_, ["lost"], 0])
def test_an_answer_that_says_nothing_is_refused(answer: object) -> None:
    for lab in (pair(Saying()), migrating()):
        with pytest.raises(LabError, match=r"always: it answered .*: False or a text says what is wrong"):
            search(lab, always=lambda shown: answer)


@pytest.mark.parametrize("wrong", [{"schedules": -3}, {"schedules": 0}, {"limit": -1}, {"limit": 2.5}])
def test_a_count_that_follows_nothing_is_refused(wrong: Any) -> None:
    (name,) = wrong
    with pytest.raises(LabError, match=rf"search: {name}: needs a count, 1 or more \(given: "):
        search(line(Saying()), **wrong)


class Slotted(Saying):
    """A broker passes on the first event only, and counts in a slot."""

    __slots__ = ("heard",)

    def start(self) -> None:
        self.heard = 0

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        super().receive(message, sender, rssi_dbm)
        self.heard += 1
        if self.is_broker and self.heard == 1:
            self.broadcast(message)


def test_what_stations_keep_in_slots_tells_states_apart() -> None:
    lab = published(line(Slotted()))
    assert str(search(lab).violation).startswith("undelivered: node 2 wants 0:1")
    lab.settle()
    assert lab.station(1).heard == 2  # type: ignore[attr-defined]


class Drawing(Broker):
    messages = (Data,)

    def publish(self, publisher: int, event: Event) -> None:
        self.random.randrange(6)


class Opaque(Drawing):
    def publish(self, publisher: int, event: Event) -> None:
        self.thing = object()


SHARED: list[int] = []


class Sharing(Drawing):
    def publish(self, publisher: int, event: Event) -> None:
        SHARED.append(1)


def tree(protocol: Broker) -> Lab:
    lab = Lab(protocol, [("b1", "b2")], root="b1")
    lab.publish("p", "b1", n=1)
    return lab


@pytest.mark.parametrize(
    ("protocol", "words"),
    [
        (Drawing(), "a draw of 6 outcomes"),
        (Opaque(), "Opaque.thing: .* cannot be compared"),
        (Sharing(), "SHARED was changed in place"),
    ],
)
def test_a_search_raises_what_a_laboratory_says_against_a_broker(protocol: Broker, words: str) -> None:
    with pytest.raises(LabError, match=words):
        search(tree(protocol), quiet=lambda lab: True)


class Idle(NamedTuple):
    heard: int


class Deaf(NamedTuple):
    heard: int


class Moding(Saying):
    """A broker passes on the first event only: its mode is another then."""

    first: Any
    then: Any

    def start(self) -> None:
        self.mode = self.first

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        super().receive(message, sender, rssi_dbm)
        if self.is_broker and repr(self.mode) == repr(self.first):
            self.mode = self.then
            self.broadcast(message)


@pytest.mark.parametrize(
    ("first", "then"), [(0, False), (0, 0.0), (0.0, -0.0), ([], ()), ([], {}), (Idle(0), Deaf(0))]
)
def test_states_that_differ_by_a_class_alone_are_two(first: Any, then: Any) -> None:
    protocol = type("Mode", (Moding,), {"first": first, "then": then, "__module__": __name__})()
    assert str(search(published(line(protocol))).violation).startswith("undelivered: node 2 wants 0:")


class Averaging(Saying):
    """What it keeps is no number, for ever."""

    def start(self) -> None:
        self.mean = float("nan")
        self.set_timer("beat", 1.0)

    def expire(self, timer: str) -> None:
        self.mean += 1
        self.set_timer("beat", 1.0)


def test_what_is_no_number_is_the_same_each_time() -> None:
    assert search(pair(Averaging()), limit=100).complete


class Containing(Saying):
    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        self.chain: list[Any] = []
        self.chain.append(self.chain)


def test_an_attribute_that_contains_itself_is_named() -> None:
    with pytest.raises(LabError, match=r"Containing\.chain: it contains itself"):
        search(pair(Containing()))


# Random schedules


def test_what_takes_a_crash_late_in_a_random_schedule_is_found() -> None:
    lab = Lab("mft-pubsub-r", [("b1", "b2"), ("b2", "b3")], root="b1")
    lab.subscribe("s", "b3", where="n > 0")
    lab.settle()
    for n in range(1, 7):
        lab.publish("p", "b1", n=n)

    def crashed_late(lab: Lab) -> str | None:
        return "late" if len(lab.delivered("s")) == 5 and len(lab.links()) < 2 else None

    found = search(lab, crashes=1, always=crashed_late, schedules=30, seed=5)
    assert found.violation == "always: late"
    assert [step.split()[0] for step in found.schedule].count("crash") == 1


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


# Events that are not as they were published


class Changing(Saying):
    """A broker changes what an event says."""

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        super().receive(message, sender, rssi_dbm)
        if self.is_broker:
            self.broadcast(Data(2, Event(message.event.id, {"n": 9})))


def test_an_event_that_was_changed_is_not_the_one_that_was_published() -> None:
    found = search(line(Changing()))
    assert found.violation == (
        "phantom: node 2 was delivered 0:0, but 0:0 was published with other attributes or payload"
    )
    lab = line(Changing())
    lab.settle()
    assert lab.owed() == [((0, 0), 2)]


class Passing(Saying):
    """Device 2 changes the event, and device 1 passes on what it has heard first, once."""

    def start(self) -> None:
        self.kept: Event | None = None

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        super().receive(message, sender, rssi_dbm)
        if self.id == 2 and sender == 0:
            self.broadcast(Data(2, Event(message.event.id, {"n": -1})))
        if self.id == 1 and self.kept is None:
            self.keep(message.event)

    def keep(self, event: Event) -> None:
        self.kept = event
        self.set_timer("pass", 1.0)

    def expire(self, timer: Any) -> None:
        assert self.kept
        self.broadcast(Data(2, self.kept))


class PassingByTimer(Passing):
    """The same, and its timer keeps the event."""

    def keep(self, event: Event) -> None:
        if self.stable.setdefault("heard", 0) == 0:
            self.stable["heard"] = 1
            self.set_timer((event,), 1.0)

    def expire(self, timer: Any) -> None:
        self.broadcast(Data(2, timer[0]))


@pytest.mark.parametrize("protocol", [Passing(), PassingByTimer()])
def test_what_a_kept_event_says_tells_states_apart(protocol: Station) -> None:
    lab = published(AirLab(protocol, "P B B S", "0-1 0-2 2-1 1-3"))
    lab.subscribe(3, "n > 0")
    assert str(search(lab).violation).startswith("undelivered: node 3 wants 0:0")


class Counting(Saying):
    """After more messages than a random schedule has steps it delivers what nobody has published."""

    def receive(self, message: Data, sender: int, rssi_dbm: float) -> None:
        if message.count == 251:
            self.deliver(Event((7, 7), {"n": 2}), sender, 1)
        else:
            self.broadcast(Data(message.count + 1, message.event))


def test_what_is_delivered_while_all_settles_is_judged_too() -> None:
    lab = AirLab(Counting(), "P PS", "0-1")
    lab.subscribe(1, "n > 1")
    lab.publish(0, n=1)
    assert search(lab, schedules=1, always=lambda shown: not shown.delivered(1)).violation == (
        "always: it answered False"
    )
    found = search(lab, schedules=1)
    assert found.violation == "phantom: node 1 was delivered 7:7, but nobody has published 7:7"


class Rewriting(Broker):
    messages = (Data,)

    def publish(self, publisher: int, event: Event) -> None:
        for client in self.clients:
            self.deliver(Event(event.id, {"n": 9}), client, 1)


def test_brokers_are_refused_an_event_that_was_changed() -> None:
    lab = Lab(Rewriting(), [("b1", "b2")], root="b1")
    lab.subscribe("s", "b1", where="n > 0")
    lab.publish("p", "b1", n=1)
    with pytest.raises(LabError, match="deliver: 3:1 was published with other attributes or payload"):
        lab.settle()
