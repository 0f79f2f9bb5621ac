/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_RECONFIGURATION_EVENT_FORWARDING_H
#define MFTPUBSUB_PROTOCOLS_RECONFIGURATION_EVENT_FORWARDING_H

#include "protocols/reconfiguration/dispatcher.h"

namespace mftpubsub::reconfiguration
{

/// Every event goes everywhere, no subscription anywhere (C V-C.4): the table holds LOCAL alone.
class EventForwarding : public Dispatcher
{
  public:
    using Dispatcher::Dispatcher;

    std::unique_ptr<Dispatcher> Clone() const override;
    bool HasRoutes() const override;

  protected:
    void LinkRemoved(NodeId neighbour, ReconfigurationId id, Actions& actions) override;
    void LinkAdded(NodeId neighbour, ReconfigurationId id, Actions& actions) override;
    void Receive(NodeId from, const Message& message, Actions& actions) override;
    void ClientSubscribe(Pattern pattern, Actions& actions) override;
    void ClientUnsubscribe(Pattern pattern, Actions& actions) override;
    void Publish(const PublicationPtr& publication, Actions& actions) override;
};

} // namespace mftpubsub::reconfiguration

#endif /* MFTPUBSUB_PROTOCOLS_RECONFIGURATION_EVENT_FORWARDING_H */
