"""How many frames an event takes under mft-mesh that few nodes of a large network want, by their speed."""

from __future__ import annotations

import math
import tempfile
from itertools import pairwise, product
from pathlib import Path
from typing import Any

from common import arguments, median, publish, spread

import mftpubsub
from mftpubsub import Group, Publisher, RandomWaypoint, Subscriber
from mftpubsub.scenario.parameters import MftMesh

#: Density of C32, 66 nodes on 110 m x 110 m.
NODES, AREA_M2, PUBLISHERS = 66, 110**2, 2
SIZES, SPEEDS, WANTED_BY = (100, 300, 1000), (1, 2, 4, 8), (2, 10)
#: What `--full` adds: two want it, one run each, some ten minutes of processor time for the largest.
LARGE_SIZES, LARGE_SPEEDS = (3000, 10_000), (2, 8)
#: How long events are published, and how long the run goes on then; s.
PUBLISHED, AFTER = 50, 20
#: What `--positions` compares: with and without, 2 want it; with, 10. Without, 10 are many, and are above.
PLACED_SIZES, PLACED_SPEEDS, PLACED = (100, 300, 1000, 3000), (2, 8), ((2, False), (2, True), (10, True))
#: Until brokers have heard once where subscribers are; s.
STEADY = 10
#: Until the first events have gone to everybody, as they do 30 to 40 s late where nobody heard of them; s.
SETTLED = 50
#: Kinds of frames that carry events.
CARRIERS = ("PUB", "REP")


def scenario(
    nodes: int, speed: float, wanted_by: int, seed: int, published: int = PUBLISHED, positions: bool = False
) -> mftpubsub.Scenario:
    """Each publisher's events are wanted by `wanted_by` subscribers, those of others do not exist."""
    side = math.sqrt(nodes * AREA_M2 / NODES)
    brokers = (nodes - PUBLISHERS) // 2
    others = nodes - PUBLISHERS * (1 + wanted_by) - brokers
    return mftpubsub.Scenario(
        protocol="mft-mesh",
        seed=seed,
        duration=_start(nodes) + published + AFTER,
        area=(side, side),
        nodes=[
            *(Group(1, [_publisher(f"t{k}", _start(nodes), published)]) for k in range(PUBLISHERS)),
            *(Group(wanted_by, [Subscriber([f"topic = 't{k}'"])]) for k in range(PUBLISHERS)),
            Group(others, [Subscriber(["topic = 'never'"])]),
            Group(brokers, ["broker"]),
        ],
        mobility=RandomWaypoint(speed=speed),
        mft_mesh=MftMesh(positions=True, few=wanted_by) if positions else MftMesh(),
    )


def _start(nodes: int) -> int:
    """When publications begin, s: words have come everywhere, or nearly so."""
    return 40 if nodes <= 1000 else 150


def _publisher(topic: str, start: int, published: int) -> Publisher:
    return Publisher(rate=1, start=start, stop=start + published, event={"topic": topic})


def measure(nodes: int, speed: float, wanted_by: int, seed: int) -> dict[str, float]:
    return _measure(nodes, scenario(nodes, speed, wanted_by, seed), STEADY / PUBLISHED)


def measure_placed(nodes: int, speed: float, wanted_by: int, seed: int, positions: bool) -> dict[str, float]:
    published = 2 * SETTLED
    return _measure(nodes, scenario(nodes, speed, wanted_by, seed, published, positions), SETTLED / published)


def _measure(nodes: int, case: mftpubsub.Scenario, before: float) -> dict[str, float]:
    """`before`: the share of events that come before the network is steady."""
    with tempfile.TemporaryDirectory() as folder:
        result = mftpubsub.run(case, Path(folder) / "run.gz")
        frames = result.to_pandas("frames")
        carried = frames[frames["kind"].isin(CARRIERS)]
        start = _start(nodes)
        since = frames[frames["time_s"] >= start]
        published = case.duration - start - AFTER
        steady = carried[carried["time_s"] >= start + before * published]
        return {
            "frames": len(carried) / result.metrics["published"],
            "steady": len(steady) / (result.metrics["published"] * (1 - before)),
            "all_frames": len(since) / result.metrics["published"],
            "delivered": result.metrics["delivery_rate_strict"],
            "delay": result.metrics["delay_mean_s"],
        }


def main() -> None:
    parser = arguments(__doc__, 3, f"{LARGE_SIZES} nodes, two want it")
    parser.add_argument("--positions", action="store_true", help="with and without them, two or ten want it")
    given = parser.parse_args()
    if given.positions and given.full:
        publish(
            "sparse_interest-positions-full",
            [_placed_row(speed, LARGE_SIZES[-1], 2, True, 1) for speed in PLACED_SPEEDS],
        )
        return
    if given.positions:
        publish("sparse_interest-positions", _placed(given.repetitions))
        return
    if given.full:
        large = product(LARGE_SPEEDS, LARGE_SIZES)
        publish("sparse_interest-full", [_row(nodes, speed, 2, 1)[0] for speed, nodes in large])
        return
    rows, growth = [], []
    for wanted_by, speed in product(WANTED_BY, SPEEDS):
        medians = []
        for nodes in SIZES:
            row, frames = _row(nodes, speed, wanted_by, given.repetitions)
            rows.append(row)
            medians.append(frames)
        growth.append({"wanted by": wanted_by, "m/s": speed} | _exponents(medians))
    publish("sparse_interest", rows)
    publish("sparse_interest_growth", growth)


def _placed(repetitions: int) -> list[dict[str, Any]]:
    rows = []
    for speed, nodes, (wanted_by, positions) in product(PLACED_SPEEDS, PLACED_SIZES, PLACED):
        runs = repetitions if nodes <= max(SIZES) else 1
        rows.append(_placed_row(speed, nodes, wanted_by, positions, runs))
    return rows


def _placed_row(
    speed: float, nodes: int, wanted_by: int, positions: bool, repetitions: int
) -> dict[str, Any]:
    seeds = range(1, repetitions + 1)
    runs = [measure_placed(nodes, speed, wanted_by, seed, positions) for seed in seeds]
    return {"positions": positions} | _told(wanted_by, speed, nodes, runs)


def _row(nodes: int, speed: float, wanted_by: int, repetitions: int) -> tuple[dict[str, Any], float]:
    """A row of the table, and the median of frames an event."""
    runs = [measure(nodes, speed, wanted_by, seed) for seed in range(1, repetitions + 1)]
    return _told(wanted_by, speed, nodes, runs), median([run["frames"] for run in runs])


def _told(wanted_by: int, speed: float, nodes: int, runs: list[dict[str, float]]) -> dict[str, Any]:
    return {
        "wanted by": wanted_by,
        "m/s": speed,
        "nodes": nodes,
        "runs": len(runs),
        "frames an event": spread([run["frames"] for run in runs]),
        "steady": spread([run["steady"] for run in runs]),
        "of all kinds": spread([run["all_frames"] for run in runs]),
        "delivered": spread([run["delivered"] for run in runs]),
        "mean delay (s)": spread([run["delay"] for run in runs]),
    }


def _exponents(medians: list[float]) -> dict[str, Any]:
    """b of frames ~ nodes^b from each size to the next."""
    found = [
        math.log(large / small) / math.log(larger / smaller)
        for (small, large), (smaller, larger) in zip(pairwise(medians), pairwise(SIZES), strict=True)
    ]
    return {f"{smaller} to {larger}": b for b, (smaller, larger) in zip(found, pairwise(SIZES), strict=True)}


if __name__ == "__main__":
    main()
