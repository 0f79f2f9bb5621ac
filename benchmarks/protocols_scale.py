"""Whole runs with 10^2 to 10^4 nodes at the thesis's density (C32), and how what they take and give grows."""

from __future__ import annotations

import argparse
import json
import math
import resource
import sys
import time
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

from common import HERE, median, publish, run_json, spread

import mftpubsub
from mftpubsub import Group, Publisher, RandomWaypoint, Subscriber
from mftpubsub.simulator.library import code_version

#: C32: 66 nodes on 110 m x 110 m, of which 2 publish; the others are subscribers and brokers by halves.
NODES, AREA_M2, PUBLISHERS = 66, 110**2, 2
PROTOCOLS = ("mft-pubsub-r", "mft-mesh")


@dataclass(frozen=True)
class Length:
    """How long runs are and when in them events are published (simulated s); larger networks are run once."""

    seconds: float
    start: float
    stop: float
    sizes: tuple[int, ...]
    once_from: int
    traffic: tuple[str, ...] = ("constant", "growing")
    protocols: tuple[str, ...] = PROTOCOLS


#: The start of a network, of any size, and runs as long as the thesis's of what the channel can carry.
START = Length(30, 5, 15, (100, 1000), 10_000)
FULL = (
    Length(30, 5, 15, (100, 1000, 10_000), 10_000),
    Length(700, 0, 500, (100, 1000), 1000, ("constant",)),
    Length(700, 0, 500, (10_000,), 10_000, ("constant",), ("mft-mesh",)),
)
#: Runs that are done: an interrupted measurement goes on.
DONE = HERE.parent / "build" / "protocols-scale"
#: What is told of each run, by its name in the table.
GIVEN = {
    "delivered of matched": "delivery_rate",
    "delivered of all": "delivery_rate_strict",
    "frames/node": "frames_per_node",
    "mean delay (s)": "delay_mean_s",
}


def scenario(length: Length, protocol: str, nodes: int, traffic: str, seed: int) -> mftpubsub.Scenario:
    publishers = PUBLISHERS if traffic == "constant" else round(nodes * PUBLISHERS / NODES)
    brokers = (nodes - publishers) // 2
    side = math.sqrt(nodes * AREA_M2 / NODES)
    return mftpubsub.Scenario(
        protocol=protocol,
        seed=seed,
        duration=length.seconds,
        area=(side, side),
        nodes=[
            Group(publishers, ["publisher"]),
            Group(nodes - publishers - brokers, ["subscriber"]),
            Group(brokers, ["broker"]),
        ],
        publisher=Publisher(
            rate=1, start=length.start, stop=length.stop, event=[{"topic": "f1"}, {"topic": "f2"}]
        ),
        subscriber=Subscriber(["topic = 'f1'", "topic = 'f2'"]),
        mobility=RandomWaypoint(speed=8),
    )


def measure(length: Length, protocol: str, nodes: int, traffic: str, seed: int) -> dict[str, Any]:
    """One run in this process: what it took, building the network included, and what it gave."""
    case = scenario(length, protocol, nodes, traffic, seed)
    before = time.process_time()
    result = mftpubsub.run(case)
    cpu_s = time.process_time() - before
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    given = {name: result.metrics[name] for name in (*GIVEN.values(), "published", "sent_pairs")}
    return {"cpu_s": cpu_s, "peak_mib": peak_mib, "trace_bytes": result.trace.stat().st_size, **given}


def measured(length: Length, protocol: str, nodes: int, traffic: str, seed: int) -> dict[str, Any]:
    """The same in a process of its own, whose memory is its own, unless this code has done it before."""
    case = [f"{length.seconds:g}", protocol, str(nodes), traffic, str(seed)]
    file = DONE / code_version() / f"{'-'.join(case)}.json"
    if not file.exists():
        told = run_json([sys.executable, __file__, "--once", *case])
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(told), encoding="utf-8")
    return dict(json.loads(file.read_text(encoding="utf-8")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--repetitions", type=int, default=3, help="seeds, of networks that are not too large"
    )
    parser.add_argument("--full", action="store_true", help="10^4 nodes, and 700 s, too: some two hours")
    parser.add_argument("--once", nargs=5, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.once:
        seconds, protocol, nodes, traffic, seed = arguments.once
        length = next(length for length in FULL if length.seconds == float(seconds))
        print(json.dumps(measure(length, protocol, int(nodes), traffic, int(seed))))
        return
    rows, growth = [], []
    for length in FULL if arguments.full else (START,):
        for protocol, traffic in product(length.protocols, length.traffic):
            keys = {"simulated s": length.seconds, "protocol": protocol, "traffic": traffic}
            by_size = {}
            for nodes in length.sizes:
                seeds = range(1, 2 if nodes >= length.once_from else arguments.repetitions + 1)
                by_size[nodes] = [measured(length, protocol, nodes, traffic, seed) for seed in seeds]
                rows.append(keys | row(nodes, by_size[nodes]))
            if len(by_size) > 1:
                growth.append(keys | exponents(by_size))
    suffix = "-full" if arguments.full else ""
    publish(f"protocols_scale{suffix}", rows)
    publish(f"protocols_growth{suffix}", growth)


def row(nodes: int, runs: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "nodes": nodes,
        "runs": len(runs),
        "events": runs[0]["published"],
        "pairs": runs[0]["sent_pairs"],
        "CPU s": spread([run["cpu_s"] for run in runs]),
        "peak MiB": spread([run["peak_mib"] for run in runs]),
        **{title: spread([run[name] for run in runs]) for title, name in GIVEN.items()},
    }


def exponents(by_size: dict[int, list[dict[str, Any]]]) -> dict[str, str]:
    """The exponent b of x ~ nodes^b from each size to the next, of medians."""
    names = {"CPU s": "cpu_s", "peak MiB": "peak_mib", "trace bytes": "trace_bytes", **GIVEN}
    return {title: ", ".join(_exponents(by_size, name)) for title, name in names.items()}


def _exponents(by_size: dict[int, list[dict[str, Any]]], name: str) -> list[str]:
    medians = {nodes: median([run[name] for run in runs]) for nodes, runs in by_size.items()}
    return [
        f"{math.log(medians[large] / medians[small]) / math.log(large / small):.2f}"
        for small, large in pairwise(medians)
    ]


if __name__ == "__main__":
    main()
