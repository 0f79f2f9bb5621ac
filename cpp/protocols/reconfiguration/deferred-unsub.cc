/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/reconfiguration/deferred-unsub.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::reconfiguration
{

std::unique_ptr<Dispatcher>
DeferredUnsubTimed::Clone() const
{
    return std::make_unique<DeferredUnsubTimed>(*this);
}

void
DeferredUnsubTimed::LinkRemoved(NodeId neighbour, ReconfigurationId id, Actions& /*actions*/)
{
    Lost lost{neighbour, m_table.RemoveRow(neighbour)};
    RemoveNeighbour(neighbour);
    if (!GetNeighbours().empty())
    {
        Defer(id, std::move(lost));
        StartTimer(Timer::UNSUBSCRIBE, id);
    }
}

void
DeferredUnsubTimed::LinkAdded(NodeId neighbour, ReconfigurationId /*id*/, Actions& actions)
{
    AddLinkTo(neighbour, actions);
}

void
DeferredUnsubTimed::TimerExpired(Timer timer, ReconfigurationId id, Actions& actions)
{
    if (timer == Timer::UNSUBSCRIBE)
    {
        EndDeferral(id, actions);
    }
}

bool
DeferredUnsubTimed::IsAtRest() const
{
    return m_pending.empty();
}

bool
DeferredUnsubTimed::NeedsPattern(Pattern pattern) const
{
    return SubscriptionForwarding::NeedsPattern(pattern) ||
           std::ranges::any_of(m_pending, [pattern](const auto& pending) {
               return std::ranges::binary_search(pending.second.patterns, pattern);
           });
}

std::string
DeferredUnsubTimed::GetDigest() const
{
    auto text = SubscriptionForwarding::GetDigest();
    for (const auto& [id, lost] : m_pending)
    {
        text += "#" + std::to_string(id) + "/" + std::to_string(lost.neighbour) + ":";
        for (const auto pattern : lost.patterns)
        {
            text += std::to_string(pattern) + ",";
        }
    }
    return text;
}

void
DeferredUnsubTimed::Defer(ReconfigurationId id, Lost lost)
{
    m_pending.emplace(id, std::move(lost));
}

void
DeferredUnsubTimed::UnsubscribeLost(ReconfigurationId /*id*/, const Lost& lost, Actions& actions)
{
    for (const auto pattern : lost.patterns)
    {
        if (!HasReturned(lost.neighbour, pattern))
        {
            ProcessUnsub(lost.neighbour, pattern, actions);
        }
    }
}

bool
DeferredUnsubTimed::HasReturned(NodeId neighbour, Pattern pattern) const
{
    return m_table.Has(neighbour, pattern);
}

void
DeferredUnsubTimed::EndDeferral(ReconfigurationId id, Actions& actions)
{
    while (const auto lost = m_pending.extract(id))
    {
        UnsubscribeLost(id, lost.mapped(), actions);
    }
}

std::unique_ptr<Dispatcher>
DeferredUnsubNotified::Clone() const
{
    return std::make_unique<DeferredUnsubNotified>(*this);
}

void
DeferredUnsubNotified::LinkAdded(NodeId neighbour, ReconfigurationId id, Actions& actions)
{
    DeferredUnsubTimed::LinkAdded(neighbour, id, actions);
    if (id != NO_RECONFIGURATION)
    {
        SendTo(neighbour, Flush{id, nullptr}, actions);
    }
}

void
DeferredUnsubNotified::Receive(NodeId from, const Message& message, Actions& actions)
{
    const auto* flush = std::get_if<Flush>(&message);
    if (flush == nullptr)
    {
        DeferredUnsubTimed::Receive(from, message, actions);
    }
    else if (m_pending.contains(flush->reconfiguration))
    {
        StopTimer(Timer::UNSUBSCRIBE, flush->reconfiguration);
        EndDeferral(flush->reconfiguration, actions);
    }
    else
    {
        SendToNeighbours(*flush, from, actions);
    }
}

} // namespace mftpubsub::reconfiguration
