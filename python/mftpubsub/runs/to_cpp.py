"""A scenario as the simulator takes it: mftpubsub.Scenario to the C++ struct of that name.

A key for each member, under its name in C++ (cpp/scenario/scenario.h, where the units are); the simulator
refuses a key that is missing and one that it does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mftpubsub.protocols.broker import Broker
from mftpubsub.protocols.cpp import CppProtocol
from mftpubsub.protocols.naming import row_of
from mftpubsub.protocols.own_protocol import OwnProtocol
from mftpubsub.runs.radio_to_cpp import castalia_channel, radio_to_cpp
from mftpubsub.scenario.arrivals import Diurnal, OnOff, Recorded
from mftpubsub.scenario.common import unused_parts
from mftpubsub.scenario.event_files import RecordedEvent
from mftpubsub.scenario.faults import Blackout, Crash, Partition
from mftpubsub.scenario.mobility import (
    GaussMarkov,
    Line,
    Manhattan,
    MobilityModel,
    MovementFile,
    RandomWalk,
    RandomWaypoint,
    ReferencePointGroups,
    Wandering,
    Waypoints,
    ends,
)
from mftpubsub.scenario.movement_files import is_bonnmotion, read_bonnmotion, sha256
from mftpubsub.scenario.nodes import Group
from mftpubsub.scenario.obstacles import Obstacle
from mftpubsub.scenario.parameters import Overlay, Routing
from mftpubsub.scenario.part import Model
from mftpubsub.scenario.positions import Waypoint
from mftpubsub.scenario.presence import Absence
from mftpubsub.scenario.radios import Cc2420, Channel
from mftpubsub.scenario.roles import Choice, Constant, Drawn, Integer, Publisher, Subscriber, Uniform
from mftpubsub.scenario.scenario import Scenario
from mftpubsub.simulator.laboratory import PYTHON_BROKERS

#: The C++ scenario's protocol of one that is written in Python (hook-station.h).
PYTHON = "python"
#: Of JSON and C++: `Scenario` and its parts.
Spec = dict[str, Any]


def to_cpp(scenario: Scenario) -> Spec:
    """The C++ scenario; its policies are handed over beside it (policies/hooks.py)."""
    nodes = [_node() for _ in range(scenario.count())]
    for group, ids in zip(scenario.nodes, scenario.ids(), strict=True):
        _fill_nodes(nodes, scenario, group, ids)
    movers = [(mobility, ids) for _, mobility, ids in scenario.movers()]
    for mobility, ids in movers:
        heights = [nodes[node_id]["zMetres"] for node_id in ids]
        for node_id, moves in zip(ids, _mobility(mobility, ids, scenario.speed, heights), strict=True):
            nodes[node_id]["mobility"] = moves
    routing = _routing(scenario)
    return (
        _parameters(scenario)
        | radio_to_cpp(scenario)
        | {
            "hasArp": routing.arp,
            "routingAttributes": list(routing.attributes.items()),
            **_protocol(scenario.protocol),
            "seed": scenario.seed,
            "durationSeconds": scenario.duration,
            "warmUpSeconds": scenario.warm_up,
            "areaXMetres": scenario.area[0],
            "areaYMetres": scenario.area[1],
            "walls": [_wall(*ends, each) for each in scenario.obstacles for ends in each.walls()],
            "nodes": nodes,
            "movementFiles": [
                {"path": str(mobility.path), "nodes": ids}
                for mobility, ids in movers
                if isinstance(mobility, MovementFile) and not is_bonnmotion(str(mobility.path))
            ],
            "crashes": [_outage(each) for _, each in scenario.outages()],
            "blackouts": [_blackout(fault) for fault in scenario.faults if isinstance(fault, Blackout)],
            "partitions": [_partition(fault) for fault in scenario.faults if isinstance(fault, Partition)],
            "sleeps": [
                {
                    "node": nap.node,
                    "startSeconds": nap.start,
                    "stopSeconds": nap.stop,
                    "asleepSeconds": nap.asleep,
                    "awakeSeconds": nap.awake,
                }
                for nap in scenario.naps()
            ],
            "batteries": [{"node": node, "joules": charge} for node, charge in scenario.batteries().items()],
            "subscriptions": _subscriptions(scenario),
        }
    )


def _wall(start: tuple[float, float], end: tuple[float, float], obstacle: Obstacle) -> Spec:
    return {
        "fromXMetres": start[0],
        "fromYMetres": start[1],
        "toXMetres": end[0],
        "toYMetres": end[1],
        "lossDb": obstacle.loss,
        "heightMetres": obstacle.height or 0.0,
    }


def _protocol(protocol: str | OwnProtocol) -> Spec:
    """Its name in C++, and the parameters of one that is written in C++."""
    if isinstance(protocol, CppProtocol):
        return {"protocol": protocol.load(), "ownParameters": protocol.options}
    if isinstance(protocol, Broker):
        return {"protocol": PYTHON_BROKERS, "ownParameters": {}}
    return {"protocol": protocol if isinstance(protocol, str) else PYTHON, "ownParameters": {}}


#: Parameters of a scenario's parts by their keys, and the members that C++ has for them.
MEMBERS = {
    "channel.shadowing": "isShadowingPerCell",
    "channel.sigma": "shadowingSigmaDb",
    "channel.bidirectional_sigma": "bidirectionalSigmaDb",
    "channel.cell": "cellMetres",
    "channel.path_loss_exponent": "pathLossExponent",
    "channel.reference_loss": "referenceLossDb",
    "channel.delivery_threshold": "deliveryThresholdDbm",
    "channel.position_interval": "positionIntervalSeconds",
    "radio.tx_power": "txPowerDbm",
    "radio.cca_threshold": "ccaThresholdDbm",
    "radio.buffer": "radioBuffer",
    "radio.clock_drift": "clockDriftSigma",
    "radio.startup_spread": "startupSpreadSeconds",
    "mac.backoff_base": "backoffBaseSeconds",
    "mac.retry_delay": "retryDelaySeconds",
    "mac.buffer": "macBuffer",
    "overlay.heartbeat_interval": "heartbeatIntervalSeconds",
    "overlay.leader_timeout": "leaderTimeoutSeconds",
    "overlay.rebroadcast_jitter": "rebroadcastJitterSeconds",
    "transport.window": "window",
    "transport.max_frame": "maxFrameBytes",
    "mft_pubsub.literal_children": "literalChildren",
    "mft_pubsub_2.heartbeat_interval": "mftPubsub2.heartbeatSeconds",
    "mft_pubsub_2.leader_timeout": "mftPubsub2.leaderTimeoutSeconds",
    "mft_pubsub_2.max_frame": "mftPubsub2.maxFrameBytes",
    "cascading.replay": "replay",
    "mft_mesh.heartbeat_interval": "mesh.heartbeatSeconds",
    "mft_mesh.heartbeat_max": "mesh.heartbeatMaxSeconds",
    "mft_mesh.forward_jitter": "mesh.forwardSeconds",
    "mft_mesh.settle_time": "mesh.settleSeconds",
    "mft_mesh.copies": "mesh.copies",
    "mft_mesh.redundancy": "mesh.redundancy",
    "mft_mesh.scoping": "mesh.isScoped",
    "mft_mesh.few": "mesh.few",
    "mft_mesh.positions": "mesh.usesPositions",
    "mft_mesh.forget_after": "mesh.forgetAfterSeconds",
    "mpl.proactive_forwarding": "mpl.isProactive",
    "mpl.data_interval": "mpl.dataIntervalSeconds",
    "mpl.data_redundancy": "mpl.dataRedundancy",
    "mpl.data_expirations": "mpl.dataExpirations",
    "mpl.control_min_interval": "mpl.controlMinSeconds",
    "mpl.control_max_interval": "mpl.controlMaxSeconds",
    "mpl.control_redundancy": "mpl.controlRedundancy",
    "mpl.control_expirations": "mpl.controlExpirations",
    "epidemic.summary_interval": "epidemicIntervalSeconds",
    "handoff.ping_interval": "handoff.pingSeconds",
    "handoff.wire_delay": "handoff.wireDelaySeconds",
    "handoff.queue": "handoff.queueBytes",
}
#: Those that C++ says in another way.
SAID_OTHERWISE: dict[str, Callable[[Any], Any]] = {
    "channel.shadowing": lambda drawn_by: drawn_by == "cell",
    "mft_mesh.forget_after": lambda seconds: seconds or 0,
}


def _parameters(scenario: Scenario) -> Spec:
    """What MEMBERS names; `mesh.few` is the member `few` of the member `mesh`."""
    spec: Spec = {}
    instead = _castalia(scenario)
    if "overlay" in unused_parts(scenario.protocol):
        instead["overlay"] = Overlay()  # mft-pubsub-2 has its own, and no other jitter
    for key, member in MEMBERS.items():
        part, field = key.split(".")
        value = getattr(instead.get(part) or getattr(scenario, part), field)
        place, _, name = member.rpartition(".")
        target = spec.setdefault(place, {}) if place else spec
        target[name] = SAID_OTHERWISE[key](value) if key in SAID_OTHERWISE else value
    return spec


def _castalia(scenario: Scenario) -> dict[str, Model]:
    """The CC2420 and its channel, by the names of the scenario's parts; defaults where it has others."""
    is_used = isinstance(scenario.radio, Cc2420)
    radio = scenario.radio if is_used else Cc2420()
    channel = castalia_channel(scenario.channel) if is_used else Channel()
    start, interval = scenario.radio.startup_spread, scenario.channel.position_interval
    return {
        "radio": radio.model_copy(update={"startup_spread": start}),
        "channel": channel.model_copy(update={"position_interval": interval}),
    }


def _routing(scenario: Scenario) -> Routing:
    """What the scenario says of its protocol's routing; of AODV for a protocol that is not over IP."""
    kinds: dict[str, Routing] = {"aodv": scenario.aodv, "olsr": scenario.olsr, "dsdv": scenario.dsdv}
    used = (kinds[part] for part in row_of(scenario.protocol).uses if part in kinds)
    return next(used, scenario.aodv)


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
        "zMetres": 0.0,
    }


_PERIODIC: Spec = {
    "model": "periodic",
    "rateHz": 1.0,
    "onSeconds": 0.0,
    "offSeconds": 0.0,
    "periodSeconds": 0.0,
    "peakSeconds": 0.0,
    "depth": 0.0,
    "atSeconds": [],
}

_NO_PUBLISHER: Spec = {"startSeconds": 0.0, "stopSeconds": 0.0, "arrivals": _PERIODIC, "events": []}


def _fill_nodes(nodes: list[Spec], scenario: Scenario, group: Group, ids: list[int]) -> None:
    """Says what the nodes `ids` of a group are."""
    positions = group.positions(scenario.area)
    for index, (node_id, height) in enumerate(zip(ids, group.heights(), strict=True)):
        node = nodes[node_id]
        node["zMetres"] = height
        for role in group.roles:
            _add_role(node, scenario, role, index)
        if positions is not None:
            node["isPlaced"] = True
            node["xMetres"], node["yMetres"] = positions[index]


def _add_role(node: Spec, scenario: Scenario, role: Any, index: int) -> None:
    """Gives the node `index` of its group a role; a name stands for what the scenario says of it."""
    if role == "subscriber":
        role = scenario.subscriber
    elif role == "publisher":
        role = scenario.publisher
    if isinstance(role, Subscriber):
        node["isSubscriber"] = True
        node["filters"] += role.filters
    elif isinstance(role, Publisher):
        node["isPublisher"] = True
        node["publisher"] = _publisher(role, scenario, index)
    else:
        node["isBroker"] = True


def _publisher(publisher: Publisher, scenario: Scenario, index: int) -> Spec:
    stop = publisher.stops_at(scenario.duration)
    recorded: list[RecordedEvent] = []
    if isinstance(publisher.arrivals, Recorded):
        own = (event for event in publisher.arrivals.events if event.publisher == index)
        recorded = [event for event in own if publisher.start <= event.time < stop]
        events = [_event(event.attributes, event.bytes) for event in recorded]
    else:
        events = [_event(attributes, publisher.payload) for attributes in publisher.events]
    return {
        "startSeconds": publisher.start,
        "stopSeconds": stop,
        "arrivals": _arrivals(publisher) | {"atSeconds": [event.time for event in recorded]},
        "events": events,
    }


def _arrivals(publisher: Publisher) -> Spec:
    arrivals = publisher.arrivals
    spec = _PERIODIC | {"model": arrivals.model, "rateHz": publisher.rate}
    if isinstance(arrivals, OnOff):
        spec |= {"onSeconds": arrivals.on_time, "offSeconds": arrivals.off_time}
    elif isinstance(arrivals, Diurnal):
        spec |= {"periodSeconds": arrivals.period, "peakSeconds": arrivals.peak, "depth": arrivals.depth}
    return spec


def _event(attributes: Mapping[str, Constant | Drawn], payload: int | Drawn) -> Spec:
    return {
        "attributes": [_attribute(name, value) for name, value in attributes.items()],
        "payloadBytes": _attribute("", payload),
    }


def _attribute(name: str, value: Constant | Drawn) -> Spec:
    choices: Sequence[Constant] = []
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


def _subscriptions(scenario: Scenario) -> list[Spec]:
    """How subscriptions change, by time; drawn for each node, so that each protocol gets the same changes."""
    found = []
    for group, ids in zip(scenario.nodes, scenario.ids(), strict=True):
        for role in group.roles:
            subscriber = scenario.subscriber if role == "subscriber" else role
            if isinstance(subscriber, Subscriber):
                for node in ids:
                    changes = subscriber.changes_in(
                        scenario.duration, f"{scenario.seed} subscriptions {node}"
                    )
                    found += [
                        {"node": node, "atSeconds": each.at, "filters": list(each.where)} for each in changes
                    ]
    return sorted(found, key=lambda each: float(each["atSeconds"]))


def _outage(fault: Crash | Absence) -> Spec:
    if isinstance(fault, Crash):
        node, back = fault.crash, fault.restart
    else:
        node, back = fault.node, fault.back
    return {
        "node": node,
        "atSeconds": fault.at,
        "restarts": back is not None,
        "restartSeconds": back or 0.0,
        "isAbsence": isinstance(fault, Absence),
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
    "toZMetres": 0.0,
    "waypoints": [],
    "memory": 0.0,
    "speedSigma": 0.0,
    "directionSigma": 0.0,
    "group": 0,
    "radiusMetres": 0.0,
    "ownSpeed": 0.0,
    "blockMetres": 0.0,
    "straight": 0.0,
}


def _mobility(mobility: MobilityModel, ids: list[int], speed: float, heights: Sequence[float]) -> list[Spec]:
    """How each of the nodes `ids` moves that move by `mobility`.

    `speed` is the scenario's, m/s; `heights` are the nodes', m, of ways that do not say any.
    """
    own = _STANDING | {"model": mobility.model}
    if isinstance(mobility, Wandering | Line):
        own["minSpeed"], own["maxSpeed"] = ends(speed if mobility.speed is None else mobility.speed)
    if isinstance(mobility, RandomWaypoint):
        own["minPauseSeconds"], own["maxPauseSeconds"] = ends(mobility.pause)
        if mobility.start == "steady-state":
            own["model"] = "steady-state-waypoint"
    elif isinstance(mobility, RandomWalk):
        own["turnIntervalSeconds"] = mobility.interval
    elif isinstance(mobility, GaussMarkov):
        own |= {
            "turnIntervalSeconds": mobility.interval,
            "memory": mobility.memory,
            "speedSigma": _or(mobility.speed_sigma, (own["minSpeed"] + own["maxSpeed"]) / 20),
            "directionSigma": mobility.direction_sigma,
        }
    elif isinstance(mobility, Manhattan):
        own |= {"blockMetres": mobility.block, "straight": mobility.straight}
    elif isinstance(mobility, ReferencePointGroups):
        own["minPauseSeconds"], own["maxPauseSeconds"] = ends(mobility.pause)
        own |= {
            "radiusMetres": mobility.radius,
            "ownSpeed": _or(mobility.member_speed, (own["minSpeed"] + own["maxSpeed"]) / 8),
        }
        size = mobility.size or len(ids)
        # A group is named by the id of its first node, which no other group has.
        return [own | {"group": ids[index // size * size]} for index in range(len(ids))]
    elif isinstance(mobility, Line):
        own["toXMetres"], own["toYMetres"], *at = mobility.to
        return [own | {"toZMetres": at[0] if at else height} for height in heights]
    elif isinstance(mobility, Waypoints):
        return [own | _waypoints(*each) for each in zip(mobility.paths, heights, strict=True)]
    elif isinstance(mobility, MovementFile):
        sha256(str(mobility.path), mobility.sha256)  # perhaps on another machine than where it was checked
        if is_bonnmotion(str(mobility.path)):
            paths = read_bonnmotion(str(mobility.path))[: len(ids)]
            return [own | _waypoints(*each) for each in zip(paths, heights, strict=True)]
    return [own] * len(ids)


def _or(value: float | None, default: float) -> float:
    """What is said, or what follows from the speed."""
    return default if value is None else value


def _waypoints(path: Sequence[Waypoint], height: float) -> Spec:
    points = [
        {"seconds": seconds, "xMetres": x, "yMetres": y, "zMetres": at[0] if at else height}
        for seconds, x, y, *at in path
    ]
    return {"model": "waypoints", "waypoints": points}
