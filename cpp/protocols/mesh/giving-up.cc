/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/giving-up.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::mesh
{

std::vector<EventId>
GiveUp(const QueueOptions& queue, Instant now, std::vector<HeldEvent> held)
{
    if (!queue.policy || held.empty())
    {
        return {};
    }
    std::ranges::stable_sort(held, {}, &HeldEvent::since);
    std::vector<QueuedEvent> events;
    for (const auto& [id, since, payloadBytes] : held)
    {
        const std::chrono::duration<double> age = now - since;
        events.push_back({id.publisher, id.sequence, age.count(), payloadBytes});
    }
    std::vector<EventId> given;
    for (const auto position : queue.policy->Decide(queue.describe(), NO_NODE, events))
    {
        given.push_back(held[position].id);
    }
    return given;
}

} // namespace mftpubsub::mesh
