/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "helper/device-checks.h"

#include "hosts/any-port.h"
#include "stacks/ip-protocols.h"

#include "ns3/lr-wpan-net-device.h"

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

} // namespace mftpubsub
