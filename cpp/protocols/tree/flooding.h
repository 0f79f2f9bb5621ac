/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_FLOODING_H
#define MFTPUBSUB_PROTOCOLS_TREE_FLOODING_H

#include "content/event-set.h"
#include "protocols/tree/broker.h"
#include "protocols/tree/routing-table.h"

namespace mftpubsub
{

/**
 * Flooding: every broker broadcasts each new event once, to whichever brokers hear it (the baseline
 * that the sources argue against, protocols.md section 4).
 *
 * Subscriptions stay with the broker that the subscriber is attached to, which sends it what
 * matches; a MIG is answered with FILTERS, so that the subscriber subscribes anew. No event is
 * queued. Nobody tells a broker that a subscriber has gone: it goes on sending to it in vain.
 */
class Flooding : public Broker
{
  public:
    using Broker::Broker;

    std::unique_ptr<Broker> Clone() const override;
    std::vector<RouteView> GetTable() const override;
    bool HasTable() const override;
    std::string GetDigest() const override;

  protected:
    void Receive(Instant now, NodeId from, const Message& message, BrokerOutput& output) override;

  private:
    friend class Broker; // calls Handle

    void Handle(NodeId from, const Sub& message, BrokerOutput& output);
    void Handle(NodeId from, const Uns& message, BrokerOutput& output);
    void Handle(NodeId from, const Mig& message, BrokerOutput& output);
    void Handle(NodeId from, const Pub& message, BrokerOutput& output);

    RoutingTable m_table; //!< of attached subscribers
    EventSet m_seen;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_FLOODING_H */
