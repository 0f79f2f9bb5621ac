/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_EMMA_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_EMMA_H

#include "protocols/handoff/mqtt.h"

namespace mftpubsub::handoff
{

/**
 * Brokers of EMMA (Rausch et al. 2018): clean MQTT sessions, of
 * which a client that a controller redirects has two for a while: make before break.
 *
 * The old session ends by DISCONNECT, which follows the new one's SUB along the tree, so that no
 * broker forgets the old way before it knows the new one (ours: EMMA's gateway sends it when the
 * new broker has acknowledged, and bridges are set by the controller).
 */
class Emma : public Mqtt
{
  public:
    Emma(NodeId self, const Options& options);

    using Mqtt::Handle;
    void Handle(Instant now, NodeId from, const Disconnect& disconnect, Output& output);

  protected:
    void Receive(Instant now, NodeId from, const Message& message, Output& output) override;

  private:
    void Arrive(Place& place, const Reconnect& reconnect, Output& output) override;
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_EMMA_H */
