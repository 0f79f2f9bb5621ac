"""A scenario as the simulator takes it: mftpubsub.Scenario to the C++ struct of that name.

A key for each member, under its name in C++ (cpp/scenario/scenario.h, where the units are); the simulator
refuses a key that is missing and one that it does not know.
"""

from __future__ import annotations

from typing import Any

from mftpubsub.faults import Blackout, Crash, Partition
from mftpubsub.mobility import (
    Line,
    MobilityModel,
    MovementFile,
    RandomWalk,
    RandomWaypoint,
    Waypoints,
    ends,
)
from mftpubsub.movement_files import is_bonnmotion, read_bonnmotion, sha256
from mftpubsub.nodes import Group
from mftpubsub.roles import Choice, Constant, Drawn, Integer, Publisher, Subscriber, Uniform
from mftpubsub.scenario import Scenario

#: Of JSON and C++: `Scenario` and its parts.
Spec = dict[str, Any]


def to_cpp(scenario: Scenario) -> Spec:
    """The C++ scenario; its policies are handed over beside it (policies/hooks.py)."""
    channel, radio, mac = scenario.channel, scenario.radio, scenario.mac
    nodes = [_node() for _ in range(scenario.count())]
    for group, ids in zip(scenario.nodes, scenario.ids(), strict=True):
        _fill_nodes(nodes, scenario, group, ids)
    movers = [(mobility, ids) for _, mobility, ids in scenario.movers()]
    for mobility, ids in movers:
        for node_id, moves in zip(ids, _mobility(mobility, len(ids), scenario.speed), strict=True):
            nodes[node_id]["mobility"] = moves
    return {
        "protocol": scenario.protocol,
        "seed": scenario.seed,
        "durationSeconds": scenario.duration,
        "areaXMetres": scenario.area[0],
        "areaYMetres": scenario.area[1],
        "nodes": nodes,
        "movementFiles": [
            {"path": mobility.path, "nodes": ids}
            for mobility, ids in movers
            if isinstance(mobility, MovementFile) and not is_bonnmotion(mobility.path)
        ],
        "crashes": [_crash(fault) for fault in scenario.faults if isinstance(fault, Crash)],
        "blackouts": [_blackout(fault) for fault in scenario.faults if isinstance(fault, Blackout)],
        "partitions": [_partition(fault) for fault in scenario.faults if isinstance(fault, Partition)],
        "isShadowingPerCell": channel.shadowing == "cell",
        "shadowingSigmaDb": channel.sigma,
        "bidirectionalSigmaDb": channel.bidirectional_sigma,
        "cellMetres": channel.cell,
        "pathLossExponent": channel.path_loss_exponent,
        "referenceLossDb": channel.reference_loss,
        "deliveryThresholdDbm": channel.delivery_threshold,
        "positionIntervalSeconds": channel.position_interval,
        "txPowerDbm": radio.tx_power,
        "ccaThresholdDbm": radio.cca_threshold,
        "radioBuffer": radio.buffer,
        "clockDriftSigma": radio.clock_drift,
        "startupSpreadSeconds": radio.startup_spread,
        "backoffBaseSeconds": mac.backoff_base,
        "retryDelaySeconds": mac.retry_delay,
        "macBuffer": mac.buffer,
        "heartbeatIntervalSeconds": scenario.overlay.heartbeat_interval,
        "leaderTimeoutSeconds": scenario.overlay.leader_timeout,
        "rebroadcastJitterSeconds": scenario.overlay.rebroadcast_jitter,
        "window": scenario.transport.window,
        "maxFrameBytes": scenario.transport.max_frame,
        "literalChildren": scenario.mft_pubsub.literal_children,
        "replay": scenario.cascading.replay,
        "mesh": {
            "heartbeatSeconds": scenario.mft_mesh.heartbeat_interval,
            "heartbeatMaxSeconds": scenario.mft_mesh.heartbeat_max,
            "forwardSeconds": scenario.mft_mesh.forward_jitter,
            "settleSeconds": scenario.mft_mesh.settle_time,
            "copies": scenario.mft_mesh.copies,
            "redundancy": scenario.mft_mesh.redundancy,
            "isScoped": scenario.mft_mesh.scoping,
            "few": scenario.mft_mesh.few,
            "forgetAfterSeconds": scenario.mft_mesh.forget_after or 0,
        },
        "mpl": {
            "isProactive": scenario.mpl.proactive_forwarding,
            "dataIntervalSeconds": scenario.mpl.data_interval,
            "dataRedundancy": scenario.mpl.data_redundancy,
            "dataExpirations": scenario.mpl.data_expirations,
            "controlMinSeconds": scenario.mpl.control_min_interval,
            "controlMaxSeconds": scenario.mpl.control_max_interval,
            "controlRedundancy": scenario.mpl.control_redundancy,
            "controlExpirations": scenario.mpl.control_expirations,
        },
        "epidemicIntervalSeconds": scenario.epidemic.summary_interval,
        "handoff": {
            "pingSeconds": scenario.handoff.ping_interval,
            "wireDelaySeconds": scenario.handoff.wire_delay,
            "queueBytes": scenario.handoff.queue,
        },
        "hasArp": scenario.aodv.arp,
        "aodvAttributes": list(scenario.aodv.attributes.items()),
    }


def _node() -> Spec:
    """A node that is nothing and anywhere."""
    return {
        "isBroker": False,
        "isSubscriber": False,
        "isPublisher": False,
        "filters": [],
        "publisher": _NO_PUBLISHER,
        "isPlaced": False,
        "xMetres": 0.0,
        "yMetres": 0.0,
    }


_NO_PUBLISHER: Spec = {
    "rateHz": 1.0,
    "startSeconds": 0.0,
    "stopSeconds": 0.0,
    "payloadBytes": 0,
    "events": [],
}


def _fill_nodes(nodes: list[Spec], scenario: Scenario, group: Group, ids: list[int]) -> None:
    """Says what the nodes `ids` of a group are."""
    positions = group.positions(scenario.area)
    for index, node_id in enumerate(ids):
        node = nodes[node_id]
        for role in group.roles:
            _add_role(node, scenario, role)
        if positions is not None:
            node["isPlaced"] = True
            node["xMetres"], node["yMetres"] = positions[index]


def _add_role(node: Spec, scenario: Scenario, role: Any) -> None:
    """Gives a node a role; a name stands for what the scenario says of it."""
    if role == "subscriber":
        role = scenario.subscriber
    elif role == "publisher":
        role = scenario.publisher
    if isinstance(role, Subscriber):
        node["isSubscriber"] = True
        node["filters"] += role.filters
    elif isinstance(role, Publisher):
        node["isPublisher"] = True
        node["publisher"] = _publisher(role, scenario)
    else:
        node["isBroker"] = True


def _publisher(publisher: Publisher, scenario: Scenario) -> Spec:
    return {
        "rateHz": publisher.rate,
        "startSeconds": publisher.start,
        "stopSeconds": publisher.stops_at(scenario.duration),
        "payloadBytes": publisher.payload,
        "events": [
            {"attributes": [_attribute(name, value) for name, value in attributes.items()]}
            for attributes in publisher.events
        ],
    }


def _attribute(name: str, value: Constant | Drawn) -> Spec:
    choices: list[Constant] = []
    low = high = 0.0
    if isinstance(value, Uniform | Integer):
        low, high = value.low, value.high
    else:
        choices = value.values if isinstance(value, Choice) else [value]
    return {
        "name": name,
        "choices": choices,
        "low": low,
        "high": high,
        "isWhole": isinstance(value, Integer),
    }


def _crash(fault: Crash) -> Spec:
    return {
        "node": fault.crash,
        "atSeconds": fault.at,
        "restarts": fault.restart is not None,
        "restartSeconds": fault.restart or 0.0,
    }


def _blackout(fault: Blackout) -> Spec:
    one, other = fault.blackout
    return {"one": one, "other": other, "startSeconds": fault.start, "stopSeconds": fault.stop}


def _partition(fault: Partition) -> Spec:
    return {"nodes": fault.partition, "startSeconds": fault.start, "stopSeconds": fault.stop}


_STANDING: Spec = {
    "model": "static",
    "minSpeed": 0.0,
    "maxSpeed": 0.0,
    "minPauseSeconds": 0.0,
    "maxPauseSeconds": 0.0,
    "turnIntervalSeconds": 1.0,
    "toXMetres": 0.0,
    "toYMetres": 0.0,
    "waypoints": [],
}


def _mobility(mobility: MobilityModel, count: int, speed: float) -> list[Spec]:
    """How each of `count` nodes moves that move by `mobility`; `speed` is the scenario's, m/s."""
    own = _STANDING | {"model": mobility.model}
    if isinstance(mobility, RandomWaypoint | RandomWalk | Line):
        own["minSpeed"], own["maxSpeed"] = ends(speed if mobility.speed is None else mobility.speed)
    if isinstance(mobility, RandomWaypoint):
        own["minPauseSeconds"], own["maxPauseSeconds"] = ends(mobility.pause)
        if mobility.start == "steady-state":
            own["model"] = "steady-state-waypoint"
    elif isinstance(mobility, RandomWalk):
        own["turnIntervalSeconds"] = mobility.interval
    elif isinstance(mobility, Line):
        own["toXMetres"], own["toYMetres"] = mobility.to
    elif isinstance(mobility, Waypoints):
        return [own | _waypoints(path) for path in mobility.paths]
    elif isinstance(mobility, MovementFile):
        sha256(mobility.path, mobility.sha256)  # perhaps on another machine than where it was checked
        if is_bonnmotion(mobility.path):
            return [own | _waypoints(path) for path in read_bonnmotion(mobility.path)[:count]]
    return [own] * count


def _waypoints(path: list[tuple[float, float, float]]) -> Spec:
    points = [{"seconds": seconds, "xMetres": x, "yMetres": y} for seconds, x, y in path]
    return {"model": "waypoints", "waypoints": points}
