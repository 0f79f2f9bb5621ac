/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/reconfiguration/forest.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace mftpubsub::reconfiguration
{

namespace
{

std::string
Describe(NodeId one, NodeId other)
{
    return std::to_string(one) + "-" + std::to_string(other);
}

void
Insert(std::vector<NodeId>& nodes, NodeId node)
{
    nodes.insert(std::lower_bound(nodes.begin(), nodes.end(), node), node);
}

} // namespace

Forest::Forest(size_t dispatchers)
    : m_neighbours(dispatchers)
{
}

size_t
Forest::GetSize() const
{
    return m_neighbours.size();
}

void
Forest::Add(NodeId one, NodeId other)
{
    if (one >= GetSize() || other >= GetSize())
    {
        throw std::invalid_argument("link " + Describe(one, other) +
                                    " has an end that is no dispatcher");
    }
    if (!GetPath(one, other).empty())
    {
        throw std::invalid_argument("link " + Describe(one, other) + " would close a cycle");
    }
    Insert(m_neighbours[one], other);
    Insert(m_neighbours[other], one);
}

void
Forest::Remove(NodeId one, NodeId other)
{
    if (!Has(one, other))
    {
        throw std::invalid_argument("there is no link " + Describe(one, other));
    }
    std::erase(m_neighbours[one], other);
    std::erase(m_neighbours[other], one);
}

bool
Forest::Has(NodeId one, NodeId other) const
{
    return one < GetSize() &&
           std::binary_search(m_neighbours[one].begin(), m_neighbours[one].end(), other);
}

const std::vector<NodeId>&
Forest::GetNeighbours(NodeId node) const
{
    return m_neighbours[node];
}

std::vector<Edge>
Forest::GetEdges() const
{
    std::vector<Edge> edges;
    for (size_t one = 0; one < GetSize(); ++one)
    {
        for (const auto other : m_neighbours[one])
        {
            if (one < other)
            {
                edges.emplace_back(static_cast<NodeId>(one), other);
            }
        }
    }
    return edges;
}

std::vector<NodeId>
Forest::GetPart(NodeId from) const
{
    return Walk(from).first;
}

std::vector<NodeId>
Forest::GetPath(NodeId from, NodeId to) const
{
    const auto before = Walk(to).second;
    std::vector<NodeId> path;
    for (auto node = from; before[node] != NO_NODE; node = before[node])
    {
        path.push_back(node);
        if (node == to)
        {
            return path;
        }
    }
    return path;
}

std::pair<std::vector<NodeId>, std::vector<NodeId>>
Forest::Walk(NodeId from) const
{
    std::vector<NodeId> part{from};
    std::vector<NodeId> before(GetSize(), NO_NODE);
    before[from] = from;
    for (size_t next = 0; next < part.size(); ++next)
    {
        for (const auto neighbour : m_neighbours[part[next]])
        {
            if (before[neighbour] == NO_NODE)
            {
                before[neighbour] = part[next];
                part.push_back(neighbour);
            }
        }
    }
    return {std::move(part), std::move(before)};
}

} // namespace mftpubsub::reconfiguration
