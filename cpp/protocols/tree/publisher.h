/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_PUBLISHER_H
#define MFTPUBSUB_PROTOCOLS_TREE_PUBLISHER_H

#include "protocols/tree/broker.h"

#include <vector>

namespace mftpubsub
{

/**
 * The publisher's side of the protocols, as a state machine without I/O.
 *
 * Sends every event to its broker. Events that no broker has taken (there is none, or the transport
 * gave up) are kept, in order, until the next sign of one: the sources leave this to the client.
 */
class Publisher
{
  public:
    void Publish(const EventPtr& event, std::vector<Send>& sends);

    /// The overlay has chosen @p broker for this client.
    void Attached(NodeId broker, std::vector<Send>& sends);

    /// The overlay has lost sight of every broker.
    void Detached();

    /// The overlay has heard the present broker again.
    void BrokerAlive(std::vector<Send>& sends);

    /// The transport gave up on @p message.
    void DeliveryFailed(const Message& message);

    bool IsAttached() const;

    /// @return how many events no broker has taken yet
    size_t CountHeld() const;

  private:
    NodeId m_broker{NO_NODE};
    std::vector<EventPtr> m_held;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_PUBLISHER_H */
