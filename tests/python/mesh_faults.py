"""What is hard for mft-mesh: networks in pieces, crashes, halves that part, load.

`python tests/python/mesh_faults.py FIRST LAST [PROTOCOL]` runs every case with the seeds FIRST to LAST, and
prints for each the least share of the reachable pairs that was delivered, and means of delay and frames an
event.
"""

from __future__ import annotations

import sys
from random import Random
from typing import Any

import mftpubsub
from mftpubsub import Broker, Group, Publisher, RandomWaypoint, Scenario, Subscriber, crash, partition

DURATION = 700.0
"""s; publications end 200 s earlier."""
LEAST = 0.999


def _network(count: int, side: float, rate: float = 1.0, **changes: Any) -> Scenario:
    """Two publishers, `count` subscribers and as many brokers; each event matches half of the subscribers."""
    publisher = Publisher(rate=rate, stop=DURATION - 200, event=[{"topic": "f1"}, {"topic": "f2"}])
    subscribers = [Group(count // 2, [Subscriber(where=f"topic = '{topic}'")]) for topic in ("f1", "f2")]
    return Scenario(
        protocol="mft-mesh",
        area=(side, side),
        nodes=[Group(2, [publisher]), *subscribers, Group(count, [Broker()])],
        duration=DURATION,
        **changes,
    )


def _twenty_crashes(seed: int) -> Scenario:
    """Of C32: ten brokers and ten subscribers, each for 20 s."""
    random = Random(seed)
    nodes = random.sample(range(2, 34), 10) + random.sample(range(34, 66), 10)
    times = [random.uniform(20, 450) for _ in nodes]
    faults = [crash(node, at=at, restart=at + 20) for node, at in zip(nodes, times, strict=True)]
    return _network(32, 110, mobility=RandomWaypoint(speed=8), faults=faults)


def _halves(seed: int) -> Scenario:
    """Of C32: half of all nodes is cut off from the other half for 200 s."""
    half = partition(Random(seed).sample(range(66), 33), start=100, stop=300)
    return _network(32, 110, mobility=RandomWaypoint(speed=8), faults=[half])


CASES = {
    "12 brokers on 160 m x 160 m": lambda _: _network(12, 160, mobility=RandomWaypoint(speed=4)),
    "12 brokers on 220 m x 220 m": lambda _: _network(12, 220, mobility=RandomWaypoint(speed=4)),
    "C32, 20 crashes": _twenty_crashes,
    "C32, halves apart for 200 s": _halves,
    "C32, 10 events/s": lambda _: _network(32, 110, rate=5.0, mobility=RandomWaypoint(speed=8)),
}


def case(name: str, seed: int) -> Scenario:
    """The case of this name with places, movement, traffic and faults of `seed`."""
    return CASES[name](seed).replace(seed=seed)


def main(first: int, last: int, protocol: str = "mft-mesh") -> int:
    failed = 0
    for name in CASES:
        runs = [
            mftpubsub.run(case(name, seed).replace(protocol=protocol)).metrics
            for seed in range(first, last + 1)
        ]
        least = min(run["delivered_of_reachable"] for run in runs)
        delay = sum(run["delay_mean_s"] for run in runs) / len(runs)
        frames = sum(run["frames"] / run["published"] for run in runs) / len(runs)
        reachable = sum(run["reachable"] for run in runs) / len(runs)
        print(
            f"{name}: at least {least:.5f} of the reachable, which are {reachable:.3f} of all; "
            f"delay {delay:.2f} s, {frames:.1f} frames an event",
            flush=True,
        )
        failed += least < LEAST
    return failed


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]))
