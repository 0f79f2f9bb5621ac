/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_APPS_NODE_ADDRESS_H
#define MFTPUBSUB_APPS_NODE_ADDRESS_H

#include "pubsub/node-id.h"

#include "ns3/mac48-address.h"

namespace mftpubsub
{

/// @return the hardware address of node @p id, the broadcast address for NO_NODE
inline ns3::Mac48Address
ToMacAddress(NodeId id)
{
    if (id == NO_NODE)
    {
        return ns3::Mac48Address::GetBroadcast();
    }
    const auto number = id + 1; // address 0 is nobody's
    const uint8_t bytes[6] =
        {0x02, 0, 0, 0, static_cast<uint8_t>(number >> 8), static_cast<uint8_t>(number)};
    ns3::Mac48Address address;
    address.CopyFrom(bytes);
    return address;
}

/// @return the node of hardware address @p address, NO_NODE for the broadcast address
inline NodeId
ToNodeId(ns3::Mac48Address address)
{
    uint8_t bytes[6];
    address.CopyTo(bytes);
    return address.IsBroadcast() ? NO_NODE : static_cast<NodeId>((bytes[4] << 8 | bytes[5]) - 1);
}

} // namespace mftpubsub

#endif /* MFTPUBSUB_APPS_NODE_ADDRESS_H */
