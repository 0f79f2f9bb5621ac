/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/mft-pubsub.h"

#include <set>
#include <utility>

namespace mftpubsub
{

MftPubsub::MftPubsub(NodeId self, Options options, QueueOptions queues)
    : RoutingBroker(self, std::move(queues)),
      m_options(options)
{
}

std::unique_ptr<Broker>
MftPubsub::Clone() const
{
    return std::make_unique<MftPubsub>(*this);
}

void
MftPubsub::ParentChanged(Instant, NodeId previous, NodeId current, BrokerOutput& output)
{
    Bmig bmig;
    for (const auto& [subscriber, route] : m_table.GetRoutes())
    {
        const auto above =
            route.nextHop == previous || (route.nextHop == current && !m_options.literalChildren);
        auto& list = above ? bmig.others : bmig.children;
        list.push_back({subscriber, route.freshness});
    }
    for (const auto& word : bmig.others)
    {
        m_table.SetNextHop(word.subscriber, current);
    }
    const auto others = bmig.others;
    output.sends.push_back({current, std::move(bmig)});
    for (const auto& word : others)
    {
        SendQueued(word.subscriber, current, output);
    }
}

void
MftPubsub::Receive(Instant, NodeId from, const Message& message, BrokerOutput& output)
{
    Dispatch(*this, from, message, output);
}

template <typename M>
bool
MftPubsub::Accept(NodeId from, const M& message)
{
    if (from == message.subscriber)
    {
        AddClient(from);
    }
    if (message.freshness <= m_table.GetFreshness(message.subscriber))
    {
        return false;
    }
    const auto& [timestamp, hops] = message.freshness;
    m_table.SetFreshness(message.subscriber, {timestamp, AddHops(hops, 1)});
    return true;
}

template <typename M>
void
MftPubsub::Follow(NodeId from, const M& message, BrokerOutput& output)
{
    m_table.SetNextHop(message.subscriber, from);
    auto forward = message;
    forward.freshness.hops = AddHops(forward.freshness.hops, 1);
    SendToNeighbours(forward, from, output);
}

void
MftPubsub::Handle(NodeId from, const Sub& message, BrokerOutput& output)
{
    if (!Accept(from, message))
    {
        return;
    }
    m_table.AddFilter(message.subscriber, message.filter);
    Follow(from, message, output);
}

void
MftPubsub::Handle(NodeId from, const Uns& message, BrokerOutput& output)
{
    if (!Accept(from, message))
    {
        return;
    }
    m_table.RemoveFilter(message.subscriber, message.filter);
    Follow(from, message, output);
}

void
MftPubsub::Handle(NodeId from, const Mig& message, BrokerOutput& output)
{
    if (!Accept(from, message))
    {
        return;
    }
    const auto filters = m_table.GetFilters(message.subscriber);
    if (from == message.subscriber)
    {
        output.sends.push_back({from, Filters{filters}});
    }
    const auto old = m_table.GetNextHop(message.subscriber);
    if (message.previous != GetId() && !filters.empty() && old != from &&
        GetNeighbours().contains(old))
    {
        auto forward = message;
        forward.freshness.hops = AddHops(forward.freshness.hops, 1);
        output.sends.push_back({old, forward});
    }
    m_table.SetNextHop(message.subscriber, from);
    SendQueued(message.subscriber, from, output);
}

void
MftPubsub::Handle(NodeId from, const Bmig& message, BrokerOutput& output)
{
    const auto children = JudgeChildren(from, message, output);
    JudgeOthers(from, message, output);
    if (message.hops == 0)
    {
        TellUnnamed(from, message, output);
    }
    std::set<NodeId> oldNextHops;
    for (const auto& word : children)
    {
        const auto old = m_table.GetNextHop(word.subscriber);
        if (old != from && GetNeighbours().contains(old))
        {
            oldNextHops.insert(old);
        }
        m_table.SetNextHop(word.subscriber, from);
    }
    for (const auto old : oldNextHops)
    {
        output.sends.push_back({old, Bmig{children, {}, AddHops(message.hops, 1)}});
    }
    for (const auto& word : children)
    {
        SendQueued(word.subscriber, from, output);
    }
}

std::vector<SubscriberFreshness>
MftPubsub::JudgeChildren(NodeId from, const Bmig& message, BrokerOutput& output)
{
    std::vector<SubscriberFreshness> children;
    for (const auto& word : message.children)
    {
        const auto& [subscriber, theirs] = word;
        const auto ours = m_table.GetFreshness(subscriber);
        if (theirs.timestamp > ours.timestamp)
        {
            output.sends.push_back({from, Bquery{subscriber, ours}});
            children.push_back(word);
        }
        else if (theirs.timestamp < ours.timestamp || theirs.hops > ours.hops) // ruling 3
        {
            SendSubscriptions(subscriber, from, output);
        }
        else
        {
            const auto hops = AddHops(message.hops, theirs.hops + 1); // ruling 4
            m_table.SetFreshness(subscriber, {theirs.timestamp, hops});
            children.push_back(word);
        }
    }
    return children;
}

void
MftPubsub::JudgeOthers(NodeId from, const Bmig& message, BrokerOutput& output)
{
    for (const auto& [subscriber, theirs] : message.others)
    {
        const auto ours = m_table.GetFreshness(subscriber);
        if (theirs.timestamp > ours.timestamp)
        {
            output.sends.push_back({from, Bquery{subscriber, ours}});
        }
        else if (theirs.timestamp < ours.timestamp)
        {
            SendSubscriptions(subscriber, from, output);
        }
    }
}

void
MftPubsub::TellUnnamed(NodeId from, const Bmig& message, BrokerOutput& output)
{
    std::set<NodeId> named;
    for (const auto* list : {&message.children, &message.others})
    {
        for (const auto& word : *list)
        {
            named.insert(word.subscriber);
        }
    }
    for (const auto& [subscriber, route] : m_table.GetRoutes())
    {
        if (!named.contains(subscriber))
        {
            SendSubscriptions(subscriber, from, output);
        }
    }
}

void
MftPubsub::Handle(NodeId from, const Bquery& message, BrokerOutput& output)
{
    if (message.freshness < m_table.GetFreshness(message.subscriber))
    {
        SendSubscriptions(message.subscriber, from, output);
    }
}

void
MftPubsub::Handle(NodeId from, const Bsub& message, BrokerOutput& output)
{
    const auto& [timestamp, hops] = message.freshness;
    if (message.freshness <= m_table.GetFreshness(message.subscriber)) // ruling 2
    {
        return;
    }
    m_table.SetFilters(message.subscriber, message.filters);
    m_table.SetNextHop(message.subscriber, from);
    m_table.SetFreshness(message.subscriber, {timestamp, AddHops(hops, message.hops + 1)});
    auto forward = message;
    forward.hops = AddHops(forward.hops, 1);
    SendToNeighbours(forward, from, output);
    SendQueued(message.subscriber, from, output);
}

void
MftPubsub::SendSubscriptions(NodeId subscriber, NodeId to, BrokerOutput& output) const
{
    output.sends.push_back(
        {to,
         Bsub{subscriber, m_table.GetFilters(subscriber), m_table.GetFreshness(subscriber), 0}});
}

} // namespace mftpubsub
