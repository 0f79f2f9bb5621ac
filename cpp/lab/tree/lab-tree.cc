/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/tree/lab-tree.h"

#include <vector>

namespace mftpubsub
{

void
LabTree::Add(NodeId broker)
{
    m_neighbours[broker];
}

void
LabTree::Link(NodeId one, NodeId other)
{
    m_neighbours[one].insert(other);
    m_neighbours[other].insert(one);
}

void
LabTree::Unlink(NodeId one, NodeId other)
{
    m_neighbours[one].erase(other);
    m_neighbours[other].erase(one);
}

const std::set<NodeId>&
LabTree::GetNeighbours(NodeId broker) const
{
    return m_neighbours.at(broker);
}

std::set<NodeId>
LabTree::GetComponent(NodeId broker, NodeId without) const
{
    std::set<NodeId> component{broker};
    std::vector<NodeId> open{broker};
    while (!open.empty())
    {
        const auto at = open.back();
        open.pop_back();
        for (const auto next : m_neighbours.at(at))
        {
            const auto excluded = at == broker && next == without;
            if (!excluded && component.insert(next).second)
            {
                open.push_back(next);
            }
        }
    }
    return component;
}

} // namespace mftpubsub
