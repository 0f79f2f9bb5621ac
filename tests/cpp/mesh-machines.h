/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What tests of the mesh's machines, one at a time, have in common.
 */
#ifndef MFTPUBSUB_TESTS_MESH_MACHINES_H
#define MFTPUBSUB_TESTS_MESH_MACHINES_H

#include "protocols/mesh/broker.h"
#include "protocols/mesh/publisher.h"
#include "protocols/mesh/subscriber.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh
{

/// A broker that says something to the machine under test.
inline constexpr NodeId NEIGHBOUR = 90;

inline Context
MakeContext(NodeId self, uint8_t roles, const Options& options = {})
{
    return {self,
            roles,
            options,
            [] { return 0.5; },
            [] { return 1.0; },
            [](Instant) { return size_t{0}; },
            [](Instant) { return size_t{0}; },
            [](size_t bytes) { return Seconds(32e-6 * static_cast<double>(bytes)); },
            std::make_shared<BlockSums>(options.limits.block, [] { return 0.5; })};
}

inline EventPtr
MakeEvent(EventId id, const std::string& topic)
{
    return std::make_shared<const Event>(Event{id, {{"topic", topic}}, 20});
}

inline SummaryPart
MakePart(const Summary& summary)
{
    auto from = SummaryPart::BEGIN;
    return {summary, 500, from};
}

inline Summary
MakeSummary(NodeId publisher, Run run)
{
    Summary summary;
    summary.Add(publisher, run);
    return summary;
}

inline Frame
MakeHeartbeat(NodeId broker,
              uint32_t wordsHash,
              const Summary& has,
              const SummaryPart& settled = {})
{
    return {{broker, NO_NODE, Heartbeat::KIND, 1, 0},
            Heartbeat{State{BROKER, wordsHash, MakePart(has), settled, {}, {}, {}}}};
}

/// @return what @p speaker says at @p turn until @p until
inline std::vector<Outgoing>
Listen(Speaker& speaker, Turn turn, Instant until)
{
    std::vector<Outgoing> said;
    while (speaker.Due(turn) <= until)
    {
        if (auto outgoing = speaker.Build(speaker.Due(turn), turn))
        {
            said.push_back(std::move(*outgoing));
        }
    }
    return said;
}

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_TESTS_MESH_MACHINES_H */
