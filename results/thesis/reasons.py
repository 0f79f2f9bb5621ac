"""Prints the numbers of reasons.yaml that no table has: single runs (seed 1, 8 m/s) looked into, or varied.

    .venv/bin/python results/thesis/reasons.py

Takes half a minute. The runs are those of configs/thesis.yaml, but for what a line says is varied.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
from scipy.stats import spearmanr

import mftpubsub

THESIS = Path(__file__).parents[2] / "configs" / "thesis.yaml"
BIT_RATE = 250_000  # bit/s


def case(config: str = "C16", protocol: str = "mft-pubsub", **changes: Any) -> mftpubsub.Scenario:
    scenario = mftpubsub.load(THESIS).case(protocol=protocol, config=config, speed=8, seed=1)
    return scenario.replace(**changes)


def varied() -> None:
    usual = case()
    rate = usual.publisher.rate
    variants = {
        "as in the thesis": {},
        "nodes stand still": {"mobility": "static", "speed": 0.0},
        "a fifth of the events": {"publisher": usual.publisher.model_copy(update={"rate": rate / 5})},
        "a twentieth of the events": {"publisher": usual.publisher.model_copy(update={"rate": rate / 20})},
        "hysteresis of 6 dB": {"parent_policy": "hysteresis"},
    }
    rows = {}
    for name, changes in variants.items():
        metrics = mftpubsub.run(case(**changes)).metrics
        queued = metrics["lost_by_cause"].get("QUEUED", 0) / metrics["sent_pairs"]
        rows[name] = {key: metrics[key] for key in COLUMNS} | {"queued": queued}
    print("\nC16, varied\n", pd.DataFrame(rows).T.round(3).to_string())


COLUMNS = ("migrations", "migrations_broker", "delivery_rate", "delay_mean_s")


def delays() -> None:
    print("\nDeliveries within 1 s; frames that replay, share of the time on the air")
    for config in ("C2", "C16"):
        result = mftpubsub.run(case(config))
        delay = result.to_pandas("deliveries").delay_s.dropna()
        trace = result.to_pandas()
        replays = trace[(trace.layer == "radio") & (trace.kind == "REP")].bytes.sum()
        on_air = 8 * replays / BIT_RATE / case(config).duration
        print(f"{config:4} {(delay <= 1).mean():.1%} {on_air:.1%}")


def hops() -> None:
    trace = mftpubsub.run(case("C4", "aodv")).to_pandas()
    counts = trace[(trace.layer == "app") & (trace.kind == "DELIVER")].hops.value_counts().sort_index()
    print("\nDeliveries of AODV in C4 by hops:", counts.to_dict())


def trees() -> None:
    """Looks every 5 s: how large the largest branch below the leader is, and who sends how much."""
    print("\nTrees: largest branch, looks in which it is over half; frames of leader, of the median broker;")
    print("rank correlation of depth and frames")
    for config in ("C8", "C16", "C32"):
        looks: list[mftpubsub.Snapshot] = []
        result = mftpubsub.run(case(config), observers=[mftpubsub.Every(5.0, looks.append, start=5.0)])
        trace = result.to_pandas()
        frames = trace[trace.layer == "radio"].groupby("node").size()
        depths: dict[int, list[int]] = {}
        leaders: Counter[int] = Counter()
        shares = []
        for look in looks:
            brokers = {node.id: node for node in look.nodes if "broker" in node.roles and node.is_up}
            parents = {node.id: node.parent for node in brokers.values()}
            leader, branches = branches_of(parents)
            leaders[leader] += 1
            shares.append(max(branches.values(), default=0) / max(sum(branches.values()), 1))
            for way in (way_up(node, parents) for node in brokers):
                if way[-1] == leader:
                    depths.setdefault(way[0], []).append(len(way) - 1)
        first = leaders.most_common(1)[0][0]
        depth = pd.Series({node: sum(d) / len(d) for node, d in depths.items() if node != first})
        others = frames[depth.index]
        correlation = spearmanr(depth, others)
        over_half = sum(share > 0.5 for share in shares) / len(shares)
        print(
            f"{config:4} {sum(shares) / len(shares):.0%} {over_half:.0%};",
            f"{frames[first]} {others.median():.0f};",
            f"{correlation.statistic:.2f} (p = {correlation.pvalue:.2f})",
        )


def way_up(node: int, parents: dict[int, int | None]) -> list[int]:
    """From a node to the root of its tree, both included; ends where a passing loop closes."""
    way = [node]
    while (parent := parents.get(way[-1])) is not None and parent not in way:
        way.append(parent)
    return way


def branches_of(parents: dict[int, int | None]) -> tuple[int, Counter[int]]:
    """The root of the largest tree, and how many nodes each of its children's branches has."""
    ways = [way_up(node, parents) for node in parents]
    root = Counter(way[-1] for way in ways).most_common(1)[0][0]
    return root, Counter(way[-2] for way in ways if way[-1] == root and len(way) > 1)


if __name__ == "__main__":
    varied()
    delays()
    hops()
    trees()
