"""Publishers over ns-3's routing protocols: AODV, OLSR and DSDV, as they come and tuned.

Nodes stand still without shadowing: 30 m apart frames arrive but for one now and then, 42 m apart none does.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import mftpubsub
from mftpubsub.errors import ConfigurationError

CONFIG = Path(__file__).parents[2] / "configs" / "thesis.yaml"


def scenario(protocol: str, nodes: list[dict[str, Any]], **changes: Any) -> mftpubsub.Scenario:
    case = mftpubsub.load(CONFIG).case(protocol=protocol, config="C2", speed=2, seed=1)
    return case.replace(
        area=[100, 60],
        nodes=nodes,
        mobility={"model": "static"},
        speed=0.0,
        channel={"shadowing": "pair", "sigma": 0, "bidirectional_sigma": 0},
        duration=120.0,
        publisher={"start": 40.0, "stop": 110.0},
        **changes,
    )


def line(protocol: str, **changes: Any) -> mftpubsub.Result:
    """70 events over three hops, once there was time to find the way."""
    roles = ("publisher", "broker", "broker", "subscriber")
    nodes = [{"count": 1, "roles": [role], "at": [[5 + 30 * place, 10]]} for place, role in enumerate(roles)]
    return mftpubsub.run(scenario(protocol, nodes, **changes))


@pytest.mark.parametrize(
    ("protocol", "kinds"),
    [
        ("olsr", {"HELLO", "TC", "DATA"}),
        ("dsdv", {"UPDATE", "DATA"}),
        ("aodv-tuned", {"RREQ", "RREP", "HELLO", "DATA"}),
    ],
)
def test_each_protocol_finds_the_way_in_its_own_words(protocol: str, kinds: set[str]) -> None:
    metrics = line(protocol).metrics
    assert kinds <= set(metrics["frames_by_kind"])
    assert metrics["hops_mean"] == pytest.approx(3, abs=0.05)
    assert metrics["delivered_pairs"] > 35
    assert metrics["duplicates"] == 0
    lost = metrics["sent_pairs"] - metrics["delivered_pairs"]
    assert sum(metrics["lost_by_cause"].values()) == lost


def test_attributes_of_a_scenario_go_over_those_of_the_protocol() -> None:
    hellos = {
        interval: line("olsr-tuned", olsr={"attributes": {"HelloInterval": interval}}).metrics[
            "frames_by_kind"
        ]["HELLO"]
        for interval in ("1s", "4s")
    }
    assert hellos["1s"] > 2.5 * hellos["4s"]


def test_the_aodv_that_a_search_found_is_acknowledged_and_says_hello_each_5_s() -> None:
    found, acked, by_hand = (
        line(protocol).metrics["frames_by_kind"]
        for protocol in ("aodv-tuned-best", "aodv-acked", "aodv-tuned")
    )
    assert found["ACK"] > 0
    assert "ACK" not in by_hand
    assert acked["HELLO"] > 3 * found["HELLO"]


def test_without_a_route_olsr_drops_at_once() -> None:
    nodes = [
        {"count": 1, "roles": ["publisher"], "at": [[5, 10]]},
        {"count": 1, "roles": ["subscriber"], "at": [[95, 10]]},
    ]
    metrics = mftpubsub.run(scenario("olsr", nodes)).metrics
    assert metrics["lost_by_cause"] == {"NO_ROUTE": metrics["sent_pairs"]}


def diamond(protocol: str) -> mftpubsub.Result:
    """Two ways of two hops; each relay is down for half of the time, in turns of 10 s."""
    nodes = [
        {"count": 1, "roles": ["publisher"], "at": [[5, 30]]},
        {"count": 2, "roles": ["broker"], "at": [[28, 20], [28, 40]]},
        {"count": 1, "roles": ["subscriber"], "at": [[51, 30]]},
    ]
    faults = [
        mftpubsub.crash(1 + turn % 2, at=40.0 + 10 * turn, restart=49.0 + 10 * turn) for turn in range(7)
    ]
    quick = {"attributes": {"AllowedHelloLoss": "4"}}
    return mftpubsub.run(scenario(protocol, nodes, faults=faults, aodv=quick))


def test_what_the_device_gives_up_is_a_link_error_for_aodv() -> None:
    told, untold = diamond("aodv-tuned-acked").metrics, diamond("aodv-acked").metrics
    assert told["delivered_pairs"] >= untold["delivered_pairs"] + 7
    assert told["delivered_pairs"] >= 60


@pytest.mark.parametrize(
    ("part", "routing"),
    [(mftpubsub.Olsr, "ns3::olsr"), (mftpubsub.Dsdv, "ns3::dsdv"), (mftpubsub.Aodv, "ns3::aodv")],
)
def test_attributes_are_those_of_the_routing_protocol(part: Any, routing: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{routing}::RoutingProtocol has no attribute Hello"):
        part(attributes={"Hello": "1s"})


@pytest.mark.parametrize(
    ("part", "attributes", "limit"),
    [
        (mftpubsub.Aodv, {"HelloInterval": "0s"}, "HelloInterval = 0s: it must be longer than 0s"),
        (mftpubsub.Aodv, {"HelloInterval": "-1s"}, "longer than 0s"),
        (mftpubsub.Aodv, {"MaxQueueLen": "0"}, "MaxQueueLen = 0: it must be 1 or more"),
        (mftpubsub.Olsr, {"TcInterval": "0ms"}, "longer than 0s"),
        (
            mftpubsub.Olsr,
            {"Willingness": "often"},
            r"Willingness = often .*\(never\|low\|default\|high\|always\)",
        ),
        (mftpubsub.Olsr, {"Willingness": "low|high"}, "Willingness = low"),
        (mftpubsub.Dsdv, {"PeriodicUpdateInterval": "0.0s"}, "longer than 0s"),
    ],
)
def test_attributes_with_which_no_run_ends_are_refused(
    part: Any, attributes: dict[str, str], limit: str
) -> None:
    with pytest.raises(ConfigurationError, match=limit):
        part(attributes=attributes)


@pytest.mark.parametrize(
    ("part", "attributes"),
    [
        (mftpubsub.Olsr, {"Willingness": "never"}),
        (mftpubsub.Aodv, {"HelloInterval": "1ms", "MaxQueueLen": "1", "MaxQueueTime": "0s"}),
    ],
)
def test_attributes_of_each_type_are_taken(part: Any, attributes: dict[str, str]) -> None:
    assert part(attributes=attributes).attributes == attributes
