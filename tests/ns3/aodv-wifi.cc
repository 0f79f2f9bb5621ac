// SPDX-License-Identifier: GPL-2.0-only
//
// AODV on ad hoc Wi-Fi as users of ns-3 write it, without a line of mftpubsub: two publishers, four
// subscribers. What the applications counted themselves goes to counts.txt: sent, delivered, mean
// delay in s.
#include "ns3/aodv-module.h"
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/flow-monitor-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/wifi-module.h"

#include <fstream>
#include <map>

using namespace ns3;

namespace
{

constexpr uint32_t NODES = 18;
constexpr uint32_t PUBLISHERS = 2;
constexpr uint32_t SUBSCRIBERS = 4;
constexpr uint16_t PORT = 4000;
const Time DURATION = Seconds(12);

std::map<uint64_t, Time> g_sentAt;
uint32_t g_delivered;
double g_delays;

void
Sent(Ptr<const Packet> packet)
{
    g_sentAt[packet->GetUid()] = Simulator::Now();
}

void
Delivered(Ptr<const Packet> packet, const Address&)
{
    ++g_delivered;
    g_delays += (Simulator::Now() - g_sentAt.at(packet->GetUid())).GetSeconds();
}

void
InstallApplications(NodeContainer nodes, Ipv4InterfaceContainer interfaces)
{
    for (uint32_t subscriber = NODES - SUBSCRIBERS; subscriber < NODES; ++subscriber)
    {
        InetSocketAddress any(Ipv4Address::GetAny(), PORT);
        auto sink = PacketSinkHelper("ns3::UdpSocketFactory", any).Install(nodes.Get(subscriber));
        sink.Get(0)->TraceConnectWithoutContext("Rx", MakeCallback(&Delivered));
        for (uint32_t publisher = 0; publisher < PUBLISHERS; ++publisher)
        {
            UdpClientHelper client(interfaces.GetAddress(subscriber), PORT);
            client.SetAttribute("Interval", TimeValue(Seconds(1)));
            client.SetAttribute("PacketSize", UintegerValue(100));
            auto source = client.Install(nodes.Get(publisher));
            source.Start(Seconds(1 + 0.05 * subscriber + 0.02 * publisher));
            source.Stop(DURATION - Seconds(1));
            source.Get(0)->TraceConnectWithoutContext("Tx", MakeCallback(&Sent));
        }
    }
}

} // namespace

int
main()
{
    NodeContainer nodes;
    nodes.Create(NODES);
    MobilityHelper mobility;
    mobility.SetPositionAllocator("ns3::GridPositionAllocator",
                                  "DeltaX",
                                  DoubleValue(50), // m
                                  "DeltaY",
                                  DoubleValue(50),
                                  "GridWidth",
                                  UintegerValue(6));
    mobility.Install(nodes);

    YansWifiPhyHelper phy;
    phy.SetChannel(YansWifiChannelHelper::Default().Create());
    phy.SetPcapDataLinkType(WifiPhyHelper::DLT_IEEE802_11_RADIO);
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211b);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue("DsssRate11Mbps"));
    auto devices = wifi.Install(phy, mac, nodes);

    AodvHelper aodv;
    InternetStackHelper stack;
    stack.SetRoutingHelper(aodv);
    stack.Install(nodes);
    Ipv4AddressHelper addresses("10.0.0.0", "255.0.0.0");
    InstallApplications(nodes, addresses.Assign(devices));

    AsciiTraceHelper ascii;
    stack.EnableAsciiIpv4All(ascii.CreateFileStream("ip.tr"));
    phy.EnableAsciiAll(ascii.CreateFileStream("phy.tr"));
    phy.EnablePcapAll("run");
    FlowMonitorHelper flows;
    flows.InstallAll();
    Simulator::Stop(DURATION);
    Simulator::Run();
    flows.SerializeToXmlFile("flows.xml", true, true);
    std::ofstream("counts.txt") << g_sentAt.size() << " " << g_delivered << " "
                                << g_delays / g_delivered << "\n";
    Simulator::Destroy();
}
