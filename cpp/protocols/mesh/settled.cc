/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/settled.h"

namespace mftpubsub::mesh
{

void
Settled::Add(Instant now, EventId id)
{
    if (m_events.Add(id))
    {
        m_log.push_back({now, id.publisher, {id.sequence, id.sequence + 1}});
    }
}

Summary
Settled::Merge(Instant now, const Summary& other)
{
    Summary news;
    for (const auto& [publisher, sequences] : other.GetPublishers())
    {
        for (const auto& run : sequences.Minus(m_events.Of(publisher)))
        {
            m_events.Add(publisher, run);
            m_log.push_back({now, publisher, run});
            news.Add(publisher, run);
        }
    }
    return news;
}

std::vector<EventId>
Settled::Since(Instant since) const
{
    std::vector<EventId> events;
    for (auto entry = m_log.rbegin(); entry != m_log.rend() && entry->at >= since; ++entry)
    {
        for (auto sequence = entry->run.begin; sequence < entry->run.end; ++sequence)
        {
            if (const EventId id{entry->publisher, sequence}; m_events.Has(id))
            {
                events.push_back(id);
            }
        }
    }
    return events;
}

} // namespace mftpubsub::mesh
