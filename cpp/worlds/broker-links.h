/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WORLDS_BROKER_LINKS_H
#define MFTPUBSUB_WORLDS_BROKER_LINKS_H

#include "protocols/handoff/broker.h"
#include "protocols/handoff/tree.h"
#include "worlds/handoff-scenario.h"

#include "ns3/nstime.h"

#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace mftpubsub
{

/// @return whether @p message brings events, or their acknowledgement, to or from subscribers as
/// they come, and is none of a hand-off
bool IsTraffic(const handoff::Message& message);

/**
 * Links between the brokers of a hand-off scenario, first in first out. Events of a hand-off leave
 * a broker one after the other, and what carries none does not wait for those that do.
 */
class BrokerLinks
{
  public:
    /// Takes a message of @p origin that has come to its end.
    using Receiver = std::function<void(NodeId to, NodeId origin, const handoff::Message& message)>;

    /// @param routes whether messages take the links of @p tree, hop by hop
    BrokerLinks(const HandoffScenario& scenario,
                std::shared_ptr<const handoff::Tree> tree,
                bool routes,
                Receiver receiver);

    void Send(NodeId from, const handoff::Send& send);

    /// @return links of the tree between the two
    uint64_t CountHops(NodeId from, NodeId to) const;

  private:
    /// @return when @p message, of a hand-off, has left @p from
    ns3::Time Leave(NodeId from, const handoff::Message& message);
    void Relay(NodeId from, NodeId origin, const handoff::Send& send, ns3::Time leaves);

    ns3::Time m_delay;
    ns3::Time m_transferTime; //!< of an event
    std::shared_ptr<const handoff::Tree> m_tree;
    bool m_routes;
    Receiver m_receiver;
    std::vector<ns3::Time> m_busyUntil; //!< a broker's way out for events
    //! FIFO between two brokers, by whether events are in it: what has none does not wait for those
    std::map<std::tuple<NodeId, NodeId, bool>, ns3::Time> m_lastArrival;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WORLDS_BROKER_LINKS_H */
