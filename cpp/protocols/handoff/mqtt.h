/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_MQTT_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_MQTT_H

#include "protocols/handoff/tree-broker.h"

namespace mftpubsub::handoff
{

/**
 * MQTT brokers in a bridge: a client connects to any of those that
 * it knows, and subscribes again. A clean session ends with its connection; another is kept, with
 * what matches, until the client is back or `sessionExpiry` has passed, and no broker knows of the
 * others'.
 */
class Mqtt : public TreeBroker
{
  public:
    Mqtt(NodeId self, const Options& options, bool isClean);

    std::optional<Instant> NextTimer() const override;

    using TreeBroker::Handle;
    void Handle(Instant now, NodeId from, const Reconnect& reconnect, Output& output);
    void Handle(Instant now, NodeId from, const TreeSub& sub, Output& output);
    void Handle(Instant now, NodeId from, const TreeUns& uns, Output& output);

  protected:
    void Receive(Instant now, NodeId from, const Message& message, Output& output) override;
    void LinkDown(Instant now, NodeId client, Output& output) override;
    void Expire(Instant now, Output& output) override;

    void Arrive(Place& place, const Reconnect& reconnect, Output& output) override;

  private:
    void Spread(NodeId subscriber, Place& place, Output& output) override;
    void Withdraw(NodeId subscriber, Place& place, Output& output) override;

    bool m_isClean;
    std::map<NodeId, Instant> m_expiries; //!< by client that is away
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_MQTT_H */
