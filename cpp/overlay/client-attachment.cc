/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "overlay/client-attachment.h"

#include <algorithm>
#include <utility>

namespace mftpubsub
{

ClientAttachment::ClientAttachment(NodeId self,
                                   uint8_t roles,
                                   OverlayOptions options,
                                   Policies policies,
                                   ViewCompleter complete)
    : m_self(self),
      m_roles(roles),
      m_options(options),
      m_complete(std::move(complete)),
      m_choice(self, policies.client, policies.migration, options.leaderTimeout)
{
}

AttachmentChange
ClientAttachment::Receive(Instant now, NodeId from, const Heartbeat& heartbeat, double rssiDbm)
{
    if (m_view.Adopt(heartbeat, now))
    {
        m_choice.BeginRound(heartbeat.leadership, heartbeat.round);
    }
    if (!m_choice.Hear(now, from, heartbeat, rssiDbm))
    {
        return AttachmentChange::NONE;
    }
    if (m_choice.Decide(Describe(now)))
    {
        return GetBroker() == NO_NODE ? AttachmentChange::LOST : AttachmentChange::MOVED;
    }
    return from == GetBroker() ? AttachmentChange::ALIVE : AttachmentChange::NONE;
}

AttachmentChange
ClientAttachment::Expire(Instant now)
{
    const auto end = NextTimer();
    if (!end || now < *end)
    {
        return AttachmentChange::NONE;
    }
    const auto hadBroker = GetBroker() != NO_NODE;
    m_choice.Forget();
    m_view = LeaderView();
    return hadBroker ? AttachmentChange::LOST : AttachmentChange::NONE;
}

std::optional<Instant>
ClientAttachment::NextTimer() const
{
    if (m_view.GetLeadership().leader == NO_NODE)
    {
        return std::nullopt;
    }
    return m_view.GetHeardAt() + m_options.leaderTimeout;
}

NodeId
ClientAttachment::GetBroker() const
{
    return m_choice.GetParent();
}

NodeView
ClientAttachment::Describe(Instant now) const
{
    NodeView me;
    me.id = m_self;
    me.roles = m_roles;
    me.timeNanoseconds = now.count();
    me.leader = m_view.GetLeadership().leader;
    me.round = m_view.GetRound();
    me.parent = GetBroker();
    me.hops = static_cast<uint8_t>(std::min(m_choice.GetParentHops() + 1, UINT8_MAX));
    me.attachedSeconds = m_choice.GetAttachedSeconds(now);
    m_complete(me);
    return me;
}

} // namespace mftpubsub
