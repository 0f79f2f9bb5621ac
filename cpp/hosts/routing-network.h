/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_ROUTING_NETWORK_H
#define MFTPUBSUB_HOSTS_ROUTING_NETWORK_H

#include "hosts/wired-host.h"
#include "hosts/wired-links.h"
#include "protocols/reconfiguration/forest.h"
#include "protocols/reconfiguration/tree-maintenance.h"
#include "protocols/tree/broker.h"
#include "protocols/tree/subscriber.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub
{

/**
 * Brokers of the thesis's family (T) in the setting of C: wired links, as DispatchingNetwork has
 * them, and links that others replace.
 *
 * The clients of a dispatcher are one subscriber of its broker, with a filter for each pattern. Of
 * the break both ends are told; what was on the link is lost untold, as in C. A replacement is a
 * migration: where the two links share an end, of that broker alone, from the old neighbour to the
 * new one. Else the brokers between the two links in the part of the higher end of the old one, the
 * tail, turn round one after the other, from the new link to the old one, as a part does that joins
 * a tree by another broker than its leader.
 */
class RoutingNetwork final : public WiredHost
{
  public:
    /// @return whether brokers of @p protocol can be hosted: those that mend routes
    static bool Has(const std::string& protocol);

    /// Everybody knows of everybody: what is wanted has been subscribed to, at no cost.
    /// @param protocol for which Has is true
    /// @param wanted what the clients of each dispatcher want
    /// @param options as of DispatchingNetwork; brokers that know of everybody have no timers
    RoutingNetwork(const std::string& protocol,
                   const reconfiguration::Forest& tree,
                   const std::vector<Patterns>& wanted,
                   DispatchingOptions options);

    void Subscribe(NodeId node, Pattern pattern) override;
    void Unsubscribe(NodeId node, Pattern pattern) override;
    void Publish(NodeId node, const reconfiguration::PublicationPtr& publication) override;
    void Break(ReconfigurationId id, NodeId one, NodeId other) override;
    void Replace(ReconfigurationId id, NodeId one, NodeId other) override;

    const Broker& GetBroker(NodeId node) const;

    /// @return a broker's routes, and how many events wait, by subscriber
    Description DescribeTable(NodeId node) const override;

    /// @return subscribers without their filters or on another way than the tree's, and events
    /// that are still queued
    std::vector<std::string> FindFaults() const override;

  private:
    /// A message on its way.
    struct Packet
    {
        Message message;
        ReconfigurationId cause{reconfiguration::NO_RECONFIGURATION};
        std::vector<EventHops::Hop> hops; //!< of each of its events: this one
    };

    struct Waiting
    {
        NodeId to{NO_NODE};
        NodeId from{NO_NODE};
        Packet packet;
    };

    struct Dispatcher
    {
        std::unique_ptr<Broker> broker;
        Subscriber clients;
        std::map<EventId, EventHops::Hop> arrivals; //!< of each event: its latest copy
    };

    void Orient(NodeId root);
    void Settle();

    /// Whatever a broker waits for at its beginning is over.
    void LetTimePass(NodeId node);
    void MoveTo(NodeId node, NodeId previous, NodeId current, ReconfigurationId cause);

    using ClientCall = std::function<void(Subscriber& clients, SubscriberOutput& output)>;

    /// Tells the broker of @p node now, and carries out what it answers.
    void Tell(NodeId node, ReconfigurationId cause, const Broker::Input& input);
    void Tell(NodeId node, ReconfigurationId cause, const Broker::Input& input, Instant now);

    /// Calls the clients of @p node likewise.
    void TellClients(NodeId node, ReconfigurationId cause, const ClientCall& call);

    void Receive(NodeId to, NodeId from, const Packet& packet);
    void Transmit(NodeId node, ReconfigurationId cause, Send& send);

    std::vector<Dispatcher> m_dispatchers;
    WiredLinks<Packet> m_links;
    reconfiguration::Forest m_tree;
    std::map<ReconfigurationId, reconfiguration::Edge> m_missing; //!< lower end first
    bool m_isSettling{true};       //!< nothing takes time or is counted
    std::deque<Waiting> m_waiting; //!< while settling
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_ROUTING_NETWORK_H */
