"""What a network that stands still carries at most: the best of all schedules, and of all codes.

A schedule shares the time between slots, in each of which some nodes send at once. All sinks can have a rate
if, and only if, as much comes into each part of the network that has a sink: network coding reaches what the
cuts allow where all sinks want all (Ahlswede, Cai, Li and Yeung 2000). A linear program finds the highest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

#: Flows are whole numbers: so many of them are a frame in each frame's time.
UNIT = 10**7
#: No more cuts are looked for once none carries less than this share of the rate.
ENOUGH = 1 - 2e-3


@dataclass(frozen=True)
class Slot:
    """Who sends at once, and whom each of them reaches then: senders x nodes."""

    senders: tuple[int, ...]
    reached: NDArray[np.bool_]


@dataclass(frozen=True)
class Network:
    """Each source has as much to say as the others, and each sink wants all of it. Relays send as well."""

    strengths_dbm: NDArray[np.float64]
    """By sender and hearer, -inf where nothing is heard."""
    least_dbm: float
    """From where on a frame arrives,"""
    above_db: float
    """if it is so much stronger than any other that is on the air."""
    sources: Sequence[int]
    relays: Sequence[int]
    sinks: Sequence[int]

    def alone(self) -> list[Slot]:
        """One sends at a time."""
        return [self._slot((each,)) for each in (*self.sources, *self.relays)]

    def apart(self) -> list[Slot]:
        """All that carrier sense allows: nobody sends who hears another one send."""
        heard = np.isfinite(self.strengths_dbm)
        sets = _independent((*self.sources, *self.relays), heard | heard.T)
        return [self._slot(each) for each in sets]

    def _slot(self, senders: tuple[int, ...]) -> Slot:
        strengths = self.strengths_dbm[list(senders)]
        # Who sends hears nobody else.
        strengths[np.arange(len(senders)), senders] = np.inf
        reached = np.empty(strengths.shape, bool)
        for row, own in enumerate(strengths):
            others = np.delete(strengths, row, axis=0).max(axis=0, initial=-np.inf)
            reached[row] = (own >= self.least_dbm) & (own >= others + self.above_db) & np.isfinite(own)
        return Slot(senders, reached)


def _independent(nodes: tuple[int, ...], joined: NDArray[np.bool_]) -> Iterator[tuple[int, ...]]:
    """Every set of nodes of which no two are joined."""
    for position, node in enumerate(nodes):
        yield (node,)
        apart = tuple(other for other in nodes[position + 1 :] if not joined[node, other])
        yield from ((node, *rest) for rest in _independent(apart, joined))


def best(network: Network, slots: Sequence[Slot]) -> float:
    """What the best schedule brings to each sink, frames in a frame's time.

    Cuts are added to the program until the schedule that it finds violates none.
    """
    everybody = frozenset(range(len(network.strengths_dbm)))
    cuts = {frozenset([sink]) for sink in network.sinks} | {everybody - {one} for one in network.sources}
    rows = {cut: _row(network, slots, cut) for cut in cuts}
    while True:
        rate, shares = _solve(np.array(list(rows.values())))
        missed = set(_violated(network, slots, rate, shares)) - rows.keys()
        if not missed:
            return rate
        rows |= {cut: _row(network, slots, cut) for cut in missed}


def _row(network: Network, slots: Sequence[Slot], cut: Collection[int]) -> NDArray[np.float64]:
    """How many frames each slot brings into the cut; at last, which share of the sources is outside."""
    inside = np.zeros(len(network.strengths_dbm), bool)
    inside[list(cut)] = True
    into = [(slot.reached[:, inside].any(axis=1) & ~inside[list(slot.senders)]).sum() for slot in slots]
    return np.array([*into, np.mean(~inside[list(network.sources)])])


def _solve(rows: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """The highest rate of which each cut carries what comes from outside, and the time's shares."""
    slots = rows.shape[1] - 1
    found = linprog(
        c=[0] * slots + [-1],
        A_ub=rows * ([-1] * slots + [1]),
        b_ub=np.zeros(len(rows)),
        A_eq=[[1] * slots + [0]],
        b_eq=[1],
    )
    return float(found.x[-1]), found.x[:-1]


def _violated(
    network: Network, slots: Sequence[Slot], rate: float, shares: NDArray[np.float64]
) -> Iterator[frozenset[int]]:
    """The smallest cut before each sink that this schedule does not bring all (Ford and Fulkerson 1956)."""
    nodes = len(network.strengths_dbm)
    origin, used = nodes, nodes + 1
    arcs = [(origin, source, int(UNIT * rate / len(network.sources))) for source in network.sources]
    for slot, capacity in zip(slots, (UNIT * shares).astype(int), strict=True):
        if capacity == 0:
            continue
        for sender, hears in zip(slot.senders, slot.reached, strict=True):
            # What is sent is sent once, whoever hears it: a node of the graph between them.
            arcs.append((sender, used, capacity))
            arcs += [(used, int(hearer), capacity) for hearer in np.flatnonzero(hears)]
            used += 1
    tails, heads, capacities = zip(*arcs, strict=True)
    graph = csr_matrix((np.array(capacities, np.int32), (tails, heads)), shape=(used, used))
    for sink in network.sinks:
        flow = maximum_flow(graph, origin, sink)
        if flow.flow_value < UNIT * rate * ENOUGH:
            left = graph - flow.flow
            left.data = (left.data > 0).astype(np.int8)
            left.eliminate_zeros()
            before = breadth_first_order(left, origin, return_predecessors=False)
            yield frozenset(range(nodes)) - set(before.tolist())
