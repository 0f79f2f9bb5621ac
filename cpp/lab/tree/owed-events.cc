/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/tree/owed-events.h"

#include <sstream>
#include <variant>

namespace mftpubsub
{

void
OwedEvents::Add(const EventPtr& event, const std::set<NodeId>& wanted)
{
    m_owed[event->id] = {event, wanted, {}};
}

void
OwedEvents::NoteMatch(const Pair& match)
{
    // A protocol of one's own may speak of events that nobody has published.
    if (const auto owed = m_owed.find(match.event); owed != m_owed.end())
    {
        owed->second.matched.insert(match.subscriber);
    }
}

void
OwedEvents::Excuse(NodeId subscriber, const EventId& event)
{
    if (const auto owed = m_owed.find(event); owed != m_owed.end())
    {
        owed->second.wanted.erase(subscriber);
    }
}

void
OwedEvents::ExcuseUnwanted(NodeId id, const Subscriber& subscriber)
{
    for (auto& [event, owed] : m_owed)
    {
        if (owed.wanted.contains(id) && !subscriber.Wants(*owed.event))
        {
            owed.wanted.erase(id);
        }
    }
}

void
OwedEvents::ExcuseQueued(const Broker& broker)
{
    for (const auto& queue : broker.GetQueues())
    {
        for (const auto& event : queue.events)
        {
            Excuse(queue.subscriber, event);
        }
    }
}

void
OwedEvents::ExcuseCarried(const Message& message)
{
    if (const auto* pub = std::get_if<Pub>(&message))
    {
        for (const auto subscriber : pub->subscribers)
        {
            Excuse(subscriber, pub->event->id);
        }
    }
    else if (const auto* rep = std::get_if<Rep>(&message))
    {
        for (const auto& event : rep->events)
        {
            Excuse(rep->subscriber, event->id);
        }
    }
    else if (const auto* own = std::get_if<Own>(&message))
    {
        for (const auto& event : own->events)
        {
            ExcuseAll(event);
        }
    }
}

void
OwedEvents::ExcuseAll(const EventId& event)
{
    if (const auto owed = m_owed.find(event); owed != m_owed.end())
    {
        owed->second.wanted.clear();
    }
}

const std::map<EventId, OwedEvents::Owed>&
OwedEvents::Get() const
{
    return m_owed;
}

std::string
OwedEvents::GetDigest() const
{
    std::ostringstream text;
    for (const auto& [event, owed] : m_owed)
    {
        text << event.publisher << '.' << event.sequence;
        for (const auto* subscribers : {&owed.wanted, &owed.matched})
        {
            text << '[';
            for (const auto subscriber : *subscribers)
            {
                text << subscriber << ',';
            }
            text << ']';
        }
    }
    return text.str();
}

} // namespace mftpubsub
