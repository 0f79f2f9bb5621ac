/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_PRO_ACTIVE_R_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_PRO_ACTIVE_R_H

#include "protocols/handoff/pro-active-broker.h"

namespace mftpubsub::handoff
{

/**
 * The pro-active scheme without its races (ours; R20): the messages of ProActive, each with the
 * session of the subscriber that it belongs to.
 *
 * - The broker of session k-1 stores until the broker of session k has asked it for what it has,
 *   and it answers only when it is complete itself: that it holds, or the subscriber has consumed,
 *   every event since the beginning. So one hand-off is done after the other, however they overlap.
 * - A broker that stores without a break stays complete; whoever has its answer is complete too.
 * - Who is asked after it has handed over to a later session says so: the subscriber has been back
 *   there meanwhile, and nobody needs the copy of the one that asks, unless it has asked others.
 * - A neighbour's copy belongs to one session of one broker. Requests of older sessions are
 * refused, and whoever activated a copy deactivates it.
 * - A neighbour remembers the newest session that was over for its copy. What comes later of that
 * session or of older ones is void, so that no copy is left behind where hand-offs overlap.
 */
class ProActiveR : public ProActiveBroker
{
  public:
    ProActiveR(NodeId self, const Options& options);

  private:
    void Reconnected(const Reconnect& reconnect,
                     SharedCopy& copy,
                     bool isNew,
                     Output& output) override;
    void Fetched(Instant now,
                 NodeId from,
                 const Subs& subs,
                 SharedCopy& copy,
                 Output& output) override;
    void Succeed(NodeId subscriber, const Successor& successor, Output& output) override;
    void TakeOver(NodeId subscriber, const Answered& answered, Output& output) override;
    std::set<NodeId> GetStoring(const SharedCopy& copy) const override;

    /// @return whether what @p successor asks for may still come, of sessions before its own
    static bool Awaits(const SharedCopy& copy, const Successor& successor);

    /// Tells those who wait for what will not come any more.
    void RefuseSuccessors(NodeId subscriber,
                          SharedCopy& copy,
                          Standing standing,
                          Output& output) const;

    /// What was asked for is not to be had any more, says @p answered.
    void Forgo(NodeId subscriber, SharedCopy& copy, const Answered& answered, Output& output);
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_PRO_ACTIVE_R_H */
