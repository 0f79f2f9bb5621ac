/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What ns3::NetDevice asks of every device, and this one answers in a line.
 */
#include "wsn/wireless-channel.h"
#include "wsn/wsn-net-device.h"

namespace mftpubsub
{

void
WsnNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
WsnNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

ns3::Ptr<ns3::Channel>
WsnNetDevice::GetChannel() const
{
    return m_channel;
}

void
WsnNetDevice::SetAddress(ns3::Address address)
{
    m_address = ns3::Mac48Address::ConvertFrom(address);
}

ns3::Address
WsnNetDevice::GetAddress() const
{
    return m_address;
}

uint16_t
WsnNetDevice::GetMtu() const
{
    return m_mtu;
}

bool
WsnNetDevice::IsLinkUp() const
{
    return m_channel != nullptr && m_isOn;
}

void
WsnNetDevice::AddLinkChangeCallback(ns3::Callback<void> /* callback */)
{
    // The link is up from the beginning to the end.
}

bool
WsnNetDevice::IsBroadcast() const
{
    return true;
}

ns3::Address
WsnNetDevice::GetBroadcast() const
{
    return ns3::Mac48Address::GetBroadcast();
}

bool
WsnNetDevice::IsMulticast() const
{
    return true;
}

ns3::Address
WsnNetDevice::GetMulticast(ns3::Ipv4Address multicastGroup) const
{
    return ns3::Mac48Address::GetMulticast(multicastGroup);
}

ns3::Address
WsnNetDevice::GetMulticast(ns3::Ipv6Address addr) const
{
    return ns3::Mac48Address::GetMulticast(addr);
}

bool
WsnNetDevice::IsBridge() const
{
    return false;
}

bool
WsnNetDevice::IsPointToPoint() const
{
    return false;
}

} // namespace mftpubsub
