/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/trickle.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::mesh
{

Trickle::Trickle(TrickleOptions options, Uniform uniform)
    : m_options(options),
      m_uniform(std::move(uniform))
{
}

void
Trickle::Reset(Instant now)
{
    m_intervals = 0;
    m_interval = m_options.shortest;
    BeginInterval(now);
}

void
Trickle::Inconsistent(Instant now)
{
    if (m_dueAt == NEVER || m_interval > m_options.shortest)
    {
        Reset(now);
    }
    else
    {
        m_intervals = 0;
    }
}

void
Trickle::BeginInterval(Instant now)
{
    m_heard = 0;
    m_isPastTransmission = false;
    m_endsAt = now + m_interval;
    m_dueAt = now + Times(m_interval, 0.5 + 0.5 * m_uniform());
}

bool
Trickle::Expire(Instant now)
{
    if (!m_isPastTransmission)
    {
        m_isPastTransmission = true;
        m_dueAt = std::max(m_endsAt, now);
        return m_heard < m_options.redundancy;
    }
    if (++m_intervals >= m_options.expirations)
    {
        m_dueAt = NEVER;
        return false;
    }
    m_interval = std::min(2 * m_interval, m_options.longest);
    BeginInterval(now);
    return false;
}

} // namespace mftpubsub::mesh
