/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_OVERLAY_CLIENT_ATTACHMENT_H
#define MFTPUBSUB_OVERLAY_CLIENT_ATTACHMENT_H

#include "overlay/leader-view.h"
#include "overlay/parent-choice.h"
#include "policies/policies.h"

#include <optional>

namespace mftpubsub
{

/// What became of a client's attachment by one input.
enum class AttachmentChange
{
    NONE,
    MOVED, //!< to the broker that GetBroker names
    LOST,  //!< no broker is heard any more
    ALIVE, //!< the broker was heard again, in a new round
};

/**
 * Which broker a client (a device without the broker role) is attached to, chosen among the senders
 * of the leader's newest round, by default the first one (protocols.md section 3). A state machine
 * without I/O.
 */
class ClientAttachment
{
  public:
    /// @param self this client; @param roles its roles; @param policies what it decides by
    /// @param complete adds to a description of this node what only its host knows
    ClientAttachment(
        NodeId self,
        uint8_t roles,
        OverlayOptions options,
        Policies policies = {},
        ViewCompleter complete = [](NodeView&) {});

    /// @param rssiDbm of @p heartbeat as it was received
    AttachmentChange Receive(Instant now, NodeId from, const Heartbeat& heartbeat, double rssiDbm);

    /// The time that NextTimer gave has come.
    AttachmentChange Expire(Instant now);

    /// @return when Expire wants to be called, nothing while no leader is known
    std::optional<Instant> NextTimer() const;

    /// @return the present broker, NO_NODE if there is none
    NodeId GetBroker() const;

    /// @return this node, for a policy
    NodeView Describe(Instant now) const;

  private:
    NodeId m_self;
    uint8_t m_roles;
    OverlayOptions m_options;
    ViewCompleter m_complete;
    LeaderView m_view;
    ParentChoice m_choice;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_OVERLAY_CLIENT_ATTACHMENT_H */
