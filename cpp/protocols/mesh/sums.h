/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_SUMS_H
#define MFTPUBSUB_PROTOCOLS_MESH_SUMS_H

#include "content/event.h"
#include "protocols/mesh/frames.h"

#include <span>
#include <vector>

namespace mftpubsub::mesh
{

/// @return the factor of the event of this @p id in the @p index-th sum of a MIX: never 0
uint8_t GetFactor(uint16_t seed, size_t index, EventId id);

/// @return the events that @p mix has in each of its sums, in order; none if there are more than
/// any frame of ours has
std::vector<EventId> GetMixed(const Mix& mix);

/// @return an event as sums have it
Bytes ToBytes(const Event& event);

/// @return @p count sums of @p events, whose factors are of @p seed
std::vector<Bytes> MakeSums(std::span<const EventPtr> events, uint16_t seed, size_t count);

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_SUMS_H */
