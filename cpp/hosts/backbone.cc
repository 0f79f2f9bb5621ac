/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/backbone.h"

#include "ns3/simulator.h"

#include <utility>

namespace mftpubsub
{

Backbone::Backbone(ns3::Time delay)
    : m_delay(delay)
{
}

void
Backbone::Join(NodeId broker, Receiver receiver)
{
    m_receivers[broker] = std::move(receiver);
}

void
Backbone::Send(NodeId from, const handoff::Send& send)
{
    ns3::Simulator::Schedule(m_delay,
                             [this, from, send] { m_receivers.at(send.to)(from, send.message); });
}

void
Backbone::Publish(const EventPtr& event)
{
    if (!m_published.Insert(event->id))
    {
        return;
    }
    ns3::Simulator::Schedule(m_delay, [this, event] {
        for (const auto& [broker, receive] : m_receivers)
        {
            receive(NO_NODE, handoff::Pub{event});
        }
    });
}

NodeId
Backbone::Register(NodeId client, NodeId broker)
{
    auto& at = m_brokers.try_emplace(client, NO_NODE).first->second;
    return std::exchange(at, broker);
}

} // namespace mftpubsub
