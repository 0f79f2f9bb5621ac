/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_POLICIES_REPAIR_POLICY_H
#define MFTPUBSUB_POLICIES_REPAIR_POLICY_H

#include "policies/policy.h"

#include <vector>

namespace mftpubsub
{

/// A neighbour that lacks events, as a policy sees it.
struct LackingNeighbour
{
    NodeId id{NO_NODE};
    uint32_t events{0};   //!< that it is to be sent
    double ageSeconds{0}; //!< since it was heard to lack the first of them
    double hops{0};       //!< how far away it is, by the strength of its latest STATE
};

/**
 * To which of the neighbours that lack events a broker of the mesh sends them first. Frames are
 * broadcasts: what one of them is sent the others need not be. Asked for the first neighbour of a
 * frame, and as long as it has room for the next, with two neighbours at least, the longest waiting
 * first. Answers with the id of one of them.
 */
class RepairPolicy : public Policy<NodeId(const std::vector<LackingNeighbour>&)>
{
  public:
    static const Makers<RepairPolicy> SHIPPED;
};

/// Who has waited longest.
class LongestWaiting : public RepairPolicy
{
  public:
    NodeId Decide(const NodeView& me, const std::vector<LackingNeighbour>& neighbours) override;
};

/// Who lacks the fewest events, so that many have all soon.
class FewestLacking : public RepairPolicy
{
  public:
    NodeId Decide(const NodeView& me, const std::vector<LackingNeighbour>& neighbours) override;
};

/// Who is farthest away, and may be out of reach soon.
class FarthestNeighbour : public RepairPolicy
{
  public:
    NodeId Decide(const NodeView& me, const std::vector<LackingNeighbour>& neighbours) override;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_POLICIES_REPAIR_POLICY_H */
