"""Studies made up for tests: tables as the pipeline leaves them, without any run."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd

from mftpubsub.pipeline.tables import summary
from mftpubsub.trace.layout import KEYS

THESIS = {"C2": 6, "C4": 10, "C8": 18, "C16": 34, "C32": 66}
SPEEDS = (2.0, 4.0, 6.0, 8.0, 10.0)
SENT = 100_000

#: The columns of a run that a world gives: its metrics by name.
World = Callable[[str, str, float], dict[str, float]]


def as_the_thesis_says(protocol: str, config: str, speed: float) -> dict[str, float]:
    """A world in which every statement of the sources is true."""
    nodes = THESIS[config]
    small, larger = 6 / nodes, nodes / 6
    if protocol.startswith("aodv"):
        rate = 0.95 * small**0.3 - 0.005 * speed
        return {
            "delivery_rate": rate,
            "matched_share": 1.0,
            "delay_mean_s": 0.02 * larger**1.5 * (6 if config == "C4" else 1),
            "delay_median_s": 0.02 * larger,
            "hops_mean": 1.5 + (config == "C4"),
            "frames_per_node": 60 * larger**3,
            "cpu_s": 100 * larger**2,
            "migrations": 0,
        }
    rate = 0.97 * small**0.1 + 0.003 * speed
    medium = 0.85 + 0.01 * min(speed, 6) - 0.02 * max(speed - 6, 0)
    return {
        "delivery_rate": rate,
        "matched_share": {"C16": medium, "C32": 0.35}.get(config, 0.95),
        "delay_mean_s": 0.025 * larger**0.5,
        "delay_median_s": 0.01,
        "hops_mean": 2.0,
        "frames_per_node": 90.0,
        "cpu_s": 2 * larger,
        "migrations": 10 * larger**1.8,
        "attachments": 12 * larger**1.8,
        "frames_per_node_control": 20.0 if protocol == "cascading" else 10.0,
        "load_busiest_broker": 1.5,
        "load_by_depth": -0.6,
        "largest_branch": 0.7,
    }


def study(
    folder: Path,
    world: World = as_the_thesis_says,
    protocols: tuple[str, ...] = ("mft-pubsub", "aodv"),
    configs: tuple[str, ...] = tuple(THESIS),
    speeds: tuple[float, ...] = SPEEDS,
    seeds: int = 5,
) -> Path:
    """Writes `folder`/tables for every case and seed of a world; seeds differ a little. Returns `folder`."""
    rows, losses = [], []
    for protocol, config, speed in product(protocols, configs, speeds):
        for seed in range(1, seeds + 1):
            row = _run(
                world(protocol, config, speed), THESIS[config], Random(f"{protocol} {config} {speed} {seed}")
            )
            keys = dict(zip(KEYS, (protocol, config, speed, seed), strict=True))
            rows.append(keys | row)
            left = SENT - row["delivered_pairs"]
            unmatched = min(SENT - row["matched_pairs"], left)
            radio = (left - unmatched) * seed // 1000
            losses += [
                keys | {"cause": cause, "pairs": pairs}
                for cause, pairs in (
                    ("UNMATCHED", unmatched),
                    ("RADIO", radio),
                    ("QUEUED", left - unmatched - radio),
                )
                if pairs
            ]
    runs = pd.DataFrame(rows)
    costs = runs[[*KEYS]].assign(
        wall_s=runs.pop("cpu_s"),
        cpu_s=lambda table: table["wall_s"],
        events=1000,
        trace_bytes=2_000_000,
        finished="2026-11-21T08:00:00.000+00:00",
        git_commit="0123abc",
        machine="Linux x86_64, 2 x processor",
        versions="mftpubsub 0.1.0, ns3 3.44",
    )
    control = runs["frames_per_node_control"] * runs["nodes"]
    frames = runs[[*KEYS]].assign(kind="BMIG", frames=control.round(), bytes=20 * control)
    tables = {"runs": runs, "losses": pd.DataFrame(losses), "costs": costs, "frames_by_kind": frames}
    (folder / "tables").mkdir(parents=True, exist_ok=True)
    for name, table in (tables | {"metrics": summary(runs)}).items():
        table.to_parquet((folder if name == "costs" else folder / "tables") / f"{name}.parquet")
    return folder


def _run(given: dict[str, float], nodes: int, random: Random) -> dict[str, Any]:
    """All columns of the table `runs` that the reports use, from those that a world gives."""

    def near() -> float:
        return 1 + random.uniform(-0.002, 0.002)

    matched = round(SENT * given.pop("matched_share"))
    rate = min(given.pop("delivery_rate") * near(), 1.0)
    delivered = round(matched * rate)
    per_node = given["frames_per_node"]
    given = {name: value * near() for name, value in given.items()}
    return {
        "nodes": nodes,
        "published": SENT // 10,
        "sent_pairs": SENT,
        "matched_pairs": matched,
        "reachable_pairs": SENT,
        "delivered_pairs": delivered,
        "delivery_rate": delivered / matched,
        "delivery_rate_strict": delivered / SENT,
        "delivered_of_reachable": delivered / SENT,
        "reachable": 1.0,
        "delay_p95_s": given["delay_mean_s"] * 3,
        "hops_max": 4.0,
        "frames": per_node * nodes * near(),
        "senders_mean": 0.1,
        "duplicates": 0,
        "overheard": 0,
        "migrations_broker": given["migrations"] * 0.9,
        "frames_per_node_pub": per_node / 2,
        "frames_per_node_rep": 0.0,
        "frames_per_node_control": per_node / 4,
        "frames_per_node_heartbeat": per_node / 4,
        "frames_per_node_ack": 0.0,
        "frames_per_broker": per_node * 3 * near(),
        "frames_per_subscriber": per_node,
        "frames_per_publisher": per_node * near(),
    } | given
