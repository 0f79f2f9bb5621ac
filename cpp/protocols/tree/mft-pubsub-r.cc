/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/mft-pubsub-r.h"

#include <utility>

namespace mftpubsub
{

MftPubsubR::MftPubsubR(NodeId self, QueueOptions queues)
    : RoutingBroker(self, std::move(queues))
{
}

std::unique_ptr<Broker>
MftPubsubR::Clone() const
{
    return std::make_unique<MftPubsubR>(*this);
}

void
MftPubsubR::LinkUp(Instant now, NodeId neighbour, BrokerOutput& output)
{
    m_links.try_emplace(neighbour);
    Broker::LinkUp(now, neighbour, output);
}

void
MftPubsubR::LinkDown(Instant now, NodeId neighbour, BrokerOutput& output)
{
    Broker::LinkDown(now, neighbour, output);
    if (m_links.erase(neighbour) > 0)
    {
        Unroute(neighbour);
    }
    if (m_parent == neighbour)
    {
        m_parent = NO_NODE;
    }
    if (m_homes.contains(neighbour) && GetTimestamp(neighbour) == 0)
    {
        m_homes.erase(neighbour); // came and went without a filter that anybody knows
        m_table.Erase(neighbour);
    }
}

void
MftPubsubR::LinkReset(Instant, NodeId neighbour, BrokerOutput&)
{
    if (const auto link = m_links.find(neighbour); link != m_links.end())
    {
        link->second = {};
        Unroute(neighbour);
    }
}

void
MftPubsubR::NeighbourAlive(Instant, NodeId neighbour, BrokerOutput& output)
{
    if (neighbour == m_parent && !m_links[neighbour].isOpen)
    {
        Open(neighbour, output);
    }
}

void
MftPubsubR::Unroute(NodeId neighbour)
{
    std::vector<NodeId> reached;
    for (const auto& [subscriber, route] : m_table.GetRoutes())
    {
        if (route.nextHop == neighbour && !m_homes.contains(subscriber))
        {
            reached.push_back(subscriber);
        }
    }
    for (const auto subscriber : reached)
    {
        m_table.SetNextHop(subscriber, NO_NODE);
        if (GetTimestamp(subscriber) == 0)
        {
            m_table.Erase(subscriber); // was claimed, but never told of
        }
    }
}

void
MftPubsubR::ParentChanged(Instant now, NodeId, NodeId current, BrokerOutput& output)
{
    m_parent = current;
    NeighbourAlive(now, current, output);
}

void
MftPubsubR::Open(NodeId to, BrokerOutput& output)
{
    auto& link = m_links[to];
    link.isOpen = true;
    link.isMine = true;
    OpeningBmig bmig;
    for (const auto& [subscriber, route] : m_table.GetRoutes())
    {
        const auto unknown = route.nextHop == NO_NODE && route.freshness.timestamp == 0;
        if (!unknown)
        {
            link.claimed.insert(subscriber);
            auto& list = route.nextHop == NO_NODE ? bmig.others : bmig.children;
            list.push_back({subscriber, route.freshness});
        }
    }
    const auto others = bmig.others;
    output.sends.push_back({to, std::move(bmig)});
    for (const auto& word : others)
    {
        m_table.SetNextHop(word.subscriber, to);
        SendQueued(word.subscriber, to, output);
    }
}

void
MftPubsubR::Receive(Instant, NodeId from, const Message& message, BrokerOutput& output)
{
    Dispatch(*this, from, message, output);
}

void
MftPubsubR::Handle(NodeId from, const Sub& message, BrokerOutput& output)
{
    const auto& [t, hops] = message.freshness;
    if (from == message.subscriber && t > GetTimestamp(from))
    {
        const auto before = GetFilterSet(from);
        m_table.AddFilter(from, message.filter);
        ChangeFilters(from, before, t, output);
    }
}

void
MftPubsubR::Handle(NodeId from, const Uns& message, BrokerOutput& output)
{
    const auto& [t, hops] = message.freshness;
    if (from == message.subscriber && t > GetTimestamp(from))
    {
        const auto before = GetFilterSet(from);
        m_table.RemoveFilter(from, message.filter);
        ChangeFilters(from, before, t, output);
    }
}

void
MftPubsubR::ChangeFilters(NodeId subscriber,
                          const std::set<Filter>& before,
                          uint32_t timestamp,
                          BrokerOutput& output)
{
    const auto isNew = GetTimestamp(subscriber) == 0;
    m_table.SetFreshness(subscriber, {timestamp, 0});
    BecomeHome(subscriber, timestamp, output);
    if (isNew || GetFilterSet(subscriber) != before)
    {
        Spread(subscriber, {}, output);
    }
}

void
MftPubsubR::Handle(NodeId from, const Mig& message, BrokerOutput& output)
{
    const auto& [t, hops] = message.freshness;
    const auto home = m_homes.find(from);
    if (from != message.subscriber || (home != m_homes.end() && home->second >= t))
    {
        return;
    }
    BecomeHome(from, t, output);
    output.sends.push_back({from, Filters{m_table.GetFilters(from)}});
    SendQueued(from, from, output);
}

void
MftPubsubR::BecomeHome(NodeId subscriber, uint32_t timestamp, BrokerOutput& output)
{
    AddClient(subscriber);
    const auto wasHome = m_homes.contains(subscriber);
    const auto old = m_table.GetNextHop(subscriber);
    m_homes[subscriber] = timestamp;
    m_table.SetNextHop(subscriber, subscriber);
    if (!wasHome && old != NO_NODE)
    {
        Claim(subscriber, old, timestamp, false, output);
    }
}

void
MftPubsubR::Handle(NodeId from, const Pub& message, BrokerOutput& output)
{
    const auto isNew = IsFromPublisher(from, message);
    const auto& event = message.event->id;
    if (isNew && !m_published.Take(event, from))
    {
        return;
    }
    std::set<NodeId> receivers;
    if (message.addressed)
    {
        receivers.insert(message.subscribers.begin(), message.subscribers.end());
    }
    for (const auto subscriber : m_table.Match(*message.event))
    {
        if (isNew || receivers.contains(subscriber) || m_table.GetNextHop(subscriber) != from)
        {
            output.matches.push_back({event, subscriber});
            receivers.insert(subscriber);
        }
    }
    Copies copies;
    for (const auto subscriber : receivers)
    {
        const auto nextHop = m_table.GetNextHop(subscriber);
        if (IsConnected(nextHop))
        {
            if (IsOwed(subscriber, nextHop, event))
            {
                copies[nextHop].push_back(subscriber);
            }
        }
        else
        {
            Enqueue(subscriber, message.event, output);
        }
    }
    for (auto& [nextHop, subscribers] : copies)
    {
        const auto toBroker = GetNeighbours().contains(nextHop);
        output.sends.push_back(
            {nextHop,
             Pub{message.event, AddHops(message.hops, 1), std::move(subscribers), toBroker}});
    }
}

void
MftPubsubR::Handle(NodeId from, const Rep& message, BrokerOutput& output)
{
    const auto nextHop = m_table.GetNextHop(message.subscriber);
    auto owed = message;
    std::erase_if(owed.events, [&](const EventPtr& event) {
        return !IsOwed(message.subscriber, nextHop, event->id);
    });
    if (!owed.events.empty())
    {
        RoutingBroker::Handle(from, owed, output);
    }
}

void
MftPubsubR::SendQueued(NodeId subscriber, NodeId to, BrokerOutput& output)
{
    const auto before = output.sends.size();
    RoutingBroker::SendQueued(subscriber, to, output);
    for (auto i = before; i < output.sends.size(); ++i)
    {
        for (const auto& event : std::get<Rep>(output.sends[i].message).events)
        {
            IsOwed(subscriber, to, event->id);
        }
    }
}

bool
MftPubsubR::IsOwed(NodeId subscriber, NodeId nextHop, const EventId& event)
{
    return nextHop != subscriber || m_handed.Take(event, subscriber);
}

void
MftPubsubR::DeliveryFailed(Instant now, NodeId to, const Message& message, BrokerOutput& output)
{
    m_handed.GiveBack(to, message);
    RoutingBroker::DeliveryFailed(now, to, message, output);
}

void
MftPubsubR::Handle(NodeId from, const OpeningBmig& message, BrokerOutput& output)
{
    if (!m_links.contains(from) || !TakeOpening(from, output))
    {
        return;
    }
    auto waves = TurnAll(from, message.children, output);
    CompareContents(from, message, output);
    PassOn(std::move(waves), output);
}

void
MftPubsubR::Handle(NodeId from, const ClaimingBmig& message, BrokerOutput& output)
{
    auto* link = FindOpen(from);
    if (!link || link->isDeaf)
    {
        return;
    }
    PassOn(TurnAll(from, message.children, output), output);
}

void
MftPubsubR::Handle(NodeId from, const Yield&, BrokerOutput&)
{
    if (auto* link = FindOpen(from))
    {
        link->isDeaf = false;
    }
}

bool
MftPubsubR::TakeOpening(NodeId from, BrokerOutput& output)
{
    auto& link = m_links[from];
    if (link.isMine && GetId() < from)
    {
        link.isDeaf = true;
        return false;
    }
    if (link.isMine)
    {
        Unroute(from);
        output.sends.push_back({from, Yield{}});
    }
    link = {};
    link.isOpen = true;
    return true;
}

MftPubsubR::Link*
MftPubsubR::FindOpen(NodeId neighbour)
{
    const auto link = m_links.find(neighbour);
    return link != m_links.end() && link->second.isOpen ? &link->second : nullptr;
}

void
MftPubsubR::CompareContents(NodeId from, const OpeningBmig& message, BrokerOutput& output)
{
    auto& link = m_links[from];
    for (const auto* list : {&message.children, &message.others})
    {
        for (const auto& [subscriber, theirs] : *list)
        {
            link.claimed.insert(subscriber);
            const auto ours = m_table.GetFreshness(subscriber);
            if (theirs.timestamp > ours.timestamp)
            {
                output.sends.push_back({from, Bquery{subscriber, ours}});
            }
            else if (theirs.timestamp < ours.timestamp)
            {
                Tell(subscriber, from, output);
            }
        }
    }
    for (const auto& [subscriber, route] : m_table.GetRoutes())
    {
        if (route.freshness.timestamp > 0 && !link.claimed.contains(subscriber))
        {
            Tell(subscriber, from, output);
        }
    }
}

MftPubsubR::Waves
MftPubsubR::TurnAll(NodeId from,
                    const std::vector<SubscriberFreshness>& children,
                    BrokerOutput& output)
{
    Waves waves;
    for (const auto& [subscriber, freshness] : children)
    {
        m_links[from].claimed.insert(subscriber);
        const auto old = Turn(subscriber, from, 0, output);
        if (old != NO_NODE)
        {
            waves[old].push_back({subscriber, m_table.GetFreshness(subscriber)});
        }
    }
    return waves;
}

NodeId
MftPubsubR::Turn(NodeId subscriber, NodeId from, uint32_t home, BrokerOutput& output)
{
    const auto old = m_table.GetNextHop(subscriber);
    if (old == from)
    {
        return NO_NODE;
    }
    const auto here = m_homes.find(subscriber);
    if (here != m_homes.end())
    {
        if (here->second >= home)
        {
            Claim(subscriber, from, here->second, false, output);
            return NO_NODE;
        }
        m_homes.erase(here);
    }
    m_table.SetNextHop(subscriber, from);
    SendQueued(subscriber, from, output);
    return GetNeighbours().contains(old) ? old : NO_NODE;
}

void
MftPubsubR::PassOn(Waves waves, BrokerOutput& output)
{
    for (auto& [to, children] : waves)
    {
        output.sends.push_back({to, ClaimingBmig{std::move(children)}});
    }
}

void
MftPubsubR::Handle(NodeId from, const Bquery& message, BrokerOutput& output)
{
    if (GetTimestamp(message.subscriber) > 0)
    {
        Tell(message.subscriber, from, output);
    }
}

void
MftPubsubR::Handle(NodeId from, const Bsub& message, BrokerOutput& output)
{
    if (FindOpen(from))
    {
        Answer(TakeFilters(message), message.subscriber, from, {from}, output);
    }
}

void
MftPubsubR::Handle(NodeId from, const ClaimingBsub& message, BrokerOutput& output)
{
    auto* link = FindOpen(from);
    if (!link)
    {
        return;
    }
    const auto subscriber = message.subscriber;
    const auto news = TakeFilters(message);
    std::set<NodeId> told{from};
    const auto crossed = message.isFirst && link->claimed.contains(subscriber);
    if (!link->isDeaf && !(crossed && link->isMine))
    {
        link->claimed.insert(subscriber);
        const auto old = Turn(subscriber, from, message.home, output);
        if (old != NO_NODE)
        {
            Claim(subscriber, old, message.home, false, output);
            told.insert(old);
        }
    }
    Answer(news, subscriber, from, told, output);
}

template <typename M>
MftPubsubR::News
MftPubsubR::TakeFilters(const M& message)
{
    const auto ours = GetTimestamp(message.subscriber);
    const auto theirs = message.freshness.timestamp;
    if (theirs <= ours)
    {
        return theirs < ours ? News::OLDER : News::KNOWN;
    }
    const std::set<Filter> filters(message.filters.begin(), message.filters.end());
    const auto isOther = GetFilterSet(message.subscriber) != filters;
    m_table.SetFilters(message.subscriber, message.filters);
    m_table.SetFreshness(message.subscriber, {theirs, 0});
    if (isOther)
    {
        return News::CHANGED;
    }
    return ours == 0 ? News::FIRST : News::KNOWN;
}

void
MftPubsubR::Answer(News news,
                   NodeId subscriber,
                   NodeId from,
                   const std::set<NodeId>& told,
                   BrokerOutput& output)
{
    if (news == News::CHANGED && m_homes.contains(subscriber))
    {
        output.sends.push_back({subscriber, Filters{m_table.GetFilters(subscriber)}});
    }
    if (news == News::CHANGED || news == News::FIRST)
    {
        Spread(subscriber, told, output);
    }
    else if (news == News::OLDER)
    {
        Tell(subscriber, from, output);
    }
}

void
MftPubsubR::Spread(NodeId subscriber, const std::set<NodeId>& except, BrokerOutput& output)
{
    for (const auto neighbour : GetNeighbours())
    {
        if (!except.contains(neighbour))
        {
            Tell(subscriber, neighbour, output);
        }
    }
}

void
MftPubsubR::Tell(NodeId subscriber, NodeId to, BrokerOutput& output)
{
    auto* link = FindOpen(to);
    if (!link)
    {
        return; // its opening will
    }
    if (link->claimed.insert(subscriber).second)
    {
        const auto home = m_homes.find(subscriber);
        Claim(subscriber, to, home != m_homes.end() ? home->second : 0, true, output);
        return;
    }
    output.sends.push_back(
        {to,
         Bsub{subscriber, m_table.GetFilters(subscriber), m_table.GetFreshness(subscriber), 0}});
}

void
MftPubsubR::Claim(NodeId subscriber, NodeId to, uint32_t home, bool isFirst, BrokerOutput& output)
{
    output.sends.push_back({to,
                            ClaimingBsub{subscriber,
                                         m_table.GetFilters(subscriber),
                                         m_table.GetFreshness(subscriber),
                                         home,
                                         isFirst}});
}

uint32_t
MftPubsubR::GetTimestamp(NodeId subscriber) const
{
    return m_table.GetFreshness(subscriber).timestamp;
}

std::set<Filter>
MftPubsubR::GetFilterSet(NodeId subscriber) const
{
    const auto* route = m_table.Find(subscriber);
    return route ? route->filters : std::set<Filter>{};
}

std::string
MftPubsubR::GetDigest() const
{
    auto digest = Broker::GetDigest() + "^" + std::to_string(m_parent) + "H";
    for (const auto& [subscriber, timestamp] : m_homes)
    {
        digest += std::to_string(subscriber) + "@" + std::to_string(timestamp) + ",";
    }
    for (const auto& [neighbour, link] : m_links)
    {
        digest += "L" + std::to_string(neighbour) + (link.isOpen ? "o" : "") +
                  (link.isMine ? "m" : "") + (link.isDeaf ? "d" : "") + ":";
        for (const auto subscriber : link.claimed)
        {
            digest += std::to_string(subscriber) + ",";
        }
    }
    return digest + "P" + m_published.GetDigest() + "C" + m_handed.GetDigest();
}

} // namespace mftpubsub
