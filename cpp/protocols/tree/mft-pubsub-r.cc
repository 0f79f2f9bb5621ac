/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/mft-pubsub-r.h"

#include <utility>

namespace mftpubsub
{

MftPubsubR::MftPubsubR(NodeId self, const AddressingLimits& limits, QueueOptions queues)
    : AddressingBroker(self, limits, std::move(queues))
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
    m_links.Add(neighbour);
    AddressingBroker::LinkUp(now, neighbour, output);
}

void
MftPubsubR::LinkDown(Instant now, NodeId neighbour, BrokerOutput& output)
{
    Broker::LinkDown(now, neighbour, output);
    if (m_links.Remove(neighbour))
    {
        Unroute(neighbour);
    }
    if (m_parent == neighbour)
    {
        m_parent = NO_NODE;
    }
    if (m_homes.contains(neighbour) && m_table.GetTimestamp(neighbour) == 0)
    {
        m_homes.erase(neighbour); // came and went without a filter that anybody knows
        m_table.Erase(neighbour);
    }
}

void
MftPubsubR::LinkReset(Instant, NodeId neighbour, BrokerOutput&)
{
    if (m_links.Reset(neighbour))
    {
        Unroute(neighbour);
    }
}

void
MftPubsubR::NeighbourAlive(Instant, NodeId neighbour, BrokerOutput& output)
{
    if (neighbour == m_parent && !IsOpen(neighbour))
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
        if (m_table.GetTimestamp(subscriber) == 0)
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
    auto& link = *m_links.Find(to);
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
    Opened(to, output);
}

void
MftPubsubR::Receive(Instant now, NodeId from, const Message& message, BrokerOutput& output)
{
    if (std::holds_alternative<Bsub>(message) || std::holds_alternative<ClaimingBsub>(message))
    {
        NoteWord(now);
    }
    Dispatch(*this, from, message, output);
}

void
MftPubsubR::Handle(NodeId from, const Sub& message, BrokerOutput& output)
{
    ChangeFilters(from, message, &RoutingTable::AddFilter, output);
}

void
MftPubsubR::Handle(NodeId from, const Uns& message, BrokerOutput& output)
{
    ChangeFilters(from, message, &RoutingTable::RemoveFilter, output);
}

template <typename M>
void
MftPubsubR::ChangeFilters(NodeId from,
                          const M& message,
                          void (RoutingTable::*change)(NodeId, const Filter&),
                          BrokerOutput& output)
{
    const auto t = message.freshness.timestamp;
    const auto known = m_table.GetTimestamp(from);
    if (from != message.subscriber || t <= known)
    {
        return;
    }
    const auto before = m_table.GetFilters(from);
    (m_table.*change)(from, message.filter);
    m_table.SetFreshness(from, {t, 0});
    BecomeHome(from, t, output);
    if (known == 0 || m_table.GetFilters(from) != before)
    {
        Spread(from, {}, output);
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
MftPubsubR::Handle(NodeId from, const OpeningBmig& message, BrokerOutput& output)
{
    auto* link = m_links.Find(from);
    if (!link || !TakeOpening(from, *link, output))
    {
        return;
    }
    auto waves = TurnAll(from, message.children, output);
    CompareContents(from, message, output);
    PassOn(std::move(waves), output);
    Opened(from, output);
}

void
MftPubsubR::Handle(NodeId from, const ClaimingBmig& message, BrokerOutput& output)
{
    auto* link = m_links.FindOpen(from);
    if (!link || link->isDeaf)
    {
        return;
    }
    PassOn(TurnAll(from, message.children, output), output);
}

void
MftPubsubR::Handle(NodeId from, const Yield&, BrokerOutput&)
{
    if (auto* link = m_links.FindOpen(from))
    {
        link->isDeaf = false;
    }
}

bool
MftPubsubR::TakeOpening(NodeId from, Link& link, BrokerOutput& output)
{
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

bool
MftPubsubR::IsOpen(NodeId neighbour) const
{
    return m_links.IsOpen(neighbour);
}

void
MftPubsubR::CompareContents(NodeId from, const OpeningBmig& message, BrokerOutput& output)
{
    auto& link = *m_links.Find(from);
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
        m_links.Find(from)->claimed.insert(subscriber);
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
    if (m_table.GetTimestamp(message.subscriber) > 0)
    {
        Tell(message.subscriber, from, output);
    }
}

void
MftPubsubR::Handle(NodeId from, const Bsub& message, BrokerOutput& output)
{
    if (IsOpen(from))
    {
        const auto news =
            m_table.TakeNewer(message.subscriber, message.freshness.timestamp, message.filters);
        Answer(news, message.subscriber, from, {from}, output);
    }
}

void
MftPubsubR::Handle(NodeId from, const ClaimingBsub& message, BrokerOutput& output)
{
    auto* link = m_links.FindOpen(from);
    if (!link)
    {
        return;
    }
    const auto subscriber = message.subscriber;
    const auto news = m_table.TakeNewer(subscriber, message.freshness.timestamp, message.filters);
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
    auto* link = m_links.FindOpen(to);
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
    const auto filters = m_table.GetFilters(subscriber);
    const auto freshness = m_table.GetFreshness(subscriber);
    output.sends.push_back({to, ClaimingBsub{subscriber, filters, freshness, home, isFirst}});
}

std::string
MftPubsubR::GetDigest() const
{
    auto digest = AddressingBroker::GetDigest() + "^" + std::to_string(m_parent) + "H";
    for (const auto& [subscriber, timestamp] : m_homes)
    {
        digest += std::to_string(subscriber) + "@" + std::to_string(timestamp) + ",";
    }
    return digest + m_links.GetDigest();
}

} // namespace mftpubsub
