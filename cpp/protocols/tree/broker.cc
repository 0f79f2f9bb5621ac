/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/broker.h"

#include <sstream>

namespace mftpubsub
{

Broker::Broker(NodeId self)
    : m_self(self)
{
}

void
Broker::Step(Instant now, const Input& input, BrokerOutput& output)
{
    std::visit(Overloaded{
                   [&](const input::LinkUp& up) { LinkUp(now, up.neighbour, output); },
                   [&](const input::LinkDown& down) { LinkDown(now, down.neighbour, output); },
                   [&](const input::LinkReset& reset) { LinkReset(now, reset.neighbour, output); },
                   [&](const input::ParentChanged& change) {
                       ParentChanged(now, change.previous, change.current, output);
                   },
                   [&](const input::Received<Message>& received) {
                       Receive(now, received.from, received.message, output);
                   },
                   [&](const input::DeliveryFailed& failed) {
                       DeliveryFailed(now, failed.to, failed.message, output);
                   },
                   [&](const input::NeighbourAlive& alive) {
                       NeighbourAlive(now, alive.neighbour, output);
                   },
                   [&](const input::Expired&) { Expire(now, output); },
               },
               input);
}

NodeId
Broker::GetId() const
{
    return m_self;
}

void
Broker::LinkUp(Instant, NodeId neighbour, BrokerOutput&)
{
    m_neighbours.insert(neighbour);
}

void
Broker::LinkDown(Instant, NodeId neighbour, BrokerOutput&)
{
    m_neighbours.erase(neighbour);
    m_clients.erase(neighbour);
}

void
Broker::LinkReset(Instant, NodeId, BrokerOutput&)
{
}

void
Broker::ParentChanged(Instant, NodeId, NodeId, BrokerOutput&)
{
}

void
Broker::DeliveryFailed(Instant, NodeId, const Message&, BrokerOutput&)
{
}

void
Broker::NeighbourAlive(Instant, NodeId, BrokerOutput&)
{
}

void
Broker::Expire(Instant, BrokerOutput&)
{
}

bool
Broker::IsConnected(NodeId node) const
{
    return m_neighbours.contains(node) || m_clients.contains(node);
}

const std::set<NodeId>&
Broker::GetNeighbours() const
{
    return m_neighbours;
}

void
Broker::AddClient(NodeId client)
{
    // A neighbour broker's device may have a subscriber too, under the same id: that is its client.
    if (!m_neighbours.contains(client))
    {
        m_clients.insert(client);
    }
}

bool
Broker::IsFromPublisher(NodeId from, const Pub& pub)
{
    return pub.hops == 1 && pub.event->id.publisher == from;
}

std::vector<QueueView>
Broker::GetQueues() const
{
    return {};
}

bool
Broker::HasTable() const
{
    return true;
}

uint64_t
Broker::GetMemory() const
{
    return 0;
}

uint64_t
Broker::GetState() const
{
    return 0;
}

std::vector<Pair>
Broker::GetHeld() const
{
    std::vector<Pair> held;
    for (const auto& queue : GetQueues())
    {
        for (const auto& event : queue.events)
        {
            held.push_back({event, queue.subscriber});
        }
    }
    return held;
}

Description
Broker::Describe(const Namer& name) const
{
    Description rows;
    for (const auto& route : GetTable())
    {
        auto& text = rows[name(route.subscriber)];
        text = "via " + name(route.nextHop) + ":";
        for (const auto& filter : route.filters)
        {
            text += " " + filter.GetText();
        }
    }
    for (const auto& queue : GetQueues())
    {
        rows[name(queue.subscriber)] +=
            " (" + std::to_string(queue.events.size()) + " events wait)";
    }
    return rows;
}

std::string
Broker::GetDigest() const
{
    std::ostringstream text;
    const auto list = [&text](const std::set<NodeId>& nodes) {
        for (const auto node : nodes)
        {
            text << node << ',';
        }
        text << ';';
    };
    list(m_neighbours);
    list(m_clients);
    for (const auto& route : GetTable())
    {
        text << route.subscriber << '>' << route.nextHop << '@' << route.freshness.timestamp << '/'
             << int{route.freshness.hops};
        for (const auto& filter : route.filters)
        {
            text << '|' << filter.GetText();
        }
        text << ';';
    }
    for (const auto& queue : GetQueues())
    {
        text << 'Q' << queue.subscriber;
        for (const auto& event : queue.events)
        {
            text << ' ' << event.publisher << '.' << event.sequence;
        }
        text << ';';
    }
    return text.str();
}

void
Broker::SendToNeighbours(const Message& message, NodeId except, BrokerOutput& output) const
{
    for (const auto neighbour : m_neighbours)
    {
        if (neighbour != except)
        {
            output.sends.push_back({neighbour, message});
        }
    }
}

} // namespace mftpubsub
