/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/frame-sender.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::mesh
{

FrameSender::FrameSender(const SenderLimits& limits, Uniform uniform)
    : m_limits(limits),
      m_uniform(std::move(uniform))
{
}

void
FrameSender::HandedOver(Instant now, size_t bytes)
{
    m_bytes = bytes;
    m_isBusy = true;
    m_handedOverAt = now;
}

void
FrameSender::Transmitted(Instant now, Instant airTime)
{
    const std::chrono::duration<double> wait = now - m_handedOverAt;
    m_waitSeconds += m_limits.weight * (wait.count() - m_waitSeconds);
    m_perByte = airTime / static_cast<int64_t>(std::max<size_t>(m_bytes, 1));
    Free(now + airTime);
}

void
FrameSender::Dropped(Instant now)
{
    Free(now);
}

void
FrameSender::Free(Instant at)
{
    m_isBusy = false;
    m_freeAt = at + Times(m_limits.gap, m_uniform());
}

double
FrameSender::GetLoad() const
{
    const std::chrono::duration<double> usual = m_limits.usualWait;
    return std::clamp(m_waitSeconds / usual.count(), 1.0, m_limits.load);
}

} // namespace mftpubsub::mesh
