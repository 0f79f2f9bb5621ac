/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/repair-policy.h"

#include <algorithm>

namespace mftpubsub
{

NodeId
LongestWaiting::Choose(const NodeView&, const std::vector<LackingNeighbour>& neighbours)
{
    return neighbours.front().id;
}

NodeId
FewestLacking::Choose(const NodeView&, const std::vector<LackingNeighbour>& neighbours)
{
    return std::ranges::min_element(neighbours, {}, &LackingNeighbour::events)->id;
}

NodeId
FarthestNeighbour::Choose(const NodeView&, const std::vector<LackingNeighbour>& neighbours)
{
    return std::ranges::max_element(neighbours, {}, &LackingNeighbour::hops)->id;
}

} // namespace mftpubsub
