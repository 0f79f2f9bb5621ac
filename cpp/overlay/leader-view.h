/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_OVERLAY_LEADER_VIEW_H
#define MFTPUBSUB_OVERLAY_LEADER_VIEW_H

#include "overlay/heartbeat.h"

namespace mftpubsub
{

/// The leader that a node follows and the newest round that it has heard of it.
class LeaderView
{
  public:
    /// Follows nobody: any leader is better.
    LeaderView();

    /// Follows @p leadership from its round @p round on.
    LeaderView(Leadership leadership, uint32_t round, Instant now);

    /**
     * @return whether @p heartbeat is news: of a better leader, or a newer round of ours. The view
     *         then follows it
     */
    bool Adopt(const Heartbeat& heartbeat, Instant now);

    const Leadership& GetLeadership() const;
    uint32_t GetRound() const;

    /// @return when the newest round was first heard
    Instant GetHeardAt() const;

  private:
    Leadership m_leadership;
    uint32_t m_round{0};
    Instant m_heardAt{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_OVERLAY_LEADER_VIEW_H */
