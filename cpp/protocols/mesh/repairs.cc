/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/repairs.h"

#include <algorithm>
#include <map>
#include <utility>

namespace mftpubsub::mesh
{

Repairs::Repairs(std::shared_ptr<RepairPolicy> policy, NodeDescriber describe)
    : m_policy(std::move(policy)),
      m_describe(std::move(describe))
{
}

void
Repairs::Add(Instant now, NodeId neighbour, double hops, const std::vector<EventId>& events)
{
    if (events.empty())
    {
        return;
    }
    auto known = std::ranges::find(m_lacking, neighbour, &Lacking::neighbour);
    if (known == m_lacking.end())
    {
        known = m_lacking.insert(known, {neighbour, now, hops, {}});
    }
    known->hops = hops;
    known->events.insert(events.begin(), events.end());
}

void
Repairs::Erase(EventId id)
{
    std::erase_if(m_lacking, [id](Lacking& lacking) {
        lacking.events.erase(id);
        return lacking.events.empty();
    });
}

Summary
Repairs::ChooseMixed(const First& first,
                     size_t sums,
                     size_t most,
                     const std::function<bool(EventId)>& canBeMixed) const
{
    Summary chosen;
    std::map<NodeId, size_t> lacked;
    const auto choose = [&](EventId id) {
        const auto lacksIt = [id](const Lacking& lacking) { return lacking.events.contains(id); };
        const auto isFull = [&](const Lacking& lacking) {
            return lacksIt(lacking) && lacked[lacking.neighbour] == sums;
        };
        if (most == 0 || chosen.Has(id) || !canBeMixed(id) ||
            std::ranges::any_of(m_lacking, isFull))
        {
            return;
        }
        chosen.Add(id);
        --most;
        for (const auto& lacking : m_lacking)
        {
            lacked[lacking.neighbour] += lacksIt(lacking);
        }
    };
    std::ranges::for_each(first.events, choose);
    for (const auto& lacking : m_lacking)
    {
        std::ranges::for_each(lacking.events, choose);
    }
    return chosen;
}

void
Repairs::EraseMixed(const std::vector<EventId>& events, size_t sums)
{
    std::erase_if(m_lacking, [&](Lacking& lacking) {
        auto left = sums;
        for (const auto id : events)
        {
            left -= left > 0 ? lacking.events.erase(id) : 0;
        }
        return lacking.events.empty();
    });
}

Repairs::First
Repairs::GetFirst(Instant now) const
{
    if (m_lacking.size() == 1)
    {
        return {m_lacking.front().neighbour, m_lacking.front().events};
    }
    std::vector<LackingNeighbour> neighbours;
    for (const auto& [neighbour, since, hops, events] : m_lacking)
    {
        const std::chrono::duration<double> age = now - since;
        neighbours.push_back({neighbour, static_cast<uint32_t>(events.size()), age.count(), hops});
    }
    const auto first = m_policy->Decide(m_describe(), neighbours);
    return {first, std::ranges::find(m_lacking, first, &Lacking::neighbour)->events};
}

} // namespace mftpubsub::mesh
