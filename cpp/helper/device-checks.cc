/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "helper/device-checks.h"

#include "helper/pubsub-application.h"
#include "hosts/any-port.h"
#include "hosts/device-port.h"
#include "hosts/device-type.h"
#include "hosts/lr-wpan-port.h"
#include "hosts/node-address.h"
#include "stacks/ip-protocols.h"
#include "wsn/wsn-net-device.h"

#include "ns3/channel.h"
#include "ns3/ipv4-address-generator.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/lr-wpan-net-device.h"
#include "ns3/mac48-address.h"
#include "ns3/mobility-model.h"
#include "ns3/net-device.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"
#include "ns3/yans-wifi-channel.h"

#include <cmath>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace mftpubsub
{

namespace
{

std::string
Describe(const ns3::NetDevice& device)
{
    return device.GetInstanceTypeId().GetName() + " of " + NameOf(*device.GetNode());
}

/// 802.15.4 makes addresses of 48 bits out of its own, once it has these.
bool
HasUsableAddress(const ns3::Ptr<ns3::NetDevice>& device)
{
    return ns3::DynamicCast<ns3::lrwpan::LrWpanNetDevice>(device) ||
           ns3::Mac48Address::IsMatchingType(device->GetAddress());
}

/// @return what has the same port and the same frames
std::string
KindOf(const ns3::Ptr<ns3::NetDevice>& device)
{
    return ns3::DynamicCast<ns3::WifiNetDevice>(device)             ? "Wi-Fi"
           : ns3::DynamicCast<ns3::lrwpan::LrWpanNetDevice>(device) ? "802.15.4"
           : ns3::DynamicCast<WsnNetDevice>(device) ? "CC2420"
                                                    : device->GetInstanceTypeId().GetName();
}

/// @return whether @p device is one that another PubSubHelper was given
bool
HasPubSub(const ns3::Ptr<ns3::NetDevice>& device)
{
    const auto node = device->GetNode();
    const auto port = node ? node->GetObject<DevicePort>() : nullptr;
    if (!port || port->GetDevice() != device)
    {
        return false;
    }
    for (uint32_t i = 0; i < node->GetNApplications(); ++i)
    {
        if (ns3::DynamicCast<PubSubApplication>(node->GetApplication(i)))
        {
            return true;
        }
    }
    return false;
}

/// @return what keeps @p device from sending when the simulation begins; empty if nothing
std::string
FindMissing(const ns3::Ptr<ns3::NetDevice>& device)
{
    const auto channel = device->GetChannel();
    if (channel && channel->GetNDevices() == 0)
    {
        return "has a channel that has ended; keep its helper until Simulator::Destroy";
    }
    if (ns3::DynamicCast<ns3::YansWifiChannel>(channel) &&
        !device->GetNode()->GetObject<ns3::MobilityModel>())
    {
        return "has no place; ns3::MobilityHelper gives its node a MobilityModel";
    }
    return "";
}

/// @return whether two devices on one channel may take each other's frames for theirs
bool
CanHear(const ns3::Ptr<ns3::NetDevice>& one, const ns3::Ptr<ns3::NetDevice>& other)
{
    if (KindOf(one) != KindOf(other))
    {
        return false;
    }
    const auto wifi = ns3::DynamicCast<ns3::WifiNetDevice>(one);
    if (!wifi)
    {
        return true;
    }
    const auto here = wifi->GetPhy();
    const auto there = ns3::DynamicCast<ns3::WifiNetDevice>(other)->GetPhy();
    const auto apart = std::abs(here->GetFrequency() - there->GetFrequency());
    return 2 * apart < here->GetChannelWidth() + there->GetChannelWidth();
}

/// @return the devices that other helpers have on the channels of @p devices
std::vector<ns3::Ptr<ns3::NetDevice>>
FindOthers(const ns3::NetDeviceContainer& devices)
{
    std::set<ns3::Ptr<ns3::Channel>> channels;
    for (auto device = devices.Begin(); device != devices.End(); ++device)
    {
        channels.insert((*device)->GetChannel());
    }
    channels.erase(nullptr);
    std::vector<ns3::Ptr<ns3::NetDevice>> others;
    for (const auto& channel : channels)
    {
        for (size_t i = 0; i < channel->GetNDevices(); ++i)
        {
            const auto other = channel->GetDevice(i);
            if (other && HasPubSub(other))
            {
                others.push_back(other);
            }
        }
    }
    return others;
}

/// In each network ids, and so addresses, begin anew, and a device hands its frames to one host.
void
CheckIsAlone(const ns3::NetDeviceContainer& devices)
{
    for (const auto& other : FindOthers(devices))
    {
        for (auto device = devices.Begin(); device != devices.End(); ++device)
        {
            if ((*device)->GetChannel() == other->GetChannel() && CanHear(*device, other))
            {
                throw std::logic_error("PubSubHelper::Install: another PubSubHelper has " +
                                       NameOf(*other->GetNode()) +
                                       " on this channel; a channel has one network");
            }
        }
    }
}

/// ARP does not know the addresses of 802.15.4, and its frames do not tell what they carry. An
/// AnyPort sees the frames that it sends itself, and none of IPv4's.
bool
CarriesIp(const ns3::Ptr<ns3::NetDevice>& device)
{
    if (ns3::DynamicCast<WsnNetDevice>(device) || ns3::DynamicCast<ns3::WifiNetDevice>(device))
    {
        return true;
    }
    const auto port = device->GetNode()->GetObject<DevicePort>();
    return port && !ns3::DynamicCast<LrWpanPort>(port) && !ns3::DynamicCast<AnyPort>(port);
}

/// @return whether @p device hears nothing but an access point, or is one
bool
HasAccessPoint(const ns3::Ptr<ns3::NetDevice>& device)
{
    const auto wifi = ns3::DynamicCast<ns3::WifiNetDevice>(device);
    const auto type = wifi ? wifi->GetMac()->GetTypeOfStation() : ns3::ADHOC_STA;
    return type == ns3::STA || type == ns3::AP;
}

/// @return what hinders hosts of @p protocol on @p device; empty if nothing
std::string
FindObstacle(const std::string& protocol, const ns3::Ptr<ns3::NetDevice>& device)
{
    const auto port = device->GetNode()->GetObject<DevicePort>();
    if (port && port->GetDevice() != device)
    {
        return "is not the device that a protocol uses there: a node has one such device";
    }
    if (!port && !device->GetChannel())
    {
        return "has no channel";
    }
    if (!port && !HasUsableAddress(device))
    {
        return "has no addresses of 48 bits";
    }
    if (HasAccessPoint(device))
    {
        return "has the MAC of a network with an access point; take ns3::AdhocWifiMac";
    }
    if (IsDevice(*device, "ns3::PointToPointNetDevice"))
    {
        return "carries IP only; take a CsmaNetDevice for a wire"; // by the numbers of PPP
    }
    if (FindIpProtocol(protocol) && !CarriesIp(device))
    {
        return "does not carry IPv4 here, over which " + protocol +
               " runs; take another protocol, a WifiNetDevice or a WsnNetDevice";
    }
    return "";
}

} // namespace

std::string
NameOf(const ns3::Node& node)
{
    return "node " + std::to_string(node.GetId());
}

void
CheckDevices(const std::string& protocol, const ns3::NetDeviceContainer& devices)
{
    if (devices.GetN() == 0 || devices.GetN() >= NO_NODE)
    {
        throw std::invalid_argument("PubSubHelper::Install: " + std::to_string(devices.GetN()) +
                                    " devices; there may be 1 to 65534");
    }
    std::set<uint32_t> nodes;
    for (auto device = devices.Begin(); device != devices.End(); ++device)
    {
        const auto node = (*device)->GetNode();
        if (!node)
        {
            throw std::invalid_argument("PubSubHelper::Install: a " +
                                        (*device)->GetInstanceTypeId().GetName() +
                                        " is on no node; Node::AddDevice puts it there");
        }
        if (!nodes.insert(node->GetId()).second)
        {
            throw std::invalid_argument("PubSubHelper::Install: two devices of " + NameOf(*node));
        }
        if (const auto obstacle = FindObstacle(protocol, *device); !obstacle.empty())
        {
            throw std::invalid_argument("PubSubHelper::Install: the " + Describe(**device) + " " +
                                        obstacle);
        }
        if (KindOf(*device) != KindOf(devices.Get(0)))
        {
            throw std::invalid_argument("PubSubHelper::Install: the " + Describe(**device) +
                                        " is of another kind than the " +
                                        Describe(*devices.Get(0)) +
                                        "; a network has devices of one kind");
        }
    }
    CheckIsAlone(devices);
}

void
CheckAddresses(const ns3::NetDeviceContainer& devices, const std::vector<ns3::Address>& addresses)
{
    for (uint32_t i = 0; i < devices.GetN(); ++i)
    {
        if (devices.Get(i)->GetAddress() != addresses[i])
        {
            throw std::logic_error("PubSubHelper: the address of the " + Describe(*devices.Get(i)) +
                                   " was changed after Install");
        }
    }
}

void
CheckCanSend(const ns3::NetDeviceContainer& devices)
{
    for (auto device = devices.Begin(); device != devices.End(); ++device)
    {
        if (const auto missing = FindMissing(*device); !missing.empty())
        {
            throw std::logic_error("PubSubHelper: the " + Describe(**device) + " " + missing);
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
        if (nodes.Get(id)->GetObject<ns3::Ipv4>() || nodes.Get(id)->GetObject<ns3::Ipv6>())
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
