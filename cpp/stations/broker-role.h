/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_STATIONS_BROKER_ROLE_H
#define MFTPUBSUB_STATIONS_BROKER_ROLE_H

#include "overlay/broker-overlay.h"
#include "session/session.h"
#include "stations/tree-services.h"

#include <memory>
#include <optional>
#include <vector>

namespace mftpubsub
{

/**
 * The broker role of a device: its machine, and the overlay that says who its neighbours are.
 *
 * A link of the machine is a session with a tree neighbour: when the overlay lets go of one its
 * session is closed, and when a session with one is over the machine's link begins anew.
 */
class BrokerRole
{
  public:
    /// @param services of the device, which outlive this
    BrokerRole(NodeId self,
               BrokerOverlay overlay,
               std::unique_ptr<Broker> machine,
               std::shared_ptr<FailurePolicy> failure,
               TreeServices& services);

    void Start(Instant now);

    void ReceiveHeartbeat(Instant now, NodeId from, const Heartbeat& heartbeat, double rssiDbm);

    /// A message of another device, or of a client on this one.
    void Receive(Instant now, NodeId from, const Message& message);

    /// @p neighbour has acknowledged a message.
    void Alive(Instant now, NodeId neighbour);

    void SessionEnded(Instant now,
                      NodeId neighbour,
                      SessionEnd why,
                      const std::vector<FailedSend>& failed);

    void Expire(Instant now);
    Instant NextTimer() const;

    const BrokerOverlay& GetOverlay() const;
    const Broker& GetMachine() const;

  private:
    void NoteChild(Instant now, NodeId from, const Message& message);
    void Execute(Instant now, const OverlayOutput& output);
    void Migrate(Instant now, const ParentChange& change);
    void Execute(const BrokerOutput& output);

    NodeId m_self;
    BrokerOverlay m_overlay;
    std::unique_ptr<Broker> m_machine;
    std::shared_ptr<FailurePolicy> m_failure;
    TreeServices& m_services;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_STATIONS_BROKER_ROLE_H */
