/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "overlay/broker-overlay.h"

#include <algorithm>
#include <utility>

namespace mftpubsub
{

BrokerOverlay::BrokerOverlay(NodeId self,
                             uint8_t roles,
                             OverlayOptions options,
                             UniformSource uniform,
                             Policies policies,
                             ViewCompleter complete)
    : m_self(self),
      m_roles(roles),
      m_options(options),
      m_uniform(std::move(uniform)),
      m_policies(std::move(policies)),
      m_complete(std::move(complete)),
      m_choice(self, m_policies.parent, m_policies.migration, options.leaderTimeout)
{
}

void
BrokerOverlay::Start(Instant now, OverlayOutput& output)
{
    BecomeLeader(now, output);
}

bool
BrokerOverlay::IsLeader() const
{
    return m_view.GetLeadership().leader == m_self;
}

void
BrokerOverlay::BecomeLeader(Instant now, OverlayOutput& output)
{
    LoseParent(output);
    m_hops = 0;
    // Policies may give the same priority again: rounds go on, so that they are newer than the old.
    m_view = LeaderView({m_policies.leader->Decide(Describe(now)), m_self}, m_ownRound, now);
    BeginRound(now);
}

void
BrokerOverlay::BeginRound(Instant now)
{
    m_view = LeaderView(m_view.GetLeadership(), ++m_ownRound, now);
    m_due.nextRound = now + m_options.heartbeatInterval;
    // Leaders that began at one instant would never hear each other if they sent at once.
    m_due.announcing = now + DrawJitter();
}

Instant
BrokerOverlay::DrawJitter()
{
    return std::chrono::duration_cast<Instant>(m_options.rebroadcastJitter * m_uniform());
}

void
BrokerOverlay::Receive(Instant now,
                       NodeId from,
                       const Heartbeat& heartbeat,
                       double rssiDbm,
                       OverlayOutput& output)
{
    NoteChild(now, from, heartbeat, output);
    // It has ended our session, perhaps, and told us in vain. Who hears nobody waits as long.
    if (m_choice.IsSilentParent(from, now - m_options.rebroadcastJitter))
    {
        LoseParent(output);
    }
    // A sender that names us as its parent cannot lead us to the leader of that round.
    if (heartbeat.leadership.leader != m_self && heartbeat.parent != m_self &&
        m_view.Adopt(heartbeat, now))
    {
        m_choice.BeginRound(heartbeat.leadership, heartbeat.round);
        m_due.announcing = now + DrawJitter();
        m_due.leaderLost = now + m_options.leaderTimeout + DrawJitter();
    }
    if (!m_choice.Hear(now, from, heartbeat, rssiDbm) || IsLeader())
    {
        return;
    }
    const auto before = GetParent();
    if (m_choice.Decide(Describe(now)))
    {
        ParentChanged(before, output);
    }
    if (m_due.announcing)
    {
        m_hops = static_cast<uint8_t>(std::min(m_choice.GetParentHops() + 1, UINT8_MAX));
    }
}

void
BrokerOverlay::NoteChild(Instant now,
                         NodeId from,
                         const Heartbeat& heartbeat,
                         OverlayOutput& output)
{
    if (heartbeat.parent == m_self)
    {
        ChildJoined(now, from, output);
    }
    else if (m_children.erase(from) > 0)
    {
        output.linksDown.push_back(from);
    }
}

void
BrokerOverlay::ChildJoined(Instant now, NodeId node, OverlayOutput& output)
{
    m_choice.Joined(node);
    if (node == GetParent()) // both believe to be below the other; the next round settles it
    {
        return;
    }
    if (m_children.insert_or_assign(node, now).second)
    {
        output.linksUp.push_back(node);
    }
    if (node == m_lastParent)
    {
        m_lastParent = NO_NODE;
    }
}

void
BrokerOverlay::ParentChanged(NodeId before, OverlayOutput& output)
{
    if (before != NO_NODE)
    {
        output.linksDown.push_back(before);
    }
    const auto parent = GetParent();
    if (parent == NO_NODE)
    {
        return;
    }
    output.linksUp.push_back(parent);
    output.parentChange = ParentChange{std::exchange(m_lastParent, parent), parent};
}

void
BrokerOverlay::LoseParent(OverlayOutput& output)
{
    if (GetParent() != NO_NODE)
    {
        output.linksDown.push_back(GetParent());
        m_choice.Forget();
    }
}

void
BrokerOverlay::LinkFailed(NodeId node, OverlayOutput& output)
{
    if (node == GetParent())
    {
        output.linksDown.push_back(node);
    }
    else if (m_children.erase(node) > 0)
    {
        output.linksDown.push_back(node);
    }
    m_choice.Failed(node);
}

void
BrokerOverlay::Expire(Instant now, OverlayOutput& output)
{
    DropSilentChildren(now, output);
    if (m_due.announcing && now >= *m_due.announcing)
    {
        m_due.announcing.reset();
        if (!IsLeader())
        {
            m_choice.Announced(m_hops);
        }
        output.broadcasts.push_back(MakeHeartbeat(now));
    }
    if (IsLeader() && now >= m_due.nextRound)
    {
        BeginRound(now);
    }
    else if (!IsLeader() && now >= m_due.leaderLost)
    {
        BecomeLeader(now, output);
    }
}

void
BrokerOverlay::DropSilentChildren(Instant now, OverlayOutput& output)
{
    std::erase_if(m_children, [&](const auto& child) {
        const auto silent = now >= child.second + m_options.leaderTimeout;
        if (silent)
        {
            output.linksDown.push_back(child.first);
        }
        return silent;
    });
}

Instant
BrokerOverlay::NextTimer() const
{
    auto next = IsLeader() ? m_due.nextRound : m_due.leaderLost;
    if (m_due.announcing)
    {
        next = std::min(next, *m_due.announcing);
    }
    for (const auto& [child, heard] : m_children)
    {
        next = std::min(next, heard + m_options.leaderTimeout);
    }
    return next;
}

Heartbeat
BrokerOverlay::MakeHeartbeat(Instant now) const
{
    const auto me = Describe(now);
    auto advertised = m_policies.parent->Advertise(me);
    if (!advertised)
    {
        advertised = m_policies.client->Advertise(me);
    }
    return {m_view.GetLeadership(), m_view.GetRound(), m_hops, GetParent(), m_roles, advertised};
}

NodeView
BrokerOverlay::Describe(Instant now) const
{
    NodeView me;
    me.id = m_self;
    me.roles = m_roles;
    me.timeNanoseconds = now.count();
    me.leader = GetLeader();
    me.round = m_view.GetRound();
    me.parent = GetParent();
    me.hops = m_hops;
    me.attachedSeconds = m_choice.GetAttachedSeconds(now);
    me.children = static_cast<uint32_t>(m_children.size());
    m_complete(me);
    return me;
}

bool
BrokerOverlay::IsNeighbour(NodeId node) const
{
    return node != NO_NODE && (node == GetParent() || m_children.contains(node));
}

NodeId
BrokerOverlay::GetParent() const
{
    return m_choice.GetParent();
}

NodeId
BrokerOverlay::GetLeader() const
{
    return m_view.GetLeadership().leader;
}

} // namespace mftpubsub
