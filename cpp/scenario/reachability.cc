/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "scenario/reachability.h"

#include <bit>
#include <deque>
#include <utility>

namespace mftpubsub
{

Reachability::Reachability(NodeId nodes, IsUsable isUsable, OnReached onReached)
    : m_isUsable(std::move(isUsable)),
      m_onReached(std::move(onReached)),
      m_neighbours(nodes),
      m_held(nodes),
      m_wanted(nodes)
{
    LinksChanged();
}

void
Reachability::LinksChanged()
{
    const auto nodes = static_cast<NodeId>(m_neighbours.size());
    for (NodeId from = 0; from < nodes; ++from)
    {
        m_neighbours[from].clear();
        for (NodeId to = 0; to < nodes; ++to)
        {
            if (from != to && m_isUsable(from, to))
            {
                m_neighbours[from].push_back(to);
            }
        }
    }
    Spread();
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
    m_held[publisher][word] |= bit;
    MergeInto(publisher, publisher);
    Spread();
}

void
Reachability::Spread()
{
    std::deque<NodeId> changed;
    for (NodeId node = 0; node < m_held.size(); ++node)
    {
        changed.push_back(node);
    }
    while (!changed.empty())
    {
        const auto from = changed.front();
        changed.pop_front();
        for (const auto to : m_neighbours[from])
        {
            if (MergeInto(to, from))
            {
                changed.push_back(to);
            }
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
        }
        m_wanted[to][word] &= ~held;
    }
    return grew;
}

} // namespace mftpubsub
