/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_ONE_AT_A_TIME_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_ONE_AT_A_TIME_H

#include "protocols/handoff/tree-broker.h"

#include <deque>
#include <unordered_map>

namespace mftpubsub::handoff
{

/**
 * One hand-off of a subscriber at a time: whoever has the
 * subscriber hands it over once its own hand-off is complete, and knows to whom it did.
 *
 * The new broker's first message goes to the broker that the client names, the last that accepted
 * it, and from there on to whoever has been handed the subscriber since; it waits where the
 * subscriber is expected. Requests of sessions that are over are served too: who still has the
 * client's link then asks for the subscriber back. Once the subscriber has left for good, requests
 * are refused where it left.
 */
class OneAtATime : public TreeBroker
{
  public:
    using TreeBroker::TreeBroker;

    using TreeBroker::Handle;
    void Handle(Instant now, NodeId from, const Refused& refused, Output& output);

  protected:
    /// Sends the first message of a hand-off, to @p to.
    virtual void SendAsk(NodeId to, NodeId subscriber, const Ask& ask, Output& output) = 0;

    /// This broker gives the subscriber to @p ask: what the scheme does then.
    virtual void Depart(NodeId subscriber, Place& place, const Ask& ask, Output& output) = 0;

    void Arrive(Place& place, const Reconnect& reconnect, Output& output) override;

    /// The first message of @p ask has come.
    void TakeUp(NodeId subscriber, const Ask& ask, Output& output);

    /// The hand-off to this broker is complete; the next one may begin.
    void Finish(NodeId subscriber, Place& place, Output& output);

    /// The subscriber has left for good: nobody is handed it over any more.
    void Forget(NodeId subscriber, Output& output);

  private:
    /// The subscriber had left for good before it came here.
    void CallOff(NodeId subscriber, Place& place, Output& output);

    void HandOver(NodeId subscriber, Place& place, const Ask& ask, Output& output);

    struct Turn
    {
        Ask successor; //!< whom this broker gave the subscriber to last
        std::deque<Ask> waiting;
    };

    std::unordered_map<NodeId, Turn> m_turns;
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_ONE_AT_A_TIME_H */
