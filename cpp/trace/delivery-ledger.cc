/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "trace/delivery-ledger.h"

#include <algorithm>
#include <tuple>

namespace mftpubsub
{

std::string_view
GetName(LossCause cause)
{
    switch (cause)
    {
    case LossCause::UNSENT:
        return "UNSENT";
    case LossCause::UNMATCHED:
        return "UNMATCHED";
    case LossCause::STRANDED:
        return "STRANDED";
    case LossCause::RADIO:
        return "RADIO";
    case LossCause::QUEUED:
        return "QUEUED";
    case LossCause::IN_FLIGHT:
        return "IN_FLIGHT";
    case LossCause::DROPPED_BY_QUEUE:
        return "DROPPED_BY_QUEUE";
    case LossCause::CRASHED:
        return "CRASHED";
    case LossCause::NO_ROUTE:
        return "NO_ROUTE";
    case LossCause::EXPIRED_ROUTE:
        return "EXPIRED_ROUTE";
    case LossCause::NO_ADDRESS:
        return "NO_ADDRESS";
    case LossCause::TTL:
        return "TTL";
    case LossCause::MAC:
        return "MAC";
    }
    return "";
}

void
DeliveryLedger::Open(EventId event, NodeId subscriber)
{
    auto& fates = m_open[event];
    fates.insert(std::ranges::upper_bound(fates, subscriber, {}, &Fate::subscriber), {subscriber});
    ++m_counts[static_cast<size_t>(LossCause::UNSENT)];
}

void
DeliveryLedger::Close(EventId event, NodeId subscriber)
{
    const auto open = m_open.find(event);
    if (open == m_open.end())
    {
        return;
    }
    const auto fate = Find(open->second, subscriber);
    if (fate == open->second.end())
    {
        return;
    }
    --m_counts[static_cast<size_t>(fate->cause)];
    open->second.erase(fate);
    if (open->second.empty())
    {
        m_open.erase(open);
    }
}

void
DeliveryLedger::Taken(EventId event)
{
    if (const auto open = m_open.find(event); open != m_open.end())
    {
        for (auto& fate : open->second)
        {
            if (fate.cause == LossCause::UNSENT)
            {
                SetCause(fate, LossCause::UNMATCHED);
            }
        }
    }
}

void
DeliveryLedger::Note(EventId event, NodeId subscriber, LossCause cause)
{
    const auto open = m_open.find(event);
    if (open == m_open.end())
    {
        return;
    }
    const auto fate = Find(open->second, subscriber);
    if (fate != open->second.end())
    {
        SetCause(*fate, cause);
        fate->isMatched = true;
    }
}

void
DeliveryLedger::Note(EventId event, const IdSet& subscribers, LossCause cause)
{
    if (const auto open = m_open.find(event); open != m_open.end())
    {
        for (auto& fate : open->second)
        {
            if (subscribers.Has(fate.subscriber))
            {
                SetCause(fate, cause);
                fate.isMatched = true;
            }
        }
    }
}

void
DeliveryLedger::NoteUnmatched(EventId event, LossCause cause)
{
    if (const auto open = m_open.find(event); open != m_open.end())
    {
        for (auto& fate : open->second)
        {
            if (!fate.isMatched)
            {
                SetCause(fate, cause);
            }
        }
    }
}

std::vector<DeliveryLedger::Fate>::iterator
DeliveryLedger::Find(std::vector<Fate>& fates, NodeId subscriber)
{
    const auto at = std::ranges::lower_bound(fates, subscriber, {}, &Fate::subscriber);
    return at != fates.end() && at->subscriber == subscriber ? at : fates.end();
}

void
DeliveryLedger::SetCause(Fate& fate, LossCause cause)
{
    --m_counts[static_cast<size_t>(fate.cause)];
    fate.cause = cause;
    ++m_counts[static_cast<size_t>(cause)];
}

std::map<std::string, uint64_t>
DeliveryLedger::CountByCause() const
{
    std::map<std::string, uint64_t> counts;
    for (size_t cause = 0; cause < m_counts.size(); ++cause)
    {
        if (m_counts[cause] > 0)
        {
            counts.emplace(GetName(static_cast<LossCause>(cause)), m_counts[cause]);
        }
    }
    return counts;
}

std::vector<Loss>
DeliveryLedger::GetLosses() const
{
    std::vector<Loss> losses;
    for (const auto& [event, fates] : m_open)
    {
        for (const auto& fate : fates)
        {
            losses.push_back({event, fate.subscriber, fate.cause});
        }
    }
    std::ranges::sort(losses, {}, [](const Loss& loss) {
        return std::tuple(loss.event.publisher, loss.event.sequence, loss.subscriber);
    });
    return losses;
}

} // namespace mftpubsub
