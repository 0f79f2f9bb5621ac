/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A protocol of one's own: every broker broadcasts an event once with probability `p`. It is
 * registered under a name, and installed like those that ship.
 *
 *     ./ns3 run mftpubsub-own-protocol
 */
#include "content/content-codec.h"
#include "helper/pubsub-helper.h"
#include "protocols/own/simple-station.h"
#include "wsn/wsn-helper.h"

#include "ns3/callback.h"
#include "ns3/command-line.h"
#include "ns3/double.h"
#include "ns3/mobility-helper.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <iostream>
#include <map>
#include <utility>

using namespace ns3;
using mftpubsub::WsnHelper;

namespace
{

namespace mesh = mftpubsub::mesh;

double g_probability = 0.7;

/// Gossip: publishers always broadcast, brokers what chance tells them to.
class Gossip : public mesh::SimpleStation
{
  public:
    explicit Gossip(mesh::StationSeat seat)
        : SimpleStation(std::move(seat), {"DATA"})
    {
    }

  private:
    struct Copy
    {
        mftpubsub::EventPtr event;
        uint8_t hops{0};
    };

    void OnStart() override
    {
    }

    void OnPublish(const mftpubsub::EventPtr& event) override
    {
        Hear({event, 0}, GetId(), 1);
    }

    void OnReceive(const mesh::OwnMessage& message, mftpubsub::NodeId sender, double) override
    {
        mftpubsub::ByteReader in(message.body);
        const auto hops = in.Get<uint8_t>();
        Hear({mftpubsub::ReadEvent(in), hops}, sender, Has(mesh::BROKER) ? g_probability : 0);
    }

    void OnTimer(uint64_t key) override
    {
        const auto& copy = m_copies.at(key);
        mftpubsub::ByteWriter body;
        body.Put(static_cast<uint8_t>(copy.hops + 1));
        mftpubsub::WriteEvent(body, *copy.event);
        Broadcast({0, mftpubsub::NO_NODE, body.Take(), {copy.event->id}});
    }

    void Hear(const Copy& copy, mftpubsub::NodeId sender, double probability)
    {
        Deliver(copy.event, sender, copy.hops);
        const auto key = uint64_t{copy.event->id.publisher} << 32 | copy.event->id.sequence;
        if (m_copies.emplace(key, copy).second && Draw() < probability)
        {
            // Within 50 ms, so that neighbours do not send at once.
            SetTimer(key, mftpubsub::Instant(static_cast<int64_t>(Draw() * 50e6)));
        }
    }

    std::map<uint64_t, Copy> m_copies; // by event
};

const bool REGISTERED = mesh::Register<Gossip>("gossip");

uint32_t g_delivered;

void
Delivered(uint32_t, uint32_t, const std::string&, Time, uint32_t)
{
    ++g_delivered;
}

} // namespace

int
main(int argc, char* argv[])
{
    CommandLine cmd(__FILE__);
    cmd.AddValue("p", "probability with which a broker broadcasts", g_probability);
    cmd.Parse(argc, argv);

    NodeContainer nodes;
    nodes.Create(25);
    MobilityHelper mobility;
    mobility.SetPositionAllocator("ns3::GridPositionAllocator",
                                  "DeltaX",
                                  DoubleValue(20), // m
                                  "DeltaY",
                                  DoubleValue(20),
                                  "GridWidth",
                                  UintegerValue(5));
    mobility.Install(nodes);
    const auto channel = WsnHelper::CreateStaticChannel();
    channel->AssignStreams(100);
    const auto devices = WsnHelper().Install(nodes, channel);
    WsnHelper::AssignStreams(devices, 200);

    PubSubHelper pubsub("gossip");
    pubsub.SetRole(nodes, "broker");
    pubsub.Subscribe(nodes.Get(24), "temp > 20");
    const auto applications = pubsub.Install(devices);
    pubsub.AssignStreams(applications, 400);
    applications.Get(24)->TraceConnectWithoutContext("Delivered", MakeCallback(&Delivered));
    for (int second = 1; second <= 20; ++second)
    {
        pubsub.PublishAt(Seconds(second), nodes.Get(0), "temp = 21.5", 20);
    }
    Simulator::Stop(Seconds(25));
    Simulator::Run();
    Simulator::Destroy();
    std::cout << "gossip with p = " << g_probability << ": " << g_delivered
              << " of 20 events crossed the grid\n";
    return REGISTERED ? 0 : 1;
}
