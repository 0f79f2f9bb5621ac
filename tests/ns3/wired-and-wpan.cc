// SPDX-License-Identifier: GPL-2.0-only
//
// An echo over a point-to-point link and a csma network, then three frames over lr-wpan, as ns-3's
// examples do it.
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/csma-module.h"
#include "ns3/internet-module.h"
#include "ns3/lr-wpan-module.h"
#include "ns3/mobility-module.h"
#include "ns3/point-to-point-module.h"

using namespace ns3;

namespace
{

void
Echo()
{
    NodeContainer ends;
    ends.Create(2);
    NodeContainer lan(ends.Get(1));
    lan.Create(3);
    PointToPointHelper link;
    CsmaHelper csma;
    csma.SetChannelAttribute("DataRate", StringValue("10Mbps"));
    auto linkDevices = link.Install(ends);
    auto lanDevices = csma.Install(lan);
    InternetStackHelper stack;
    stack.Install(ends.Get(0));
    stack.Install(lan);
    Ipv4AddressHelper addresses("10.1.1.0", "255.255.255.0");
    addresses.Assign(linkDevices);
    addresses.SetBase("10.1.2.0", "255.255.255.0");
    auto interfaces = addresses.Assign(lanDevices);
    UdpEchoServerHelper(9).Install(lan.Get(3));
    UdpEchoClientHelper client(interfaces.GetAddress(3), 9);
    client.SetAttribute("MaxPackets", UintegerValue(5));
    client.Install(ends.Get(0)).Start(Seconds(1));
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    AsciiTraceHelper ascii;
    stack.EnableAsciiIpv4All(ascii.CreateFileStream("echo-ip.tr"));
    auto devices = ascii.CreateFileStream("echo-devices.tr");
    csma.EnableAsciiAll(devices);
    link.EnableAsciiAll(devices);
    csma.EnablePcapAll("echo", true);
    link.EnablePcapAll("echo");
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    Simulator::Destroy();
}

void
Wpan()
{
    NodeContainer nodes;
    nodes.Create(2);
    MobilityHelper().Install(nodes);
    LrWpanHelper wpan;
    auto devices = wpan.Install(nodes);
    wpan.CreateAssociatedPan(devices, 0);
    AsciiTraceHelper ascii;
    wpan.EnableAsciiAll(ascii.CreateFileStream("wpan.tr"));
    wpan.EnablePcapAll("wpan", true);
    for (int second = 1; second <= 3; ++second)
    {
        Simulator::Schedule(Seconds(second), [&devices] {
            devices.Get(0)->Send(Create<Packet>(50), devices.Get(1)->GetAddress(), 0);
        });
    }
    Simulator::Stop(Seconds(5));
    Simulator::Run();
    Simulator::Destroy();
}

} // namespace

int
main()
{
    Echo();
    Wpan();
}
