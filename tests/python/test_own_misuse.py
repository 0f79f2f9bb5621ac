"""What a protocol of one's own gets wrong is told with class, method and device, on the radio and off it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import new_class
from typing import Any

import pytest

import mftpubsub
from mftpubsub import AirLab, ConfigurationError, Lab, RunError
from mftpubsub.lab import LabError
from mftpubsub.protocols import Broker, Event, EventId, Filter, Station, message, u8, u16
from mftpubsub.protocols.naming import parse, varied
from mftpubsub.scenario.axes import vary


@message
class Small:
    n: u8


@message
class Many:
    text: str
    flag: bool
    pair: tuple[u8, str]
    row: list[u16]
    where: Filter | None
    inner: Small
    raw: bytes


RIGHT: dict[str, Any] = {
    "text": "x",
    "flag": True,
    "pair": (1, "x"),
    "row": [1],
    "where": None,
    "inner": Small(1),
    "raw": b"",
}
EVENT = Event((0, 0), {"n": 1})


class Doing(Station):
    """Does something wrong when a timer goes off."""

    messages = (Small, Many)

    def start(self) -> None:
        self.set_timer("go", 1.0)

    def expire(self, timer: str) -> None:
        self.do()

    def do(self) -> None: ...


Do = Callable[[Any], Any]


def doing(do: Do) -> Doing:
    kind = new_class("Wrong", (Doing,), {}, lambda names: names.update(do=do))
    return kind()  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def scenario() -> mftpubsub.Scenario:
    return mftpubsub.Scenario(
        area=(20, 20),
        nodes=[
            mftpubsub.Group(1, [mftpubsub.Publisher(event={"temp": 21.5}, stop=2.0)]),
            mftpubsub.Group(2, ["broker"]),
            mftpubsub.Group(1, [mftpubsub.Subscriber(where="temp > 20")]),
        ],
        speed=2,
        duration=3,
        protocol=doing(lambda self: None),
    )


WRONG: list[tuple[Do, str]] = [
    (lambda self: self.broadcast(Small), r"Small is a class: send an object of it, as in Small\(...\)"),
    (lambda self: self.broadcast("hello"), r"'hello' is no message: decorate a class with @message"),
    (lambda self: self.broadcast(Small(1), to=65535), r"broadcast: 65535 is no node's id, 0 to 65534"),
    (lambda self: self.send(Small(1), 99), r"a Small for node 99: there are 0 to \d"),
    (lambda self: self.broadcast(Small(1), to=4), r"a Small for node 4: there are 0 to \d"),
    (lambda self: self.send(Small(1), None), r"send: None is no node's id"),
    (lambda self: self.send(Small(1), "b1"), r"send: 'b1' is no node's id"),
    (lambda self: self.deliver((0, 0), 1, 1), r"deliver: \(0, 0\) is no Event"),
    (lambda self: self.deliver(EVENT, None, 1), r"deliver: None is no node's id"),
    (lambda self: self.deliver(EVENT, 99, 1), r"deliver: sender=99: there are nodes 0 to \d"),
    (lambda self: self.deliver(EVENT, 1, 256), r"deliver: hops=256 is no number from 0 to 255"),
    (lambda self: self.deliver(EVENT, 1, 1.5), r"deliver: hops=1.5 is no number"),
    (lambda self: self.matched("e", 1), r"matched: 'e' is neither an Event nor an EventId"),
    (lambda self: self.held(EVENT, 70_000), r"held: 70000 is no node's id"),
    (lambda self: self.gave_up(EventId(0, -1), 1), r"gave_up: .* is neither an Event nor an EventId"),
    (lambda self: self.set_timer("x", "1"), r"set_timer\('x', '1'\): `after` is a time from now on, s"),
    (lambda self: self.set_timer("x", float("inf")), r"`after` is a time from now on, s"),
    (lambda self: self.set_timer("x", 1e12), r"later than in a century"),
    (lambda self: self.set_timer(["x"], 1), r"\['x'\] can be no timer, as it may change"),
]


@pytest.mark.parametrize(("do", "says"), WRONG)
def test_the_laboratory_refuses_what_an_effect_cannot_take(do: Do, says: str) -> None:
    lab = AirLab(doing(do), roles="BS", links="")
    with pytest.raises(LabError, match=r"Wrong\.expire at node 0: \w+: .*" + says):
        lab.step()


@pytest.mark.parametrize(("do", "says"), WRONG[::4])
def test_the_radio_refuses_the_same(scenario: mftpubsub.Scenario, do: Do, says: str) -> None:
    with pytest.raises(RunError, match=r"Wrong\.expire at node \d, 1\.\d{6} s: \w+: .*" + says):
        mftpubsub.run(scenario.replace(protocol=doing(do)))


@pytest.mark.parametrize(
    ("field", "wrong", "says"),
    [
        ("text", 5, "5 is no str"),
        ("flag", "no", "'no' is no bool"),
        ("pair", (1,), r"\(1,\) is no tuple of 2"),
        ("row", "12", "'12' is no list"),
        ("row", {1, 2}, r"\{1, 2\} has no order of its own: sort it"),
        ("where", "n > 1", "'n > 1' is no Filter"),
        ("inner", EVENT, r"Event\(0:0\) is no Small"),
        ("raw", 7, "7 is no bytes"),
    ],
)
def test_a_value_that_would_arrive_as_another_is_refused(field: str, wrong: Any, says: str) -> None:
    with pytest.raises(ValueError, match=rf"Many\.{field}: {says}"):
        Many(**(RIGHT | {field: wrong})).encode()  # type: ignore[attr-defined]


def test_numbers_of_numpy_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    whole, real = numpy.int64(1), numpy.float32(0.5)

    def do(self: Any) -> None:
        self.broadcast(Small(whole), to=whole)
        self.deliver(EVENT, whole, whole)
        self.set_timer("later", real)

    lab = AirLab(doing(do), roles="B BS", links="0-1")
    lab.step()
    assert [str(each) for each in lab.pending()] == [
        "Heard(0 -> 1, SMALL to=1 n=1)",
        "Expires(1, go)",
        "Expires(0, later)",
    ]


@pytest.mark.parametrize("name", ["BIG DATA", " PUB", "DATA\n", "A/B"])
def test_frames_count_as_one_word(name: str) -> None:
    with pytest.raises(
        ValueError, match=r"message Frame: counts_as='.*' is no word of letters, digits, _ and -"
    ):
        message(counts_as=name)(type("Frame", (), {"__annotations__": {"n": u16}}))
    assert message(counts_as="PUB-2")(type("Frame", (), {"__annotations__": {"n": u16}})).kind_name == "PUB-2"


# Classes that cannot be meant


async def waiting(self: Any, message: Any, sender: int, rssi_dbm: float) -> None: ...


def yielding(self: Any, timer: Any) -> Any:
    yield timer


def test_a_station_that_can_keep_nothing_is_refused() -> None:
    for kind in (Doing, Quiet):
        made: Any = dataclass(frozen=True)(new_class("Wrong", (kind,)))
        with pytest.raises(ValueError, match=r"Wrong is a frozen dataclass: .* take frozen=True away"):
            made.check_class()
        allowed: Any = new_class("Right", (made,))  # it may keep attributes of its own
        allowed.check_class()


@pytest.mark.parametrize(
    ("members", "says"),
    [
        (
            {"receive": lambda self, message: None},
            r"receive is called with \(message, sender, rssi_dbm\)",
        ),
        ({"publish": lambda self: None}, r"Wrong\.publish is called with \(event\)"),
        ({"receive": waiting}, r"Wrong\.receive is a coroutine"),
        ({"expire": yielding}, r"Wrong\.expire is a generator"),
        ({"messages": Small}, r"Wrong\.messages is .*Small.*: name the classes"),
        ({"messages": (Small(1),)}, r"Wrong\.messages: Small\(n=1\) is no message"),
    ],
)
def test_a_class_that_cannot_work_is_refused_before_it_runs(
    scenario: mftpubsub.Scenario, members: dict[str, Any], says: str
) -> None:
    made = new_class("Wrong", (Doing,), {}, lambda names: names.update(members))()
    with pytest.raises(ConfigurationError, match=says):
        scenario.replace(protocol=made)
    with pytest.raises(LabError, match=says):
        AirLab(made, roles="B", links="")


# Methods that are not there


def test_what_nobody_takes_is_told_once(
    scenario: mftpubsub.Scenario, capsys: pytest.CaptureFixture[str]
) -> None:
    said = (
        r"Wrong\.publish at node 0{at}: there is no such method, and so an event that was published goes "
        r"nowhere; define it, with `pass` in it if that is meant\n"
        r"Wrong\.receive at node \d{at}: there is no such method, and so a message that arrived is lost; .*\n"
    )
    sending = doing(lambda self: self.broadcast(Small(1)))
    mftpubsub.run(scenario.replace(protocol=sending))
    assert re.fullmatch(said.format(at=r", \d\.\d{6} s"), capsys.readouterr().err)
    lab = AirLab(sending, roles="P B", links="0-1")
    lab.publish(0)
    same = lab.copy()
    lab.settle()
    same.settle()
    assert re.fullmatch(said.format(at=""), capsys.readouterr().err)
    tree().settle()
    assert re.fullmatch(
        r"Wrong\.expire at b(roker )?\d: .*, and so a timer went off, and nothing follows; .*\n",
        capsys.readouterr().err,
    )


def test_what_is_meant_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Who defines a method hears nothing, and a timer may be there to wake `next_message`."""
    members: dict[str, Any] = {
        "start": lambda self: self.set_timer("go", 1.0),
        "next_message": lambda self: None,
        "receive": lambda self, message, sender, rssi_dbm: None,
        "messages": (Small,),
    }
    lab = AirLab(new_class("Right", (Station,), {}, lambda names: names.update(members))(), "B B", "0-1")
    lab.settle()
    assert capsys.readouterr().err == ""


# What is given is for reading


def test_what_is_known_of_filters_is_a_copy() -> None:
    lab = AirLab(doing(lambda self: self.filters.clear()), roles="PB S", links="0-1")
    lab.settle()
    assert lab.station(1).messages == (Small, Many)
    lab.publish(0, n=1)
    assert [node for _, node in lab.owed()] == [1]


def test_who_subscribes_at_the_start_is_told_by_its_method() -> None:
    def subscribed(self: Any, where: Filter) -> None:
        raise ValueError("boom")

    made = new_class("Wrong", (Doing,), {}, lambda names: names.update(subscribed=subscribed))()
    with pytest.raises(LabError, match=r"Wrong\.subscribed at node 1: ValueError: boom"):
        AirLab(made, roles="B S", links="0-1")


def test_what_would_not_outlive_a_crash_is_refused_after_it() -> None:
    lab = AirLab(doing(lambda self: self.stable.update(seen={1, 2})), roles="B", links="")
    lab.step()
    lab.crash(0)
    with pytest.raises(LabError, match=r"Wrong\.start at node 0: ValueError: stable\['seen'\] is \{1, 2\}"):
        lab.restart(0)


def next_of(answer: Any) -> Station:
    members = {"next_message": lambda self: answer}
    return new_class("Wrong", (Doing,), {}, lambda names: names.update(members))()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((Small(1),), "which is no message, no pair"),
        ((Small(1), "b"), "next_message: 'b' is no node's id"),
        ((Small(1), 99), r"a Small for node 99: there are 0 to \d"),
    ],
)
def test_late_binding_answers_a_message_or_a_pair(
    scenario: mftpubsub.Scenario, answer: Any, says: str
) -> None:
    with pytest.raises(LabError, match=rf"Wrong\.next_message at node 0: ValueError: .*{says}"):
        AirLab(next_of(answer), roles="B", links="").step()
    with pytest.raises(RunError, match=rf"Wrong\.next_message at node \d, 0\.\d+ s: ValueError: .*{says}"):
        mftpubsub.run(scenario.replace(protocol=next_of(answer)))


# Where a run would not end, or would say what cannot be


def test_timers_for_at_once_without_end_end_the_run(
    scenario: mftpubsub.Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mftpubsub.protocols.given._MOST_AT_ONCE", 500)
    says = r"Wrong\.expire at node \d, 1\.\d{6} s: RuntimeError: 500 timers .* the last is 'again'"
    with pytest.raises(RunError, match=says):
        mftpubsub.run(scenario.replace(protocol=doing(lambda self: self.set_timer("again", 0))))
    with pytest.raises(RunError, match=says):
        mftpubsub.run(
            scenario.replace(protocol=brokers(expire=lambda self, timer: self.set_timer("again", 0)))
        )


def test_what_nobody_has_published_is_not_delivered(scenario: mftpubsub.Scenario) -> None:
    stranger = Event((0, 999), {"temp": 30})
    with pytest.raises(RunError, match=r"Wrong\.expire at node \d, .*: nobody has published 0:999"):
        mftpubsub.run(scenario.replace(protocol=doing(lambda self: self.deliver(stranger, 1, 1))))


def test_an_event_that_was_changed_is_not_delivered(scenario: mftpubsub.Scenario) -> None:
    def publish(self: Any, event: Event) -> None:
        self.deliver(event, self.id, 0)
        self.deliver(Event(event.id, {"temp": 30}), self.id, 0)

    made = new_class("Wrong", (Doing,), {}, lambda names: names.update(publish=publish))()
    says = r"Wrong\.publish at node \d, .*: deliver: 0:0 was published with other attributes or payload"
    with pytest.raises(RunError, match=says):
        mftpubsub.run(scenario.replace(protocol=made))


# Names that a protocol has already


def of(kind: type[Any], method: str, **attributes: Any) -> Any:
    """An object whose method sets attributes."""
    return new_class("Wrong", (kind,), {}, lambda names: names.update({method: setting(attributes)}))()


def setting(attributes: dict[str, Any]) -> Do:
    def method(self: Any) -> None:
        for name, value in attributes.items():
            setattr(self, name, value)

    return method


@pytest.mark.parametrize(
    ("name", "value"), [("parts", 4), ("messages", []), ("roles", {}), ("record", []), ("expire", 1.0)]
)
def test_an_attribute_that_hides_what_every_protocol_has_is_refused(name: str, value: Any) -> None:
    says = (
        rf"Wrong: self\.{name} is {re.escape(repr(value))}, but {name} is what every protocol has: give the"
    )
    for kind in (Doing, Quiet):
        with pytest.raises(ValueError, match=says):
            parse(of(kind, "__init__", **{name: value}))
    if name != "messages":
        with pytest.raises(ValueError, match=rf"Wrong\.{name} is .*, but {name} is what every protocol has"):
            parse(new_class("Wrong", (Doing,), {}, lambda names: names.update({name: value}))())


def test_what_only_the_protocol_itself_asks_may_be_hidden() -> None:
    own = of(Doing, "__init__", held={}, matched=set(), messages=Doing.messages)
    assert parse(own) is own


def test_a_device_that_hides_an_input_as_it_starts_is_refused(scenario: mftpubsub.Scenario) -> None:
    says = r"Wrong\.start at {}.*: Wrong: self\.subscribed is set\(\), but subscribed is what every protocol"
    hiding = of(Doing, "start", subscribed=set())
    with pytest.raises(LabError, match=says.format("node 0")):
        AirLab(hiding, roles="B", links="")
    with pytest.raises(RunError, match=says.format(r"node \d")):
        mftpubsub.run(scenario.replace(protocol=hiding))
    with pytest.raises(LabError, match=says.format("broker 1")):
        Lab(of(Quiet, "start", subscribed=set()), [("b1", "b2")], root="b1").settle()


@pytest.mark.parametrize("name", [3, None, ["a"]])
def test_a_name_is_a_text(name: Any) -> None:
    with pytest.raises(ValueError, match=rf"Wrong\.name is {re.escape(repr(name))}: it must be a text"):
        parse(of(Doing, "__init__", name=name))


# Constructors


class Dividing(Doing):
    def __init__(self, by: float = 1.0, p: float = 1.0) -> None:
        self.share = 1 / by
        self.by = by
        self.p = p

    @cached_property
    def both(self) -> float:
        return self.share + self.p


def test_what_a_constructor_raises_is_told_with_the_protocol(scenario: mftpubsub.Scenario) -> None:
    path = f"{__name__}:Dividing"
    with pytest.raises(ConfigurationError, match=f"protocol: {path}: ZeroDivisionError: division by zero"):
        scenario.replace(protocol={path: {"by": 0}})
    with pytest.raises(ConfigurationError, match=r"by=0: dividing: ZeroDivisionError: division by zero"):
        [*vary(scenario.replace(protocol=Dividing()), {"protocol.by": [0]})]


def test_an_axis_over_a_parameter_keeps_the_attributes_that_were_set() -> None:
    protocol: Any = Dividing(2.0)
    protocol.p, protocol.by, protocol.added = 0.0, 3.0, [1]
    assert protocol.both == 0.5
    made: Any = varied(protocol, {"by": 4.0})
    assert (made.p, made.by, made.added, made.share, made.both) == (0.0, 4.0, [1], 0.25, 0.25)
    del protocol.p
    assert not hasattr(varied(protocol, {"by": 4.0}), "p")
    protocol.share = 0.1
    says = (
        "dividing: share is 0.1, which its __init__ has not made, and goes by by too: let __init__ take share"
    )
    with pytest.raises(ConfigurationError, match=says):
        varied(protocol, {"by": 4.0})


# Brokers


class Quiet(Broker):
    messages = (Small,)

    def start(self) -> None:
        self.set_timer("go", 1.0)


def brokers(**members: Any) -> Broker:
    return new_class("Wrong", (Quiet,), {}, lambda names: names.update(members))()  # type: ignore[no-any-return]


def tree(**members: Any) -> Lab:
    lab = Lab(brokers(**members), [("b1", "b2")], root="b1")
    lab.subscribe("s", "b2", where="n > 0")
    return lab


@pytest.mark.parametrize(
    ("do", "says"),
    [
        (lambda self, s, w: self.send(Small(1), "b1"), r"send: 'b1' is no node's id"),
        (lambda self, s, w: self.deliver(None, s, 1), r"deliver: None is no Event"),
        (lambda self, s, w: self.tell_filters(s, ["n > 0"]), r"tell_filters: 'n > 0' is no Filter"),
        (
            lambda self, s, w: self.tell_filters(s, [Filter(f"n > {n}") for n in range(300)]),
            r"tell_filters: 300 filters; 255 fit",
        ),
        (lambda self, s, w: self.clients.update({7: ()}), r"'mappingproxy' object has no"),
        (
            lambda self, s, w: self.deliver(Event((9, 9), {"n": 1}), s, 1),
            r"nobody has published 9:9",
        ),
    ],
)
def test_brokers_are_refused_what_an_effect_cannot_take(do: Any, says: str) -> None:
    with pytest.raises(LabError, match=rf"Wrong\.subscribed at b2: \w+: .*{says}"):
        tree(subscribed=do).settle()


def test_sending_anew_to_nobody_ends() -> None:
    again = {"delivery_failed": lambda self, message, to: self.send(message, 42)}
    with pytest.raises(LabError, match=r"Wrong\.subscribed at b2: .* anew and anew to 42, which is no neigh"):
        tree(subscribed=lambda self, s, w: self.send(Small(1), 42), **again).settle()


def test_filters_for_who_has_left_are_told_to_nobody() -> None:
    lab = tree(subscribed=lambda self, s, w: self.tell_filters(999, [w]))
    lab.settle()
    assert "FILTERS" not in str(lab.log)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (None, "ValueError: it answers None, which is no dict by subscriber"),
        ({1: (None, ["n"])}, "ValueError: table: 'n' is no Filter"),
        ({"s": (None, [])}, "ValueError: table: 's' is no node's id"),
    ],
)
def test_a_table_that_is_none_is_told(table: Any, says: str) -> None:
    lab = tree(table=lambda self: table)
    lab.settle()
    for ask in (lab.violations, lambda: lab.table("b1"), lambda: mftpubsub.search(lab)):
        with pytest.raises(LabError, match=rf"Wrong\.table at b1: {says}"):
            ask()
