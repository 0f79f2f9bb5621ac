/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Parts of hosts, one at a time: the timer of machines, rows of tables, the device that
 * acknowledges, the port of an Ethernet, what waits for a radio that sleeps, what IPv4's frames
 * carry.
 */
#include "function-case.h"
#include "hosts/acked-net-device.h"
#include "hosts/any-port.h"
#include "hosts/arrivals.h"
#include "hosts/device-port.h"
#include "hosts/event-source.h"
#include "hosts/ip-frame-kinds.h"
#include "hosts/machine-timer.h"
#include "hosts/node-address.h"
#include "hosts/protocol-numbers.h"
#include "hosts/waiting-frames.h"
#include "hosts/wire-rows.h"
#include "wsn/csma-mac.h"
#include "wsn/wsn-helper.h"
#include "wsn/wsn-net-device.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/csma-helper.h"
#include "ns3/data-rate.h"
#include "ns3/ipv4-header.h"
#include "ns3/node-container.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/udp-header.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::host_parts_test
{

using namespace std::chrono_literals;

namespace
{

using Seconds = std::vector<double>;

void
At(double seconds, std::function<void()> what)
{
    ns3::Simulator::Schedule(ns3::Seconds(seconds) - ns3::Simulator::Now(), std::move(what));
}

void
ATimerExpiresWhenItIsDue(FunctionCase& test)
{
    Seconds expired;
    MachineTimer timer([&] { expired.push_back(ns3::Simulator::Now().GetSeconds()); });
    At(1, [&] { timer.Set(5s); });
    At(2, [&] { timer.Set(5s); });
    At(6, [&] { timer.Set(9s); });
    At(7, [&] { timer.Set(8s); });
    At(10, [&] { timer.Set(20s); });
    At(11, [&] { timer.Set(21s); });
    ns3::Simulator::Run();
    test.Expect(expired == Seconds{5, 8, 21}, "once for what it was told last");
    At(30, [&] { timer.Set(29s); });
    ns3::Simulator::Run();
    test.Expect(expired.back() == 30, "what is past is due now");
    At(40, [&] { timer.Set(40s); });
    At(41, [&] { timer.Set(40s); });
    ns3::Simulator::Run();
    test.Expect(expired == Seconds{5, 8, 21, 30, 40, 41}, "the same instant again, after it");
    ns3::Simulator::Destroy();
}

void
ATimerIsCancelled(FunctionCase& test)
{
    int expired = 0;
    auto timer = std::make_unique<MachineTimer>([&] { ++expired; });
    At(1, [&] { timer->Set(5s); });
    At(2, [&] { timer->Set(std::nullopt); });
    At(6, [&] { timer->Set(10s); });
    At(7, [&] { timer->Cancel(); });
    ns3::Simulator::Run();
    test.Expect(expired == 0, "neither");
    At(20, [&] { timer->Set(30s); });
    At(21, [&] { timer->Cancel(); });
    At(22, [&] { timer->Set(30s); });
    ns3::Simulator::Run();
    test.Expect(expired == 1, "set again");
    At(40, [&] { timer->Set(50s); });
    At(41, [&] { timer.reset(); });
    ns3::Simulator::Run();
    test.Expect(expired == 1, "destroyed");
    ns3::Simulator::Destroy();
}

void
ATimerKeepsItsPlace(FunctionCase& test)
{
    std::string order;
    MachineTimer timer([&] { order += "timer "; });
    At(1, [&] { timer.Set(5s); });
    At(2, [&] { At(5, [&] { order += "other "; }); });
    At(3, [&] { timer.Set(5s); });
    ns3::Simulator::Run();
    test.Expect(order == "timer other ", "told again, it is not behind what came meanwhile");
    ns3::Simulator::Destroy();
}

void
ATimerMayBeSetWhenItExpires(FunctionCase& test)
{
    Seconds expired;
    std::function<void()> expire;
    MachineTimer timer([&] { expire(); });
    expire = [&] {
        expired.push_back(ns3::Simulator::Now().GetSeconds());
        timer.Set(expired.size() < 3 ? std::optional(Now() + 2s) : std::nullopt);
    };
    timer.Set(1s);
    ns3::Simulator::Run();
    test.Expect(expired == Seconds{1, 3, 5}, "periodically");
    ns3::Simulator::Destroy();
}

void
RowsTellWhatChanges(FunctionCase& test)
{
    WireRowLog log;
    At(1, [&] { log.Note(7, {{"s1", "a"}, {"s2", "b"}}); });
    At(2, [&] { log.Note(7, {{"s1", "a"}, {"s2", "c"}}); });
    At(3, [&] { log.Note(8, {{"s1", "a"}}); });
    At(4, [&] { log.Note(7, {{"s1", "a"}}); });
    At(5, [&] { log.Note(7, {{"s1", "a"}}); });
    At(6, [&] { log.Note(7, {{"s1", "a"}, {"s2", "c"}}); });
    ns3::Simulator::Run();
    const auto rows = log.Take();
    std::string text;
    for (const auto& row : rows)
    {
        text += std::to_string(static_cast<int>(row.seconds)) + ":" + std::to_string(row.node) +
                row.name + "=" + row.text + " ";
    }
    test.Expect(text == "1:7s1=a 1:7s2=b 2:7s2=c 3:8s1=a 4:7s2= 6:7s2=c ", text);
    test.Expect(log.Take().empty(), "told once");
    log.Note(7, {});
    test.Expect(log.Take().size() == 2, "both are gone");
    ns3::Simulator::Destroy();
}

constexpr uint16_t PROTOCOL = 0x88b5;

/// Two nodes, the first with a device that acknowledges on a device of the sensor network.
class Acked
{
  public:
    Acked()
    {
        ns3::RngSeedManager::SetSeed(1);
        ns3::RngSeedManager::SetRun(1);
        nodes.Create(2);
        for (uint32_t i = 0; i < 2; ++i)
        {
            auto position = ns3::CreateObject<ns3::ConstantPositionMobilityModel>();
            position->SetPosition({20.0 * i, 0, 0});
            nodes.Get(i)->AggregateObject(position);
        }
        WsnHelper helper;
        helper.SetPerfectClocks(true);
        ports = helper.Install(nodes, WsnHelper::CreateStaticChannel(0, 0));
        WsnHelper::AssignStreams(ports, 10);
        for (uint32_t i = 0; i < 2; ++i)
        {
            devices.push_back(ns3::CreateObject<AckedNetDevice>(
                DevicePort::On(*nodes.Get(i)),
                TransportOptions(),
                [](NodeId, uint8_t, uint32_t attempts) { return attempts <= 2; },
                100 + i));
            nodes.Get(i)->AddDevice(devices[i]);
            Listen(i);
        }
    }

    ~Acked()
    {
        ns3::Simulator::Destroy();
    }

    Acked(const Acked&) = delete;
    Acked& operator=(const Acked&) = delete;

    ns3::Ptr<WsnNetDevice> Port(uint32_t i)
    {
        return ns3::DynamicCast<WsnNetDevice>(ports.Get(i));
    }

    void SendAt(double seconds, uint32_t bytes, const ns3::Address& to)
    {
        At(seconds, [this, bytes, to] {
            isTaken = devices[0]->Send(ns3::Create<ns3::Packet>(bytes), to, PROTOCOL);
        });
    }

    void RunUntil(double seconds)
    {
        ns3::Simulator::Stop(ns3::Seconds(seconds) - ns3::Simulator::Now());
        ns3::Simulator::Run();
    }

    ns3::NodeContainer nodes;
    ns3::NetDeviceContainer ports;
    std::vector<ns3::Ptr<AckedNetDevice>> devices;
    std::vector<uint32_t> received;  //!< sizes of packets at the second node
    std::vector<uint32_t> onAir;     //!< protocols of what the first one sends
    std::vector<uint32_t> onAirSize; //!< sizes of the packets of these
    std::vector<uint32_t> acks;      //!< protocols of what the second one sends
    std::vector<uint32_t> givenUp;   //!< sizes of packets
    std::vector<ns3::Mac48Address> failed;
    bool isTaken{false};

  private:
    void Listen(uint32_t i)
    {
        using Transmit =
            ns3::Callback<void, ns3::Ptr<const ns3::Packet>, uint16_t, ns3::Mac48Address, uint32_t>;
        using GiveUp = ns3::Callback<void, ns3::Ptr<const ns3::Packet>, uint16_t>;
        using Failure = ns3::Callback<void, ns3::Mac48Address>;
        if (i == 1)
        {
            devices[i]->SetReceiveCallback(ns3::Callback<bool,
                                                         ns3::Ptr<ns3::NetDevice>,
                                                         ns3::Ptr<const ns3::Packet>,
                                                         uint16_t,
                                                         const ns3::Address&>(
                [this](auto device, auto packet, uint16_t protocol, const auto& from) {
                    const auto isRight = device == devices[1] && protocol == PROTOCOL &&
                                         from == devices[0]->GetAddress();
                    received.push_back(isRight ? packet->GetSize() : 0);
                    return true;
                }));
        }
        devices[i]->TraceConnectWithoutContext(
            "Transmit",
            Transmit([this, i](auto packet, uint16_t protocol, auto, uint32_t) {
                (i == 0 ? onAir : acks).push_back(protocol);
                onAirSize.push_back(packet->GetSize());
            }));
        devices[i]->TraceConnectWithoutContext("GiveUp", GiveUp([this](auto packet, uint16_t) {
                                                   givenUp.push_back(packet->GetSize());
                                               }));
        devices[i]->TraceConnectWithoutContext(
            "LinkFailure",
            Failure([this](ns3::Mac48Address neighbour) { failed.push_back(neighbour); }));
    }
};

void
PacketsAreAcknowledged(FunctionCase& test)
{
    using Numbers = std::vector<uint32_t>;
    Acked network;
    const auto to = network.devices[1]->GetAddress();
    network.SendAt(1, 50, to);
    network.RunUntil(2);
    test.Expect(network.isTaken && network.received == Numbers{50}, "it arrives, as it was");
    test.Expect(network.onAir == Numbers{PROTOCOL}, "on the air it is the packet's protocol");
    test.Expect(network.onAirSize.at(0) == 50, "and the packet itself");
    test.Expect(network.acks == Numbers{ACKED_PROTOCOL_NUMBER}, "one acknowledgement");
    network.SendAt(3, network.devices[0]->GetMtu(), to);
    network.SendAt(3, 20, to);
    network.RunUntil(4);
    test.Expect(network.received == Numbers{50, network.devices[0]->GetMtu(), 20}, "in order");
    test.Expect(network.onAir.size() == 4, "the largest one in two parts");
    network.SendAt(5, network.devices[0]->GetMtu() + 1, to);
    network.RunUntil(6);
    test.Expect(!network.isTaken && network.received.size() == 3, "too large");
    test.Expect(network.givenUp.empty() && network.failed.empty(), "nothing has failed");
}

void
GroupsGetPacketsAsTheyAre(FunctionCase& test)
{
    Acked network;
    network.SendAt(1, 30, network.devices[0]->GetBroadcast());
    network.RunUntil(2);
    test.Expect(network.isTaken && network.received == std::vector<uint32_t>{30}, "it arrives");
    test.Expect(network.onAir == std::vector<uint32_t>{PROTOCOL}, "once");
    test.Expect(network.acks.empty(), "nobody acknowledges it");
}

void
PacketsAreGivenUp(FunctionCase& test)
{
    using Numbers = std::vector<uint32_t>;
    Acked network;
    const auto to = network.devices[1]->GetAddress();
    network.Port(1)->SetOn(false);
    network.SendAt(1, 50, to);
    network.SendAt(1, 60, to);
    network.RunUntil(10);
    test.Expect(network.givenUp == Numbers{50, 60}, "both, in order");
    test.Expect(network.failed.size() == 1 && network.failed[0] == to, "one failure of the link");
    test.Expect(network.onAir == Numbers{PROTOCOL, PROTOCOL, PROTOCOL}, "sent three times");
    network.Port(1)->SetOn(true);
    network.SendAt(11, 70, to);
    network.RunUntil(20);
    test.Expect(network.received == Numbers{70}, "the next one arrives");
    test.Expect(network.givenUp.size() == 2 && network.failed.size() == 1, "and is not given up");
}

void
AnAckedDeviceIsLikeTheOneBelow(FunctionCase& test)
{
    Acked network;
    auto& device = *network.devices[0];
    auto& port = *network.Port(0);
    device.SetIfIndex(4);
    test.Expect(device.GetIfIndex() == 4 && port.GetIfIndex() != 4, "its own index");
    test.Expect(device.GetAddress() == port.GetAddress(), "the address");
    test.Expect(device.GetChannel() == port.GetChannel(), "the channel");
    test.Expect(device.GetMtu() == port.GetMtu() && device.SetMtu(500), "the size");
    test.Expect(port.GetMtu() == 500 && !device.SetMtu(5000), "of both");
    test.Expect(device.IsBroadcast() && device.IsMulticast() && device.NeedsArp(), "what it can");
    test.Expect(!device.IsBridge() && !device.IsPointToPoint() && !device.SupportsSendFrom(),
                "not");
    test.Expect(device.GetBroadcast() == port.GetBroadcast(), "everybody");
    const ns3::Ipv4Address group("224.0.0.1");
    test.Expect(device.GetMulticast(group) == port.GetMulticast(group), "a group");
    test.Expect(device.IsLinkUp(), "it is up");
    port.SetOn(false);
    test.Expect(!device.IsLinkUp(), "as the one below");
    test.Expect(device.GetNode() == network.nodes.Get(0), "on the same node");
}

void
NobodySendsBeforeItStarts(FunctionCase& test)
{
    Acked network;
    ns3::NodeContainer late;
    late.Create(1);
    WsnHelper helper;
    helper.SetPerfectClocks(true);
    const auto port =
        helper.Install(late, network.Port(0)->GetChannel()->GetObject<WirelessChannel>());
    port.Get(0)->SetAttribute("StartupOffset", ns3::TimeValue(ns3::Seconds(5)));
    const auto device = ns3::CreateObject<AckedNetDevice>(
        DevicePort::On(*late.Get(0)),
        TransportOptions(),
        [](NodeId, uint8_t, uint32_t) { return false; },
        200);
    late.Get(0)->AddDevice(device);
    std::vector<bool> taken;
    for (const double seconds : {4.9, 5.1})
    {
        At(seconds, [&] {
            taken.push_back(device->Send(ns3::Create<ns3::Packet>(10),
                                         network.devices[1]->GetAddress(),
                                         PROTOCOL));
        });
    }
    network.RunUntil(7);
    test.Expect(taken == std::vector{false, true}, "from its start on");
}

void
AnEthernetTellsItsRateAndCarriesLengths(FunctionCase& test)
{
    ns3::CsmaHelper helper;
    helper.SetChannelAttribute("DataRate", ns3::DataRateValue(ns3::DataRate("8Mb/s")));
    const ns3::NodeContainer nodes(2);
    const auto devices = helper.Install(nodes);
    for (NodeId id = 0; id < 2; ++id)
    {
        GiveAddress(*devices.Get(id), id);
    }
    const auto port = DevicePort::On(*nodes.Get(0));
    test.Expect(port->GetAirTime(1000) == ns3::MilliSeconds(1), "the channel's rate");
    test.Expect(port->GetMaxFrameBytes() == devices.Get(0)->GetMtu() - 2, "room for a length");
    std::vector<uint32_t> received;
    DevicePort::On(*nodes.Get(1))->SetReceiver(PROTOCOL, [&](const auto& frame, double) {
        received.push_back(frame->GetSize());
    });
    for (const uint32_t bytes : {1U, 45U, 46U, 1498U, 1499U})
    {
        const auto isTaken = port->Send(ns3::Create<ns3::Packet>(bytes), NO_NODE, PROTOCOL);
        test.Expect(isTaken == (bytes < 1499), "a frame of " + std::to_string(bytes) + " B");
    }
    ns3::Simulator::Run();
    ns3::Simulator::Destroy();
    test.Expect(received == std::vector<uint32_t>{1, 45, 46, 1498}, "frames as they were sent");
}

/// Frames reach a port that is on, from who is not cut off from it.
void
APortOfAnyDeviceIsOnAndOff(FunctionCase& test)
{
    const ns3::NodeContainer nodes(2);
    const auto devices = ns3::CsmaHelper().Install(nodes);
    GiveAddress(*devices.Get(0), 0);
    GiveAddress(*devices.Get(1), 1);
    auto isCut = false;
    const auto from = DevicePort::On(*nodes.Get(0));
    const auto to = ns3::CreateObject<AnyPort>(devices.Get(1));
    to->SetFilter([&isCut](NodeId sender) { return isCut && sender == 0; });
    int received = 0;
    to->SetReceiver(PROTOCOL, [&received](const auto&, double) { ++received; });
    const auto arrives = [&](bool on, bool cut) {
        to->SetOn(on);
        isCut = cut;
        const auto before = received;
        from->Send(ns3::Create<ns3::Packet>(100), NO_NODE, PROTOCOL);
        ns3::Simulator::Run();
        return received > before;
    };
    test.Expect(arrives(true, false), "on, with all around");
    test.Expect(!arrives(false, false), "off");
    test.Expect(!arrives(true, true), "cut off");
    test.Expect(arrives(true, false), "on again");
    to->SetAsleep(true);
    to->SetOn(false);
    test.Expect(arrives(true, false), "not asleep, once it was off");
    from->SetAsleep(true);
    test.Expect(!arrives(true, false), "it waits for its sender");
    from->SetOn(false);
    from->SetOn(true);
    from->SetAsleep(false);
    const auto before = received;
    ns3::Simulator::Run();
    test.Expect(received == before, "which has forgotten it");
    ns3::Simulator::Destroy();
}

void
NothingIsPublishedAtItsStopOrLater(FunctionCase& test)
{
    TrafficOptions options;
    options.start = ns3::Seconds(1);
    options.stop = ns3::Seconds(3);
    options.arrivals = MakeRecordedArrivals({ns3::Seconds(2), ns3::Seconds(3), ns3::Seconds(4)});
    options.events.resize(1);
    options.events[0].payloadBytes = [](auto&) -> Value { return int64_t{20}; };
    int published = 0;
    EventSource source(1, options, 7, [&published](const auto&) { ++published; });
    ns3::Simulator::Run();
    ns3::Simulator::Destroy();
    test.Expect(published == 1, "the one before");
}

void
FramesWaitInTheirOrder(FunctionCase& test)
{
    WaitingFrames waiting(2);
    test.Expect(waiting.Add({nullptr, 1, PROTOCOL}) && waiting.Add({nullptr, 2, PROTOCOL}),
                "room for two");
    test.Expect(!waiting.Add({nullptr, 3, PROTOCOL}), "and for no more");
    const auto taken = waiting.Take();
    test.Expect(taken.size() == 2 && taken[0].to == 1 && taken[1].to == 2, "the first ones stay");
    test.Expect(waiting.Take().empty(), "none waits any more");
    test.Expect(waiting.Add({nullptr, 4, PROTOCOL}), "room again");
    waiting.Clear();
    test.Expect(waiting.Take().empty(), "none is left");
}

/// @return what is told of the fragment of a datagram of DSDV's, or of an event
std::string_view
NameFragment(IpFrameKinds& kinds, uint16_t port, uint16_t identification, bool isFirst)
{
    const auto frame = ns3::Create<ns3::Packet>(400);
    ns3::Ipv4Header ip;
    ip.SetSource(ns3::Ipv4Address("10.0.0.1"));
    ip.SetProtocol(UDP_PROTOCOL_NUMBER);
    ip.SetIdentification(identification);
    if (isFirst)
    {
        ns3::UdpHeader udp;
        udp.SetDestinationPort(port);
        frame->AddHeader(udp);
        ip.SetMoreFragments();
    }
    else
    {
        ip.SetFragmentOffset(408);
    }
    frame->AddHeader(ip);
    return kinds.Name(frame, IPV4_PROTOCOL_NUMBER);
}

void
FragmentsAreToldByTheirFirst(FunctionCase& test)
{
    constexpr uint16_t DSDV = 269;
    constexpr uint16_t EVENTS = 4000;
    IpFrameKinds kinds;
    test.Expect(NameFragment(kinds, DSDV, 0, false) == "DATA", "of a datagram never seen");
    test.Expect(NameFragment(kinds, DSDV, 7, true) == "UPDATE", "the first fragment");
    test.Expect(NameFragment(kinds, DSDV, 7, false) == "UPDATE", "the next one");
    test.Expect(NameFragment(kinds, EVENTS, 8, true) == "DATA", "the first of an event");
    test.Expect(NameFragment(kinds, EVENTS, 8, false) == "DATA", "the next one of an event");
    test.Expect(NameFragment(kinds, DSDV, 7, false) == "UPDATE", "behind those of an event");
}

class HostPartsSuite : public ns3::TestSuite
{
  public:
    HostPartsSuite()
        : TestSuite("mftpubsub-host-parts", Type::UNIT)
    {
        Add("A timer expires when it is due", ATimerExpiresWhenItIsDue);
        Add("A timer is cancelled", ATimerIsCancelled);
        Add("A timer keeps its place", ATimerKeepsItsPlace);
        Add("A timer may be set when it expires", ATimerMayBeSetWhenItExpires);
        Add("Rows tell what changes", RowsTellWhatChanges);
        Add("Packets are acknowledged", PacketsAreAcknowledged);
        Add("Groups get packets as they are", GroupsGetPacketsAsTheyAre);
        Add("Packets are given up", PacketsAreGivenUp);
        Add("An acked device is like the one below", AnAckedDeviceIsLikeTheOneBelow);
        Add("Nobody sends before it starts", NobodySendsBeforeItStarts);
        Add("An Ethernet tells its rate and carries lengths",
            AnEthernetTellsItsRateAndCarriesLengths);
        Add("A port of any device is on and off", APortOfAnyDeviceIsOnAndOff);
        Add("Frames wait in their order", FramesWaitInTheirOrder);
        Add("Nothing is published at its stop or later", NothingIsPublishedAtItsStopOrLater);
        Add("Fragments are told by their first", FragmentsAreToldByTheirFirst);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

HostPartsSuite g_hostParts;

} // namespace

} // namespace mftpubsub::host_parts_test
