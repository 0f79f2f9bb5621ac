/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/ip-node.h"

#include "content/bytes.h"
#include "hosts/acked-net-device.h"
#include "hosts/device-port.h"
#include "hosts/node-address.h"
#include "hosts/protocol-numbers.h"

#include "ns3/arp-cache.h"
#include "ns3/arp-l3-protocol.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-interface.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/udp-header.h"
#include "ns3/udp-l4-protocol.h"
#include "ns3/udp-socket-factory.h"

#include <algorithm>

namespace mftpubsub
{

NS_LOG_COMPONENT_DEFINE("IpNode");

NS_OBJECT_ENSURE_REGISTERED(IpNode);

namespace
{

constexpr uint8_t INITIAL_TTL = 64;
constexpr size_t EVENT_ID_BYTES = 6;
constexpr uint32_t IP_HEADER_BYTES = 20;
constexpr uint32_t UDP_HEADER_BYTES = 8;

Bytes
MakeDatagram(const Event& event)
{
    ByteWriter out;
    out.Put(event.id.publisher);
    out.Put(event.id.sequence);
    auto bytes = out.Take();
    bytes.resize(std::max<size_t>(event.payloadBytes, EVENT_ID_BYTES));
    return bytes;
}

EventId
ReadDatagram(const ns3::Ptr<const ns3::Packet>& datagram)
{
    uint8_t bytes[EVENT_ID_BYTES];
    datagram->CopyData(bytes, EVENT_ID_BYTES);
    ByteReader in(bytes);
    const auto publisher = in.Get<NodeId>();
    return {publisher, in.Get<uint32_t>()};
}

} // namespace

ns3::TypeId
IpNode::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("mftpubsub::IpNode")
            .SetParent<ns3::Application>()
            .SetGroupName("mftpubsub")
            .AddTraceSource("Published",
                            "The application on this device has published an event",
                            ns3::MakeTraceSourceAccessor(&IpNode::m_publishedTrace),
                            "mftpubsub::IpNode::EventTracedCallback")
            .AddTraceSource("Delivered",
                            "A datagram has reached the subscriber on this device",
                            ns3::MakeTraceSourceAccessor(&IpNode::m_deliveredTrace),
                            "mftpubsub::IpNode::DeliveryTracedCallback")
            .AddTraceSource("Frame",
                            "A frame goes on the air",
                            ns3::MakeTraceSourceAccessor(&IpNode::m_frameTrace),
                            "mftpubsub::IpNode::FrameTracedCallback");
    return tid;
}

IpNode::IpNode(NodeId id, ns3::Ptr<ns3::NetDevice> device, RunTrace& trace)
    : m_id(id),
      m_device(device),
      m_isAcked(ns3::DynamicCast<AckedNetDevice>(m_device)),
      m_trace(trace)
{
}

void
IpNode::DoDispose()
{
    m_socket = nullptr;
    m_device = nullptr;
    Application::DoDispose();
}

void
IpNode::StartApplication()
{
    NS_LOG_FUNCTION(this << m_id);
    m_socket = ns3::Socket::CreateSocket(GetNode(), ns3::UdpSocketFactory::GetTypeId());
    m_socket->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), EVENT_PORT));
    m_socket->SetIpTtl(INITIAL_TTL);
    m_socket->SetIpRecvTtl(true);
    m_socket->SetRecvCallback(ns3::MakeCallback(&IpNode::ReceiveDatagrams, this));
    const auto onAir = ns3::MakeCallback(&IpNode::FrameOnAir, this);
    if (m_isAcked)
    {
        m_device->TraceConnectWithoutContext("Transmit", onAir);
        m_device->TraceConnectWithoutContext("GiveUp", ns3::MakeCallback(&IpNode::GivenUp, this));
    }
    else
    {
        const auto port = DevicePort::On(*GetNode());
        port->TraceConnectWithoutContext("Transmit", onAir);
        port->TraceConnectWithoutContext("MacDrop", ns3::MakeCallback(&IpNode::FrameDropped, this));
    }
    const auto ip = GetNode()->GetObject<ns3::Ipv4L3Protocol>();
    ip->TraceConnectWithoutContext("UnicastForward", ns3::MakeCallback(&IpNode::Forwarded, this));
    ip->TraceConnectWithoutContext("Drop", ns3::MakeCallback(&IpNode::Dropped, this));
    const auto cache =
        ip->GetInterface(static_cast<uint32_t>(ip->GetInterfaceForDevice(m_device)))->GetArpCache();
    const auto unknown = ns3::MakeCallback(&IpNode::AddressUnknown, this);
    cache->TraceConnectWithoutContext("Drop", unknown);
    GetNode()->GetObject<ns3::ArpL3Protocol>()->TraceConnectWithoutContext("Drop", unknown);
}

void
IpNode::SetUp(bool isUp)
{
    NS_LOG_FUNCTION(this << m_id << isUp);
    m_isUp = isUp;
}

void
IpNode::Publish(const EventPtr& event, const std::vector<NodeId>& subscribers)
{
    NS_LOG_INFO("node " << m_id << " sends event " << event->id.sequence << " to "
                        << subscribers.size());
    if (!m_socket)
    {
        return; // not started yet: UNSENT
    }
    m_publishedTrace(*event);
    const auto bytes = MakeDatagram(*event);
    for (const auto subscriber : subscribers)
    {
        m_trace.Matched(m_id, event->id, subscriber);
        if (subscriber == m_id)
        {
            Deliver(event->id, 1);
            continue;
        }
        m_trace.Fate(event->id, subscriber, LossCause::IN_FLIGHT);
        const auto sent = m_socket->SendTo(
            ns3::Create<ns3::Packet>(bytes.data(), static_cast<uint32_t>(bytes.size())),
            0,
            ns3::InetSocketAddress(ToIpv4Address(subscriber), EVENT_PORT));
        if (sent < 0) // OLSR drops at once what it has no route for
        {
            m_trace.Fate(event->id, subscriber, LossCause::NO_ROUTE);
        }
    }
}

void
IpNode::ReceiveDatagrams(ns3::Ptr<ns3::Socket> socket)
{
    while (const auto datagram = socket->Recv())
    {
        ns3::SocketIpTtlTag ttl;
        datagram->PeekPacketTag(ttl);
        Deliver(ReadDatagram(datagram), static_cast<uint8_t>(INITIAL_TTL - ttl.GetTtl() + 1));
    }
}

void
IpNode::Deliver(EventId event, uint8_t hops)
{
    const auto isNew = m_seen.Insert(event);
    m_trace.Delivered(m_id, event, NO_NODE, hops, !isNew);
    m_deliveredTrace(event, hops, !isNew);
}

void
IpNode::FrameOnAir(ns3::Ptr<const ns3::Packet> frame,
                   uint16_t protocol,
                   ns3::Mac48Address to,
                   uint32_t bytesOnAir)
{
    const auto kind = m_kinds.Name(frame, protocol);
    m_trace.Frame(m_id, kind, ToNodeId(to), bytesOnAir);
    m_frameTrace(std::string(kind), ToNodeId(to), bytesOnAir);
    if (kind == "DATA" && !m_isAcked)
    {
        NoteFate(frame, LossCause::RADIO); // until the next hop says otherwise
    }
}

void
IpNode::FrameDropped(ns3::Ptr<const ns3::Packet> frame,
                     uint16_t protocol,
                     ns3::Mac48Address,
                     uint32_t)
{
    if (protocol == IPV4_PROTOCOL_NUMBER)
    {
        NoteFate(frame, m_isUp ? LossCause::MAC : LossCause::CRASHED);
    }
}

void
IpNode::GivenUp(ns3::Ptr<const ns3::Packet> packet, uint16_t protocol)
{
    if (protocol == IPV4_PROTOCOL_NUMBER)
    {
        NoteFate(packet, m_isUp ? LossCause::RADIO : LossCause::CRASHED);
    }
}

void
IpNode::AddressUnknown(ns3::Ptr<const ns3::Packet> packet)
{
    NoteFate(packet, LossCause::NO_ADDRESS);
}

void
IpNode::Forwarded(const ns3::Ipv4Header& ip, ns3::Ptr<const ns3::Packet> packet, uint32_t)
{
    NoteFate(ip, packet, LossCause::IN_FLIGHT);
}

void
IpNode::Dropped(const ns3::Ipv4Header& ip,
                ns3::Ptr<const ns3::Packet> packet,
                ns3::Ipv4L3Protocol::DropReason reason,
                ns3::Ptr<ns3::Ipv4>,
                uint32_t)
{
    switch (reason)
    {
    case ns3::Ipv4L3Protocol::DROP_ROUTE_ERROR: // from the queue of packets without a route
        NoteFate(ip, packet, LossCause::NO_ROUTE);
        break;
    case ns3::Ipv4L3Protocol::DROP_NO_ROUTE: // from a node on the way
        NoteFate(ip, packet, LossCause::EXPIRED_ROUTE);
        break;
    case ns3::Ipv4L3Protocol::DROP_TTL_EXPIRED:
        NoteFate(ip, packet, LossCause::TTL);
        break;
    default: // fragments, of which others were lost on the air
        break;
    }
}

void
IpNode::NoteFate(const ns3::Ipv4Header& ip,
                 const ns3::Ptr<const ns3::Packet>& payload,
                 LossCause cause)
{
    if (ip.GetProtocol() != UDP_PROTOCOL_NUMBER || ip.GetFragmentOffset() != 0)
    {
        return;
    }
    ns3::UdpHeader udp;
    payload->PeekHeader(udp);
    if (udp.GetDestinationPort() == EVENT_PORT)
    {
        const auto datagram = payload->CreateFragment(UDP_HEADER_BYTES, EVENT_ID_BYTES);
        m_trace.Fate(ReadDatagram(datagram), ToNodeId(ip.GetDestination()), cause);
    }
}

void
IpNode::NoteFate(const ns3::Ptr<const ns3::Packet>& packet, LossCause cause)
{
    if (packet->GetSize() >=
        IP_HEADER_BYTES + UDP_HEADER_BYTES + EVENT_ID_BYTES) // ARP's are shorter
    {
        const auto payload = packet->Copy();
        ns3::Ipv4Header ip;
        payload->RemoveHeader(ip);
        NoteFate(ip, payload, cause);
    }
}

} // namespace mftpubsub
