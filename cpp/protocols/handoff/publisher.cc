/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/publisher.h"

namespace mftpubsub::handoff
{

Publisher::Publisher(uint64_t bytes)
    : m_buffer(bytes)
{
}

std::vector<EventPtr>
Publisher::Publish(const EventPtr& event)
{
    if (m_isConnected)
    {
        return {event};
    }
    m_buffer.Append({event});
    return {};
}

std::vector<EventPtr>
Publisher::Connect()
{
    m_isConnected = true;
    std::vector<EventPtr> events;
    for (const auto& held : m_buffer.Take())
    {
        events.push_back(held.event);
    }
    return events;
}

void
Publisher::Disconnect(const std::vector<EventPtr>& unsent)
{
    m_isConnected = false;
    std::deque<Held> events;
    for (const auto& event : unsent)
    {
        events.push_back({event});
    }
    m_buffer.Return(events);
}

size_t
Publisher::CountHeld() const
{
    return m_buffer.GetEvents().size();
}

} // namespace mftpubsub::handoff
