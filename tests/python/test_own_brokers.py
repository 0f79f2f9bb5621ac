"""Protocols of users with brokers on the tree: in the laboratory, under search, on the radio."""

from __future__ import annotations

import pickle
import re
import sys
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import pytest

import mftpubsub
from mftpubsub import ConfigurationError, RunError
from mftpubsub.lab import AirLab, LabError, search
from mftpubsub.lab.transcript import run_transcript
from mftpubsub.protocols import Broker, Event, EventId, Filter, Node, Station, message, u8

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "python" / "examples" / "protocols"))

from tree_broker import TreeBroker  # noqa: E402

LINKS = [("b1", "b2"), ("b1", "b3"), ("b2", "b4")]


def tree(protocol: Any = None, **options: Any) -> mftpubsub.Lab:
    lab = mftpubsub.Lab(protocol or TreeBroker(), LINKS, root="b1", **options)
    lab.subscribe("s", "b4", where="topic = 'a'")
    lab.settle()
    return lab


def words(lab: mftpubsub.Lab) -> list[str]:
    return [re.sub(r" hops=\d+", "", line) for line in str(lab.log).splitlines()]


def everything(protocol: Any) -> mftpubsub.Lab:
    """Whatever simple routing is for: filters and events, from everywhere."""
    lab = mftpubsub.Lab(protocol, LINKS, root="b1")
    for name, broker, topic in (("s1", "b1", "a"), ("s2", "b2", "a"), ("s3", "b3", "b"), ("s4", "b2", "c")):
        lab.subscribe(name, broker, where=f"topic = '{topic}'")
    lab.subscribe("s4", where="topic = 'a'")
    lab.settle()
    for name, broker, topic in (("p", "b4", "a"), ("p", "b4", "b"), ("s1", "b1", "a"), ("q", "b3", "c")):
        lab.publish(name, broker, topic=topic)
    lab.settle()
    lab.unsubscribe("s4", where="topic = 'a'")
    lab.unsubscribe("s1", where="topic = 'a'")
    lab.publish("q", topic="a")
    lab.settle()
    return lab


@pytest.mark.slow
def test_it_says_what_simple_routing_says() -> None:
    ours, theirs = everything(TreeBroker()), everything("simple-routing")
    assert words(ours) == words(theirs)
    assert len(words(ours)) > 40
    assert [ours.delivered(name) for name in ("s1", "s2", "s3", "s4")] == [
        theirs.delivered(name) for name in ("s1", "s2", "s3", "s4")
    ]


def test_it_says_what_the_golden_transcript_of_simple_routing_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    golden = (ROOT / "tests/golden/simple-routing-figures.txt").read_text(encoding="utf-8")
    own = golden.replace("lab simple-routing", "lab tree_broker:TreeBroker")
    own = re.sub(r"table b\d\n----\n(.+\n)+", "", own)  # it knows no subscribers
    file = tmp_path / "own.txt"
    file.write_text(own, encoding="utf-8")
    assert run_transcript(file, rewrite=True) == 0, capsys.readouterr().out
    assert re.sub(r" hops=\d+", "", file.read_text(encoding="utf-8")).split() == own.split()


def test_records_have_fields_with_names() -> None:
    lab = tree()
    lab.publish("p", "b3", topic="a")
    lab.settle()
    forwarded = next(record for record in lab.log if record.kind == "PUB" and record.source == "b1")
    assert forwarded.fields == {"e": "p#1", "hops": 3}
    assert str(forwarded) == "b1 -> b2 PUB e=p#1 hops=3"
    assert lab.delivered("s") == ["p#1"]


@pytest.mark.slow
def test_every_order_delivers_and_losses_are_told() -> None:
    lab = tree()
    lab.subscribe("t", "b3", where="topic = 'b'")
    lab.publish("p", "b3", topic="a")
    lab.publish("p", topic="b")

    def all_delivered(lab: mftpubsub.Lab) -> bool:
        return lab.delivered("s") == ["p#1"]

    found = search(lab, quiet=all_delivered)
    assert (found.complete, found.violation) == (True, None)
    assert found.states > 20
    found = search(lab, losses=1, quiet=all_delivered)
    assert found.violation == "lost: p#1 for s"
    assert [str(each) for each in found.schedule if each.startswith("drop")]
    assert "lab tree_broker:TreeBroker root=b1" in found.transcript


def test_a_schedule_that_is_found_replays(tmp_path: Path) -> None:
    lab = tree()
    lab.publish("p", "b3", topic="a")
    found = search(lab, losses=1, quiet=lambda lab: lab.delivered("s") != [])
    file = tmp_path / "found.txt"
    file.write_text(found.transcript + "\nsettle\n\ndelivered s\n", encoding="utf-8")
    assert run_transcript(file, rewrite=True) == 0
    assert file.read_text(encoding="utf-8").endswith("delivered s\n----\nnothing\n")
    assert run_transcript(file) == 0


def test_random_schedules_with_crashes_find_it_too() -> None:
    lab = tree()
    lab.publish("p", "b3", topic="a")
    found = search(lab, crashes=1, schedules=50, quiet=lambda lab: lab.delivered("s") != [])
    assert found.violation
    assert search(lab, schedules=50, quiet=lambda lab: lab.delivered("s") != []).violation is None


@message
class Hello:
    who: Node
    count: u8


class Telling(Broker):
    """Tells what happens to it."""

    messages = (Hello,)

    def start(self) -> None:
        self.stable["starts"] = self.stable.get("starts", 0) + 1
        self.heard: list[str] = []
        self.set_timer("later", 2.0)
        self.set_timer("sooner", 1.0)
        self.set_timer("never", 0.5)
        self.cancel_timer("never")

    def tell(self, *what: object) -> None:
        self.heard.append(" ".join(map(str, what)))

    def link_up(self, neighbour: int) -> None:
        self.tell("up", neighbour)

    def link_down(self, neighbour: int) -> None:
        self.tell("down", neighbour, self.neighbours, sorted(self.clients))

    def link_reset(self, neighbour: int) -> None:
        self.tell("reset", neighbour)

    def parent_changed(self, previous: int | None, current: int | None) -> None:
        self.tell("parent", previous, current, self.parent)
        if current is not None:
            self.send(Hello(self.id, 1), current)

    def receive(self, message: Hello, sender: int) -> None:
        self.tell("hello", message.who, sender)
        self.note(f"hears {message.who}")

    def expire(self, timer: str) -> None:
        self.tell("expire", timer)
        self.send(Hello(self.id, 9), 99)

    def delivery_failed(self, message: Any, to: int) -> None:
        self.tell("failed", type(message).__name__, to)

    def attached(self, client: int) -> None:
        self.tell("attached", client)

    def migrated(self, client: int, previous: int | None) -> None:
        super().migrated(client, previous)
        self.tell("migrated", client, previous)

    def subscribed(self, client: int, where: Filter) -> None:
        self.tell("subscribed", client, where, *self.clients[client])

    def unsubscribed(self, client: int, where: Filter) -> None:
        self.tell("unsubscribed", client, where, *self.clients[client])

    def publish(self, publisher: int, event: Event) -> None:
        self.tell("publish", publisher, event.id)
        for client in self.clients:
            self.deliver(event, client, hops=2)
        self.deliver(event, 77, hops=2)


def heard(lab: mftpubsub.Lab, broker: str) -> list[str]:
    found: Any = lab.broker(broker)
    return list(found.heard)


def test_it_is_told_all_that_happens() -> None:
    lab = mftpubsub.Lab(Telling(), [("b1", "b2")], root="b1")
    assert heard(lab, "b2")[:3] == ["up 0", "parent None 0 0", "expire sooner"]
    assert heard(lab, "b1")[:2] == ["up 1", "hello 1 1"]
    assert "failed Hello 99" in heard(lab, "b1")
    lab.subscribe("s", "b2", where="n > 1")
    lab.settle()
    assert "subscribed 2 n > 1 n > 1" in heard(lab, "b2")
    lab.publish("s", n=2)
    lab.settle()
    assert {"publish 2 2:1", "failed Event 77"} <= set(heard(lab, "b2"))
    assert lab.delivered("s") == ["s#1"]
    lab.move("s", "b1")
    lab.settle()
    assert heard(lab, "b2")[-1] == "down 2 (0,) []"
    assert heard(lab, "b1")[-2:] == ["migrated 2 1", "subscribed 2 n > 1 n > 1"]
    lab.unsubscribe("s", where="n > 1")
    lab.settle()
    assert heard(lab, "b1")[-1] == "unsubscribed 2 n > 1"
    lab.disconnect("b1", "b2")
    assert heard(lab, "b2")[-1] == "down 0 () []"
    assert lab.broker("b2").parent is None
    lab.connect("b1", "b2")
    lab.settle()
    assert "b1 notes hears 1" in str(lab.log)


def test_stable_storage_outlives_a_crash_and_nothing_else_does() -> None:
    lab = mftpubsub.Lab(Telling(), [("b1", "b2")], root="b1")
    copy = lab.copied()
    lab.crash("b2")
    with pytest.raises(LabError, match="b2 has crashed"):
        lab.broker("b2")
    lab.restart("b2")
    assert lab.broker("b2").stable == {"starts": 2}
    assert heard(lab, "b2") == []
    assert copy.IsUp("b2")


class Failing(TreeBroker):
    def publish(self, publisher: int, event: Event) -> None:
        raise KeyError("boom")


def test_what_it_raises_names_class_method_and_broker_and_changes_nothing() -> None:
    lab = tree(Failing())
    lab.publish("p", "b3", topic="a")
    before = (lab.pending(), str(lab.log))
    for _ in range(2):
        with pytest.raises(LabError, match=r"Failing\.publish at b3: KeyError: 'boom'") as raised:
            lab.step()
        assert isinstance(raised.value.__cause__, KeyError)
        assert (lab.pending(), str(lab.log)) == before
    with pytest.raises(LabError, match=r"Failing\.publish at b3"):
        search(lab, quiet=lambda lab: True)


class Nonsense(TreeBroker):
    """Speaks of events and nodes that are not there."""

    def publish(self, publisher: int, event: Event) -> None:
        self.matched(EventId(50, 1), 60)
        self.held(EventId(50, 1), 60)
        self.gave_up(EventId(50, 1), 60)
        self.tell_filters(60, [Filter("n > 1")])
        self.send_to_neighbours(self.messages[-1](Event((50, 7), {"topic": "a"}), 1))


def test_nonsense_of_a_protocol_crashes_nothing() -> None:
    lab = tree(Nonsense())
    lab.publish("p", "b3", topic="a")
    while "PUB e=50#7" not in str(lab.log) and lab.pending():
        lab.step()
    lab.violations()
    with pytest.raises(
        LabError, match=r"Nonsense\.receive at b4: ValueError: deliver: nobody has published 50:7"
    ):
        lab.settle()


class Tossing(TreeBroker):
    def publish(self, publisher: int, event: Event) -> None:
        if self.random.random() < 0.5:
            super().publish(publisher, event)


def test_draws_that_decide_are_branches_and_replay(tmp_path: Path) -> None:
    lab = tree(Tossing())
    lab.publish("p", "b3", topic="a")
    found = search(lab, quiet=lambda lab: lab.delivered("s") != [])
    assert found.violation
    assert any(str(each).endswith("draws=1") for each in found.schedule)


class Repeating(TreeBroker):
    """Says again each second what it knows, for ever."""

    def start(self) -> None:
        super().start()
        self.set_timer("say", 1.0)

    def expire(self, timer: str) -> None:
        for neighbour in self.neighbours:
            self.send(TreeBroker.messages[0](Filter("n > 100")), neighbour)
        self.set_timer("say", 1.0)

    def learn(self, source: int, where: Filter) -> None:
        if where not in self.routes.get(source, []):
            super().learn(source, where)


def test_timers_that_never_end_settle_where_they_repeat() -> None:
    lab = tree(Repeating())
    lab.publish("p", "b3", topic="a")
    assert lab.settle() < 100
    assert lab.delivered("s") == ["p#1"]
    found = search(lab, timers="at rest", quiet=lambda lab: lab.delivered("s") == ["p#1"])
    assert found.complete
    assert found.ends


class Counting(TreeBroker):
    """Counts for ever, and says nothing of it."""

    def start(self) -> None:
        super().start()
        self.ticks = 0
        self.set_timer("tick", 1.0)

    def expire(self, timer: str) -> None:
        self.ticks += 1
        self.set_timer("tick", 1.0)


def test_timers_that_count_for_ever_settle_where_they_send_nothing() -> None:
    lab = tree(Counting())
    lab.publish("p", "b3", topic="a")
    assert lab.settle() < 200
    assert lab.delivered("s") == ["p#1"]


@message(counts_as="PUB")
class Said:
    event: Event


class Beating(Broker):
    """Floods events, and tells neighbours how often its timer has gone off, for ever."""

    messages = (Hello, Said)

    def start(self) -> None:
        self.set_timer(("beat", 0), 1.0)

    def publish(self, publisher: int, event: Event) -> None:
        self.spread(event, publisher)

    def receive(self, message: Any, sender: int) -> None:
        if isinstance(message, Said):
            self.spread(message.event, sender)

    def spread(self, event: Event, source: int) -> None:
        self.send_to_neighbours(Said(event), but=source)
        for client in self.clients:
            if client != source:
                self.deliver(event, client, 1)

    def expire(self, timer: tuple[str, int]) -> None:
        self.send_to_neighbours(Hello(self.id, timer[1] % 100))
        self.set_timer(("beat", timer[1] + 1), 1.0)


def test_timers_that_count_and_send_settle_where_nobody_gets_anything_any_more() -> None:
    lab = tree(Beating())
    lab.publish("p", "b3", topic="a")
    lab.settle()
    assert lab.delivered("s") == ["p#1"]
    lab.publish("p", topic="a")
    found = search(lab, losses=1, timers="at rest", limit=200, quiet=lambda lab: len(lab.delivered("s")) == 2)
    assert found.violation
    assert found.schedule[-1] == "settle"


class AtOnce(Beating):
    """Floods events, and fails of the second one that comes."""

    def start(self) -> None:
        self.heard = 0

    def receive(self, message: Any, sender: int) -> None:
        self.heard += 1
        if self.heard == 2:
            raise ValueError("the second")


def test_a_broker_that_raises_takes_no_message_away() -> None:
    lab = mftpubsub.Lab(AtOnce(), [("b1", "b2")], root="b1")
    for _ in range(3):
        lab.publish("p", "b1", topic="a")
    left = []
    for _ in range(2):
        with pytest.raises(LabError, match="the second"):
            lab.settle()
        left.append((lab.pending(), str(lab.log)))
    assert left[0] == left[1]
    assert left[0][0] == [("b1", "b2")]
    assert "settle" not in lab.to_transcript()


class Answering(Beating):
    """Never rests: it answers each message by one."""

    def receive(self, message: Any, sender: int) -> None:
        self.send(message, sender)


def test_brokers_that_never_rest_are_told() -> None:
    with pytest.raises(LabError, match="it does not settle: not quiet after 2000 steps"):
        mftpubsub.Lab(Answering(), [("b1", "b2")], root="b1").settle()


class Asking(Broker):
    """Asks its neighbours who wants what, and gives up what is not answered in time."""

    messages = (Hello,)

    def start(self) -> None:
        self.order: tuple[str, ...] = ()

    def subscribed(self, client: int, where: Filter) -> None:
        self.send_to_neighbours(Hello(self.id, 0))
        self.set_timer("later", 2.0)
        self.set_timer("sooner", 1.0)

    def receive(self, message: Any, sender: int) -> None:
        if message.count == 0:
            self.send(Hello(self.id, 1), sender)
        else:
            self.cancel_timer("later")
            self.cancel_timer("sooner")

    def expire(self, timer: str) -> None:
        self.order += (timer,)


def asking() -> mftpubsub.Lab:
    lab = mftpubsub.Lab(Asking(), [("b1", "b2")], root="b1")
    lab.subscribe("s", "b2", where="n > 1")
    while ("s", "b2") in lab.pending():
        lab.step(("s", "b2"))
    return lab


def order(lab: mftpubsub.Lab) -> tuple[str, ...]:
    """In which order the timers of b2 went off."""
    broker = lab.broker("b2")
    assert isinstance(broker, Asking)
    return broker.order


def orders(timers: Any) -> set[tuple[str, ...]]:
    """In which orders the timers of b2 went off, in a search."""
    seen: set[tuple[str, ...]] = set()

    def see(lab: mftpubsub.Lab) -> None:
        seen.add(order(lab))

    found = search(asking(), timers=timers, always=see)
    assert (found.complete, found.violation) == (True, None)
    return seen


class Ticking(TreeBroker):
    """It ticks each 0.3 s from a publication on, and after a second something else is due."""

    def start(self) -> None:
        super().start()
        self.has_rung = False

    def publish(self, publisher: int, event: Event) -> None:
        self.set_timer("tick", 0.3)
        self.set_timer("bell", 1.0)

    def expire(self, timer: Hashable) -> None:
        if timer == "tick":
            self.set_timer("tick", 0.3)
        else:
            self.has_rung = True


def has_rung(lab: mftpubsub.Lab) -> bool:
    broker = lab.broker("b1")
    assert isinstance(broker, Ticking)
    return broker.has_rung


def test_a_timer_that_repeats_keeps_no_other_from_going_off() -> None:
    lab = mftpubsub.Lab(Ticking(), [("b1", "b2")], root="b1")
    lab.publish("p", "b1", n=1)
    lab.publish("q", "b2", n=1)
    lab.step(("p", "b1"))
    found = search(lab, timers="in order", always=lambda lab: not has_rung(lab) or not lab.pending())
    assert str(found.violation).startswith("always")
    commands = found.transcript.splitlines()
    expiries = [command for command in commands if command.startswith("expire b1")]
    assert expiries == ["expire b1 tick"] * 3 + ["expire b1 bell"]
    lab.settle()
    assert has_rung(lab)


def test_timers_go_off_while_messages_are_under_way() -> None:
    in_order = {(), ("sooner",), ("sooner", "later")}
    assert orders("at rest") == {()}
    assert orders("in order") == in_order
    assert orders("any") == in_order | {("later",), ("later", "sooner")}


def test_a_timer_that_goes_off_too_early_is_found_and_replays(tmp_path: Path) -> None:
    lab = asking()
    assert lab.timers("b2") == ["sooner", "later"]
    found = search(lab, quiet=lambda lab: order(lab) != ("later",))
    assert "expire b2 later" in found.schedule
    file = tmp_path / "found.txt"
    file.write_text(found.transcript, encoding="utf-8")
    assert run_transcript(file, rewrite=True) == 0
    assert search(asking(), timers="at rest", quiet=lambda lab: order(lab) == ()).violation is None


def test_a_timer_expires_by_its_text_and_no_other_does() -> None:
    lab = asking()
    with pytest.raises(LabError, match="b2 has no timer latest; it has set: sooner, later"):
        lab.expire("b2", "latest")
    lab.expire("b2", "later")
    assert (order(lab), lab.timers("b2")) == (("later",), ["sooner"])
    assert "expire b2 later" in lab.to_transcript()
    shipped = mftpubsub.Lab("mft-pubsub", LINKS, root="b1")
    assert shipped.timers("b1") == []
    with pytest.raises(LabError, match="timers of protocols that ship"):
        shipped.expire("b1", "x")


class Doubling(TreeBroker):
    def subscribed(self, client: int, where: Filter) -> None:
        self.set_timer(1, 1.0)
        self.set_timer("1", 2.0)


def test_two_timers_of_one_text_are_refused() -> None:
    with pytest.raises(LabError, match="Doubling at b4: the timers 1 and '1' have one text"):
        tree(Doubling())


def test_a_search_in_which_nothing_would_be_checked_is_refused() -> None:
    with pytest.raises(LabError, match="brokers without `table` need quiet= or always="):
        search(tree(TreeBroker()))


def test_at_rest_all_timers_settle_and_what_does_not_hold_then_is_found() -> None:
    lab = asking()
    lab.drop("b2", "b1")
    found = search(lab, quiet=lambda lab: len(order(lab)) < 2)
    assert found.schedule == ("step b2 b1", "step b1 b2", "settle")
    found = search(lab, schedules=3, quiet=lambda lab: len(order(lab)) < 2)
    assert found.violation == "quiet: it answered False"


class Known(TreeBroker):
    """Says who is where, so laboratories check it."""

    def table(self) -> dict[int, tuple[int | None, tuple[Filter, ...]]]:
        return {client: (client, filters) for client, filters in self.clients.items()}


def test_a_table_is_checked_and_shown() -> None:
    lab = mftpubsub.Lab(Known(), [("b1", "b2")], root="b1")
    lab.subscribe("s", "b1", where="n > 1")
    lab.settle()
    assert lab.table("b1")["s"].filters == {"n > 1"}
    assert lab.violations() == ["filters: b2 lacks a filter of s"]
    assert tree().violations() == []


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(LabError, match="Lab is for brokers, AirLab for stations"):
        mftpubsub.Lab("own_flood:Flood", LINKS, root="b1")
    with pytest.raises(LabError, match="AirLab is for those"):
        AirLab(TreeBroker(), "PB", "")  # type: ignore[arg-type]
    with pytest.raises(
        LabError, match=r"cannot load tree_broker:Tre.*its classes are Forwarded, NoRoute, Route, TreeBroker"
    ):
        mftpubsub.Lab("tree_broker:Tre", LINKS, root="b1")
    with pytest.raises(LabError, match="the protocol ships"):
        mftpubsub.Lab("mft-pubsub", LINKS, root="b1").broker("b1")


# On the radio


@pytest.fixture
def scenario() -> mftpubsub.Scenario:
    return mftpubsub.Scenario(
        area=(60, 20),
        nodes=[
            mftpubsub.Group(1, [mftpubsub.Publisher(event={"temp": 21.5}, rate=1.0, start=5.0, stop=40.0)]),
            mftpubsub.Group(4, ["broker"]),
            mftpubsub.Group(2, [mftpubsub.Subscriber(where="temp > 20")]),
        ],
        mobility=mftpubsub.Static(),
        duration=60,
        protocol=TreeBroker(),
    )


def short(scenario: mftpubsub.Scenario) -> mftpubsub.Scenario:
    publisher = mftpubsub.Publisher(event={"temp": 21.5}, rate=1.0, start=5.0, stop=15.0)
    return scenario.replace(nodes=[mftpubsub.Group(1, [publisher]), *scenario.nodes[1:]], duration=20)


def test_it_delivers_on_the_radio(scenario: mftpubsub.Scenario) -> None:
    metrics = mftpubsub.run(scenario).metrics
    assert metrics["published"] > 30
    assert metrics["delivery_rate_strict"] > 0.9
    assert {"PUB", "SUB", "HEARTBEAT", "ACK"} <= metrics["frames_by_kind"].keys()


@pytest.mark.slow
def test_a_file_a_copy_and_a_sweep_have_it(scenario: mftpubsub.Scenario, tmp_path: Path) -> None:
    again = mftpubsub.Scenario.from_yaml(scenario.to_yaml())
    assert again.fingerprint() == scenario.fingerprint() == pickle.loads(pickle.dumps(scenario)).fingerprint()
    table = mftpubsub.sweep(
        short(scenario), tmp_path, over={"protocol": [TreeBroker(), "simple-routing"]}, workers=2
    )
    assert list(table["failure"]) == [None, None]


def test_what_it_raises_ends_the_run(scenario: mftpubsub.Scenario) -> None:
    with pytest.raises(
        RunError, match=r"Failing\.publish at node \d, \d+\.\d{6} s: KeyError: 'boom'"
    ) as raised:
        mftpubsub.run(scenario.replace(protocol=Failing()))
    assert isinstance(raised.value.__cause__, KeyError)
    assert mftpubsub.run(short(scenario)).metrics["published"] > 3


def test_policies_of_trees_are_asked_and_others_refused(scenario: mftpubsub.Scenario) -> None:
    mftpubsub.run(short(scenario).replace(parent_policy="strongest-link", overlay={"leader_timeout": 4.0}))
    with pytest.raises(ConfigurationError, match="queue_policy: tree-broker never asks it"):
        scenario.replace(queue_policy={"bounded": {"capacity": 3}})
    with pytest.raises(ConfigurationError, match="needs at least one node with the role broker"):
        scenario.replace(nodes=[mftpubsub.Group(1, ["publisher"]), mftpubsub.Group(1, ["subscriber"])])


def test_stable_storage_and_timers_on_the_radio(scenario: mftpubsub.Scenario) -> None:
    class Late(Telling):
        def expire(self, timer: str) -> None:
            if self.stable["starts"] == 2 and timer == "later":
                raise ValueError(f"{self.now:.1f}")

    crash = mftpubsub.crash(2, at=5.0, restart=8.0)
    with pytest.raises(RunError, match=r"Late\.expire at node 2, 10\.0\d* s: ValueError: 10\.0"):
        mftpubsub.run(scenario.replace(protocol=Late(), faults=[crash]))


def test_a_class_that_cannot_be_meant_is_refused(scenario: mftpubsub.Scenario) -> None:
    class Misspelt(Broker):
        messages = (Hello,)

        def link_upp(self, neighbour: int) -> None: ...

    with pytest.raises(ConfigurationError, match="no method link_up but link_upp"):
        scenario.replace(protocol=Misspelt())
    assert Station.inputs != Broker.inputs
