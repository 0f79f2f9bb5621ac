"""A scenario as the simulator takes it: mftpubsub.Scenario to the C++ struct of that name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mftpubsub._core import core
from mftpubsub.mobility import MobilityModel, RandomWaypoint
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
    cpp.isShadowingPerCell = scenario.channel.shadowing == "cell"
    cpp.shadowingSigmaDb = scenario.channel.sigma
    cpp.bidirectionalSigmaDb = scenario.channel.bidirectional_sigma
    cpp.cellMetres = scenario.channel.cell
    cpp.pathLossExponent = scenario.channel.path_loss_exponent
    cpp.referenceLossDb = scenario.channel.reference_loss
    cpp.txPowerDbm = scenario.radio.tx_power
    cpp.startupSpreadSeconds = scenario.radio.startup_spread
    cpp.heartbeatIntervalSeconds = scenario.overlay.heartbeat_interval
    cpp.leaderTimeoutSeconds = scenario.overlay.leader_timeout
    cpp.rebroadcastJitterSeconds = scenario.overlay.rebroadcast_jitter
    cpp.retries = scenario.transport.retries
    cpp.window = scenario.transport.window
    cpp.maxFrameBytes = scenario.transport.max_frame
    cpp.literalChildren = scenario.mft_pubsub.literal_children
    cpp.replay = scenario.cascading.replay
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
        _set_mobility(node.mobility, group.mobility or scenario.mobility, scenario)


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


def _set_mobility(cpp: Any, mobility: MobilityModel, scenario: Scenario) -> None:
    cpp.model = mobility.to_plain()["model"]
    if isinstance(mobility, RandomWaypoint):
        cpp.minSpeed = cpp.maxSpeed = scenario.speed if mobility.speed is None else mobility.speed
