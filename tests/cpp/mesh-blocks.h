/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Blocks of events for tests of rule 12.
 */
#ifndef MFTPUBSUB_TESTS_MESH_BLOCKS_H
#define MFTPUBSUB_TESTS_MESH_BLOCKS_H

#include "mesh-machines.h"
#include "protocols/mesh/block-sums.h"

#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh::blocks
{

inline constexpr NodeId SELF = 1;
inline constexpr NodeId MAKER = 7;
inline constexpr NodeId OTHER = 8;
inline constexpr size_t BUDGET = 1009;

inline Uniform
MakeUniform(uint32_t seed)
{
    return [random = std::mt19937{seed}]() mutable {
        return std::uniform_real_distribution<double>(0, 1)(random);
    };
}

inline BlockSums
MakeSums(uint32_t seed, const BlockLimits& limits = {})
{
    return {limits, MakeUniform(seed)};
}

/// @return @p count events of @p publisher, from @p first on
inline std::vector<CarriedEvent>
MakeNews(NodeId publisher, uint32_t first, uint32_t count)
{
    std::vector<CarriedEvent> events;
    for (auto sequence = first; sequence < first + count; ++sequence)
    {
        const auto topic = "a" + std::string(sequence % 3, 'x');
        events.push_back({MakeEvent({publisher, sequence}, topic), 0, {}});
    }
    return events;
}

/// @return @p count blocks, of three events each
inline std::vector<BlockMix>
MakeBlocks(BlockSums& sums, Instant now, NodeId maker, uint32_t count)
{
    std::vector<BlockMix> blocks;
    for (uint32_t block = 0; block < count; ++block)
    {
        blocks.push_back(sums.MakeBlock(now, maker, MakeNews(maker, 3 * block, 3)));
    }
    return blocks;
}

inline std::set<EventId>
GetIds(const std::vector<CarriedEvent>& events)
{
    std::set<EventId> ids;
    for (const auto& carried : events)
    {
        ids.insert(carried.event->id);
    }
    return ids;
}

inline Frame
MakeFrame(NodeId from, Body body)
{
    return {{from, NO_NODE, BlockMix::KIND, 5, 6}, std::move(body)};
}

} // namespace mftpubsub::mesh::blocks

#endif /* MFTPUBSUB_TESTS_MESH_BLOCKS_H */
