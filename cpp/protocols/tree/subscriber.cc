/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/subscriber.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace mftpubsub
{

Subscriber::Subscriber(NodeId self)
    : m_self(self)
{
}

Subscriber::Subscriber(NodeId self, std::set<Filter> filters, uint32_t timestamp, EventSet seen)
    : m_self(self),
      m_timestamp(timestamp),
      m_filters(std::move(filters)),
      m_seen(std::move(seen))
{
}

void
Subscriber::Overhear()
{
    m_overhears = true;
}

bool
Subscriber::Overhears() const
{
    return m_overhears;
}

void
Subscriber::Subscribe(const Filter& filter, SubscriberOutput& output)
{
    if (m_filters.insert(filter).second && m_broker != NO_NODE)
    {
        output.sends.push_back({m_broker, Sub{m_self, filter, NextFreshness()}});
    }
}

void
Subscriber::Unsubscribe(const Filter& filter, SubscriberOutput& output)
{
    if (m_filters.erase(filter) > 0 && m_broker != NO_NODE)
    {
        output.sends.push_back({m_broker, Uns{m_self, filter, NextFreshness()}});
    }
}

void
Subscriber::Attached(NodeId broker, SubscriberOutput& output)
{
    m_broker = broker;
    if (m_timestamp > 0)
    {
        TellWhatItHas(output);
        Migrate(output);
        return;
    }
    m_registeredAt = broker;
    if (m_filters.empty())
    {
        output.sends.push_back({broker, Attach{}});
    }
    for (const auto& filter : m_filters)
    {
        output.sends.push_back({broker, Sub{m_self, filter, NextFreshness()}});
    }
}

void
Subscriber::Detached()
{
    m_broker = NO_NODE;
}

void
Subscriber::BrokerAlive(SubscriberOutput& output)
{
    TellWhatItHas(output);
    if (m_owesMigration && m_broker != NO_NODE)
    {
        Migrate(output);
    }
}

void
Subscriber::TellWhatItHas(SubscriberOutput& output) const
{
    if (!m_recent.GetRows().empty())
    {
        output.sends.push_back({NO_NODE, Have{m_self, m_recent.GetRows()}});
    }
}

void
Subscriber::Migrate(SubscriberOutput& output)
{
    const auto lastReceived = m_lastReceivedFrom == m_registeredAt ? m_lastReceived : 0;
    output.sends.push_back({m_broker, Mig{m_self, m_registeredAt, NextFreshness(), lastReceived}});
    m_registeredAt = m_broker;
    m_owesMigration = false;
}

void
Subscriber::DeliveryFailed(NodeId to)
{
    // The broker may have got the message all the same, so which one knows us last is in doubt.
    m_registeredAt = NO_NODE;
    m_owesMigration = m_owesMigration || to == m_broker;
}

void
Subscriber::SessionLost()
{
    m_owesMigration = true;
}

void
Subscriber::Receive(NodeId from, const Message& message, SubscriberOutput& output)
{
    if (const auto* pub = std::get_if<Pub>(&message))
    {
        if (m_overhears && (!Wants(*pub->event) || m_seen.Contains(pub->event->id)))
        {
            return; // not for this one, perhaps
        }
        NoteTimestamp(from, pub->timestamp);
        Deliver(pub->event, from, pub->hops, output);
    }
    else if (const auto* rep = std::get_if<Rep>(&message))
    {
        NoteTimestamp(from, rep->timestamp);
        for (const auto& event : rep->events)
        {
            Deliver(event, from, rep->hops, output);
        }
    }
    else if (const auto* filters = std::get_if<Filters>(&message); filters && from == m_broker)
    {
        Reconcile(filters->filters, output);
    }
}

void
Subscriber::NoteTimestamp(NodeId from, uint32_t timestamp)
{
    m_lastReceivedFrom = from;
    m_lastReceived = timestamp;
}

void
Subscriber::Deliver(const EventPtr& event, NodeId from, uint8_t hops, SubscriberOutput& output)
{
    const auto isNew = m_seen.Insert(event->id);
    if (m_overhears)
    {
        m_recent.Insert(event->id);
    }
    output.deliveries.push_back({event, from, hops, !isNew});
}

void
Subscriber::Reconcile(const std::vector<Filter>& known, SubscriberOutput& output)
{
    for (const auto& filter : m_filters)
    {
        if (std::ranges::find(known, filter) == known.end())
        {
            output.sends.push_back({m_broker, Sub{m_self, filter, NextFreshness()}});
        }
    }
    for (const auto& filter : known)
    {
        if (!m_filters.contains(filter))
        {
            output.sends.push_back({m_broker, Uns{m_self, filter, NextFreshness()}});
        }
    }
}

Freshness
Subscriber::NextFreshness()
{
    return {++m_timestamp, 0};
}

bool
Subscriber::Wants(const Event& event) const
{
    return std::ranges::any_of(m_filters, [&](const Filter& f) { return f.Matches(event); });
}

NodeId
Subscriber::GetBroker() const
{
    return m_broker;
}

const std::set<Filter>&
Subscriber::GetFilters() const
{
    return m_filters;
}

uint32_t
Subscriber::GetTimestamp() const
{
    return m_timestamp;
}

std::string
Subscriber::GetDigest() const
{
    std::ostringstream text;
    text << m_broker << ' ' << m_registeredAt << ' ' << m_owesMigration << ' ' << m_timestamp << ' '
         << m_lastReceived << '@' << m_lastReceivedFrom;
    for (const auto& filter : m_filters)
    {
        text << '|' << filter.GetText();
    }
    text << ';' << m_seen.GetText() << m_recent.GetDigest();
    return text.str();
}

} // namespace mftpubsub
