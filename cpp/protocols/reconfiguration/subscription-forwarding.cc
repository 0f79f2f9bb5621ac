/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/reconfiguration/subscription-forwarding.h"

#include <algorithm>

namespace mftpubsub::reconfiguration
{

void
SubscriptionForwarding::Receive(NodeId from, const Message& message, Actions& actions)
{
    if (const auto* sub = std::get_if<Sub>(&message))
    {
        Subscribe(from, sub->pattern, actions);
    }
    else if (const auto* unsub = std::get_if<Unsub>(&message))
    {
        Unsubscribe(from, unsub->pattern, actions);
    }
    else if (const auto* event = std::get_if<Event>(&message))
    {
        actions.isDelivered = MatchesLocal(*event->publication);
        Forward(from, event->publication, actions);
    }
}

void
SubscriptionForwarding::ClientSubscribe(Pattern pattern, Actions& actions)
{
    Subscribe(LOCAL, pattern, actions);
}

void
SubscriptionForwarding::ClientUnsubscribe(Pattern pattern, Actions& actions)
{
    Unsubscribe(LOCAL, pattern, actions);
}

void
SubscriptionForwarding::Publish(const PublicationPtr& publication, Actions& actions)
{
    Forward(LOCAL, publication, actions);
}

void
SubscriptionForwarding::Subscribe(Subscriber from, Pattern pattern, Actions& actions)
{
    if (!m_table.Has(from, pattern))
    {
        Announce(m_table.GetSubscribers(pattern), from, Sub{pattern}, actions);
        m_table.Add(from, pattern);
    }
}

void
SubscriptionForwarding::Unsubscribe(Subscriber from, Pattern pattern, Actions& actions)
{
    if (m_table.Has(from, pattern))
    {
        ProcessUnsub(from, pattern, actions);
    }
}

void
SubscriptionForwarding::ProcessUnsub(Subscriber from, Pattern pattern, Actions& actions)
{
    m_table.Remove(from, pattern);
    Announce(m_table.GetSubscribers(pattern), from, Unsub{pattern}, actions);
}

void
SubscriptionForwarding::RemoveLinkTo(NodeId neighbour, Actions& actions)
{
    for (const auto pattern : m_table.GetRow(neighbour))
    {
        ProcessUnsub(neighbour, pattern, actions);
    }
    RemoveNeighbour(neighbour);
}

void
SubscriptionForwarding::AddLinkTo(NodeId neighbour, Actions& actions)
{
    AddNeighbour(neighbour);
    for (const auto pattern : m_table.GetKnown(neighbour))
    {
        SendTo(neighbour, Sub{pattern}, actions);
    }
}

void
SubscriptionForwarding::Forward(Subscriber from,
                                const PublicationPtr& publication,
                                Actions& actions) const
{
    std::vector<NodeId> wanting;
    for (const auto pattern : publication->patterns)
    {
        for (const auto subscriber : m_table.GetSubscribers(pattern))
        {
            if (IsNeighbour(subscriber) && subscriber != from)
            {
                wanting.push_back(static_cast<NodeId>(subscriber));
            }
        }
    }
    std::sort(wanting.begin(), wanting.end());
    wanting.erase(std::unique(wanting.begin(), wanting.end()), wanting.end());
    for (const auto neighbour : wanting)
    {
        SendTo(neighbour, Event{publication}, actions);
    }
}

template <typename M>
void
SubscriptionForwarding::Announce(const std::vector<Subscriber>& others,
                                 Subscriber from,
                                 const M& message,
                                 Actions& actions) const
{
    if (others.empty())
    {
        SendToNeighbours(message, from, actions);
    }
    else if (others.size() == 1 && HasNeighbour(others[0]))
    {
        SendTo(static_cast<NodeId>(others[0]), message, actions);
    }
}

} // namespace mftpubsub::reconfiguration
