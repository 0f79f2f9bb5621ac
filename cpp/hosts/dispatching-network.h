/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_DISPATCHING_NETWORK_H
#define MFTPUBSUB_HOSTS_DISPATCHING_NETWORK_H

#include "hosts/machine-timer.h"
#include "hosts/wired-host.h"
#include "hosts/wired-links.h"
#include "protocols/reconfiguration/make-dispatcher.h"
#include "protocols/reconfiguration/table-check.h"
#include "protocols/reconfiguration/tree-maintenance.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace mftpubsub
{

/**
 * Dispatchers of the reconfiguration family on wired links and ns-3's scheduler, with the tree
 * maintenance that they rely on.
 *
 * Handling an input takes no time. What was sent carries what caused it: the reconfiguration of the
 * call, timer or message that its sender was answering.
 */
class DispatchingNetwork final : public WiredHost
{
  public:
    /// Tables are as built from scratch. @param wanted what the clients of each dispatcher want
    DispatchingNetwork(const reconfiguration::DispatcherFactory& make,
                       const reconfiguration::Forest& tree,
                       const std::vector<Patterns>& wanted,
                       DispatchingOptions options);

    void Subscribe(NodeId node, Pattern pattern) override;
    void Unsubscribe(NodeId node, Pattern pattern) override;
    void Publish(NodeId node, const reconfiguration::PublicationPtr& publication) override;
    void Break(ReconfigurationId id, NodeId one, NodeId other) override;
    void Replace(ReconfigurationId id, NodeId one, NodeId other) override;

    const reconfiguration::Dispatcher& GetDispatcher(NodeId node) const;

    /// @return whose patterns a dispatcher knows: its neighbours', its clients', those of ghosts
    Description DescribeTable(NodeId node) const override;

    /// @return reconfiguration::FindFaults
    std::vector<std::string> FindFaults() const override;

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

    std::vector<std::unique_ptr<reconfiguration::Dispatcher>> m_dispatchers;
    WiredLinks<Packet> m_links;
    reconfiguration::TreeMaintenance m_tree;
    std::deque<MachineTimer> m_timers; //!< of each dispatcher
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_DISPATCHING_NETWORK_H */
