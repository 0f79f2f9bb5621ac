"""Every part of every statement, in a world of plain numbers: what is claimed of it, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from math import log2

import pandas as pd

from mftpubsub.evaluation.claims import CLAIMS
from mftpubsub.evaluation.evidence import Part, Runs, examine
from mftpubsub.trace.layout import KEYS

NODES = {"C2": 4, "C4": 8, "C8": 16, "C16": 32, "C32": 64}
SPEEDS = (2.0, 6.0, 8.0, 10.0)


def mft(nodes: int, speed: float) -> dict[str, float]:
    doublings = log2(nodes / 4)
    return {
        "delivery_rate": 0.5 + 0.01 * speed - 0.02 * doublings,
        "delivery_rate_strict": 0.4,
        "matched_share": 0.5,
        "delivered_pairs": {2: 1000, 6: 1050, 8: 1030, 10: 1020}[int(speed)],
        "lost_QUEUED": 0.08 - 0.001 * speed,
        "lost_IN_FLIGHT": 0.018,
        "delay_mean_s": 0.2,
        "delay_median_s": 0.05,
        "hops_mean": 2,
        "frames_per_node": 100,
        "frames": 100 * nodes,
        "frames_per_broker": 300,
        "frames_per_subscriber": 100,
        "frames_per_publisher": 60,
        "migrations": 3 * nodes + speed,  # 6.5 on average over the speeds
        "control_per_migration": 20,
        "control_bytes_per_migration": 200,
        "cpu_s": 5,
    }


def aodv(nodes: int, speed: float) -> dict[str, float]:
    doublings = log2(nodes / 4)
    return {
        "delivery_rate": 0.3 - 0.02 * speed - 0.03 * doublings,
        "delivery_rate_strict": 0.35,
        "matched_share": 1,
        "delivered_pairs": 1000 + 10 * speed,
        "delay_mean_s": 0.1 * (doublings + 1),
        "delay_median_s": 0.025,
        "hops_mean": 2 + doublings / 2,
        "frames_per_node": 50 * 4**doublings,
        "frames": 50 * 4**doublings * nodes,
        "cpu_s": 50,
    }


def cascading(nodes: int, speed: float) -> dict[str, float]:
    return {"control_per_migration": 40, "control_bytes_per_migration": 800}


def test_every_statement_is_about_what_it_says() -> None:
    worlds = {"mft-pubsub": mft, "aodv": aodv, "cascading": cascading}
    rows = [
        dict(zip(KEYS, (name, config, speed, seed), strict=True)) | world(nodes, speed) | {"nodes": nodes}
        for (name, world), (config, nodes), speed, seed in product(
            worlds.items(), NODES.items(), SPEEDS, (1, 2, 3)
        )
    ]
    runs = Runs(pd.DataFrame(rows))
    found = {claim.id: {part.name: _told(part) for part in claim.check(runs)} for claim in CLAIMS}
    assert {name: parts for name, parts in found.items() if parts} == STATEMENTS


def test_more_than_ten_nodes_are_more_than_ten() -> None:
    rows = [("mft-pubsub", config, 8.0, 1, nodes, 1.0) for config, nodes in (("C4", 10), ("C8", 11))]
    runs = Runs(pd.DataFrame(rows, columns=[*KEYS, "nodes", "frames_per_node"]))
    parts = next(claim for claim in CLAIMS if claim.id == "order-of-magnitude").check(runs)
    assert [part.name for part in parts] == ["C8"]


def _told(part: Part) -> str:
    """What is claimed, where there is no effect if that is elsewhere, and what it comes to."""
    none = "" if part.null in (None, part.low, part.high) else f", none at {part.null:g}"
    return f"{part.claimed()}{none}: {examine(part).effect:.4g} {part.unit}".strip()


def _each(text: str, names: Iterable[str] = NODES, rest: str = "") -> dict[str, str]:
    return {f"{name}{rest}": text for name in names}


SPEED_NAMES = [f"{speed:g} m/s" for speed in SPEEDS]
STATEMENTS = {
    "speed-resilience": _each("> 0: 3 points per m/s"),
    "rate-rises-with-speed": _each("> 0: 1 points per m/s"),
    "size-lowers-rate": {
        **{f"MFT-PubSub, {speed}": "< 0: -2 points per doubling" for speed in SPEED_NAMES},
        **{f"AODV, {speed}": "< 0: -3 points per doubling" for speed in SPEED_NAMES},
    },
    "delivered-peaks-at-6": {
        "6 instead of 2 m/s": "> 0: 50 messages",
        "10 instead of 6 m/s": "< 0: -30 messages",
    },
    "stored-meet-subscriber": _each("< 0: -0.1 points per m/s", rest=", share left in queues"),
    "c16-delivers-more": {
        "2 m/s": "> 0: -20 messages",
        "6 m/s": "> 0: -10 messages",
        "8 m/s": "> 0: -50 messages",
        "10 m/s": "> 0: -80 messages",
    },
    "c32-aodv-delivers-more": {"C32": "< 0: -50 messages"},
    "c32-rate-better": {"C32": "> 0: 48 points"},
    "c32-never-matched": {
        "C32, never matched of all that was not delivered": "> 50: 83.33 %",
        "C32, strict rate, MFT-PubSub minus AODV": "< 0: 5 points",
    },
    "rate-better": {
        "C2": "> 0: 39.5 points",
        "C4": "> 0: 40.5 points",
        "C8": "> 0: 41.5 points",
        "C16": "> 0: 42.5 points",
        "C32": "> 0: 43.5 points",
    },
    "mobility-does-not-impair": _each("> -10: 8 points", rest=", 10 instead of 2 m/s"),
    "undelivered-are-stored": _each("> 99: 90 %", rest=", stored of matched and undelivered"),
    "delay-keeps-up": {
        "C2": "0 to 2: 2 times",
        "C4": "0 to 2: 1 times",
        "C8": "0 to 2: 0.6667 times",
        "C16": "0 to 2: 0.5 times",
        "C32": "0 to 2: 0.4 times",
    },
    "delay-better-when-large": {"C16": "< 1: 0.5 times", "C32": "< 1: 0.4 times"},
    "ready-routes-are-faster": _each("< 1: 2 times"),
    "stored-raise-delay": _each("> 2, none at 1: 4 times"),
    "aodv-delay-c4": {"C4 over the larger of C2 and C8": "> 1: 0.6667 times"},
    "aodv-hops-c4": {"C4 minus the largest of the others": "> 0: -1.5 hops"},
    "aodv-fewer-in-c2": {"C2": "> 1: 2 times"},
    "mft-fewer-beyond-c2": {
        "C4": "< 1: 0.5 times",
        "C8": "< 1: 0.125 times",
        "C16": "< 1: 0.03125 times",
        "C32": "< 1: 0.007812 times",
    },
    "aodv-explodes": {"C32 over C2": "> 10, none at 1: 256 times"},
    "mft-flat": {"C32 over C2": "0.5 to 2: 1 times"},
    "order-of-magnitude": {
        "C8": "< 0.1, none at 1: 0.125 times",
        "C16": "< 0.1, none at 1: 0.03125 times",
        "C32": "< 0.1, none at 1: 0.007812 times",
    },
    "linear-growth": {"exponent": "0.8 to 1.2: 1"},
    "scales-better": {"exponent, MFT-PubSub minus AODV": "< 0: -2"},
    "brokers-work": {
        **_each("> 2, none at 1: 3 times", rest=", broker over subscriber"),
        **_each("> 2, none at 1: 5 times", rest=", broker over publisher"),
    },
    "migrations": {"C2": "5 to 20: 18.5 migrations", "C32": "600 to 1200: 198.5 migrations"},
    "less-per-migration": {
        **_each("< 1: 0.5 times", rest=", messages"),
        **_each("< 1: 0.25 times", rest=", bytes"),
    },
    "aodv-takes-longer-to-simulate": {"C32, processor time": "< 0.1, none at 1: 0.1 times"},
}
