/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "stations/weak-links.h"

namespace mftpubsub
{

namespace
{

/// Five heartbeats: a neighbour that is met again later may be nearer.
constexpr Instant WEAK_LINK_MEMORY = std::chrono::seconds(30);
constexpr uint32_t WEAK_LINK_HALVINGS = 4;
constexpr size_t LEAST_WEAK_ROOM = 40;
constexpr uint32_t WEAK_LINK_RETRIES = 5;

} // namespace

void
WeakLinks::Lost(Instant now, NodeId neighbour)
{
    auto& link = m_links[neighbour];
    if (now > link.lostAt + WEAK_LINK_MEMORY)
    {
        link = {};
    }
    link.halvings.Lost(WEAK_LINK_HALVINGS);
    link.lostAt = now;
}

void
WeakLinks::Arrived(Instant now, NodeId neighbour, size_t bytes, size_t room)
{
    // That a small one arrives says nothing of larger ones.
    if (Find(now, neighbour) && 2 * bytes > GetRoom(now, neighbour, room))
    {
        m_links.at(neighbour).halvings.Arrived();
    }
}

size_t
WeakLinks::GetRoom(Instant now, NodeId neighbour, size_t room) const
{
    const auto* link = Find(now, neighbour);
    return link ? link->halvings.GetMost(room, LEAST_WEAK_ROOM) : room;
}

bool
WeakLinks::Retries(Instant now, NodeId neighbour, uint32_t attempts) const
{
    const auto* link = Find(now, neighbour);
    return link && link->halvings.IsWeak() && attempts <= WEAK_LINK_RETRIES;
}

const WeakLinks::Link*
WeakLinks::Find(Instant now, NodeId neighbour) const
{
    const auto link = m_links.find(neighbour);
    const auto isKnown = link != m_links.end() && now <= link->second.lostAt + WEAK_LINK_MEMORY;
    return isKnown ? &link->second : nullptr;
}

} // namespace mftpubsub
