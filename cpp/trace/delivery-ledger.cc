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
    m_open[event].push_back({subscriber});
}

void
DeliveryLedger::Close(EventId event, NodeId subscriber)
{
    const auto open = m_open.find(event);
    if (open == m_open.end())
    {
        return;
    }
    std::erase_if(open->second, [&](const Fate& fate) { return fate.subscriber == subscriber; });
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
                fate.cause = LossCause::UNMATCHED;
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
    const auto fate = std::ranges::find(open->second, subscriber, &Fate::subscriber);
    if (fate != open->second.end())
    {
        fate->cause = cause;
        fate->isMatched = true;
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
                fate.cause = cause;
            }
        }
    }
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
