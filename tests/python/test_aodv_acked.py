"""AODV over hop-by-hop acknowledgement, on a line of four nodes whose links lose frames.

Nodes stand still 30 m apart, without shadowing: a frame of 143 B is lost now and then, over each hop.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import mftpubsub

CONFIG = Path(__file__).parents[2] / "configs" / "thesis.yaml"
ROLES = ("publisher", "broker", "broker", "subscriber")


def run(protocol: str, **changes: Any) -> dict[str, Any]:
    """Metrics of 100 events in 100 s, over three hops."""
    case = mftpubsub.load(CONFIG).case(protocol=protocol, config="C2", speed=2, seed=1)
    return mftpubsub.run(
        case.replace(
            area=[100, 20],
            nodes=[
                {"count": 1, "roles": [role], "at": [[5 + 30 * place, 10]]}
                for place, role in enumerate(ROLES)
            ],
            mobility={"model": "static"},
            speed=0.0,
            channel={"shadowing": "pair", "sigma": 0, "bidirectional_sigma": 0},
            duration=120.0,
            publisher={"start": 10.0, "stop": 110.0},
            **changes,
        )
    ).metrics


@pytest.fixture(scope="module")
def plain() -> dict[str, Any]:
    return run("aodv")


@pytest.fixture(scope="module")
def acked() -> dict[str, Any]:
    return run("aodv-acked")


@pytest.fixture(scope="module")
def unrepeated() -> dict[str, Any]:
    return run("aodv-acked", transport={"retries": 0})


def test_what_is_repeated_arrives(plain: dict[str, Any], acked: dict[str, Any]) -> None:
    assert plain["delivered_pairs"] < 90
    assert acked["delivered_pairs"] >= 98
    assert acked["hops_mean"] == plain["hops_mean"] == 3
    assert acked["duplicates"] == 0


def test_unicast_frames_are_acknowledged_and_nothing_else(
    plain: dict[str, Any], acked: dict[str, Any]
) -> None:
    frames = acked["frames_by_kind"]
    assert "ACK" not in plain["frames_by_kind"]
    assert frames["DATA"] > 300  # some twice
    unicast = sum(count for kind, count in frames.items() if kind not in ("ACK", "HELLO", "RREQ"))
    assert 300 <= frames["ACK"] <= unicast
    assert frames["HELLO"] == pytest.approx(plain["frames_by_kind"]["HELLO"], rel=0.1)


def test_without_retries_no_frame_is_sent_twice(unrepeated: dict[str, Any]) -> None:
    assert unrepeated["frames_by_kind"]["DATA"] <= 3 * 100
    assert unrepeated["delivered_pairs"] < 90
    assert unrepeated["lost_by_cause"]["RADIO"] > 10


def test_what_was_sent_was_delivered_or_lost(
    plain: dict[str, Any], acked: dict[str, Any], unrepeated: dict[str, Any]
) -> None:
    for metrics in (plain, acked, unrepeated):
        lost = sum(metrics["lost_by_cause"].values())
        assert metrics["sent_pairs"] == metrics["delivered_pairs"] + lost == 100


def test_packets_larger_than_a_frame_are_split() -> None:
    metrics = run("aodv-acked", transport={"max_frame": 64})
    assert metrics["delivered_pairs"] >= 98
    # 128 B of IPv4 and the protocol number, in frames with room for 64 - 15 - 10 B
    assert metrics["frames_by_kind"]["DATA"] >= 4 * 3 * metrics["delivered_pairs"]


def test_arp_finds_the_addresses_too() -> None:
    metrics = run("aodv-acked", aodv={"arp": True})
    assert metrics["frames_by_kind"]["ARP"] > 0
    assert metrics["delivered_pairs"] > 90
