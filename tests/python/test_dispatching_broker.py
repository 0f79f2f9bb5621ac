"""Protocols of Cugola et al. on the thesis's overlay: machines of theirs as brokers of a tree that moves."""

from __future__ import annotations

import random

import pytest

import mftpubsub
from mftpubsub import Broker, Group, Publisher, RandomWaypoint, Subscriber
from mftpubsub.lab import LabError

PROTOCOLS = ("strawman", "deferred-unsub-timed", "deferred-unsub-notified")
#: T's figure 4.1.
LINKS = [("b1", "b2"), ("b1", "b3"), ("b2", "b4"), ("b2", "b5"), ("b3", "b6"), ("b3", "b7")]
BROKERS = [f"b{number}" for number in range(1, 8)]


def _lab(protocol: str, seed: int | None = None) -> mftpubsub.Lab:
    lab = mftpubsub.Lab(protocol, links=LINKS, root="b1", seed=seed)
    for number in range(1, 8):
        lab.subscribe(f"s{number}", at=f"b{number}", where=f"topic = 'f{number}'")
    lab.settle()
    return lab


def _check_deliveries(lab: mftpubsub.Lab) -> None:
    """Every subscriber gets what it wants from everywhere, once, and nothing else."""
    for place in BROKERS:
        for number in range(1, 8):
            event = lab.publish(f"p{place}", at=place, topic=f"f{number}")
            lab.settle()
            for other in range(1, 8):
                assert lab.delivered(f"s{other}").count(event) == (other == number), (place, number, other)


def _hops(lab: mftpubsub.Lab, name: str) -> list[tuple[str, str]]:
    words = (str(record).split() for record in lab.log if f" {name} " in f"{record} ")
    return [(sender, receiver) for sender, _, receiver, *_ in words]


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_was_behind_a_broker_is_where_it_has_gone(protocol: str) -> None:
    lab = _lab(protocol)
    lab.migrate("b3", to="b2")
    lab.settle()
    _check_deliveries(lab)


def test_flush_finds_the_end_of_the_old_link() -> None:
    """b3 leaves b1 for b2: over the new link FLUSH from both ends, and from b2 on to b1, which waited."""
    lab = _lab("deferred-unsub-notified")
    lab.log.clear()
    lab.migrate("b3", to="b2")
    lab.settle()
    flushes = _hops(lab, "FLUSH")
    assert {("b3", "b2"), ("b2", "b3"), ("b2", "b1")} <= set(flushes)
    kinds = [line.split()[3] for line in map(str, lab.log) if line.startswith("b3 -> b2")]
    assert kinds[0] == "LINK"
    assert set(kinds[1 : kinds.index("FLUSH")]) == {"SUB"}
    # b1 has unsubscribed nothing that b2 must keep, and knows b3's part by b2 alone
    assert set(lab.table("b1")) == {"s1", "b2"}
    assert lab.table("b1")["b2"].filters == {f"topic = 'f{number}'" for number in range(2, 8)}


def test_timed_unsubscriptions_wait_where_strawman_sends_them_at_once() -> None:
    """In the laboratory T_u ends when nothing is under way any more."""
    for protocol in ("strawman", "deferred-unsub-timed"):
        lab = _lab(protocol)
        lab.log.clear()
        lab.migrate("b3", to="b2")
        lab.settle()
        kinds = [line.split()[3] for line in map(str, lab.log)]
        last_sub = len(kinds) - 1 - kinds[::-1].index("SUB")
        assert (kinds.index("UNS") > last_sub) == (protocol == "deferred-unsub-timed")


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("seed", range(12))
def test_deliveries_are_right_again_after_any_moves(protocol: str, seed: int) -> None:
    """Migrations, clients that move and links that reset in any order, several under way at once."""
    draw = random.Random(seed)
    lab = _lab(protocol, seed)
    for _ in range(6):
        kind = draw.choice(("migrate", "migrate", "move", "drop"))
        if kind == "migrate":
            broker, to = draw.sample(BROKERS, 2)
            try:
                lab.migrate(broker, to=to)
            except LabError:
                continue  # below itself, or there already
        elif kind == "move":
            lab.move(f"s{draw.randint(1, 7)}", to=draw.choice(BROKERS))
        elif (moving := [link for link in lab.pending() if link[0] != link[1]]) and all(
            name.startswith("b") for name in moving[0]
        ):
            lab.drop(*moving[0])
        for _ in range(draw.randint(0, 8)):
            lab.step()
    lab.settle()
    _check_deliveries(lab)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_on_a_radio_events_arrive_while_brokers_move(protocol: str) -> None:
    scenario = mftpubsub.Scenario(
        area=(45, 45),
        nodes=[Group(4, [Broker()]), Group(4, [Subscriber()]), Group(2, [Publisher()])],
        mobility=RandomWaypoint(speed=4),
        duration=60,
        protocol=protocol,
    )
    first, second = (mftpubsub.run(scenario).metrics for _ in range(2))
    assert first["delivery_rate_strict"] > 0.5
    assert first["frames_per_node"] == second["frames_per_node"]


def test_protocols_that_need_to_know_more_of_the_tree_are_not_for_the_overlay() -> None:
    with pytest.raises(mftpubsub.ConfigurationError, match="no protocol 'reconfiguration-path'"):
        mftpubsub.Scenario(area=(9, 9), nodes=[Group(1, [Broker()])], protocol="reconfiguration-path")
