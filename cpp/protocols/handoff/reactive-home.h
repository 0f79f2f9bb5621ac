/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_REACTIVE_HOME_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_REACTIVE_HOME_H

#include "protocols/handoff/reactive.h"

namespace mftpubsub::handoff
{

/**
 * The reactive scheme with home brokers (Burcea et al.; the rules
 * are ours): whenever a subscriber is away its first broker stores for it.
 *
 * RECONNECT always names the home as the old broker. It lends what it has to one session after the
 * other, by the reactive exchange; a broker whose subscriber has gone offers it back by SUBS once
 * nothing more is to come, and gets REMOVE for it. Whoever asks for a session that is older than
 * what the home knows of gets no filters.
 */
class ReactiveHome : public Reactive
{
  public:
    using Reactive::Reactive;

    using Reactive::Handle;
    void Handle(Instant now, NodeId from, const Sub& sub, Output& output);
    void Handle(Instant now, NodeId from, const Uns& uns, Output& output);
    void Handle(Instant now, NodeId from, const Reconnect& reconnect, Output& output);
    void Handle(Instant now, NodeId from, const Fetch& fetch, Output& output);
    void Handle(Instant now, NodeId from, const Subs& subs, Output& output);
    void Handle(Instant now, NodeId from, const Remove& remove, Output& output);
    void Handle(Instant now, NodeId from, const Transfer& transfer, Output& output);

  protected:
    void Receive(Instant now, NodeId from, const Message& message, Output& output) override;
    void LinkDown(Instant now, NodeId client, Output& output) override;

  private:
    static void Borrow(NodeId subscriber, ReactiveCopy& copy, Output& output);
    static void Lend(NodeId subscriber,
                     ReactiveCopy& copy,
                     const ReactiveCopy::Peer& asker,
                     Output& output);
    /// Nobody has @p copy now: lends it to the newest of those who have asked.
    static void LendOn(NodeId subscriber, ReactiveCopy& copy, Output& output);

    void Give(NodeId to, const Remove& remove, ReactiveCopy& copy, Output& output) const;
    void TakeBack(NodeId from, const Subs& subs, ReactiveCopy& copy, Output& output);

    /// Offers @p copy to its home, if its subscriber has gone and nothing more is to come.
    static void Offer(NodeId subscriber, ReactiveCopy& copy, Output& output);

    /// Tells those who asked for @p copy that they are too late.
    static void TurnDown(NodeId subscriber, ReactiveCopy& copy, Output& output);

    /// At home: the subscriber has unsubscribed. Nobody waits for @p copy any more.
    void Close(NodeId subscriber, ReactiveCopy& copy, Output& output);
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_REACTIVE_HOME_H */
