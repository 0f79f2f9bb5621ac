/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/block-mixer.h"

#include <algorithm>

namespace mftpubsub::mesh
{

namespace
{

/// Of pauses, however fast the channel is: each turn takes the processor some time.
constexpr Instant SHORTEST = std::chrono::milliseconds(1);

} // namespace

void
BlockMixer::Hear(Instant now, size_t brokers)
{
    const auto news = m_context.blocks->CountNews();
    m_credit = std::min(m_context.options.limits.block.mostCredit,
                        m_credit + static_cast<double>(news - m_news));
    m_news = news;
    if (m_at == NEVER)
    {
        m_at = now + Times(DrawPause(brokers), m_context.uniform());
    }
}

bool
BlockMixer::Take(Instant now, size_t brokers)
{
    const auto& limits = m_context.options.limits.block;
    if (!m_context.AreBlocksNew(now))
    {
        m_at = NEVER;
        return false;
    }
    m_at = now + DrawPause(brokers);
    if (m_credit < 1 && m_context.uniform() * limits.idle > 1)
    {
        return false;
    }
    m_credit = std::max(0.0, m_credit - 1);
    return true;
}

Instant
BlockMixer::DrawPause(size_t brokers) const
{
    const auto& limits = m_context.options.limits.block;
    const auto turns = static_cast<double>(1 + brokers) / limits.share;
    const auto pause = Times(m_context.airTime(m_context.options.maxFrameBytes),
                             turns * (0.5 + m_context.uniform()));
    return std::max(pause, SHORTEST);
}

} // namespace mftpubsub::mesh
