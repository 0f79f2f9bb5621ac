"""Each parameter is set somewhere, and where no study sets it, its effect is shown here."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import mftpubsub
from mftpubsub import Broker, Group, Publisher, RandomWaypoint, Scenario, Static, Subscriber
from mftpubsub.protocols.catalogue import PROTOCOLS
from mftpubsub.scenario.faults import partition
from mftpubsub.scenario.part import Model
from mftpubsub.worlds.handoff.scenario import Costs, HandoffScenario
from mftpubsub.worlds.handoff.world import run as run_handoff
from mftpubsub.worlds.reconfiguration.scenario import Dispatchers, OverlayScenario, Timers, simulate

ROOT = Path(__file__).parents[2]
#: Where a parameter may be set. The reference is made from the parameters themselves.
SETTING = (
    "README.md", "configs/**/*.yaml", "docs/*.md", "docs/how-to/*.md", "docs/models/*.md", "docs/notebooks/*",
    "python/examples/*", "python/mftpubsub/sources/**/*.py", "benchmarks/*", "tests/golden/**/*.txt",
    "tests/traces/*", "tests/python/*.py",
)  # fmt: skip

NODES = [
    Group(2, [Publisher(rate=1.0, stop=30, event={"topic": "a"})]),
    Group(6, [Subscriber(where="topic = 'a'")]),
    Group(6, [Broker()]),
]


def metrics(protocol: str, **changes: Any) -> dict[str, Any]:
    """Of walkers in 60 m x 60 m, or, of fixed brokers, of those who walk past three of them."""
    settings: dict[str, Any] = dict(protocol=protocol, area=(60, 60), duration=60, nodes=NODES)
    settings["mobility"] = RandomWaypoint(speed=4)
    if PROTOCOLS[protocol].fixed_brokers:
        places = [(20, 15), (90, 15), (160, 15)]
        settings |= {
            "area": (180, 30),
            "nodes": [*NODES[:2], Group(3, [Broker()], placement=places, mobility=Static())],
        }
    return dict(mftpubsub.run(Scenario(**(settings | changes))).metrics)


@cache
def as_usual(protocol: str) -> dict[str, Any]:
    return metrics(protocol)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocol", "part", "key", "value", "metric", "effect"),
    [
        ("mft-pubsub", "channel", "path_loss_exponent", 4.0, "delivered_pairs", "falls"),
        ("mft-pubsub", "channel", "reference_loss", 75.0, "delivered_pairs", "falls"),
        ("mft-pubsub", "channel", "delivery_threshold", -85.0, "hops_mean", "falls"),  # links that are left
        ("mft-pubsub", "channel", "position_interval", 1000.0, "migrations", "falls"),  # all seem to stand
        ("mft-pubsub", "radio", "cca_threshold", 50.0, "delivered_pairs", "falls"),  # all talk at once
        ("mft-pubsub", "radio", "startup_spread", 5.0, "energy_per_node_j", "falls"),
        ("mft-pubsub", "radio", "clock_drift", 0.1, "frames", "changes"),
        ("mft-pubsub", "mac", "retry_delay", 1.0, "delay_median_s", "rises"),
        ("mft-mesh", "mft_mesh", "settle_time", 0.0, "frames_per_node_rep", "rises"),  # what was on its way
        ("mft-mesh", "mft_mesh", "redundancy", 100, "frames_per_node_heartbeat", "rises"),
        ("mpl", "mpl", "proactive_forwarding", False, "frames_per_node_pub", "falls"),
        ("mpl", "mpl", "data_expirations", 1, "frames_per_node_pub", "falls"),
        ("mpl", "mpl", "control_min_interval", 5.0, "frames_per_node_control", "falls"),
        ("mpl", "mpl", "control_redundancy", 100, "frames_per_node_control", "rises"),
        ("mpl", "mpl", "control_expirations", 1, "frames_per_node_control", "falls"),
        ("reactive", "handoff", "wire_delay", 1.0, "delay_mean_s", "rises"),
    ],
)  # fmt: skip
def test_a_parameter_has_its_effect(
    protocol: str, part: str, key: str, value: object, metric: str, effect: str
) -> None:
    before, after = as_usual(protocol)[metric], metrics(protocol, **{part: {key: value}})[metric]

    assert {"falls": after < before, "rises": after > before, "changes": after != before}[effect]


def test_a_mesh_that_forgets_has_nothing_for_whom_a_partition_kept_away() -> None:
    """Node 2, a subscriber of which no broker has heard yet, is alone until all others have everything."""
    alone = partition([2], start=0, stop=110)
    keeping, forgetting = (
        metrics("mft-mesh", duration=130, faults=[alone], mft_mesh={"forget_after": after})["delivered_pairs"]
        for after in (None, 1.0)
    )

    assert forgetting < keeping


def _items(**given: Any) -> float:
    """Sent in an overlay, in sizes of a SUB."""
    run = simulate(OverlayScenario(protocol="ila", dispatchers=Dispatchers(30), **given))
    return float(sum(run["traffic"]))


def test_subscribers_outside_of_the_core_swap_patterns() -> None:
    quiet, lively = (_items(core=0.0, publish_rate=0.0, swap_rate=rate) for rate in (0.0, 5.0))

    assert lively > quiet


def test_dispatchers_that_do_not_wait_to_unsubscribe_subscribe_again() -> None:
    patient, hasty = (_items(timers=Timers(unsubscribe=wait)) for wait in (0.15, 0.0))

    assert hasty > patient


def _handoff(**given: Any) -> dict[str, Any]:
    small: dict[str, Any] = dict(subscribers=30, warm_up=60, window=600, drain=60)
    return run_handoff(HandoffScenario(**(small | given)))


@pytest.mark.slow
def test_a_publisher_that_sleeps_publishes_less() -> None:
    awake, asleep = (
        _handoff(scheme="durable", costs=Costs(event=10), sleep=sleep)["published"] for sleep in (0, 1)
    )

    assert asleep < awake / 10


def test_a_proxy_that_keeps_events_for_a_second_loses_them() -> None:
    long, short = (
        _handoff(scheme="elvin", rate=1, event_expiry=expiry)["loss_percent"] for expiry in (600, 1)
    )

    assert short > long


def _parameters() -> Iterator[tuple[str, str]]:
    """Models and their fields, of all that is a part of some scenario or study."""
    for module in pkgutil.walk_packages(mftpubsub.__path__, "mftpubsub."):
        if not re.search(r"__main__|cluster|libmftpubsub|interop", module.name):
            importlib.import_module(module.name)
    open_models: list[type[Model]] = [Model]
    while open_models:
        model = open_models.pop()
        open_models += model.__subclasses__()
        if model.__module__.startswith("mftpubsub."):
            yield from ((model.__name__, name) for name in model.model_fields)


@pytest.mark.slow
def test_every_parameter_is_set_somewhere() -> None:
    text = "\n".join(
        path.read_text(encoding="utf-8", errors="replace")
        for pattern in SETTING
        for path in sorted(ROOT.glob(pattern))
        if path.is_file()
    )
    given = {*re.findall(r"\b(\w+)['\"]?\s*[:=](?!=)", text), *re.findall(r"['\"](\w+)['\"],", text)}
    unset = [f"{model}.{name}" for model, name in sorted(set(_parameters())) if name not in given]
    assert unset == []
