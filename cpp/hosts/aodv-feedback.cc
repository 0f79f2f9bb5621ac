/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/aodv-feedback.h"

#include "hosts/node-address.h"
#include "hosts/protocol-numbers.h"

#include "ns3/aodv-packet.h"
#include "ns3/aodv-routing-protocol.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/node.h"
#include "ns3/udp-header.h"
#include "ns3/udp-l4-protocol.h"

namespace mftpubsub
{

namespace
{

/// As many as one RERR carries: ns-3 aborts at one more.
constexpr uint8_t MOST_DESTINATIONS = 255;

/// Past IPv4, which would take the neighbour for alive.
void
Receive(const ns3::Ptr<ns3::NetDevice>& device, const ns3::aodv::RerrHeader& rerr, NodeId from)
{
    const auto node = device->GetNode();
    const auto ip = node->GetObject<ns3::Ipv4L3Protocol>();
    const auto interface =
        ip->GetInterface(static_cast<uint32_t>(ip->GetInterfaceForDevice(device)));
    const auto packet = ns3::Create<ns3::Packet>();
    packet->AddHeader(rerr);
    packet->AddHeader(ns3::aodv::TypeHeader(ns3::aodv::AODVTYPE_RERR));
    ns3::UdpHeader udp;
    udp.SetSourcePort(ns3::aodv::RoutingProtocol::AODV_PORT);
    udp.SetDestinationPort(ns3::aodv::RoutingProtocol::AODV_PORT);
    packet->AddHeader(udp);
    ns3::Ipv4Header header;
    header.SetSource(ToIpv4Address(from));
    header.SetDestination(interface->GetAddress(0).GetLocal());
    header.SetProtocol(UDP_PROTOCOL_NUMBER);
    header.SetTtl(1);
    node->GetObject<ns3::UdpL4Protocol>()->Receive(packet, header, interface);
}

} // namespace

void
TellAodvOfBrokenLink(const ns3::Ptr<ns3::NetDevice>& device, NodeId neighbour, NodeId nodes)
{
    ns3::aodv::RerrHeader rerr;
    for (NodeId id = 0; id < nodes; ++id)
    {
        if (rerr.GetDestCount() == MOST_DESTINATIONS)
        {
            Receive(device, rerr, neighbour);
            rerr.Clear();
        }
        rerr.AddUnDestination(ToIpv4Address(id), 0);
    }
    Receive(device, rerr, neighbour);
}

} // namespace mftpubsub
