/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_OVERLAY_CLIENT_ATTACHMENT_H
#define MFTPUBSUB_OVERLAY_CLIENT_ATTACHMENT_H

#include "overlay/leader-view.h"

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
 * Which broker a client (a device without the broker role) is attached to: the first sender of the
 * leader's newest round (protocols.md section 3). A state machine without I/O.
 */
class ClientAttachment
{
  public:
    explicit ClientAttachment(OverlayOptions options);

    AttachmentChange Receive(Instant now, NodeId from, const Heartbeat& heartbeat);

    /// The time that NextTimer gave has come.
    AttachmentChange Expire(Instant now);

    /// @return when Expire wants to be called, nothing while there is no broker
    std::optional<Instant> NextTimer() const;

    /// @return the present broker, NO_NODE if there is none
    NodeId GetBroker() const;

  private:
    OverlayOptions m_options;
    LeaderView m_view;
    NodeId m_broker{NO_NODE};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_OVERLAY_CLIENT_ATTACHMENT_H */
