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

/// @return whether events may be in sums: @p policy is none, or says that it lets them wait for
/// long
bool MayMix(const QueuePolicy* policy, const GivingUpLimits& limits);

/// @return @p options, in which publishers slow down sooner if @p policy gives up what waits
Options SlowedSooner(Options options, const QueuePolicy* policy);

/// @return those of @p held that the policy gives up, in its order
std::vector<EventId> GiveUp(const QueueOptions& queue, Instant now, std::vector<HeldEvent> held);

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_GIVING_UP_H */
