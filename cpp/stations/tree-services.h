/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_STATIONS_TREE_SERVICES_H
#define MFTPUBSUB_STATIONS_TREE_SERVICES_H

#include "content/event-log.h"
#include "overlay/heartbeat.h"
#include "protocols/tree/broker.h"

#include <string_view>
#include <vector>

namespace mftpubsub
{

/// A message of a role that the transport has not brought to its neighbour.
struct FailedSend
{
    Send send;
    uint32_t failures{0}; //!< times that the transport has given it up, this one included
};

/// What a device does for the roles on it.
class TreeServices
{
  public:
    virtual ~TreeServices() = default;

    /// Sends what a broker, or a client, has answered: over the radio, or to a role on this device.
    virtual void SendAll(const std::vector<Send>& sends, bool isFromBroker) = 0;

    /// Sends a failed message once more.
    virtual void SendAgain(const FailedSend& failed) = 0;

    virtual void BroadcastHeartbeat(const Heartbeat& heartbeat) = 0;

    /// Ends the session with @p neighbour: what is under way fails.
    virtual void CloseSession(NodeId neighbour) = 0;

    /// Roles have attached to @p parent; @p kind: by which message they said so, empty if by none.
    virtual void Attached(NodeId parent, std::string_view kind) = 0;

    /// An event has reached the subscriber on this device.
    virtual void Delivered(const EventPtr& event, NodeId from, uint8_t hops, bool isDuplicate) = 0;

    virtual EventLog& GetLog() = 0;
};

/// @return whether a message called @p name is among @p sends
inline bool
Sends(const std::vector<Send>& sends, std::string_view name)
{
    for (const auto& send : sends)
    {
        if (GetName(send.message) == name)
        {
            return true;
        }
    }
    return false;
}

} // namespace mftpubsub

#endif /* MFTPUBSUB_STATIONS_TREE_SERVICES_H */
