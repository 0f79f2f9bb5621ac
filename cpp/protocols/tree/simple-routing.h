/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_SIMPLE_ROUTING_H
#define MFTPUBSUB_PROTOCOLS_TREE_SIMPLE_ROUTING_H

#include "protocols/tree/broker.h"

#include <map>
#include <set>

namespace mftpubsub
{

/**
 * Simple Routing (T 2.3, algorithm 2.1): brokers and clients that never move.
 *
 * The table is a bag of (filter, interface): a filter that two subscribers behind one interface
 * hold stands there twice, for an UNS does not say whose it is. Subscriber ids and timestamps in
 * SUB and UNS pass through unread. On a tree that moves it does what its table says, and what has
 * no link is lost.
 */
class SimpleRouting : public Broker
{
  public:
    using Broker::Broker;

    std::unique_ptr<Broker> Clone() const override;

    /// @return one row an interface, which stands in both places: the protocol knows no subscribers
    std::vector<RouteView> GetTable() const override;
    bool HasTable() const override;

  protected:
    void Receive(Instant now, NodeId from, const Message& message, BrokerOutput& output) override;

  private:
    friend class Broker; // calls Handle

    void Handle(NodeId from, const Sub& message, BrokerOutput& output);
    void Handle(NodeId from, const Uns& message, BrokerOutput& output);
    void Handle(NodeId from, const Pub& message, BrokerOutput& output);

    std::map<NodeId, std::multiset<Filter>> m_table; //!< R_i, by interface
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_SIMPLE_ROUTING_H */
