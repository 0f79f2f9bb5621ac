/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_PRO_ACTIVE_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_PRO_ACTIVE_H

#include "protocols/handoff/pro-active-broker.h"

namespace mftpubsub::handoff
{

/**
 * The pro-active scheme as published (G 4.1; handoff.md section 6).
 *
 * The completion mark (R14), holding, and a successor that waits are ours. Requests carry no
 * session: what overlapping hand-offs may lose (R20) is lost here.
 */
class ProActive : public ProActiveBroker
{
  public:
    ProActive(NodeId self, const Options& options);

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
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_PRO_ACTIVE_H */
