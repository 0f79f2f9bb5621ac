"""The laboratory as a user has it in Python."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from mftpubsub.lab import Lab, LabError
from mftpubsub.lab.transcript import run_transcript

TREE = [("b1", "b2"), ("b1", "b3"), ("b2", "b4"), ("b2", "b5"), ("b3", "b6"), ("b3", "b7")]
QUEUEING = ["cascading", "mft-pubsub", "mft-pubsub-r"]


def make(protocol: str = "mft-pubsub", **options: Any) -> Lab:
    """The thesis's tree with a subscriber s_k of filter f_k at each b_k, quiet."""
    lab = Lab(protocol, links=TREE, root="b1", **options)
    for k in range(1, 8):
        lab.subscribe(f"s{k}", at=f"b{k}", where=f"topic = 'f{k}'")
    lab.settle()
    lab.log.clear()
    return lab


def test_records_have_fields_with_names() -> None:
    lab = make()

    lab.disconnect("b1", "b3")
    lab.connect("b3", "b2")
    lab.settle()

    first, second = lab.log
    assert (first.source, first.destination, first.kind) == ("b3", "b2", "BMIG")
    assert first.fields["C"] == [("s3", 1, 1), ("s6", 1, 2), ("s7", 1, 2)]
    assert first.fields["O"] == [("s1", 1, 2), ("s2", 1, 3), ("s4", 1, 4), ("s5", 1, 4)]
    assert second.fields["h"] == 1
    assert first.step < second.step
    assert str(second) == "b2 -> b1 BMIG C=[(s3,1,1),(s6,1,2),(s7,1,2)] O=[] h=1"


def test_migrate_sends_what_disconnect_and_connect_send() -> None:
    apart, at_once = make(), make()

    apart.disconnect("b1", "b3")
    apart.connect("b3", "b2")
    at_once.migrate("b3", to="b2")

    assert apart.settle() == at_once.settle() == 2
    assert str(apart.log) == str(at_once.log)


@pytest.mark.parametrize("protocol", ["simple-routing", "phoenix", "flooding", *QUEUEING])
def test_event_reaches_its_subscriber_once(protocol: str) -> None:
    lab = make(protocol)

    event = lab.publish("p1", at="b7", topic="f4", size=3, ratio=0.5, urgent=True)
    lab.settle()

    assert lab.delivered("s4") == [event]
    assert lab.delivered("s5") == []


@pytest.mark.parametrize(
    "protocol", ["simple-routing", "flooding", "strawman", "deferred-unsub-timed", "deferred-unsub-notified"]
)
def test_nothing_is_violated_where_tables_have_no_row_of_each_subscriber(protocol: str) -> None:
    lab = Lab(protocol, [("b1", "b2")], root="b1")
    lab.subscribe("s", at="b1", where="x > 0")
    lab.settle()
    event = lab.publish("p", at="b2", x=1)
    lab.settle()
    assert lab.delivered("s") == [event]
    assert lab.violations() == []


def test_a_filter_has_any_text() -> None:
    lab = Lab("mft-pubsub", [("b1", "b2")], root="b1")
    lab.subscribe("s", at="b1", where="x > 20\n\tAND y < 3")
    lab.settle()
    assert "x > 20\n\tAND y < 3" in str(lab.log[0].fields["f"])


def test_a_network_that_takes_more_steps_than_a_thousand_settles_in_its_transcript(tmp_path: Path) -> None:
    names = [f"b{i}" for i in range(40)]
    lab = Lab("mft-pubsub", list(pairwise(names)), root="b0")
    for name in names:
        lab.subscribe(f"s{name}", at=name, where="x > 0")
    assert lab.settle() > 1000
    assert lab.violations() == []
    (tmp_path / "large.txt").write_text(lab.to_transcript() + "\nviolations\n----\nnone\n")
    assert run_transcript(tmp_path / "large.txt") == 0


@pytest.mark.parametrize("protocol", QUEUEING)
def test_event_waits_in_a_queue_until_the_partition_heals(protocol: str) -> None:
    lab = make(protocol)
    lab.disconnect("b1", "b3")

    event = lab.publish("p1", at="b2", topic="f3")
    lab.settle()

    assert lab.delivered("s3") == []
    assert lab.queue("b1") == {"s3": [event]}
    lab.connect("b3", "b1")
    lab.settle()
    assert lab.delivered("s3") == [event]
    assert lab.queue("b1") == {}
    assert lab.violations() == []


def test_message_on_a_breaking_link_is_lost_and_its_sender_told() -> None:
    lab = make()
    event = lab.publish("p1", at="b1", topic="f3")
    lab.step(("p1", "b1"))
    assert lab.pending() == [("b1", "b3")]

    lab.disconnect("b1", "b3")

    assert lab.log[-1].failed
    assert "delivery failed" in str(lab.log)
    assert lab.queue("b1") == {"s3": [event]}


def test_step_takes_the_link_that_it_is_told() -> None:
    lab = make()
    lab.publish("p1", at="b1", topic="f1")
    lab.publish("p2", at="b2", topic="f2")

    lab.step(("p2", "b2"))

    assert [record.source for record in lab.log] == ["p2"]
    assert ("p1", "b1") in lab.pending()


def test_table_keeps_a_tombstone() -> None:
    lab = make()

    lab.unsubscribe("s3", where="topic = 'f3'")
    lab.settle()

    row = lab.table("b1")["s3"]
    assert (row.next_hop, row.timestamp, row.hops, row.filters) == ("b3", 2, 2, frozenset())


def test_worse_leader_turns_round_when_components_join() -> None:
    lab = make()
    lab.disconnect("b1", "b3")

    lab.connect("b6", "b5")

    assert lab.parent("b6") == "b5"
    assert lab.parent("b3") is None
    assert ("b3", "b3") in lab.pending()
    lab.settle()
    assert lab.parent("b3") == "b6"
    assert lab.violations() == []


def test_order_of_leaders_decides_who_turns_round() -> None:
    lab = make(leaders=["b3"])
    lab.disconnect("b1", "b3")

    lab.connect("b6", "b5")
    lab.settle()

    assert lab.parent("b5") == "b6"
    assert lab.parent("b1") == "b2"


@pytest.mark.parametrize("protocol", QUEUEING)
def test_subscriber_that_moves_gets_what_it_missed(protocol: str) -> None:
    lab = make(protocol)
    event = lab.publish("p1", at="b4", topic="f3")
    lab.step()

    lab.move("s3", to="b5")
    lab.settle()

    assert lab.delivered("s3") == [event]
    assert lab.violations() == []


def test_broker_restarts_empty_and_takes_its_clients_back() -> None:
    lab = make("mft-pubsub-r")

    lab.crash("b6")
    lab.restart("b6")
    assert lab.table("b6") == {}
    lab.connect("b6", "b3")
    lab.settle()

    assert lab.table("b1")["s6"].next_hop == "b3"
    assert lab.violations() == []


def test_same_seed_gives_the_same_order() -> None:
    def run(seed: int) -> str:
        lab = make(seed=seed)
        lab.publish("p1", at="b1", topic="f6")
        lab.migrate("b3", to="b2")
        lab.migrate("b6", to="b5")
        lab.settle()
        return str(lab.log)

    assert run(7) == run(7)
    assert len({run(seed) for seed in range(10)}) > 1


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (lambda lab: lab.connect("b1", "b5"), "cycle"),
        (lambda lab: lab.migrate("b2", to="b4"), "cycle"),
        (lambda lab: lab.connect("b1", "b9"), "no broker 'b9'"),
        (lambda lab: lab.disconnect("b1", "b7"), "not linked"),
        (lambda lab: lab.subscribe("s1", where="topic ="), "bad filter"),
        (lambda lab: lab.subscribe("s9", where="a = 1"), "at which broker"),
        (lambda lab: lab.subscribe("s1", at="b2", where="a = 1"), "move it"),
        (lambda lab: lab.unsubscribe("s1", where="a = 1"), "no filter"),
        (lambda lab: lab.move("s9", to="b1"), "no client 's9'"),
        (lambda lab: lab.restart("b1"), "has not crashed"),
        (lambda lab: lab.step(("b1", "b2")), "nothing is pending"),
        (lambda lab: lab.publish("b1", at="b1", a=1), "is a broker"),
        (lambda lab: lab.settle("x"), "a whole number of steps.*'x'"),
        (lambda lab: lab.settle(0), "at least 1"),
    ],
)
def test_nonsense_is_refused_and_changes_nothing(command: Callable[[Lab], object], reason: str) -> None:
    lab = make()

    with pytest.raises(LabError, match=reason):
        command(lab)

    assert lab.pending() == []
    assert lab.violations() == []


def test_unknown_protocol_is_refused_with_the_known_ones() -> None:
    with pytest.raises(LabError, match=r"no protocol 'magic': known are .*mft-pubsub"):
        Lab("magic", links=TREE, root="b1")


def test_links_that_are_no_tree_are_refused() -> None:
    with pytest.raises(LabError, match="cycle"):
        Lab("mft-pubsub", links=[*TREE, ("b6", "b7")], root="b1")
