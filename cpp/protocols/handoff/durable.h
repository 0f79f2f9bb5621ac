/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_DURABLE_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_DURABLE_H

#include "protocols/handoff/visited-broker.h"

namespace mftpubsub::handoff
{

/**
 * JMS durable subscriptions (G 1, 5; handoff.md 5.1): every broker that a subscriber has visited
 * stores for it whenever it is not there, for ever. Brokers exchange no message.
 */
class Durable : public VisitedBroker<VisitedCopy>
{
  public:
    using VisitedBroker::VisitedBroker;

    using VisitedBroker::Handle;
    void Handle(Instant now, NodeId from, const Reconnect& reconnect, Output& output);
    void Handle(Instant now, NodeId from, const Pub& pub, Output& output);

  protected:
    void Receive(Instant now, NodeId from, const Message& message, Output& output) override;
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_DURABLE_H */
