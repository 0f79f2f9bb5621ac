/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_POLICIES_MIGRATION_POLICY_H
#define MFTPUBSUB_POLICIES_MIGRATION_POLICY_H

#include "policies/parent-policy.h"
#include "policies/policy.h"

#include <cstdint>
#include <map>

namespace mftpubsub
{

/**
 * Whether a node leaves its parent (a client: its broker) for the one that a ParentPolicy proposes.
 * Asked with the present parent, which may be kept, and the proposed one. If the answer is no,
 * that one may be proposed again.
 */
class MigrationPolicy : public Policy<bool(const Candidate&, const Candidate&)>
{
  public:
    static const Makers<MigrationPolicy> SHIPPED;
};

/// At once, as in the thesis.
class ImmediateMigration : public MigrationPolicy
{
  public:
    bool Decide(const NodeView& me, const Candidate& current, const Candidate& proposed) override;
};

/// When the same change has been proposed in so many rounds in a row.
class PersistentMigration : public MigrationPolicy
{
  public:
    explicit PersistentMigration(double rounds);

    bool Decide(const NodeView& me, const Candidate& current, const Candidate& proposed) override;

  private:
    struct Streak
    {
        NodeId proposed{NO_NODE};
        uint32_t last{0}; //!< round
        uint32_t rounds{0};
    };

    double m_rounds;
    std::map<NodeId, Streak> m_streaks; //!< by node: all nodes of a run share a policy
};

/// When the present parent has been had for so long.
class MinimumStay : public MigrationPolicy
{
  public:
    explicit MinimumStay(double seconds);

    bool Decide(const NodeView& me, const Candidate& current, const Candidate& proposed) override;

  private:
    double m_seconds;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_POLICIES_MIGRATION_POLICY_H */
