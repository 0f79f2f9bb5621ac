/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/aodv-node.h"

#include "content/bytes.h"
#include "hosts/acked-net-device.h"
#include "hosts/node-address.h"

#include "ns3/aodv-packet.h"
#include "ns3/aodv-routing-protocol.h"
#include "ns3/arp-cache.h"
#include "ns3/arp-l3-protocol.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-interface.h"
#include "ns3/node.h"
#include "ns3/udp-header.h"
#include "ns3/udp-l4-protocol.h"
#include "ns3/udp-socket-factory.h"

#include <algorithm>
#include <utility>

namespace mftpubsub
{

NS_OBJECT_ENSURE_REGISTERED(AodvNode);

namespace
{

constexpr uint8_t INITIAL_TTL = 64;
constexpr size_t EVENT_ID_BYTES = 6;
constexpr uint32_t IP_HEADER_BYTES = 20;
constexpr uint32_t UDP_HEADER_BYTES = 8;

bool
IsHello(const ns3::Ptr<ns3::Packet>& message)
{
    ns3::aodv::RrepHeader rrep;
    message->RemoveHeader(rrep);
    return rrep.GetDst() == rrep.GetOrigin();
}

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

std::string_view
GetAodvFrameKind(ns3::Ptr<const ns3::Packet> frame, uint16_t protocol)
{
    if (protocol == ns3::ArpL3Protocol::PROT_NUMBER)
    {
        return "ARP";
    }
    if (protocol == ACKED_PROTOCOL_NUMBER)
    {
        return "ACK";
    }
    const auto packet = frame->Copy();
    ns3::Ipv4Header ip;
    ns3::UdpHeader udp;
    packet->RemoveHeader(ip);
    packet->RemoveHeader(udp);
    if (udp.GetDestinationPort() != ns3::aodv::RoutingProtocol::AODV_PORT)
    {
        return "DATA";
    }
    ns3::aodv::TypeHeader type;
    packet->RemoveHeader(type);
    switch (type.Get())
    {
    case ns3::aodv::AODVTYPE_RREQ:
        return "RREQ";
    case ns3::aodv::AODVTYPE_RREP:
        return IsHello(packet) ? "HELLO" : "RREP";
    case ns3::aodv::AODVTYPE_RERR:
        return "RERR";
    default:
        return "RREP_ACK";
    }
}

ns3::TypeId
AodvNode::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("mftpubsub::AodvNode").SetParent<ns3::Application>().SetGroupName("mftpubsub");
    return tid;
}

AodvNode::AodvNode(NodeId id, ns3::Ptr<ns3::NetDevice> device, RunTrace& trace)
    : m_id(id),
      m_device(std::move(device)),
      m_isAcked(ns3::DynamicCast<AckedNetDevice>(m_device)),
      m_trace(trace)
{
}

void
AodvNode::DoDispose()
{
    m_socket = nullptr;
    m_device = nullptr;
    Application::DoDispose();
}

void
AodvNode::StartApplication()
{
    m_socket = ns3::Socket::CreateSocket(GetNode(), ns3::UdpSocketFactory::GetTypeId());
    m_socket->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), EVENT_PORT));
    m_socket->SetIpTtl(INITIAL_TTL);
    m_socket->SetIpRecvTtl(true);
    m_socket->SetRecvCallback(ns3::MakeCallback(&AodvNode::ReceiveDatagrams, this));
    m_device->TraceConnectWithoutContext("Transmit",
                                         ns3::MakeCallback(&AodvNode::FrameOnAir, this));
    if (m_isAcked)
    {
        m_device->TraceConnectWithoutContext("GiveUp", ns3::MakeCallback(&AodvNode::GivenUp, this));
    }
    else
    {
        m_device->TraceConnectWithoutContext("MacDrop",
                                             ns3::MakeCallback(&AodvNode::FrameDropped, this));
    }
    const auto ip = GetNode()->GetObject<ns3::Ipv4L3Protocol>();
    ip->TraceConnectWithoutContext("UnicastForward", ns3::MakeCallback(&AodvNode::Forwarded, this));
    ip->TraceConnectWithoutContext("Drop", ns3::MakeCallback(&AodvNode::Dropped, this));
    const auto cache =
        ip->GetInterface(static_cast<uint32_t>(ip->GetInterfaceForDevice(m_device)))->GetArpCache();
    const auto unknown = ns3::MakeCallback(&AodvNode::AddressUnknown, this);
    cache->TraceConnectWithoutContext("Drop", unknown);
    GetNode()->GetObject<ns3::ArpL3Protocol>()->TraceConnectWithoutContext("Drop", unknown);
}

void
AodvNode::SetUp(bool isUp)
{
    m_isUp = isUp;
}

void
AodvNode::Publish(const EventPtr& event, const std::vector<NodeId>& subscribers)
{
    if (!m_socket)
    {
        return; // not started yet: UNSENT
    }
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
        m_socket->SendTo(
            ns3::Create<ns3::Packet>(bytes.data(), static_cast<uint32_t>(bytes.size())),
            0,
            ns3::InetSocketAddress(ToIpv4Address(subscriber), EVENT_PORT));
    }
}

void
AodvNode::ReceiveDatagrams(ns3::Ptr<ns3::Socket> socket)
{
    while (const auto datagram = socket->Recv())
    {
        ns3::SocketIpTtlTag ttl;
        datagram->PeekPacketTag(ttl);
        Deliver(ReadDatagram(datagram), static_cast<uint8_t>(INITIAL_TTL - ttl.GetTtl() + 1));
    }
}

void
AodvNode::Deliver(EventId event, uint8_t hops)
{
    const auto isNew = m_seen.Insert(event);
    m_trace.Delivered(m_id, event, NO_NODE, hops, !isNew);
}

void
AodvNode::FrameOnAir(ns3::Ptr<const ns3::Packet> frame,
                     uint16_t protocol,
                     ns3::Mac48Address to,
                     uint32_t bytesOnAir)
{
    const auto kind = GetAodvFrameKind(frame, protocol);
    m_trace.Frame(m_id, kind, ToNodeId(to), bytesOnAir);
    if (kind == "DATA" && !m_isAcked)
    {
        NoteFate(frame, LossCause::RADIO); // until the next hop says otherwise
    }
}

void
AodvNode::FrameDropped(ns3::Ptr<const ns3::Packet> frame,
                       uint16_t protocol,
                       ns3::Mac48Address,
                       uint32_t)
{
    if (protocol == ns3::Ipv4L3Protocol::PROT_NUMBER)
    {
        NoteFate(frame, m_isUp ? LossCause::MAC : LossCause::CRASHED);
    }
}

void
AodvNode::GivenUp(ns3::Ptr<const ns3::Packet> packet, uint16_t protocol)
{
    if (protocol == ns3::Ipv4L3Protocol::PROT_NUMBER)
    {
        NoteFate(packet, m_isUp ? LossCause::RADIO : LossCause::CRASHED);
    }
}

void
AodvNode::AddressUnknown(ns3::Ptr<const ns3::Packet> packet)
{
    NoteFate(packet, LossCause::NO_ADDRESS);
}

void
AodvNode::Forwarded(const ns3::Ipv4Header& ip, ns3::Ptr<const ns3::Packet> packet, uint32_t)
{
    NoteFate(ip, packet, LossCause::IN_FLIGHT);
}

void
AodvNode::Dropped(const ns3::Ipv4Header& ip,
                  ns3::Ptr<const ns3::Packet> packet,
                  ns3::Ipv4L3Protocol::DropReason reason,
                  ns3::Ptr<ns3::Ipv4>,
                  uint32_t)
{
    switch (reason)
    {
    case ns3::Ipv4L3Protocol::DROP_ROUTE_ERROR: // from AODV's queue of packets without a route
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
AodvNode::NoteFate(const ns3::Ipv4Header& ip,
                   const ns3::Ptr<const ns3::Packet>& payload,
                   LossCause cause)
{
    if (ip.GetProtocol() != ns3::UdpL4Protocol::PROT_NUMBER || ip.GetFragmentOffset() != 0)
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
AodvNode::NoteFate(const ns3::Ptr<const ns3::Packet>& packet, LossCause cause)
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
