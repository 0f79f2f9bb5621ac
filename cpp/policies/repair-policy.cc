/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "policies/repair-policy.h"

#include <algorithm>

namespace mftpubsub
{

const Makers<RepairPolicy> RepairPolicy::SHIPPED{
    {"longest-waiting", Make<LongestWaiting>()},
    {"fewest-lacking", Make<FewestLacking>()},
    {"farthest", Make<FarthestNeighbour>()},
};

NodeId
LongestWaiting::Decide(const NodeView&, const std::vector<LackingNeighbour>& neighbours)
{
    return neighbours.front().id;
}

NodeId
FewestLacking::Decide(const NodeView&, const std::vector<LackingNeighbour>& neighbours)
{
    return std::ranges::min_element(neighbours, {}, &LackingNeighbour::events)->id;
}

NodeId
FarthestNeighbour::Decide(const NodeView&, const std::vector<LackingNeighbour>& neighbours)
{
    return std::ranges::max_element(neighbours, {}, &LackingNeighbour::hops)->id;
}

} // namespace mftpubsub
