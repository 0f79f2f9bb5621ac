/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "overlay/leader-view.h"

#include <limits>

namespace mftpubsub
{

LeaderView::LeaderView()
    : m_leadership{std::numeric_limits<uint32_t>::max(), NO_NODE}
{
}

LeaderView::LeaderView(Leadership leadership, uint32_t round, Instant now)
    : m_leadership(leadership),
      m_round(round),
      m_heardAt(now)
{
}

bool
LeaderView::Adopt(const Heartbeat& heartbeat, Instant now)
{
    const auto isBetter = heartbeat.leadership < m_leadership;
    const auto isNewer = heartbeat.leadership == m_leadership && heartbeat.round > m_round;
    if (!isBetter && !isNewer)
    {
        return false;
    }
    *this = LeaderView(heartbeat.leadership, heartbeat.round, now);
    return true;
}

const Leadership&
LeaderView::GetLeadership() const
{
    return m_leadership;
}

uint32_t
LeaderView::GetRound() const
{
    return m_round;
}

Instant
LeaderView::GetHeardAt() const
{
    return m_heardAt;
}

} // namespace mftpubsub
