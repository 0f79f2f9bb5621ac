/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Roles on devices, as a C++ user of ns-3 meets them.
 */
#include "hosts/node-address.h"
#include "hosts/protocol-numbers.h"
#include "hosts/pubsub-node.h"
#include "protocols/tree/make-broker.h"
#include "told.h"
#include "wsn/wsn-helper.h"
#include "wsn/wsn-net-device.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/node-container.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace mftpubsub::pubsub_node_test
{

namespace
{

constexpr NodeId BROKER = 0;
constexpr NodeId SUBSCRIBER = 1;
constexpr NodeId PUBLISHER = 2;
constexpr NodeId STRANGER = 3; //!< a device without an application

/// A broker, a subscriber of topic f, a publisher and a stranger, some metres apart.
class Network
{
  public:
    explicit Network(uint32_t seed = 1)
        : m_trace([this](const char* text, size_t bytes) { m_text.append(text, bytes); })
    {
        ns3::RngSeedManager::SetSeed(1);
        ns3::RngSeedManager::SetRun(seed);
        m_nodes.Create(4);
        for (NodeId id = 0; id < 4; ++id)
        {
            auto position = ns3::CreateObject<ns3::ConstantPositionMobilityModel>();
            position->SetPosition({5.0 * id, 0, 0});
            m_nodes.Get(id)->AggregateObject(position);
        }
        WsnHelper helper;
        helper.SetPerfectClocks(true);
        m_devices = helper.Install(m_nodes, WsnHelper::CreateStaticChannel(0, 0));
        WsnHelper::AssignStreams(m_devices, 10);
        for (const auto role : {ROLE_BROKER, ROLE_SUBSCRIBER, ROLE_PUBLISHER})
        {
            Add(role);
        }
        m_hosts[SUBSCRIBER]->Subscribe(Filter::Parse("topic = 'f'"));
    }

    ~Network()
    {
        ns3::Simulator::Destroy();
    }

    void PublishAt(double seconds)
    {
        ns3::Simulator::Schedule(ns3::Seconds(seconds), [this] {
            Event event{{PUBLISHER, ++m_published}, {{"topic", Value("f")}}, 100};
            m_hosts[PUBLISHER]->Publish(std::make_shared<const Event>(std::move(event)));
        });
    }

    void SwitchAt(double seconds, NodeId id, bool on)
    {
        ns3::Simulator::Schedule(ns3::Seconds(seconds), [this, id, on] {
            ns3::DynamicCast<WsnNetDevice>(m_devices.Get(id))->SetOn(on);
        });
    }

    /// A stranger's frame of these bytes, to @p to alone or, if it is NO_NODE, to all.
    void SendBytesAt(double seconds, NodeId to, const Bytes& bytes)
    {
        ns3::Simulator::Schedule(ns3::Seconds(seconds), [this, to, bytes] {
            const auto packet =
                ns3::Create<ns3::Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
            m_devices.Get(STRANGER)->Send(packet, ToMacAddress(to), TREE_PROTOCOL_NUMBER);
        });
    }

    void Run(double seconds)
    {
        ns3::Simulator::Stop(ns3::Seconds(seconds));
        ns3::Simulator::Run();
    }

    PubSubNode& Host(NodeId id)
    {
        return *m_hosts[id];
    }

    /// The run is over. @return its trace
    std::string GetTrace()
    {
        m_trace.End();
        return m_text;
    }

  private:
    void Add(uint8_t role)
    {
        const auto id = static_cast<NodeId>(m_hosts.size());
        m_devices.Get(id)->SetAddress(ToMacAddress(id));
        PubSubOptions options;
        options.id = id;
        options.roles = role;
        options.stream = 100 + id;
        options.makeBroker = [](NodeId self, const auto&...) {
            return MakeBroker("mft-pubsub", self, {});
        };
        m_hosts.push_back(ns3::CreateObject<PubSubNode>(std::move(options), m_trace));
        m_nodes.Get(id)->AddApplication(m_hosts.back());
    }

    std::string m_text;
    RunTrace m_trace;
    ns3::NodeContainer m_nodes;
    ns3::NetDeviceContainer m_devices;
    std::vector<ns3::Ptr<PubSubNode>> m_hosts;
    uint32_t m_published{0};
};

class TraceSourcesTest : public ns3::TestCase
{
  public:
    TraceSourcesTest()
        : TestCase("trace sources by Config tell of events and frames, attributes of the state")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 5; ++seed)
        {
            Check(seed);
        }
    }

    void Check(uint32_t seed)
    {
        Network network(seed);
        Told told;
        network.PublishAt(5);
        network.PublishAt(6);
        network.Run(10);
        NS_TEST_EXPECT_MSG_EQ((told.published == std::vector<uint32_t>{1, 2}), true, "published");
        NS_TEST_EXPECT_MSG_EQ((told.delivered == std::vector<uint32_t>{1, 2}), true, "delivered");
        NS_TEST_EXPECT_MSG_EQ((told.deliveredBy[BROKER] == told.delivered), true, "by the broker");
        NS_TEST_EXPECT_MSG_GT(+told.leastHops, 0, "over a link");
        NS_TEST_EXPECT_MSG_EQ(told.destinations["PUB"], SUBSCRIBER, "to whom it goes");
        NS_TEST_EXPECT_MSG_EQ(told.destinations["HEARTBEAT"], NO_NODE, "to everybody");
        NS_TEST_EXPECT_MSG_EQ(told.bytes["ACK"], 25, "a header, and 15 B of MAC and PHY");
        NS_TEST_EXPECT_MSG_EQ(told.bytes["HEARTBEAT"], 40, "its 14 B, and the count of notices");
        ns3::UintegerValue parent;
        network.Host(SUBSCRIBER).GetAttribute("Parent", parent);
        NS_TEST_EXPECT_MSG_EQ(parent.Get(), BROKER, "the client's broker");
        ns3::UintegerValue leader;
        network.Host(BROKER).GetAttribute("Leader", leader);
        NS_TEST_EXPECT_MSG_EQ(leader.Get(), BROKER, "the broker leads");
    }
};

class ARefusedFrameTest : public ns3::TestCase
{
  public:
    ARefusedFrameTest()
        : TestCase("a frame that the device refuses is as one lost on the air")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 5; ++seed)
        {
            Check(seed);
        }
    }

    void Check(uint32_t seed)
    {
        Network network(seed);
        Told told;
        network.PublishAt(5);
        network.SwitchAt(5.999, PUBLISHER, false);
        network.PublishAt(6); // into a device that is off
        network.SwitchAt(7, PUBLISHER, true);
        network.PublishAt(8);
        network.Run(15);
        NS_TEST_EXPECT_MSG_EQ((told.delivered == std::vector<uint32_t>{1, 2, 3} ||
                               told.delivered == std::vector<uint32_t>{1, 3, 2}),
                              true,
                              "the neighbour is stalled");
    }
};

class ABlackoutTest : public ns3::TestCase
{
  public:
    ABlackoutTest()
        : TestCase("what a broker queues for a client out of reach comes when it is back")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 5; ++seed)
        {
            Check(seed);
        }
    }

    void Check(uint32_t seed)
    {
        Network network(seed);
        Told told;
        network.PublishAt(5);
        network.SwitchAt(5.5, SUBSCRIBER, false);
        network.PublishAt(5.6);
        network.PublishAt(6.2);
        network.SwitchAt(7, SUBSCRIBER, true); // too short for it to miss its broker
        network.PublishAt(9);
        network.Run(20);
        NS_TEST_EXPECT_MSG_EQ(told.delivered.size(), 4, "all of them");
        ns3::UintegerValue queued;
        network.Host(BROKER).GetAttribute("HeldEvents", queued);
        NS_TEST_EXPECT_MSG_EQ(queued.Get(), 0, "nothing is kept");
        const auto attachedAgain = network.GetTrace().find(" 1 attachment AGAIN 0 ");
        NS_TEST_EXPECT_MSG_NE(attachedAgain,
                              std::string::npos,
                              "the subscriber has attached again");
        NS_TEST_EXPECT_MSG_EQ(told.migrated, "", "which is no migration: it is the same broker");
    }
};

class StoppedTest : public ns3::TestCase
{
  public:
    StoppedTest()
        : TestCase("an application may be stopped before it starts, twice, and used afterwards")
    {
    }

  private:
    void DoRun() override
    {
        Network network;
        Told told;
        network.Host(SUBSCRIBER).SetStopTime(ns3::Seconds(1));
        network.Host(SUBSCRIBER).SetStartTime(ns3::Seconds(2));
        network.Host(PUBLISHER).SetStopTime(ns3::Seconds(7));
        network.PublishAt(5);
        network.PublishAt(8); // held, as there is nobody to give it to
        network.Run(8.5);
        network.Host(PUBLISHER).Dispose();
        NS_TEST_EXPECT_MSG_EQ((told.published == std::vector<uint32_t>{1, 2}), true, "published");
        NS_TEST_EXPECT_MSG_EQ((told.delivered == std::vector<uint32_t>{1}), true, "delivered");
    }
};

class StrangersTest : public ns3::TestCase
{
  public:
    StrangersTest()
        : TestCase("frames of any bytes under our protocol number change nothing between others")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 5; ++seed)
        {
            Network network(seed);
            Told told;
            std::mt19937 random(seed);
            for (int i = 0; i < 200; ++i)
            {
                Bytes bytes(random() % 24);
                std::ranges::generate(bytes, [&random] { return static_cast<uint8_t>(random()); });
                const NodeId to = i % 2 == 0 ? BROKER : NO_NODE;
                const Bytes addresses{0x01, 0x00, to == BROKER ? uint8_t{0} : uint8_t{0xff}};
                for (size_t at = 0; at < addresses.size() && at < bytes.size(); ++at)
                {
                    bytes[at] = addresses[at]; // else hardly one would be looked at
                }
                if (to == NO_NODE && bytes.size() > 3)
                {
                    bytes[3] = 0xff;
                }
                network.SendBytesAt(3 + 0.01 * i, to, bytes);
            }
            network.PublishAt(6);
            network.PublishAt(7);
            network.Run(12);
            NS_TEST_EXPECT_MSG_EQ((told.delivered == std::vector<uint32_t>{1, 2}), true, seed);
        }
    }
};

class PubSubNodeTestSuite : public ns3::TestSuite
{
  public:
    PubSubNodeTestSuite()
        : TestSuite("mftpubsub-pubsub-node", Type::UNIT)
    {
        AddTestCase(new TraceSourcesTest, Duration::QUICK);
        AddTestCase(new ARefusedFrameTest, Duration::QUICK);
        AddTestCase(new ABlackoutTest, Duration::QUICK);
        AddTestCase(new StoppedTest, Duration::QUICK);
        AddTestCase(new StrangersTest, Duration::QUICK);
    }
};

PubSubNodeTestSuite g_pubSubNodeTestSuite;

} // namespace

} // namespace mftpubsub::pubsub_node_test
