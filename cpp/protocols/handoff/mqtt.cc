/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/mqtt.h"

namespace mftpubsub::handoff
{

Mqtt::Mqtt(NodeId self, const Options& options, bool isClean)
    : TreeBroker(self, options),
      m_isClean(isClean)
{
}

void
Mqtt::Receive(Instant now, NodeId from, const Message& message, Output& output)
{
    Dispatch(*this, now, from, message, output);
}

void
Mqtt::Spread(NodeId subscriber, Place& place, Output& output)
{
    FloodSub(subscriber, place, output);
}

void
Mqtt::Withdraw(NodeId subscriber, Place& place, Output& output)
{
    FloodUns(subscriber, place, output);
}

void
Mqtt::Handle(Instant, NodeId from, const TreeSub& sub, Output& output)
{
    LearnProxy(from, sub, output);
}

void
Mqtt::Handle(Instant, NodeId from, const TreeUns& uns, Output& output)
{
    ForgetProxy(from, uns, output);
}

void
Mqtt::Handle(Instant now, NodeId from, const Reconnect& reconnect, Output& output)
{
    m_expiries.erase(reconnect.subscriber);
    auto connect = reconnect;
    connect.last = {}; // CONNECT does not tell what the client has had
    TreeBroker::Handle(now, from, connect, output);
}

void
Mqtt::Arrive(Place& place, const Reconnect& reconnect, Output& output)
{
    m_places.SetFilters(reconnect.subscriber, reconnect.filters);
    FloodSub(reconnect.subscriber, place, output);
    Complete(reconnect.subscriber, place, output);
}

void
Mqtt::LinkDown(Instant now, NodeId client, Output& output)
{
    TreeBroker::LinkDown(now, client, output);
    auto* place = m_places.Find(client);
    if (!place || place->role != Place::Role::HERE)
    {
        return;
    }
    if (m_isClean)
    {
        FloodUns(client, *place, output);
    }
    else if (m_options.sessionExpiry)
    {
        m_expiries[client] = now + *m_options.sessionExpiry;
    }
}

std::optional<Instant>
Mqtt::NextTimer() const
{
    std::optional<Instant> next;
    for (const auto& [client, expiry] : m_expiries)
    {
        next = next ? std::min(*next, expiry) : expiry;
    }
    return next;
}

void
Mqtt::Expire(Instant now, Output& output)
{
    std::erase_if(m_expiries, [&](const auto& entry) {
        const auto& [client, expiry] = entry;
        if (expiry > now)
        {
            return false;
        }
        FloodUns(client, Touch(client), output);
        return true;
    });
}

} // namespace mftpubsub::handoff
