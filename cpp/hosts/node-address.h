/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_NODE_ADDRESS_H
#define MFTPUBSUB_HOSTS_NODE_ADDRESS_H

#include "content/node-id.h"

#include "ns3/ipv4-address.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"

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

/// Gives @p device the hardware address of node @p id, before anything is sent.
void GiveAddress(ns3::NetDevice& device, NodeId id);

/// Network of all nodes' IPv4 addresses.
inline constexpr uint32_t IPV4_NETWORK = 10U << 24;

/// @return the IPv4 address of node @p id, 10.0.0.1 for node 0
inline ns3::Ipv4Address
ToIpv4Address(NodeId id)
{
    return ns3::Ipv4Address(IPV4_NETWORK + id + 1);
}

/// @return the node of IPv4 address @p address
inline NodeId
ToNodeId(ns3::Ipv4Address address)
{
    return static_cast<NodeId>(address.Get() - IPV4_NETWORK - 1);
}

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_NODE_ADDRESS_H */
