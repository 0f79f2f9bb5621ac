/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/ip-frame-kinds.h"

#include "hosts/protocol-numbers.h"

#include "ns3/aodv-packet.h"
#include "ns3/olsr-header.h"
#include "ns3/udp-header.h"

namespace mftpubsub
{

namespace
{

constexpr std::string_view DATA = "DATA";

// ns-3 has these as variables
constexpr uint16_t AODV_PORT = 654;
constexpr uint16_t DSDV_PORT = 269;
constexpr uint16_t OLSR_PORT = 698;

bool
IsHello(const ns3::Ptr<ns3::Packet>& message)
{
    ns3::aodv::RrepHeader rrep;
    message->RemoveHeader(rrep);
    return rrep.GetDst() == rrep.GetOrigin();
}

std::string_view
GetAodvKind(const ns3::Ptr<ns3::Packet>& message)
{
    ns3::aodv::TypeHeader type;
    message->RemoveHeader(type);
    switch (type.Get())
    {
    case ns3::aodv::AODVTYPE_RREQ:
        return "RREQ";
    case ns3::aodv::AODVTYPE_RREP:
        return IsHello(message) ? "HELLO" : "RREP";
    case ns3::aodv::AODVTYPE_RERR:
        return "RERR";
    default:
        return "RREP_ACK";
    }
}

std::string_view
GetOlsrKind(const ns3::Ptr<ns3::Packet>& messages)
{
    ns3::olsr::PacketHeader packet;
    messages->RemoveHeader(packet);
    while (messages->GetSize() > 0)
    {
        ns3::olsr::MessageHeader message;
        messages->RemoveHeader(message);
        if (message.GetMessageType() != ns3::olsr::MessageHeader::HELLO_MESSAGE)
        {
            return "TC";
        }
    }
    return "HELLO";
}

/// @return what is in a UDP datagram, or in its first fragment
std::string_view
GetDatagramKind(const ns3::Ptr<ns3::Packet>& datagram)
{
    ns3::UdpHeader udp;
    datagram->RemoveHeader(udp);
    switch (udp.GetDestinationPort())
    {
    case AODV_PORT:
        return GetAodvKind(datagram);
    case OLSR_PORT:
        return GetOlsrKind(datagram);
    case DSDV_PORT:
        return "UPDATE";
    default:
        return DATA;
    }
}

/// @return whether fragments are of the same packet (RFC 791)
bool
AreOfOne(const ns3::Ipv4Header& one, const ns3::Ipv4Header& other)
{
    return one.GetIdentification() == other.GetIdentification() &&
           one.GetSource() == other.GetSource() && one.GetDestination() == other.GetDestination() &&
           one.GetProtocol() == other.GetProtocol();
}

} // namespace

std::string_view
IpFrameKinds::Name(const ns3::Ptr<const ns3::Packet>& frame, uint16_t protocol)
{
    if (protocol == ARP_PROTOCOL_NUMBER)
    {
        return "ARP";
    }
    if (protocol == ACKED_PROTOCOL_NUMBER)
    {
        return "ACK";
    }
    const auto packet = frame->Copy();
    ns3::Ipv4Header ip;
    packet->RemoveHeader(ip);
    if (ip.GetFragmentOffset() != 0)
    {
        return !m_firstKind.empty() && AreOfOne(ip, m_first) ? m_firstKind : DATA;
    }
    const auto kind = GetDatagramKind(packet);
    if (kind != DATA && !ip.IsLastFragment())
    {
        m_first = ip;
        m_firstKind = kind;
    }
    return kind;
}

} // namespace mftpubsub
