/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_POLICIES_LEADER_POLICY_H
#define MFTPUBSUB_POLICIES_LEADER_POLICY_H

#include "policies/policy.h"

#include <cstdint>

namespace mftpubsub
{

/// The priority of a node that becomes a leader: lower is better, then the lower id.
class LeaderPolicy : public Policy<uint32_t()>
{
  public:
    static const Makers<LeaderPolicy> SHIPPED;
};

/// The instant at which it became leader, ms: the longest-lived leader stays (T 2.5).
class LongestLivedLeader : public LeaderPolicy
{
  public:
    uint32_t Decide(const NodeView& me) override;
};

/// The id alone.
class LowestIdLeader : public LeaderPolicy
{
  public:
    uint32_t Decide(const NodeView& me) override;
};

/// The speed at which it moves, mm/s (T 5.2: mobility in the creation of the tree).
class SlowestLeader : public LeaderPolicy
{
  public:
    uint32_t Decide(const NodeView& me) override;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_POLICIES_LEADER_POLICY_H */
