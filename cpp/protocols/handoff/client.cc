/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/client.h"

namespace mftpubsub::handoff
{

Client::Client(NodeId self, const ClientOptions& options)
    : m_self(self),
      m_options(options)
{
}

Sub
Client::Subscribe(NodeId broker, const Filter& filter)
{
    m_filters.push_back(filter);
    m_home = broker;
    m_broker = broker;
    m_accepted = broker;
    m_connected = true;
    return {m_self, filter, NO_NODE};
}

Reconnect
Client::Connect(NodeId broker)
{
    Reconnect reconnect{m_self, GetOld(), m_last, ++m_session, {}};
    if (m_options.carriesFilters)
    {
        reconnect.filters = m_filters;
    }
    reconnect.lastReceived = m_lastReceived;
    if (broker != m_broker)
    {
        m_lastReceived = 0; // nothing has come of this one
    }
    m_broker = broker;
    m_connected = true;
    m_unacknowledged = 0;
    return reconnect;
}

Reconnect
Client::Redirect(NodeId broker)
{
    m_leaving = m_broker;
    return Connect(broker);
}

NodeId
Client::GetOld() const
{
    if (m_options.namesHome)
    {
        return m_home;
    }
    return m_options.namesAccepted ? m_accepted : m_broker;
}

void
Client::Accept(Session session)
{
    if (m_connected && session == m_session)
    {
        m_accepted = m_broker;
        m_leaving = NO_NODE;
    }
}

void
Client::Disconnect()
{
    m_leaving = NO_NODE;
    m_connected = false;
}

Uns
Client::Unsubscribe()
{
    m_filters.clear();
    return {m_self};
}

Reception
Client::Receive(const Held& held)
{
    m_lastReceived = held.timestamp;
    const auto& event = *held.event;
    Reception reception{!m_received.Insert(event.id), {}};
    m_last.Add(event.id);
    if (++m_unacknowledged == m_options.ackBatch)
    {
        m_unacknowledged = 0;
        reception.acknowledgement = Evack{m_self, event.id};
    }
    return reception;
}

bool
Client::Hears(NodeId broker) const
{
    return m_connected && (broker == m_broker || broker == m_leaving);
}

NodeId
Client::GetLeaving() const
{
    return m_leaving;
}

NodeId
Client::GetBroker() const
{
    return m_connected ? m_broker : NO_NODE;
}

NodeId
Client::GetLastBroker() const
{
    return m_broker;
}

Session
Client::GetSession() const
{
    return m_session;
}

bool
Client::Has(EventId id) const
{
    return m_received.Contains(id);
}

} // namespace mftpubsub::handoff
