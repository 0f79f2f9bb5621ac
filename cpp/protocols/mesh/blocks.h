/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_BLOCKS_H
#define MFTPUBSUB_PROTOCOLS_MESH_BLOCKS_H

#include "content/bytes.h"
#include "content/event.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mftpubsub::mesh
{

/// Names a block: who has made it of new events, and the how manieth of its maker's it is.
struct BlockId
{
    NodeId maker{NO_NODE};
    uint16_t number{0};

    auto operator<=>(const BlockId&) const = default;
};

/// Most events in a block, which number each other in seven bits.
inline constexpr size_t MAX_BLOCK = 128;

/// @return a block of @p events as sums have it: behind a checksum, each without what it shares
/// with events before it
Bytes PackBlock(std::span<const EventPtr> events);

/// What a block is of.
struct Unpacked
{
    std::vector<EventPtr> events;
    size_t bytes{0}; //!< of the block, without what follows it
};

/// @return the block that @p bytes begin with; one without events if they are anything else
Unpacked UnpackBlock(std::span<const uint8_t> bytes);

/// @return the checksum that the @p block begins with
uint32_t ReadChecksum(std::span<const uint8_t> block);

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_BLOCKS_H */
