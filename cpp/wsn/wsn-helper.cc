/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/wsn-helper.h"

#include "wsn/radio.h"
#include "wsn/wsn-net-device.h"

#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/mac48-address.h"
#include "ns3/node.h"
#include "ns3/pcap-file-wrapper.h"

#include <fstream>
#include <stdexcept>

namespace mftpubsub
{

namespace
{

/// LINKTYPE_ETHERNET of pcap files; ns-3 has changed what it calls it.
constexpr auto ETHERNET_LINK = static_cast<ns3::PcapHelper::DataLinkType>(1);

ns3::Mac48Address
AddressOf(uint32_t nodeId)
{
    const uint32_t number = nodeId + 1;
    const uint8_t bytes[6] = {0x02,
                              0,
                              static_cast<uint8_t>(number >> 24),
                              static_cast<uint8_t>(number >> 16),
                              static_cast<uint8_t>(number >> 8),
                              static_cast<uint8_t>(number)};
    ns3::Mac48Address address;
    address.CopyFrom(bytes);
    return address;
}

} // namespace

ns3::Ptr<WirelessChannel>
WsnHelper::CreateStaticChannel(double sigma, double bidirectionalSigma)
{
    if (sigma < 0 || bidirectionalSigma < 0)
    {
        throw std::invalid_argument("WsnHelper: a standard deviation cannot be negative");
    }
    auto channel = ns3::CreateObject<WirelessChannel>();
    channel->SetAttribute("Sigma", ns3::DoubleValue(sigma));
    channel->SetAttribute("BidirectionalSigma", ns3::DoubleValue(bidirectionalSigma));
    return channel;
}

ns3::Ptr<WirelessChannel>
WsnHelper::CreateMobileChannel(double fieldX,
                               double fieldY,
                               double sigma,
                               double bidirectionalSigma)
{
    if (!(fieldX > 0) || !(fieldY > 0))
    {
        throw std::invalid_argument("WsnHelper: the field is " + std::to_string(fieldX) + " m x " +
                                    std::to_string(fieldY) + " m");
    }
    auto channel = CreateStaticChannel(sigma, bidirectionalSigma);
    channel->SetAttribute("Mode", ns3::EnumValue(WirelessChannel::MOBILE));
    channel->SetAttribute("FieldX", ns3::DoubleValue(fieldX));
    channel->SetAttribute("FieldY", ns3::DoubleValue(fieldY));
    return channel;
}

void
WsnHelper::SetTxPower(double dbm)
{
    ns3::CreateObject<Radio>()->SetTxPower(dbm); // throws if unlisted
    m_txPowerDbm = dbm;
}

void
WsnHelper::SetCcaThreshold(double dbm)
{
    m_ccaThresholdDbm = dbm;
}

void
WsnHelper::SetPerfectClocks(bool perfect)
{
    m_perfectClocks = perfect;
}

ns3::NetDeviceContainer
WsnHelper::Install(const ns3::NodeContainer& nodes, ns3::Ptr<WirelessChannel> channel) const
{
    ns3::NetDeviceContainer devices;
    for (auto it = nodes.Begin(); it != nodes.End(); ++it)
    {
        const ns3::Ptr<ns3::Node> node = *it;
        auto device = ns3::CreateObject<WsnNetDevice>();
        device->SetAddress(AddressOf(node->GetId()));
        device->GetRadio()->SetTxPower(m_txPowerDbm);
        device->GetRadio()->SetAttribute("CcaThreshold", ns3::DoubleValue(m_ccaThresholdDbm));
        if (m_perfectClocks)
        {
            device->SetAttribute("StartupWindow", ns3::TimeValue(ns3::Time(0)));
            device->SetAttribute("ClockDriftSigma", ns3::DoubleValue(0.0));
        }
        node->AddDevice(device);
        device->SetChannel(channel);
        devices.Add(device);
    }
    return devices;
}

int64_t
WsnHelper::AssignStreams(const ns3::NetDeviceContainer& devices, int64_t first)
{
    int64_t stream = first;
    for (uint32_t i = 0; i < devices.GetN(); ++i)
    {
        if (auto device = ns3::DynamicCast<WsnNetDevice>(devices.Get(i)))
        {
            stream += device->AssignStreams(stream);
        }
    }
    return stream - first;
}

void
WsnHelper::EnablePcapInternal(std::string prefix,
                              ns3::Ptr<ns3::NetDevice> device,
                              bool promiscuous,
                              bool explicitFilename)
{
    const auto wsn = ns3::DynamicCast<WsnNetDevice>(device);
    if (!wsn)
    {
        return; // EnablePcapAll asks every helper about every device
    }
    ns3::PcapHelper pcap;
    const auto name = explicitFilename ? prefix : pcap.GetFilenameFromDevice(prefix, wsn);
    if (!std::ofstream(name)) // ns-3 would abort
    {
        throw std::runtime_error("WsnHelper: cannot write " + name);
    }
    pcap.HookDefaultSink(wsn,
                         promiscuous ? "PromiscSniffer" : "Sniffer",
                         pcap.CreateFile(name, std::ios::out, ETHERNET_LINK));
}

} // namespace mftpubsub
