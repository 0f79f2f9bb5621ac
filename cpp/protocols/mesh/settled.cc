/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/settled.h"

#include <utility>

namespace mftpubsub::mesh
{

void
Settled::Add(Instant now, EventId id)
{
    if (m_events.Add(id))
    {
        GetEpoch(now).Add(id);
    }
}

Summary
Settled::Merge(Instant now, const Summary& other)
{
    auto news = other.Minus(m_events);
    if (!news.IsEmpty())
    {
        m_events.Add(news);
        GetEpoch(now).Add(news);
    }
    return news;
}

void
Settled::Remove(const Summary& events)
{
    m_events = m_events.Minus(events);
}

Summary
Settled::Since(Instant since) const
{
    Summary events;
    for (auto epoch = m_log.rbegin(); epoch != m_log.rend() && epoch->to >= since; ++epoch)
    {
        events.Add(epoch->events);
    }
    return events.Minus(events.Minus(m_events));
}

size_t
Settled::CountRuns() const
{
    auto runs = m_events.CountRuns();
    for (const auto& epoch : m_log)
    {
        runs += epoch.events.CountRuns();
    }
    return runs;
}

Summary&
Settled::GetEpoch(Instant now)
{
    if (m_log.empty() || now > m_log.back().from + m_limits.grain)
    {
        m_log.push_back({now, now, {}});
        Blur(now);
    }
    m_log.back().to = now;
    return m_log.back().events;
}

/// Epochs that are short for their age become one, and the oldest ones if there are too many.
void
Settled::Blur(Instant now)
{
    auto log = std::exchange(m_log, {});
    auto left = log.size();
    for (auto& epoch : log)
    {
        const auto joins = !m_log.empty() &&
                           (left > m_limits.epochs ||
                            epoch.to - m_log.back().from <= Times(now - epoch.to, m_limits.blur));
        if (joins)
        {
            --left;
            m_log.back().to = epoch.to;
            m_log.back().events.Add(epoch.events);
        }
        else
        {
            m_log.push_back(std::move(epoch));
        }
    }
}

} // namespace mftpubsub::mesh
