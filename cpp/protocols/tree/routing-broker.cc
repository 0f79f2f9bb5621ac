/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/routing-broker.h"

#include <utility>

namespace mftpubsub
{

RoutingBroker::RoutingBroker(NodeId self, QueueOptions queues)
    : Broker(self),
      m_queues(std::move(queues))
{
}

void
RoutingBroker::Handle(NodeId from, const Attach&, BrokerOutput&)
{
    AddClient(from);
}

void
RoutingBroker::Handle(NodeId from, const Pub& message, BrokerOutput& output)
{
    // A device may carry publisher and subscriber: its own event is not excluded from coming back.
    const auto excluded = IsFromPublisher(from, message) ? NO_NODE : from;
    Copies copies;
    for (const auto subscriber : m_table.Match(*message.event))
    {
        output.matches.push_back({message.event->id, subscriber});
        const auto nextHop = m_table.GetNextHop(subscriber);
        if (excluded != NO_NODE && nextHop == excluded)
        {
            continue;
        }
        if (IsConnected(nextHop))
        {
            copies[nextHop].push_back(subscriber);
        }
        else
        {
            Enqueue(subscriber, message.event, output);
        }
    }
    for (auto& [nextHop, subscribers] : copies)
    {
        const auto hops = AddHops(message.hops, 1);
        output.sends.push_back({nextHop, Pub{message.event, hops, std::move(subscribers)}});
    }
}

void
RoutingBroker::Handle(NodeId, const Rep& message, BrokerOutput& output)
{
    const auto nextHop = m_table.GetNextHop(message.subscriber);
    if (IsConnected(nextHop))
    {
        auto forward = message;
        forward.hops = AddHops(forward.hops, 1);
        output.sends.push_back({nextHop, forward});
        return;
    }
    for (const auto& event : message.events)
    {
        Enqueue(message.subscriber, event, output);
    }
}

void
RoutingBroker::DeliveryFailed(Instant, NodeId to, const Message& message, BrokerOutput& output)
{
    // A path that was found while the transport still tried is the "new information" that a queue
    // waits for; it came before the event was queued, so the event goes that way now.
    for (const auto subscriber : m_queues.TakeBack(message, output))
    {
        if (const auto nextHop = m_table.GetNextHop(subscriber); nextHop != to)
        {
            SendQueued(subscriber, nextHop, output);
        }
    }
}

void
RoutingBroker::Enqueue(NodeId subscriber, const EventPtr& event, BrokerOutput& output)
{
    m_queues.Enqueue(subscriber, event, output);
}

void
RoutingBroker::SendQueued(NodeId subscriber, NodeId to, BrokerOutput& output)
{
    if (IsConnected(to))
    {
        m_queues.Replay(subscriber, to, output);
    }
}

std::vector<RouteView>
RoutingBroker::GetTable() const
{
    return m_table.GetView();
}

std::vector<QueueView>
RoutingBroker::GetQueues() const
{
    return m_queues.GetView();
}

size_t
RoutingBroker::CountHeld() const
{
    return m_queues.Count();
}

} // namespace mftpubsub
