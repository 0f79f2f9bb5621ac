/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_ADDRESSING_BROKER_H
#define MFTPUBSUB_PROTOCOLS_TREE_ADDRESSING_BROKER_H

#include "protocols/tree/addressing-limits.h"
#include "protocols/tree/questions.h"
#include "protocols/tree/recent-copies.h"
#include "protocols/tree/routing-broker.h"

#include <deque>

namespace mftpubsub
{

/**
 * How events travel in mft-pubsub-r (protocols.md section 11).
 *
 * An event that matches s once travels for s by name (PUB says for whom), so what brokers on the
 * way have heard of s's filters does not matter any more; without a way it is queued. Who missed an
 * acknowledgement sends again what has arrived: a publisher's copy is not taken twice, and a
 * subscriber is not handed twice what it has.
 *
 * A newcomer, a broker that has started and not yet been told of the subscribers, cannot say whom
 * an event matches: it asks all its neighbours, by a copy for nobody. They send it on, and back for
 * whom they take to be on the newcomer's side. What was published here before there was anybody to
 * ask goes to the first neighbour. A broker is a newcomer until it has had time to be told. One
 * that has run before asks later neighbours too: others know whom it has forgotten. Where a network
 * begins this would fill it with copies.
 */
class AddressingBroker : public RoutingBroker
{
  public:
    std::optional<Instant> NextTimer() const override;
    std::string GetDigest() const override;

  protected:
    void LinkUp(Instant now, NodeId neighbour, BrokerOutput& output) override;
    void DeliveryFailed(Instant now,
                        NodeId to,
                        const Message& message,
                        BrokerOutput& output) override;
    void Expire(Instant now, BrokerOutput& output) override;

    AddressingBroker(NodeId self, const AddressingLimits& limits, QueueOptions queues);

    using RoutingBroker::Handle;
    void Handle(NodeId from, const Pub& message, BrokerOutput& output);
    void Handle(NodeId from, const Rep& message, BrokerOutput& output);

    void SendQueued(NodeId subscriber, NodeId to, BrokerOutput& output) override;

    /// A copy of @p message is to go to @p nextHop, for @p subscribers; for nobody: it asks.
    virtual void SendCopy(NodeId nextHop,
                          const Pub& message,
                          std::vector<NodeId> subscribers,
                          BrokerOutput& output);

    /// @p event, which was about to be handed to @p subscriber, is kept after all.
    void NotHanded(NodeId subscriber, const EventPtr& event);

    /// @return whether messages may be sent to @p neighbour by now
    virtual bool IsOpen(NodeId neighbour) const = 0;

    /// @p neighbour can be sent messages from now on.
    void Opened(NodeId neighbour, BrokerOutput& output);

    /// A neighbour has told of a subscriber, and will of the others.
    void NoteWord(Instant now);

  private:
    /// A copy is about to go to @p nextHop. @return false if that is @p subscriber, who
    /// has been handed it before
    bool IsOwed(NodeId subscriber, NodeId nextHop, const EventId& event);

    /// @return whom @p message is for: those that it names, and those that this broker names
    std::set<NodeId> FindReceivers(NodeId from, const Pub& message, BrokerOutput& output) const;

    /// Adds a copy for every neighbour but @p from; without any keeps an @p event that is @p isNew.
    void AskNeighbours(NodeId from, const EventPtr& event, bool isNew, Copies& copies);

    /// Asks all neighbours what they have not been asked yet.
    void AskOn(BrokerOutput& output);

    void KeepEarly(const EventPtr& event);

    AddressingLimits m_limits;
    RecentCopies m_published; //!< straight from publishers
    RecentCopies m_handed;    //!< to subscribers at home here
    bool m_isNewcomer{true};
    std::optional<Instant> m_learned; //!< when it is none any more
    std::deque<EventPtr> m_early;     //!< published here while there was nobody to ask
    Questions m_questions;            //!< of who is back
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_ADDRESSING_BROKER_H */
