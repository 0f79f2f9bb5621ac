/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_CASCADING_H
#define MFTPUBSUB_PROTOCOLS_TREE_CASCADING_H

#include "protocols/tree/routing-broker.h"

namespace mftpubsub
{

/**
 * The first approach to moving brokers (T chapter 3, algorithms 3.1 to 3.3): a broker that gets a
 * new parent migrates for its local subscribers only (BMIG), takes the parent's routing table for
 * its own (BTAB), and forces every broker below it to do the same (FMIG). Without replay it is the
 * protocol of R (its algorithms 2 and 3), which queues nothing.
 *
 * A subscriber whose last filter is gone is forgotten, which is what lets the phantom subscriptions
 * of T 3.5 in; kept as published.
 *
 * Departures: a subscriber has one next hop, the newest, and not one with every filter; a MIG is
 * not sent back to where it came from.
 */
class Cascading : public RoutingBroker
{
  public:
    struct Options
    {
        bool replay{true}; //!< queue and replay events; R does not
    };

    Cascading(NodeId self, Options options, QueueOptions queues = {});

    std::unique_ptr<Broker> Clone() const override;

  protected:
    void ParentChanged(Instant now, NodeId previous, NodeId current, BrokerOutput& output) override;
    void Receive(Instant now, NodeId from, const Message& message, BrokerOutput& output) override;
    void DeliveryFailed(Instant now,
                        NodeId to,
                        const Message& message,
                        BrokerOutput& output) override;

  private:
    friend class Broker; // calls Handle

    using RoutingBroker::Handle;
    void Handle(NodeId from, const Sub& message, BrokerOutput& output);
    void Handle(NodeId from, const Uns& message, BrokerOutput& output);
    void Handle(NodeId from, const Mig& message, BrokerOutput& output);
    void Handle(NodeId from, const CascadingBmig& message, BrokerOutput& output);
    void Handle(NodeId from, const Btab& message, BrokerOutput& output);
    void Handle(NodeId from, const Fmig& message, BrokerOutput& output);

    /// @return whether @p subscriber is in C_i: its next hop is itself, and it has not gone (R 3.3)
    bool IsLocal(NodeId subscriber) const;

    void SendBmig(NodeId to, BrokerOutput& output) const;
    void AddFilter(NodeId subscriber, const Filter& filter, NodeId nextHop);
    void RemoveFilter(NodeId subscriber, const Filter& filter);

    /// Alg. 3.3 lines 14-17: everything but the local subscribers is as @p table says.
    void AdoptTable(NodeId from, const Btab& table);

    /// Alg. 3.3 lines 18-21: corrects what @p from has of the local subscribers' filters.
    void CorrectFilters(NodeId from, const Btab& table, BrokerOutput& output) const;

    void Enqueue(NodeId subscriber, const EventPtr& event, BrokerOutput& output) override;

    /// One REP for each event (alg. 3.2).
    void SendQueued(NodeId subscriber, NodeId to, BrokerOutput& output) override;

    Options m_options;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_CASCADING_H */
