/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/giving-up.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::mesh
{

bool
MayMix(const QueuePolicy* policy, const GivingUpLimits& limits)
{
    return !policy || policy->GetPatienceSeconds() >= limits.patience;
}

Options
SlowedSooner(Options options, const QueuePolicy* policy)
{
    if (policy)
    {
        const auto& limits = options.limits.givingUp;
        options.limits.block.stuck = limits.stuck;
        options.limits.block.unsolved = limits.unsolved;
        options.limits.pace.slowed = limits.slowed;
        options.limits.pace.less = limits.less;
        options.limits.pace.more = limits.more;
    }
    return options;
}

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
