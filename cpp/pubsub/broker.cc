/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "pubsub/broker.h"

namespace mftpubsub
{

Broker::Broker(NodeId self)
    : m_self(self)
{
}

NodeId
Broker::GetId() const
{
    return m_self;
}

void
Broker::LinkUp(NodeId neighbour)
{
    m_neighbours.insert(neighbour);
}

void
Broker::LinkDown(NodeId neighbour)
{
    m_neighbours.erase(neighbour);
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
    m_clients.insert(client);
}

bool
Broker::IsFromPublisher(NodeId from, const Pub& pub)
{
    return pub.hops == 1 && pub.event->id.publisher == from;
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
