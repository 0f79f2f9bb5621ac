/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_HANDOFF_BROKER_HOST_H
#define MFTPUBSUB_HOSTS_HANDOFF_BROKER_HOST_H

#include "hosts/backbone.h"
#include "hosts/handoff-services.h"

#include <map>
#include <memory>
#include <optional>

namespace mftpubsub
{

/**
 * The broker role of a fixed device under one of G's hand-off schemes: its machine between the
 * radio, where its clients are, and the wire, where the other brokers are.
 *
 * A client is gone when the transport gives it up: it is pinged when there is nothing to send. Or
 * another broker says that it is there: machines rely on that before they are asked for its events.
 */
class HandoffBrokerHost
{
  public:
    /// @param backbone and @param services outlive this
    /// @param carriesFilters whether the machine wants the filters at each connection
    /// @param afterwards called when something has come over the wire
    HandoffBrokerHost(NodeId self,
                      std::unique_ptr<handoff::Broker> machine,
                      bool carriesFilters,
                      Backbone& backbone,
                      HandoffServices& services,
                      const std::function<void()>& afterwards);

    /// A message of a client.
    void Receive(NodeId from, const handoff::RadioMessage& message);

    /// @p client has acknowledged a message.
    void Delivered(NodeId client);

    void SessionEnded(NodeId client);

    /// Pings those clients of whom nothing was heard since the last time.
    void Ping();

    std::optional<handoff::Instant> NextTimer() const;
    void Expire();

    size_t CountHeld() const;

    /// Tells the trace that @p cause has befallen what is here for clients that are away.
    void NoteHeld(LossCause cause) const;

  private:
    struct Client
    {
        handoff::Session session{0};
        bool isHeard{true}; //!< since the last ping
    };

    void Handle(NodeId from, const handoff::Reconnect& reconnect);
    void Handle(NodeId from, const handoff::Evack& evack);
    void Handle(NodeId from, const handoff::Pub& pub);
    void Handle(NodeId from, const handoff::AreYouThere& ping);

    void ReceiveWired(NodeId from, const handoff::Message& message);
    void Leave(NodeId client);
    void Tell(NodeId from, const handoff::Message& message);
    void Tell(const handoff::Broker::Input& input);
    void Execute(const handoff::Output& output);

    NodeId m_self;
    std::unique_ptr<handoff::Broker> m_machine;
    bool m_carriesFilters;
    Backbone& m_backbone;
    HandoffServices& m_services;
    std::map<NodeId, Client> m_clients; //!< that are connected
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_HANDOFF_BROKER_HOST_H */
