"""Neighbours that forget, or hear nothing for a while: afterwards what can arrive does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from radio_faults import faulty_network, lost

import mftpubsub
from mftpubsub import (
    Broker,
    Channel,
    Every,
    Group,
    LrWpan,
    Overlay,
    Publisher,
    Result,
    Scenario,
    Snapshot,
    Static,
    Subscriber,
    Wifi,
    blackout,
    crash,
)
from mftpubsub.policies import Hysteresis, LowestId

MOVING = ["mft-pubsub", "cascading", "mft-pubsub-r"]
"""Protocols whose brokers may come and go."""
DURATION = 60.0
Roles = list[list[Any]]
"""A list for each node."""
LEADER_TIMEOUT = 3.0


def network(roles: Roles, faults: list[Any], cut: Sequence[tuple[int, int]] = (), **more: Any) -> Scenario:
    """Nodes that stand within 10 m and all hear each other, but for those that are `cut` off all the time."""
    return Scenario(
        area=(10, 10),
        duration=DURATION,
        nodes=[Group(1, own, placement=[(1 + index % 9, 5)]) for index, own in enumerate(roles)],
        mobility=Static(),
        channel=Channel(shadowing="pair", sigma=0, bidirectional_sigma=0),
        faults=[*(blackout(*pair, start=0, stop=DURATION) for pair in cut), *faults],
        **more,
    )


def led_by_0(roles: Roles, faults: list[Any], **more: Any) -> Scenario:
    """A network in which 0, of whom the others are to be followers, is the first leader."""
    calm = (network(roles, [], **more, seed=seed) for seed in range(1, 30))
    seed = next(case.seed for case in calm if mftpubsub.run(case).snapshot(9).leaders == [0])
    return network(roles, faults, **more, seed=seed)


def publisher(rate: float = 2.0, start: float = 5.0, stop: float = 50.0) -> Publisher:
    return Publisher(rate=rate, start=start, stop=stop)


def delivered(result: Result, subscriber: int, start: float = 0.0) -> float:
    """The share of the events published from `start` s on that `subscriber` has got."""
    trace = result.to_pandas()
    published = trace[(trace.kind == "PUBLISH") & (trace.time_s >= start)][["publisher", "sequence"]]
    got = trace[(trace.kind == "DELIVER") & (trace.subscriber == subscriber)][["publisher", "sequence"]]
    assert len(published) > 0
    return len(published.merge(got)) / len(published)


@pytest.mark.slow
@pytest.mark.parametrize("brokers", [3, 5, 9])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_brokers_that_lose_their_leader_at_one_instant_agree_on_another(brokers: int, seed: int) -> None:
    """All of them heard its last heartbeat at once, so all of them miss it at once."""
    roles: Roles = [
        [Broker(), Subscriber(), *([publisher(rate=0.5)] * (index == 0))] for index in range(brokers)
    ]
    before: list[Snapshot] = []
    mftpubsub.run(
        network(roles, [], seed=seed, protocol="mft-pubsub-r"), observers=[Every(19.0, before.append)]
    )
    (leader,) = before[1].leaders
    after: list[Snapshot] = []
    case = network(roles, [crash(leader, at=20)], seed=seed, protocol="mft-pubsub-r")
    result = mftpubsub.run(case, observers=[Every(1.0, after.append, start=20 + 2 * LEADER_TIMEOUT)])
    for snapshot in after:
        assert len({node.leader for node in snapshot.nodes if node.is_up}) == 1, snapshot.time_s
    if leader != 0:
        assert all(delivered(result, node, 26) == 1 for node in range(1, brokers) if node != leader)


@pytest.mark.parametrize("protocol", MOVING)
@pytest.mark.parametrize("silence", [0.5, 1.0])
def test_clients_of_a_broker_that_restarts_quickly_are_served_again(protocol: str, silence: float) -> None:
    """The broker (1) follows another one (0) that its subscriber (2) does not hear."""
    roles: Roles = [[Broker(), publisher()], [Broker()], [Subscriber()]]
    case = led_by_0(roles, [crash(1, at=20, restart=20 + silence)], cut=[(0, 2)], protocol=protocol)
    assert delivered(mftpubsub.run(case), 2, 20 + 2 * LEADER_TIMEOUT) == 1


@pytest.mark.parametrize("protocol", MOVING)
def test_a_publisher_on_the_far_side_of_a_broker_that_restarts_quickly_is_heard_again(protocol: str) -> None:
    roles: Roles = [[Broker(), Subscriber()], [Broker()], [publisher()]]
    case = led_by_0(roles, [crash(1, at=20, restart=20.5)], cut=[(0, 2)], protocol=protocol)
    assert delivered(mftpubsub.run(case), 0, 20 + 2 * LEADER_TIMEOUT) == 1


@pytest.mark.parametrize("protocol", ["mft-pubsub", "mft-pubsub-r"])
def test_a_broker_may_restart_more_often_than_its_neighbours_can_count(protocol: str) -> None:
    restarts = [crash(1, at=10 + 1.5 * number, restart=10.5 + 1.5 * number) for number in range(20)]
    roles: Roles = [[Broker(), publisher()], [Broker()], [Subscriber()]]
    case = led_by_0(roles, restarts, cut=[(0, 2)], protocol=protocol)
    assert delivered(mftpubsub.run(case), 2, 46) == 1


@pytest.mark.parametrize("protocol", MOVING)
@pytest.mark.parametrize("start", [20.0, 20.3, 20.6, 20.9])
def test_what_a_short_silence_held_up_goes_on_afterwards(protocol: str, start: float) -> None:
    """Neither end has missed enough heartbeats to let the other go."""
    roles: Roles = [[Broker(), publisher()], [Subscriber()]]
    case = network(roles, [blackout(0, 1, start=start, stop=start + 1.5)], protocol=protocol)
    result = mftpubsub.run(case)
    assert delivered(result, 1) == 1
    assert result.snapshot(DURATION).nodes[0].queued == 0


@pytest.mark.parametrize("start", [20.0, 20.25, 20.5, 20.75])
def test_a_subscriber_whose_own_event_is_given_up_asks_for_what_it_missed(start: float) -> None:
    """It ends the session, of which the broker has no other sign than the loss of what it sends next."""
    roles: Roles = [[Broker()], [Subscriber(), publisher(3)], [publisher(3)]]
    result = mftpubsub.run(
        network(roles, [blackout(0, 1, start=start, stop=start + 1)], protocol="mft-pubsub-r")
    )
    assert delivered(result, 1) == 1


@pytest.mark.parametrize("length", [0.5, 2.0, 4.0, 8.0])
def test_links_between_brokers_are_whole_again_whoever_has_let_go(length: float) -> None:
    """One end gives up with its third retry, the other one with the third silent heartbeat, or not at all."""
    roles: Roles = [[Broker(), Subscriber()], [Broker()], [Broker(), publisher()], [Subscriber()]]
    case = network(
        roles,
        [blackout(0, 1, start=20, stop=20 + length), blackout(1, 2, start=30.4, stop=30.4 + length)],
        cut=[(0, 2), (0, 3), (1, 3)],
        protocol="mft-pubsub-r",
    )
    result = mftpubsub.run(case)
    assert delivered(result, 0) == delivered(result, 3) == 1


@pytest.mark.parametrize("seed", [2, 5])
@pytest.mark.parametrize("timeout", [4.5, 5.0, 6.0, 10.0])
def test_a_neighbour_that_waits_longer_is_told_longer(timeout: float, seed: int) -> None:
    """The publisher's broker ends the session; the other one keeps its parent, whom it does not hear."""
    roles: Roles = [[Broker(), publisher()], [Broker(), Subscriber()]]
    silent = [blackout(0, 1, start=20, stop=20 + timeout - 1)]
    case = network(roles, silent, protocol="mft-pubsub-r", seed=seed, overlay=Overlay(leader_timeout=timeout))
    assert delivered(mftpubsub.run(case), 1) == 1


@pytest.mark.parametrize(("start", "length"), [(19.2, 4.1), (19.4, 3.7), (19.6, 4.1)])
def test_a_parent_that_is_kept_though_it_was_silent_serves_again(start: float, length: float) -> None:
    """Rounds come by another broker (1), so that the leader is not missed."""
    roles: Roles = [[Broker(), publisher(1, start=8)], [Broker()], [Broker()], [Subscriber()]]
    silent = [
        blackout(0, 2, start=start, stop=start + length),
        blackout(1, 2, start=start + 1.9, stop=start + length),
    ]
    case = network(
        roles,
        silent,
        cut=[(0, 3), (1, 3)],
        protocol="mft-pubsub-r",
        leader_policy=LowestId(),
        parent_policy=Hysteresis(6),
    )
    places = [(1, 5), (1, 6), (2, 5), (3, 5)]
    nodes = [Group(1, own, placement=[at]) for own, at in zip(roles, places, strict=True)]
    assert delivered(mftpubsub.run(case.replace(nodes=nodes)), 3) == 1


@pytest.mark.parametrize("length", [8.0, 20.0])
def test_who_restarts_unheard_is_heard_with_its_first_message(length: float) -> None:
    """The broker (1) restarts while nobody hears it; its first message may precede its first heartbeat."""
    for seed in range(1, 6):
        roles: Roles = [[Broker(), publisher(1)], [Broker()], [Subscriber()]]
        silent = [blackout(0, 1, start=20, stop=20 + length), crash(1, at=22, restart=23)]
        case = network(roles, silent, cut=[(0, 2)], protocol="mft-pubsub-r", seed=seed)
        assert delivered(mftpubsub.run(case), 2) == 1


@pytest.mark.slow
@pytest.mark.parametrize("radio", [Wifi(), LrWpan()])
@pytest.mark.parametrize("protocol", ["reactive", "mft-pubsub-r"])
def test_what_a_mac_acknowledges_and_a_new_session_drops_comes_again(protocol: str, radio: Any) -> None:
    """Eight publishers come back into reach at once: the broker's words wait in its MAC."""
    for seed in (1, 2):
        case = Scenario(
            protocol=protocol,
            seed=seed,
            duration=150,
            radio=radio,
            area=(40, 40),
            mobility=Static(),
            nodes=[
                Group(1, [Broker()], placement=[(20, 20)]),
                Group(1, [Subscriber()], placement=[(21, 20)]),
                Group(
                    8,
                    [Publisher(rate=1, start=5, stop=50, payload=6)],
                    placement=[(20, 21 + 0.1 * i) for i in range(8)],
                ),
            ],
            faults=[blackout(0, 2 + i, start=10, stop=33) for i in range(8)],
        )
        assert delivered(mftpubsub.run(case), 1) == 1


#: Runs in which events were lost for good at some time: a restart taken for two (266, 384, 869), a
#: subscriber that did not ask for what its own session's end had lost (77), a newcomer that asked no later
#: neighbours (15, 608, 745, 759, 761, 765), or not for whom else an event is beside those it knows (830).
FAILED_ONCE = [15, 77, 266, 384, 608, 745, 759, 761, 765, 830, 869]
#: Of the first thousand: a subscriber with two filters tells a restarted broker of one after the other, and
#: an event comes in between.
LOST_STILL = [448]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [*range(10), *FAILED_ONCE])
def test_every_event_that_can_be_delivered_is(seed: int) -> None:
    missing = lost(faulty_network(seed))
    assert missing.empty, missing.to_string()


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 1000, 100))
def test_every_event_that_can_be_delivered_is_in_many_networks(first: int) -> None:
    failed = [seed for seed in range(first, first + 100) if not lost(faulty_network(seed)).empty]
    assert set(failed) <= set(LOST_STILL)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", MOVING)
@pytest.mark.parametrize("victim", [0, 1])
def test_brokers_below_one_that_restarts_within_a_heartbeat_announce_themselves_again(
    protocol: str, victim: int
) -> None:
    """Nobody misses it, so nobody's parent changes; and it has forgotten who is below it."""
    roles: Roles = [[Broker()], [Broker()], [Broker()], [publisher()], [Subscriber()]]
    line = [(0, 2), (3, 1), (3, 2), (4, 0), (4, 1), (3, 4)]
    for down in (0.3, 0.9, 1.0, 1.1):
        case = led_by_0(roles, [crash(victim, at=20, restart=20 + down)], cut=line, protocol=protocol)
        assert delivered(mftpubsub.run(case), 4, start=30) == 1, down
