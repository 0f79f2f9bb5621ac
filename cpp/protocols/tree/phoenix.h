/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_PHOENIX_H
#define MFTPUBSUB_PROTOCOLS_TREE_PHOENIX_H

#include "protocols/tree/routing-broker.h"

#include <set>

namespace mftpubsub
{

/**
 * Phoenix (T 2.4, algorithms 2.2 and 2.3): subscribers move, brokers do not.
 *
 * A broker keeps every event that it has passed to a local subscriber, with its own clock's
 * timestamp; a subscriber that moves names the last timestamp that it has seen, and the broker that
 * it left replays what came after. The clock counts events: only their order at one broker matters.
 * So its queues hold all that was passed on to local subscribers, received or not.
 *
 * Departures: a subscriber has one next hop, the newest (the algorithms keep one with every filter,
 * and set all of them at once in MIG); a MIG from a subscriber that is still local leaves it local
 * (alg. 2.3 line 10 would drop it); MIG and REP without a path end here.
 */
class Phoenix : public RoutingBroker
{
  public:
    explicit Phoenix(NodeId self, QueueOptions queues = {});

    std::unique_ptr<Broker> Clone() const override;

    std::string GetDigest() const override;

  protected:
    /// The published protocol has no such case: what it keeps it replays by time.
    void DeliveryFailed(Instant, NodeId, const Message&, BrokerOutput&) override
    {
    }

    void Receive(Instant now, NodeId from, const Message& message, BrokerOutput& output) override;

  private:
    friend class Broker; // calls Handle

    void Handle(NodeId from, const Sub& message, BrokerOutput& output);
    void Handle(NodeId from, const Uns& message, BrokerOutput& output);
    void Handle(NodeId from, const Pub& message, BrokerOutput& output);
    void Handle(NodeId from, const Mig& message, BrokerOutput& output);
    void Handle(NodeId from, const Rep& message, BrokerOutput& output);

    /// Sends @p message on towards @p subscriber, if there is a path that does not lead back.
    void PassOn(NodeId subscriber, NodeId from, const Message& message, BrokerOutput& output) const;

    /// Alg. 2.3 lines 13-16: replays what @p subscriber has not seen.
    void Replay(const Mig& message, NodeId to, BrokerOutput& output);

    std::set<NodeId> m_local; //!< C_i
    uint32_t m_clock{0};      //!< timestamps given so far, also to what is in Q_i
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_PHOENIX_H */
