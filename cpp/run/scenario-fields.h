/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What a scenario, a snapshot and a cost are as JSON: each member under its name. In Python
 * runs/to_cpp.py writes the one and runs/simulation.py reads the others.
 */
#ifndef MFTPUBSUB_RUN_SCENARIO_FIELDS_H
#define MFTPUBSUB_RUN_SCENARIO_FIELDS_H

#include "json/fields.h"
#include "run/run-request.h"
#include "scenario/scenario.h"

namespace mftpubsub
{

template <>
inline constexpr auto FIELDS<AttributeSpec> =
    MakeFields<AttributeSpec>(MFTPUBSUB_FIELD(AttributeSpec, name),
                              MFTPUBSUB_FIELD(AttributeSpec, choices),
                              MFTPUBSUB_FIELD(AttributeSpec, low),
                              MFTPUBSUB_FIELD(AttributeSpec, high),
                              MFTPUBSUB_FIELD(AttributeSpec, isWhole));

template <>
inline constexpr auto FIELDS<EventSpec> =
    MakeFields<EventSpec>(MFTPUBSUB_FIELD(EventSpec, attributes),
                          MFTPUBSUB_FIELD(EventSpec, payloadBytes));

template <>
inline constexpr auto FIELDS<ArrivalsSpec> =
    MakeFields<ArrivalsSpec>(MFTPUBSUB_FIELD(ArrivalsSpec, model),
                             MFTPUBSUB_FIELD(ArrivalsSpec, rateHz),
                             MFTPUBSUB_FIELD(ArrivalsSpec, onSeconds),
                             MFTPUBSUB_FIELD(ArrivalsSpec, offSeconds),
                             MFTPUBSUB_FIELD(ArrivalsSpec, periodSeconds),
                             MFTPUBSUB_FIELD(ArrivalsSpec, peakSeconds),
                             MFTPUBSUB_FIELD(ArrivalsSpec, depth),
                             MFTPUBSUB_FIELD(ArrivalsSpec, atSeconds));

template <>
inline constexpr auto FIELDS<PublisherSpec> =
    MakeFields<PublisherSpec>(MFTPUBSUB_FIELD(PublisherSpec, startSeconds),
                              MFTPUBSUB_FIELD(PublisherSpec, stopSeconds),
                              MFTPUBSUB_FIELD(PublisherSpec, arrivals),
                              MFTPUBSUB_FIELD(PublisherSpec, events));

template <>
inline constexpr auto FIELDS<WaypointSpec> =
    MakeFields<WaypointSpec>(MFTPUBSUB_FIELD(WaypointSpec, seconds),
                             MFTPUBSUB_FIELD(WaypointSpec, xMetres),
                             MFTPUBSUB_FIELD(WaypointSpec, yMetres),
                             MFTPUBSUB_FIELD(WaypointSpec, zMetres));

template <>
inline constexpr auto FIELDS<MobilitySpec> =
    MakeFields<MobilitySpec>(MFTPUBSUB_FIELD(MobilitySpec, model),
                             MFTPUBSUB_FIELD(MobilitySpec, minSpeed),
                             MFTPUBSUB_FIELD(MobilitySpec, maxSpeed),
                             MFTPUBSUB_FIELD(MobilitySpec, minPauseSeconds),
                             MFTPUBSUB_FIELD(MobilitySpec, maxPauseSeconds),
                             MFTPUBSUB_FIELD(MobilitySpec, turnIntervalSeconds),
                             MFTPUBSUB_FIELD(MobilitySpec, toXMetres),
                             MFTPUBSUB_FIELD(MobilitySpec, toYMetres),
                             MFTPUBSUB_FIELD(MobilitySpec, toZMetres),
                             MFTPUBSUB_FIELD(MobilitySpec, waypoints),
                             MFTPUBSUB_FIELD(MobilitySpec, memory),
                             MFTPUBSUB_FIELD(MobilitySpec, speedSigma),
                             MFTPUBSUB_FIELD(MobilitySpec, directionSigma),
                             MFTPUBSUB_FIELD(MobilitySpec, group),
                             MFTPUBSUB_FIELD(MobilitySpec, radiusMetres),
                             MFTPUBSUB_FIELD(MobilitySpec, ownSpeed),
                             MFTPUBSUB_FIELD(MobilitySpec, blockMetres),
                             MFTPUBSUB_FIELD(MobilitySpec, straight));

template <>
inline constexpr auto FIELDS<MovementFileSpec> =
    MakeFields<MovementFileSpec>(MFTPUBSUB_FIELD(MovementFileSpec, path),
                                 MFTPUBSUB_FIELD(MovementFileSpec, nodes));

template <>
inline constexpr auto FIELDS<CrashSpec> =
    MakeFields<CrashSpec>(MFTPUBSUB_FIELD(CrashSpec, node),
                          MFTPUBSUB_FIELD(CrashSpec, atSeconds),
                          MFTPUBSUB_FIELD(CrashSpec, restarts),
                          MFTPUBSUB_FIELD(CrashSpec, restartSeconds),
                          MFTPUBSUB_FIELD(CrashSpec, isAbsence));

template <>
inline constexpr auto FIELDS<SleepSpec> =
    MakeFields<SleepSpec>(MFTPUBSUB_FIELD(SleepSpec, node),
                          MFTPUBSUB_FIELD(SleepSpec, startSeconds),
                          MFTPUBSUB_FIELD(SleepSpec, stopSeconds),
                          MFTPUBSUB_FIELD(SleepSpec, asleepSeconds),
                          MFTPUBSUB_FIELD(SleepSpec, awakeSeconds));

template <>
inline constexpr auto FIELDS<BatterySpec> =
    MakeFields<BatterySpec>(MFTPUBSUB_FIELD(BatterySpec, node),
                            MFTPUBSUB_FIELD(BatterySpec, joules));

template <>
inline constexpr auto FIELDS<SubscriptionSpec> =
    MakeFields<SubscriptionSpec>(MFTPUBSUB_FIELD(SubscriptionSpec, node),
                                 MFTPUBSUB_FIELD(SubscriptionSpec, atSeconds),
                                 MFTPUBSUB_FIELD(SubscriptionSpec, filters));

template <>
inline constexpr auto FIELDS<BlackoutSpec> =
    MakeFields<BlackoutSpec>(MFTPUBSUB_FIELD(BlackoutSpec, one),
                             MFTPUBSUB_FIELD(BlackoutSpec, other),
                             MFTPUBSUB_FIELD(BlackoutSpec, startSeconds),
                             MFTPUBSUB_FIELD(BlackoutSpec, stopSeconds));

template <>
inline constexpr auto FIELDS<PartitionSpec> =
    MakeFields<PartitionSpec>(MFTPUBSUB_FIELD(PartitionSpec, nodes),
                              MFTPUBSUB_FIELD(PartitionSpec, startSeconds),
                              MFTPUBSUB_FIELD(PartitionSpec, stopSeconds));

template <>
inline constexpr auto FIELDS<Wall> = MakeFields<Wall>(MFTPUBSUB_FIELD(Wall, fromXMetres),
                                                      MFTPUBSUB_FIELD(Wall, fromYMetres),
                                                      MFTPUBSUB_FIELD(Wall, toXMetres),
                                                      MFTPUBSUB_FIELD(Wall, toYMetres),
                                                      MFTPUBSUB_FIELD(Wall, lossDb),
                                                      MFTPUBSUB_FIELD(Wall, heightMetres));

template <>
inline constexpr auto FIELDS<NodeSpec> =
    MakeFields<NodeSpec>(MFTPUBSUB_FIELD(NodeSpec, isBroker),
                         MFTPUBSUB_FIELD(NodeSpec, isSubscriber),
                         MFTPUBSUB_FIELD(NodeSpec, isPublisher),
                         MFTPUBSUB_FIELD(NodeSpec, filters),
                         MFTPUBSUB_FIELD(NodeSpec, publisher),
                         MFTPUBSUB_FIELD(NodeSpec, isPlaced),
                         MFTPUBSUB_FIELD(NodeSpec, xMetres),
                         MFTPUBSUB_FIELD(NodeSpec, yMetres),
                         MFTPUBSUB_FIELD(NodeSpec, zMetres),
                         MFTPUBSUB_FIELD(NodeSpec, mobility));

template <>
inline constexpr auto FIELDS<MftPubsub2Spec> =
    MakeFields<MftPubsub2Spec>(MFTPUBSUB_FIELD(MftPubsub2Spec, heartbeatSeconds),
                               MFTPUBSUB_FIELD(MftPubsub2Spec, leaderTimeoutSeconds),
                               MFTPUBSUB_FIELD(MftPubsub2Spec, maxFrameBytes));

template <>
inline constexpr auto FIELDS<MeshSpec> =
    MakeFields<MeshSpec>(MFTPUBSUB_FIELD(MeshSpec, heartbeatSeconds),
                         MFTPUBSUB_FIELD(MeshSpec, heartbeatMaxSeconds),
                         MFTPUBSUB_FIELD(MeshSpec, forwardSeconds),
                         MFTPUBSUB_FIELD(MeshSpec, settleSeconds),
                         MFTPUBSUB_FIELD(MeshSpec, copies),
                         MFTPUBSUB_FIELD(MeshSpec, redundancy),
                         MFTPUBSUB_FIELD(MeshSpec, isScoped),
                         MFTPUBSUB_FIELD(MeshSpec, few),
                         MFTPUBSUB_FIELD(MeshSpec, usesPositions),
                         MFTPUBSUB_FIELD(MeshSpec, forgetAfterSeconds));

template <>
inline constexpr auto FIELDS<MplSpec> =
    MakeFields<MplSpec>(MFTPUBSUB_FIELD(MplSpec, isProactive),
                        MFTPUBSUB_FIELD(MplSpec, dataIntervalSeconds),
                        MFTPUBSUB_FIELD(MplSpec, dataRedundancy),
                        MFTPUBSUB_FIELD(MplSpec, dataExpirations),
                        MFTPUBSUB_FIELD(MplSpec, controlMinSeconds),
                        MFTPUBSUB_FIELD(MplSpec, controlMaxSeconds),
                        MFTPUBSUB_FIELD(MplSpec, controlRedundancy),
                        MFTPUBSUB_FIELD(MplSpec, controlExpirations));

template <>
inline constexpr auto FIELDS<HandoffSpec> =
    MakeFields<HandoffSpec>(MFTPUBSUB_FIELD(HandoffSpec, pingSeconds),
                            MFTPUBSUB_FIELD(HandoffSpec, wireDelaySeconds),
                            MFTPUBSUB_FIELD(HandoffSpec, queueBytes));

template <>
inline constexpr auto FIELDS<LossSpec> =
    MakeFields<LossSpec>(MFTPUBSUB_FIELD(LossSpec, model),
                         MFTPUBSUB_FIELD(LossSpec, exponent),
                         MFTPUBSUB_FIELD(LossSpec, referenceLossDb),
                         MFTPUBSUB_FIELD(LossSpec, referenceMetres),
                         MFTPUBSUB_FIELD(LossSpec, sigmaDb),
                         MFTPUBSUB_FIELD(LossSpec, frequencyHz),
                         MFTPUBSUB_FIELD(LossSpec, heightMetres),
                         MFTPUBSUB_FIELD(LossSpec, nearM),
                         MFTPUBSUB_FIELD(LossSpec, middleM),
                         MFTPUBSUB_FIELD(LossSpec, farM),
                         MFTPUBSUB_FIELD(LossSpec, nearMetres),
                         MFTPUBSUB_FIELD(LossSpec, farMetres));

template <>
inline constexpr auto FIELDS<StatePowers> =
    MakeFields<StatePowers>(MFTPUBSUB_FIELD(StatePowers, transmit),
                            MFTPUBSUB_FIELD(StatePowers, receive),
                            MFTPUBSUB_FIELD(StatePowers, listen),
                            MFTPUBSUB_FIELD(StatePowers, sleep));

template <>
inline constexpr auto FIELDS<WifiSpec> =
    MakeFields<WifiSpec>(MFTPUBSUB_FIELD(WifiSpec, standard),
                         MFTPUBSUB_FIELD(WifiSpec, rate),
                         MFTPUBSUB_FIELD(WifiSpec, controlRate),
                         MFTPUBSUB_FIELD(WifiSpec, rateControl),
                         MFTPUBSUB_FIELD(WifiSpec, txPowerDbm),
                         MFTPUBSUB_FIELD(WifiSpec, rtsBytes),
                         MFTPUBSUB_FIELD(WifiSpec, retries),
                         MFTPUBSUB_FIELD(WifiSpec, queue),
                         MFTPUBSUB_FIELD(WifiSpec, powers));

template <>
inline constexpr auto FIELDS<LrWpanSpec> =
    MakeFields<LrWpanSpec>(MFTPUBSUB_FIELD(LrWpanSpec, txPowerDbm),
                           MFTPUBSUB_FIELD(LrWpanSpec, sensitivityDbm),
                           MFTPUBSUB_FIELD(LrWpanSpec, hasAcks),
                           MFTPUBSUB_FIELD(LrWpanSpec, retries),
                           MFTPUBSUB_FIELD(LrWpanSpec, powers));

template <>
inline constexpr auto FIELDS<AnySpec> = MakeFields<AnySpec>(MFTPUBSUB_FIELD(AnySpec, device),
                                                            MFTPUBSUB_FIELD(AnySpec, bitRate),
                                                            MFTPUBSUB_FIELD(AnySpec, delaySeconds));

/// Its policies and its hooks are handed over beside it (RunRequest, RunHooks).
template <>
inline constexpr auto FIELDS<Scenario> =
    MakeFields<Scenario, 3>(MFTPUBSUB_FIELD(Scenario, protocol),
                            MFTPUBSUB_FIELD(Scenario, seed),
                            MFTPUBSUB_FIELD(Scenario, durationSeconds),
                            MFTPUBSUB_FIELD(Scenario, warmUpSeconds),
                            MFTPUBSUB_FIELD(Scenario, areaXMetres),
                            MFTPUBSUB_FIELD(Scenario, areaYMetres),
                            MFTPUBSUB_FIELD(Scenario, walls),
                            MFTPUBSUB_FIELD(Scenario, nodes),
                            MFTPUBSUB_FIELD(Scenario, movementFiles),
                            MFTPUBSUB_FIELD(Scenario, crashes),
                            MFTPUBSUB_FIELD(Scenario, blackouts),
                            MFTPUBSUB_FIELD(Scenario, partitions),
                            MFTPUBSUB_FIELD(Scenario, sleeps),
                            MFTPUBSUB_FIELD(Scenario, batteries),
                            MFTPUBSUB_FIELD(Scenario, subscriptions),
                            MFTPUBSUB_FIELD(Scenario, radio),
                            MFTPUBSUB_FIELD(Scenario, wifi),
                            MFTPUBSUB_FIELD(Scenario, lrWpan),
                            MFTPUBSUB_FIELD(Scenario, any),
                            MFTPUBSUB_FIELD(Scenario, loss),
                            MFTPUBSUB_FIELD(Scenario, shadowingSigmaDb),
                            MFTPUBSUB_FIELD(Scenario, bidirectionalSigmaDb),
                            MFTPUBSUB_FIELD(Scenario, isShadowingPerCell),
                            MFTPUBSUB_FIELD(Scenario, cellMetres),
                            MFTPUBSUB_FIELD(Scenario, pathLossExponent),
                            MFTPUBSUB_FIELD(Scenario, referenceLossDb),
                            MFTPUBSUB_FIELD(Scenario, deliveryThresholdDbm),
                            MFTPUBSUB_FIELD(Scenario, positionIntervalSeconds),
                            MFTPUBSUB_FIELD(Scenario, txPowerDbm),
                            MFTPUBSUB_FIELD(Scenario, ccaThresholdDbm),
                            MFTPUBSUB_FIELD(Scenario, radioBuffer),
                            MFTPUBSUB_FIELD(Scenario, clockDriftSigma),
                            MFTPUBSUB_FIELD(Scenario, startupSpreadSeconds),
                            MFTPUBSUB_FIELD(Scenario, backoffBaseSeconds),
                            MFTPUBSUB_FIELD(Scenario, retryDelaySeconds),
                            MFTPUBSUB_FIELD(Scenario, macBuffer),
                            MFTPUBSUB_FIELD(Scenario, heartbeatIntervalSeconds),
                            MFTPUBSUB_FIELD(Scenario, leaderTimeoutSeconds),
                            MFTPUBSUB_FIELD(Scenario, rebroadcastJitterSeconds),
                            MFTPUBSUB_FIELD(Scenario, usesLinkAcks),
                            MFTPUBSUB_FIELD(Scenario, window),
                            MFTPUBSUB_FIELD(Scenario, maxFrameBytes),
                            MFTPUBSUB_FIELD(Scenario, literalChildren),
                            MFTPUBSUB_FIELD(Scenario, replay),
                            MFTPUBSUB_FIELD(Scenario, mftPubsub2),
                            MFTPUBSUB_FIELD(Scenario, mesh),
                            MFTPUBSUB_FIELD(Scenario, mpl),
                            MFTPUBSUB_FIELD(Scenario, epidemicIntervalSeconds),
                            MFTPUBSUB_FIELD(Scenario, ownParameters),
                            MFTPUBSUB_FIELD(Scenario, handoff),
                            MFTPUBSUB_FIELD(Scenario, hasArp),
                            MFTPUBSUB_FIELD(Scenario, routingAttributes));

template <>
inline constexpr auto FIELDS<RouteStates> =
    MakeFields<RouteStates>(MFTPUBSUB_FIELD(RouteStates, subscribers),
                            MFTPUBSUB_FIELD(RouteStates, nextHops),
                            MFTPUBSUB_FIELD(RouteStates, timestamps),
                            MFTPUBSUB_FIELD(RouteStates, hops),
                            MFTPUBSUB_FIELD(RouteStates, queuedEvents));

template <>
inline constexpr auto FIELDS<NodeState> =
    MakeFields<NodeState>(MFTPUBSUB_FIELD(NodeState, xMetres),
                          MFTPUBSUB_FIELD(NodeState, yMetres),
                          MFTPUBSUB_FIELD(NodeState, zMetres),
                          MFTPUBSUB_FIELD(NodeState, isUp),
                          MFTPUBSUB_FIELD(NodeState, parent),
                          MFTPUBSUB_FIELD(NodeState, leader),
                          MFTPUBSUB_FIELD(NodeState, queuedEvents),
                          MFTPUBSUB_FIELD(NodeState, routes));

template <>
inline constexpr auto FIELDS<RunCounters> =
    MakeFields<RunCounters>(MFTPUBSUB_FIELD(RunCounters, published),
                            MFTPUBSUB_FIELD(RunCounters, wanted),
                            MFTPUBSUB_FIELD(RunCounters, undelivered),
                            MFTPUBSUB_FIELD(RunCounters, migrations),
                            MFTPUBSUB_FIELD(RunCounters, frames),
                            MFTPUBSUB_FIELD(RunCounters, bytesOnAir));

template <>
inline constexpr auto FIELDS<Snapshot> =
    MakeFields<Snapshot>(MFTPUBSUB_FIELD(Snapshot, seconds),
                         MFTPUBSUB_FIELD(Snapshot, nodes),
                         MFTPUBSUB_FIELD(Snapshot, links),
                         MFTPUBSUB_FIELD(Snapshot, strengthsDbm),
                         MFTPUBSUB_FIELD(Snapshot, counters));

template <>
inline constexpr auto FIELDS<RunCost> = MakeFields<RunCost>(MFTPUBSUB_FIELD(RunCost, wallSeconds),
                                                            MFTPUBSUB_FIELD(RunCost, cpuSeconds),
                                                            MFTPUBSUB_FIELD(RunCost, events));

template <>
inline constexpr auto FIELDS<RunRequest> =
    MakeFields<RunRequest>(MFTPUBSUB_FIELD(RunRequest, scenario),
                           MFTPUBSUB_FIELD(RunRequest, policies),
                           MFTPUBSUB_FIELD(RunRequest, instants));

} // namespace mftpubsub

#endif /* MFTPUBSUB_RUN_SCENARIO_FIELDS_H */
