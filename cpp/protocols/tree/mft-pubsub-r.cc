/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/mft-pubsub-r.h"

#include <algorithm>
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
MftPubsubR::LinkUp(NodeId neighbour)
{
    m_links.try_emplace(neighbour);
    Broker::LinkUp(neighbour);
}

void
MftPubsubR::LinkDown(NodeId neighbour)
{
    Broker::LinkDown(neighbour);
    m_owed.erase(neighbour);
    if (const auto link = m_links.extract(neighbour))
    {
        Unroute(neighbour);
        if (link.mapped().opened)
        {
            m_dropped.insert(neighbour);
        }
    }
    if (m_homes.contains(neighbour) && GetTimestamp(neighbour) == 0)
    {
        m_homes.erase(neighbour); // came and went without a filter that anybody knows
        m_table.Erase(neighbour);
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
MftPubsubR::ParentChanged(NodeId, NodeId current, BrokerOutput& output)
{
    if (!m_links[current].opened)
    {
        Open(current, OPENING, output);
    }
}

void
MftPubsubR::Open(NodeId to, uint8_t hops, BrokerOutput& output)
{
    auto& link = m_links[to];
    link.opened = true;
    link.mine = true;
    if (hops == REOPENING || (link.spoken && link.deaf == 0))
    {
        ++link.deaf; // what was settled before is settled anew
    }
    m_dropped.erase(to);
    Bmig bmig{{}, {}, hops};
    for (const auto& [subscriber, route] : m_table.GetRoutes())
    {
        const auto unknown = route.nextHop == NO_NODE && route.freshness.timestamp == 0;
        if (!unknown)
        {
            const auto above = route.nextHop == NO_NODE || route.nextHop == to;
            auto& list = above ? bmig.others : bmig.children;
            link.claimed.insert(subscriber);
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
MftPubsubR::Receive(NodeId from, const Message& message, BrokerOutput& output)
{
    PayOwed(from, output);
    if (!std::holds_alternative<Bmig>(message))
    {
        AskToOpen(from, output);
    }
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
        SendSubscriptions(subscriber, old, CLAIMS, timestamp, output);
    }
}

void
MftPubsubR::Handle(NodeId from, const Pub& message, BrokerOutput& output)
{
    const auto excluded = IsFromPublisher(from, message) ? NO_NODE : from;
    std::set<NodeId> receivers;
    if (message.addressed)
    {
        receivers.insert(message.subscribers.begin(), message.subscribers.end());
    }
    for (const auto subscriber : m_table.Match(*message.event))
    {
        if (receivers.contains(subscriber) || m_table.GetNextHop(subscriber) != excluded ||
            excluded == NO_NODE)
        {
            output.matches.push_back({message.event->id, subscriber});
            receivers.insert(subscriber);
        }
    }
    Copies copies;
    for (const auto subscriber : receivers)
    {
        const auto nextHop = m_table.GetNextHop(subscriber);
        if (IsConnected(nextHop))
        {
            copies[nextHop].push_back(subscriber);
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
MftPubsubR::Enqueue(NodeId subscriber, const EventPtr& event, BrokerOutput& output)
{
    RoutingBroker::Enqueue(subscriber, event, output);
    for (const auto neighbour : GetNeighbours())
    {
        AskToOpen(neighbour, output);
    }
}

void
MftPubsubR::AskToOpen(NodeId neighbour, BrokerOutput& output)
{
    const auto link = m_links.find(neighbour);
    if (link != m_links.end() && !link->second.opened && !link->second.asked &&
        m_dropped.contains(neighbour))
    {
        link->second.asked = true;
        output.sends.push_back({neighbour, Bquery{NO_NODE, {}}});
    }
}

void
MftPubsubR::Handle(NodeId from, const Bmig& message, BrokerOutput& output)
{
    LinkUp(from);
    auto& link = m_links[from];
    const auto opening = message.hops != PASSED_ON;
    if (opening && !TakeOpening(from, message.hops, output))
    {
        return;
    }
    if (message.children.empty() && !opening && link.deaf > 0)
    {
        --link.deaf;
    }
    if (link.deaf > 0)
    {
        return;
    }
    link.heard = link.heard || !opening;
    Waves waves;
    for (const auto& [subscriber, freshness] : message.children)
    {
        link.claimed.insert(subscriber);
        const auto old = Turn(subscriber, from, 0, output);
        if (old != NO_NODE)
        {
            waves[old].push_back({subscriber, m_table.GetFreshness(subscriber)});
        }
    }
    if (opening)
    {
        CompareContents(from, message, output);
    }
    PassOn(waves, output);
}

bool
MftPubsubR::TakeOpening(NodeId from, uint8_t hops, BrokerOutput& output)
{
    auto& link = m_links[from];
    if (link.opened && link.mine && GetId() < from)
    {
        link.deaf = std::max(link.deaf, 1U);
        return false;
    }
    m_dropped.erase(from);
    if (link.opened || link.heard || hops == REOPENING) // they begin anew
    {
        Unroute(from);
        link = {};
        output.sends.push_back({from, Bmig{{}, {}, PASSED_ON}});
    }
    link.opened = true;
    return true;
}

void
MftPubsubR::CompareContents(NodeId from, const Bmig& message, BrokerOutput& output)
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
            SendSubscriptions(subscriber, from, CLAIMS, here->second, output);
            return NO_NODE;
        }
        m_homes.erase(here);
    }
    m_table.SetNextHop(subscriber, from);
    SendQueued(subscriber, from, output);
    return GetNeighbours().contains(old) ? old : NO_NODE;
}

void
MftPubsubR::PassOn(Waves& waves, BrokerOutput& output)
{
    for (auto& [to, children] : waves)
    {
        m_links[to].spoken = true;
        output.sends.push_back({to, Bmig{std::move(children), {}, PASSED_ON}});
    }
}

void
MftPubsubR::Handle(NodeId from, const Bquery& message, BrokerOutput& output)
{
    if (!m_links.contains(from))
    {
        return;
    }
    if (message.subscriber == NO_NODE)
    {
        Open(from, REOPENING, output);
    }
    else if (GetTimestamp(message.subscriber) > 0)
    {
        Tell(message.subscriber, from, output);
    }
}

void
MftPubsubR::Handle(NodeId from, const Bsub& message, BrokerOutput& output)
{
    const auto found = m_links.find(from);
    if (found == m_links.end())
    {
        return;
    }
    auto& link = found->second;
    const auto subscriber = message.subscriber;
    const auto ours = GetTimestamp(subscriber);
    const auto theirs = message.freshness.timestamp;
    const auto newer = theirs > ours;
    const auto changed =
        newer && GetFilterSet(subscriber) !=
                     std::set<Filter>(message.filters.begin(), message.filters.end());
    if (newer)
    {
        m_table.SetFilters(subscriber, message.filters);
        m_table.SetFreshness(subscriber, {theirs, 0});
    }
    std::set<NodeId> told{from};
    link.heard = link.heard || message.hops != TELLS;
    const auto crossed = message.hops == OPENS && link.claimed.contains(subscriber);
    if (message.hops != TELLS && link.deaf == 0 && !(crossed && link.mine))
    {
        link.claimed.insert(subscriber);
        const auto old = Turn(subscriber, from, message.home, output);
        if (old != NO_NODE)
        {
            SendSubscriptions(subscriber, old, CLAIMS, message.home, output);
            told.insert(old);
        }
    }
    if (changed && m_homes.contains(subscriber))
    {
        output.sends.push_back({subscriber, Filters{m_table.GetFilters(subscriber)}});
    }
    if (changed || (newer && ours == 0))
    {
        Spread(subscriber, told, output);
    }
    else if (theirs < ours)
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
    const auto opens = m_links[to].claimed.insert(subscriber).second;
    const auto home = m_homes.find(subscriber);
    SendSubscriptions(subscriber,
                      to,
                      opens ? OPENS : TELLS,
                      opens && home != m_homes.end() ? home->second : 0,
                      output);
}

void
MftPubsubR::SendSubscriptions(NodeId subscriber,
                              NodeId to,
                              Claim claim,
                              uint32_t home,
                              BrokerOutput& output)
{
    auto& link = m_links[to];
    link.spoken = link.spoken || claim != TELLS;
    output.sends.push_back({to,
                            Bsub{subscriber,
                                 m_table.GetFilters(subscriber),
                                 m_table.GetFreshness(subscriber),
                                 claim,
                                 home}});
}

void
MftPubsubR::DeliveryFailed(NodeId to, const Message& message, BrokerOutput& output)
{
    const auto subscribers = m_queues.TakeBack(message, output);
    if (subscribers.empty() && IsConnected(to))
    {
        m_owed[to].push_back(message);
    }
    for (const auto subscriber : subscribers)
    {
        const auto nextHop = m_table.GetNextHop(subscriber);
        if (nextHop != to)
        {
            SendQueued(subscriber, nextHop, output);
        }
        else if (IsConnected(to))
        {
            m_owed.try_emplace(to); // its queue waits for a sign of life
        }
    }
}

void
MftPubsubR::PayOwed(NodeId node, BrokerOutput& output)
{
    auto owed = m_owed.extract(node);
    if (!owed)
    {
        return;
    }
    for (auto& message : owed.mapped())
    {
        output.sends.push_back({node, std::move(message)});
    }
    for (const auto& [subscriber, route] : m_table.GetRoutes())
    {
        if (route.nextHop == node)
        {
            SendQueued(subscriber, node, output);
        }
    }
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
    auto digest = Broker::GetDigest() + "H";
    for (const auto& [subscriber, timestamp] : m_homes)
    {
        digest += std::to_string(subscriber) + "@" + std::to_string(timestamp) + ",";
    }
    for (const auto& [neighbour, link] : m_links)
    {
        digest += "L" + std::to_string(neighbour) + (link.opened ? "o" : "") +
                  (link.mine ? "m" : "") + (link.spoken ? "s" : "") + (link.heard ? "h" : "") +
                  (link.asked ? "a" : "") + std::to_string(link.deaf) + ":";
        for (const auto subscriber : link.claimed)
        {
            digest += std::to_string(subscriber) + ",";
        }
    }
    for (const auto node : m_dropped)
    {
        digest += "D" + std::to_string(node);
    }
    for (const auto& [node, messages] : m_owed)
    {
        digest += "W" + std::to_string(node) + "*" + std::to_string(messages.size());
    }
    return digest;
}

} // namespace mftpubsub
