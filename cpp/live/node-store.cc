/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What a node has in its files, and in its inbox.
 */
#include "live/node.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::live
{

namespace
{

/// Sequence numbers that are taken from the store at a time.
constexpr uint32_t RESERVE = 1000;
/// Between synchronizations of the journal: what a loss of power may undo.
constexpr Instant KEEP_INTERVAL = mesh::Seconds(1.0);
/// Between wholes, if the journal has grown.
constexpr Instant SAVE_INTERVAL = mesh::Seconds(60.0);
constexpr size_t LARGE_JOURNAL = 4 << 20;

} // namespace

void
Node::Start(Instant now)
{
    m_trace.Started(ToUnix(now), m_settings.roles, m_memory.life);
    for (const auto& [text, since] : m_memory.filters)
    {
        if (Has(mesh::SUBSCRIBER) && !HasFilter(text))
        {
            m_counts.leftOut.push_back(text); // the station has no room for it
            continue;
        }
        m_trace.Subscribed(std::min(since, ToUnix(now)), text);
    }
    Remember(now);
    m_due.keep = now + KEEP_INTERVAL;
    m_due.save = now + SAVE_INTERVAL;
    Tell(now, input::Started());
    // Perhaps nobody else has them. They stay where they are in the store, the oldest first.
    m_underWay.recalls = true;
    for (const auto& [at, event] : std::deque(m_memory.recent))
    {
        Tell(now, input::Recalled{event, at - m_start.unixTime});
    }
    m_underWay.recalls = false;
}

void
Node::Keep(Instant now)
{
    m_due.keep = now + KEEP_INTERVAL;
    if (!m_store)
    {
        return;
    }
    const auto grown = m_store->GetJournalBytes();
    if (grown > LARGE_JOURNAL || (grown > 0 && now >= m_due.save))
    {
        m_due.save = now + SAVE_INTERVAL;
        Remember(now);
    }
    else
    {
        m_store->Sync();
    }
}

void
Node::Remember(Instant now)
{
    if (m_memory.nextSequence + RESERVE / 2 > m_numbers.reserved)
    {
        m_numbers.reserved = m_memory.nextSequence + RESERVE;
    }
    Save(now);
}

void
Node::Save(Instant now)
{
    if (!m_store)
    {
        return;
    }
    auto whole = m_memory;
    whole.nextSequence = m_numbers.reserved;
    whole.heard = m_heard.GetLatest();
    if (const auto memory = m_hosted.station->GetMemory())
    {
        whole.timestamp = memory->timestamp;
        whole.done = memory->done;
        whole.filters.clear();
        for (const auto& [filter, since] : memory->filters)
        {
            whole.filters.emplace(filter.GetText(), ToUnix(std::min(since, now)));
        }
    }
    m_store->Save(whole, {ToUnix(now), m_start.boot, m_start.sinceBoot + now});
}

EventPtr
Node::Take()
{
    AcknowledgeTaken();
    if (m_memory.inbox.empty())
    {
        return nullptr;
    }
    m_underWay.takes = true;
    return m_memory.inbox.front();
}

void
Node::AcknowledgeTaken()
{
    if (!std::exchange(m_underWay.takes, false))
    {
        return;
    }
    if (m_store)
    {
        m_store->Taken(m_memory.inbox.front()->id);
    }
    m_memory.inbox.pop_front();
}

void
Node::Stop(Instant now, bool isDone)
{
    if (isDone)
    {
        AcknowledgeTaken();
    }
    m_numbers.reserved = m_memory.nextSequence;
    Save(now);
    m_trace.Flush();
}

void
Node::KeepForOthers(Instant now, const EventPtr& event)
{
    if (m_store)
    {
        m_memory.Keep(ToUnix(now), event);
        m_store->Kept(ToUnix(now), *event);
    }
}

void
Node::Deliver(const mesh::Delivery& delivery)
{
    if (!delivery.isNew)
    {
        ++m_counts.byName["overheard"];
        return;
    }
    ++m_counts.byName["delivered"];
    if (m_memory.inbox.size() >= m_settings.inbox)
    {
        // The one that the application has stays: it is done with it when it asks again.
        m_memory.inbox.erase(m_memory.inbox.begin() + (m_underWay.takes ? 1 : 0));
        ++m_counts.byName["inbox_overflows"];
    }
    m_memory.inbox.push_back(delivery.content);
    if (m_store)
    {
        m_store->Delivered(*delivery.content);
    }
}

} // namespace mftpubsub::live
