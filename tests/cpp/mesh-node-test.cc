/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The mesh on devices, as a C++ user of ns-3 meets it.
 */
#include "hosts/mesh-node.h"
#include "hosts/node-address.h"
#include "protocols/mesh/mesh-station.h"
#include "wsn/wsn-helper.h"

#include "ns3/config.h"
#include "ns3/constant-position-mobility-model.h"
#include "ns3/node-container.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace mftpubsub;

namespace
{

constexpr NodeId BROKER = 1;
constexpr NodeId SUBSCRIBER = 2;
constexpr uint8_t ROLES[] = {mesh::PUBLISHER, mesh::BROKER, mesh::SUBSCRIBER};

/// What the trace sources have told.
struct Told
{
    Told()
    {
        const std::string path = "/NodeList/*/ApplicationList/*/$mftpubsub::MeshNode/";
        ns3::Config::ConnectWithoutContext(path + "Published",
                                           ns3::MakeCallback(&Told::Published, this));
        ns3::Config::ConnectWithoutContext(path + "Delivered",
                                           ns3::MakeCallback(&Told::Delivered, this));
        ns3::Config::ConnectWithoutContext(path + "Frame", ns3::MakeCallback(&Told::Frame, this));
    }

    void Published(const Event& event)
    {
        published.push_back(event.id.sequence);
    }

    void Delivered(mftpubsub::EventId event, uint16_t, uint8_t, bool isDuplicate)
    {
        if (!isDuplicate)
        {
            delivered.push_back(event.sequence);
        }
    }

    void Frame(const std::string& kind, uint32_t bytesOnAir)
    {
        bytes[kind] += bytesOnAir;
    }

    std::vector<uint32_t> published;
    std::vector<uint32_t> delivered;
    std::map<std::string, uint32_t> bytes; //!< on the air, by kind of frame
};

class TraceSourcesTest : public ns3::TestCase
{
  public:
    TraceSourcesTest()
        : TestCase("trace sources by Config tell of events and frames, an attribute of the store")
    {
    }

  private:
    void DoRun() override
    {
        ns3::RngSeedManager::SetSeed(1);
        ns3::RngSeedManager::SetRun(1);
        RunTrace trace([](const char*, size_t) {});
        ns3::NodeContainer nodes;
        nodes.Create(std::size(ROLES));
        WsnHelper helper;
        helper.SetPerfectClocks(true);
        const auto devices = helper.Install(nodes, WsnHelper::CreateStaticChannel(0, 0));
        WsnHelper::AssignStreams(devices, 10);
        const auto uniform = ns3::CreateObject<ns3::UniformRandomVariable>();
        uniform->SetStream(100);
        std::vector<ns3::Ptr<MeshNode>> hosts;
        for (NodeId id = 0; id < std::size(ROLES); ++id)
        {
            devices.Get(id)->SetAddress(ToMacAddress(id));
            auto station = std::make_unique<mesh::MeshStation>(
                id,
                ROLES[id],
                mesh::Options(),
                [uniform] { return uniform->GetValue(); },
                mesh::BrokerPolicies());
            hosts.push_back(ns3::CreateObject<MeshNode>(id, std::move(station), trace));
            nodes.Get(id)->AddApplication(hosts.back());
        }
        hosts[SUBSCRIBER]->Subscribe(Filter::Parse("topic = 'f'"));
        Told told;
        for (const uint32_t sequence : {1, 2})
        {
            ns3::Simulator::Schedule(ns3::Seconds(10 * sequence), [&hosts, sequence] {
                Event event{{0, sequence}, {{"topic", Value("f")}}, 20};
                hosts[0]->Publish(std::make_shared<const Event>(std::move(event)));
            });
        }
        ns3::Simulator::Stop(ns3::Seconds(40));
        ns3::Simulator::Run();
        const std::vector<uint32_t> both{1, 2};
        NS_TEST_EXPECT_MSG_EQ((told.published == both), true, "published");
        NS_TEST_EXPECT_MSG_EQ((told.delivered == both), true, "delivered");
        NS_TEST_EXPECT_MSG_GT(told.bytes["HEARTBEAT"], 0, "the broker's");
        ns3::UintegerValue held;
        hosts[BROKER]->GetAttribute("HeldEvents", held);
        NS_TEST_EXPECT_MSG_EQ(held.Get(), 2, "in the broker's store");
        ns3::Simulator::Destroy();
    }
};

class MeshNodeSuite : public ns3::TestSuite
{
  public:
    MeshNodeSuite()
        : TestSuite("mftpubsub-mesh-node", Type::UNIT)
    {
        AddTestCase(new TraceSourcesTest, Duration::QUICK);
    }
};

MeshNodeSuite g_meshNodeSuite;

} // namespace
