/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/handoff-client-host.h"

#include "content/roles.h"

#include <utility>

namespace mftpubsub
{

HandoffClientHost::HandoffClientHost(NodeId self,
                                     uint8_t roles,
                                     const handoff::ClientOptions& options,
                                     uint64_t queueBytes,
                                     HandoffServices& services)
    : m_self(self),
      m_isSubscriber(roles & ROLE_SUBSCRIBER),
      m_services(services),
      m_client(self, options),
      m_publisher(queueBytes)
{
}

void
HandoffClientHost::Subscribe(const Filter& filter)
{
    m_filters.push_back(filter);
}

void
HandoffClientHost::Publish(const EventPtr& event)
{
    for (const auto& sent : m_publisher.Publish(event))
    {
        m_services.SendToBroker(m_broker, handoff::Pub{sent});
    }
}

void
HandoffClientHost::Attach(NodeId broker)
{
    Detach();
    m_broker = broker;
    Connect();
}

void
HandoffClientHost::Detach()
{
    if (m_broker == NO_NODE)
    {
        return;
    }
    m_isConnected = false;
    m_client.Disconnect();
    m_publisher.Disconnect();
    m_services.CloseSession(m_broker);
    m_broker = NO_NODE;
}

void
HandoffClientHost::Connect()
{
    m_isConnected = true;
    if (m_isSubscriber)
    {
        m_services.SendToBroker(m_broker, MakeReconnect());
    }
    for (const auto& event : m_publisher.Connect())
    {
        m_services.SendToBroker(m_broker, handoff::Pub{event});
    }
}

handoff::Reconnect
HandoffClientHost::MakeReconnect()
{
    if (m_isKnown)
    {
        m_services.Attached(m_broker);
        return m_client.Connect(m_broker);
    }
    handoff::Reconnect first;
    if (std::exchange(m_hasSubscribed, true))
    {
        first = m_client.Connect(m_broker);
    }
    else
    {
        for (const auto& filter : m_filters)
        {
            m_client.Subscribe(m_broker, filter);
        }
    }
    first.subscriber = m_self;
    first.filters = m_filters;
    return first;
}

void
HandoffClientHost::BrokerAlive()
{
    if (!m_isConnected)
    {
        Connect();
    }
}

void
HandoffClientHost::Receive(NodeId from, const handoff::RadioMessage& message)
{
    const auto* pub = std::get_if<handoff::Pub>(&message);
    if (!pub || from != m_broker || !m_isConnected)
    {
        return;
    }
    const auto reception = m_client.Receive({pub->event});
    m_services.Delivered(pub->event, from, reception.isDuplicate);
    if (reception.acknowledgement)
    {
        m_services.SendToBroker(m_broker, *reception.acknowledgement);
    }
}

void
HandoffClientHost::Delivered(const handoff::RadioMessage& message)
{
    m_isKnown |= std::holds_alternative<handoff::Reconnect>(message);
}

void
HandoffClientHost::SessionEnded(NodeId broker,
                                SessionEnd why,
                                const std::vector<handoff::RadioMessage>& failed)
{
    std::vector<EventPtr> unsent;
    for (const auto& message : failed)
    {
        if (const auto* pub = std::get_if<handoff::Pub>(&message))
        {
            unsent.push_back(pub->event);
        }
    }
    m_publisher.Disconnect(unsent);
    if (broker != m_broker || !m_isConnected)
    {
        return;
    }
    m_isConnected = false;
    m_client.Disconnect();
    if (IsByNeighbour(why)) // it lives, and takes us for gone
    {
        Connect();
    }
}

} // namespace mftpubsub
