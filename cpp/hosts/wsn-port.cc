/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/wsn-port.h"

#include "hosts/node-address.h"
#include "wsn/radio.h"

#include <utility>

namespace mftpubsub
{

NS_OBJECT_ENSURE_REGISTERED(WsnPort);

ns3::TypeId
WsnPort::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("mftpubsub::WsnPort").SetParent<DevicePort>().SetGroupName("mftpubsub");
    return tid;
}

WsnPort::WsnPort(ns3::Ptr<WsnNetDevice> device)
    : m_device(device),
      m_radio(m_device->GetRadio())
{
    m_device->TraceConnectWithoutContext("Transmit",
                                         ns3::MakeCallback(&WsnPort::Transmitted, this));
    m_device->TraceConnectWithoutContext("MacDrop", ns3::MakeCallback(&WsnPort::Dropped, this));
    m_device->TraceConnectWithoutContext("MacWait", ns3::MakeCallback(&WsnPort::Waited, this));
}

WsnPort::~WsnPort() = default;

void
WsnPort::DoDispose()
{
    m_device = nullptr;
    DevicePort::DoDispose();
}

ns3::Ptr<ns3::NetDevice>
WsnPort::GetDevice() const
{
    return m_device;
}

bool
WsnPort::Send(const ns3::Ptr<ns3::Packet>& frame, NodeId to, uint16_t protocol)
{
    return m_device->Send(frame, ToMacAddress(to), protocol);
}

void
WsnPort::SetReceiver(uint16_t protocol, Receiver receiver)
{
    if (!receiver)
    {
        m_device->SetDirectReceiveCallback(protocol, nullptr);
        return;
    }
    m_device->SetWantsSignalQuality(true);
    m_device->SetDirectReceiveCallback(
        protocol,
        [receiver = std::move(receiver)](const WsnFrame& frame, float rssiDbm) {
            receiver(frame.packet, rssiDbm);
        });
}

LinkTiming
WsnPort::GetTiming() const
{
    return {};
}

ns3::Time
WsnPort::GetAirTime(uint32_t bytesOnAir) const
{
    return m_device->GetRadio()->GetAirTime(bytesOnAir);
}

void
WsnPort::DoSetOn(bool on)
{
    m_device->SetOn(on);
}

void
WsnPort::SetAsleep(bool asleep)
{
    m_device->SetAsleep(asleep);
}

void
WsnPort::StartLate(ns3::Time start)
{
    m_device->SetAttribute("StartupOffset", ns3::TimeValue(start));
}

std::optional<double>
WsnPort::GetEnergyJoules()
{
    return m_radio->GetEnergy();
}

ns3::Time
WsnPort::GetStartTime()
{
    return m_device->GetStartTime();
}

void
WsnPort::Transmitted(ns3::Ptr<const ns3::Packet> frame,
                     uint16_t protocol,
                     ns3::Mac48Address to,
                     uint32_t bytesOnAir)
{
    m_transmit(frame, protocol, to, bytesOnAir);
}

void
WsnPort::Dropped(ns3::Ptr<const ns3::Packet> frame,
                 uint16_t protocol,
                 ns3::Mac48Address to,
                 uint32_t bytesOnAir)
{
    m_macDrop(frame, protocol, to, bytesOnAir);
}

void
WsnPort::Waited(ns3::Time wait)
{
    m_macWait(wait);
}

} // namespace mftpubsub
