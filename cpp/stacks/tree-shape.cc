/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "stacks/tree-shape.h"

#include <algorithm>

namespace mftpubsub
{

void
TreeShape::Look(const std::map<NodeId, NodeId>& parents)
{
    std::map<NodeId, std::map<NodeId, uint64_t>> branches; // sizes, by root and branch
    for (const auto& [broker, parent] : parents)
    {
        const auto place = Locate(broker, parents);
        if (!place)
        {
            continue;
        }
        auto& depths = m_depths[broker];
        depths.sum += place->depth;
        ++depths.looks;
        if (place->depth > 0)
        {
            ++branches[place->root][place->branch];
        }
    }
    for (const auto& [root, sizes] : branches)
    {
        uint64_t below = 0;
        uint64_t largest = 0;
        for (const auto& [branch, size] : sizes)
        {
            below += size;
            largest = std::max(largest, size);
        }
        if (below > 1)
        {
            m_below += below;
            m_onLargest += largest;
        }
    }
}

std::optional<TreeShape::Place>
TreeShape::Locate(NodeId broker, const std::map<NodeId, NodeId>& parents)
{
    Place place{broker, broker, 0};
    for (auto up = parents.find(broker); up != parents.end(); up = parents.find(up->second))
    {
        if (up->second == NO_NODE)
        {
            place.root = up->first;
            return place;
        }
        place.branch = up->first;
        if (++place.depth > parents.size())
        {
            return {}; // a circle
        }
    }
    return {};
}

std::optional<double>
TreeShape::GetMeanDepth(NodeId broker) const
{
    const auto found = m_depths.find(broker);
    if (found == m_depths.end())
    {
        return {};
    }
    const auto& [sum, looks] = found->second;
    return static_cast<double>(sum) / static_cast<double>(looks);
}

std::optional<double>
TreeShape::GetLargestBranch() const
{
    if (m_below == 0)
    {
        return {};
    }
    return static_cast<double>(m_onLargest) / static_cast<double>(m_below);
}

} // namespace mftpubsub
