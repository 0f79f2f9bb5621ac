/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "worlds/reconfiguration-request.h"

#include "json/json-reader.h"
#include "json/json-writer.h"
#include "scenario/simulator-lease.h"
#include "worlds/reconfiguration-draw.h"

#include <algorithm>
#include <map>

namespace mftpubsub
{

using namespace reconfiguration;

/// A world that is drawn, and how it is run.
struct DrawnRequest
{
    uint64_t seed{1};
    WorldOptions world;
    WorldRun run;
};

/// A world that is written down, and how it is run.
struct GivenRequest
{
    uint16_t dispatchers{0};
    std::vector<Edge> links;
    std::vector<std::pair<NodeId, Patterns>> wanted;   //!< by dispatcher
    std::vector<ReconfigurationWorld::Change> changes; //!< in their order
    WorldRun run;
};

/// What a run gave.
struct WorldReport
{
    std::map<std::string, std::vector<double>>
        messages;                 //!< by kind: hops, of them those that tell of patterns, cost
    std::vector<size_t> involved; //!< dispatchers, by reconfiguration
    uint64_t eventHops{0};
    uint64_t goodEventHops{0};
    std::vector<uint64_t> expected;  //!< (event, core subscriber), by bin
    std::vector<uint64_t> delivered; //!< of those
    std::vector<double> traffic;     //!< cost, by bin
    std::vector<std::string> faults;
    std::vector<WireMessage> log; //!< if that was asked for
    std::vector<WireRow> rowLog;  //!< likewise
};

template <>
inline constexpr auto FIELDS<WireMessage> =
    MakeFields<WireMessage>(MFTPUBSUB_FIELD(WireMessage, seconds),
                            MFTPUBSUB_FIELD(WireMessage, from),
                            MFTPUBSUB_FIELD(WireMessage, to),
                            MFTPUBSUB_FIELD(WireMessage, kind),
                            MFTPUBSUB_FIELD(WireMessage, bytes));

template <>
inline constexpr auto FIELDS<WireRow> = MakeFields<WireRow>(MFTPUBSUB_FIELD(WireRow, seconds),
                                                            MFTPUBSUB_FIELD(WireRow, node),
                                                            MFTPUBSUB_FIELD(WireRow, name),
                                                            MFTPUBSUB_FIELD(WireRow, text));

template <>
inline constexpr auto FIELDS<DispatchingOptions> =
    MakeFields<DispatchingOptions>(MFTPUBSUB_FIELD(DispatchingOptions, subBits),
                                   MFTPUBSUB_FIELD(DispatchingOptions, unsubscribeAfter),
                                   MFTPUBSUB_FIELD(DispatchingOptions, subscribeAfter));

template <>
inline constexpr auto FIELDS<WorldRun> =
    MakeFields<WorldRun>(MFTPUBSUB_FIELD(WorldRun, protocol),
                         MFTPUBSUB_FIELD(WorldRun, dispatching),
                         MFTPUBSUB_FIELD(WorldRun, binSeconds),
                         MFTPUBSUB_FIELD(WorldRun, isLogged));

template <>
inline constexpr auto FIELDS<WorldOptions> =
    MakeFields<WorldOptions>(MFTPUBSUB_FIELD(WorldOptions, dispatchers),
                             MFTPUBSUB_FIELD(WorldOptions, degree),
                             MFTPUBSUB_FIELD(WorldOptions, isBalanced),
                             MFTPUBSUB_FIELD(WorldOptions, patterns),
                             MFTPUBSUB_FIELD(WorldOptions, patternsPerClient),
                             MFTPUBSUB_FIELD(WorldOptions, subscribers),
                             MFTPUBSUB_FIELD(WorldOptions, core),
                             MFTPUBSUB_FIELD(WorldOptions, swapHz),
                             MFTPUBSUB_FIELD(WorldOptions, characters),
                             MFTPUBSUB_FIELD(WorldOptions, publishHz),
                             MFTPUBSUB_FIELD(WorldOptions, seconds),
                             MFTPUBSUB_FIELD(WorldOptions, policy),
                             MFTPUBSUB_FIELD(WorldOptions, reconfigurationHz),
                             MFTPUBSUB_FIELD(WorldOptions, repairSeconds),
                             MFTPUBSUB_FIELD(WorldOptions, beginSeconds),
                             MFTPUBSUB_FIELD(WorldOptions, endSeconds));

template <>
inline constexpr auto FIELDS<DrawnRequest> =
    MakeFields<DrawnRequest>(MFTPUBSUB_FIELD(DrawnRequest, seed),
                             MFTPUBSUB_FIELD(DrawnRequest, world),
                             MFTPUBSUB_FIELD(DrawnRequest, run));

template <>
inline constexpr auto FIELDS<ReconfigurationWorld::Change> =
    MakeFields<ReconfigurationWorld::Change>(MFTPUBSUB_FIELD(ReconfigurationWorld::Change, seconds),
                                             MFTPUBSUB_FIELD(ReconfigurationWorld::Change, id),
                                             MFTPUBSUB_FIELD(ReconfigurationWorld::Change, breaks),
                                             MFTPUBSUB_FIELD(ReconfigurationWorld::Change, link));

template <>
inline constexpr auto FIELDS<GivenRequest> =
    MakeFields<GivenRequest>(MFTPUBSUB_FIELD(GivenRequest, dispatchers),
                             MFTPUBSUB_FIELD(GivenRequest, links),
                             MFTPUBSUB_FIELD(GivenRequest, wanted),
                             MFTPUBSUB_FIELD(GivenRequest, changes),
                             MFTPUBSUB_FIELD(GivenRequest, run));

template <>
inline constexpr auto FIELDS<WorldReport> =
    MakeFields<WorldReport>(MFTPUBSUB_FIELD(WorldReport, messages),
                            MFTPUBSUB_FIELD(WorldReport, involved),
                            MFTPUBSUB_FIELD(WorldReport, eventHops),
                            MFTPUBSUB_FIELD(WorldReport, goodEventHops),
                            MFTPUBSUB_FIELD(WorldReport, expected),
                            MFTPUBSUB_FIELD(WorldReport, delivered),
                            MFTPUBSUB_FIELD(WorldReport, traffic),
                            MFTPUBSUB_FIELD(WorldReport, faults),
                            MFTPUBSUB_FIELD(WorldReport, log),
                            MFTPUBSUB_FIELD(WorldReport, rowLog));

namespace
{

ReconfigurationWorld
MakeWorld(const GivenRequest& request)
{
    ReconfigurationWorld world;
    world.tree = Forest(request.dispatchers);
    for (const auto& [one, other] : request.links)
    {
        world.tree.Add(one, other);
    }
    world.wanted.resize(request.dispatchers);
    world.isCore.assign(request.dispatchers, true);
    for (const auto& [node, patterns] : request.wanted)
    {
        auto& wanted = world.wanted.at(node);
        wanted = patterns;
        std::sort(wanted.begin(), wanted.end());
    }
    world.changes = request.changes;
    return world;
}

std::string
Run(const ReconfigurationWorld& world, const WorldRun& run)
{
    const auto result = RunWorld(world, run);
    WorldReport report{{},
                       result.involved,
                       result.eventHops,
                       result.goodEventHops,
                       result.expected,
                       result.delivered,
                       result.traffic,
                       result.faults,
                       result.log,
                       result.rowLog};
    for (const auto& [kind, entry] : result.ledger.GetEntries())
    {
        report.messages[std::string(kind)] = {static_cast<double>(entry.count),
                                              static_cast<double>(entry.telling),
                                              entry.cost};
    }
    return ToJson(report);
}

} // namespace

std::string
RunDrawnWorld(const std::string& request)
{
    const auto order = FromJson<DrawnRequest>(request, "request");
    const SimulatorLease lease(order.seed);
    return Run(DrawWorld(order.world), order.run);
}

std::string
RunGivenWorld(const std::string& request)
{
    const auto order = FromJson<GivenRequest>(request, "request");
    const SimulatorLease lease(1);
    return Run(MakeWorld(order), order.run);
}

} // namespace mftpubsub
