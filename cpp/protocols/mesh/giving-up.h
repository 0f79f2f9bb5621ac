/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_GIVING_UP_H
#define MFTPUBSUB_PROTOCOLS_MESH_GIVING_UP_H

#include "content/event.h"
#include "policies/queue-policy.h"
#include "protocols/mesh/options.h"

#include <vector>

namespace mftpubsub::mesh
{

/// An event that a broker or a publisher holds for others.
struct HeldEvent
{
    EventId id;
    Instant since{0};
    uint32_t payloadBytes{0};
};

/// @return those of @p held that the policy gives up, in its order
std::vector<EventId> GiveUp(const QueueOptions& queue, Instant now, std::vector<HeldEvent> held);

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_GIVING_UP_H */
