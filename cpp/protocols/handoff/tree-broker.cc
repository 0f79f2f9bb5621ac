/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/tree-broker.h"

namespace mftpubsub::handoff
{

TreeBroker::TreeBroker(NodeId self, const Options& options)
    : m_self(self),
      m_options(options)
{
}

void
TreeBroker::Handle(Instant, NodeId, const Sub& sub, Output& output)
{
    auto& place = Touch(sub.subscriber);
    place.role = Place::Role::HERE;
    place.isLocal = true;
    place.isConnected = true;
    auto filters = place.filters;
    filters.push_back(sub.filter);
    m_places.SetFilters(sub.subscriber, filters);
    Spread(sub.subscriber, place, output);
}

void
TreeBroker::Handle(Instant, NodeId, const Uns& uns, Output& output)
{
    auto* place = m_places.Find(uns.subscriber);
    if (!place)
    {
        return;
    }
    if (place->role == Place::Role::HERE)
    {
        Withdraw(uns.subscriber, *place, output);
    }
    else
    {
        place->isLeaving = place->role == Place::Role::ARRIVING;
    }
}

void
TreeBroker::Handle(Instant, NodeId, const Evack& evack, Output&)
{
    if (auto* place = m_places.Find(evack.subscriber); place && place->isConnected)
    {
        Acknowledge(place->unacknowledged, evack.id);
    }
}

void
TreeBroker::Handle(Instant, NodeId, const Reconnect& reconnect, Output& output)
{
    const auto subscriber = reconnect.subscriber;
    auto& place = Touch(subscriber);
    place.isConnected = true;
    place.discards = false;
    place.session = reconnect.session;
    place.last = reconnect.last;
    if (place.role == Place::Role::ELSEWHERE)
    {
        place.role = Place::Role::ARRIVING;
        place.isAnswered = false;
        Arrive(place, reconnect, output);
    }
    else if (place.role == Place::Role::HERE || place.isAnswered)
    {
        Answer(subscriber, place, output);
        Flush(subscriber, place, output);
    }
}

void
TreeBroker::Handle(Instant, NodeId, const MoveOut& moveOut, Output&)
{
    if (auto* place = m_places.Find(moveOut.subscriber))
    {
        place->isConnected = false;
        place->discards = !moveOut.keep;
    }
}

void
TreeBroker::Handle(Instant, NodeId from, const Pub& pub, Output& output)
{
    Forward(from, pub, NO_NODE, output);
}

void
TreeBroker::Forward(NodeId from, const Pub& pub, NodeId always, Output& output)
{
    std::map<NodeId, std::vector<NodeId>> targets;
    m_places.Match(*pub.event, m_options, [&](NodeId subscriber, Place& place) {
        const auto& wanted = pub.subscribers;
        if (wanted && !std::binary_search(wanted->begin(), wanted->end(), subscriber))
        {
            return;
        }
        for (const auto hop : Route(subscriber, place, {pub.event}, output))
        {
            targets[hop].push_back(subscriber);
        }
    });
    if (always != NO_NODE && always != from)
    {
        Send(always, Pub{pub.event}, output);
        targets.erase(always);
    }
    targets.erase(from);
    for (const auto& [hop, subscribers] : targets)
    {
        Send(hop, Pub{pub.event, subscribers}, output);
    }
}

void
TreeBroker::LinkDown(Instant, NodeId client, Output&)
{
    auto* place = m_places.Find(client);
    if (place && (!m_isAnnounced || m_options.implicitMoveOut))
    {
        place->isConnected = false;
        ReturnUnacknowledged(*place);
    }
}

std::set<NodeId>
TreeBroker::Route(NodeId subscriber, Place& place, const Held& held, Output& output)
{
    if (place.isDeparting)
    {
        Store(place.buffer, held, output);
    }
    else if (place.isLocal && place.role == Place::Role::ARRIVING)
    {
        Store(place.temp, held, output);
    }
    else if (place.isLocal)
    {
        Give(subscriber, place, held, output);
    }
    std::set<NodeId> hops;
    for (const auto& [key, hop] : place.hops)
    {
        hops.insert(hop);
    }
    return hops;
}

void
TreeBroker::Answer(NodeId subscriber, Place& place, Output& output)
{
    place.isAnswered = true;
    if (place.isConnected)
    {
        output.accepted.push_back({subscriber, place.session});
    }
}

void
TreeBroker::Complete(NodeId subscriber, Place& place, Output& output)
{
    place.role = Place::Role::HERE;
    if (place.isLeaving)
    {
        Withdraw(subscriber, place, output);
    }
}

void
TreeBroker::Give(NodeId subscriber, Place& place, const Held& held, Output& output)
{
    if (!place.isConnected)
    {
        if (!place.discards)
        {
            Store(place.buffer, held, output);
        }
        return;
    }
    place.last.Add(held.event->id);
    if (m_isAcknowledged)
    {
        Deliver(subscriber, place, held, output);
    }
    else
    {
        output.deliveries.push_back({subscriber, held});
    }
}

void
TreeBroker::GiveAll(NodeId subscriber, Place& place, std::vector<Held> events, Output& output)
{
    for (auto& held : place.temp.Take())
    {
        events.push_back(std::move(held));
    }
    OrderByPublisher(events);
    const auto last = place.last;
    std::set<EventId> given;
    for (const auto& held : events)
    {
        if (!last.Covers(held.event->id) && given.insert(held.event->id).second)
        {
            Give(subscriber, place, held, output);
        }
    }
}

void
TreeBroker::Flush(NodeId subscriber, Place& place, Output& output)
{
    const auto last = place.last;
    for (const auto& held : place.buffer.Take())
    {
        if (!last.Covers(held.event->id))
        {
            Give(subscriber, place, held, output);
        }
    }
}

std::vector<Held>
TreeBroker::TakeStored(Place& place)
{
    return Transferred(place.buffer.Take());
}

void
TreeBroker::Drop(Place& place)
{
    place.isLocal = false;
    place.role = Place::Role::ELSEWHERE;
    place.isLeaving = false;
    place.buffer.Clear();
    place.temp.Clear();
    place.unacknowledged.clear();
}

void
TreeBroker::Tidy(NodeId subscriber, Place& place)
{
    if (place.hops.empty() && !place.isLocal)
    {
        m_places.SetFilters(subscriber, {});
    }
}

Place&
TreeBroker::Touch(NodeId subscriber)
{
    return m_places.Touch(subscriber, m_options);
}

void
TreeBroker::Send(NodeId to, Message message, Output& output) const
{
    output.sends.push_back({to, std::move(message)});
}

void
TreeBroker::Flood(const Message& message, NodeId except, Output& output) const
{
    for (const auto neighbour : m_options.tree->GetNeighbours(m_self))
    {
        if (neighbour != except)
        {
            Send(neighbour, message, output);
        }
    }
}

void
TreeBroker::FloodSub(NodeId subscriber, Place& place, Output& output)
{
    place.isLocal = true;
    Flood(TreeSub{subscriber, m_self, place.filters}, NO_NODE, output);
}

void
TreeBroker::FloodUns(NodeId subscriber, Place& place, Output& output)
{
    Drop(place);
    Tidy(subscriber, place);
    Flood(TreeUns{subscriber, m_self}, NO_NODE, output);
}

void
TreeBroker::LearnProxy(NodeId from, const TreeSub& sub, Output& output)
{
    auto& place = Touch(sub.subscriber);
    place.hops[sub.broker] = from;
    m_places.SetFilters(sub.subscriber, sub.filters);
    Flood(sub, from, output);
}

void
TreeBroker::ForgetProxy(NodeId from, const TreeUns& uns, Output& output)
{
    auto& place = Touch(uns.subscriber);
    place.hops.erase(uns.broker);
    Tidy(uns.subscriber, place);
    Flood(uns, from, output);
}

std::vector<CopyView>
TreeBroker::GetCopies() const
{
    std::vector<CopyView> views;
    for (const auto subscriber : m_places.GetSubscribers())
    {
        const auto& place = m_places.Get(subscriber);
        if (place.role == Place::Role::ELSEWHERE && !place.isLocal && place.hops.empty())
        {
            continue;
        }
        auto& view = views.emplace_back();
        view.subscriber = subscriber;
        if (place.role == Place::Role::ARRIVING)
        {
            view.state = "ARRIVING";
        }
        else if (place.role == Place::Role::HERE)
        {
            view.state = place.isConnected ? "SERVING" : "STORING";
        }
        else
        {
            view.state = place.isLocal ? "LEAVING" : "ROUTING";
        }
        for (const auto& [key, hop] : place.hops)
        {
            view.hops.push_back(hop);
        }
        view.buffer = GetIds(place.buffer);
        view.temp = GetIds(place.temp);
    }
    return views;
}

size_t
TreeBroker::CountHeld() const
{
    return m_places.CountHeld();
}

} // namespace mftpubsub::handoff
