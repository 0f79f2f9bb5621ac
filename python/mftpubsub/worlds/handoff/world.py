"""Runs one scenario in the simulator, and computes the metrics of G 5.1.3: each is defined here, once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mftpubsub.errors import ConfigurationError, no_such
from mftpubsub.simulator.laboratory import handoff_schemes
from mftpubsub.simulator.worlds import handoff_world, run_handoff
from mftpubsub.worlds.handoff.scenario import TREE, HandoffScenario

#: handoff-scenario.h and node-id.h
FIRST_SUBSCRIBER, NO_NODE = 1000, 0xFFFF


class Logged(NamedTuple):
    """All that happened in a run, in order. The publisher is 0, brokers are from 1, subscribers from
    FIRST_SUBSCRIBER; times are in s."""

    sent: list[tuple[float, int, int, str, float]]
    """Of each message time, sender, receiver, name, and bytes of events."""
    moves: list[tuple[float, int, int]]
    """Of each move time, subscriber, broker or NO_NODE."""
    rows: list[tuple[float, int, str, str]]
    """Of each copy of a subscription that changes time, broker, subscriber, and what it is now, in words."""


QUANTILES = (0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95, 0.99)
#: C++'s name of each field that differs from ours only by its spelling.
_FIELDS = [
    "scheme",
    "subscribers",
    "sleep",
    "seed",
    "mean_connected",
    "warm_up",
    "window",
    "drain",
    "interest",
    "detection_delay",
    "transfer_time",
    "home",
    "filters_in_reconnect",
    "root",
    "announced",
    "implicit_move_out",
    "session_expiry",
    "event_expiry",
    "event_bytes",
]


def run(scenario: HandoffScenario) -> dict[str, Any]:
    """The metrics of one run.

    Raises ConfigurationError for a scheme that there is not, or that has no such option.
    """
    return metrics(run_handoff(_to_cpp(scenario)), scenario)


def logged(scenario: HandoffScenario) -> Logged:
    """All that happens in a run. Raises as `run`."""
    target = _to_cpp(scenario)
    target.isLogged = True
    result = run_handoff(target)
    sent = [(one.seconds, getattr(one, "from"), one.to, str(one.kind), one.bytes) for one in result.log]
    moves = [(move.seconds, move.subscriber, move.broker) for move in result.moveLog]
    rows = [(row.seconds, row.node, str(row.name), str(row.text)) for row in result.rowLog]
    return Logged(sent, moves, rows)


def metrics(result: Any, scenario: HandoffScenario) -> dict[str, Any]:
    """Metrics of a result of C++ (section 8 of the specification): shares in %, times in s, rates per s.

    A metric of nothing (no copies, no moves) is None.
    """
    window = scenario.window
    first = result.copies - result.duplicates
    control = {str(kind): int(count) for kind, count in result.control}
    latencies = np.array(result.latencies, dtype=float)
    per_move = {kind: _over(count, result.moves) for kind, count in sorted(control.items())}
    return {
        "loss_percent": _over(100 * result.lost, result.wanted),
        "duplicates_percent": _over(100 * result.duplicates, result.copies),
        "throughput": result.copiesInWindow / window,
        "throughput_by_broker": [copies / window for copies in result.copiesByBroker],
        "delay_mean_s": _over(result.delaySum, result.copies),
        "delay_first_copies_mean_s": _over(result.delayFirstSum, first),
        "handoff_latency_s": {
            f"{quantile:g}": float(np.quantile(latencies, quantile)) if latencies.size else None
            for quantile in QUANTILES
        },
        "handoffs_measured": int(latencies.size),
        "handoffs_over_1_2_s_percent": _over(100 * int((latencies > 1.2).sum()), latencies.size),
        "handoffs_under_0_35_s_percent": _over(100 * int((latencies < 0.35).sum()), latencies.size),
        "handoffs_under_0_05_s_percent": _over(100 * int((latencies < 0.05).sum()), latencies.size),
        "transferred_share": _over(result.transferred, result.copiesInWindow),
        "control_per_move": per_move | {"all": _over(sum(control.values()), result.moves)},
        "control_hops_per_move": _over(result.controlHops, result.moves),
        "traffic_hops_per_event": _over(result.trafficHops, result.published),
        "moves": int(result.moves),
        "bytes_per_move": _over(result.messageBytes, result.moves),
        "published": int(result.published),
        "wanted": int(result.wanted),
        "delivered_per_event": _over(result.delivered, result.published),
        "stored_per_event": _over(sum(result.storedByBroker), result.published),
        "stored_per_event_by_broker": [_over(stored, result.published) for stored in result.storedByBroker],
        "control_per_event": _over(sum(control.values()), result.published),
        "transferred_per_event": _over(result.transferredEvents, result.published),
        "held_mean": result.heldMean,
        "connected_by_broker": [float(connected) for connected in result.connectedByBroker],
    }


def _over(count: float, total: float) -> float | None:
    return float(count) / float(total) if total else None


def _to_cpp(scenario: HandoffScenario) -> Any:
    if scenario.scheme not in handoff_schemes():
        raise ConfigurationError(f"scheme: {no_such('scheme', scenario.scheme, handoff_schemes())}")
    target = handoff_world().HandoffScenario()
    for name in _FIELDS:
        first, *rest = name.split("_")
        setattr(target, first + "".join(word.capitalize() for word in rest), getattr(scenario, name))
    for origin, destination in scenario.moves():
        target.AddMove(origin, destination)
    for one, other in TREE:
        target.AddLink(one, other)
    target.bandwidth = (scenario.bandwidth or 0) * 1e6
    target.queueBytes = scenario.buffer_events * scenario.event_bytes
    target.closedLoop = scenario.rate is None
    if scenario.rate is not None:
        target.rate = scenario.rate
    for name, milliseconds in scenario.costs.model_dump().items():
        setattr(target.costs, f"{name}Ms", milliseconds)
    return target
