/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_HANDOFF_CLIENT_HOST_H
#define MFTPUBSUB_HOSTS_HANDOFF_CLIENT_HOST_H

#include "hosts/handoff-services.h"
#include "protocols/handoff/client.h"
#include "protocols/handoff/publisher.h"
#include "session/session.h"

#include <optional>
#include <vector>

namespace mftpubsub
{

/// The client roles of a device under a hand-off scheme: at one broker together, whoever says at
/// which.
class HandoffClientHost
{
  public:
    /// @param services of the device, which outlive this
    /// @param queueBytes bound of what a publisher without a broker keeps
    HandoffClientHost(NodeId self,
                      uint8_t roles,
                      const handoff::ClientOptions& options,
                      uint64_t queueBytes,
                      HandoffServices& services);

    /// The application subscribes, before the device has started.
    void Subscribe(const Filter& filter);

    void Publish(const EventPtr& event);

    /// @p broker serves this device from now on.
    void Attach(NodeId broker);

    /// No broker does.
    void Detach();

    /// The present broker has been heard again.
    void BrokerAlive();

    void Receive(NodeId from, const handoff::RadioMessage& message);

    /// The broker has acknowledged @p message.
    void Delivered(const handoff::RadioMessage& message);

    void SessionEnded(NodeId broker,
                      SessionEnd why,
                      const std::vector<handoff::RadioMessage>& failed);

  private:
    void Connect();
    handoff::Reconnect MakeReconnect();

    NodeId m_self;
    bool m_isSubscriber;
    HandoffServices& m_services;
    std::vector<Filter> m_filters;
    handoff::Client m_client;
    handoff::Publisher m_publisher;
    NodeId m_broker{NO_NODE};
    bool m_hasSubscribed{false}; //!< has sent its filters
    bool m_isKnown{false};       //!< and a broker has acknowledged them
    bool m_isConnected{false};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_HANDOFF_CLIENT_HOST_H */
