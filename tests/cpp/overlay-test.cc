/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "overlay/broker-overlay.h"
#include "overlay/client-attachment.h"
#include "policies/emma-controller.h"
#include "policies/policies.h"

#include "ns3/test.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>

namespace mftpubsub::overlay_test
{

using namespace std::chrono_literals;

namespace
{

constexpr double RSSI = -70; // dBm, where it does not matter

/// Brokers that hear each other along given links, which may change and may lose heartbeats.
class Field
{
  public:
    explicit Field(NodeId brokers,
                   const Policies& policies = {},
                   unsigned seed = 1,
                   double loss = 0)
        : m_loss(loss),
          m_random(seed)
    {
        for (NodeId id = 0; id < brokers; ++id)
        {
            m_overlays.push_back(std::make_unique<BrokerOverlay>(
                id,
                1,
                OverlayOptions{},
                [this] { return Draw(); },
                policies,
                [id](NodeView& me) { me.speedMetresPerSecond = id % 3; }));
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

    void Link(NodeId a, NodeId b, double rssiDbm = RSSI)
    {
        m_links[{a, b}] = rssiDbm;
        m_links[{b, a}] = rssiDbm;
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

    /// @return uniform in [0, 1)
    double Draw()
    {
        return m_uniform(m_random);
    }

    Instant Now() const
    {
        return m_clock;
    }

    /// @return the brokers from which following parents never ends
    std::set<NodeId> FindOnCycles() const
    {
        std::set<NodeId> found;
        for (NodeId id = 0; id < m_overlays.size(); ++id)
        {
            auto at = m_overlays[id]->GetParent();
            for (size_t steps = 0; at != NO_NODE && at != id && steps < m_overlays.size(); ++steps)
            {
                at = m_overlays[at]->GetParent();
            }
            if (at == id)
            {
                found.insert(id);
            }
        }
        return found;
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
            for (const auto& [link, rssiDbm] : m_links)
            {
                const auto& [sender, receiver] = link;
                if (sender == from && Draw() >= m_loss)
                {
                    OverlayOutput answer;
                    m_overlays[receiver]->Receive(m_clock, from, heartbeat, rssiDbm, answer);
                    Carry(receiver, answer);
                }
            }
        }
    }

    double m_loss;
    std::mt19937 m_random;
    std::uniform_real_distribution<double> m_uniform{0, 1};
    Instant m_clock{0};
    std::vector<std::unique_ptr<BrokerOverlay>> m_overlays;
    std::vector<std::set<NodeId>> m_neighbours;
    std::map<std::pair<NodeId, NodeId>, double> m_links; //!< and their RSSI, dBm
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
        broker.Receive(10ms, 1, {{0, 1}, 1, 0, NO_NODE, 1}, RSSI, output);
        NS_TEST_ASSERT_MSG_EQ(output.parentChange->previous,
                              NO_NODE,
                              "the first has none before it");
        output = {};
        broker.LinkFailed(1, output);
        NS_TEST_ASSERT_MSG_EQ(broker.GetParent(), NO_NODE, "the transport lost it");
        broker.Receive(1010ms, 2, {{0, 1}, 2, 1, 1, 1}, RSSI, output);
        NS_TEST_ASSERT_MSG_EQ(output.parentChange->previous, 1, "b_o is the lost parent");
        NS_TEST_ASSERT_MSG_EQ(output.parentChange->current, 2, "b_n is the first sender");
        output = {};
        broker.LinkFailed(2, output);
        broker.Receive(1500ms,
                       2,
                       {{500, 8}, 7, 1, 9, 1},
                       RSSI,
                       output); // 2 has chosen us as parent
        broker.Receive(2010ms, 3, {{0, 1}, 3, 1, 1, 1}, RSSI, output);
        NS_TEST_ASSERT_MSG_EQ(output.parentChange->previous,
                              NO_NODE,
                              "what was above us is below us now");
    }
};

/// @return overlay policies with parents by policy @p name, changes put off by @p migration
Policies
By(const std::string& name, const std::string& migration = "immediate")
{
    return MakePolicies({{"parent", {name, {{"margin", 6}}}},
                         {"migration", {migration, {{"rounds", 3}, {"seconds", 5}}}}});
}

class LoopsDoNotLast : public ns3::TestCase
{
  public:
    LoopsDoNotLast(std::string parent, std::string migration)
        : TestCase("parents by " + parent + ", changed by " + migration + ": no loop stays"),
          m_parent(std::move(parent)),
          m_migration(std::move(migration))
    {
    }

  private:
    void DoRun() override
    {
        for (unsigned seed = 1; seed <= 40; ++seed)
        {
            Wander(seed, 0, 20, 10s);  // links change now and then, heartbeats arrive
            Wander(seed, 0.3, 60, 1s); // links change all the time, heartbeats are lost
        }
    }

    void Wander(unsigned seed, double loss, int changes, Instant pause)
    {
        constexpr NodeId brokers = 8;
        Field field(brokers, By(m_parent, m_migration), seed, loss);
        const auto draw = [&field](NodeId n) { return static_cast<NodeId>(field.Draw() * n); };
        std::map<NodeId, Instant> since; // who is on a cycle, and since when
        for (int change = 0; change < changes; ++change)
        {
            for (int link = 0; link < 6; ++link)
            {
                const auto a = draw(brokers);
                const auto b = static_cast<NodeId>((a + 1 + draw(brokers - 1)) % brokers);
                field.Draw() < 0.6 ? field.Link(a, b, -95 + 40 * field.Draw()) : field.Cut(a, b);
            }
            for (Instant passed{0}; passed < pause; passed += 100ms)
            {
                field.RunFor(100ms);
                const auto onCycles = field.FindOnCycles();
                std::erase_if(since, [&](const auto& s) { return !onCycles.contains(s.first); });
                for (const auto id : onCycles)
                {
                    const auto lasted =
                        field.Now() - since.try_emplace(id, field.Now()).first->second;
                    // A parent's silence is noticed after 3 s, its word in the next round.
                    NS_TEST_ASSERT_MSG_LT(lasted.count(),
                                          Instant(5s).count(),
                                          "broker " << id << " goes round in circles, seed " << seed
                                                    << ", loss " << loss);
                }
            }
        }
    }

    std::string m_parent;
    std::string m_migration;
};

class LeadersOfOneInstantPart : public ns3::TestCase
{
  public:
    LeadersOfOneInstantPart()
        : TestCase("brokers that lose their leader at one instant neither lead nor send at one")
    {
    }

  private:
    void DoRun() override
    {
        std::mt19937 random(1);
        std::uniform_real_distribution<double> uniform(0, 1);
        std::set<Instant> elections;
        std::set<Instant> announcements;
        for (NodeId id = 1; id <= 8; ++id)
        {
            BrokerOverlay broker(id, 1, {}, [&] { return uniform(random); });
            OverlayOutput output;
            broker.Start(5ms, output);
            NS_TEST_EXPECT_MSG_EQ(output.broadcasts.empty(), true, "it waits a moment");
            broker.Receive(20ms, 0, {{0, 0}, 1, 0, NO_NODE, 1}, RSSI, output);
            broker.Expire(broker.NextTimer(), output); // passes the round on
            elections.insert(broker.NextTimer());
            broker.Expire(broker.NextTimer(), output);
            NS_TEST_EXPECT_MSG_EQ(broker.GetLeader(), id, "it leads");
            announcements.insert(broker.NextTimer());
        }
        NS_TEST_EXPECT_MSG_EQ(elections.size(), 8, "at an instant of its own");
        NS_TEST_EXPECT_MSG_EQ(announcements.size(), 8, "and says so at one of its own");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(elections.begin()->count(), Instant(3020ms).count(), "late");
        NS_TEST_EXPECT_MSG_LT(elections.rbegin()->count(), Instant(3030ms).count(), "by 10 ms");
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
        broker.Receive(10ms, 4, {{0, 1}, 1, 3, 9, 1}, RSSI, output);
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
        ClientAttachment client(9, 2, {});
        const auto hear = [&client](Instant now, NodeId from, uint32_t round) {
            return static_cast<int>(
                client.Receive(now, from, {{0, 1}, round, 0, NO_NODE, 1}, RSSI));
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

/// Takes nobody who is heard weakly.
class StrongOnly : public ParentPolicy
{
  public:
    NodeId Decide(const NodeView&,
                  const Candidate* current,
                  const std::vector<Candidate>& candidates) override
    {
        const auto strong = std::ranges::find_if(candidates, [](const Candidate& candidate) {
            return candidate.rssiDbm > -90;
        });
        return strong != candidates.end() ? strong->id : current ? current->id : NO_NODE;
    }
};

class ClientForgetsALeaderWhoseBrokersItDeclined : public ns3::TestCase
{
  public:
    ClientForgetsALeaderWhoseBrokersItDeclined()
        : TestCase("a client without a broker does not wait for a leader that is gone")
    {
    }

  private:
    void DoRun() override
    {
        Policies policies;
        policies.client = std::make_shared<StrongOnly>();
        ClientAttachment client(9, 2, {}, policies);
        const auto is = [](AttachmentChange change) { return static_cast<int>(change); };
        const Heartbeat weak{{0, 1}, 1, 0, NO_NODE, 1};
        const Heartbeat worse{{7, 2}, 1, 0, NO_NODE, 1};
        NS_TEST_ASSERT_MSG_EQ(is(client.Receive(1s, 1, weak, -92)),
                              is(AttachmentChange::NONE),
                              "declined");
        NS_TEST_ASSERT_MSG_EQ((client.NextTimer() == Instant(4s)), true, "its leader may be gone");
        NS_TEST_ASSERT_MSG_EQ(is(client.Expire(4s)), is(AttachmentChange::NONE), "no broker lost");
        NS_TEST_ASSERT_MSG_EQ(is(client.Receive(5s, 2, worse, -60)),
                              is(AttachmentChange::MOVED),
                              "to the next leader's");
    }
};

/// @return a broker as a client hears it
Candidate
Heard(NodeId id, double rssiDbm)
{
    Candidate heard;
    heard.id = id;
    heard.rssiDbm = rssiDbm;
    return heard;
}

class EmmaSpreadsClients : public ns3::TestCase
{
  public:
    EmmaSpreadsClients()
        : TestCase("EMMA's controller: the best latency first, then the least load, then no change")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::pair<double, uint32_t>>
            groups{{-60, 0}, {-89.8, 0}, {-90, 1}, {-93.3, 1}, {-93.5, 2}, {-93.9, 2}, {-94.1, 3}};
        for (const auto& [rssiDbm, group] : groups)
        {
            NS_TEST_EXPECT_MSG_EQ(GetLatencyGroup(rssiDbm), group, rssiDbm << " dBm");
        }
        EmmaControlled policy;
        std::map<NodeId, NodeId> at; // broker by client
        const auto choose = [&](NodeId client, const std::vector<Candidate>& heard) {
            NodeView me;
            me.id = client;
            me.parent = at.contains(client) ? at[client] : NO_NODE;
            const auto present = std::ranges::find(heard, me.parent, &Candidate::id);
            return policy.Decide(me, present == heard.end() ? nullptr : &*present, heard);
        };
        const auto join = [&](NodeId client, const std::vector<Candidate>& heard) {
            return at[client] = choose(client, heard);
        };
        const std::vector<Candidate> alike{Heard(1, -70), Heard(2, -85)};
        NS_TEST_EXPECT_MSG_EQ(join(11, alike), 1, "nobody is anywhere");
        NS_TEST_EXPECT_MSG_EQ(join(12, alike), 2, "the weaker one is in the same group");
        NS_TEST_EXPECT_MSG_EQ(join(13, alike), 1, "one each");
        NS_TEST_EXPECT_MSG_EQ(join(14, {Heard(1, -70), Heard(2, -92)}),
                              1,
                              "a worse group, less load");
        NS_TEST_EXPECT_MSG_EQ(choose(12, alike), 2, "no gain");
        NS_TEST_EXPECT_MSG_EQ(choose(13, alike), 2, "one other client instead of two");
        NS_TEST_EXPECT_MSG_EQ(choose(12, {Heard(1, -70)}),
                              1,
                              "what is not heard any more does not count");
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
        AddTestCase(new LeadersOfOneInstantPart, Duration::QUICK);
        AddTestCase(new NeverBelowItsOwnChild, Duration::QUICK);
        AddTestCase(new ClientFollowsTheFirstSender, Duration::QUICK);
        AddTestCase(new ClientForgetsALeaderWhoseBrokersItDeclined, Duration::QUICK);
        AddTestCase(new EmmaSpreadsClients, Duration::QUICK);
        for (const auto* parent : {"first-heard",
                                   "strongest-link",
                                   "hysteresis",
                                   "slow-node-backbone",
                                   "balanced-fan-out"})
        {
            for (const auto* migration : {"immediate", "persistence", "minimum-stay"})
            {
                AddTestCase(new LoopsDoNotLast(parent, migration), Duration::QUICK);
            }
        }
    }
};

OverlayTestSuite g_overlayTestSuite;

} // namespace

} // namespace mftpubsub::overlay_test
