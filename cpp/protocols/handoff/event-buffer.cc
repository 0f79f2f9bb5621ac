/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/event-buffer.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace mftpubsub::handoff
{

EventBuffer::EventBuffer(uint64_t bytes)
    : m_bound(bytes)
{
}

void
EventBuffer::Append(const Held& held)
{
    m_events.push_back(held);
    m_bytes += GetSize(*held.event);
    Shrink();
}

void
EventBuffer::Return(const std::deque<Held>& events)
{
    for (const auto& held : events)
    {
        m_bytes += GetSize(*held.event);
    }
    m_events.insert(m_events.begin(), events.begin(), events.end());
    Shrink();
}

std::vector<Held>
EventBuffer::Take()
{
    std::vector<Held> events(std::make_move_iterator(m_events.begin()),
                             std::make_move_iterator(m_events.end()));
    Clear();
    return events;
}

void
EventBuffer::Clear()
{
    m_events.clear();
    m_bytes = 0;
}

bool
EventBuffer::IsEmpty() const
{
    return m_events.empty();
}

const std::deque<Held>&
EventBuffer::GetEvents() const
{
    return m_events;
}

void
EventBuffer::Shrink()
{
    while (m_bytes > m_bound)
    {
        m_bytes -= GetSize(*m_events.front().event);
        m_events.pop_front();
    }
}

std::vector<Held>
Sorted(std::vector<Held> events)
{
    std::stable_sort(events.begin(), events.end(), [](const Held& a, const Held& b) {
        return a.event->id < b.event->id;
    });
    return events;
}

void
OrderByPublisher(std::vector<Held>& events)
{
    const auto sorted = Sorted(events);
    std::map<NodeId, size_t> next; // in `sorted`, by publisher
    for (size_t place = 0; place < sorted.size(); ++place)
    {
        next.try_emplace(sorted[place].event->id.publisher, place);
    }
    for (auto& held : events)
    {
        held = sorted[next.at(held.event->id.publisher)++];
    }
}

void
AppendTo(std::vector<Held>& all, std::vector<Held> events)
{
    all.insert(all.end(),
               std::make_move_iterator(events.begin()),
               std::make_move_iterator(events.end()));
}

std::vector<Held>
Missing(const std::vector<Held>& events, const Consumed& last)
{
    std::vector<Held> missing;
    for (const auto& held : Sorted(events))
    {
        const auto id = held.event->id;
        if (!last.Covers(id) && (missing.empty() || missing.back().event->id != id))
        {
            missing.push_back(held);
        }
    }
    return missing;
}

std::vector<Held>
EventsOf(const EventBuffer& buffer)
{
    return {buffer.GetEvents().begin(), buffer.GetEvents().end()};
}

std::vector<Held>
Transferred(std::vector<Held> events)
{
    for (auto& held : events)
    {
        held.transferred = true;
    }
    return events;
}

} // namespace mftpubsub::handoff
