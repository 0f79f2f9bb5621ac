/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_OVERLAY_BROKER_OVERLAY_H
#define MFTPUBSUB_OVERLAY_BROKER_OVERLAY_H

#include "overlay/leader-view.h"
#include "overlay/parent-choice.h"
#include "policies/policies.h"

#include <map>
#include <optional>
#include <vector>

namespace mftpubsub
{

/// A broker's new parent: it migrates (protocols.md section 3).
struct ParentChange
{
    NodeId previous{NO_NODE}; //!< b_o: the parent before, or the last one lost
    NodeId current{NO_NODE};  //!< b_n
};

/// What a broker's overlay answers to one input.
struct OverlayOutput
{
    std::vector<Heartbeat> broadcasts;        //!< to be sent now
    std::vector<NodeId> linksDown;            //!< no tree neighbours any more
    std::vector<NodeId> linksUp;              //!< tree neighbours from now on
    std::optional<ParentChange> parentChange; //!< after the links
};

/**
 * Leader election and spanning tree, the broker's part (T 2.5, protocols.md section 3), as a state
 * machine without I/O.
 *
 * The leader's heartbeats come in rounds; a broker chooses its parent among the senders of the
 * round that it hears (ParentChoice; by default the first one), and passes each round on once.
 * Better leaders win; a leader silent for `leaderTimeout` and a random moment is replaced by
 * oneself. Children are those who name us as their parent.
 */
class BrokerOverlay
{
  public:
    /**
     * @param self this broker
     * @param roles what its heartbeats say of its roles
     * @param uniform source of the jitter of heartbeats and of the leader timeout
     * @param policies what it decides by
     * @param complete adds to a description of this node what only its host knows
     */
    BrokerOverlay(
        NodeId self,
        uint8_t roles,
        OverlayOptions options,
        UniformSource uniform,
        Policies policies = {},
        ViewCompleter complete = [](NodeView&) {});

    /// Begins as its own leader.
    void Start(Instant now, OverlayOutput& output);

    /// @param rssiDbm of @p heartbeat as it was received
    void Receive(Instant now,
                 NodeId from,
                 const Heartbeat& heartbeat,
                 double rssiDbm,
                 OverlayOutput& output);

    /// @p node has announced that we are its parent (BMIG).
    void ChildJoined(Instant now, NodeId node, OverlayOutput& output);

    /// The transport found @p node out of reach: it is no tree neighbour until heard again.
    void LinkFailed(NodeId node, OverlayOutput& output);

    /// The time that NextTimer gave has come.
    void Expire(Instant now, OverlayOutput& output);

    /// @return when Expire wants to be called
    Instant NextTimer() const;

    /// @return whether @p node is our parent or a child
    bool IsNeighbour(NodeId node) const;

    NodeId GetParent() const;
    NodeId GetLeader() const;

    /// @return this node, for a policy
    NodeView Describe(Instant now) const;

  private:
    struct Deadlines
    {
        Instant nextRound{0};              //!< as leader
        Instant leaderLost{0};             //!< as follower, unless a new round is heard before
        std::optional<Instant> announcing; //!< when to send our heartbeat of this round
    };

    bool IsLeader() const;
    void BecomeLeader(Instant now, OverlayOutput& output);
    void BeginRound(Instant now);

    /// @return a random part of the jitter
    Instant DrawJitter();

    void NoteChild(Instant now, NodeId from, const Heartbeat& heartbeat, OverlayOutput& output);
    void ParentChanged(NodeId before, OverlayOutput& output);
    void LoseParent(OverlayOutput& output);
    void DropSilentChildren(Instant now, OverlayOutput& output);
    Heartbeat MakeHeartbeat(Instant now) const;

    NodeId m_self;
    uint8_t m_roles;
    OverlayOptions m_options;
    UniformSource m_uniform;
    Policies m_policies;
    ViewCompleter m_complete;

    LeaderView m_view;
    ParentChoice m_choice;
    uint8_t m_hops{0};                    //!< to the leader
    uint32_t m_ownRound{0};               //!< of our own heartbeats as leader, the last one
    NodeId m_lastParent{NO_NODE};         //!< b_o of the next migration
    std::map<NodeId, Instant> m_children; //!< and when each was last heard to be one
    Deadlines m_due;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_OVERLAY_BROKER_OVERLAY_H */
