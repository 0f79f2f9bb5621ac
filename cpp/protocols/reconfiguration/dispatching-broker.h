/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_RECONFIGURATION_DISPATCHING_BROKER_H
#define MFTPUBSUB_PROTOCOLS_RECONFIGURATION_DISPATCHING_BROKER_H

#include "protocols/reconfiguration/dispatcher.h"
#include "protocols/reconfiguration/pattern-filters.h"
#include "protocols/tree/broker.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mftpubsub
{

/**
 * A dispatcher of Cugola, Frey, Murphy and Picco (C) on the thesis's overlay: a tree whose links
 * the leader election changes.
 *
 * The child end opens a link: its LINK is the first thing on it, and says which link it replaces,
 * by who opened that one, as its how manieth. So both ends of the new link and both ends of the old
 * one call the reconfiguration the same without asking anybody. Between its loss and a LINK a link
 * does not exist for the machine. An end of the old link that a FLUSH finds still waiting for its
 * child has lost it.
 *
 * Filters are C's patterns. Clients are LOCAL together; who moves is asked
 * for its filters (FILTERS) by its new broker, and forgotten by the old one as soon as an event
 * cannot be delivered to it. What C does not keep, events without a way, is lost.
 */
class DispatchingBroker : public Broker
{
  public:
    /**
     * @param machine one that needs no more of the tree maintenance than which link replaces which
     * @param opened number of the last link that it may have opened before
     */
    explicit DispatchingBroker(std::unique_ptr<reconfiguration::Dispatcher> machine,
                               uint32_t opened = 0);

    std::unique_ptr<Broker> Clone() const override;
    std::optional<Instant> NextTimer() const override;
    std::vector<RouteView> GetTable() const override;
    bool HasTable() const override;
    std::string GetDigest() const override;

  protected:
    void LinkDown(Instant now, NodeId neighbour, BrokerOutput& output) override;
    void LinkReset(Instant now, NodeId neighbour, BrokerOutput& output) override;
    void ParentChanged(Instant now, NodeId previous, NodeId current, BrokerOutput& output) override;
    void Receive(Instant now, NodeId from, const Message& message, BrokerOutput& output) override;
    void DeliveryFailed(Instant now,
                        NodeId to,
                        const Message& message,
                        BrokerOutput& output) override;
    void NeighbourAlive(Instant now, NodeId neighbour, BrokerOutput& output) override;
    void Expire(Instant now, BrokerOutput& output) override;

  private:
    friend class Broker; // calls Handle

    DispatchingBroker(const DispatchingBroker& other);

    void Handle(NodeId from, const Attach& message, BrokerOutput& output);
    void Handle(NodeId from, const Sub& message, BrokerOutput& output);
    void Handle(NodeId from, const Uns& message, BrokerOutput& output);
    void Handle(NodeId from, const Mig& message, BrokerOutput& output);
    void Handle(NodeId from, const Pub& message, BrokerOutput& output);
    void Handle(NodeId from, const OpeningLink& message, BrokerOutput& output);
    void Handle(NodeId from, const Flush& message, BrokerOutput& output);

    /// Opens the link to @p parent, which replaces the last one to @p previous.
    void Open(NodeId parent, NodeId previous, BrokerOutput& output);
    void Activate(NodeId neighbour, LinkName link, LinkName replaced, BrokerOutput& output);

    /// The open link to @p neighbour is gone.
    void Cut(NodeId neighbour, BrokerOutput& output);

    /// @p client wants nothing here any more.
    void Forget(NodeId client, BrokerOutput& output);
    void Unsubscribe(NodeId client, const Filter& filter, BrokerOutput& output);

    /// @return whether a client wants @p filter
    bool IsWanted(const Filter& filter) const;

    reconfiguration::Pattern GetPattern(const Filter& filter);
    reconfiguration::ReconfigurationId GetReconfiguration(LinkName lost);

    /// Tells the machine, and carries out what it answers; @p pub is the event at hand.
    void Tell(const reconfiguration::Dispatcher::Input& input,
              BrokerOutput& output,
              const Pub* pub = nullptr);

    /// Tells the machine of @p message likewise.
    void Receive(NodeId from,
                 const reconfiguration::Message& message,
                 BrokerOutput& output,
                 const Pub* pub = nullptr);

    /// @return what @p sent is on the wire
    Message Translate(const reconfiguration::Message& sent, const Pub* pub) const;

    std::unique_ptr<reconfiguration::Dispatcher> m_machine;
    Instant m_now{0};
    NodeId m_parent{NO_NODE};
    uint32_t m_opened;                  //!< number of the last link
    std::map<NodeId, LinkName> m_links; //!< open, by neighbour
    std::map<NodeId, LinkName> m_lost;  //!< the last link to each that has none now
    /// Of lost links, as long as the machine waits for what replaces them.
    std::map<reconfiguration::ReconfigurationId, LinkName> m_names;
    reconfiguration::PatternFilters m_filters;
    std::map<NodeId, std::set<Filter>> m_clients;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_RECONFIGURATION_DISPATCHING_BROKER_H */
