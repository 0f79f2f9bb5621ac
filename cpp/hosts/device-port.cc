/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/device-port.h"

#include "hosts/any-port.h"
#include "hosts/lr-wpan-port.h"
#include "hosts/wifi-port.h"
#include "hosts/wsn-port.h"

#include "ns3/channel.h"
#include "ns3/simulator.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace mftpubsub
{

NS_OBJECT_ENSURE_REGISTERED(DevicePort);

ns3::TypeId
DevicePort::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("mftpubsub::DevicePort")
            .SetParent<ns3::Object>()
            .SetGroupName("mftpubsub")
            .AddTraceSource("Transmit",
                            "A frame goes on the air",
                            ns3::MakeTraceSourceAccessor(&DevicePort::m_transmit),
                            "mftpubsub::DevicePort::FrameTracedCallback")
            .AddTraceSource("MacDrop",
                            "A frame was lost before it was on the air: a buffer was full, or the "
                            "device was switched off",
                            ns3::MakeTraceSourceAccessor(&DevicePort::m_macDrop),
                            "mftpubsub::DevicePort::FrameTracedCallback")
            .AddTraceSource("Acknowledged",
                            "The device at the other end has acknowledged a frame",
                            ns3::MakeTraceSourceAccessor(&DevicePort::m_acknowledged),
                            "mftpubsub::DevicePort::AckTracedCallback")
            .AddTraceSource("GivenUp",
                            "The device at the other end has not acknowledged a frame, however "
                            "often it was sent",
                            ns3::MakeTraceSourceAccessor(&DevicePort::m_givenUp),
                            "mftpubsub::DevicePort::AckTracedCallback")
            .AddTraceSource("MacWait",
                            "How long the frame that goes on the air now has been in the device; "
                            "before Transmit",
                            ns3::MakeTraceSourceAccessor(&DevicePort::m_macWait),
                            "mftpubsub::DevicePort::WaitTracedCallback");
    return tid;
}

namespace
{

/// @return the port that a device is given; null if it is none for our frames
ns3::Ptr<DevicePort>
MakePort(const ns3::Ptr<ns3::NetDevice>& device)
{
    if (const auto wsn = ns3::DynamicCast<WsnNetDevice>(device))
    {
        return ns3::CreateObject<WsnPort>(wsn);
    }
    if (const auto wifi = ns3::DynamicCast<ns3::WifiNetDevice>(device))
    {
        return ns3::CreateObject<WifiPort>(wifi);
    }
    if (const auto lrWpan = ns3::DynamicCast<ns3::lrwpan::LrWpanNetDevice>(device))
    {
        return ns3::CreateObject<LrWpanPort>(lrWpan);
    }
    // ns-3's loopback device, and those on top of others, have no channel
    return device->GetChannel() ? ns3::CreateObject<AnyPort>(device) : nullptr;
}

/// @return the port of @p node, which is that of the first of @p devices that can have one if there
/// is none yet
ns3::Ptr<DevicePort>
FindOrMakePort(ns3::Node& node, const std::vector<ns3::Ptr<ns3::NetDevice>>& devices)
{
    if (auto port = node.GetObject<DevicePort>())
    {
        return port;
    }
    for (const auto& device : devices)
    {
        if (const auto port = MakePort(device))
        {
            node.AggregateObject(port);
            return port;
        }
    }
    throw std::logic_error("node " + std::to_string(node.GetId()) + " has no device");
}

} // namespace

ns3::Ptr<DevicePort>
DevicePort::On(ns3::Node& node)
{
    std::vector<ns3::Ptr<ns3::NetDevice>> devices;
    for (uint32_t i = 0; i < node.GetNDevices(); ++i)
    {
        devices.push_back(node.GetDevice(i));
    }
    return FindOrMakePort(node, devices);
}

ns3::Ptr<DevicePort>
DevicePort::For(const ns3::Ptr<ns3::NetDevice>& device)
{
    return FindOrMakePort(*device->GetNode(), {device});
}

ns3::Time
DevicePort::GetAirTime(uint32_t bytesOnAir) const
{
    return ns3::NanoSeconds(GetTiming().AirTime(bytesOnAir).count());
}

uint16_t
DevicePort::GetMaxFrameBytes() const
{
    return GetDevice()->GetMtu();
}

bool
DevicePort::HasAcks() const
{
    return false;
}

std::optional<double>
DevicePort::GetEnergyJoules()
{
    return std::nullopt;
}

ns3::Time
DevicePort::GetStartTime()
{
    return m_start;
}

void
DevicePort::SetOn(bool on)
{
    m_starting.Cancel();
    DoSetOn(on);
}

void
DevicePort::StartLate(ns3::Time start)
{
    m_start = start;
    SetOn(false);
    m_starting = ns3::Simulator::Schedule(start, [port = ns3::Ptr(this)] { port->SetOn(true); });
}

} // namespace mftpubsub
