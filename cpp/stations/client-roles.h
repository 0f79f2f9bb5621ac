/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_STATIONS_CLIENT_ROLES_H
#define MFTPUBSUB_STATIONS_CLIENT_ROLES_H

#include "policies/policies.h"
#include "protocols/tree/publisher.h"
#include "protocols/tree/subscriber.h"
#include "session/session.h"
#include "stations/tree-services.h"

#include <memory>
#include <optional>
#include <vector>

namespace mftpubsub
{

/// The client roles of a device, which are attached to one broker together: whoever says to which.
class ClientRoles
{
  public:
    /// @param describe this device, for the policy
    /// @param services of the device, which outlive this
    ClientRoles(std::optional<Subscriber> subscriber,
                std::optional<Publisher> publisher,
                std::shared_ptr<FailurePolicy> failure,
                NodeDescriber describe,
                TreeServices& services);

    void Publish(const EventPtr& event);
    void Subscribe(const Filter& filter);
    void Unsubscribe(const Filter& filter);

    /// @p broker serves this device from now on, or has to be told anew.
    void Attach(NodeId broker);

    /// No broker does.
    void Detach();

    /// The present broker has been heard again.
    void BrokerAlive();

    /// A message of a broker.
    void Receive(NodeId from, const Message& message);

    /// The transport could not bring @p send to its broker.
    void DeliveryFailed(const Send& send);

    void SessionEnded(NodeId neighbour, SessionEnd why, const std::vector<FailedSend>& failed);

    /// @return the subscriber; none without its role
    const Subscriber* GetSubscriber() const;

    /// @return the subscriber, as on stable storage: this is over
    std::optional<Subscriber> TakeSubscriber();

  private:
    void Execute(const SubscriberOutput& output);

    std::optional<Subscriber> m_subscriber;
    std::optional<Publisher> m_publisher;
    std::shared_ptr<FailurePolicy> m_failure;
    NodeDescriber m_describe;
    TreeServices& m_services;
    NodeId m_broker{NO_NODE};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_STATIONS_CLIENT_ROLES_H */
