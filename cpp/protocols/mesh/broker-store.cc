/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/broker.h"
#include "protocols/mesh/giving-up.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::mesh
{

// Rule 6: what leaves the store

void
Broker::ApplyPolicy(Instant now, Output& output)
{
    if (!m_policies.queue)
    {
        return; // gathering what is held takes time
    }
    std::vector<HeldEvent> events;
    for (const auto& [id, held] : m_store)
    {
        events.push_back({id, held.since, held.carried.event->payloadBytes});
    }
    for (const auto id : GiveUp({m_policies.queue, m_policies.describe}, now, std::move(events)))
    {
        const auto at = m_store.find(id);
        for (const auto subscriber : *at->second.wanted)
        {
            output.drops.push_back({id, subscriber});
        }
        Erase(at);
    }
}

/// @return whether it has the word of a subscriber on another device
bool
Broker::KnowsOthers() const
{
    return m_words.Count() > (m_words.Find(m_context.self) ? 1 : 0);
}

void
Broker::MayForget(Instant now, EventId id)
{
    if (m_context.options.forgetAfter != NEVER && !m_forgettable.recalled.contains(id))
    {
        m_forgettable.settled.emplace_back(now, id);
    }
}

void
Broker::ForgetSettled(Instant now)
{
    const auto after = m_context.options.forgetAfter;
    if (KnowsOthers())
    {
        for (const auto id : std::exchange(m_forgettable.recalled, {}))
        {
            MayForget(now, id);
        }
    }
    auto& settled = m_forgettable.settled;
    while (after != NEVER && !settled.empty() && settled.front().first + after <= now)
    {
        const auto at = m_store.find(settled.front().second);
        if (at != m_store.end() && IsSettled(at->first))
        {
            Erase(at);
        }
        settled.pop_front();
    }
}

void
Broker::ForgetNeighbours(Instant now)
{
    const auto since = m_context.LatelyHeard(now);
    const auto isGone = [since](const auto& known) { return known.heardAt < since; };
    m_neighbours.EraseIf(isGone);
    m_known.done.EraseIf(isGone);
}

void
Broker::Erase(Store::iterator at)
{
    m_forwarding.at.Erase(at->first);
    m_forwarding.own.erase(at->first);
    m_forwarding.gathering.Went(at->first);
    m_repairing.repairs.Erase(at->first);
    m_answers.arrivals.Erase(at->first);
    m_answers.taken.Erase(at->first);
    m_known.done.ForEach([id = at->first](Done& done) { done.events.Remove(id); });
    m_store.erase(at);
}

size_t
Broker::CountRemembered() const
{
    auto entries = m_store.size() + m_known.has.CountRuns() + m_settled.CountRuns() +
                   m_known.missing.CountRuns() + m_heartbeats.told.CountRuns() +
                   m_forgettable.settled.size() + m_forgettable.recalled.size() +
                   m_forwarding.at.Get().size() + m_answers.isPublishers.size() +
                   m_answers.arrivals.Get().size() + m_answers.taken.Get().size() +
                   m_answers.questions.size() + m_answers.fits.size() + m_sets.Count() +
                   m_repairing.smallStates.Count() + m_forwarding.mixer.CountRemembered() +
                   m_forwarding.own.size() + m_context.blocks->CountRemembered();
    m_neighbours.ForEach(
        [&](const Neighbour& neighbour) { entries += 1 + neighbour.has.GetSummary().CountRuns(); });
    m_known.done.ForEach([&](const Done& done) { entries += 1 + done.events.CountRuns(); });
    return entries;
}

} // namespace mftpubsub::mesh
