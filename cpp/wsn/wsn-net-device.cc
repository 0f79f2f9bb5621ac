/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/wsn-net-device.h"

#include "wsn/csma-mac.h"
#include "wsn/radio.h"
#include "wsn/wireless-channel.h"

#include "ns3/double.h"
#include "ns3/ethernet-header.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace mftpubsub
{

NS_LOG_COMPONENT_DEFINE("WsnNetDevice");

NS_OBJECT_ENSURE_REGISTERED(WsnNetDevice);

namespace
{

constexpr uint16_t MAX_MTU = WSN_MAX_FRAME - WSN_MAC_OVERHEAD - WSN_PHY_OVERHEAD;

} // namespace

ns3::TypeId
WsnNetDevice::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("mftpubsub::WsnNetDevice")
            .SetParent<ns3::NetDevice>()
            .SetGroupName("Mftpubsub")
            .AddConstructor<WsnNetDevice>()
            .AddAttribute("Radio",
                          "The radio",
                          ns3::PointerValue(),
                          ns3::MakePointerAccessor(&WsnNetDevice::m_radio),
                          ns3::MakePointerChecker<Radio>())
            .AddAttribute("Mac",
                          "The MAC",
                          ns3::PointerValue(),
                          ns3::MakePointerAccessor(&WsnNetDevice::m_mac),
                          ns3::MakePointerChecker<CsmaMac>())
            .AddAttribute("StartupOffset",
                          "The node starts this late at least",
                          ns3::TimeValue(ns3::Time(0)),
                          ns3::MakeTimeAccessor(&WsnNetDevice::m_startupOffset),
                          ns3::MakeTimeChecker(ns3::Time(0)))
            .AddAttribute("StartupWindow",
                          "The node starts U(0, 1) times this later",
                          ns3::TimeValue(ns3::MilliSeconds(50)),
                          ns3::MakeTimeAccessor(&WsnNetDevice::m_startupWindow),
                          ns3::MakeTimeChecker(ns3::Time(0)))
            .AddAttribute("ClockDriftSigma",
                          "Standard deviation of the clock drift, clipped at three times this",
                          ns3::DoubleValue(3e-5),
                          ns3::MakeDoubleAccessor(&WsnNetDevice::m_driftSigma),
                          ns3::MakeDoubleChecker<double>(0.0, 0.1))
            .AddTraceSource("Transmit",
                            "A frame goes on the air",
                            ns3::MakeTraceSourceAccessor(&WsnNetDevice::m_transmit),
                            "mftpubsub::WsnNetDevice::FrameTracedCallback")
            .AddTraceSource("MacWait",
                            "How long the frame that goes on the air now has been in the MAC and "
                            "the radio's buffer; before Transmit",
                            ns3::MakeTraceSourceAccessor(&WsnNetDevice::m_macWait),
                            "mftpubsub::WsnNetDevice::WaitTracedCallback")
            .AddTraceSource("MacDrop",
                            "A frame was lost: a buffer was full, or the node was switched off",
                            ns3::MakeTraceSourceAccessor(&WsnNetDevice::m_macDrop),
                            "mftpubsub::WsnNetDevice::FrameTracedCallback")
            .AddTraceSource("Sniffer",
                            "A frame, with an Ethernet header, that this node sends or that was "
                            "received and is for it",
                            ns3::MakeTraceSourceAccessor(&WsnNetDevice::m_sniffer),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PromiscSniffer",
                            "A frame, with an Ethernet header, that this node sends or receives, "
                            "whoever it is for",
                            ns3::MakeTraceSourceAccessor(&WsnNetDevice::m_promiscSniffer),
                            "ns3::Packet::TracedCallback");
    return tid;
}

WsnNetDevice::WsnNetDevice()
    : m_radio(ns3::CreateObject<Radio>()),
      m_mac(ns3::CreateObject<CsmaMac>()),
      m_mtu(MAX_MTU),
      m_driftDraw(ns3::CreateObject<ns3::NormalRandomVariable>()),
      m_startDraw(ns3::CreateObject<ns3::UniformRandomVariable>())
{
}

WsnNetDevice::~WsnNetDevice() = default;

ns3::Ptr<WsnNetDevice>
WsnNetDevice::On(const ns3::Node& node)
{
    for (uint32_t i = 0; i < node.GetNDevices(); ++i)
    {
        if (auto device = ns3::DynamicCast<WsnNetDevice>(node.GetDevice(i)))
        {
            return device;
        }
    }
    return nullptr;
}

void
WsnNetDevice::DoInitialize()
{
    Start();
    if (m_channel)
    {
        m_channel->Initialize();
    }
    m_radio->Initialize();
    m_mac->Initialize();
    ns3::NetDevice::DoInitialize();
}

void
WsnNetDevice::DoDispose()
{
    m_mac->Dispose();
    m_radio->Dispose();
    m_channel = nullptr;
    m_node = nullptr;
    m_upcalls.receive.Nullify();
    m_upcalls.promisc.Nullify();
    m_upcalls.direct = nullptr;
    ns3::NetDevice::DoDispose();
}

void
WsnNetDevice::SetChannel(ns3::Ptr<WirelessChannel> channel)
{
    if (m_channel)
    {
        throw std::logic_error("WsnNetDevice: already in a channel");
    }
    m_channel = channel;
    m_channelIndex = channel->Attach(this);
    m_radio->Connect(ns3::PeekPointer(channel), m_channelIndex, this);
    m_mac->Connect(ns3::PeekPointer(m_radio), this);
}

ns3::Ptr<Radio>
WsnNetDevice::GetRadio() const
{
    return m_radio;
}

ns3::Ptr<CsmaMac>
WsnNetDevice::GetMac() const
{
    return m_mac;
}

int64_t
WsnNetDevice::AssignStreams(int64_t stream)
{
    m_radio->AssignStreams(stream);
    m_mac->AssignStreams(stream + 1);
    m_driftDraw->SetStream(stream + 2);
    m_startDraw->SetStream(stream + 3);
    return 4;
}

void
WsnNetDevice::Start()
{
    if (m_started)
    {
        return;
    }
    m_started = true;
    const double drift = m_driftDraw->GetValue(0.0, 1.0);
    m_clockFactor = 1.0 + m_driftSigma * std::clamp(drift, -3.0, 3.0);
    m_start = m_startupOffset +
              ns3::NanoSeconds(static_cast<int64_t>(
                  m_startDraw->GetValue() * static_cast<double>(m_startupWindow.GetNanoSeconds())));
    m_radio->SetStartTime(m_start);
    m_mac->SetClockFactor(m_clockFactor);
}

ns3::Time
WsnNetDevice::GetStartTime()
{
    Start();
    return m_start;
}

double
WsnNetDevice::GetClockFactor()
{
    Start();
    return m_clockFactor;
}

void
WsnNetDevice::SetDirectReceiveCallback(uint16_t protocol, DirectReceiveCallback callback)
{
    m_upcalls.directProtocol = protocol;
    m_upcalls.direct = std::move(callback);
}

void
WsnNetDevice::SetOn(bool on)
{
    NS_LOG_FUNCTION(this << on);
    m_isOn = on;
    m_radio->SetOn(on);
    if (!on)
    {
        m_mac->Reset();
    }
    FallAsleep();
}

void
WsnNetDevice::SetAsleep(bool asleep)
{
    m_mac->SetPaused(asleep);
    if (asleep)
    {
        FallAsleep();
    }
    else
    {
        m_radio->WakeUp();
    }
}

void
WsnNetDevice::FallAsleep()
{
    if (m_isOn && m_mac->IsPaused() && !m_radio->FallAsleep())
    {
        // It still sends what it has.
        ns3::Simulator::Schedule(ns3::MilliSeconds(1),
                                 [device = ns3::Ptr(this)] { device->FallAsleep(); });
    }
}

void
WsnNetDevice::SetWantsSignalQuality(bool wanted)
{
    m_radio->GetReceiver().SetReportsQuality(wanted);
}

bool
WsnNetDevice::SetMtu(const uint16_t mtu)
{
    if (mtu > MAX_MTU)
    {
        return false;
    }
    m_mtu = mtu;
    return true;
}

bool
WsnNetDevice::Send(ns3::Ptr<ns3::Packet> packet, const ns3::Address& dest, uint16_t protocolNumber)
{
    return SendFrom(packet, m_address, dest, protocolNumber);
}

bool
WsnNetDevice::SendFrom(ns3::Ptr<ns3::Packet> packet,
                       const ns3::Address& source,
                       const ns3::Address& dest,
                       uint16_t protocolNumber)
{
    NS_LOG_FUNCTION(this << packet << dest << protocolNumber);
    if (!m_channel || !m_isOn || packet->GetSize() > m_mtu ||
        ns3::Simulator::Now() < GetStartTime())
    {
        return false;
    }
    const uint32_t bytesOnAir = packet->GetSize() + WSN_MAC_OVERHEAD + WSN_PHY_OVERHEAD;
    return m_mac->Send({.packet = packet,
                        .source = ns3::Mac48Address::ConvertFrom(source),
                        .destination = ns3::Mac48Address::ConvertFrom(dest),
                        .protocol = protocolNumber,
                        .bytesOnAir = bytesOnAir});
}

ns3::Ptr<ns3::Node>
WsnNetDevice::GetNode() const
{
    return m_node;
}

void
WsnNetDevice::SetNode(ns3::Ptr<ns3::Node> node)
{
    m_node = node;
}

bool
WsnNetDevice::NeedsArp() const
{
    return true;
}

void
WsnNetDevice::SetReceiveCallback(ReceiveCallback cb)
{
    m_upcalls.receive = cb;
}

void
WsnNetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback cb)
{
    m_upcalls.promisc = cb;
}

bool
WsnNetDevice::SupportsSendFrom() const
{
    return true;
}

void
WsnNetDevice::NotifyTransmit(const WsnFrame& frame)
{
    m_macWait(ns3::Simulator::Now() - ns3::NanoSeconds(frame.queuedAt));
    m_transmit(frame.packet, frame.protocol, frame.destination, frame.bytesOnAir);
    Sniff(frame, true);
}

void
WsnNetDevice::NotifyMacDrop(const WsnFrame& frame)
{
    m_macDrop(frame.packet, frame.protocol, frame.destination, frame.bytesOnAir);
}

void
WsnNetDevice::NotifyReceived(const WsnFrame& frame)
{
    Sniff(frame, IsMine(frame));
}

void
WsnNetDevice::Sniff(const WsnFrame& frame, bool concerns)
{
    if (m_promiscSniffer.IsEmpty() && (m_sniffer.IsEmpty() || !concerns))
    {
        return;
    }
    // No such header is on the air: it tells pcap's readers who sent what to whom.
    ns3::EthernetHeader header(false);
    header.SetSource(frame.source);
    header.SetDestination(frame.destination);
    header.SetLengthType(frame.protocol);
    const auto packet = frame.packet->Copy();
    packet->AddHeader(header);
    m_promiscSniffer(packet);
    if (concerns)
    {
        m_sniffer(packet);
    }
}

bool
WsnNetDevice::IsMine(const WsnFrame& frame) const
{
    return frame.destination == m_address || frame.destination.IsGroup();
}

WsnNetDevice::Delivery
WsnNetDevice::GetDelivery(const WsnFrame& frame) const
{
    if (!m_upcalls.promisc.IsNull())
    {
        return Delivery::NODE;
    }
    if (!IsMine(frame))
    {
        return Delivery::NONE;
    }
    if (frame.protocol == m_upcalls.directProtocol && m_upcalls.direct)
    {
        return Delivery::DIRECT;
    }
    return m_upcalls.receive.IsNull() ? Delivery::NONE : Delivery::NODE;
}

void
WsnNetDevice::ReceiveDirect(const WsnFrame& frame, float rssiDbm)
{
    if (m_upcalls.direct) // the application may have gone since the frame came in
    {
        m_upcalls.direct(frame, rssiDbm);
    }
}

void
WsnNetDevice::ReceiveFrame(WsnFrame frame, float rssiDbm)
{
    const bool mine = IsMine(frame);
    if (!m_upcalls.promisc.IsNull())
    {
        PacketType type = PACKET_OTHERHOST;
        if (frame.destination.IsBroadcast())
        {
            type = PACKET_BROADCAST;
        }
        else if (frame.destination.IsGroup())
        {
            type = PACKET_MULTICAST;
        }
        else if (mine)
        {
            type = PACKET_HOST;
        }
        m_upcalls.promisc(this,
                          frame.packet->Copy(),
                          frame.protocol,
                          frame.source,
                          frame.destination,
                          type);
    }
    if (!mine)
    {
        return;
    }
    if (frame.protocol == m_upcalls.directProtocol && m_upcalls.direct)
    {
        ReceiveDirect(frame, rssiDbm);
    }
    else if (!m_upcalls.receive.IsNull())
    {
        m_upcalls.receive(this, frame.packet->Copy(), frame.protocol, frame.source);
    }
}

} // namespace mftpubsub
