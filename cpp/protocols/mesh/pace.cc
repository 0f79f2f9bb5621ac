/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/pace.h"

#include <algorithm>

namespace mftpubsub::mesh
{

void
Pace::Take(Instant now)
{
    Adapt(now);
    ++m_taken;
    m_nextAt = std::max(m_nextAt, now) + Seconds(1 / m_allowed);
}

void
Pace::Adapt(Instant now)
{
    const auto& limits = m_context.options.limits.pace;
    const std::chrono::duration<double> since = now - m_adaptedAt;
    if (now - m_adaptedAt < limits.period)
    {
        return;
    }
    m_adaptedAt = now;
    m_actual += limits.weight * (m_taken / since.count() - m_actual);
    m_taken = 0;
    if (m_context.stuck(now) <= limits.stuck || m_context.load() < limits.load)
    {
        m_allowed *= 1 + limits.more * since.count();
    }
    else if (now - m_slowedAt >= limits.slowed)
    {
        m_slowedAt = now;
        m_allowed = std::max(limits.least, limits.less * std::min(m_allowed, m_actual));
    }
}

} // namespace mftpubsub::mesh
