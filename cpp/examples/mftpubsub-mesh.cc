/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Sensor nodes that all move: two publish temperatures, four want the high ones, the others are
 * brokers. Prints each delivery, and what was delivered in all.
 *
 *     ./ns3 run "mftpubsub-mesh --protocol=mft-pubsub --speed=4 --trace=run.trace"
 */
#include "helper/pubsub-helper.h"
#include "wsn/wsn-helper.h"

#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/mobility-helper.h"
#include "ns3/pointer.h"
#include "ns3/position-allocator.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <iostream>

using namespace ns3;
using mftpubsub::WsnHelper;

namespace
{

constexpr uint32_t PUBLISHERS = 2;
constexpr uint32_t SUBSCRIBERS = 4;
constexpr uint32_t BROKERS = 10;
constexpr double SIDE = 80; // m

uint32_t g_delivered;
Time g_delays;

void
Delivered(std::string context, // NOLINT(performance-unnecessary-value-param): as ns-3 connects it
          uint32_t publisher,
          uint32_t sequence,
          const std::string& attributes,
          Time delay,
          uint32_t hops)
{
    ++g_delivered;
    g_delays += delay;
    std::cout << Simulator::Now().As(Time::S) << " " << context << ": " << publisher << "/"
              << sequence << " {" << attributes << "} after " << delay.As(Time::MS) << ", " << hops
              << " hops\n";
}

void
InstallMobility(const NodeContainer& nodes, double speed)
{
    const auto coordinate =
        StringValue("ns3::UniformRandomVariable[Min=0|Max=" + std::to_string(SIDE) + "]");
    const auto positions = CreateObjectWithAttributes<RandomRectanglePositionAllocator>("X",
                                                                                        coordinate,
                                                                                        "Y",
                                                                                        coordinate);
    MobilityHelper mobility;
    mobility.SetPositionAllocator(positions);
    if (speed > 0)
    {
        mobility.SetMobilityModel(
            "ns3::RandomWaypointMobilityModel",
            "Speed",
            StringValue("ns3::ConstantRandomVariable[Constant=" + std::to_string(speed) + "]"),
            "Pause",
            StringValue("ns3::ConstantRandomVariable[Constant=0]"),
            "PositionAllocator",
            PointerValue(positions));
    }
    mobility.Install(nodes);
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string protocol = "mft-mesh";
    std::string trace;
    double speed = 2;
    double seconds = 60;
    CommandLine cmd(__FILE__);
    cmd.AddValue("protocol", "what delivers the events", protocol);
    cmd.AddValue("speed", "of the nodes, m/s", speed);
    cmd.AddValue("seconds", "that are simulated", seconds);
    cmd.AddValue("trace", "file for the run's trace", trace);
    cmd.Parse(argc, argv);

    NodeContainer publishers;
    publishers.Create(PUBLISHERS);
    NodeContainer subscribers;
    subscribers.Create(SUBSCRIBERS);
    NodeContainer brokers;
    brokers.Create(BROKERS);
    const NodeContainer nodes(publishers, subscribers, brokers);
    InstallMobility(nodes, speed);
    const auto channel = WsnHelper::CreateMobileChannel(SIDE, SIDE);
    channel->AssignStreams(100);
    const auto devices = WsnHelper().Install(nodes, channel);
    WsnHelper::AssignStreams(devices, 1000);

    PubSubHelper pubsub(protocol);
    pubsub.SetRole(brokers, "broker");
    pubsub.SetRole(publishers, "publisher");
    pubsub.Subscribe(subscribers, "temp > 20");
    const auto applications = pubsub.Install(devices);
    pubsub.AssignStreams(applications, 0);
    for (double at = 5; at < seconds - 10; at += 1)
    {
        const auto temperature = 15 + static_cast<int>(at) % 10;
        pubsub.PublishAt(Seconds(at), publishers, "temp = " + std::to_string(temperature), 50);
    }
    if (!trace.empty())
    {
        pubsub.WriteTrace(trace);
    }
    Config::Connect("/NodeList/*/ApplicationList/*/$mftpubsub::PubSubApplication/Delivered",
                    MakeCallback(&Delivered));

    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
    Simulator::Destroy();
    std::cout << protocol << ": " << g_delivered << " deliveries, mean delay "
              << (g_delivered ? g_delays / g_delivered : Time()).As(Time::MS) << "\n";
    return 0;
}
