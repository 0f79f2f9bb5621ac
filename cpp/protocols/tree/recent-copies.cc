/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/recent-copies.h"

namespace mftpubsub
{

RecentCopies::RecentCopies(size_t capacity)
    : m_capacity(capacity)
{
}

bool
RecentCopies::Take(const EventId& event, NodeId client)
{
    auto& [taken, order] = m_copies[client];
    if (!taken.insert(event).second)
    {
        return false;
    }
    order.push_back(event);
    if (order.size() > m_capacity)
    {
        taken.erase(order.front());
        order.pop_front();
    }
    return true;
}

void
RecentCopies::GiveBack(NodeId client, const Message& message)
{
    auto& copies = m_copies[client];
    const auto forget = [&copies](const EventPtr& event) {
        if (copies.taken.erase(event->id) > 0)
        {
            std::erase(copies.order, event->id);
        }
    };
    if (const auto* pub = std::get_if<Pub>(&message))
    {
        forget(pub->event);
    }
    else if (const auto* rep = std::get_if<Rep>(&message))
    {
        for (const auto& event : rep->events)
        {
            forget(event);
        }
    }
}

std::string
RecentCopies::GetDigest() const
{
    std::string text;
    for (const auto& [client, copies] : m_copies)
    {
        text += std::to_string(client) + "<";
        for (const auto& event : copies.order)
        {
            text += std::to_string(event.publisher) + "." + std::to_string(event.sequence) + " ";
        }
    }
    return text;
}

} // namespace mftpubsub
