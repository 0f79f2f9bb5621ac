/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "helper/device-checks.h"

#include "hosts/any-port.h"
#include "hosts/node-address.h"
#include "stacks/ip-protocols.h"

#include "ns3/ipv4-address-generator.h"
#include "ns3/ipv4.h"
#include "ns3/lr-wpan-net-device.h"

#include <sstream>
#include <stdexcept>

namespace mftpubsub
{

std::string
NameOf(const ns3::Node& node)
{
    return "node " + std::to_string(node.GetId());
}

ns3::Ptr<DevicePort>
FindPort(const ns3::Ptr<ns3::NetDevice>& device)
{
    ns3::Ptr<DevicePort> port;
    try
    {
        port = DevicePort::On(*device->GetNode());
    }
    catch (const std::logic_error&)
    {
    }
    if (!port || port->GetDevice() != device)
    {
        throw std::invalid_argument(
            "PubSubHelper::Install: the " + device->GetInstanceTypeId().GetName() + " of " +
            NameOf(*device->GetNode()) + " is not the device that a protocol uses there");
    }
    return port;
}

/// ARP does not know the addresses of 802.15.4, and its frames do not tell what they carry. An
/// AnyPort sees the frames that it sends itself, and none of IPv4's.
void
CheckCarriesIp(const std::string& protocol, const ns3::NetDeviceContainer& devices)
{
    if (!FindIpProtocol(protocol))
    {
        return;
    }
    for (auto device = devices.Begin(); device != devices.End(); ++device)
    {
        if (ns3::DynamicCast<ns3::lrwpan::LrWpanNetDevice>(*device) ||
            ns3::DynamicCast<AnyPort>(FindPort(*device)))
        {
            throw std::invalid_argument(
                "PubSubHelper::Install: '" + protocol + "' runs over IPv4, which the " +
                (*device)->GetInstanceTypeId().GetName() + " of " + NameOf(*(*device)->GetNode()) +
                " does not carry here; take another protocol, a WifiNetDevice or a WsnNetDevice");
        }
    }
}

void
CheckTakeInternet(const std::string& protocol, const ns3::NodeContainer& nodes)
{
    if (!FindIpProtocol(protocol))
    {
        return;
    }
    for (NodeId id = 0; id < nodes.GetN(); ++id)
    {
        const auto name = NameOf(*nodes.Get(id));
        if (nodes.Get(id)->GetObject<ns3::Ipv4>())
        {
            throw std::logic_error("PubSubHelper: " + name +
                                   " has an Internet stack already, and " + protocol +
                                   " brings its own");
        }
        if (ns3::Ipv4AddressGenerator::IsAddressAllocated(ToIpv4Address(id)))
        {
            std::ostringstream text;
            text << "PubSubHelper: the address " << ToIpv4Address(id) << " is taken, and "
                 << protocol << " gives it to " << name;
            throw std::logic_error(text.str());
        }
    }
}

} // namespace mftpubsub
