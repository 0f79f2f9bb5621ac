/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_OVERLAY_OVERLAY_POLICIES_H
#define MFTPUBSUB_OVERLAY_OVERLAY_POLICIES_H

#include "overlay/node-view.h"
#include "overlay/parent-policy.h"

#include <cstdint>
#include <map>
#include <memory>

namespace mftpubsub
{

/// Whether a change of parent that a ParentPolicy proposes is carried out.
class MigrationPolicy
{
  public:
    virtual ~MigrationPolicy() = default;

    /**
     * Asked only when @p current may be kept, so saying no leaves a parent.
     *
     * @return whether to leave @p current for @p proposed now; if not, it may be proposed again
     */
    virtual bool Migrate(const NodeView& me,
                         const Candidate& current,
                         const Candidate& proposed) = 0;
};

/// At once, as in the thesis.
class ImmediateMigration : public MigrationPolicy
{
  public:
    bool Migrate(const NodeView& me, const Candidate& current, const Candidate& proposed) override;
};

/// When the same change has been proposed in so many rounds in a row.
class PersistentMigration : public MigrationPolicy
{
  public:
    explicit PersistentMigration(uint32_t rounds);

    bool Migrate(const NodeView& me, const Candidate& current, const Candidate& proposed) override;

  private:
    struct Streak
    {
        NodeId proposed{NO_NODE};
        uint32_t last{0}; //!< round
        uint32_t rounds{0};
    };

    uint32_t m_rounds;
    std::map<NodeId, Streak> m_streaks; //!< by node: all nodes of a run share a policy
};

/// When the present parent has been had for so long.
class MinimumStay : public MigrationPolicy
{
  public:
    explicit MinimumStay(double seconds);

    bool Migrate(const NodeView& me, const Candidate& current, const Candidate& proposed) override;

  private:
    double m_seconds;
};

/// Who is the better leader.
class LeaderPolicy
{
  public:
    virtual ~LeaderPolicy() = default;

    /// @return the priority of @p me, which becomes a leader: lower is better, then the lower id
    virtual uint32_t Priority(const NodeView& me) = 0;
};

/// The instant at which it became leader, ms: the longest-lived leader stays (T 2.5).
class LongestLivedLeader : public LeaderPolicy
{
  public:
    uint32_t Priority(const NodeView& me) override;
};

/// The id alone.
class LowestIdLeader : public LeaderPolicy
{
  public:
    uint32_t Priority(const NodeView& me) override;
};

/// The speed at which it moves, mm/s (T 5.2: mobility in the creation of the tree).
class SlowestLeader : public LeaderPolicy
{
  public:
    uint32_t Priority(const NodeView& me) override;
};

/// What becomes of a message, and of the link, that the transport has given up.
enum class FailureAction : int32_t
{
    DROP_LINK, //!< no tree neighbour until heard again; the broker is told, and queues
    KEEP_LINK, //!< the broker is told
    RESEND,    //!< the message is sent again, nobody is told
};

/// What to do on a delivery failure.
class FailurePolicy
{
  public:
    virtual ~FailurePolicy() = default;

    /**
     * @param kind of the message
     * @param failures how often the transport has given this message up
     */
    virtual FailureAction OnFailure(const NodeView& me,
                                    NodeId neighbour,
                                    uint8_t kind,
                                    uint32_t failures) = 0;
};

/// Always the same, after so many times of sending again.
class FixedFailureAction : public FailurePolicy
{
  public:
    explicit FixedFailureAction(FailureAction action, uint32_t resends = 0);

    FailureAction OnFailure(const NodeView& me,
                            NodeId neighbour,
                            uint8_t kind,
                            uint32_t failures) override;

  private:
    FailureAction m_action;
    uint32_t m_resends;
};

/// The decisions of the overlay; the defaults are the thesis's.
struct OverlayPolicies
{
    std::shared_ptr<ParentPolicy> parent{std::make_shared<FirstHeard>()}; //!< of brokers
    std::shared_ptr<ParentPolicy> client{std::make_shared<FirstHeard>()}; //!< of clients
    std::shared_ptr<MigrationPolicy> migration{std::make_shared<ImmediateMigration>()};
    std::shared_ptr<LeaderPolicy> leader{std::make_shared<LongestLivedLeader>()};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_OVERLAY_OVERLAY_POLICIES_H */
