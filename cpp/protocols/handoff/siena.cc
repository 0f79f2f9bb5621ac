/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/siena.h"

namespace mftpubsub::handoff
{

Siena::Siena(NodeId self, const Options& options)
    : OneAtATime(self, options)
{
    m_isAnnounced = true;
    m_isAcknowledged = false;
}

void
Siena::Receive(Instant now, NodeId from, const Message& message, Output& output)
{
    Dispatch(*this, now, from, message, output);
}

void
Siena::Spread(NodeId subscriber, Place& place, Output& output)
{
    FloodSub(subscriber, place, output);
}

void
Siena::Withdraw(NodeId subscriber, Place& place, Output& output)
{
    FloodUns(subscriber, place, output);
    Forget(subscriber, output);
}

void
Siena::Handle(Instant, NodeId from, const TreeSub& sub, Output& output)
{
    LearnProxy(from, sub, output);
}

void
Siena::Handle(Instant, NodeId from, const TreeUns& uns, Output& output)
{
    ForgetProxy(from, uns, output);
}

void
Siena::Arrive(Place& place, const Reconnect& reconnect, Output& output)
{
    const auto subscriber = reconnect.subscriber;
    if (!place.isLocal)
    {
        m_places.SetFilters(subscriber, reconnect.filters);
        FloodSub(subscriber, place, output);
    }
    if (reconnect.old == m_self)
    {
        OneAtATime::Arrive(place, reconnect, output);
        return;
    }
    PublishPing(NO_NODE, {subscriber, place.session, m_self, reconnect.old}, output);
}

void
Siena::PublishPing(NodeId from, const Ping& ping, Output& output)
{
    std::set<NodeId> hops;
    for (const auto& [broker, hop] : Touch(ping.subscriber).hops)
    {
        if (broker != ping.broker)
        {
            hops.insert(hop);
        }
    }
    if (ping.old != m_self)
    {
        hops.insert(m_options.tree->GetNextHop(m_self, ping.old));
    }
    hops.erase(from);
    for (const auto hop : hops)
    {
        Send(hop, ping, output);
    }
}

void
Siena::Handle(Instant, NodeId from, const Ping& ping, Output& output)
{
    PublishPing(from, ping, output);
    if (ping.old == m_self)
    {
        TakeUp(ping.subscriber, {ping.broker, ping.session}, output);
    }
}

void
Siena::SendAsk(NodeId to, NodeId subscriber, const Ask& ask, Output& output)
{
    Send(to, PassOn{subscriber, ask.session, ask.broker}, output);
}

void
Siena::Handle(Instant, NodeId, const PassOn& ask, Output& output)
{
    TakeUp(ask.subscriber, {ask.broker, ask.session}, output);
}

void
Siena::Depart(NodeId subscriber, Place& place, const Ask& ask, Output& output)
{
    place.isDeparting = true;
    Send(ask.broker, Pong{subscriber, ask.session, ask.broker}, output);
}

void
Siena::Handle(Instant, NodeId from, const Pong& pong, Output& output)
{
    Answer(pong.subscriber, Touch(pong.subscriber), output);
    Send(from, Get{pong.subscriber, pong.session}, output);
}

void
Siena::Handle(Instant, NodeId from, const Get& get, Output& output)
{
    auto& place = Touch(get.subscriber);
    place.isDeparting = false;
    Send(from, Data{get.subscriber, TakeStored(place)}, output);
    if (place.role == Place::Role::ELSEWHERE)
    {
        FloodUns(get.subscriber, place, output);
    }
}

void
Siena::Handle(Instant, NodeId, const Data& data, Output& output)
{
    auto& place = Touch(data.subscriber);
    GiveAll(data.subscriber, place, data.events, output);
    Finish(data.subscriber, place, output);
}

} // namespace mftpubsub::handoff
