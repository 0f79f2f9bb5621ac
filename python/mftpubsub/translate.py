"""A scenario as the simulator takes it: mftpubsub.Scenario to the C++ struct of that name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mftpubsub._core import core
from mftpubsub.faults import Blackout, Crash, Fault, Partition
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


def to_cpp(scenario: Scenario) -> Any:
    """The C++ scenario."""
    cpp = core().Scenario()
    cpp.protocol = scenario.protocol
    cpp.seed = scenario.seed
    cpp.durationSeconds = scenario.duration
    cpp.areaXMetres, cpp.areaYMetres = scenario.area
    cpp.nodes.resize(scenario.count())
    for group, ids in zip(scenario.nodes, scenario.ids(), strict=True):
        _fill_nodes(cpp.nodes, scenario, group, ids)
    for _, mobility, ids in scenario.movers():
        _set_mobility(cpp, mobility, ids, scenario.speed)
    for fault in scenario.faults:
        _add_fault(cpp, fault)
    cpp.isShadowingPerCell = scenario.channel.shadowing == "cell"
    cpp.shadowingSigmaDb = scenario.channel.sigma
    cpp.bidirectionalSigmaDb = scenario.channel.bidirectional_sigma
    cpp.cellMetres = scenario.channel.cell
    cpp.pathLossExponent = scenario.channel.path_loss_exponent
    cpp.referenceLossDb = scenario.channel.reference_loss
    cpp.deliveryThresholdDbm = scenario.channel.delivery_threshold
    cpp.positionIntervalSeconds = scenario.channel.position_interval
    cpp.txPowerDbm = scenario.radio.tx_power
    cpp.ccaThresholdDbm = scenario.radio.cca_threshold
    cpp.radioBuffer = scenario.radio.buffer
    cpp.clockDriftSigma = scenario.radio.clock_drift
    cpp.backoffBaseSeconds = scenario.mac.backoff_base
    cpp.retryDelaySeconds = scenario.mac.retry_delay
    cpp.macBuffer = scenario.mac.buffer
    cpp.startupSpreadSeconds = scenario.radio.startup_spread
    cpp.heartbeatIntervalSeconds = scenario.overlay.heartbeat_interval
    cpp.leaderTimeoutSeconds = scenario.overlay.leader_timeout
    cpp.rebroadcastJitterSeconds = scenario.overlay.rebroadcast_jitter
    cpp.window = scenario.transport.window
    cpp.maxFrameBytes = scenario.transport.max_frame
    cpp.literalChildren = scenario.mft_pubsub.literal_children
    cpp.replay = scenario.cascading.replay
    cpp.mesh.heartbeatSeconds = scenario.mft_mesh.heartbeat_interval
    cpp.mesh.heartbeatMaxSeconds = scenario.mft_mesh.heartbeat_max
    cpp.mesh.isScoped = scenario.mft_mesh.scoping
    cpp.mesh.forwardSeconds = scenario.mft_mesh.forward_jitter
    cpp.mesh.settleSeconds = scenario.mft_mesh.settle_time
    cpp.mesh.copies = scenario.mft_mesh.copies
    cpp.mpl.isProactive = scenario.mpl.proactive_forwarding
    cpp.mpl.dataIntervalSeconds = scenario.mpl.data_interval
    cpp.mpl.dataRedundancy = scenario.mpl.data_redundancy
    cpp.mpl.dataExpirations = scenario.mpl.data_expirations
    cpp.mpl.controlMinSeconds = scenario.mpl.control_min_interval
    cpp.mpl.controlMaxSeconds = scenario.mpl.control_max_interval
    cpp.mpl.controlRedundancy = scenario.mpl.control_redundancy
    cpp.mpl.controlExpirations = scenario.mpl.control_expirations
    cpp.epidemicIntervalSeconds = scenario.epidemic.summary_interval
    cpp.hasArp = scenario.aodv.arp
    for name, value in scenario.aodv.attributes.items():
        cpp.aodvAttributes.emplace_back(name, value)
    return cpp


def _fill_nodes(nodes: Any, scenario: Scenario, group: Group, ids: list[int]) -> None:
    """Says what the nodes `ids` of a group are."""
    positions = group.positions(scenario.area)
    for index, node_id in enumerate(ids):
        node = nodes[node_id]
        for role in group.roles:
            _add_role(node, scenario, role)
        if positions is not None:
            node.isPlaced = True
            node.xMetres, node.yMetres = positions[index]


def _add_fault(cpp: Any, fault: Fault) -> None:
    if isinstance(fault, Crash):
        crash = core().CrashSpec()
        crash.node, crash.atSeconds = fault.crash, fault.at
        if fault.restart is not None:
            crash.restarts, crash.restartSeconds = True, fault.restart
        cpp.crashes.push_back(crash)
    elif isinstance(fault, Blackout):
        blackout = core().BlackoutSpec()
        blackout.one, blackout.other = fault.blackout
        blackout.startSeconds, blackout.stopSeconds = fault.start, fault.stop
        cpp.blackouts.push_back(blackout)
    elif isinstance(fault, Partition):
        partition = core().PartitionSpec()
        for node_id in fault.partition:
            partition.nodes.push_back(node_id)
        partition.startSeconds, partition.stopSeconds = fault.start, fault.stop
        cpp.partitions.push_back(partition)


def _add_role(node: Any, scenario: Scenario, role: Any) -> None:
    """Gives a node a role; a name stands for what the scenario says of it."""
    if role == "subscriber":
        role = scenario.subscriber
    elif role == "publisher":
        role = scenario.publisher
    if isinstance(role, Subscriber):
        node.isSubscriber = True
        for text in role.filters:
            node.filters.push_back(text)
    elif isinstance(role, Publisher):
        node.isPublisher = True
        node.publisher = _publisher(role, scenario)
    else:
        node.isBroker = True


_ADDERS: dict[type, Callable[[Any, Any], None]] = {
    bool: lambda attribute, value: attribute.AddBoolean(value),
    int: lambda attribute, value: attribute.AddInteger(value),
    float: lambda attribute, value: attribute.AddDouble(value),
    str: lambda attribute, value: attribute.AddText(value),
}


def _publisher(publisher: Publisher, scenario: Scenario) -> Any:
    cpp = core().PublisherSpec()
    cpp.rateHz = publisher.rate
    cpp.startSeconds = publisher.start
    cpp.stopSeconds = publisher.stops_at(scenario.duration)
    cpp.payloadBytes = publisher.payload
    for attributes in publisher.events:
        event = core().EventSpec()
        for name, value in attributes.items():
            event.attributes.push_back(_attribute(name, value))
        cpp.events.push_back(event)
    return cpp


def _attribute(name: str, value: Constant | Drawn) -> Any:
    cpp = core().AttributeSpec()
    cpp.name = name
    if isinstance(value, Uniform | Integer):
        cpp.low, cpp.high, cpp.isWhole = value.low, value.high, isinstance(value, Integer)
        return cpp
    for constant in value.values if isinstance(value, Choice) else [value]:
        _ADDERS[type(constant)](cpp, constant)
    return cpp


def _set_mobility(cpp: Any, mobility: MobilityModel, ids: list[int], speed: float) -> None:
    """Says how the nodes `ids` move; `speed` is the scenario's, m/s."""
    if isinstance(mobility, MovementFile):  # perhaps on another machine than where it was checked
        sha256(mobility.path, mobility.sha256)
    if isinstance(mobility, MovementFile) and not is_bonnmotion(mobility.path):
        file = core().MovementFileSpec()
        file.path = mobility.path
        for node_id in ids:
            file.nodes.push_back(node_id)
        cpp.movementFiles.push_back(file)
    for index, node_id in enumerate(ids):
        _fill_mobility(cpp.nodes[node_id].mobility, mobility, index, speed)


def _fill_mobility(cpp: Any, mobility: MobilityModel, index: int, speed: float) -> None:
    """Says how one node moves, the `index`-th of those that move by `mobility`."""
    cpp.model = mobility.model
    if isinstance(mobility, RandomWaypoint | RandomWalk | Line):
        cpp.minSpeed, cpp.maxSpeed = ends(speed if mobility.speed is None else mobility.speed)
    if isinstance(mobility, RandomWaypoint):
        cpp.minPauseSeconds, cpp.maxPauseSeconds = ends(mobility.pause)
        cpp.model = "steady-state-waypoint" if mobility.start == "steady-state" else mobility.model
    elif isinstance(mobility, RandomWalk):
        cpp.turnIntervalSeconds = mobility.interval
    elif isinstance(mobility, Line):
        cpp.toXMetres, cpp.toYMetres = mobility.to
    elif isinstance(mobility, Waypoints):
        _fill_waypoints(cpp, mobility.paths[index])
    elif isinstance(mobility, MovementFile) and is_bonnmotion(mobility.path):
        _fill_waypoints(cpp, read_bonnmotion(mobility.path)[index])


def _fill_waypoints(cpp: Any, path: list[tuple[float, float, float]]) -> None:
    cpp.model = "waypoints"
    for seconds, x, y in path:
        point = core().WaypointSpec()
        point.seconds, point.xMetres, point.yMetres = seconds, x, y
        cpp.waypoints.push_back(point)
