"""What the best schedule brings to all sinks, where it is known (benchmarks/schedules.py)."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from schedules import Network, best

STRONG_DBM = -60.0


def network(
    nodes: int, links: Iterable[tuple[int, int]], sources: Sequence[int], sinks: Sequence[int]
) -> Network:
    """All nodes but sources and sinks relay, and links are alike."""
    strengths = np.full((nodes, nodes), -np.inf)
    for one, other in links:
        strengths[one, other] = strengths[other, one] = STRONG_DBM
    relays = [node for node in range(nodes) if node not in (*sources, *sinks)]
    return Network(strengths, -90, 10, sources, relays, sinks)


def line(hops: int) -> Network:
    return network(hops + 1, [(node, node + 1) for node in range(hops)], [0], [hops])


@pytest.mark.parametrize("hops", range(1, 7))
def test_one_at_a_time_takes_a_slot_for_each_hop(hops: int) -> None:
    assert best(line(hops), line(hops).alone()) == pytest.approx(1 / hops, rel=1e-6)


@pytest.mark.parametrize("hops", range(3, 7))
def test_every_third_node_of_a_line_sends_at_once(hops: int) -> None:
    """Of two that are two hops apart, the node between them hears neither."""
    assert best(line(hops), line(hops).apart()) == pytest.approx(1 / 3, rel=1e-6)


def test_a_relay_between_two_sends_sums() -> None:
    """Two that want each other's frames: three slots for two frames, as the relay sends their sum."""
    both = network(3, [(0, 1), (1, 2)], [0, 2], [0, 2])
    assert best(both, both.alone()) == pytest.approx(2 / 3, rel=1e-6)


def test_two_halves_of_a_butterfly_carry_a_sum() -> None:
    """A source with two relays, each beside one sink; a third hears both and reaches both sinks."""
    links = [(0, 1), (0, 2), (1, 3), (2, 3), (1, 4), (2, 5), (3, 4), (3, 5)]
    butterfly = network(6, links, [0], [4, 5])
    # Two frames take five slots: the source sends both, each relay sends one, and the third sends their sum.
    assert best(butterfly, butterfly.alone()) == pytest.approx(2 / 5, rel=1e-6)


@pytest.mark.parametrize(("weaker_db", "heard"), [(11, True), (10, True), (9, False)])
def test_a_strong_frame_is_heard_through_a_weak_one(weaker_db: float, heard: bool) -> None:
    strengths = np.full((3, 3), -np.inf)
    strengths[0, 2], strengths[1, 2] = STRONG_DBM, STRONG_DBM - weaker_db
    both = next(slot for slot in Network(strengths, -90, 10, [0], [1], [2]).apart() if slot.senders == (0, 1))
    assert both.reached.tolist() == [[False, False, heard], [False, False, False]]


def test_what_is_weaker_than_the_radio_asks_for_brings_nothing() -> None:
    strengths = np.full((2, 2), -np.inf)
    strengths[0, 1] = -91
    weak = Network(strengths, -90, 10, [0], [], [1])
    assert best(weak, weak.apart()) == pytest.approx(0)


def test_no_two_that_hear_each_other_are_apart() -> None:
    senders = [slot.senders for slot in line(3).apart()]
    assert sorted(senders) == [(0,), (0, 2), (1,), (2,)]
