/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_ROUTING_BROKER_H
#define MFTPUBSUB_PROTOCOLS_TREE_ROUTING_BROKER_H

#include "protocols/tree/broker.h"
#include "protocols/tree/event-queues.h"
#include "protocols/tree/routing-table.h"

#include <map>
#include <vector>

namespace mftpubsub
{

/// A broker with one next hop a subscriber, and a queue for each: what the protocols from Phoenix
/// on share.
class RoutingBroker : public Broker
{
  public:
    std::vector<RouteView> GetTable() const override;
    std::vector<QueueView> GetQueues() const override;
    size_t CountHeld() const override;

  protected:
    /// Queues the events of the message again. (What else it said was about a link that is no
    /// more.)
    void DeliveryFailed(Instant now,
                        NodeId to,
                        const Message& message,
                        BrokerOutput& output) override;

    explicit RoutingBroker(NodeId self, QueueOptions queues = {});

    /// An ATTACH: a client is here, with nothing to subscribe to yet.
    void Handle(NodeId from, const Attach& message, BrokerOutput& output);

    /// A PUB (T alg. 3.2, 4.1): one copy to each next hop; without a way the event is queued.
    void Handle(NodeId from, const Pub& message, BrokerOutput& output);

    /// A REP: goes on towards its subscriber; without a way its events are queued.
    void Handle(NodeId from, const Rep& message, BrokerOutput& output);

    /// Keeps @p event until there is a way to @p subscriber.
    virtual void Enqueue(NodeId subscriber, const EventPtr& event, BrokerOutput& output);

    /// Sends the queue of @p subscriber to @p to as one REP (T 4.3), if @p to is connected.
    virtual void SendQueued(NodeId subscriber, NodeId to, BrokerOutput& output);

    /// The receivers of an event by the next hop that its copy goes to.
    using Copies = std::map<NodeId, std::vector<NodeId>>;

    RoutingTable m_table; //!< R_i, and T_i where there is one
    EventQueues m_queues; //!< Q_i
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_ROUTING_BROKER_H */
