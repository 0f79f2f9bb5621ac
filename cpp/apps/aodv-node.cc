/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "apps/aodv-node.h"

#include "apps/node-address.h"
#include "pubsub/bytes.h"
#include "wsn/wsn-net-device.h"

#include "ns3/aodv-packet.h"
#include "ns3/aodv-routing-protocol.h"
#include "ns3/arp-l3-protocol.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-header.h"
#include "ns3/node.h"
#include "ns3/udp-header.h"
#include "ns3/udp-socket-factory.h"

#include <algorithm>
#include <utility>

namespace mftpubsub
{

NS_OBJECT_ENSURE_REGISTERED(AodvNode);

namespace
{

constexpr uint16_t EVENT_PORT = 4000;
constexpr uint8_t INITIAL_TTL = 64;
constexpr size_t EVENT_ID_BYTES = 6;

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

AodvNode::AodvNode(NodeId id, std::function<ns3::Ipv4Address(NodeId)> addressOf, RunTrace& trace)
    : m_id(id),
      m_addressOf(std::move(addressOf)),
      m_trace(trace)
{
}

void
AodvNode::DoDispose()
{
    m_socket = nullptr;
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
    WsnNetDevice::On(*GetNode())
        ->TraceConnectWithoutContext("Transmit", ns3::MakeCallback(&AodvNode::FrameOnAir, this));
}

void
AodvNode::Publish(const EventPtr& event, const std::vector<NodeId>& subscribers)
{
    const auto bytes = MakeDatagram(*event);
    for (const auto subscriber : subscribers)
    {
        m_trace.Matched(m_id, event->id, subscriber);
        if (subscriber == m_id)
        {
            Deliver(event->id, 1);
            continue;
        }
        m_socket->SendTo(
            ns3::Create<ns3::Packet>(bytes.data(), static_cast<uint32_t>(bytes.size())),
            0,
            ns3::InetSocketAddress(m_addressOf(subscriber), EVENT_PORT));
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
    const auto isNew = m_seen.insert(event).second;
    m_trace.Delivered(m_id, event, NO_NODE, hops, !isNew);
}

void
AodvNode::FrameOnAir(ns3::Ptr<const ns3::Packet> frame,
                     uint16_t protocol,
                     ns3::Mac48Address to,
                     uint32_t bytesOnAir)
{
    m_trace.Frame(m_id, GetAodvFrameKind(frame, protocol), ToNodeId(to), bytesOnAir);
}

} // namespace mftpubsub
