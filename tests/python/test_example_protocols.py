"""The protocols of python/examples/protocols: short, delivering over hops, living through crashes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mftpubsub
from mftpubsub.scenario.roles import Role

FOLDER = Path(__file__).parents[2] / "python" / "examples" / "protocols"
PROTOCOLS = (
    "flooding:Flood",
    "gossip:Gossip",
    "interests:Interests",
    "spray_and_wait:SprayAndWait",
    "tree_broker:TreeBroker",
)
#: It has a fault: test_examples.py shows how that is found.
PLANTED = "counting"
#: Its events say where they go.
GEOGRAPHIC = "greedy"
SPACING = 14.0  # m


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))


def line(protocol: str, **changed: object) -> mftpubsub.Scenario:
    """A publisher, three brokers, a subscriber, on a line."""
    publisher = mftpubsub.Publisher(event={"temp": 21.5}, rate=1.0, stop=40.0)
    subscriber = mftpubsub.Subscriber(where="temp > 20")
    roles: list[list[Role]] = [[publisher], ["broker"], ["broker"], ["broker"], [subscriber]]
    places = [(10 + SPACING * place, 10.0) for place in range(len(roles))]
    return mftpubsub.Scenario(
        area=(200, 20),
        nodes=[mftpubsub.Group(1, each, placement=[at]) for each, at in zip(roles, places, strict=True)],
        mobility=mftpubsub.Static(),
        duration=60,
        protocol=protocol,
    ).replace(**changed)


def test_each_example_is_tested_and_short() -> None:
    files = sorted(FOLDER.glob("*.py"))
    assert {path.stem for path in files} == {
        PLANTED,
        GEOGRAPHIC,
        *(name.partition(":")[0] for name in PROTOCOLS),
    }
    for path in files:
        assert len(path.read_text(encoding="utf-8").splitlines()) < 80, path.name


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_it_delivers_over_hops(protocol: str) -> None:
    result = mftpubsub.run(line(protocol))
    assert result.metrics["published"] > 30
    assert result.metrics["delivery_rate_strict"] > 0.9
    assert result.to_pandas("deliveries")["hops"].max() > 2


def test_events_go_where_they_say_from_hop_to_hop() -> None:
    publisher = mftpubsub.Publisher(event={"temp": 21.5, "x": 66, "y": 10}, stop=40.0)
    first, *others = line("greedy:Greedy").nodes
    source = mftpubsub.Group(1, [publisher], placement=first.placement)
    result = mftpubsub.run(line("greedy:Greedy", nodes=[source, *others]))
    assert result.metrics["delivery_rate_strict"] > 0.9
    assert result.to_pandas("deliveries")["hops"].max() > 2
    assert result.metrics["frames_by_kind"]["DATA"] < 5 * result.metrics["published"]


def test_a_tree_of_ones_own_lives_better_with_crashes_than_simple_routing() -> None:
    def delivered(protocol: str) -> float:
        faults = [mftpubsub.crash(2, at=10.0, restart=15.0), mftpubsub.crash(4, at=12.0, restart=18.0)]
        return float(mftpubsub.run(line(protocol, faults=faults)).metrics["delivery_rate_strict"])

    assert delivered("tree_broker:TreeBroker") > delivered("simple-routing")


@pytest.mark.parametrize("protocol", [name for name in PROTOCOLS if not name.startswith("tree_broker")])
def test_it_delivers_again_after_crashes_of_a_broker_and_the_subscriber(protocol: str) -> None:
    faults = [mftpubsub.crash(2, at=10.0, restart=15.0), mftpubsub.crash(4, at=12.0, restart=18.0)]
    result = mftpubsub.run(line(protocol, faults=faults))
    deliveries = result.to_pandas("deliveries")
    late = deliveries[deliveries["published_s"] > 25]
    assert len(late) > 10
    assert late["delivered_s"].notna().mean() > 0.9


@pytest.mark.slow
def test_they_do_the_same_whatever_hashes_are() -> None:
    code = (
        "import gzip, hashlib, mftpubsub\n"
        "from test_example_protocols import PROTOCOLS, line\n"
        "for run in (mftpubsub.run(line(protocol, duration=45)) for protocol in PROTOCOLS):\n"
        "    print(hashlib.sha256(gzip.decompress(run.trace.read_bytes())).hexdigest())"
    )
    found = set()
    for seed in "12":
        paths = os.pathsep.join((str(Path(__file__).parent), str(FOLDER)))
        env = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": paths}
        found.add(
            subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True).stdout
        )
    assert len(found) == 1
    assert len(set(found.pop().split())) == len(PROTOCOLS)
