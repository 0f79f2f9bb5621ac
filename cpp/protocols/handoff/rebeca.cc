/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/rebeca.h"

namespace mftpubsub::handoff
{

Rebeca::Rebeca(NodeId self, const Options& options)
    : TreeBroker(self, options)
{
}

void
Rebeca::Receive(Instant now, NodeId from, const Message& message, Output& output)
{
    Dispatch(*this, now, from, message, output);
}

std::set<NodeId>
Rebeca::Directions(NodeId except) const
{
    std::set<NodeId> directions;
    for (const auto neighbour : m_options.tree->GetNeighbours(m_self))
    {
        const auto leadsTo = [&](const auto& advertised) { return advertised.second == neighbour; };
        if (neighbour != except && std::any_of(m_advertised.begin(), m_advertised.end(), leadsTo))
        {
            directions.insert(neighbour);
        }
    }
    return directions;
}

void
Rebeca::Handle(Instant, NodeId from, const Adv& adv, Output& output)
{
    const auto known = Directions(NO_NODE);
    m_advertised[adv.publisher] = from;
    Flood(adv, from, output);
    if (known == Directions(NO_NODE))
    {
        return;
    }
    for (const auto subscriber : m_places.GetSubscribers())
    {
        const auto& place = Touch(subscriber);
        if (place.isLocal || (!place.hops.empty() && !place.hops.contains(from)))
        {
            Send(from, TreeSub{subscriber, NO_NODE, place.filters}, output);
        }
    }
}

void
Rebeca::Spread(NodeId subscriber, Place& place, Output& output)
{
    for (const auto direction : Directions(NO_NODE))
    {
        Send(direction, TreeSub{subscriber, NO_NODE, place.filters}, output);
    }
}

void
Rebeca::Handle(Instant, NodeId from, const TreeSub& sub, Output& output)
{
    auto& place = Touch(sub.subscriber);
    if (place.isLocal || (!place.hops.empty() && !place.hops.contains(from)))
    {
        Meet(from, sub.subscriber, output);
        return; // it is elsewhere by now
    }
    place.hops = {{from, from}};
    m_places.SetFilters(sub.subscriber, sub.filters);
    for (const auto direction : Directions(from))
    {
        Send(direction, sub, output);
    }
}

void
Rebeca::Meet(NodeId from, NodeId subscriber, Output& output)
{
    const auto searching = m_searching.find(subscriber);
    if (searching == m_searching.end())
    {
        return;
    }
    if (!Directions(NO_NODE).contains(from)) // else SUBMOVE has gone there
    {
        const auto& ask = searching->second;
        Send(from, FetchReplay{subscriber, ask.session, ask.broker}, output);
    }
    m_searching.erase(searching);
}

void
Rebeca::Withdraw(NodeId subscriber, Place& place, Output& output)
{
    Drop(place);
    Tidy(subscriber, place);
    m_waiting.erase(subscriber);
    m_searching.erase(subscriber);
    Flood(TreeUns{subscriber, NO_NODE}, NO_NODE, output); // old paths, too, lead here
}

void
Rebeca::Handle(Instant, NodeId from, const TreeUns& uns, Output& output)
{
    auto& place = Touch(uns.subscriber);
    if (place.role == Place::Role::ARRIVING)
    {
        Withdraw(uns.subscriber, place, output); // nobody will answer this broker
        return;
    }
    if (place.hops.erase(from) > 0)
    {
        Tidy(uns.subscriber, place);
    }
    Flood(uns, from, output);
}

void
Rebeca::Arrive(Place& place, const Reconnect& reconnect, Output& output)
{
    const auto subscriber = reconnect.subscriber;
    if (reconnect.filters.empty())
    {
        place.role = Place::Role::ELSEWHERE; // it has unsubscribed
        return;
    }
    place.isLocal = true;
    if (!place.hops.empty())
    {
        const auto entry = place.hops.begin()->second;
        place.hops.clear();
        Send(entry, FetchReplay{subscriber, place.session, m_self}, output);
        return;
    }
    m_places.SetFilters(subscriber, reconnect.filters);
    m_searching[subscriber] = {m_self, place.session};
    for (const auto direction : Directions(NO_NODE))
    {
        Send(direction, SubMove{subscriber, place.session, m_self, place.filters}, output);
    }
}

void
Rebeca::Handle(Instant, NodeId from, const SubMove& move, Output& output)
{
    auto& place = Touch(move.subscriber);
    if (place.isLocal || !place.hops.empty()) // the junction
    {
        TakeUp(move.subscriber, {from, {move.broker, move.session}}, output);
        return;
    }
    place.hops = {{from, from}};
    m_places.SetFilters(move.subscriber, move.filters);
    m_searching[move.subscriber] = {move.broker, move.session};
    for (const auto direction : Directions(from))
    {
        Send(direction, move, output);
    }
}

void
Rebeca::Handle(Instant, NodeId from, const FetchReplay& fetch, Output& output)
{
    TakeUp(fetch.subscriber, {from, {fetch.broker, fetch.session}}, output);
}

void
Rebeca::TakeUp(NodeId subscriber, const Request& request, Output& output)
{
    auto& place = Touch(subscriber);
    if (place.isLocal && request.ask.broker == m_self)
    {
        return; // two found it, and the other has been answered
    }
    if (place.role == Place::Role::HERE)
    {
        HandOver(subscriber, place, request, output);
    }
    else if (place.isLocal)
    {
        m_waiting[subscriber].push_back(request);
    }
    else if (!place.hops.empty()) // else it has unsubscribed
    {
        const auto entry = place.hops.begin()->second;
        place.hops = {{request.from, request.from}};
        const auto& [broker, session] = request.ask;
        Send(entry, FetchReplay{subscriber, session, broker}, output);
    }
}

void
Rebeca::HandOver(NodeId subscriber, Place& place, const Request& request, Output& output)
{
    const auto asksBack = place.isConnected && request.ask.session < place.session;
    if (!asksBack)
    {
        place.isConnected = false;
        ReturnUnacknowledged(place);
    }
    Send(request.ask.broker, Replay{subscriber, TakeStored(place)}, output);
    if (asksBack)
    {
        place.role = Place::Role::ARRIVING;
        Send(request.from, FetchReplay{subscriber, place.session, m_self}, output);
        return;
    }
    place.role = Place::Role::ELSEWHERE;
    place.isLocal = false;
    place.hops = {{request.from, request.from}};
    for (const auto& other : std::exchange(m_waiting[subscriber], {}))
    {
        TakeUp(subscriber, other, output);
    }
}

void
Rebeca::Handle(Instant, NodeId, const Replay& replay, Output& output)
{
    const auto subscriber = replay.subscriber;
    auto& place = Touch(subscriber);
    m_searching.erase(subscriber);
    GiveAll(subscriber, place, replay.events, output);
    Complete(subscriber, place, output);
    auto& waiting = m_waiting[subscriber];
    if (!waiting.empty()) // it has not left for good
    {
        const auto next = waiting.front();
        waiting.pop_front();
        HandOver(subscriber, place, next, output);
    }
}

} // namespace mftpubsub::handoff
