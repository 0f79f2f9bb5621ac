/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The same network, movement and events under several protocols, one run after the other: what was
 * delivered of what was wanted, how late, and with how many frames a node.
 *
 *     ./ns3 run "mftpubsub-aodv-comparison --speed=8"
 */
#include "helper/pubsub-helper.h"
#include "wsn/wsn-helper.h"

#include "ns3/callback.h"
#include "ns3/command-line.h"
#include "ns3/double.h"
#include "ns3/mobility-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <iomanip>
#include <iostream>

using namespace ns3;
using mftpubsub::WsnHelper;

namespace
{

constexpr uint32_t NODES = 16;
constexpr uint32_t PUBLISHERS = 2;  // the first ones
constexpr uint32_t SUBSCRIBERS = 6; // those after them
constexpr double SIDE = 80;         // m
constexpr double SECONDS = 60;

struct Counts
{
    uint32_t published{0};
    uint32_t delivered{0};
    double delays{0}; // s
    uint32_t frames{0};
};

void
Published(Counts* counts, uint32_t, uint32_t, const std::string&, uint32_t)
{
    ++counts->published;
}

void
Delivered(Counts* counts, uint32_t, uint32_t, const std::string&, Time delay, uint32_t)
{
    ++counts->delivered;
    counts->delays += delay.GetSeconds();
}

void
Sent(Counts* counts, Ptr<const Packet>, uint16_t, Mac48Address, uint32_t)
{
    ++counts->frames;
}

/// @return the nodes [first, first + number) of @p nodes
NodeContainer
Some(const NodeContainer& nodes, uint32_t first, uint32_t number)
{
    NodeContainer some;
    for (uint32_t i = first; i < first + number; ++i)
    {
        some.Add(nodes.Get(i));
    }
    return some;
}

/// Nodes that walk at @p speed, the same ways in each run.
void
InstallMobility(const NodeContainer& nodes, double speed)
{
    MobilityHelper mobility;
    const auto bounds = std::to_string(SIDE);
    const auto coordinate = StringValue("ns3::UniformRandomVariable[Min=0|Max=" + bounds + "]");
    mobility.SetPositionAllocator("ns3::RandomRectanglePositionAllocator",
                                  "X",
                                  coordinate,
                                  "Y",
                                  coordinate);
    mobility.SetMobilityModel(
        "ns3::RandomWalk2dMobilityModel",
        "Bounds",
        StringValue("0|" + bounds + "|0|" + bounds),
        "Speed",
        StringValue("ns3::ConstantRandomVariable[Constant=" + std::to_string(speed) + "]"),
        "Distance",
        DoubleValue(SIDE / 4));
    mobility.Install(nodes);
    mobility.AssignStreams(nodes, 10);
}

Counts
Run(const std::string& protocol, double speed)
{
    NodeContainer nodes;
    nodes.Create(NODES);
    InstallMobility(nodes, speed);
    const auto channel = WsnHelper::CreateMobileChannel(SIDE, SIDE);
    channel->AssignStreams(1000);
    const auto devices = WsnHelper().Install(nodes, channel);
    WsnHelper::AssignStreams(devices, 2000);

    PubSubHelper pubsub(protocol);
    pubsub.SetRole(nodes, "broker");
    const auto publishers = Some(nodes, 0, PUBLISHERS);
    pubsub.SetRole(publishers, "publisher");
    pubsub.Subscribe(Some(nodes, PUBLISHERS, SUBSCRIBERS), "topic = 'wind'");
    const auto applications = pubsub.Install(devices);
    pubsub.AssignStreams(applications, 3000);
    for (double at = 10; at < SECONDS - 10; at += 1)
    {
        pubsub.PublishAt(Seconds(at), publishers, "topic = 'wind'", 100);
    }

    Counts counts;
    for (uint32_t i = 0; i < NODES; ++i)
    {
        applications.Get(i)->TraceConnectWithoutContext("Published",
                                                        MakeBoundCallback(&Published, &counts));
        applications.Get(i)->TraceConnectWithoutContext("Delivered",
                                                        MakeBoundCallback(&Delivered, &counts));
        devices.Get(i)->TraceConnectWithoutContext("Transmit", MakeBoundCallback(&Sent, &counts));
    }
    Simulator::Stop(Seconds(SECONDS));
    Simulator::Run();
    Simulator::Destroy();
    return counts;
}

} // namespace

int
main(int argc, char* argv[])
{
    double speed = 4;
    CommandLine cmd(__FILE__);
    cmd.AddValue("speed", "of the nodes, m/s", speed);
    cmd.Parse(argc, argv);

    std::cout << std::fixed << std::setprecision(3) << std::setw(18) << "protocol" << std::setw(12)
              << "delivered" << std::setw(14) << "mean delay/s" << std::setw(14) << "frames/node"
              << "\n";
    for (const std::string protocol : {"mft-mesh", "mft-pubsub", "aodv", "aodv-tuned-acked"})
    {
        const auto counts = Run(protocol, speed);
        const auto wanted = counts.published * SUBSCRIBERS;
        std::cout << std::setw(18) << protocol << std::setw(12) << double(counts.delivered) / wanted
                  << std::setw(14) << counts.delays / std::max(counts.delivered, 1U)
                  << std::setw(14) << counts.frames / NODES << "\n";
    }
    return 0;
}
