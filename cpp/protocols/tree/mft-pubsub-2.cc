/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/mft-pubsub-2.h"

#include <algorithm>
#include <utility>

namespace mftpubsub
{

MftPubsub2::MftPubsub2(NodeId self,
                       const AddressingLimits& addressing,
                       const OverhearingLimits& limits,
                       QueueOptions queues)
    : MftPubsubR(self, addressing, std::move(queues)),
      m_limits(limits)
{
}

std::unique_ptr<Broker>
MftPubsub2::Clone() const
{
    return std::make_unique<MftPubsub2>(*this);
}

void
MftPubsub2::NeighbourAlive(Instant now, NodeId neighbour, BrokerOutput& output)
{
    m_now = now;
    MftPubsubR::NeighbourAlive(now, neighbour, output);
}

void
MftPubsub2::DeliveryFailed(Instant now, NodeId to, const Message& message, BrokerOutput& output)
{
    m_now = now;
    MftPubsubR::DeliveryFailed(now, to, message, output);
}

void
MftPubsub2::Receive(Instant now, NodeId from, const Message& message, BrokerOutput& output)
{
    m_now = now;
    if (const auto* have = std::get_if<Have>(&message))
    {
        Hear(*have);
        return;
    }
    if (const auto* rep = std::get_if<Rep>(&message))
    {
        MftPubsubR::Receive(now, from, Strip(*rep), output);
        return;
    }
    if (const auto* pub = std::get_if<Pub>(&message); pub && !pub->addressed)
    {
        if (!IsFromPublisher(from, *pub))
        {
            Hear(from, *pub);
            return;
        }
        if (m_heard.Insert(pub->event->id))
        {
            output.sends.push_back({NO_NODE, Pub{pub->event, AddHops(pub->hops, 1), {}}});
        }
    }
    MftPubsubR::Receive(now, from, message, output);
}

void
MftPubsub2::Hear(NodeId from, const Pub& copy)
{
    const auto& event = copy.event->id;
    if (m_heard.Insert(event))
    {
        if (LeadsOn(from, *copy.event))
        {
            m_forwards[event] = {ForwardAt(event), copy};
        }
        return;
    }
    const auto forward = m_forwards.find(event);
    if (forward != m_forwards.end() && ++forward->second.heard >= m_limits.copies)
    {
        m_forwards.erase(forward);
    }
}

void
MftPubsub2::Hear(const Have& message)
{
    auto& has = m_has[message.subscriber];
    for (const auto& row : message.rows)
    {
        has.Learn(row);
    }
    m_queues.Settle(message.subscriber, has);
}

Rep
MftPubsub2::Strip(Rep message) const
{
    std::erase_if(message.events,
                  [&](const EventPtr& event) { return Has(message.subscriber, event->id); });
    return message;
}

bool
MftPubsub2::LeadsOn(NodeId from, const Event& event) const
{
    return std::ranges::any_of(m_table.Match(event), [&](NodeId subscriber) {
        const auto nextHop = m_table.GetNextHop(subscriber);
        return nextHop != from && IsConnected(nextHop);
    });
}

Instant
MftPubsub2::ForwardAt(const EventId& event) const
{
    // Fibonacci hashing: brokers near each other, and events in a row, fall far apart.
    const auto key = ((uint64_t{event.publisher} + GetId()) << 32) | (event.sequence + GetId());
    const auto mixed = (key * 0x9E3779B97F4A7C15) >> 32;
    const auto share = static_cast<double>(mixed) / 4294967296.0;
    return m_now + std::chrono::duration_cast<Instant>(m_limits.forwarding * share);
}

bool
MftPubsub2::Has(NodeId subscriber, const EventId& event) const
{
    const auto has = m_has.find(subscriber);
    return has != m_has.end() && has->second.Contains(event);
}

void
MftPubsub2::SendCopy(NodeId nextHop,
                     const Pub& message,
                     std::vector<NodeId> subscribers,
                     BrokerOutput& output)
{
    for (const auto subscriber : subscribers)
    {
        NotHanded(subscriber, message.event);
        if (!Has(subscriber, message.event->id))
        {
            Enqueue(subscriber, message.event, output);
            SendQueued(subscriber, nextHop, output);
        }
    }
    if (subscribers.empty())
    {
        MftPubsubR::SendCopy(nextHop, message, {}, output);
    }
}

void
MftPubsub2::SendQueued(NodeId subscriber, NodeId, BrokerOutput&)
{
    m_repairs.try_emplace(subscriber, m_now + m_limits.patience);
}

std::optional<Instant>
MftPubsub2::NextTimer() const
{
    auto next = MftPubsubR::NextTimer();
    const auto consider = [&next](Instant at) { next = std::min(next.value_or(at), at); };
    for (const auto& [event, forward] : m_forwards)
    {
        consider(forward.at);
    }
    for (const auto& [subscriber, at] : m_repairs)
    {
        consider(at);
    }
    return next;
}

void
MftPubsub2::Expire(Instant now, BrokerOutput& output)
{
    m_now = now;
    if (const auto timer = MftPubsubR::NextTimer(); timer && now >= *timer)
    {
        MftPubsubR::Expire(now, output);
    }
    std::erase_if(m_forwards, [&](const auto& entry) {
        const auto& [at, copy, heard] = entry.second;
        if (at <= now)
        {
            output.sends.push_back({NO_NODE, Pub{copy.event, AddHops(copy.hops, 1), {}}});
        }
        return at <= now;
    });
    std::erase_if(m_repairs, [&](const auto& repair) {
        const auto& [subscriber, at] = repair;
        if (at <= now)
        {
            MftPubsubR::SendQueued(subscriber, m_table.GetNextHop(subscriber), output);
        }
        return at <= now;
    });
}

std::string
MftPubsub2::GetDigest() const
{
    auto digest = MftPubsubR::GetDigest() + "B" + m_heard.GetText() + "F";
    for (const auto& [event, forward] : m_forwards)
    {
        digest += std::to_string(event.publisher) + "." + std::to_string(event.sequence) + "*" +
                  std::to_string(forward.heard) + ",";
    }
    digest += "S";
    for (const auto& [subscriber, has] : m_has)
    {
        digest += std::to_string(subscriber) + "<" + has.GetDigest() + ";";
    }
    digest += "R";
    for (const auto& [subscriber, at] : m_repairs)
    {
        digest += std::to_string(subscriber) + ",";
    }
    return digest;
}

} // namespace mftpubsub
