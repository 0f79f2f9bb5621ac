"""Random networks on the radio in which nodes crash and links fail for a while, drawn from a seed.

`python tests/python/radio_faults.py FIRST LAST` runs the seeds FIRST to LAST and names those that lose
events.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import combinations
from math import dist
from random import Random

import pandas as pd

import mftpubsub
from mftpubsub import (
    Broker,
    Channel,
    Group,
    Publisher,
    Scenario,
    Static,
    Subscriber,
    blackout,
    crash,
    partition,
)
from mftpubsub.scenario.fault import Fault
from mftpubsub.scenario.faults import Blackout, Crash

AREA = (400.0, 400.0)
DURATION = 400.0
FAULTY = (12.0, 75.0)
"""s; before, the network forms, and afterwards nothing goes wrong."""
INSIDE, OUTSIDE = 30.0, 60.0
"""m; without shadowing 46 m is the edge of what the radio can receive."""
LEARNING = 10.0
"""s; within which a broker that has (re)started has learned of all subscribers."""
TOPICS = ("f1", "f2")

Point = tuple[float, float]
Link = tuple[int, int]


def faulty_network(seed: int, protocol: str = "mft-pubsub-r") -> Scenario:
    """4 to 8 brokers in a connected network, subscribers and publishers on them or on devices of their own.

    Half of the networks lie in the plane, every two nodes clearly inside or clearly outside of each other's
    range; in the others all are in range and blackouts over the whole run leave a tree or a mesh. Only
    brokers crash, with the clients on their devices.
    """
    random = Random(seed)
    brokers = random.randint(4, 8)
    clients = [random.randrange(brokers) for _ in range(random.randint(2, 6))]
    roles = _roles(random, brokers, len(clients))
    if random.random() < 0.5:
        places, links = _in_the_plane(random, brokers, clients)
        cuts = []
    else:
        places, links = _in_one_place(random, brokers, clients)
        cuts = [
            blackout(*pair, start=0, stop=DURATION)
            for pair in combinations(range(len(places)), 2)
            if pair not in links
        ]
    faults = list(_faults(random, brokers, len(places), sorted(links)))
    return Scenario(
        area=AREA,
        duration=DURATION,
        protocol=protocol,
        seed=seed + 1,
        nodes=[Group(1, own, placement=[place]) for own, place in zip(roles, places, strict=True)],
        mobility=Static(),
        channel=Channel(shadowing="pair", sigma=0, bidirectional_sigma=0),
        faults=[*cuts, *faults],
    )


def _roles(random: Random, brokers: int, clients: int) -> list[list[Broker | Subscriber | Publisher]]:
    """The roles of every node: brokers first, some of them with a client, then devices of clients alone."""
    roles: list[list[Broker | Subscriber | Publisher]] = [[Broker()] for _ in range(brokers)]
    roles += [[] for _ in range(clients)]
    publishers = random.sample(range(len(roles)), random.randint(1, 2))
    for node, own in enumerate(roles):
        if node in publishers:
            own.append(Publisher(rate=random.uniform(0.2, 0.6), start=3, stop=DURATION - 100))
        if (node >= brokers and node not in publishers) or random.random() < 0.25:
            wanted = random.sample(TOPICS, random.randint(1, 2))
            own.append(Subscriber([f"topic = '{topic}'" for topic in wanted]))
    if not any(isinstance(role, Subscriber) for own in roles for role in own):
        roles[0].append(Subscriber([f"topic = '{TOPICS[0]}'"]))
    return roles


def _in_one_place(random: Random, brokers: int, clients: list[int]) -> tuple[list[Point], set[Link]]:
    """Places that all reach each other, and the links that stay: a tree or a mesh, and clients' own."""
    places = [(random.uniform(0, 15), random.uniform(0, 15)) for _ in range(brokers + len(clients))]
    links = {(random.randrange(node), node) for node in range(1, brokers)}
    more = random.choice([0, 0, 1, 2, 4])
    links |= {tuple(sorted(random.sample(range(brokers), 2))) for _ in range(more)}  # type: ignore[misc]
    for index, broker in enumerate(clients):
        links.add((broker, brokers + index))
        if random.random() < 0.3:
            links.add((random.randrange(brokers), brokers + index))
    return places, links


def _in_the_plane(random: Random, brokers: int, clients: list[int]) -> tuple[list[Point], set[Link]]:
    """Places in the plane, each near an earlier broker, and the links between them."""
    places: list[Point] = [(AREA[0] / 2, AREA[1] / 2)]
    while len(places) < brokers + len(clients):
        count = len(places)
        x, y = places[random.randrange(count) if count < brokers else clients[count - brokers]]
        place = (x + random.uniform(-INSIDE, INSIDE), y + random.uniform(-INSIDE, INSIDE))
        distances = [dist(place, other) for other in places]
        isolated = min(distances[:brokers]) > INSIDE
        if not isolated and all(not INSIDE < distance < OUTSIDE for distance in distances):
            places.append(place)
    pairs = combinations(range(len(places)), 2)
    return places, {pair for pair in pairs if dist(places[pair[0]], places[pair[1]]) <= INSIDE}


def _faults(random: Random, brokers: int, nodes: int, links: list[Link]) -> Iterator[Fault]:
    """Crashes, blackouts and partitions within FAULTY."""
    begin, end = FAULTY
    for node in random.sample(range(brokers), random.randint(0, 3)):
        at = random.uniform(begin, begin + 10)
        for _ in range(random.choice([1, 1, 2, 4])):
            restart = at + random.choice([random.uniform(0.1, 1.5), random.uniform(1.5, 15)])
            if restart < end:
                yield crash(node, at=at, restart=restart)
            at = restart + random.uniform(0.3, 20)
    for _ in range(random.randint(0, 8)):
        start = random.uniform(begin, end - 1)
        length = random.choice([random.uniform(0.3, 3), random.uniform(3, 20)])
        yield blackout(*random.choice(links), start=start, stop=min(start + length, end))
    for _ in range(random.choice([0, 0, 1, 2])):
        start = random.uniform(begin, end - 1)
        side = random.sample(range(nodes), random.randint(1, nodes - 1))
        yield partition(side, start=start, stop=min(start + random.uniform(0.3, 20), end))


def lost(case: Scenario) -> pd.DataFrame:
    """The events that could have been delivered and were not, each with cause and time of publication.

    Without those that a crashed node held. (The trace calls them UNMATCHED or RADIO if the broker had just
    restarted, had nobody yet to ask whom they are for, or asked in vain, and crashed again.)
    """
    trace = mftpubsub.run(case).to_pandas()
    pair = ["publisher", "sequence", "subscriber"]
    losses = trace[(trace.layer == "loss") & (trace.kind != "CRASHED")][["kind", *pair]]
    published = trace[trace.kind == "PUBLISH"][["time_s", "publisher", "sequence"]]
    missing = losses.merge(trace[trace.layer == "bound"][pair], on=pair).merge(published)
    counts = [
        kind not in ("UNMATCHED", "RADIO") or not _is_held_by_a_newcomer(case, publisher, time_s)
        for kind, publisher, time_s in zip(missing.kind, missing.publisher, missing.time_s, strict=True)
    ]
    return missing.loc[counts]


def _is_held_by_a_newcomer(case: Scenario, publisher: int, time_s: float) -> bool:
    """Whether the network forms at `time_s`, or one that `publisher` may have as broker crashes soon."""
    cut = {frozenset(f.blackout) for f in case.faults if isinstance(f, Blackout) and f.start == 0}
    place = [at for group in case.nodes for at in group.positions(AREA) or ()]
    return time_s < LEARNING or any(
        fault.at - LEARNING < time_s <= fault.at
        for fault in case.faults
        if isinstance(fault, Crash)
        and frozenset((fault.crash, publisher)) not in cut
        and dist(place[fault.crash], place[publisher]) <= INSIDE
    )


if __name__ == "__main__":
    for number in range(int(sys.argv[1]), int(sys.argv[2]) + 1):
        missing = lost(faulty_network(number))
        if len(missing):
            print(
                number,
                missing.groupby("kind").time_s.agg(["count", "min", "max"]).to_dict("index"),
                flush=True,
            )
