/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/addressing-broker.h"

#include <algorithm>
#include <utility>

namespace mftpubsub
{

namespace
{

/// @return whether @p copy asks for whom it is
bool
IsQuestion(const Pub& copy)
{
    return copy.addressed && copy.subscribers.empty();
}

} // namespace

AddressingBroker::AddressingBroker(NodeId self, const AddressingLimits& limits, QueueOptions queues)
    : RoutingBroker(self, std::move(queues)),
      m_limits(limits),
      m_published(limits.copies),
      m_handed(limits.copies),
      m_questions(limits.early)
{
}

void
AddressingBroker::LinkUp(Instant now, NodeId neighbour, BrokerOutput& output)
{
    RoutingBroker::LinkUp(now, neighbour, output);
    if (m_isNewcomer && !m_learned)
    {
        m_learned = now + m_limits.silence;
    }
}

void
AddressingBroker::Handle(NodeId from, const Pub& message, BrokerOutput& output)
{
    const auto& event = message.event->id;
    const auto isNew = IsFromPublisher(from, message);
    if (isNew && !m_published.Take(event, from))
    {
        return;
    }
    Copies copies;
    for (const auto subscriber : FindReceivers(from, message, output))
    {
        const auto nextHop = m_table.GetNextHop(subscriber);
        if (!IsConnected(nextHop))
        {
            Enqueue(subscriber, message.event, output);
        }
        else if (IsOwed(subscriber, nextHop, event))
        {
            copies[nextHop].push_back(subscriber);
        }
    }
    const auto asks = m_isNewcomer && (isNew || IsQuestion(message));
    if (asks && !m_limits.isBack)
    {
        AskNeighbours(from, message.event, isNew, copies);
    }
    for (auto& [nextHop, subscribers] : copies)
    {
        SendCopy(nextHop, message, std::move(subscribers), output);
    }
    if (asks && m_limits.isBack)
    {
        m_questions.Keep(message.event, AddHops(message.hops, 1), isNew ? NO_NODE : from);
        AskOn(output);
    }
}

void
AddressingBroker::SendCopy(NodeId nextHop,
                           const Pub& message,
                           std::vector<NodeId> subscribers,
                           BrokerOutput& output)
{
    const auto toBroker = GetNeighbours().contains(nextHop);
    output.sends.push_back(
        {nextHop, Pub{message.event, AddHops(message.hops, 1), std::move(subscribers), toBroker}});
}

void
AddressingBroker::NotHanded(NodeId subscriber, const EventPtr& event)
{
    m_handed.GiveBack(subscriber, Pub{event, 0, {}});
}

std::set<NodeId>
AddressingBroker::FindReceivers(NodeId from, const Pub& message, BrokerOutput& output) const
{
    std::set<NodeId> receivers;
    if (message.addressed)
    {
        receivers.insert(message.subscribers.begin(), message.subscribers.end());
    }
    const auto isAsked = IsFromPublisher(from, message) || IsQuestion(message);
    for (const auto subscriber : m_table.Match(*message.event))
    {
        if (isAsked || receivers.contains(subscriber) || m_table.GetNextHop(subscriber) != from)
        {
            output.matches.push_back({message.event->id, subscriber});
            receivers.insert(subscriber);
        }
    }
    return receivers;
}

void
AddressingBroker::AskNeighbours(NodeId from, const EventPtr& event, bool isNew, Copies& copies)
{
    auto isAlone = true;
    for (const auto neighbour : GetNeighbours())
    {
        if (IsOpen(neighbour) && (isNew || neighbour != from))
        {
            copies.try_emplace(neighbour);
            isAlone = false;
        }
    }
    if (isNew && isAlone)
    {
        KeepEarly(event);
    }
}

void
AddressingBroker::AskOn(BrokerOutput& output)
{
    for (const auto neighbour : GetNeighbours())
    {
        if (!IsOpen(neighbour))
        {
            continue;
        }
        for (auto& question : m_questions.For(neighbour))
        {
            output.sends.push_back({neighbour, std::move(question)});
        }
    }
    if (!m_isNewcomer)
    {
        m_questions.DropAsked();
    }
}

void
AddressingBroker::KeepEarly(const EventPtr& event)
{
    m_early.push_back(event);
    if (m_early.size() > m_limits.early)
    {
        m_early.pop_front();
    }
}

void
AddressingBroker::Opened(NodeId neighbour, BrokerOutput& output)
{
    for (auto& event : std::exchange(m_early, {}))
    {
        output.sends.push_back({neighbour, Pub{std::move(event), 2, {}, true}});
    }
    AskOn(output);
}

void
AddressingBroker::NoteWord(Instant now)
{
    if (m_isNewcomer)
    {
        const auto told = now + m_limits.learning;
        m_learned = std::min(m_learned.value_or(told), told);
    }
}

std::optional<Instant>
AddressingBroker::NextTimer() const
{
    return m_learned;
}

void
AddressingBroker::Expire(Instant, BrokerOutput&)
{
    m_isNewcomer = false;
    m_learned.reset();
    m_questions.DropAsked();
}

void
AddressingBroker::Handle(NodeId from, const Rep& message, BrokerOutput& output)
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
AddressingBroker::SendQueued(NodeId subscriber, NodeId to, BrokerOutput& output)
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
AddressingBroker::IsOwed(NodeId subscriber, NodeId nextHop, const EventId& event)
{
    return nextHop != subscriber || !IsConnected(nextHop) || m_handed.Take(event, subscriber);
}

void
AddressingBroker::DeliveryFailed(Instant now,
                                 NodeId to,
                                 const Message& message,
                                 BrokerOutput& output)
{
    m_handed.GiveBack(to, message);
    const auto* pub = std::get_if<Pub>(&message);
    if (pub && IsQuestion(*pub) && m_limits.isBack)
    {
        m_questions.NotHeard(to, *pub);
        AskOn(output);
    }
    else if (pub && IsQuestion(*pub) && pub->hops == 2)
    {
        KeepEarly(pub->event); // published here; who was asked did not hear it
    }
    RoutingBroker::DeliveryFailed(now, to, message, output);
}

std::string
AddressingBroker::GetDigest() const
{
    auto digest =
        RoutingBroker::GetDigest() + (m_isNewcomer ? "N" : "") + (m_learned ? "L" : "") + "E";
    for (const auto& event : m_early)
    {
        digest +=
            std::to_string(event->id.publisher) + "." + std::to_string(event->id.sequence) + ",";
    }
    return digest + m_questions.GetDigest() + "P" + m_published.GetDigest() + "C" +
           m_handed.GetDigest();
}

} // namespace mftpubsub
