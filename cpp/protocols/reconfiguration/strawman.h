/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_RECONFIGURATION_STRAWMAN_H
#define MFTPUBSUB_PROTOCOLS_RECONFIGURATION_STRAWMAN_H

#include "protocols/reconfiguration/subscription-forwarding.h"

namespace mftpubsub::reconfiguration
{

/// A lost link unsubscribes all that was behind it, a new one subscribes to all (C III-B).
class Strawman : public SubscriptionForwarding
{
  public:
    using SubscriptionForwarding::SubscriptionForwarding;

    std::unique_ptr<Dispatcher> Clone() const override;

  protected:
    void LinkRemoved(NodeId neighbour, ReconfigurationId id, Actions& actions) override;
    void LinkAdded(NodeId neighbour, ReconfigurationId id, Actions& actions) override;
};

} // namespace mftpubsub::reconfiguration

#endif /* MFTPUBSUB_PROTOCOLS_RECONFIGURATION_STRAWMAN_H */
