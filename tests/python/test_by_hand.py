"""Runs whose every number can be counted with pencil and paper, through trace, Spark and table.

    p (25,10)   s1 (30,10)   b1 (50,10)   b2 (80,10)   s2 (105,10)

Nodes stand still on a line, without shadowing; radios reach 46 m, so p and s1 hear each other and b1,
s2 hears b2, and the brokers hear each other. Seeds are ones under which no frame is lost.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import mftpubsub
from mftpubsub import Broker, Channel, Group, Publisher, Static, Subscriber, Waypoints
from mftpubsub.protocols.catalogue import PROTOCOLS
from mftpubsub.runs.run import run_to_directory
from mftpubsub.scenario.common import known_protocols

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CONFIG = Path(__file__).parents[2] / "configs" / "thesis.yaml"

LINE: dict[str, Any] = {
    "area": [130, 20],
    "nodes": [
        {"count": 1, "roles": ["publisher"], "at": [[25, 10]]},
        {"count": 2, "roles": ["subscriber"], "at": [[30, 10], [105, 10]]},
        {"count": 2, "roles": ["broker"], "at": [[50, 10], [80, 10]]},
    ],
}

#: Out of each other's reach: p1 (5,10), s1 (10,10) and b (20,10); p2 (110,10) and s2 (115,10).
ISLANDS: dict[str, Any] = {
    "area": [130, 20],
    "nodes": [
        {"count": 2, "roles": ["publisher"], "at": [[5, 10], [110, 10]]},
        {"count": 2, "roles": ["subscriber"], "at": [[10, 10], [115, 10]]},
        {"count": 1, "roles": ["broker"], "at": [[20, 10]]},
    ],
}


def line(protocol: str, seed: int) -> mftpubsub.Scenario:
    """Twelve seconds; three events, one a second, from 5 s on."""
    case = mftpubsub.load(CONFIG).case(protocol=protocol, config="C2", speed=2, seed=seed)
    return case.replace(
        config="line",
        **LINE,
        mobility={"model": "static"},
        speed=0.0,
        channel={"shadowing": "pair", "sigma": 0, "bidirectional_sigma": 0},
        duration=12.0,
        publisher={"start": 5.0, "stop": 8.0},
    )


def islands(protocol: str) -> mftpubsub.Scenario:
    """Three events of each publisher; time for AODV to give up its searches."""
    return line(protocol, 1).replace(config="islands", **ISLANDS, duration=60.0)


#: Every event goes p-b1, b1-s1, b1-b2, b2-s2. Each subscriber has said SUB twice when the trees merge:
#: then one broker migrates (BMIG), the other asks for the subscriber that it does not know (BQUERY) and
#: tells of the one that was not named; both answers are BSUB. Heartbeats: the leader's twelve rounds,
#: the first of which the other broker, not up yet, misses and begins one of its own.
MFT_FRAMES = {"PUB": 3 * 4, "SUB": 4, "BMIG": 1, "BQUERY": 1, "BSUB": 2, "ACK": 20, "HEARTBEAT": 24}

MFT = {
    "published": 3,
    "sent_pairs": 3 * 2,
    "matched_pairs": 3 * 2,
    "reachable_pairs": 3 * 2,
    "delivered_pairs": 3 * 2,
    "delivery_rate": 1.0,
    "delivery_rate_strict": 1.0,
    "reachable": 1.0,
    "hops_mean": (2 + 3) / 2,
    "hops_max": 3,
    "nodes": 5,
    "frames": sum(MFT_FRAMES.values()),
    "frames_per_node": sum(MFT_FRAMES.values()) / 5,
    "frames_per_publisher": 3,  # its PUBs
    "frames_per_subscriber": 2 + 3,  # two SUBs, and an ACK for each event
    "frames_per_broker": (sum(MFT_FRAMES.values()) - 3 - 2 * 5) / 2,
    "migrations": 1,
    "migrations_broker": 1,
    "migrations_client": 0,
    "attachments": 1 + 3,  # the migration; the publisher and both subscribers once
    "reattachments": 0,
    "load_by_depth": -1.0,  # of two brokers: the leader sends more
    "duplicates": 0,
}

#: Datagrams go p-s1 and p-b1-b2-s2.
AODV = {
    "published": 3,
    "sent_pairs": 3 * 2,
    "matched_pairs": 3 * 2,
    "delivered_pairs": 3 * 2,
    "delivery_rate": 1.0,
    "hops_mean": (1 + 3) / 2,
    "hops_max": 3,
    "frames_per_node_pub": 3 * (1 + 3) / 5,
    "migrations": 0,
    "duplicates": 0,
}

#: One of two brokers is below the other: no branch is larger than another. AODV has no tree at all.
WITHOUT_TREE = {"mft-pubsub": {"largest_branch"}, "aodv": {"largest_branch", "load_by_depth"}}

#: Each island's own three pairs may arrive. The broker never hears of s2; p2 never hears of the broker.
ISLANDS_LOSSES = {
    "mft-pubsub": {"UNMATCHED": 3, "UNSENT": 6},
    "aodv": {"NO_ROUTE": 6},
}


@pytest.fixture(scope="module")
def scenarios() -> dict[str, mftpubsub.Scenario]:
    """The two counted runs, and a short one on the move for every protocol that can, by name of the run."""
    moving = mftpubsub.load(CONFIG).case(protocol="aodv", config="C4", speed=8, seed=1)
    moving = moving.replace(duration=60.0, publisher={"stop": 50.0})
    return {
        "mft-pubsub line": line("mft-pubsub", 22),
        "aodv line": line("aodv", 1),
        **{f"{name} islands": islands(name) for name in ISLANDS_LOSSES},
        **{
            f"{name} C4": moving.replace(protocol=name)
            for name in known_protocols()
            if not PROTOCOLS[name].fixed_brokers
        },
    }


@pytest.fixture(scope="module")
def tables(
    spark: SparkSession, scenarios: dict[str, mftpubsub.Scenario], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, pd.DataFrame]:
    """The tables that Spark makes of all these runs; `run` names a row's run."""
    from mftpubsub.pipeline.stored import plan, store
    from mftpubsub.pipeline.tables import make
    from mftpubsub.pipeline.workers import Executors

    folder = tmp_path_factory.mktemp("by-hand")
    for scenario in scenarios.values():
        run_to_directory(scenario, folder / "runs")
    store(Executors(spark), folder, plan(folder))
    make(Executors(spark), folder)
    read = {
        name: pd.read_csv(folder / "tables" / f"{name}.csv")
        for name in ("runs", "metrics", "frames_by_kind", "losses")
    }
    return {name: table.assign(run=table.protocol + " " + table.config) for name, table in read.items()}


def frames_of(tables: dict[str, pd.DataFrame], run: str) -> dict[str, int]:
    frames = tables["frames_by_kind"]
    found = frames[frames.run == run]
    return dict(zip(found["kind"], found["frames"], strict=True))


def losses_of(tables: dict[str, pd.DataFrame], run: str) -> dict[str, int]:
    losses = tables["losses"]
    found = losses[losses.run == run]
    return dict(zip(found["cause"], found["pairs"], strict=True))


@pytest.mark.parametrize(("protocol", "expected"), [("mft-pubsub", MFT), ("aodv", AODV)])
def test_the_table_says_what_was_counted_by_hand(
    tables: dict[str, pd.DataFrame], protocol: str, expected: dict[str, float]
) -> None:
    rows = tables["metrics"][tables["metrics"].run == f"{protocol} line"].set_index("metric")
    assert rows["mean"][list(expected)].to_dict() == pytest.approx(expected, rel=1e-12)
    assert set(rows.index[rows.n == 0]) == WITHOUT_TREE[protocol]


def test_every_frame_is_accounted_for(tables: dict[str, pd.DataFrame]) -> None:
    assert frames_of(tables, "mft-pubsub line") == MFT_FRAMES


@pytest.mark.parametrize("protocol", ISLANDS_LOSSES)
def test_losses_have_the_causes_counted_by_hand(tables: dict[str, pd.DataFrame], protocol: str) -> None:
    assert losses_of(tables, f"{protocol} islands") == ISLANDS_LOSSES[protocol]
    assert losses_of(tables, f"{protocol} line") == {}


def test_energy_is_what_the_radio_draws_by_state(
    tables: dict[str, pd.DataFrame], scenarios: dict[str, mftpubsub.Scenario]
) -> None:
    """68 mW while a node listens, 63.42 mW while it sends at 0 dBm; nodes start within 50 ms."""
    trace = mftpubsub.run(scenarios["mft-pubsub line"]).to_pandas()
    sent_s = trace[trace.layer == "radio"].groupby("node").bytes.sum() * 8 / 250e3
    listening_mj = 68 * 12 - (62 - 57.42) * sent_s.reindex(range(5), fill_value=0.0)
    consumed_mj = trace[trace.layer == "energy"].set_index("node").kind.astype(int) / 1e3
    unspent_mj = listening_mj - consumed_mj
    assert len(unspent_mj) == 5
    assert unspent_mj.between(-1e-3, 68 * 0.05).all()
    row = tables["runs"].set_index("run").loc["mft-pubsub line"]
    assert row.energy_per_node_j == pytest.approx(consumed_mj.mean() / 1e3, rel=1e-12)
    assert row.energy_per_delivery_j == pytest.approx(consumed_mj.sum() / 1e3 / 6, rel=1e-12)


def test_what_was_sent_was_delivered_or_lost_by_one_cause(tables: dict[str, pd.DataFrame]) -> None:
    runs = tables["runs"].set_index("run")
    lost = tables["losses"].groupby("run").pairs.sum().reindex(runs.index, fill_value=0)
    assert (runs.delivered_pairs + lost == runs.sent_pairs).all()
    assert (lost > 0).sum() > 2  # not only on the islands


def test_delays_are_from_publication_to_delivery(scenarios: dict[str, mftpubsub.Scenario]) -> None:
    result = mftpubsub.run(scenarios["mft-pubsub line"])
    trace = result.to_pandas()
    published = trace[trace.kind == "PUBLISH"].set_index("sequence").time_s
    delivered = trace[trace.kind == "DELIVER"]
    delays = delivered.time_s - delivered.sequence.map(published)
    assert len(delays) == 6
    assert result.metrics["delay_mean_s"] == pytest.approx(delays.mean(), rel=1e-9)
    # 147 B take 4.704 ms a hop; carrier sense and backoff add up to some tens of ms
    assert delays.min() > 2 * 147 * 8 / 250e3
    assert delays.max() < 0.2


def test_spark_and_a_single_run_agree_for_every_protocol(
    tables: dict[str, pd.DataFrame], scenarios: dict[str, mftpubsub.Scenario]
) -> None:
    rows = tables["runs"].set_index("run")
    assert set(rows.index) == set(scenarios)
    for run, scenario in scenarios.items():
        alone = mftpubsub.run(scenario).metrics
        assert alone["delivered_pairs"] > 0
        together = rows.loc[run].drop(["protocol", "config"]).dropna().to_dict()
        assert together == pytest.approx({name: alone[str(name)] for name in together}, rel=1e-12)
        assert frames_of(tables, run) == alone["frames_by_kind"]
        assert losses_of(tables, run) == alone["lost_by_cause"]


def ferry(*way: tuple[float, str], duration: float, protocol: str = "mft-pubsub") -> mftpubsub.Result:
    """A publisher (5,10), a subscriber 390 m from it, brokers both, and a third broker that goes to and fro.

    `way` says from when on (s) it is where: `pub` or `sub`. A passage takes 10 s before that.
    """
    places = {"pub": (5, 10), "sub": (395, 10)}
    stays = [(0.0, way[0][1]), *way, (duration, way[-1][1])]
    points = [(0.0, *places[way[0][1]])]
    for (_, before), (when, where) in pairwise(stays):
        points += [(when - 10, *places[before]), (when, *places[where])] if when > 0 else []
    return mftpubsub.run(
        mftpubsub.Scenario(
            area=(400, 20),
            duration=duration,
            protocol=protocol,
            nodes=[
                Group(1, [Broker(), Publisher(rate=1)], placement=[places["pub"]]),
                Group(1, [Broker(), Subscriber()], placement=[places["sub"]]),
                Group(1, [Broker()], mobility=Waypoints(points)),
            ],
            mobility=Static(),
            channel=Channel(shadowing="pair", sigma=0, bidirectional_sigma=0),
        )
    )


def test_the_bound_follows_whoever_carries_an_event() -> None:
    result = ferry((0, "pub"), (30, "sub"), duration=60)
    trace = result.to_pandas()
    published = trace[trace.kind == "PUBLISH"].set_index("sequence").time_s
    reached = trace[trace.kind == "REACHABLE"].set_index("sequence").time_s
    passage = 46.4 / 39  # s from one end until it is out of reach
    assert (published[reached.index] < 20 + passage + 0.1).all()
    assert (published.drop(reached.index) > 20 + passage - 0.2).all()
    assert reached.min() > 30 - passage - 0.2
    assert result.metrics["reachable"] == pytest.approx(len(reached) / len(published))
    assert 15 < len(reached) < 25


def test_the_bound_does_not_go_back_in_time() -> None:
    result = ferry((0, "sub"), (30, "pub"), duration=60)
    assert result.metrics["reachable_pairs"] == 0  # there was a way, and then another, in the wrong order


TO_AND_FRO = [(30.0 * trip, "pub" if trip % 2 else "sub") for trip in range(7)]


@pytest.mark.parametrize("protocol", ["mft-pubsub", "cascading"])
def test_what_a_broker_has_matched_it_carries_to_the_other_island(protocol: str) -> None:
    metrics = ferry(*TO_AND_FRO, duration=200, protocol=protocol).metrics
    unknown = metrics["sent_pairs"] - metrics["matched_pairs"]
    assert 20 < unknown < 35  # what was published before anybody there had heard of the subscriber
    assert metrics["delivered_pairs"] == metrics["matched_pairs"] > 100


def test_repaired_a_broker_keeps_what_came_before_it_heard_of_anybody() -> None:
    metrics = ferry(*TO_AND_FRO, duration=200, protocol="mft-pubsub-r").metrics
    assert metrics["delivered_pairs"] == metrics["reachable_pairs"] == metrics["matched_pairs"] > 130
