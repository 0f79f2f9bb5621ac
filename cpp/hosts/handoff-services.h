/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_HANDOFF_SERVICES_H
#define MFTPUBSUB_HOSTS_HANDOFF_SERVICES_H

#include "content/event-log.h"
#include "protocols/handoff/radio-codec.h"

namespace mftpubsub
{

/// What a device does for the roles of a hand-off scheme on it.
class HandoffServices
{
  public:
    virtual ~HandoffServices() = default;

    // Over the radio, or to the other role on this device

    virtual void SendToBroker(NodeId broker, const handoff::RadioMessage& message) = 0;
    virtual void SendToClient(NodeId client, const handoff::RadioMessage& message) = 0;

    /// Ends the session with @p neighbour: what is under way fails.
    virtual void CloseSession(NodeId neighbour) = 0;

    /// The subscriber on this device says to @p broker that it is there, after another.
    virtual void Attached(NodeId broker) = 0;

    /// An event has reached the subscriber on this device.
    virtual void Delivered(const EventPtr& event, NodeId from, bool isDuplicate) = 0;

    virtual EventLog& GetLog() = 0;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_HANDOFF_SERVICES_H */
