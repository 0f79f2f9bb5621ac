/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_WIRED_HOST_H
#define MFTPUBSUB_HOSTS_WIRED_HOST_H

#include "hosts/event-hops.h"
#include "hosts/wire-rows.h"
#include "protocols/reconfiguration/cost-ledger.h"
#include "protocols/reconfiguration/messages.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mftpubsub
{

/// What machines on wired links are hosted on.
struct DispatchingOptions
{
    double subBits{1000};       //!< size of a SUB; any message's is its weight times this
    double unsubscribeAfter{0}; //!< s, T_u
    double subscribeAfter{0};   //!< s, T_s
};

/**
 * Machines of one protocol on the wired tree of C's evaluation (WiredLinks), one at each node,
 * which a ReconfigurationWorld plays with: what happens to them, and what is counted of them.
 */
class WiredHost
{
  public:
    using ReconfigurationId = reconfiguration::ReconfigurationId;
    using Pattern = reconfiguration::Pattern;
    using Patterns = reconfiguration::Patterns;

    /// Told of the weight, in SUBs, and the name of each message sent.
    using OnSend =
        std::function<void(NodeId from, NodeId to, std::string_view kind, double weight)>;
    /// Told of each event that reaches clients who want it; copies too.
    using OnDelivery = std::function<void(NodeId node, uint32_t publication)>;
    /// Told that a machine has handled an input.
    using OnHandled = std::function<void(NodeId node)>;

    virtual ~WiredHost();

    WiredHost(const WiredHost&) = delete;
    WiredHost& operator=(const WiredHost&) = delete;

    void SetOnSend(OnSend onSend);
    void SetOnDelivery(OnDelivery onDelivery);
    void SetOnHandled(OnHandled onHandled);

    virtual void Subscribe(NodeId node, Pattern pattern) = 0;
    virtual void Unsubscribe(NodeId node, Pattern pattern) = 0;
    virtual void Publish(NodeId node, const reconfiguration::PublicationPtr& publication) = 0;

    /// The link between @p one and @p other breaks. @throws std::invalid_argument if there is none
    virtual void Break(ReconfigurationId id, NodeId one, NodeId other) = 0;

    /// The link between @p one and @p other comes up and replaces the one of @p id.
    /// @throws std::invalid_argument if it cannot
    virtual void Replace(ReconfigurationId id, NodeId one, NodeId other) = 0;

    /// @return what the machine of a node knows, in rows for people
    virtual Description DescribeTable(NodeId node) const = 0;

    /// @return what is wrong when nothing is under way
    virtual std::vector<std::string> FindFaults() const = 0;

    const reconfiguration::CostLedger& GetLedger() const;
    const EventHops& GetEventHops() const;

  protected:
    explicit WiredHost(DispatchingOptions options);

    const DispatchingOptions& GetOptions() const;

    // To whoever wants to be told

    void TellSend(NodeId from, NodeId to, std::string_view kind, double weight) const;
    void TellDelivery(NodeId node, uint32_t publication) const;
    void TellHandled(NodeId node) const;

    reconfiguration::CostLedger m_ledger;
    EventHops m_hops;

  private:
    DispatchingOptions m_options;
    OnSend m_onSend;
    OnDelivery m_onDelivery;
    OnHandled m_onHandled;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_WIRED_HOST_H */
