/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/handoff-broker-host.h"

#include "hosts/machine-io.h"
#include "stations/event-fates.h"

#include <utility>

namespace mftpubsub
{

HandoffBrokerHost::HandoffBrokerHost(NodeId self,
                                     std::unique_ptr<handoff::Broker> machine,
                                     bool carriesFilters,
                                     Backbone& backbone,
                                     HandoffServices& services,
                                     const std::function<void()>& afterwards)
    : m_self(self),
      m_machine(std::move(machine)),
      m_carriesFilters(carriesFilters),
      m_backbone(backbone),
      m_services(services)
{
    m_backbone.Join(self, [this, afterwards](NodeId from, const handoff::Message& message) {
        ReceiveWired(from, message);
        afterwards();
    });
}

void
HandoffBrokerHost::Receive(NodeId from, const handoff::RadioMessage& message)
{
    std::visit([&](const auto& m) { Handle(from, m); }, message);
}

void
HandoffBrokerHost::Handle(NodeId from, const handoff::Reconnect& reconnect)
{
    Leave(from); // its session goes on: it is the one over which this has come
    m_clients[from] = {reconnect.session, true};
    auto located = reconnect;
    located.subscriber = from;
    located.old = m_backbone.Register(from, m_self);
    if (located.old == NO_NODE)
    {
        for (const auto& filter : reconnect.filters)
        {
            Tell(from, handoff::Sub{from, filter, NO_NODE});
        }
        return;
    }
    if (located.old != m_self)
    {
        m_backbone.Send(m_self, {located.old, handoff::Disconnect{from, located.session}});
    }
    if (!m_carriesFilters)
    {
        located.filters.clear();
    }
    Tell(from, located);
}

void
HandoffBrokerHost::Handle(NodeId from, const handoff::Evack& evack)
{
    if (m_clients.contains(from))
    {
        Tell(from, handoff::Evack{from, evack.id});
    }
}

void
HandoffBrokerHost::Handle(NodeId, const handoff::Pub& pub)
{
    m_services.GetLog().Taken(pub.event->id);
    m_backbone.Publish(pub.event);
}

void
HandoffBrokerHost::Handle(NodeId, const handoff::AreYouThere&)
{
}

void
HandoffBrokerHost::ReceiveWired(NodeId from, const handoff::Message& message)
{
    if (const auto* gone = std::get_if<handoff::Disconnect>(&message))
    {
        const auto client = m_clients.find(gone->subscriber);
        if (client != m_clients.end() && client->second.session < gone->session)
        {
            Leave(gone->subscriber);
            m_services.CloseSession(gone->subscriber);
        }
        return;
    }
    Tell(from, message);
}

void
HandoffBrokerHost::Delivered(NodeId client)
{
    if (const auto found = m_clients.find(client); found != m_clients.end())
    {
        found->second.isHeard = true;
    }
}

void
HandoffBrokerHost::SessionEnded(NodeId client)
{
    Leave(client);
}

void
HandoffBrokerHost::Leave(NodeId client)
{
    if (m_clients.erase(client) > 0)
    {
        Tell(input::LinkDown{client});
    }
}

void
HandoffBrokerHost::Ping()
{
    for (auto& [id, client] : m_clients)
    {
        if (id != m_self && !std::exchange(client.isHeard, false))
        {
            m_services.SendToClient(id, handoff::AreYouThere());
        }
    }
}

std::optional<handoff::Instant>
HandoffBrokerHost::NextTimer() const
{
    return m_machine->NextTimer();
}

void
HandoffBrokerHost::Expire()
{
    Tell(input::Expired());
}

size_t
HandoffBrokerHost::CountHeld() const
{
    return m_machine->CountHeld();
}

void
HandoffBrokerHost::NoteHeld(LossCause cause) const
{
    mftpubsub::NoteHeld(m_services.GetLog(), m_machine->GetHeld(), cause);
}

void
HandoffBrokerHost::Tell(NodeId from, const handoff::Message& message)
{
    Tell(input::Received<handoff::Message>{from, message});
}

void
HandoffBrokerHost::Tell(const handoff::Broker::Input& input)
{
    handoff::Output output;
    m_machine->Step(Now(), input, output);
    Execute(output);
}

void
HandoffBrokerHost::Execute(const handoff::Output& output)
{
    for (const auto& send : output.sends)
    {
        m_backbone.Send(m_self, send);
    }
    for (const auto& [subscriber, held] : output.deliveries)
    {
        m_services.GetLog().Matched(m_self, held.event->id, subscriber);
        m_services.SendToClient(subscriber, handoff::Pub{held.event});
    }
}

} // namespace mftpubsub
