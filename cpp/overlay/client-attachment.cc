/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "overlay/client-attachment.h"

#include <utility>

namespace mftpubsub
{

ClientAttachment::ClientAttachment(OverlayOptions options)
    : m_options(options)
{
}

AttachmentChange
ClientAttachment::Receive(Instant now, NodeId from, const Heartbeat& heartbeat)
{
    if (!m_view.Adopt(heartbeat, now))
    {
        return AttachmentChange::NONE;
    }
    return std::exchange(m_broker, from) == from ? AttachmentChange::ALIVE
                                                 : AttachmentChange::MOVED;
}

AttachmentChange
ClientAttachment::Expire(Instant now)
{
    if (m_broker == NO_NODE || now < m_view.GetHeardAt() + m_options.leaderTimeout)
    {
        return AttachmentChange::NONE;
    }
    m_broker = NO_NODE;
    m_view = LeaderView();
    return AttachmentChange::LOST;
}

std::optional<Instant>
ClientAttachment::NextTimer() const
{
    if (m_broker == NO_NODE)
    {
        return std::nullopt;
    }
    return m_view.GetHeardAt() + m_options.leaderTimeout;
}

NodeId
ClientAttachment::GetBroker() const
{
    return m_broker;
}

} // namespace mftpubsub
