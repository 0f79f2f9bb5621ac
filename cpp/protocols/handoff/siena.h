/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_SIENA_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_SIENA_H

#include "protocols/handoff/one-at-a-time.h"

namespace mftpubsub::handoff
{

/**
 * The mobility service of SIENA (Caporuscio et al. 2003): proxies
 * that subscribe in their own name, found by publishing PING and PONG, over plain
 * publish/subscribe.
 *
 * A publication for one proxy takes the way of a unicast in a tree, so PONG is one. PING also goes
 * to the broker that it names, whose proxy may be gone: it passes it on (rule 0.2). Links lose
 * nothing here, so PING is not repeated.
 */
class Siena : public OneAtATime
{
  public:
    Siena(NodeId self, const Options& options);

    using OneAtATime::Handle;
    void Handle(Instant now, NodeId from, const TreeSub& sub, Output& output);
    void Handle(Instant now, NodeId from, const TreeUns& uns, Output& output);
    void Handle(Instant now, NodeId from, const Ping& ping, Output& output);
    void Handle(Instant now, NodeId from, const PassOn& ask, Output& output);
    void Handle(Instant now, NodeId from, const Pong& pong, Output& output);
    void Handle(Instant now, NodeId from, const Get& get, Output& output);
    void Handle(Instant now, NodeId from, const Data& data, Output& output);

  protected:
    void Receive(Instant now, NodeId from, const Message& message, Output& output) override;

  private:
    void Spread(NodeId subscriber, Place& place, Output& output) override;
    void Withdraw(NodeId subscriber, Place& place, Output& output) override;
    void Arrive(Place& place, const Reconnect& reconnect, Output& output) override;
    void SendAsk(NodeId to, NodeId subscriber, const Ask& ask, Output& output) override;
    void Depart(NodeId subscriber, Place& place, const Ask& ask, Output& output) override;

    void PublishPing(NodeId from, const Ping& ping, Output& output);
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_SIENA_H */
