/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/reconfiguration/informed-link-activation.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::reconfiguration
{

InformedLinkActivation::InformedLinkActivation(NodeId self, TimerOptions timers, Options options)
    : DeferredUnsubNotified(self, timers),
      m_options(options)
{
}

std::unique_ptr<Dispatcher>
InformedLinkActivation::Clone() const
{
    return std::make_unique<InformedLinkActivation>(*this);
}

void
InformedLinkActivation::LinkRemoved(NodeId neighbour, ReconfigurationId id, Actions& actions)
{
    m_incarnation.erase(neighbour);
    DeferredUnsubNotified::LinkRemoved(neighbour, id, actions);
}

void
InformedLinkActivation::LinkAdded(NodeId neighbour, ReconfigurationId id, Actions& actions)
{
    m_incarnation[neighbour] = ++m_incarnations;
    if (id == NO_RECONFIGURATION)
    {
        AddLinkTo(neighbour, actions);
    }
}

void
InformedLinkActivation::LinkSubstituted(const Substitution& substitution, Actions& actions)
{
    const auto id = substitution.reconfiguration;
    Activate activate{id,
                      std::make_shared<const Patterns>(GetWantedByLostAlone(id)),
                      substitution.other};
    if (substitution.own == GetId())
    {
        ActivateLink(activate, actions);
    }
    else
    {
        actions.sends.push_back({substitution.own, std::move(activate), true});
    }
}

void
InformedLinkActivation::Receive(NodeId from, const Message& message, Actions& actions)
{
    if (const auto* activate = std::get_if<Activate>(&message))
    {
        ActivateLink(*activate, actions);
    }
    else
    {
        DeferredUnsubNotified::Receive(from, message, actions);
    }
}

void
InformedLinkActivation::TimerExpired(Timer timer, ReconfigurationId id, Actions& actions)
{
    if (timer == Timer::UNSUBSCRIBE)
    {
        EndDeferral(id, actions);
    }
    else if (const auto withheld = m_withheld.extract(id))
    {
        SubscribeWithheld(withheld.mapped(), actions);
    }
}

bool
InformedLinkActivation::IsAtRest() const
{
    return DeferredUnsubNotified::IsAtRest() && m_withheld.empty();
}

void
InformedLinkActivation::Defer(ReconfigurationId id, Lost lost)
{
    if (!m_options.hidesLost)
    {
        for (const auto pattern : lost.patterns)
        {
            m_table.Add(Ghost(id), pattern);
        }
    }
    DeferredUnsubNotified::Defer(id, std::move(lost));
}

void
InformedLinkActivation::UnsubscribeLost(ReconfigurationId id, const Lost& lost, Actions& actions)
{
    if (m_options.hidesLost)
    {
        DeferredUnsubNotified::UnsubscribeLost(id, lost, actions);
        return;
    }
    for (const auto pattern : lost.patterns)
    {
        Unsubscribe(Ghost(id), pattern, actions);
    }
}

void
InformedLinkActivation::SubscribeWithheld(const Withheld& withheld, Actions& actions)
{
    const auto link = m_incarnation.find(withheld.neighbour);
    if (link == m_incarnation.end() || link->second != withheld.incarnation)
    {
        return;
    }
    for (const auto pattern : withheld.patterns)
    {
        if (m_table.IsKnown(pattern, withheld.neighbour))
        {
            SendTo(withheld.neighbour, Sub{pattern}, actions);
        }
    }
}

Patterns
InformedLinkActivation::GetWantedByLostAlone(ReconfigurationId id) const
{
    const auto pending = m_pending.find(id);
    if (pending == m_pending.end())
    {
        return {};
    }
    Patterns alone;
    for (const auto pattern : pending->second.patterns)
    {
        if (!m_table.IsKnown(pattern, Ghost(id)))
        {
            alone.push_back(pattern);
        }
    }
    return alone;
}

void
InformedLinkActivation::ActivateLink(const Activate& activate, Actions& actions)
{
    const auto link = m_incarnation.find(activate.neighbour);
    if (link == m_incarnation.end())
    {
        return;
    }
    AddNeighbour(activate.neighbour);
    StartTimer(Timer::SUBSCRIBE, activate.reconfiguration);
    Withheld withheld{activate.neighbour, link->second, {}};
    for (const auto pattern : m_table.GetKnown(activate.neighbour))
    {
        const bool waits =
            std::binary_search(activate.patterns->begin(), activate.patterns->end(), pattern);
        if (waits && !m_table.Has(LOCAL, pattern))
        {
            withheld.patterns.push_back(pattern);
        }
        else
        {
            SendTo(activate.neighbour, Sub{pattern}, actions);
        }
    }
    m_withheld[activate.reconfiguration] = std::move(withheld);
    if (m_options.sendsFlush)
    {
        SendTo(activate.neighbour, Flush{activate.reconfiguration, nullptr}, actions);
    }
}

} // namespace mftpubsub::reconfiguration
