/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_SUBSCRIBER_H
#define MFTPUBSUB_PROTOCOLS_TREE_SUBSCRIBER_H

#include "content/event-set.h"
#include "protocols/tree/broker.h"

#include <set>
#include <vector>

namespace mftpubsub
{

/// An event copy that reached a subscriber.
struct Delivery
{
    EventPtr event;
    NodeId from{NO_NODE};
    uint8_t hops{0};       //!< hops of this copy, client hop included
    bool duplicate{false}; //!< suppressed: the application has seen the event before
};

/// What a subscriber answers to one input.
struct SubscriberOutput
{
    std::vector<Send> sends;
    std::vector<Delivery> deliveries;
};

/**
 * The subscriber's side of the protocols, as a state machine without I/O.
 *
 * Every SUB, UNS and MIG carries a timestamp of its own (T 4.3). A change of broker is a MIG; the
 * new broker's FILTERS is answered with SUB and UNS for the difference (ruling 8). The application
 * sees each event once (ruling 7).
 *
 * A word that the transport could not bring to the broker is owed: the next sign of a broker
 * (Attached, BrokerAlive) makes the subscriber migrate again, and FILTERS mends the rest. The same
 * sign makes the broker send anew what was lost with a session.
 */
class Subscriber
{
  public:
    explicit Subscriber(NodeId self);

    /// With what it had on stable storage: filters, its last word's timestamp, events seen.
    Subscriber(NodeId self, std::set<Filter> filters, uint32_t timestamp, EventSet seen);

    /// From now on it takes what it wants of the events that it overhears, and tells what it has
    /// (mft-pubsub-2).
    void Overhear();

    bool Overhears() const;

    void Subscribe(const Filter& filter, SubscriberOutput& output);
    void Unsubscribe(const Filter& filter, SubscriberOutput& output);

    /// The overlay has chosen @p broker for this client.
    void Attached(NodeId broker, SubscriberOutput& output);

    /// The overlay has lost sight of every broker.
    void Detached();

    /// The overlay has heard the present broker again.
    void BrokerAlive(SubscriberOutput& output);

    void Receive(NodeId from, const Message& message, SubscriberOutput& output);

    /// @return everything that this machine remembers, as Broker::GetDigest
    std::string GetDigest() const;

    /// The transport gave up on a message to @p to.
    void DeliveryFailed(NodeId to);

    /// What the present broker has sent may be lost.
    void SessionLost();

    /// @return whether a filter of this subscriber matches @p event
    bool Wants(const Event& event) const;

    /// @return the present broker, NO_NODE if there is none
    NodeId GetBroker() const;

    const std::set<Filter>& GetFilters() const;

    /// @return that of its last word; 0 if it has said none
    uint32_t GetTimestamp() const;

  private:
    Freshness NextFreshness();
    void Migrate(SubscriberOutput& output);
    void TellWhatItHas(SubscriberOutput& output) const;
    void Deliver(const EventPtr& event, NodeId from, uint8_t hops, SubscriberOutput& output);
    void NoteTimestamp(NodeId from, uint32_t timestamp);
    void Reconcile(const std::vector<Filter>& known, SubscriberOutput& output);

    NodeId m_self;
    NodeId m_broker{NO_NODE};
    NodeId m_registeredAt{NO_NODE}; //!< the broker that took our last word, NO_NODE if in doubt
    bool m_owesMigration{false};    //!< the present broker did not get our last word
    uint32_t m_timestamp{0};
    uint32_t m_lastReceived{0};         //!< Phoenix: timestamp of the last event received ...
    NodeId m_lastReceivedFrom{NO_NODE}; //!< ... and the broker whose clock gave it
    std::set<Filter> m_filters;
    EventSet m_seen;
    bool m_overhears{false};
    RecentEvents m_recent; //!< the latest ones seen, if it overhears
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_SUBSCRIBER_H */
