/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run/reachability.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <set>
#include <utility>

namespace mftpubsub
{

Reachability::Reachability(NodeId nodes, LinksFrom linksFrom, OnReached onReached)
    : m_linksFrom(std::move(linksFrom)),
      m_onReached(std::move(onReached)),
      m_neighbours(nodes),
      m_held(nodes),
      m_wanted(nodes)
{
}

void
Reachability::LinksChanged()
{
    for (auto& neighbours : m_neighbours)
    {
        neighbours.isCurrent = false;
    }
    if (m_waiting == 0)
    {
        return;
    }
    std::set<NodeId> holders;
    for (NodeId node = 0; node < m_held.size(); ++node)
    {
        if (std::ranges::any_of(m_held[node], [](uint64_t word) { return word != 0; }))
        {
            holders.insert(node);
        }
    }
    Spread(std::move(holders));
}

void
Reachability::LinksChanged(NodeId from)
{
    m_neighbours[from].isCurrent = false;
    if (m_waiting > 0 && std::ranges::any_of(m_held[from], [](uint64_t word) { return word != 0; }))
    {
        Spread({from});
    }
}

const std::vector<uint32_t>&
Reachability::NeighboursOf(NodeId node)
{
    auto& neighbours = m_neighbours[node];
    if (!neighbours.isCurrent)
    {
        neighbours.nodes = m_linksFrom(node);
        neighbours.isCurrent = true;
    }
    return neighbours.nodes;
}

void
Reachability::Published(NodeId publisher, EventId event, const std::vector<NodeId>& subscribers)
{
    const auto word = m_events.size() / 64;
    const auto bit = uint64_t{1} << (m_events.size() % 64);
    m_events.push_back(event);
    for (auto* sets : {&m_held, &m_wanted})
    {
        for (auto& set : *sets)
        {
            set.resize(word + 1);
        }
    }
    for (const auto subscriber : subscribers)
    {
        m_wanted[subscriber][word] |= bit;
    }
    m_waiting += subscribers.size();
    m_held[publisher][word] |= bit;
    MergeInto(publisher, publisher);
    Spread({publisher}); // all else has been where it can get
}

void
Reachability::Spread(std::set<NodeId> sources)
{
    std::deque<NodeId> changed;
    while (m_waiting > 0 && !(sources.empty() && changed.empty()))
    {
        const auto isSource = !sources.empty();
        const auto from = isSource ? sources.extract(sources.begin()).value() : changed.front();
        if (!isSource)
        {
            changed.pop_front();
        }
        for (const auto neighbour : NeighboursOf(from))
        {
            const auto to = static_cast<NodeId>(neighbour);
            if (!MergeInto(to, from))
            {
                continue;
            }
            changed.push_back(to);
            if (isSource && to > from)
            {
                sources.insert(to);
            }
        }
    }
    if (m_waiting == 0)
    {
        Forget();
    }
}

/// Nobody waits for any of the events: where else they would go does not matter.
void
Reachability::Forget()
{
    m_events.clear();
    for (auto* sets : {&m_held, &m_wanted})
    {
        for (auto& set : *sets)
        {
            set.clear();
        }
    }
}

bool
Reachability::MergeInto(NodeId to, NodeId from)
{
    auto grew = false;
    for (size_t word = 0; word < m_held[to].size(); ++word)
    {
        auto& held = m_held[to][word];
        grew = grew || (m_held[from][word] & ~held) != 0;
        held |= m_held[from][word];
        for (auto reached = held & m_wanted[to][word]; reached != 0; reached &= reached - 1)
        {
            m_onReached(to, m_events[word * 64 + static_cast<size_t>(std::countr_zero(reached))]);
            --m_waiting;
        }
        m_wanted[to][word] &= ~held;
    }
    return grew;
}

} // namespace mftpubsub
