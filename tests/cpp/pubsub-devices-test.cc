/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What PubSubHelper says of devices and nodes that cannot carry its protocol.
 */
#include "function-case.h"
#include "helper/pubsub-helper.h"
#include "pubsub-script.h"

#include "ns3/constant-velocity-mobility-model.h"
#include "ns3/csma-channel.h"
#include "ns3/csma-net-device.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/mac48-address.h"
#include "ns3/mac8-address.h"
#include "ns3/node-container.h"
#include "ns3/simple-channel.h"
#include "ns3/simple-net-device.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"

#include <map>
#include <stdexcept>
#include <string>

namespace mftpubsub::pubsub_devices_test
{

using namespace ns3;
using namespace script;
using script::Line;
using script::Told;

namespace
{

using Order = std::logic_error;

/// Nodes with the roles that OfMesh gives, under @p protocol.
void
SayRoles(PubSubHelper& pubsub, const NodeContainer& nodes)
{
    pubsub.SetRole(nodes, "broker");
    pubsub.Subscribe(nodes.Get(nodes.GetN() - 1), "temp > 20");
}

void
ASecondInternetIsRefused(FunctionCase& test)
{
    const InternetStackHelper internet;
    const std::map<std::string, std::function<void(const Line&)>> theirs{
        {"node 1 has an Internet stack already, and aodv brings its own",
         [&](const Line& line) { internet.Install(line.nodes.Get(1)); }},
        {"node 0 has an Internet stack already",
         [](const Line& line) {
             InternetStackHelper ofIpv6;
             ofIpv6.SetIpv4StackInstall(false);
             ofIpv6.Install(line.nodes.Get(0));
         }},
        {"10.0.0.1 is taken, and aodv gives it to node 0", [&](const Line&) {
             const NodeContainer others(2);
             internet.Install(others);
             Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(InstallCsma(others));
         }}};
    for (const auto& [words, install] : theirs)
    {
        Line line(2, InstallWifi);
        PubSubHelper pubsub("aodv");
        SayRoles(pubsub, line.nodes);
        {
            [[maybe_unused]] const Forgotten event;
            pubsub.Install(line.devices);
        }
        install(line); // whether before or after
        Simulator::Stop(Seconds(1));
        Refuses<Order>(test, words, [] { Simulator::Run(); });
    }
}

void
TheDeviceIsTheOneThatTheScriptNames(FunctionCase& test)
{
    const NodeContainer nodes(2);
    const auto first = InstallCsma(nodes);
    const auto second = InstallCsma(nodes);
    PubSubHelper pubsub("mft-mesh");
    SayRoles(pubsub, nodes);
    Told told;
    told.Connect(pubsub.Install(second));
    uint32_t frames = 0;
    second.Get(0)->TraceConnectWithoutContext(
        "MacTx",
        Callback<void, Ptr<const Packet>>([&](Ptr<const Packet>) { ++frames; }));
    pubsub.PublishAt(Seconds(20), nodes.Get(0), "temp = 21.5");
    Simulator::Stop(Seconds(30));
    Simulator::Run();
    Simulator::Destroy();
    test.Expect(frames > 0 && told.delivered.size() == 1, "delivered by it");
}

/// A device of a script's own.
class OwnCsmaDevice : public CsmaNetDevice
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::OwnCsmaDevice").SetParent<CsmaNetDevice>();
        return tid;
    }
};

NetDeviceContainer
InstallOwnCsma(const NodeContainer& nodes)
{
    const auto channel = CreateObject<CsmaChannel>();
    NetDeviceContainer devices;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        const auto device = CreateObject<OwnCsmaDevice>();
        device->SetAddress(Mac48Address::Allocate());
        device->SetQueue(CreateObject<DropTailQueue<Packet>>());
        (*node)->AddDevice(device);
        device->Attach(channel);
        devices.Add(device);
    }
    return devices;
}

void
DevicesOfATypeOfTheScriptsOwnAreAsTheirParent(FunctionCase& test)
{
    Line line(2, InstallOwnCsma);
    PubSubHelper pubsub("mft-mesh");
    SayRoles(pubsub, line.nodes);
    Told told;
    told.Connect(pubsub.Install(line.devices));
    pubsub.PublishAt(Seconds(20), line.nodes.Get(0), "temp = 21.5");
    Simulator::Stop(Seconds(30));
    Simulator::Run();
    test.Expect(told.delivered.size() == 1, "frames that were filled up are cut to their length");
}

/// As ns3::UanNetDevice.
class ShortAddressDevice : public SimpleNetDevice
{
  public:
    Address GetAddress() const override
    {
        return Mac8Address(1);
    }
};

void
DevicesWithShortAddressesAreRefused(FunctionCase& test)
{
    const NodeContainer nodes(1);
    const auto device = CreateObject<ShortAddressDevice>();
    device->SetChannel(CreateObject<SimpleChannel>());
    nodes.Get(0)->AddDevice(device);
    Refuses<std::invalid_argument>(test, "of node 0 has no addresses of 48 bits", [&] {
        PubSubHelper("mft-mesh").Install(NetDeviceContainer(device));
    });
    Simulator::Destroy();
}

void
DevicesOfTwoKindsAreRefused(FunctionCase& test)
{
    Line line(2, InstallCsma);
    NetDeviceContainer devices(line.devices.Get(0));
    devices.Add(InstallWifi(NodeContainer(line.nodes.Get(1))));
    Refuses<std::invalid_argument>(
        test,
        "WifiNetDevice of node 1 is of another kind than the ns3::CsmaNetDevice of node 0",
        [&] { PubSubHelper("mft-mesh").Install(devices); });
}

void
ASecondHelperOnAChannelIsRefused(FunctionCase& test)
{
    for (const auto& install : {InstallWsn, InstallWifi, InstallLrWpan, InstallCsma})
    {
        Line line(4, install);
        NetDeviceContainer first(line.devices.Get(0));
        first.Add(line.devices.Get(1));
        NetDeviceContainer second(line.devices.Get(2));
        second.Add(line.devices.Get(3));
        PubSubHelper pubsub("mft-mesh");
        pubsub.SetRole(NodeContainer(line.nodes.Get(0), line.nodes.Get(1)), "broker");
        pubsub.Install(first);
        const auto words = "another PubSubHelper has node 0 on this channel";
        Refuses<Order>(test, words, [&] { PubSubHelper("mft-mesh").Install(second); });
        Refuses<Order>(test, words, [&] { PubSubHelper("mft-pubsub").Install(first); });
        const auto elsewhere = install(NodeContainer(line.nodes.Get(2), line.nodes.Get(3)));
        test.Expect(PubSubHelper("mft-mesh").Install(elsewhere).GetN() == 2, "another channel");
    }
}

/// Puts a device of Wi-Fi on channel 11, which is off those of others here.
void
MoveAway(const Ptr<NetDevice>& device)
{
    DynamicCast<WifiNetDevice>(device)->GetPhy()->SetOperatingChannel(
        WifiPhy::ChannelTuple{11, 22, WIFI_PHY_BAND_2_4GHZ, 0});
}

void
HelpersWhoseDevicesDoNotHearEachOtherShareAChannel(FunctionCase& test)
{
    Line line(4, InstallWifi);
    const NetDeviceContainer second(line.devices.Get(2), line.devices.Get(3));
    PubSubHelper pubsub("mft-mesh");
    pubsub.Install(NetDeviceContainer(line.devices.Get(0), line.devices.Get(1)));
    MoveAway(second.Get(0));
    Refuses<Order>(test, "another PubSubHelper has node 0 on this channel", [&] {
        PubSubHelper("mft-mesh").Install(second); // of which one device hears it
    });
    MoveAway(second.Get(1));
    test.Expect(PubSubHelper("mft-mesh").Install(second).GetN() == 2, "on another number");
    NodeContainer strangers(2);
    strangers.Add(line.nodes.Get(0)); // on its wire it has nothing of ours
    const auto shared = InstallCsma(strangers);
    PubSubHelper third("mft-mesh");
    test.Expect(third.Install(NetDeviceContainer(shared.Get(0), shared.Get(1))).GetN() == 2,
                "beside a device that no helper has");
}

void
AnAddressThatIsChangedAfterInstallIsRefused(FunctionCase& test)
{
    for (const auto& install : {InstallWsn, InstallWifi, InstallLrWpan, InstallCsma})
    {
        Line line(2, install);
        {
            [[maybe_unused]] const Forgotten event;
            OfMesh(line);
        }
        line.devices.Get(1)->SetAddress(Mac48Address("02:00:00:00:00:07"));
        Simulator::Stop(Seconds(1));
        Refuses<Order>(test, "of node 1 was changed after Install", [] { Simulator::Run(); });
    }
}

void
WhoeverIsRefusedMayTryAgain(FunctionCase& test)
{
    Line line(2, InstallCsma);
    const auto stranger = CreateObject<SimpleNetDevice>();
    NodeContainer last(1);
    last.Get(0)->AddDevice(stranger);
    NetDeviceContainer devices = line.devices;
    devices.Add(stranger);
    const auto address = line.devices.Get(0)->GetAddress();
    PubSubHelper pubsub("mft-mesh");
    Refuses<std::invalid_argument>(test, "SimpleNetDevice of node 2 has no channel", [&] {
        pubsub.Install(devices);
    });
    test.Expect(line.devices.Get(0)->GetAddress() == address, "its address is its own");
    test.Expect(line.nodes.Get(0)->GetNApplications() == 0, "its node has nothing of ours");
    const auto other = InstallCsma(line.nodes);
    test.Expect(pubsub.Install(other).GetN() == 2, "other devices of the same nodes");
}

void
NodesThatMoveOnAChannelOfModeStaticAreRefused(FunctionCase& test)
{
    const std::map<double, std::function<void(ConstantVelocityMobilityModel&)>> moves{
        {0, [](auto& mobility) { mobility.SetVelocity({1, 0, 0}); }},
        {1, [](auto& mobility) { mobility.SetVelocity({1, 0, 0}); }},
        {2, [](auto& mobility) { mobility.SetPosition({500, 0, 0}); }}};
    for (const auto& [seconds, move] : moves)
    {
        const NodeContainer nodes(2);
        for (auto node = nodes.Begin(); node != nodes.End(); ++node)
        {
            (*node)->AggregateObject(CreateObject<ConstantVelocityMobilityModel>());
        }
        InstallWsn(nodes);
        Simulator::Schedule(Seconds(seconds), [&, &move = move] {
            move(*nodes.Get(1)->GetObject<ConstantVelocityMobilityModel>());
        });
        Simulator::Stop(Seconds(3));
        [[maybe_unused]] const Forgotten event;
        Refuses<Order>(test, "node 1 moves, and mode Static", [] { Simulator::Run(); });
        Simulator::Destroy();
    }
}

void
DevicesOfAnAccessPointAreRefused(FunctionCase& test)
{
    for (const std::string type : {"ns3::StaWifiMac", "ns3::ApWifiMac"})
    {
        WifiMacHelper mac;
        mac.SetType(type);
        YansWifiPhyHelper phy;
        phy.SetChannel(YansWifiChannelHelper::Default().Create());
        const auto devices = WifiHelper().Install(phy, mac, NodeContainer(1));
        Refuses<std::invalid_argument>(test, "take ns3::AdhocWifiMac", [&] {
            PubSubHelper("mft-mesh").Install(devices);
        });
        Simulator::Destroy();
    }
}

void
ADeviceOnNoNodeIsRefused(FunctionCase& test)
{
    const NetDeviceContainer devices(CreateObject<SimpleNetDevice>());
    Refuses<std::invalid_argument>(test, "a ns3::SimpleNetDevice is on no node", [&] {
        PubSubHelper("mft-mesh").Install(devices);
    });
}

void
DevicesThatCannotSendAreRefused(FunctionCase& test)
{
    const auto withShortLife = [](const NodeContainer& nodes) {
        return LrWpanHelper().Install(nodes);
    };
    const std::map<std::string, DeviceMaker> refused{
        {"LrWpanNetDevice of node 0 has a channel that has ended", withShortLife},
        {"WifiNetDevice of node 0 has no place", InstallWifi}};
    for (const auto& [words, install] : refused)
    {
        const NodeContainer nodes(2);
        PubSubHelper pubsub("mft-mesh");
        SayRoles(pubsub, nodes);
        [[maybe_unused]] const Forgotten event;
        pubsub.Install(install(nodes));
        Simulator::Stop(Seconds(1));
        Refuses<Order>(test, words, [] { Simulator::Run(); });
        Simulator::Destroy();
    }
}

class PubSubDevicesTestSuite : public TestSuite
{
  public:
    PubSubDevicesTestSuite()
        : TestSuite("mftpubsub-pubsub-devices", Type::SYSTEM)
    {
        const std::map<std::string, FunctionCase::Function> cases{
            {"A second Internet is refused", ASecondInternetIsRefused},
            {"A second helper on a channel is refused", ASecondHelperOnAChannelIsRefused},
            {"An address that is changed after Install is refused",
             AnAddressThatIsChangedAfterInstallIsRefused},
            {"Devices of a type of the script's own are as their parent",
             DevicesOfATypeOfTheScriptsOwnAreAsTheirParent},
            {"A device on no node is refused", ADeviceOnNoNodeIsRefused},
            {"Devices of an access point are refused", DevicesOfAnAccessPointAreRefused},
            {"Devices of two kinds are refused", DevicesOfTwoKindsAreRefused},
            {"Devices that cannot send are refused", DevicesThatCannotSendAreRefused},
            {"Devices with short addresses are refused", DevicesWithShortAddressesAreRefused},
            {"Helpers whose devices do not hear each other share a channel",
             HelpersWhoseDevicesDoNotHearEachOtherShareAChannel},
            {"Nodes that move on a channel of mode Static are refused",
             NodesThatMoveOnAChannelOfModeStaticAreRefused},
            {"The device is the one that the script names", TheDeviceIsTheOneThatTheScriptNames},
            {"Whoever is refused may try again", WhoeverIsRefusedMayTryAgain},
        };
        for (const auto& [name, run] : cases)
        {
            AddTestCase(new FunctionCase(name, run), Duration::QUICK);
        }
    }
};

PubSubDevicesTestSuite g_suite;

} // namespace

} // namespace mftpubsub::pubsub_devices_test
