/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_BACKBONE_H
#define MFTPUBSUB_HOSTS_BACKBONE_H

#include "content/event-set.h"
#include "protocols/handoff/broker.h"

#include "ns3/nstime.h"

#include <functional>
#include <map>
#include <optional>

namespace mftpubsub
{

/**
 * The wire between fixed brokers, as G has it: one switch (handoff.md section 1). What is sent
 * arrives after a delay, in the order of sending, and never fails; nothing of it is on the air. An
 * event is flooded: every broker gets it once, all of them in one order.
 *
 * It knows where each client is, as a switch learns the ports of stations and as IEEE 802.11F tells
 * access points of each other's: what a client names as its old broker may never have heard it.
 *
 * It must outlive what it has scheduled.
 */
class Backbone
{
  public:
    /// Takes a message of @p from, a broker; an event is nobody's.
    using Receiver = std::function<void(NodeId from, const handoff::Message& message)>;

    explicit Backbone(ns3::Time delay);

    void Join(NodeId broker, Receiver receiver);

    void Send(NodeId from, const handoff::Send& send);

    /// Floods @p event, unless it has been.
    void Publish(const EventPtr& event);

    /// @p client is at @p broker from now on. @return the broker where it was, NO_NODE if nowhere
    NodeId Register(NodeId client, NodeId broker);

  private:
    ns3::Time m_delay;
    std::map<NodeId, Receiver> m_receivers; //!< by broker
    std::map<NodeId, NodeId> m_brokers;     //!< by client
    EventSet m_published;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_BACKBONE_H */
