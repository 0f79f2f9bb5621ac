/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/cascading.h"

#include <algorithm>
#include <set>
#include <utility>

namespace mftpubsub
{

Cascading::Cascading(NodeId self, Options options, QueueOptions queues)
    : RoutingBroker(self, std::move(queues)),
      m_options(options)
{
}

std::unique_ptr<Broker>
Cascading::Clone() const
{
    return std::make_unique<Cascading>(*this);
}

void
Cascading::ParentChanged(Instant, NodeId, NodeId current, BrokerOutput& output)
{
    SendBmig(current, output);
}

void
Cascading::Receive(Instant, NodeId from, const Message& message, BrokerOutput& output)
{
    Dispatch(*this, from, message, output);
}

void
Cascading::Handle(NodeId from, const Sub& message, BrokerOutput& output)
{
    if (from == message.subscriber)
    {
        AddClient(from);
    }
    AddFilter(message.subscriber, message.filter, from);
    SendToNeighbours(message, from, output);
}

void
Cascading::Handle(NodeId from, const Uns& message, BrokerOutput& output)
{
    RemoveFilter(message.subscriber, message.filter);
    SendToNeighbours(message, from, output);
}

void
Cascading::AddFilter(NodeId subscriber, const Filter& filter, NodeId nextHop)
{
    const auto* route = m_table.Find(subscriber);
    if (!route || !route->filters.contains(filter))
    {
        m_table.AddFilter(subscriber, filter);
        m_table.SetNextHop(subscriber, nextHop);
    }
}

void
Cascading::RemoveFilter(NodeId subscriber, const Filter& filter)
{
    m_table.RemoveFilter(subscriber, filter);
    if (m_table.GetFilters(subscriber).empty())
    {
        m_table.Erase(subscriber);
    }
}

void
Cascading::Handle(NodeId from, const Mig& message, BrokerOutput& output)
{
    const auto subscriber = message.subscriber;
    if (from == subscriber)
    {
        AddClient(from);
        output.sends.push_back({from, Filters{m_table.GetFilters(subscriber)}});
    }
    const auto old = m_table.GetNextHop(subscriber);
    if (message.previous != GetId() && old != from && GetNeighbours().contains(old))
    {
        output.sends.push_back({old, message});
    }
    if (m_table.Find(subscriber))
    {
        m_table.SetNextHop(subscriber, from);
    }
    SendQueued(subscriber, from, output);
}

void
Cascading::Handle(NodeId from, const CascadingBmig& message, BrokerOutput& output)
{
    std::set<NodeId> oldNextHops; // X
    for (const auto subscriber : message.subscribers)
    {
        const auto old = m_table.GetNextHop(subscriber);
        if (old != from && GetNeighbours().contains(old))
        {
            oldNextHops.insert(old);
        }
        if (m_table.Find(subscriber))
        {
            m_table.SetNextHop(subscriber, from);
        }
    }
    for (const auto old : oldNextHops)
    {
        output.sends.push_back({old, message});
    }
    if (from == message.origin)
    {
        Btab table;
        for (const auto& [subscriber, route] : m_table.GetRoutes())
        {
            table.entries.push_back({subscriber, m_table.GetFilters(subscriber)});
        }
        output.sends.push_back({from, std::move(table)});
    }
    for (const auto subscriber : message.subscribers)
    {
        SendQueued(subscriber, from, output);
    }
}

void
Cascading::Handle(NodeId from, const Btab& message, BrokerOutput& output)
{
    AdoptTable(from, message);
    CorrectFilters(from, message, output);
    for (const auto neighbour : GetNeighbours())
    {
        if (neighbour != from)
        {
            output.sends.push_back({neighbour, Fmig{}});
        }
    }
    for (const auto& entry : message.entries)
    {
        if (!IsLocal(entry.subscriber))
        {
            SendQueued(entry.subscriber, from, output);
        }
    }
}

void
Cascading::AdoptTable(NodeId from, const Btab& table)
{
    std::vector<NodeId> distrusted;
    for (const auto& [subscriber, route] : m_table.GetRoutes())
    {
        if (!IsLocal(subscriber))
        {
            distrusted.push_back(subscriber);
        }
    }
    for (const auto subscriber : distrusted)
    {
        m_table.Erase(subscriber);
    }
    for (const auto& entry : table.entries)
    {
        if (!IsLocal(entry.subscriber))
        {
            m_table.SetFilters(entry.subscriber, entry.filters);
            m_table.SetNextHop(entry.subscriber, from);
        }
    }
}

void
Cascading::CorrectFilters(NodeId from, const Btab& table, BrokerOutput& output) const
{
    for (const auto& [subscriber, route] : m_table.GetRoutes())
    {
        if (!IsLocal(subscriber))
        {
            continue;
        }
        const auto theirs = std::ranges::find(table.entries, subscriber, &TableEntry::subscriber);
        const std::vector<Filter> known =
            theirs == table.entries.end() ? std::vector<Filter>{} : theirs->filters;
        for (const auto& filter : route.filters)
        {
            if (std::ranges::find(known, filter) == known.end())
            {
                output.sends.push_back({from, Sub{subscriber, filter, {}}});
            }
        }
        for (const auto& filter : known)
        {
            if (!route.filters.contains(filter))
            {
                output.sends.push_back({from, Uns{subscriber, filter, {}}});
            }
        }
    }
}

void
Cascading::Handle(NodeId from, const Fmig&, BrokerOutput& output)
{
    SendBmig(from, output);
}

void
Cascading::SendBmig(NodeId to, BrokerOutput& output) const
{
    CascadingBmig bmig{{}, GetId()};
    for (const auto& [subscriber, route] : m_table.GetRoutes())
    {
        if (IsLocal(subscriber))
        {
            bmig.subscribers.push_back(subscriber);
        }
    }
    output.sends.push_back({to, std::move(bmig)});
}

bool
Cascading::IsLocal(NodeId subscriber) const
{
    return m_table.GetNextHop(subscriber) == subscriber && IsConnected(subscriber) &&
           !GetNeighbours().contains(subscriber);
}

void
Cascading::Enqueue(NodeId subscriber, const EventPtr& event, BrokerOutput& output)
{
    if (m_options.replay)
    {
        RoutingBroker::Enqueue(subscriber, event, output);
    }
}

void
Cascading::SendQueued(NodeId subscriber, NodeId to, BrokerOutput& output)
{
    if (!IsConnected(to))
    {
        return;
    }
    for (const auto& held : m_queues.Take(subscriber, output))
    {
        output.sends.push_back({to, Rep{subscriber, {held.event}, 1}});
    }
}

void
Cascading::DeliveryFailed(Instant now, NodeId to, const Message& message, BrokerOutput& output)
{
    if (m_options.replay)
    {
        RoutingBroker::DeliveryFailed(now, to, message, output);
    }
}

} // namespace mftpubsub
