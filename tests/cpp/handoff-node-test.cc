/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A hand-off scheme on devices, as a C++ user of ns-3 meets it.
 */
#include "hosts/frame-kind.h"
#include "hosts/handoff-broker-host.h"
#include "hosts/handoff-node.h"
#include "hosts/node-address.h"
#include "hosts/protocol-numbers.h"
#include "protocols/handoff/make-broker.h"
#include "told.h"
#include "wsn/wsn-helper.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/node-container.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace mftpubsub::handoff_node_test
{

namespace
{

/// Two brokers out of each other's reach; beside the first a subscriber, a publisher and a
/// stranger, who is no node of ours.
constexpr NodeId FIRST = 0;
constexpr NodeId SECOND = 1;
constexpr NodeId SUBSCRIBER = 2;
constexpr NodeId PUBLISHER = 3;
constexpr NodeId STRANGER = 4;

struct Place
{
    double x;
    uint8_t role;
};

constexpr Place PLACES[] = {{10, ROLE_BROKER},
                            {110, ROLE_BROKER},
                            {20, ROLE_SUBSCRIBER},
                            {15, ROLE_PUBLISHER},
                            {12, 0}};

class Network
{
  public:
    explicit Network(const std::string& scheme)
        : m_scheme(handoff::FindScheme(scheme)),
          m_trace([](const char*, size_t) {}),
          m_backbone(ns3::MilliSeconds(1))
    {
        ns3::RngSeedManager::SetSeed(1);
        ns3::RngSeedManager::SetRun(1);
        m_nodes.Create(std::size(PLACES));
        for (NodeId id = 0; id < std::size(PLACES); ++id)
        {
            auto position = ns3::CreateObject<ns3::ConstantPositionMobilityModel>();
            position->SetPosition({PLACES[id].x, 10, 0});
            m_nodes.Get(id)->AggregateObject(position);
        }
        WsnHelper helper;
        helper.SetPerfectClocks(true);
        m_devices = helper.Install(m_nodes, WsnHelper::CreateMobileChannel(120, 20, 0, 0));
        WsnHelper::AssignStreams(m_devices, 10);
        for (NodeId id = 0; id < STRANGER; ++id)
        {
            Add(id);
        }
        m_devices.Get(STRANGER)->SetAddress(ToMacAddress(STRANGER));
        m_hosts[SUBSCRIBER]->Subscribe(Filter::Parse("topic = 'f'"));
    }

    ~Network()
    {
        ns3::Simulator::Destroy();
    }

    void PublishAt(double seconds)
    {
        ns3::Simulator::Schedule(ns3::Seconds(seconds), [this] {
            Event event{{PUBLISHER, ++m_published}, {{"topic", Value("f")}}, 20};
            m_hosts[PUBLISHER]->Publish(std::make_shared<const Event>(std::move(event)));
        });
    }

    /// The stranger sends @p frame to @p to.
    void SendAt(double seconds, NodeId to, const Bytes& frame)
    {
        ns3::Simulator::Schedule(ns3::Seconds(seconds), [this, to, frame] {
            m_devices.Get(STRANGER)->Send(
                ns3::Create<ns3::Packet>(frame.data(), static_cast<uint32_t>(frame.size())),
                ToMacAddress(to),
                HANDOFF_PROTOCOL_NUMBER);
        });
    }

    void MoveSubscriberAt(double seconds, double x)
    {
        ns3::Simulator::Schedule(ns3::Seconds(seconds), [this, x] {
            m_nodes.Get(SUBSCRIBER)->GetObject<ns3::MobilityModel>()->SetPosition({x, 10, 0});
        });
    }

    void Run(double seconds)
    {
        ns3::Simulator::Stop(ns3::Seconds(seconds));
        ns3::Simulator::Run();
    }

    HandoffNode& Host(NodeId id)
    {
        return *m_hosts[id];
    }

    uint64_t GetAttribute(NodeId id, const std::string& name)
    {
        ns3::UintegerValue value;
        m_hosts[id]->GetAttribute(name, value);
        return value.Get();
    }

  private:
    void Add(NodeId id)
    {
        m_devices.Get(id)->SetAddress(ToMacAddress(id));
        HandoffNodeOptions options;
        options.id = id;
        options.roles = PLACES[id].role;
        options.stream = 100 + id;
        options.client = m_scheme.client;
        options.pingInterval = ns3::Seconds(1);
        options.heartbeatOffset = ns3::Seconds(0.1 * id);
        options.heartbeat.leadership = {0, FIRST};
        options.heartbeat.roles = ROLE_BROKER;
        std::unique_ptr<handoff::Broker> machine;
        if (PLACES[id].role == ROLE_BROKER)
        {
            machine = m_scheme.make(id, {});
        }
        m_hosts.push_back(ns3::CreateObject<HandoffNode>(std::move(options),
                                                         std::move(machine),
                                                         m_backbone,
                                                         m_trace));
        m_nodes.Get(id)->AddApplication(m_hosts.back());
    }

    const handoff::Scheme& m_scheme;
    RunTrace m_trace;
    Backbone m_backbone;
    ns3::NodeContainer m_nodes;
    ns3::NetDeviceContainer m_devices;
    std::vector<ns3::Ptr<HandoffNode>> m_hosts;
    uint32_t m_published{0};
};

class TraceSourcesTest : public ns3::TestCase
{
  public:
    explicit TraceSourcesTest(const std::string& scheme)
        : TestCase(scheme + ": trace sources by Config tell of events, moves and frames"),
          m_scheme(scheme)
    {
    }

  private:
    void DoRun() override
    {
        Network network(m_scheme);
        Told told;
        network.PublishAt(5);
        network.MoveSubscriberAt(6, 100);
        network.PublishAt(15);
        network.Run(20);
        using Sequences = Told::Sequences;
        NS_TEST_EXPECT_MSG_EQ((told.published == Sequences{1, 2}), true, "published");
        NS_TEST_EXPECT_MSG_EQ((told.deliveredBy[FIRST] == Sequences{1}), true, "before it moved");
        NS_TEST_EXPECT_MSG_EQ((told.deliveredBy[SECOND] == Sequences{2}), true, "afterwards");
        NS_TEST_EXPECT_MSG_EQ(told.migrated, "MIG>" + std::to_string(SECOND) + " ", "one move");
        NS_TEST_EXPECT_MSG_EQ(told.bytes["PING"], 25, "a header, and 15 B of MAC and PHY");
        NS_TEST_EXPECT_MSG_GT(told.bytes["RECONNECT"], 25, "session, filters and what it had");
        NS_TEST_EXPECT_MSG_EQ(network.GetAttribute(SUBSCRIBER, "Parent"), SECOND, "its broker");
        NS_TEST_EXPECT_MSG_EQ(network.GetAttribute(PUBLISHER, "Parent"), FIRST, "its broker");
        NS_TEST_EXPECT_MSG_EQ(network.GetAttribute(FIRST, "Parent"), NO_NODE, "a broker's");
    }

    std::string m_scheme;
};

class HeldEventsTest : public ns3::TestCase
{
  public:
    HeldEventsTest()
        : TestCase("a broker holds what comes for a subscriber that is out of reach")
    {
    }

  private:
    void DoRun() override
    {
        Network network("durable");
        network.MoveSubscriberAt(6, 60); // out of both brokers' reach
        for (const double time : {12, 13, 14})
        {
            network.PublishAt(time);
        }
        network.Run(20);
        NS_TEST_EXPECT_MSG_EQ(network.GetAttribute(FIRST, "HeldEvents"), 3, "three events");
        NS_TEST_EXPECT_MSG_EQ(network.GetAttribute(SUBSCRIBER, "Parent"), NO_NODE, "no broker");
    }
};

/// ns-3 stops applications when it is told to: before they start, or in the midst of their work.
class StopTest : public ns3::TestCase
{
  public:
    StopTest()
        : TestCase("an application that stops, even before it starts, is silent from then on")
    {
    }

  private:
    void DoRun() override
    {
        Network network("reactive");
        Told told;
        network.Host(SECOND).SetStartTime(ns3::Seconds(5));
        network.Host(SECOND).SetStopTime(ns3::Seconds(2));
        network.Host(PUBLISHER).SetStopTime(ns3::Seconds(8.5));
        network.Host(FIRST).SetStopTime(ns3::Seconds(12));
        for (double time = 5; time < 18; ++time)
        {
            network.PublishAt(time);
        }
        network.Run(30);
        NS_TEST_EXPECT_MSG_EQ((told.deliveredBy[FIRST] == Told::Sequences{1, 2, 3, 4}),
                              true,
                              "what was published while publisher and broker ran");
        NS_TEST_EXPECT_MSG_EQ(network.GetAttribute(SUBSCRIBER, "Parent"), NO_NODE, "it is gone");
    }
};

/// Bytes from the air may be anything.
class StrangerTest : public ns3::TestCase
{
  public:
    StrangerTest()
        : TestCase("frames that nobody understands are dropped, whoever they are for")
    {
    }

  private:
    void DoRun() override
    {
        Network network("reactive");
        Told told;
        double time = 5;
        for (const Bytes& body : {Bytes{}, Bytes{1}, Bytes(5, 0xff), Bytes(40, 0)})
        {
            network.SendAt(time += 0.1, NO_NODE, body); // no header, or a broken one
            network.SendAt(time += 0.1, FIRST, body);
            for (uint8_t kind :
                 {0, 1, 2, 3, 4, 100, int{KIND_ASK}, int{KIND_CLOSED}, int{KIND_ACK}})
            {
                const FrameHeader header{STRANGER, FIRST, kind, kind, NO_SESSION, 0, false};
                network.SendAt(time += 0.1, FIRST, EncodeFrame(header, body));
            }
            for (const NodeId to : {FIRST, SUBSCRIBER})
            {
                const FrameHeader
                    header{STRANGER, NO_NODE, KIND_HEARTBEAT, 7, NO_SESSION, 0, false};
                network.SendAt(time += 0.1, to, EncodeFrame(header, body));
            }
        }
        network.PublishAt(time + 1);
        network.Run(time + 5);
        NS_TEST_EXPECT_MSG_EQ((told.deliveredBy[FIRST] == Told::Sequences{1}), true, "all is well");
    }
};

/// Knows which sessions its broker has closed.
class Closings : public HandoffServices
{
  public:
    void SendToBroker(NodeId, const handoff::RadioMessage&) override
    {
    }

    void SendToClient(NodeId, const handoff::RadioMessage&) override
    {
    }

    void CloseSession(NodeId neighbour) override
    {
        closed.push_back(neighbour);
    }

    void Attached(NodeId) override
    {
    }

    void Delivered(const EventPtr&, NodeId, bool) override
    {
    }

    EventLog& GetLog() override
    {
        return m_trace;
    }

    std::vector<NodeId> closed;

  private:
    RunTrace m_trace{[](const char*, size_t) {}};
};

/// Where the acknowledgement of a RECONNECT is lost, its client connects again, over a new session.
class ReturnTest : public ns3::TestCase
{
  public:
    ReturnTest()
        : TestCase("a broker closes the session of a client elsewhere, not of one that is back")
    {
    }

  private:
    void DoRun() override
    {
        Closings services;
        Backbone wire(ns3::MilliSeconds(1));
        const auto& scheme = handoff::FindScheme("pro-active");
        HandoffBrokerHost first(FIRST, scheme.make(FIRST, {}), false, wire, services, [] {});
        HandoffBrokerHost second(SECOND, scheme.make(SECOND, {}), false, wire, services, [] {});
        handoff::Reconnect reconnect{SUBSCRIBER, NO_NODE, {}, 0, {Filter::Parse("topic = 'f'")}};
        first.Receive(SUBSCRIBER, reconnect);
        first.SessionEnded(SUBSCRIBER); // as its next session's RECONNECT arrives
        ++reconnect.session;
        first.Receive(SUBSCRIBER, reconnect);
        ++reconnect.session;
        first.Receive(SUBSCRIBER, reconnect);
        NS_TEST_EXPECT_MSG_EQ(services.closed.size(), 0, "it is here, over its new session");
        ++reconnect.session;
        second.Receive(SUBSCRIBER, reconnect);
        ns3::Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((services.closed == std::vector{SUBSCRIBER}), true, "it has moved");
        ns3::Simulator::Destroy();
    }
};

class HandoffNodeSuite : public ns3::TestSuite
{
  public:
    HandoffNodeSuite()
        : TestSuite("mftpubsub-handoff-node", Type::UNIT)
    {
        for (const auto* scheme : {"durable", "reactive", "pro-active", "pro-active-r"})
        {
            AddTestCase(new TraceSourcesTest(scheme), Duration::QUICK);
        }
        AddTestCase(new HeldEventsTest, Duration::QUICK);
        AddTestCase(new StopTest, Duration::QUICK);
        AddTestCase(new StrangerTest, Duration::QUICK);
        AddTestCase(new ReturnTest, Duration::QUICK);
    }
};

HandoffNodeSuite g_handoffNodeSuite;

} // namespace

} // namespace mftpubsub::handoff_node_test
