/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Channel, radio, MAC and device together, and IPv4 with AODV on top.
 */
#include "hosts/aodv-feedback.h"
#include "hosts/node-address.h"
#include "wsn/csma-mac.h"
#include "wsn/line-mobility-model.h"
#include "wsn/radio.h"
#include "wsn/wireless-channel.h"
#include "wsn/wsn-helper.h"
#include "wsn/wsn-net-device.h"

#include "ns3/aodv-helper.h"
#include "ns3/constant-position-mobility-model.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/node-container.h"
#include "ns3/pcap-file.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simple-net-device.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/test.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::wsn_device_test
{

using ns3::TestCase;
using ns3::TestSuite;

namespace
{

constexpr uint16_t PROTOCOL = 0x88b5;

/// A static network without shadowing, nodes on a line.
struct Line
{
    explicit Line(const std::vector<double>& xs, double txPower = 0)
    {
        ns3::RngSeedManager::SetSeed(1);
        ns3::RngSeedManager::SetRun(1);
        nodes.Create(static_cast<uint32_t>(xs.size()));
        for (uint32_t i = 0; i < xs.size(); ++i)
        {
            auto position = ns3::CreateObject<ns3::ConstantPositionMobilityModel>();
            position->SetPosition({xs[i], 0, 0});
            nodes.Get(i)->AggregateObject(position);
        }
        channel = WsnHelper::CreateStaticChannel(0, 0);
        WsnHelper helper;
        helper.SetTxPower(txPower);
        helper.SetPerfectClocks(true);
        devices = helper.Install(nodes, channel);
        WsnHelper::AssignStreams(devices, 10);
    }

    ~Line()
    {
        ns3::Simulator::Destroy();
    }

    WsnNetDevice& Device(uint32_t i)
    {
        return dynamic_cast<WsnNetDevice&>(*devices.Get(i));
    }

    void Send(uint32_t i, ns3::Time when, ns3::Address to, uint32_t bytes = 110)
    {
        ns3::Simulator::Schedule(when, [this, i, to, bytes] {
            Device(i).Send(ns3::Create<ns3::Packet>(bytes), to, PROTOCOL);
        });
    }

    ns3::NodeContainer nodes;
    ns3::Ptr<WirelessChannel> channel;
    ns3::NetDeviceContainer devices;
};

/*
 * a        |10 us|---- 4 ms ----|
 * b                             |10 us| received
 */
class TimingTestCase : public TestCase
{
  public:
    TimingTestCase()
        : TestCase("A packet of 110 B on an idle channel takes 4.02 ms and 125 B on the air")
    {
    }

  private:
    void DoRun() override
    {
        Line line({0, 20});
        ns3::Time received;
        uint32_t onAir = 0;
        line.Device(1).SetReceiveCallback(ns3::Callback<bool,
                                                        ns3::Ptr<ns3::NetDevice>,
                                                        ns3::Ptr<const ns3::Packet>,
                                                        uint16_t,
                                                        const ns3::Address&>(
            [&](auto, auto packet, uint16_t protocol, const auto& source) {
                received = ns3::Simulator::Now();
                NS_TEST_EXPECT_MSG_EQ(packet->GetSize(), 110, "the packet, no header added");
                NS_TEST_EXPECT_MSG_EQ(protocol, PROTOCOL, "its protocol");
                NS_TEST_EXPECT_MSG_EQ(source, line.Device(0).GetAddress(), "its source");
                NS_TEST_EXPECT_MSG_EQ(ns3::Simulator::GetContext(),
                                      line.nodes.Get(1)->GetId(),
                                      "in the receiver's context");
                return true;
            }));
        line.Device(0).TraceConnectWithoutContext(
            "Transmit",
            ns3::Callback<void, ns3::Ptr<const ns3::Packet>, uint16_t, ns3::Mac48Address, uint32_t>(
                [&](auto, uint16_t, auto, uint32_t bytes) {
                    onAir = bytes;
                    NS_TEST_EXPECT_MSG_EQ(ns3::Simulator::Now(),
                                          ns3::MicroSeconds(1'000'010),
                                          "after the turnaround");
                }));
        line.Send(0, ns3::Seconds(1), ns3::Mac48Address::GetBroadcast());
        ns3::Simulator::Stop(ns3::Seconds(2));
        ns3::Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(received, ns3::MicroSeconds(1'004'020), "time of reception");
        NS_TEST_EXPECT_MSG_EQ(onAir, 125, "bytes on the air");
        NS_TEST_EXPECT_MSG_EQ(line.Device(1).GetRadio()->GetCounts()[0], 1, "one clean reception");
    }
};

class AddressTestCase : public TestCase
{
  public:
    AddressTestCase()
        : TestCase("Unicast frames for others are dropped quietly, promiscuous callbacks see them")
    {
    }

  private:
    void DoRun() override
    {
        Line line({0, 10, 20});
        std::array<int, 3> received{};
        std::array<int, 3> direct{};
        int overheard = 0;
        for (uint32_t i = 1; i < 3; ++i)
        {
            line.Device(i).SetReceiveCallback(ns3::Callback<bool,
                                                            ns3::Ptr<ns3::NetDevice>,
                                                            ns3::Ptr<const ns3::Packet>,
                                                            uint16_t,
                                                            const ns3::Address&>(
                [&received, i](auto, auto, uint16_t, const auto&) { return ++received[i] > 0; }));
        }
        line.Send(0, ns3::Seconds(1), line.Device(1).GetAddress());
        line.Send(0, ns3::Seconds(2), ns3::Mac48Address::GetBroadcast());
        ns3::Simulator::Schedule(ns3::Seconds(3), [&] {
            line.Device(1).SetWantsSignalQuality(true);
            line.Device(1).SetDirectReceiveCallback(
                PROTOCOL,
                [this, &direct](const auto&, float rssi) {
                    NS_TEST_EXPECT_MSG_EQ_TOL(rssi, -79.0F, 0.5F, "its RSSI at 10 m, dBm");
                    ++direct[1];
                });
            line.Device(2).SetPromiscReceiveCallback(ns3::Callback<bool,
                                                                   ns3::Ptr<ns3::NetDevice>,
                                                                   ns3::Ptr<const ns3::Packet>,
                                                                   uint16_t,
                                                                   const ns3::Address&,
                                                                   const ns3::Address&,
                                                                   ns3::NetDevice::PacketType>(
                [&](auto, auto, uint16_t, const auto&, const auto&, auto type) {
                    NS_TEST_EXPECT_MSG_EQ(type, ns3::NetDevice::PACKET_OTHERHOST, "overheard");
                    return ++overheard > 0;
                }));
        });
        line.Send(0, ns3::Seconds(4), line.Device(1).GetAddress());
        ns3::Simulator::Stop(ns3::Seconds(5));
        ns3::Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(received[1], 2, "unicast and broadcast");
        NS_TEST_EXPECT_MSG_EQ(received[2], 1, "broadcast only");
        NS_TEST_EXPECT_MSG_EQ(direct[1], 1, "past the node");
        NS_TEST_EXPECT_MSG_EQ(overheard, 1, "promiscuous");
        NS_TEST_EXPECT_MSG_EQ(line.Device(1).Send(ns3::Create<ns3::Packet>(1010),
                                                  ns3::Mac48Address::GetBroadcast(),
                                                  PROTOCOL),
                              false,
                              "larger than the MTU of 1009 B");
    }
};

class BurstTestCase : public TestCase
{
  public:
    BurstTestCase()
        : TestCase("Of 40 packets at once 32 go out back to back and 8 overflow")
    {
    }

  private:
    void DoRun() override
    {
        Line line({0, 20});
        int dropped = 0;
        std::vector<ns3::Time> starts;
        line.Device(0).TraceConnectWithoutContext(
            "MacDrop",
            ns3::Callback<void, ns3::Ptr<const ns3::Packet>, uint16_t, ns3::Mac48Address, uint32_t>(
                [&](auto, uint16_t, auto, uint32_t) { ++dropped; }));
        line.Device(0).TraceConnectWithoutContext(
            "Transmit",
            ns3::Callback<void, ns3::Ptr<const ns3::Packet>, uint16_t, ns3::Mac48Address, uint32_t>(
                [&](auto, uint16_t, auto, uint32_t) { starts.push_back(ns3::Simulator::Now()); }));
        for (int i = 0; i < 40; ++i)
        {
            line.Send(0, ns3::Seconds(1), ns3::Mac48Address::GetBroadcast());
        }
        ns3::Simulator::Stop(ns3::Seconds(2));
        ns3::Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(dropped, 8, "overflow");
        NS_TEST_ASSERT_MSG_EQ(starts.size(), 32, "sent");
        for (size_t i = 1; i < starts.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(starts[i] - starts[i - 1], ns3::MilliSeconds(4), "no gap");
        }
        NS_TEST_EXPECT_MSG_EQ(line.Device(0).GetMac()->GetOverflows(), 8, "counter");
    }
};

class LostInRadioTestCase : public TestCase
{
  public:
    LostInRadioTestCase()
        : TestCase("Frames that the radio loses are told as dropped, and what it cuts off is not "
                   "received")
    {
    }

  private:
    void DoRun() override
    {
        Line line({0, 20});
        int dropped = 0;
        int received = 0;
        WsnNetDevice& device = line.Device(0);
        device.TraceConnectWithoutContext(
            "MacDrop",
            ns3::Callback<void, ns3::Ptr<const ns3::Packet>, uint16_t, ns3::Mac48Address, uint32_t>(
                [&](auto, uint16_t, auto, uint32_t) { ++dropped; }));
        line.Device(1).SetDirectReceiveCallback(PROTOCOL,
                                                [&](const WsnFrame&, float) { ++received; });
        // A chain: a long frame, and two short ones that the MAC hands over while it is on the air.
        device.GetRadio()->SetAttribute("BufferSize", ns3::UintegerValue(1));
        line.Send(0, ns3::Seconds(1), ns3::Mac48Address::GetBroadcast(), 1000);
        line.Send(0, ns3::Seconds(1), ns3::Mac48Address::GetBroadcast(), 20);
        line.Send(0, ns3::Seconds(1), ns3::Mac48Address::GetBroadcast(), 20);
        ns3::Simulator::Stop(ns3::Seconds(2));
        ns3::Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(dropped, 1, "no room in the radio");
        NS_TEST_EXPECT_MSG_EQ(received, 2, "the others arrive");

        // Off and on again during a frame that has another behind it; then a third at once.
        dropped = received = 0;
        bool sends = false;
        line.Send(0, ns3::Seconds(0), ns3::Mac48Address::GetBroadcast(), 1000);
        line.Send(0, ns3::Seconds(0), ns3::Mac48Address::GetBroadcast(), 20);
        ns3::Simulator::Schedule(ns3::MilliSeconds(32), [&device] {
            device.SetOn(false);
            device.SetOn(true);
        });
        line.Send(0, ns3::MilliSeconds(32), ns3::Mac48Address::GetBroadcast(), 900);
        ns3::Simulator::Schedule(ns3::MilliSeconds(40), [&] {
            sends = device.GetRadio()->AssessChannel() == ChannelAssessment::NOT_VALID;
        });
        ns3::Simulator::Stop(ns3::Seconds(1));
        ns3::Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(dropped, 1, "in the radio's buffer");
        NS_TEST_EXPECT_MSG_EQ(received, 0, "neither the one cut off nor what overlaps it");

        // Off during a frame that nothing disturbs.
        const auto whole = line.Device(1).GetRadio()->GetCounts()[0];
        line.Send(0, ns3::Seconds(0), ns3::Mac48Address::GetBroadcast(), 1000);
        ns3::Simulator::Schedule(ns3::MilliSeconds(20), [&device] { device.SetOn(false); });
        ns3::Simulator::Stop(ns3::Seconds(1));
        ns3::Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(received, 0, "it is cut off");
        NS_TEST_EXPECT_MSG_EQ(line.Device(1).GetRadio()->GetCounts()[0], whole, "and told so");
        NS_TEST_EXPECT_MSG_EQ(sends, true, "the first one's end does not end the third");
    }
};

class RangeTestCase : public TestCase
{
  public:
    RangeTestCase()
        : TestCase("Sensitivity at 46.4 m, delivery at 75 m, nothing beyond; per output power")
    {
    }

  private:
    void DoRun() override
    {
        {
            Line line({0, 46.3, 46.5, 74.9, 75.1});
            line.Send(0, ns3::Seconds(1), ns3::Mac48Address::GetBroadcast());
            ns3::Simulator::Stop(ns3::Seconds(2));
            ns3::Simulator::Run();
            const auto outcome = [&line](uint32_t i, SignalOutcome o) {
                return line.Device(i).GetRadio()->GetCounts()[static_cast<size_t>(o)];
            };
            NS_TEST_EXPECT_MSG_EQ(outcome(1, SignalOutcome::FAIL_NO_INTERFERENCE), 1, "46.3 m");
            NS_TEST_EXPECT_MSG_EQ(outcome(2, SignalOutcome::FAIL_SENSITIVITY), 1, "46.5 m");
            NS_TEST_EXPECT_MSG_EQ(outcome(3, SignalOutcome::FAIL_SENSITIVITY), 1, "74.9 m");
            NS_TEST_EXPECT_MSG_EQ(outcome(4, SignalOutcome::FAIL_SENSITIVITY), 0, "75.1 m");
            NS_TEST_EXPECT_MSG_EQ(line.channel->IsUsable(0, 1), true, "usable");
            NS_TEST_EXPECT_MSG_EQ(line.channel->IsUsable(0, 2), false, "too weak");
            NS_TEST_EXPECT_MSG_EQ(line.channel->IsUsable(0, 0), false, "not to itself");
            NS_TEST_EXPECT_MSG_EQ(std::isinf(line.channel->GetPathLossDb(0, 4)), true, "pruned");
        }
        Line weak({0, 17.7, 17.9}, -10);
        NS_TEST_EXPECT_MSG_EQ(weak.channel->IsUsable(0, 1), true, "-10 dBm");
        NS_TEST_EXPECT_MSG_EQ(weak.channel->IsUsable(0, 2), false, "-10 dBm");
        Line cut({0, 11, 13}, -10); // -90.0 dBm is at 11.4 m
        cut.channel->SetAttribute("DeliveryThreshold", ns3::DoubleValue(-90));
        NS_TEST_EXPECT_MSG_EQ((cut.channel->GetUsableLinks(0) == std::vector<uint32_t>{1}),
                              true,
                              "above the delivery threshold");
        NS_TEST_EXPECT_MSG_EQ(cut.channel->IsUsable(0, 1), true, "above the delivery threshold");
        NS_TEST_EXPECT_MSG_EQ(cut.channel->IsUsable(0, 2), false, "below the delivery threshold");
    }
};

class CellTestCase : public TestCase
{
  public:
    CellTestCase()
        : TestCase("In the mobile case places are cells, seen at the sampling only")
    {
    }

  private:
    void DoRun() override
    {
        ns3::NodeContainer nodes;
        nodes.Create(2);
        auto still = ns3::CreateObject<ns3::ConstantPositionMobilityModel>();
        still->SetPosition({1, 1, 0});
        nodes.Get(0)->AggregateObject(still);
        auto moving = ns3::CreateObject<LineMobilityModel>();
        moving->SetLine({4, 1, 0}, {14, 1, 0}, 10);
        nodes.Get(1)->AggregateObject(moving);
        auto channel = WsnHelper::CreateMobileChannel(40, 40, 0, 0);
        const auto devices = WsnHelper().Install(nodes, channel);
        int updates = 0;
        channel->TraceConnectWithoutContext("PositionsUpdated",
                                            ns3::Callback<void>([&updates] { ++updates; }));
        std::vector<double> losses;
        // After 0.15 s it is at 5.5 m, but was last seen at 5; back in the first cell at 2 s.
        for (const double time : {0.05, 0.15, 0.75, 2.05})
        {
            ns3::Simulator::Schedule(ns3::Seconds(time), [&losses, channel] {
                losses.push_back(channel->GetPathLossDb(0, 1));
            });
        }
        ns3::Simulator::Stop(ns3::Seconds(2.06));
        ns3::Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(losses.at(0), 0, "one cell: no path loss");
        NS_TEST_EXPECT_MSG_EQ_TOL(losses.at(1), 55 + 24 * std::log10(5), 1e-4, "next cell");
        NS_TEST_EXPECT_MSG_EQ_TOL(losses.at(2), 55 + 24 * std::log10(10), 1e-4, "two cells");
        NS_TEST_EXPECT_MSG_EQ(losses.at(3), 0, "back");
        NS_TEST_EXPECT_MSG_EQ(updates, 4, "5, 10, back to 5, and to the first cell");
        ns3::Simulator::Destroy();
    }
};

class OutsideTestCase : public TestCase
{
  public:
    OutsideTestCase()
        : TestCase("A node outside the field hears and is heard as from the nearest cell")
    {
    }

  private:
    void DoRun() override
    {
        ns3::NodeContainer nodes;
        nodes.Create(2);
        auto channel = WsnHelper::CreateMobileChannel(1000, 1000, 0, 0);
        const auto devices = WsnHelper().Install(nodes, channel);
        channel->SetPosition(0, {960, 500});
        channel->SetPosition(1, {1400, 500});
        NS_TEST_EXPECT_MSG_EQ(channel->IsUsable(1, 0), true, "35 m between the cells");
        for (const uint32_t from : {0, 1})
        {
            const std::vector<uint32_t> other{1 - from};
            NS_TEST_EXPECT_MSG_EQ((channel->GetUsableLinks(from) == other), true, from);
        }
        ns3::Simulator::Destroy();
    }
};

/// The cut distance sizes the buckets of the search: it must be a number in them, however far or
/// near.
class ExtremeReachTestCase : public TestCase
{
  public:
    ExtremeReachTestCase()
        : TestCase("A channel may carry everywhere or nowhere, wherever the nodes are")
    {
    }

  private:
    struct Reach
    {
        std::string attribute;
        double value;
        size_t heard; //!< others who hear a node, 900 m away
    };

    void Expect(const ns3::Ptr<WirelessChannel>& channel, const Reach& reach, double apart)
    {
        channel->SetAttribute(reach.attribute, ns3::DoubleValue(reach.value));
        ns3::NodeContainer nodes;
        nodes.Create(3);
        const auto devices = WsnHelper().Install(nodes, channel);
        for (uint32_t i = 0; i < 3; ++i)
        {
            channel->SetPosition(i, {i * apart, i * apart});
        }
        const auto heard = apart == 0 ? size_t{2} : reach.heard; // no loss at one place
        NS_TEST_EXPECT_MSG_EQ(channel->GetUsableLinks(0).size(),
                              heard,
                              reach.attribute << " " << reach.value << ", " << apart << " m");
        ns3::Simulator::Destroy();
    }

    void DoRun() override
    {
        for (const auto& reach : {Reach{"Exponent", 0.1, 2}, Reach{"ReferenceLoss", 1e5, 0}})
        {
            for (const double apart : {0.0, 900.0})
            {
                Expect(WsnHelper::CreateStaticChannel(0, 0), reach, apart);
                Expect(WsnHelper::CreateMobileChannel(2000, 2000, 0, 0), reach, apart);
            }
        }
    }
};

class LargeFieldTestCase : public TestCase
{
  public:
    LargeFieldTestCase()
        : TestCase("In a field of any size the search finds just those who get a frame")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t count = 150;
        for (const double side : {100.0, 200.0, 1000.0})
        {
            ns3::NodeContainer nodes;
            nodes.Create(count);
            auto channel = WsnHelper::CreateMobileChannel(side, side, 4, 1);
            const auto devices = WsnHelper().Install(nodes, channel);
            for (uint32_t i = 0; i < count; ++i) // a spiral
            {
                const double radius = side / 2 * i / count;
                channel->SetPosition(
                    i,
                    {side / 2 + radius * std::cos(i), side / 2 + radius * std::sin(i)});
            }
            uint32_t links = 0;
            for (uint32_t from = 0; from < count; ++from)
            {
                std::vector<uint32_t> usable;
                for (uint32_t to = 0; to < count; ++to)
                {
                    if (from == to)
                    {
                        continue;
                    }
                    const double uncut = channel->GetUncutPathLossDb(from, to);
                    const double loss = channel->GetPathLossDb(from, to);
                    if (std::isinf(loss))
                    {
                        const bool isCut = channel->GetMeanPathLossDb(from, to) > 100 + 3 * 4;
                        NS_TEST_EXPECT_MSG_EQ((isCut || uncut > 99.999), true, from << ":" << to);
                    }
                    else
                    {
                        NS_TEST_EXPECT_MSG_EQ_TOL(loss, uncut, 1e-4, from << " to " << to);
                    }
                    if (channel->IsUsable(from, to))
                    {
                        usable.push_back(to);
                    }
                }
                links += usable.size();
                NS_TEST_EXPECT_MSG_EQ((usable == channel->GetUsableLinks(from)), true, from);
            }
            NS_TEST_EXPECT_MSG_GT(links, count, "side " << side);
            ns3::Simulator::Destroy();
        }
    }
};

class MovingPairsTestCase : public TestCase
{
  public:
    MovingPairsTestCase()
        : TestCase(
              "Moving pairs keep their shadowing while the mean path loss follows the distance")
    {
    }

  private:
    static ns3::Ptr<WirelessChannel> MakeChannel(WirelessChannel::Mode mode, double x)
    {
        ns3::NodeContainer nodes;
        nodes.Create(2);
        auto channel = WsnHelper::CreateMobileChannel(100, 100, 4, 1);
        channel->SetAttribute("Mode", ns3::EnumValue(mode));
        channel->AssignStreams(7);
        WsnHelper().Install(nodes, channel);
        channel->SetPosition(1, {x, 0});
        return channel;
    }

    void DoRun() override
    {
        const auto still = MakeChannel(WirelessChannel::STATIC, 10);
        const auto moving = MakeChannel(WirelessChannel::MOVING_PAIRS, 10);
        const double there = moving->GetPathLossDb(0, 1);
        const double back = moving->GetPathLossDb(1, 0);
        NS_TEST_EXPECT_MSG_EQ(there, still->GetPathLossDb(0, 1), "at first as if nothing moved");
        NS_TEST_EXPECT_MSG_EQ(back, still->GetPathLossDb(1, 0), "the other way too");
        NS_TEST_EXPECT_MSG_NE(there, back, "each direction has its own");

        moving->SetPosition(1, {20, 0});
        const double further = 24 * std::log10(2);
        NS_TEST_EXPECT_MSG_EQ_TOL(moving->GetPathLossDb(0, 1), there + further, 1e-4, "mean only");
        NS_TEST_EXPECT_MSG_EQ_TOL(moving->GetPathLossDb(1, 0), back + further, 1e-4, "mean only");
        moving->SetPosition(1, {0, 10});
        NS_TEST_EXPECT_MSG_EQ(moving->GetPathLossDb(0, 1), there, "the same distance elsewhere");
        ns3::Simulator::Destroy();
    }
};

/// A node that walks out of reach is heard until then only.
class MovingPairsReachTestCase : public TestCase
{
  public:
    MovingPairsReachTestCase()
        : TestCase("With moving pairs a node that walks away is heard until it is out of reach")
    {
    }

  private:
    void DoRun() override
    {
        ns3::NodeContainer nodes;
        nodes.Create(2);
        auto still = ns3::CreateObject<ns3::ConstantPositionMobilityModel>();
        nodes.Get(0)->AggregateObject(still);
        auto walking = ns3::CreateObject<LineMobilityModel>();
        walking->SetLine({1, 0, 0}, {99, 0, 0}, 10);
        nodes.Get(1)->AggregateObject(walking);
        auto channel = WsnHelper::CreateMobileChannel(100, 100, 0, 0);
        channel->SetAttribute("Mode", ns3::EnumValue(WirelessChannel::MOVING_PAIRS));
        WsnHelper helper;
        helper.SetPerfectClocks(true);
        const auto devices = helper.Install(nodes, channel);
        WsnHelper::AssignStreams(devices, 10);
        std::vector<double> heardAt; // m from the sender
        ns3::DynamicCast<WsnNetDevice>(devices.Get(0))
            ->SetReceiveCallback(ns3::Callback<bool,
                                               ns3::Ptr<ns3::NetDevice>,
                                               ns3::Ptr<const ns3::Packet>,
                                               uint16_t,
                                               const ns3::Address&>([&](auto, auto, auto, auto&) {
                heardAt.push_back(walking->GetPosition().x);
                return true;
            }));
        for (int second = 1; second < 9; ++second)
        {
            ns3::Simulator::Schedule(ns3::Seconds(second), [devices] {
                devices.Get(1)->Send(ns3::Create<ns3::Packet>(50),
                                     ns3::Mac48Address::GetBroadcast(),
                                     PROTOCOL);
            });
        }
        ns3::Simulator::Stop(ns3::Seconds(9));
        ns3::Simulator::Run();
        // -95 dBm are reached at 10^(40 / 24) m = 46.4 m; near it bits begin to fail.
        NS_TEST_ASSERT_MSG_GT_OR_EQ(heardAt.size(), 3, "11, 21 and 31 m at least");
        NS_TEST_EXPECT_MSG_LT(heardAt.back(), 46.5, "not out of reach");
        ns3::Simulator::Destroy();
    }
};

class TableTestCase : public TestCase
{
  public:
    TableTestCase()
        : TestCase("An explicit table replaces the formula; what does not exist is refused")
    {
    }

  private:
    void DoRun() override
    {
        Line line({0, 10, 20});
        const std::array entries{PathLossEntry{0, 2, 60.0F}};
        line.channel->SetPathLossTable(entries);
        NS_TEST_EXPECT_MSG_EQ(line.channel->GetPathLossDb(0, 2), 60, "given");
        NS_TEST_EXPECT_MSG_EQ(line.channel->IsUsable(2, 0), false, "one way only");
        NS_TEST_EXPECT_MSG_EQ(line.channel->IsUsable(0, 1), false, "not named");
        int refused = 0;
        try
        {
            line.channel->SetPathLossTable(entries);
        }
        catch (const std::logic_error&)
        {
            ++refused;
        }
        try
        {
            line.channel->GetPathLossDb(0, 3);
        }
        catch (const std::out_of_range&)
        {
            ++refused;
        }
        try
        {
            WsnHelper::CreateMobileChannel(0, 10);
        }
        catch (const std::invalid_argument&)
        {
            ++refused;
        }
        NS_TEST_EXPECT_MSG_EQ(refused, 3, "errors are exceptions");
    }
};

class AsleepTestCase : public TestCase
{
  public:
    AsleepTestCase()
        : TestCase("A radio that sleeps senses nothing of what is on the air")
    {
    }

  private:
    void DoRun() override
    {
        Line line({0, 10, 20});
        ns3::Simulator::Schedule(ns3::Seconds(1), [&] { line.Device(1).SetAsleep(true); });
        line.Send(0, ns3::Seconds(2), line.Device(2).GetAddress());
        std::vector<float> sensed;
        ns3::Simulator::Schedule(ns3::Seconds(2.002), [&] {
            for (const uint32_t device : {1U, 2U})
            {
                sensed.push_back(line.Device(device).GetRadio()->ReadRssi());
            }
        });
        ns3::Simulator::Stop(ns3::Seconds(3));
        ns3::Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(sensed.at(0), -100, "the noise floor");
        NS_TEST_EXPECT_MSG_GT(sensed.at(1), -95, "who is awake senses it");
    }
};

/*
 * A      B      C          A and C do not hear each other well enough to receive
 *  RREQ ->  RREQ ->
 *  <- RREP  <- RREP
 *  data -> data ->
 */
class AodvTestCase : public TestCase
{
  public:
    AodvTestCase()
        : TestCase("ns-3's AODV routes a datagram over two hops")
    {
    }

  private:
    void DoRun() override
    {
        Line line({0, 25, 50});
        ns3::AodvHelper aodv;
        ns3::InternetStackHelper stack;
        stack.SetRoutingHelper(aodv);
        stack.Install(line.nodes);
        aodv.AssignStreams(line.nodes, 1000);
        ns3::Ipv4AddressHelper addresses("10.0.0.0", "255.255.0.0");
        const auto interfaces = addresses.Assign(line.devices);

        uint32_t received = 0;
        uint32_t bytes = 0;
        const auto type = ns3::UdpSocketFactory::GetTypeId();
        const auto sink = ns3::Socket::CreateSocket(line.nodes.Get(2), type);
        sink->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), 9));
        sink->SetRecvCallback(
            ns3::Callback<void, ns3::Ptr<ns3::Socket>>([&](ns3::Ptr<ns3::Socket> socket) {
                while (const auto packet = socket->Recv())
                {
                    ++received;
                    bytes += packet->GetSize();
                }
            }));
        const auto source = ns3::Socket::CreateSocket(line.nodes.Get(0), type);
        source->Connect(ns3::InetSocketAddress(interfaces.GetAddress(2), 9));
        for (int i = 0; i < 5; ++i)
        {
            ns3::Simulator::Schedule(ns3::Seconds(5 + 2 * i),
                                     [source] { source->Send(ns3::Create<ns3::Packet>(100)); });
        }
        ns3::Simulator::Stop(ns3::Seconds(20));
        ns3::Simulator::Run();
        NS_TEST_EXPECT_MSG_GT_OR_EQ(received, 4, "datagrams over two hops");
        NS_TEST_EXPECT_MSG_EQ(bytes, 100 * received, "whole");
        source->Close();
        sink->Close();
    }
};

/// Routes over a neighbour that a device has given up end, to whichever node.
class AodvFeedbackTestCase : public TestCase
{
  public:
    AodvFeedbackTestCase()
        : TestCase("AODV is told of a broken link to any of many nodes")
    {
    }

  private:
    void DoRun() override
    {
        constexpr NodeId NODES = 600; // a RERR names 255
        Line line({0, 25, 50});
        ns3::AodvHelper aodv;
        ns3::InternetStackHelper stack;
        stack.SetRoutingHelper(aodv);
        stack.Install(line.nodes);
        const std::array<NodeId, 3> ids{0, 1, 255};
        for (uint32_t i = 0; i < ids.size(); ++i)
        {
            const auto ip = line.nodes.Get(i)->GetObject<ns3::Ipv4>();
            const auto interface = ip->AddInterface(line.devices.Get(i));
            ip->AddAddress(interface, {ToIpv4Address(ids.at(i)), ns3::Ipv4Mask("255.255.0.0")});
            ip->SetUp(interface);
        }
        const auto source =
            ns3::Socket::CreateSocket(line.nodes.Get(0), ns3::UdpSocketFactory::GetTypeId());
        source->Connect(ns3::InetSocketAddress(ToIpv4Address(255), 9));
        ns3::Simulator::Schedule(ns3::Seconds(5),
                                 [source] { source->Send(ns3::Create<ns3::Packet>(100)); });
        std::vector<bool> isRouted;
        const auto look = [&](uint32_t at, NodeId to) {
            ns3::Ipv4Header header;
            header.SetDestination(ToIpv4Address(to));
            ns3::Socket::SocketErrno error{};
            const auto routing = line.nodes.Get(at)->GetObject<ns3::Ipv4>()->GetRoutingProtocol();
            const auto route =
                routing->RouteOutput(ns3::Create<ns3::Packet>(10), header, nullptr, error);
            isRouted.push_back(route && route->GetGateway() == ToIpv4Address(1));
        };
        ns3::Simulator::Schedule(ns3::Seconds(6), [&] {
            for (const auto& [at, to] : {std::pair{0U, ids.back()}, std::pair{2U, ids.front()}})
            {
                look(at, to);
                TellAodvOfBrokenLink(line.devices.Get(at), 1, NODES);
                look(at, to);
            }
        });
        ns3::Simulator::Stop(ns3::Seconds(6.1));
        ns3::Simulator::Run();
        const std::vector eachEnds{true, false, true, false};
        NS_TEST_EXPECT_MSG_EQ((isRouted == eachEnds), true, "the route ends");
        source->Close();
    }
};

class PcapTestCase : public TestCase
{
  public:
    PcapTestCase()
        : TestCase("A capture has the frames of a device")
    {
    }

  private:
    void DoRun() override
    {
        const auto file = CreateTempDirFilename("frames.pcap");
        Capture(file);
        ns3::PcapFile capture;
        capture.Open(file, std::ios::in);
        std::vector<uint32_t> sizes(2);
        std::array<uint8_t, 2000> frame{};
        for (auto& size : sizes)
        {
            uint32_t seconds{};
            uint32_t fraction{};
            uint32_t kept{};
            uint32_t read{};
            capture.Read(frame.data(), frame.size(), seconds, fraction, kept, size, read);
        }
        NS_TEST_EXPECT_MSG_EQ((sizes == std::vector<uint32_t>{124, 134}), true, "both ways");
        NS_TEST_EXPECT_MSG_EQ(std::ifstream(file + "-none").good(), false, "of none of ours");
    }

    /// Two frames, one each way; the file is closed behind them.
    void Capture(const std::string& file)
    {
        Line line({0, 10});
        const auto device = line.devices.Get(1);
        WsnHelper helper;
        helper.EnablePcap(file, device, true, true);
        helper.EnablePcap(file + "-none", ns3::CreateObject<ns3::SimpleNetDevice>(), true, true);
        auto isRefused = false;
        try
        {
            helper.EnablePcap(file + "/none", device, true, true);
        }
        catch (const std::runtime_error& error)
        {
            isRefused = std::string(error.what()).find(file + "/none") != std::string::npos;
        }
        NS_TEST_EXPECT_MSG_EQ(isRefused, true, "what cannot be written is named");
        line.Send(0, ns3::Seconds(1), device->GetAddress(), 110);
        line.Send(1, ns3::Seconds(2), line.devices.Get(0)->GetAddress(), 120);
        ns3::Simulator::Stop(ns3::Seconds(3));
        ns3::Simulator::Run();
    }
};

class WsnDeviceTestSuite : public TestSuite
{
  public:
    WsnDeviceTestSuite()
        : TestSuite("mftpubsub-wsn-device", Type::SYSTEM)
    {
        AddTestCase(new TimingTestCase, Duration::QUICK);
        AddTestCase(new AddressTestCase, Duration::QUICK);
        AddTestCase(new BurstTestCase, Duration::QUICK);
        AddTestCase(new LostInRadioTestCase, Duration::QUICK);
        AddTestCase(new RangeTestCase, Duration::QUICK);
        AddTestCase(new CellTestCase, Duration::QUICK);
        AddTestCase(new OutsideTestCase, Duration::QUICK);
        AddTestCase(new ExtremeReachTestCase, Duration::QUICK);
        AddTestCase(new LargeFieldTestCase, Duration::QUICK);
        AddTestCase(new MovingPairsTestCase, Duration::QUICK);
        AddTestCase(new MovingPairsReachTestCase, Duration::QUICK);
        AddTestCase(new TableTestCase, Duration::QUICK);
        AddTestCase(new AsleepTestCase, Duration::QUICK);
        AddTestCase(new AodvTestCase, Duration::QUICK);
        AddTestCase(new AodvFeedbackTestCase, Duration::QUICK);
        AddTestCase(new PcapTestCase, Duration::QUICK);
    }
};

const WsnDeviceTestSuite g_suite; //!< registers itself

} // namespace

} // namespace mftpubsub::wsn_device_test
