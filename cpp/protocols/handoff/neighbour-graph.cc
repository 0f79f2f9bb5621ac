/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/neighbour-graph.h"

#include <algorithm>

namespace mftpubsub::handoff
{

NeighbourGraph::NeighbourGraph(const Options& options)
    : m_age(options.edgeAge)
{
    for (const auto neighbour : options.neighbours)
    {
        m_lastUse.emplace(neighbour, Instant(0));
    }
}

void
NeighbourGraph::Touch(Instant now, NodeId broker, Output& output)
{
    const auto isNew = m_lastUse.insert_or_assign(broker, now).second;
    if (isNew)
    {
        Tell(output);
    }
}

Neighbours
NeighbourGraph::RemoveOld(Instant now, Output& output)
{
    Neighbours removed;
    if (!m_age)
    {
        return removed;
    }
    for (const auto& [neighbour, lastUse] : m_lastUse)
    {
        if (now - lastUse > *m_age)
        {
            removed.push_back(neighbour);
        }
    }
    for (const auto neighbour : removed)
    {
        m_lastUse.erase(neighbour);
    }
    if (!removed.empty())
    {
        Tell(output);
    }
    return removed;
}

std::optional<Instant>
NeighbourGraph::NextRemoval() const
{
    if (!m_age || m_lastUse.empty())
    {
        return {};
    }
    const auto oldest =
        std::min_element(m_lastUse.begin(), m_lastUse.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        });
    return oldest->second + *m_age + Instant(1);
}

Neighbours
NeighbourGraph::Get() const
{
    Neighbours neighbours;
    for (const auto& [neighbour, lastUse] : m_lastUse)
    {
        neighbours.push_back(neighbour);
    }
    return neighbours;
}

void
NeighbourGraph::Tell(Output& output) const
{
    const auto neighbours = Get();
    for (const auto neighbour : neighbours)
    {
        output.sends.push_back({neighbour, Nbr{neighbours}});
    }
}

bool
Contains(const Neighbours& neighbours, NodeId broker)
{
    return std::find(neighbours.begin(), neighbours.end(), broker) != neighbours.end();
}

} // namespace mftpubsub::handoff
