/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The mesh on devices, as a C++ user of ns-3 meets it.
 */
#include "function-case.h"
#include "hosts/mesh-node.h"
#include "hosts/node-address.h"
#include "protocols/mesh/mesh-station.h"
#include "told.h"
#include "wsn/wsn-helper.h"
#include "wsn/wsn-net-device.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/node-container.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh_node_test
{

namespace
{

constexpr NodeId PUBLISHER = 0;
constexpr NodeId BROKER = 1;
constexpr NodeId SUBSCRIBER = 2;
constexpr uint8_t ROLES[] = {mesh::PUBLISHER, mesh::BROKER, mesh::SUBSCRIBER};
const Filter FILTER = Filter::Parse("topic = 'f'");

/// A publisher, a broker and a subscriber who hear each other.
class Mesh
{
  public:
    explicit Mesh(const mesh::Options& options = {})
    {
        ns3::RngSeedManager::SetSeed(1);
        ns3::RngSeedManager::SetRun(1);
        nodes.Create(std::size(ROLES));
        WsnHelper helper;
        helper.SetPerfectClocks(true);
        devices = helper.Install(nodes, WsnHelper::CreateStaticChannel(0, 0));
        WsnHelper::AssignStreams(devices, 10);
        const auto uniform = ns3::CreateObject<ns3::UniformRandomVariable>();
        uniform->SetStream(100);
        for (NodeId id = 0; id < std::size(ROLES); ++id)
        {
            devices.Get(id)->SetAddress(ToMacAddress(id));
            auto station = std::make_unique<mesh::MeshStation>(
                id,
                ROLES[id],
                options,
                [uniform] { return uniform->GetValue(); },
                mesh::BrokerPolicies());
            hosts.push_back(ns3::CreateObject<MeshNode>(id, std::move(station), trace));
            nodes.Get(id)->AddApplication(hosts.back());
        }
        hosts[SUBSCRIBER]->Subscribe(FILTER);
    }

    ~Mesh()
    {
        ns3::Simulator::Destroy();
    }

    Mesh(const Mesh&) = delete;
    Mesh& operator=(const Mesh&) = delete;

    void At(double seconds, std::function<void()> what)
    {
        ns3::Simulator::Schedule(ns3::Seconds(seconds) - ns3::Simulator::Now(), std::move(what));
    }

    void PublishAt(double seconds, uint32_t sequence)
    {
        At(seconds, [this, sequence] {
            const Event event{{PUBLISHER, sequence}, {{"topic", Value("f")}}, 20};
            trace.Published(PUBLISHER, event);
            trace.Sent(PUBLISHER, event.id, SUBSCRIBER);
            hosts[PUBLISHER]->Publish(std::make_shared<const Event>(event));
        });
    }

    void RunUntil(double seconds)
    {
        ns3::Simulator::Stop(ns3::Seconds(seconds) - ns3::Simulator::Now());
        ns3::Simulator::Run();
    }

    /// @return how many records of the whole trace have @p words in them
    size_t CountRecords(const std::string& words)
    {
        if (!m_isEnded)
        {
            trace.End();
            m_isEnded = true;
        }
        size_t count = 0;
        for (auto at = m_text.find(words); at != std::string::npos; at = m_text.find(words, at + 1))
        {
            ++count;
        }
        return count;
    }

    ns3::NodeContainer nodes;
    ns3::NetDeviceContainer devices;
    RunTrace trace{[this](const char* text, size_t bytes) { m_text.append(text, bytes); }};
    std::vector<ns3::Ptr<MeshNode>> hosts;

  private:
    std::string m_text;
    bool m_isEnded{false};
};

using Sequences = Told::Sequences;

void
TraceSourcesTell(FunctionCase& test)
{
    Mesh network;
    Told told;
    network.PublishAt(10, 1);
    network.PublishAt(20, 2);
    network.RunUntil(40);
    test.Expect(told.published == Sequences{1, 2}, "published");
    test.Expect(told.delivered == Sequences{1, 2} && told.leastHops >= 1, "delivered");
    test.Expect(!told.deliveredBy.contains(SUBSCRIBER), "by others");
    test.Expect(told.destinations["PUB"] == NO_NODE, "to everybody");
    test.Expect(told.bytes["HEARTBEAT"] > 0 && told.bytes["PUB"] > 0, "frames, by kind");
    ns3::UintegerValue held;
    network.hosts[BROKER]->GetAttribute("HeldEvents", held);
    test.Expect(held.Get() == 2, "in the broker's store");
    test.Expect(network.hosts[SUBSCRIBER]->CountHeldEvents() == 0, "no broker has no store");
}

void
TheTraceIsComplete(FunctionCase& test)
{
    Mesh network;
    Told told;
    network.PublishAt(10, 1);
    network.PublishAt(20, 2);
    network.RunUntil(40);
    test.Expect(network.CountRecords(" app DELIVER ") == 2, "deliveries");
    test.Expect(network.CountRecords(" app OVERHEARD ") == told.duplicates, "further copies");
    test.Expect(network.CountRecords(" app DUPLICATE ") == 0, "none was sent to it alone");
    test.Expect(network.CountRecords(" broker MATCH ") == 2, "matches");
    test.Expect(network.CountRecords(" radio ") == told.allFrames, "every frame");
    test.Expect(network.CountRecords(" radio PUB ") > 0 && told.bytes["PUB"] > 0, "by kind");
    test.Expect(network.CountRecords(" loss ") == 0, "nothing is lost");
}

void
ASubscriberLeaves(FunctionCase& test)
{
    Mesh network;
    Told told;
    network.PublishAt(10, 1);
    network.At(15, [&] { network.hosts[SUBSCRIBER]->Unsubscribe(FILTER); });
    network.PublishAt(20, 2);
    network.At(30, [&] { network.hosts[SUBSCRIBER]->Subscribe(FILTER); });
    network.PublishAt(40, 3);
    network.RunUntil(60);
    test.Expect(told.delivered == Sequences{1, 3}, "what it wanted");
}

void
ACrashedNodeIsSilent(FunctionCase& test)
{
    Mesh network;
    Told told;
    network.PublishAt(10, 1);
    std::optional<mesh::SubscriberMemory> memory;
    network.At(20, [&] { memory = network.hosts[SUBSCRIBER]->Crash(); });
    uint32_t frames = 0;
    network.At(21, [&] {
        test.Expect(!network.hosts[BROKER]->Crash(), "a broker has nothing on stable storage");
        frames = told.allFrames;
    });
    network.RunUntil(60);
    test.Expect(memory && memory->filters.contains(FILTER) && memory->filters.size() == 1,
                "filters");
    test.Expect(memory && memory->timestamp > 0, "and the number of its word");
    test.Expect(frames > 0 && told.allFrames == frames, "neither sends any more");
}

void
WhatACrashedBrokerHeldIsLost(FunctionCase& test)
{
    Mesh network;
    network.At(8,
               [&] { network.devices.Get(SUBSCRIBER)->GetObject<WsnNetDevice>()->SetOn(false); });
    network.PublishAt(10, 1);
    network.At(20, [&] { network.hosts[BROKER]->NoteHeld(LossCause::QUEUED); });
    network.RunUntil(25);
    test.Expect(network.trace.GetCounters([] {}).undelivered.contains("QUEUED"), "it waits");
    network.hosts[BROKER]->Crash();
    test.Expect(network.CountRecords(" loss CRASHED ") == 1, "it does no more");
}

void
AStoppedNodeIsSilent(FunctionCase& test)
{
    Mesh network;
    Told told;
    network.hosts[BROKER]->SetStopTime(ns3::Seconds(15));
    network.hosts[PUBLISHER]->SetStartTime(ns3::Seconds(5));
    network.PublishAt(10, 1);
    network.RunUntil(15);
    test.Expect(told.delivered == Sequences{1}, "it has worked");
    const auto heartbeats = told.frames["HEARTBEAT"];
    network.PublishAt(20, 2);
    network.RunUntil(60);
    test.Expect(heartbeats > 0 && told.frames["HEARTBEAT"] == heartbeats, "no heartbeat");
    test.Expect(network.hosts[BROKER]->CountHeldEvents() == 1, "it hears nothing");
}

void
ALostFrameIsNotTheLast(FunctionCase& test)
{
    Mesh network;
    Told told;
    const auto device = network.devices.Get(BROKER)->GetObject<WsnNetDevice>();
    network.At(12, [&] { device->SetOn(false); });
    network.At(20, [&] { device->SetOn(true); });
    network.PublishAt(15, 1);
    network.RunUntil(60);
    test.Expect(network.hosts[BROKER]->CountHeldEvents() == 1, "it has the event in the end");
    test.Expect(told.delivered == Sequences{1}, "and so has the subscriber");
    const auto heartbeats = told.frames["HEARTBEAT"];
    network.RunUntil(90);
    test.Expect(told.frames["HEARTBEAT"] > heartbeats, "and goes on");
}

class MeshNodeSuite : public ns3::TestSuite
{
  public:
    MeshNodeSuite()
        : TestSuite("mftpubsub-mesh-node", Type::UNIT)
    {
        Add("Trace sources by Config tell of events and frames", TraceSourcesTell);
        Add("The trace is complete", TheTraceIsComplete);
        Add("A subscriber leaves", ASubscriberLeaves);
        Add("A crashed node is silent", ACrashedNodeIsSilent);
        Add("What a crashed broker held is lost", WhatACrashedBrokerHeldIsLost);
        Add("A stopped node is silent", AStoppedNodeIsSilent);
        Add("A lost frame is not the last", ALostFrameIsNotTheLast);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

MeshNodeSuite g_meshNodeSuite;

} // namespace

} // namespace mftpubsub::mesh_node_test
