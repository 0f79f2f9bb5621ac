/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/acked-net-device.h"

#include "hosts/machine-io.h"
#include "hosts/node-address.h"
#include "hosts/protocol-numbers.h"

#include "ns3/channel.h"
#include "ns3/integer.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <span>
#include <utility>

namespace mftpubsub
{

NS_LOG_COMPONENT_DEFINE("AckedNetDevice");

NS_OBJECT_ENSURE_REGISTERED(AckedNetDevice);

namespace
{

constexpr uint8_t KIND_PACKET = 0;

/// @return @p packet behind its protocol number
Bytes
Wrap(const ns3::Ptr<const ns3::Packet>& packet, uint16_t protocol)
{
    ByteWriter out;
    out.Put(protocol);
    auto bytes = out.Take();
    const auto body = GetBytes(packet);
    bytes.insert(bytes.end(), body.begin(), body.end());
    return bytes;
}

} // namespace

ns3::TypeId
AckedNetDevice::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("mftpubsub::AckedNetDevice")
            .SetParent<ns3::NetDevice>()
            .SetGroupName("mftpubsub")
            .AddTraceSource("Transmit",
                            "A frame goes on the air: the upper layer's packet that it carries "
                            "(a part of), or an acknowledgement, of ACKED_PROTOCOL_NUMBER",
                            ns3::MakeTraceSourceAccessor(&AckedNetDevice::m_transmit),
                            "mftpubsub::WsnNetDevice::FrameTracedCallback")
            .AddTraceSource("GiveUp",
                            "A packet was not acknowledged, after all retransmissions",
                            ns3::MakeTraceSourceAccessor(&AckedNetDevice::m_giveUp),
                            "mftpubsub::AckedNetDevice::GiveUpTracedCallback")
            .AddTraceSource("LinkFailure",
                            "Packets to a neighbour were not acknowledged, after all "
                            "retransmissions",
                            ns3::MakeTraceSourceAccessor(&AckedNetDevice::m_linkFailure),
                            "mftpubsub::AckedNetDevice::LinkFailureTracedCallback");
    return tid;
}

AckedNetDevice::AckedNetDevice(ns3::Ptr<DevicePort> port,
                               const TransportOptions& options,
                               RetryDecision retry,
                               int64_t stream)
    : m_port(port),
      m_below(m_port->GetDevice()),
      m_sessions(
          ToNodeId(ns3::Mac48Address::ConvertFrom(m_below->GetAddress())),
          ACKED_PROTOCOL_NUMBER,
          options,
          ns3::CreateObjectWithAttributes<ns3::UniformRandomVariable>("Stream",
                                                                      ns3::IntegerValue(stream)),
          std::move(retry),
          {[this](const SessionEvent& event) { Happened(event); },
           [this](uint64_t uid, MessageHandle message) {
               m_queued.emplace(uid, m_unsettled.at(message));
           },
           [this](uint64_t uid) { m_queued.erase(uid); }})
{
    // before the sessions, which forget a frame when it is on the air
    m_port->TraceConnectWithoutContext("Transmit",
                                       ns3::MakeCallback(&AckedNetDevice::FrameOnAir, this));
    m_sessions.Start(m_port);
}

void
AckedNetDevice::DoDispose()
{
    m_sessions.Stop();
    m_port = nullptr;
    m_below = nullptr;
    m_node = nullptr;
    m_receive.Nullify();
    m_unsettled.clear();
    m_queued.clear();
    ns3::NetDevice::DoDispose();
}

void
AckedNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
AckedNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

ns3::Ptr<ns3::Channel>
AckedNetDevice::GetChannel() const
{
    return m_below->GetChannel();
}

void
AckedNetDevice::SetAddress(ns3::Address address)
{
    m_below->SetAddress(address);
}

ns3::Address
AckedNetDevice::GetAddress() const
{
    return m_below->GetAddress();
}

bool
AckedNetDevice::SetMtu(const uint16_t mtu)
{
    return m_below->SetMtu(mtu);
}

uint16_t
AckedNetDevice::GetMtu() const
{
    return m_below->GetMtu(); // the transport splits what does not fit in a frame of its own
}

bool
AckedNetDevice::IsLinkUp() const
{
    return m_below->IsLinkUp();
}

void
AckedNetDevice::AddLinkChangeCallback(ns3::Callback<void> callback)
{
    m_below->AddLinkChangeCallback(callback);
}

bool
AckedNetDevice::IsBroadcast() const
{
    return m_below->IsBroadcast();
}

ns3::Address
AckedNetDevice::GetBroadcast() const
{
    return m_below->GetBroadcast();
}

bool
AckedNetDevice::IsMulticast() const
{
    return m_below->IsMulticast();
}

ns3::Address
AckedNetDevice::GetMulticast(ns3::Ipv4Address multicastGroup) const
{
    return m_below->GetMulticast(multicastGroup);
}

ns3::Address
AckedNetDevice::GetMulticast(ns3::Ipv6Address addr) const
{
    return m_below->GetMulticast(addr);
}

bool
AckedNetDevice::IsBridge() const
{
    return false;
}

bool
AckedNetDevice::IsPointToPoint() const
{
    return false;
}

bool
AckedNetDevice::Send(ns3::Ptr<ns3::Packet> packet,
                     const ns3::Address& dest,
                     uint16_t protocolNumber)
{
    const auto to = ns3::Mac48Address::ConvertFrom(dest);
    if (to.IsGroup())
    {
        return m_below->Send(packet, dest, protocolNumber);
    }
    if (packet->GetSize() > GetMtu() || ns3::Simulator::Now() < m_port->GetStartTime())
    {
        return false;
    }
    m_unsettled.emplace(++m_lastHandle, Carried{packet, protocolNumber});
    m_sessions.Send(m_lastHandle, ToNodeId(to), KIND_PACKET, Wrap(packet, protocolNumber));
    return true;
}

bool
AckedNetDevice::SendFrom(ns3::Ptr<ns3::Packet> packet,
                         const ns3::Address&,
                         const ns3::Address& dest,
                         uint16_t protocolNumber)
{
    NS_LOG_FUNCTION(this << packet << dest << protocolNumber);
    return Send(packet, dest, protocolNumber);
}

ns3::Ptr<ns3::Node>
AckedNetDevice::GetNode() const
{
    return m_node;
}

void
AckedNetDevice::SetNode(ns3::Ptr<ns3::Node> node)
{
    constexpr uint16_t ALL_PROTOCOLS = 0;
    m_node = node;
    m_node->RegisterProtocolHandler(ns3::MakeCallback(&AckedNetDevice::ReceiveFromPort, this),
                                    ALL_PROTOCOLS,
                                    m_below);
}

bool
AckedNetDevice::NeedsArp() const
{
    return m_below->NeedsArp();
}

void
AckedNetDevice::SetReceiveCallback(ReceiveCallback cb)
{
    m_receive = cb;
}

void
AckedNetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback)
{
    // Frames for others are acknowledged to others: the device below shows them.
}

bool
AckedNetDevice::SupportsSendFrom() const
{
    return false; // the transport has one address
}

void
AckedNetDevice::ReceiveFromPort(ns3::Ptr<ns3::NetDevice>,
                                ns3::Ptr<const ns3::Packet> frame,
                                uint16_t protocol,
                                const ns3::Address& from,
                                const ns3::Address&,
                                PacketType)
{
    if (protocol != ACKED_PROTOCOL_NUMBER)
    {
        m_receive(this, frame, protocol, from);
        return;
    }
    m_sessions.Receive(GetBytes(frame), [](const auto&, auto) {}); // it broadcasts nothing
}

void
AckedNetDevice::FrameOnAir(ns3::Ptr<const ns3::Packet> frame,
                           uint16_t protocol,
                           ns3::Mac48Address to,
                           uint32_t bytesOnAir)
{
    if (const auto queued = m_queued.find(frame->GetUid()); queued != m_queued.end())
    {
        const auto [packet, packetProtocol] = queued->second;
        m_transmit(packet, packetProtocol, to, bytesOnAir);
    }
    else
    {
        m_transmit(frame, protocol, to, bytesOnAir);
    }
}

void
AckedNetDevice::Happened(const SessionEvent& event)
{
    if (const auto* received = std::get_if<ReceivedMessage>(&event))
    {
        ReceiveMessage(*received);
    }
    else if (const auto* delivered = std::get_if<DeliveredMessage>(&event))
    {
        m_unsettled.erase(delivered->handle);
    }
    else
    {
        const auto& ended = std::get<SessionEnded>(event);
        for (const auto handle : ended.failed)
        {
            const auto carried = m_unsettled.extract(handle).mapped();
            m_giveUp(carried.packet, carried.protocol);
        }
        if (ended.why == SessionEnd::GIVEN_UP && !ended.failed.empty())
        {
            m_linkFailure(ToMacAddress(ended.neighbour));
        }
    }
}

void
AckedNetDevice::ReceiveMessage(const ReceivedMessage& message)
{
    ByteReader in(message.body);
    const auto protocol = in.Get<uint16_t>();
    const auto packet = std::span(message.body).subspan(sizeof(protocol));
    m_receive(this,
              ns3::Create<ns3::Packet>(packet.data(), static_cast<uint32_t>(packet.size())),
              protocol,
              ToMacAddress(message.from));
}

} // namespace mftpubsub
