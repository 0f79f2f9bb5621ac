/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_DISPATCHING_NETWORK_H
#define MFTPUBSUB_HOSTS_DISPATCHING_NETWORK_H

#include "hosts/event-hops.h"
#include "hosts/machine-timer.h"
#include "hosts/wire-rows.h"
#include "hosts/wired-links.h"
#include "protocols/reconfiguration/cost-ledger.h"
#include "protocols/reconfiguration/make-dispatcher.h"
#include "protocols/reconfiguration/table-check.h"
#include "protocols/reconfiguration/tree-maintenance.h"

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mftpubsub
{

/// What dispatchers are hosted on.
struct DispatchingOptions
{
    double subBits{1000};       //!< size of a SUB; any message's is its weight times this
    double unsubscribeAfter{0}; //!< s, T_u
    double subscribeAfter{0};   //!< s, T_s
};

/**
 * Dispatchers of the reconfiguration family on wired links and ns-3's scheduler, with the tree
 * maintenance that they rely on.
 *
 * Handling an input takes no time. What was sent carries what caused it: the reconfiguration of the
 * call, timer or message that its sender was answering.
 */
class DispatchingNetwork
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
    /// Told that a dispatcher has handled an input.
    using OnHandled = std::function<void(NodeId node)>;

    /// Tables are as built from scratch. @param wanted what the clients of each dispatcher want
    DispatchingNetwork(const reconfiguration::DispatcherFactory& make,
                       const reconfiguration::Forest& tree,
                       const std::vector<Patterns>& wanted,
                       DispatchingOptions options);

    void SetOnSend(OnSend onSend);
    void SetOnDelivery(OnDelivery onDelivery);
    void SetOnHandled(OnHandled onHandled);

    void Subscribe(NodeId node, Pattern pattern);
    void Unsubscribe(NodeId node, Pattern pattern);
    void Publish(NodeId node, const reconfiguration::PublicationPtr& publication);

    /// The link between @p one and @p other breaks. @throws std::invalid_argument if there is none
    void Break(ReconfigurationId id, NodeId one, NodeId other);

    /// The link between @p one and @p other comes up and replaces the one of @p id.
    /// @throws std::invalid_argument if it cannot
    void Replace(ReconfigurationId id, NodeId one, NodeId other);

    const reconfiguration::Dispatcher& GetDispatcher(NodeId node) const;

    /// @return whose patterns a dispatcher knows: its neighbours', its clients', those of ghosts
    Description DescribeTable(NodeId node) const;

    const reconfiguration::CostLedger& GetLedger() const;
    const EventHops& GetEventHops() const;

    /// @return what is wrong when nothing is under way (reconfiguration::FindFaults)
    std::vector<std::string> FindFaults() const;

  private:
    using Actions = reconfiguration::Actions;

    /// A message on its way.
    struct Packet
    {
        reconfiguration::Message message;
        ReconfigurationId cause{reconfiguration::NO_RECONFIGURATION};
        EventHops::Hop hop{EventHops::NONE}; //!< of an EVENT: this one
    };

    /// What a dispatcher is answering.
    struct Cause
    {
        ReconfigurationId reconfiguration{reconfiguration::NO_RECONFIGURATION};
        EventHops::Hop hop{EventHops::NONE};
    };

    void Tell(NodeId node, Cause cause, const reconfiguration::Dispatcher::Input& input);
    void Receive(NodeId to, NodeId from, const Packet& packet);
    void CarryOut(NodeId node, Cause cause, Actions& actions);
    void Transmit(NodeId node, Cause cause, reconfiguration::Send& send);

    DispatchingOptions m_options;
    OnSend m_onSend;
    OnDelivery m_onDelivery;
    OnHandled m_onHandled;
    std::vector<std::unique_ptr<reconfiguration::Dispatcher>> m_dispatchers;
    WiredLinks<Packet> m_links;
    reconfiguration::TreeMaintenance m_tree;
    std::deque<MachineTimer> m_timers; //!< of each dispatcher
    reconfiguration::CostLedger m_ledger;
    EventHops m_hops;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_DISPATCHING_NETWORK_H */
