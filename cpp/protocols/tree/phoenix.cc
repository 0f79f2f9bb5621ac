/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/phoenix.h"

#include <utility>

namespace mftpubsub
{

Phoenix::Phoenix(NodeId self, QueueOptions queues)
    : RoutingBroker(self, std::move(queues))
{
}

std::unique_ptr<Broker>
Phoenix::Clone() const
{
    return std::make_unique<Phoenix>(*this);
}

void
Phoenix::Receive(Instant, NodeId from, const Message& message, BrokerOutput& output)
{
    if (!GetNeighbours().contains(from))
    {
        AddClient(from);
    }
    Dispatch(*this, from, message, output);
}

void
Phoenix::Handle(NodeId from, const Sub& message, BrokerOutput& output)
{
    m_table.AddFilter(message.subscriber, message.filter);
    m_table.SetNextHop(message.subscriber, from);
    if (from == message.subscriber && !GetNeighbours().contains(from))
    {
        m_local.insert(from);
    }
    SendToNeighbours(message, from, output);
}

void
Phoenix::Handle(NodeId from, const Uns& message, BrokerOutput& output)
{
    m_table.RemoveFilter(message.subscriber, message.filter);
    if (m_table.GetFilters(message.subscriber).empty())
    {
        m_table.Erase(message.subscriber);
        m_local.erase(message.subscriber);
    }
    SendToNeighbours(message, from, output);
}

void
Phoenix::Handle(NodeId from, const Pub& message, BrokerOutput& output)
{
    const auto excluded = IsFromPublisher(from, message) ? NO_NODE : from;
    ++m_clock;
    Copies copies; // X, and for whom
    for (const auto subscriber : m_table.Match(*message.event))
    {
        const auto nextHop = m_table.GetNextHop(subscriber);
        if (nextHop == excluded || !IsConnected(nextHop))
        {
            continue;
        }
        output.matches.push_back({message.event->id, subscriber});
        copies[nextHop].push_back(subscriber);
        if (m_local.contains(subscriber))
        {
            m_queues.Enqueue(subscriber, message.event, output, m_clock);
        }
    }
    for (auto& [nextHop, subscribers] : copies)
    {
        const auto hops = AddHops(message.hops, 1);
        output.sends.push_back(
            {nextHop, Pub{message.event, hops, std::move(subscribers), false, m_clock}});
    }
}

void
Phoenix::Handle(NodeId from, const Mig& message, BrokerOutput& output)
{
    const auto subscriber = message.subscriber;
    const auto wasLocal = m_local.contains(subscriber);
    if (!wasLocal)
    {
        PassOn(subscriber, from, message, output);
    }
    if (m_table.Find(subscriber))
    {
        m_table.SetNextHop(subscriber, from);
    }
    if (wasLocal)
    {
        Replay(message, from, output);
    }
    if (from == subscriber && !GetNeighbours().contains(from))
    {
        m_local.insert(subscriber);
    }
    else
    {
        m_local.erase(subscriber);
    }
}

void
Phoenix::Replay(const Mig& message, NodeId to, BrokerOutput& output)
{
    for (const auto& kept : m_queues.Take(message.subscriber, output))
    {
        if (kept.timestamp > message.lastReceived)
        {
            output.sends.push_back({to, Rep{message.subscriber, {kept.event}, 1, kept.timestamp}});
        }
    }
}

void
Phoenix::Handle(NodeId from, const Rep& message, BrokerOutput& output)
{
    auto forward = message;
    forward.hops = AddHops(forward.hops, 1);
    if (m_local.contains(message.subscriber))
    {
        forward.timestamp = ++m_clock;
        for (const auto& event : message.events)
        {
            m_queues.Enqueue(message.subscriber, event, output, m_clock);
        }
    }
    PassOn(message.subscriber, from, forward, output);
}

void
Phoenix::PassOn(NodeId subscriber, NodeId from, const Message& message, BrokerOutput& output) const
{
    const auto nextHop = m_table.GetNextHop(subscriber);
    if (nextHop != from && IsConnected(nextHop))
    {
        output.sends.push_back({nextHop, message});
    }
}

std::string
Phoenix::GetDigest() const
{
    auto digest = Broker::GetDigest() + "#" + std::to_string(m_clock) + ";";
    for (const auto subscriber : m_local)
    {
        digest += std::to_string(subscriber) + ",";
    }
    return digest + m_queues.GetTimestamps();
}

} // namespace mftpubsub
