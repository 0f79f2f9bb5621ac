/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_OVERLAY_PARENT_CHOICE_H
#define MFTPUBSUB_OVERLAY_PARENT_CHOICE_H

#include "overlay/heartbeat.h"
#include "policies/policies.h"

#include <memory>
#include <optional>
#include <vector>

namespace mftpubsub
{

/**
 * A node's choice of a parent among the senders that it hears, for its policies, free of loops.
 *
 * Candidates are the senders of the newest (leader, round) that do not name this node as their
 * parent. Once this node has announced its own hops in that round, they must have announced fewer:
 * so along the parents chosen in a round the announced hops fall, as with the feasibility condition
 * of DSDV and EIGRP, and no loop closes. A parent heard in an earlier round may be kept while its
 * last word names the same leader, is no older than `timeout` and is not against it by the same
 * rules; a loop through such a parent ends as soon as its next word is heard.
 */
class ParentChoice
{
  public:
    /// @param parents proposes, @param migration decides whether to follow; @param timeout of a
    /// parent that is silent
    ParentChoice(NodeId self,
                 std::shared_ptr<ParentPolicy> parents,
                 std::shared_ptr<MigrationPolicy> migration,
                 Instant timeout);

    /// A new round, or a better leader, is followed from now on.
    void BeginRound(const Leadership& leadership, uint32_t round);

    /**
     * Takes note of a heartbeat, of whatever leader and round.
     *
     * @return whether it is its sender's first one of this round: time to Decide
     */
    bool Hear(Instant now, NodeId from, const Heartbeat& heartbeat, double rssiDbm);

    /// This node has announced @p hops in this round.
    void Announced(uint8_t hops);

    /// @return whether @p node is the parent, and has been silent for `timeout` at @p now
    bool IsSilentParent(NodeId node, Instant now) const;

    /// @p node cannot be reached: it is no candidate in this round. If it is the parent, nobody is.
    void Failed(NodeId node);

    /// @p node has said otherwise than by heartbeat that we are its parent.
    void Joined(NodeId node);

    /// There is no parent any more.
    void Forget();

    /**
     * Asks the policies, if what was heard last can change anything.
     *
     * @param me this node
     * @return whether GetParent has changed
     * @throws std::logic_error if a policy answers with a node that is neither
     */
    bool Decide(const NodeView& me);

    /// @return the parent, NO_NODE if there is none
    NodeId GetParent() const;

    /// @return the hops that the parent announced in this round, else those that its first sender
    ///         did
    uint8_t GetParentHops() const;

    /// @return s since this is the parent, 0 without
    double GetAttachedSeconds(Instant now) const;

  private:
    struct Sender
    {
        NodeId id{NO_NODE};
        Heartbeat heartbeat;
        double rssiDbm{0};
        Instant heardAt{0};
        uint32_t arrival{0};
        bool isReachable{true}; //!< as far as the transport has told
    };

    bool IsOfThisRound(const Sender& sender) const;
    bool IsFeasible(const Sender& sender) const;
    bool MayKeepParent(Instant now) const;
    static Candidate View(const Sender& sender, Instant now);

    NodeId m_self;
    std::shared_ptr<ParentPolicy> m_parents;
    std::shared_ptr<MigrationPolicy> m_migration;
    Instant m_timeout;

    Leadership m_leadership;
    uint32_t m_round{0};
    std::vector<Sender> m_senders;      //!< of this round, in order of arrival
    std::optional<uint8_t> m_announced; //!< hops, in this round
    bool m_failed{false};               //!< the parent, in this round
    std::optional<Sender> m_parent;     //!< as heard last
    Instant m_parentSince{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_OVERLAY_PARENT_CHOICE_H */
