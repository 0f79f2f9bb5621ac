/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "overlay/broker-overlay.h"
#include "overlay/client-attachment.h"

#include "ns3/test.h"

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>

using namespace mftpubsub;
using namespace std::chrono_literals;

namespace
{

/// Brokers that hear each other perfectly along given links, which may change.
class Field
{
  public:
    explicit Field(NodeId brokers)
    {
        for (NodeId id = 0; id < brokers; ++id)
        {
            m_overlays.push_back(std::make_unique<BrokerOverlay>(id, 1, OverlayOptions{}, [this] {
                return m_uniform(m_random);
            }));
            m_neighbours.emplace_back();
        }
        for (NodeId id = 0; id < brokers; ++id) // broker 0 leads longest
        {
            m_clock = 10ms * id;
            OverlayOutput output;
            m_overlays[id]->Start(m_clock, output);
            Carry(id, output);
        }
    }

    void Link(NodeId a, NodeId b)
    {
        m_links.insert({a, b});
        m_links.insert({b, a});
    }

    void Cut(NodeId a, NodeId b)
    {
        m_links.erase({a, b});
        m_links.erase({b, a});
    }

    void RunFor(Instant span)
    {
        const auto end = m_clock + span;
        while (true)
        {
            NodeId next = 0;
            for (NodeId id = 1; id < m_overlays.size(); ++id)
            {
                if (m_overlays[id]->NextTimer() < m_overlays[next]->NextTimer())
                {
                    next = id;
                }
            }
            if (m_overlays[next]->NextTimer() > end)
            {
                m_clock = end;
                return;
            }
            m_clock = m_overlays[next]->NextTimer();
            OverlayOutput output;
            m_overlays[next]->Expire(m_clock, output);
            Carry(next, output);
        }
    }

    const BrokerOverlay& operator[](NodeId id) const
    {
        return *m_overlays[id];
    }

    /// @return tree neighbours of @p id as its outputs have told
    const std::set<NodeId>& GetNeighbours(NodeId id) const
    {
        return m_neighbours[id];
    }

    int migrations{0};

  private:
    void Carry(NodeId from, const OverlayOutput& output)
    {
        for (const auto neighbour : output.linksDown)
        {
            m_neighbours[from].erase(neighbour);
        }
        for (const auto neighbour : output.linksUp)
        {
            m_neighbours[from].insert(neighbour);
        }
        migrations += output.parentChange ? 1 : 0;
        for (const auto& heartbeat : output.broadcasts)
        {
            for (const auto& [sender, receiver] : m_links)
            {
                if (sender == from)
                {
                    OverlayOutput answer;
                    m_overlays[receiver]->Receive(m_clock, from, heartbeat, answer);
                    Carry(receiver, answer);
                }
            }
        }
    }

    std::mt19937 m_random{1};
    std::uniform_real_distribution<double> m_uniform{0, 1};
    Instant m_clock{0};
    std::vector<std::unique_ptr<BrokerOverlay>> m_overlays;
    std::vector<std::set<NodeId>> m_neighbours;
    std::set<std::pair<NodeId, NodeId>> m_links;
};

class OneLeaderAndATree : public ns3::TestCase
{
  public:
    OneLeaderAndATree()
        : TestCase("a connected network gets one leader and a spanning tree known at both ends")
    {
    }

  private:
    void DoRun() override
    {
        Field field(6); // a ring with a chord: there are cycles to avoid
        for (NodeId id = 0; id < 6; ++id)
        {
            field.Link(id, (id + 1) % 6);
        }
        field.Link(1, 4);
        field.RunFor(5s);
        size_t ends = 0;
        for (NodeId id = 0; id < 6; ++id)
        {
            NS_TEST_ASSERT_MSG_EQ(field[id].GetLeader(), 0, "the longest-lived leader leads");
            auto at = id;
            for (int step = 0; step < 6 && at != 0; ++step)
            {
                at = field[at].GetParent();
            }
            NS_TEST_ASSERT_MSG_EQ(at, 0, "parents lead to the leader");
            for (const auto neighbour : field.GetNeighbours(id))
            {
                ++ends;
                NS_TEST_ASSERT_MSG_EQ(field.GetNeighbours(neighbour).contains(id),
                                      true,
                                      "a tree link is known at both ends");
            }
        }
        NS_TEST_ASSERT_MSG_EQ(ends, 2 * 5, "n - 1 links");
    }
};

class PartitionsWorkAloneAndMerge : public ns3::TestCase
{
  public:
    PartitionsWorkAloneAndMerge()
        : TestCase(
              "a part that loses the leader elects its own, and follows the older one again later")
    {
    }

  private:
    void DoRun() override
    {
        Field field(4); // 0 - 1 - 2 - 3
        field.Link(0, 1);
        field.Link(1, 2);
        field.Link(2, 3);
        field.RunFor(5s);
        field.Cut(1, 2);
        field.RunFor(10s);
        NS_TEST_ASSERT_MSG_EQ(field[1].GetLeader(), 0, "this side keeps its leader");
        const auto other = field[2].GetLeader();
        NS_TEST_ASSERT_MSG_EQ((other == 2 || other == 3), true, "that side has one of its own");
        NS_TEST_ASSERT_MSG_EQ(field[3].GetLeader(), other, "the same for all of it");
        NS_TEST_ASSERT_MSG_EQ(field.GetNeighbours(1).contains(2), false, "the link is down");
        field.Link(1, 2);
        field.RunFor(5s);
        NS_TEST_ASSERT_MSG_EQ(field[2].GetLeader(), 0, "the longest-lived leader wins");
        NS_TEST_ASSERT_MSG_EQ(field[3].GetLeader(), 0, "everywhere");
        NS_TEST_ASSERT_MSG_EQ(field[2].GetParent(), 1, "over the new link");
    }
};

class LostParentIsRemembered : public ns3::TestCase
{
  public:
    LostParentIsRemembered()
        : TestCase("a migration names the parent lost before, unless it has become a child")
    {
    }

  private:
    void DoRun() override
    {
        BrokerOverlay broker(9, 1, {}, [] { return 0.0; });
        OverlayOutput output;
        broker.Start(5ms, output);
        output = {};
        broker.Receive(10ms, 1, {{0, 1}, 1, 0, NO_NODE, 1}, output);
        NS_TEST_ASSERT_MSG_EQ(output.parentChange->previous,
                              NO_NODE,
                              "the first has none before it");
        output = {};
        broker.LinkFailed(1, output);
        NS_TEST_ASSERT_MSG_EQ(broker.GetParent(), NO_NODE, "the transport lost it");
        broker.Receive(1010ms, 2, {{0, 1}, 2, 1, 1, 1}, output);
        NS_TEST_ASSERT_MSG_EQ(output.parentChange->previous, 1, "b_o is the lost parent");
        NS_TEST_ASSERT_MSG_EQ(output.parentChange->current, 2, "b_n is the first sender");
        output = {};
        broker.LinkFailed(2, output);
        broker.Receive(1500ms, 2, {{500, 8}, 7, 1, 9, 1}, output); // 2 has chosen us as parent
        broker.Receive(2010ms, 3, {{0, 1}, 3, 1, 1, 1}, output);
        NS_TEST_ASSERT_MSG_EQ(output.parentChange->previous,
                              NO_NODE,
                              "what was above us is below us now");
    }
};

class NeverBelowItsOwnChild : public ns3::TestCase
{
  public:
    NeverBelowItsOwnChild()
        : TestCase("a sender that names us as its parent is not adopted as ours")
    {
    }

  private:
    void DoRun() override
    {
        BrokerOverlay broker(9, 1, {}, [] { return 0.0; });
        OverlayOutput output;
        broker.Start(5ms, output);
        broker.Receive(10ms, 4, {{0, 1}, 1, 3, 9, 1}, output);
        NS_TEST_ASSERT_MSG_EQ(broker.GetParent(), NO_NODE, "not adopted");
        NS_TEST_ASSERT_MSG_EQ(output.linksUp.size(), 1, "but known as a child");
    }
};

class ClientFollowsTheFirstSender : public ns3::TestCase
{
  public:
    ClientFollowsTheFirstSender()
        : TestCase(
              "a client moves to the first sender of a round and is alone when all fall silent")
    {
    }

  private:
    void DoRun() override
    {
        ClientAttachment client({});
        const auto hear = [&client](Instant now, NodeId from, uint32_t round) {
            return static_cast<int>(client.Receive(now, from, {{0, 1}, round, 0, NO_NODE, 1}));
        };
        const auto is = [](AttachmentChange change) { return static_cast<int>(change); };
        NS_TEST_ASSERT_MSG_EQ(hear(1s, 1, 1), is(AttachmentChange::MOVED), "the first one");
        NS_TEST_ASSERT_MSG_EQ(hear(1s, 2, 1),
                              is(AttachmentChange::NONE),
                              "a later one of the round");
        NS_TEST_ASSERT_MSG_EQ(hear(2s, 1, 2), is(AttachmentChange::ALIVE), "the same again");
        NS_TEST_ASSERT_MSG_EQ(hear(3s, 2, 3), is(AttachmentChange::MOVED), "another was first");
        NS_TEST_ASSERT_MSG_EQ(is(client.Expire(5s)), is(AttachmentChange::NONE), "not yet");
        NS_TEST_ASSERT_MSG_EQ(is(client.Expire(6s)), is(AttachmentChange::LOST), "three seconds");
        NS_TEST_ASSERT_MSG_EQ(client.GetBroker(), NO_NODE, "alone");
    }
};

class OverlayTestSuite : public ns3::TestSuite
{
  public:
    OverlayTestSuite()
        : TestSuite("mftpubsub-overlay", Type::UNIT)
    {
        AddTestCase(new OneLeaderAndATree, Duration::QUICK);
        AddTestCase(new PartitionsWorkAloneAndMerge, Duration::QUICK);
        AddTestCase(new LostParentIsRemembered, Duration::QUICK);
        AddTestCase(new NeverBelowItsOwnChild, Duration::QUICK);
        AddTestCase(new ClientFollowsTheFirstSender, Duration::QUICK);
    }
};

OverlayTestSuite g_overlayTestSuite;

} // namespace
