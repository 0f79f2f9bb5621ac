"""A hand-off run, as a block for the viewer: brokers as a tree, subscribers around the one they are at."""

from __future__ import annotations

from math import cos, sin, tau

import numpy as np
from numpy.typing import NDArray

from mftpubsub.views.viewer.columns import Columns
from mftpubsub.views.viewer.records import Clock
from mftpubsub.views.viewer.wires import (
    Message,
    State,
    add_film,
    add_messages,
    told,
    told_of_time,
    tree_places,
)
from mftpubsub.worlds.handoff.scenario import TREE, HandoffScenario
from mftpubsub.worlds.handoff.world import FIRST_SUBSCRIBER, NO_NODE, logged

#: Of subscribers from their broker, or the one they were at, in thousandths of the field.
_AT, _AWAY = 5_500, 10_500
#: What a move takes to be seen, s.
_WALK_S = 0.3


def of_run(scenario: HandoffScenario) -> bytes:
    """Runs a scenario, warm-up included, and gives its block.

    Raises ConfigurationError as `run`, QueryError if there are too many messages for a page.
    """
    log = logged(scenario)
    brokers = len({end for link in TREE for end in link})
    names = ["P", *(f"B{broker}" for broker in range(1, brokers + 1))]
    names += [f"S{place}" for place in range(scenario.subscribers)]

    def place(node: int) -> int:
        return node if node <= brokers else node - FIRST_SUBSCRIBER + brokers + 1

    duration_s = scenario.warm_up + scenario.window + scenario.drain
    clock = Clock.for_duration(duration_s)
    columns = Columns()
    messages = [
        Message(clock.tick(at), place(one), kind, (place(other),), round(size))
        for at, one, other, kind, size in log.sent
    ]
    kinds = add_messages(columns, messages, len(names))
    brokers_of = [(at, place(subscriber), broker) for at, subscriber, broker in log.moves]
    _add_film(columns, clock, brokers_of, len(names), brokers)
    return columns.block(
        told(f"{scenario.scheme}, {scenario.mobility}", names, _roles(names), kinds)
        | told_of_time(
            clock,
            duration_s,
            [State(*row) for row in log.rows],
            ["which events are in a buffer", "which messages were lost as a subscriber left"],
        )
    )


def _roles(names: list[str]) -> list[str]:
    return [name[0] for name in names]


def _add_film(
    columns: Columns, clock: Clock, moves: list[tuple[float, int, int]], nodes: int, brokers: int
) -> None:
    """An instant for each move, and one shortly before, so that a subscriber is seen to walk."""
    standing = _standing(nodes, brokers)
    attached: dict[int, int] = {}
    wires = {*TREE, (0, 1)}
    times, places, links = [0], [standing.copy()], [wires]

    def take(tick: int) -> None:
        if tick == times[-1]:
            del times[-1], places[-1], links[-1]
        times.append(tick)
        places.append(standing.copy())
        links.append({*wires, *((broker, node) for node, broker in attached.items())})

    for at, node, broker in moves:
        tick = clock.tick(at)
        take(max(times[-1], tick - clock.tick(_WALK_S)))
        if broker == NO_NODE:
            broker, distance = attached.pop(node), _AWAY
        else:
            attached[node], distance = broker, _AT
        standing[node] = _around(standing[broker], node, nodes, distance)
        take(tick)
    add_film(columns, times, np.array(places), links)


def _standing(nodes: int, brokers: int) -> NDArray[np.int64]:
    """Where the brokers stand, and the publisher beside the first; subscribers are put by their moves."""
    standing = np.zeros((nodes, 2), np.int64)
    standing[1 : brokers + 1] = tree_places(brokers, [(one - 1, other - 1) for one, other in TREE])
    standing[0] = standing[1] + (_AWAY, 0)
    return standing


def _around(centre: NDArray[np.int64], node: int, nodes: int, distance: int) -> tuple[int, int]:
    angle = tau * node / nodes
    return round(centre[0] + distance * cos(angle)), round(centre[1] + distance * sin(angle))
