/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/handoff-client-host.h"

namespace mftpubsub
{

HandoffClientHost::HandoffClientHost(NodeId self,
                                     uint8_t roles,
                                     const handoff::ClientOptions& options,
                                     uint64_t queueBytes,
                                     HandoffServices& services)
    : m_self(self),
      m_isSubscriber(roles & ROLE_SUBSCRIBER),
      m_options(options),
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
    if (m_isSubscriber && m_isKnown)
    {
        m_services.GetTrace().Migrated(m_self, "MIG", m_broker);
        m_services.SendToBroker(m_broker, m_client.Connect(m_broker));
    }
    else if (m_isSubscriber)
    {
        m_client = handoff::Client(m_self, m_options);
        m_acknowledged = 0;
        for (const auto& filter : m_filters)
        {
            m_services.SendToBroker(m_broker, m_client.Subscribe(m_broker, filter));
        }
    }
    for (const auto& event : m_publisher.Connect())
    {
        m_services.SendToBroker(m_broker, handoff::Pub{event});
    }
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
    m_services.GetTrace().Delivered(m_self, pub->event->id, from, 1, reception.isDuplicate);
    if (reception.acknowledgement)
    {
        m_services.SendToBroker(m_broker, *reception.acknowledgement);
    }
}

void
HandoffClientHost::Delivered(const handoff::RadioMessage& message)
{
    if (std::holds_alternative<handoff::Sub>(message))
    {
        m_isKnown |= ++m_acknowledged == m_filters.size();
    }
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
    if (why == SessionEnd::RENEWED) // it lives, and takes us for gone
    {
        Connect();
    }
}

} // namespace mftpubsub
