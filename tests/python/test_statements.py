"""Every part of every statement, in a world of plain numbers: what is claimed of it, and what it comes to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from math import log2

import pandas as pd
import pytest

from mftpubsub.sources.thesis.statements import CLAIMS
from mftpubsub.studies.evidence import NO_RUNS, Finding, Part, Runs, examine
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
        "load_busiest_broker": 1.5,
        "load_by_depth": -0.5,
        "largest_branch": 0.75,
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


def world() -> pd.DataFrame:
    """One row a run of the three protocols, the same for each of three seeds."""
    worlds = {"mft-pubsub": mft, "aodv": aodv, "cascading": cascading}
    rows = [
        dict(zip(KEYS, (name, config, speed, seed), strict=True)) | values(nodes, speed) | {"nodes": nodes}
        for (name, values), (config, nodes), speed, seed in product(
            worlds.items(), NODES.items(), SPEEDS, (1, 2, 3)
        )
    ]
    return pd.DataFrame(rows)


def test_every_statement_is_about_what_it_says() -> None:
    runs = Runs(world())
    found = {claim.id: {part.name: _told(part) for part in claim.check(runs)} for claim in CLAIMS}
    assert found == STATEMENTS


def test_processor_times_are_compared_on_one_machine() -> None:
    there = world()
    there["machine"] = "slow"
    theirs = there["protocol"] == "aodv"
    there.loc[theirs & (there["seed"] == there["seed"].max()), "machine"] = "fast"
    claim = next(claim for claim in CLAIMS if claim.id == "aodv-takes-longer-to-simulate")
    seeds = []
    for machines in (there, there.drop(columns="machine")):
        (part,) = claim.check(Runs(machines))
        assert isinstance(part.values, pd.Series)
        seeds.append([*part.values.index])
    assert seeds == [[1, 2], [1, 2, 3]]


def plain(*lacking: str) -> pd.DataFrame:
    """A world of plain numbers, whose seeds differ a little, less what some queries find."""
    values = world()
    measured = [str(name) for name in values.select_dtypes("number") if name not in (*KEYS, "nodes")]
    values = values.astype(dict.fromkeys(measured, float))
    values[measured] *= 1 + 0.001 * values[["seed"]].to_numpy()
    for query in lacking:
        values = values.drop(values.query(query).index)
    return values


def findings(values: pd.DataFrame, of: str) -> list[Finding]:
    claim = next(claim for claim in CLAIMS if claim.id == of)
    return [examine(part) for part in claim.check(Runs(values))]


OURS, THEIRS = "protocol == 'mft-pubsub'", "protocol == 'aodv'"
NOT_C2 = ["C4", "C8", "C16", "C32"]


@pytest.mark.parametrize(
    ("lacking", "claim", "parts"),
    [
        (f"{THEIRS} and config == 'C32'", "rate-better", ["C2", "C4", "C8", "C16"]),
        (f"{THEIRS} and config == 'C32'", "ready-routes-are-faster", ["C2", "C4", "C8", "C16"]),
        (f"{THEIRS} and config == 'C32'", "order-of-magnitude", ["C8", "C16"]),
        (f"{THEIRS} and config == 'C16' and speed_mps < 8", "c16-delivers-more", ["8 m/s", "10 m/s"]),
        (f"{OURS} and config == 'C2' and speed_mps < 8", "rate-rises-with-speed", [*NODES]),
        (f"{OURS} and config == 'C2' and speed_mps != 8", "rate-rises-with-speed", NOT_C2),
        (f"{OURS} and config == 'C2' and speed_mps != 8", "speed-resilience", NOT_C2),
        (f"{OURS} and config == 'C16'", "undelivered-are-stored", ["C2", "C4", "C8", "C32"]),
        (f"config == 'C2' and ({THEIRS}) == (seed == 1)", "rate-better", NOT_C2),
        (
            "speed_mps == 10 and config != 'C2'",
            "size-lowers-rate",
            [f"{name}, {speed} m/s" for name in ("MFT-PubSub", "AODV") for speed in (2, 6, 8)],
        ),
        (f"{THEIRS} and config == 'C32'", "c32-rate-better", ["C32"]),
        (f"{THEIRS} and config == 'C32'", "delay-better-when-large", ["C16", "C32"]),
        (THEIRS, "rate-better", [*NODES]),
    ],
)
def test_what_is_said_of_each_place_is_judged_where_it_was_run_and_a_named_place_stays(
    lacking: str, claim: str, parts: list[str]
) -> None:
    told = [found.part.name for found in findings(plain(lacking), claim)]
    assert [name.removesuffix(", stored of matched and undelivered") for name in told] == parts


def test_mobility_is_judged_between_the_slowest_and_the_fastest_of_each_network() -> None:
    found = findings(plain(f"{OURS} and config == 'C2' and speed_mps == 10"), "mobility-does-not-impair")
    assert [one.part.name for one in found][:2] == ["C2, 8 instead of 2 m/s", "C4, 10 instead of 2 m/s"]
    assert {one.outcome for one in found} == {"holds"}


def test_a_place_with_fewer_seeds_than_a_test_needs_stays_a_part() -> None:
    values = plain(f"{THEIRS} and config == 'C32' and seed > 2")
    assert findings(values, "rate-better")[-1].text == f"C32: {NO_RUNS}"


Value = float | Callable[[int, float], float]
ALL = " ".join(NODES)


def _linear(start: float, slope: float) -> Value:
    """Over the speed."""
    return lambda nodes, speed: start + slope * speed


def _doubling(start: float, change: float) -> Value:
    """Over the number of nodes, with each doubling."""
    return lambda nodes, speed: start + change * log2(nodes / 4)


def _power(exponent: float) -> Value:
    """Of the number of nodes."""
    return lambda nodes, speed: 100 * nodes**exponent


@dataclass(frozen=True)
class Edge:
    """What a protocol has in some networks, by the number of nodes and the speed, on each side of a bound."""

    claim: str
    part: str
    configs: str
    metric: str
    inside: Value
    outside: Value
    protocol: str = "mft-pubsub"

    def outcome(self, value: Value) -> str:
        """Of the part, in a world with this value, whose seeds differ by next to nothing."""
        runs = world().astype({self.metric: float})
        here = (runs["protocol"] == self.protocol) & runs["config"].isin(self.configs.split())
        for i, row in runs[here].iterrows():
            exact = value(row["nodes"], row["speed_mps"]) if callable(value) else value
            runs.loc[i, self.metric] = exact * (1 + 1e-7 * row["seed"] * row["nodes"])
        claim = next(claim for claim in CLAIMS if claim.id == self.claim)
        parts = {part.name: part for part in claim.check(Runs(runs))}
        return examine(parts[self.part]).outcome


def _edges() -> list[Edge]:
    """The other side of each comparison is in mft, aodv and cascading above."""
    rate, strict, delay = "delivery_rate", "matched_share", "delay_mean_s"
    delivered, frames, migrations = "delivered_pairs", "frames_per_node", "migrations"
    return [
        Edge("speed-resilience", "C2", "C2", rate, _linear(0.5, -0.0199), _linear(0.5, -0.0201)),
        Edge("rate-rises-with-speed", "C2", "C2", rate, _linear(0.5, 1e-3), _linear(0.5, -1e-3)),
        Edge("size-lowers-rate", "MFT-PubSub, 8 m/s", ALL, rate, _doubling(0.5, -1e-3), _doubling(0.5, 1e-3)),
        Edge(
            "size-lowers-rate", "AODV, 8 m/s", ALL, rate, _doubling(0.5, -1e-3), _doubling(0.5, 1e-3), "aodv"
        ),
        Edge(
            "delivered-peaks-at-6",
            "6 instead of 2 m/s",
            "C16",
            delivered,
            _linear(1000, 1),
            _linear(1000, -1),
        ),
        Edge(
            "delivered-peaks-at-6",
            "10 instead of 6 m/s",
            "C16",
            delivered,
            _linear(1000, -1),
            _linear(1000, 1),
        ),
        Edge(
            "stored-meet-subscriber",
            "C2, share left in queues",
            "C2",
            "lost_QUEUED",
            _linear(0.1, -1e-3),
            _linear(0.1, 1e-3),
        ),
        Edge("c16-delivers-more", "2 m/s", "C16", delivered, 1021, 1019),
        Edge("c32-aodv-delivers-more", "C32", "C32", delivered, 1079, 1081),
        Edge("c32-rate-better", "C32", "C32", rate, 0.021, 0.019),
        Edge(
            "c32-never-matched", "C32, never matched of all that was not delivered", "C32", strict, 0.69, 0.71
        ),
        Edge(
            "c32-never-matched",
            "C32, strict rate, MFT-PubSub minus AODV",
            "C32",
            "delivery_rate_strict",
            0.349,
            0.351,
        ),
        Edge("rate-better", "C2", "C2", rate, 0.171, 0.169),
        Edge(
            "mobility-does-not-impair",
            "C2, 10 instead of 2 m/s",
            "C2",
            rate,
            _linear(0.5, -0.0124),
            _linear(0.5, -0.0126),
        ),
        Edge(
            "undelivered-are-stored",
            "C2, stored of matched and undelivered",
            "C2",
            "lost_QUEUED",
            0.0811,
            0.0809,
        ),
        Edge("delay-keeps-up", "C4", "C4", delay, 0.399, 0.401),
        Edge("delay-better-when-large", "C16", "C16", delay, 0.399, 0.401),
        Edge("delay-better-when-large", "C32", "C32", delay, 0.499, 0.501),
        Edge("ready-routes-are-faster", "C2", "C2", "delay_median_s", 0.0249, 0.0251),
        Edge("stored-raise-delay", "C2", "C2", "delay_median_s", 0.0999, 0.1001),
        Edge("aodv-delay-c4", "C4 over the larger of C2 and C8", "C4", delay, 0.301, 0.299, "aodv"),
        Edge("aodv-hops-c4", "C4 minus the largest of the others", "C4", "hops_mean", 4.01, 3.99, "aodv"),
        Edge("aodv-fewer-in-c2", "C2", "C2", frames, 50.1, 49.9),
        Edge("mft-fewer-beyond-c2", "C4", "C4", frames, 199, 201),
        Edge("aodv-explodes", "C32 over C2", "C32", frames, 501, 499, "aodv"),
        Edge("mft-flat", "C32 over C2", "C32", frames, 199, 201),
        Edge("mft-flat", "C32 over C2", "C32", frames, 50.1, 49.9),
        Edge("order-of-magnitude", "C8", "C8", frames, 79.9, 80.1),
        Edge("linear-growth", "exponent", ALL, "frames", _power(1.19), _power(1.21)),
        Edge("linear-growth", "exponent", ALL, "frames", _power(0.81), _power(0.79)),
        Edge("scales-better", "exponent, MFT-PubSub minus AODV", ALL, "frames", _power(2.99), _power(3.01)),
        Edge("brokers-work", "C2, broker over subscriber", "C2", "frames_per_broker", 201, 199),
        Edge("brokers-work", "C2, broker over publisher", "C2", "frames_per_broker", 121, 119),
        Edge("migrations", "C2", "C2", migrations, 5.1, 4.9),
        Edge("migrations", "C2", "C2", migrations, 19.9, 20.1),
        Edge("migrations", "C32", "C32", migrations, 601, 599),
        Edge("migrations", "C32", "C32", migrations, 1199, 1201),
        Edge("less-per-migration", "C2, messages", "C2", "control_per_migration", 39.9, 40.1),
        Edge("less-per-migration", "C2, bytes", "C2", "control_bytes_per_migration", 799, 801),
        Edge("aodv-takes-longer-to-simulate", "C32, processor time", "C32", "cpu_s", 4.99, 5.01),
        Edge("load-near-leader", "C2, busiest over mean broker", "C2", "load_busiest_broker", 1.99, 2.01),
        Edge("load-near-leader", "C2, correlation with depth", "C2", "load_by_depth", -0.01, 0.01),
        Edge("unbalanced-trees", "C2, brokers on the largest branch", "C2", "largest_branch", 0.501, 0.499),
    ]


EDGES = _edges()


def test_no_statement_is_without_an_edge() -> None:
    assert {edge.claim for edge in EDGES} == {claim.id for claim in CLAIMS}


@pytest.mark.slow
@pytest.mark.parametrize("edge", EDGES, ids=lambda edge: f"{edge.claim}: {edge.part}")
def test_a_part_holds_just_inside_its_bound_and_not_just_outside(edge: Edge) -> None:
    assert edge.outcome(edge.inside) == "holds"
    assert edge.outcome(edge.outside) in ("does not hold", "opposite")


def test_more_than_ten_nodes_are_more_than_ten() -> None:
    rows = [("mft-pubsub", config, 8.0, 1, nodes, 1.0) for config, nodes in (("C4", 10), ("C8", 11))]
    runs = Runs(pd.DataFrame(rows, columns=[*KEYS, "nodes", "frames_per_node"]))
    parts = next(claim for claim in CLAIMS if claim.id == "order-of-magnitude").check(runs)
    assert [part.name for part in parts] == ["C8"]


def test_all_other_networks_are_those_of_more_nodes_than_the_smallest_has() -> None:
    named = plain().replace({"config": dict(zip(NODES, "abcde", strict=True))})
    for values in (named, named[named["config"] != "a"]):
        assert [found.part.name for found in findings(values, "mft-fewer-beyond-c2")] == [*"bcde"]


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
    "load-near-leader": {
        **_each("< 2: 1.5 times", rest=", busiest over mean broker"),
        **_each("< 0: -0.5", rest=", correlation with depth"),
    },
    "unbalanced-trees": _each("> 50: 75 %", rest=", brokers on the largest branch"),
}
