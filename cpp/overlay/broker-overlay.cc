/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "overlay/broker-overlay.h"

#include <algorithm>
#include <utility>

namespace mftpubsub
{

namespace
{

uint32_t
ToMilliseconds(Instant time)
{
    return static_cast<uint32_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

} // namespace

BrokerOverlay::BrokerOverlay(NodeId self,
                             uint8_t roles,
                             OverlayOptions options,
                             UniformSource uniform)
    : m_self(self),
      m_roles(roles),
      m_options(options),
      m_uniform(std::move(uniform))
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
    m_rebroadcastAt.reset();
    m_hops = 0;
    m_view = LeaderView({ToMilliseconds(now), m_self}, 0, now);
    BeginRound(now, output);
}

void
BrokerOverlay::BeginRound(Instant now, OverlayOutput& output)
{
    m_view = LeaderView(m_view.GetLeadership(), m_view.GetRound() + 1, now);
    m_nextRound = now + m_options.heartbeatInterval;
    output.broadcasts.push_back(MakeHeartbeat());
}

void
BrokerOverlay::Receive(Instant now, NodeId from, const Heartbeat& heartbeat, OverlayOutput& output)
{
    NoteChild(now, from, heartbeat, output);
    // A sender that names us as its parent cannot lead us to the leader of that round.
    if (heartbeat.leadership.leader == m_self || heartbeat.parent == m_self ||
        !m_view.Adopt(heartbeat, now))
    {
        return;
    }
    m_hops = heartbeat.hops + 1;
    const auto jitter =
        std::chrono::duration_cast<Instant>(m_options.rebroadcastJitter * m_uniform());
    m_rebroadcastAt = now + jitter;
    SetParent(from, output);
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
    if (node == m_parent) // both believe to be below the other; the next round settles it
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
BrokerOverlay::SetParent(NodeId parent, OverlayOutput& output)
{
    if (parent == m_parent)
    {
        return;
    }
    const auto previous = m_lastParent;
    LoseParent(output);
    if (m_children.erase(parent) == 0)
    {
        output.linksUp.push_back(parent);
    }
    m_parent = parent;
    m_lastParent = parent;
    output.parentChange = ParentChange{previous, parent};
}

void
BrokerOverlay::LoseParent(OverlayOutput& output)
{
    if (m_parent != NO_NODE)
    {
        output.linksDown.push_back(m_parent);
        m_parent = NO_NODE;
    }
}

void
BrokerOverlay::LinkFailed(NodeId node, OverlayOutput& output)
{
    if (node == m_parent)
    {
        LoseParent(output);
    }
    else if (m_children.erase(node) > 0)
    {
        output.linksDown.push_back(node);
    }
}

void
BrokerOverlay::Expire(Instant now, OverlayOutput& output)
{
    DropSilentChildren(now, output);
    if (IsLeader())
    {
        if (now >= m_nextRound)
        {
            BeginRound(now, output);
        }
        return;
    }
    if (m_rebroadcastAt && now >= *m_rebroadcastAt)
    {
        m_rebroadcastAt.reset();
        output.broadcasts.push_back(MakeHeartbeat());
    }
    if (now >= m_view.GetHeardAt() + m_options.leaderTimeout)
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
    auto next = IsLeader() ? m_nextRound : m_view.GetHeardAt() + m_options.leaderTimeout;
    if (m_rebroadcastAt)
    {
        next = std::min(next, *m_rebroadcastAt);
    }
    for (const auto& [child, heard] : m_children)
    {
        next = std::min(next, heard + m_options.leaderTimeout);
    }
    return next;
}

Heartbeat
BrokerOverlay::MakeHeartbeat() const
{
    return {m_view.GetLeadership(), m_view.GetRound(), m_hops, m_parent, m_roles};
}

bool
BrokerOverlay::IsNeighbour(NodeId node) const
{
    return node == m_parent || m_children.contains(node);
}

NodeId
BrokerOverlay::GetParent() const
{
    return m_parent;
}

NodeId
BrokerOverlay::GetLeader() const
{
    return m_view.GetLeadership().leader;
}

} // namespace mftpubsub
