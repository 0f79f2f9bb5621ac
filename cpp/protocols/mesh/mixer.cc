/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/mixer.h"

#include <algorithm>

namespace mftpubsub::mesh
{

void
Mixer::Note(Instant now, EventId id)
{
    m_late.emplace_back(now, id);
    Forget(now);
}

void
Mixer::Owe(Instant now, size_t events, size_t brokers)
{
    if (events == 0)
    {
        return;
    }
    const auto& limits = m_context.options.limits.mix;
    if (m_owed < 0)
    {
        m_owed = m_context.uniform(); // who owes half of a sum sends it half of the time
    }
    if (m_at == NEVER)
    {
        m_at = now + Times(limits.wait, 0.5 + 0.5 * m_context.uniform());
    }
    m_owed += static_cast<double>(events) *
              std::min(1.0, limits.copies / static_cast<double>(1 + brokers));
    if (m_owed >= static_cast<double>(limits.sums))
    {
        m_at = now;
    }
}

size_t
Mixer::Take(Instant now)
{
    if (m_at > now)
    {
        return 0;
    }
    const auto& limits = m_context.options.limits.mix;
    const auto sums = std::min(static_cast<size_t>(m_owed), limits.sums);
    m_owed -= static_cast<double>(sums);
    m_at = m_owed < 1 ? NEVER : now + Times(limits.wait, 0.5 * m_context.uniform());
    return sums;
}

void
Mixer::Stop()
{
    m_owed = -1;
    m_at = NEVER;
}

void
Mixer::Forget(Instant now)
{
    const auto since = now - m_context.options.limits.mix.window;
    while (!m_late.empty() && m_late.front().first < since)
    {
        m_late.pop_front();
    }
}

std::vector<EventId>
Mixer::GetLate(Instant now)
{
    Forget(now);
    std::vector<EventId> ids;
    for (auto late = m_late.rbegin(); late != m_late.rend(); ++late)
    {
        ids.push_back(late->second);
    }
    return ids;
}

} // namespace mftpubsub::mesh
