/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_MFT_PUBSUB_2_H
#define MFTPUBSUB_PROTOCOLS_TREE_MFT_PUBSUB_2_H

#include "content/event-set.h"
#include "protocols/tree/mft-pubsub-r.h"
#include "protocols/tree/recent-events.h"

#include <map>

namespace mftpubsub
{

/**
 * MftPubsubR for a channel on which everybody near hears a broadcast: its routes, and another way
 * of events (docs/protocols.md).
 *
 * An event goes by one broadcast from broker to broker, repeated where the routes lead on to a
 * subscriber and few have repeated it. Subscribers take what they overhear, and broadcast HAVE:
 * which of the latest events they have. What a subscriber is not known to have waits in the queue
 * of the broker that its event was published at, and goes along the route as REP after a while.
 *
 * So a broadcast may be lost, and HAVE too: a queue lets go of an event only where its subscriber
 * has said that it has it, or along -R's routes.
 */
class MftPubsub2 : public MftPubsubR
{
  public:
    MftPubsub2(NodeId self,
               const AddressingLimits& addressing,
               const OverhearingLimits& limits,
               QueueOptions queues = {});

    std::unique_ptr<Broker> Clone() const override;
    std::optional<Instant> NextTimer() const override;
    std::string GetDigest() const override;

  protected:
    void Receive(Instant now, NodeId from, const Message& message, BrokerOutput& output) override;
    void DeliveryFailed(Instant now,
                        NodeId to,
                        const Message& message,
                        BrokerOutput& output) override;
    void NeighbourAlive(Instant now, NodeId neighbour, BrokerOutput& output) override;
    void Expire(Instant now, BrokerOutput& output) override;

    void SendCopy(NodeId nextHop,
                  const Pub& message,
                  std::vector<NodeId> subscribers,
                  BrokerOutput& output) override;
    void SendQueued(NodeId subscriber, NodeId to, BrokerOutput& output) override;

  private:
    /// A broadcast that is about to be repeated.
    struct Forward
    {
        Instant at{0};
        Pub copy;
        uint32_t heard{1};
    };

    /// A broker has broadcast an event.
    void Hear(NodeId from, const Pub& copy);

    /// A subscriber has told what it has.
    void Hear(const Have& message);

    /// @return a REP without what its subscriber has
    Rep Strip(Rep message) const;

    /// @return whether a route leads to a subscriber that wants @p event, and not by @p from
    bool LeadsOn(NodeId from, const Event& event) const;

    /// @return when a broadcast of @p event is repeated: brokers differ
    Instant ForwardAt(const EventId& event) const;

    bool Has(NodeId subscriber, const EventId& event) const;

    OverhearingLimits m_limits;
    Instant m_now{0}; //!< of the input at hand
    EventSet m_heard; //!< broadcasts heard, or begun here
    std::map<EventId, Forward> m_forwards;
    std::map<NodeId, RecentEvents> m_has; //!< by subscriber, as it said
    std::map<NodeId, Instant> m_repairs;  //!< when the queue of a subscriber goes
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_MFT_PUBSUB_2_H */
