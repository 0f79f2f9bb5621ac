/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/tree.h"

#include <algorithm>
#include <stdexcept>

namespace mftpubsub::handoff
{

Tree::Tree(const std::vector<std::pair<NodeId, NodeId>>& links, NodeId root)
    : m_root(root)
{
    m_neighbours[root];
    for (const auto& [one, other] : links)
    {
        m_neighbours[one].push_back(other);
        m_neighbours[other].push_back(one);
    }
    const auto brokers = m_neighbours.size();
    if (links.size() != brokers - 1)
    {
        throw std::invalid_argument("this scheme routes over a tree: " + std::to_string(brokers) +
                                    " brokers have " + std::to_string(brokers - 1) +
                                    " links, not " + std::to_string(links.size()));
    }
    for (auto& [broker, neighbours] : m_neighbours)
    {
        std::sort(neighbours.begin(), neighbours.end());
    }
    for (const auto& [broker, neighbours] : m_neighbours)
    {
        for (const auto neighbour : neighbours)
        {
            FindHops(broker, neighbour, broker);
        }
    }
    if (m_hops.size() != brokers * (brokers - 1))
    {
        throw std::invalid_argument("this scheme routes over a tree: some brokers are not linked");
    }
}

const std::vector<NodeId>&
Tree::GetNeighbours(NodeId broker) const
{
    return m_neighbours.at(broker);
}

NodeId
Tree::GetNextHop(NodeId from, NodeId to) const
{
    return m_hops.at({from, to});
}

NodeId
Tree::GetRoot() const
{
    return m_root;
}

NodeId
Tree::GetParent(NodeId broker) const
{
    return broker == m_root ? NO_NODE : GetNextHop(broker, m_root);
}

void
Tree::FindHops(NodeId to, NodeId from, NodeId hop)
{
    if (from == to || !m_hops.emplace(std::pair(from, to), hop).second)
    {
        return;
    }
    for (const auto next : m_neighbours.at(from))
    {
        if (next != hop)
        {
            FindHops(to, next, from);
        }
    }
}

} // namespace mftpubsub::handoff
