/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The mesh in its laboratory, in situations made by hand.
 */
#include "lab/mesh/mesh-lab.h"

#include "ns3/test.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh_lab_test
{

namespace
{

constexpr uint8_t B = mesh::BROKER;
constexpr uint8_t S = mesh::SUBSCRIBER;
constexpr uint8_t P = mesh::PUBLISHER;

std::string
Topic(const std::string& topic)
{
    return "topic = '" + topic + "'";
}

/// @return the frames of the next 80 s; two brokers' heartbeats are some 20
uint64_t
CountFramesLater(MeshLab& lab)
{
    const auto before = lab.CountFrames();
    lab.Run(80);
    return lab.CountFrames() - before;
}

/**
 * A publisher's event is settled at one broker, another takes that over from it without holding the
 * event, the first one crashes, and the word that wants the event comes last.
 */
class SettledElsewhereTest : public ns3::TestCase
{
  public:
    SettledElsewhereTest()
        : TestCase("A publisher does not let go of an event that a broker has but does not hold")
    {
    }

  private:
    void DoRun() override
    {
        MeshLabOptions options;
        options.roles = {P, B, B, S};
        MeshLab lab(options);
        bool isDeaf = true;
        lab.SetHears([&isDeaf](NodeId, NodeId to) { return to != 0 || !isDeaf; });
        for (const auto& [one, other] : {std::pair{0, 2}, {0, 3}, {1, 3}, {2, 3}})
        {
            lab.SetLink(static_cast<NodeId>(one), static_cast<NodeId>(other), false);
        }
        lab.Subscribe(3, Topic("a"));
        lab.Run(1);
        const auto event = lab.Publish(0, "a");
        lab.Run(2);
        NS_TEST_EXPECT_MSG_EQ(lab.GetStation(2).GetBroker()->IsSettled(event->id),
                              true,
                              "it has taken over that nobody wants it");
        lab.Crash(1);
        isDeaf = false;
        lab.SetLink(0, 2, true);
        lab.Run(10);
        NS_TEST_EXPECT_MSG_EQ(lab.GetStation(0).GetPublisher()->CountHeld(), 0, "it has let go");
        NS_TEST_EXPECT_MSG_EQ(lab.GetStation(2).CountHeld(), 1, "of what is held");
        lab.Restart(1);
        lab.SetLink(2, 3, true);
        lab.Run(60);
        NS_TEST_EXPECT_MSG_EQ(lab.HasDelivered(3, event->id), true, "it has been delivered");
        NS_TEST_EXPECT_MSG_EQ(lab.GetViolations().size(), 0, "nothing was wrong on the way");
    }
};

/// What everybody has got leaves the stores, and is not taken for missing by who restarts.
class ForgettingTest : public ns3::TestCase
{
  public:
    ForgettingTest()
        : TestCase("Brokers forget what all subscribers have got")
    {
    }

  private:
    void DoRun() override
    {
        MeshLabOptions options;
        options.roles = {P, B, B, B, S, S};
        options.mesh.forgetAfter = mesh::Seconds(20);
        MeshLab lab(options);
        lab.Subscribe(4, Topic("a"));
        lab.Subscribe(5, Topic("a"));
        lab.Run(2);
        for (NodeId other = 0; other < 5; ++other)
        {
            lab.SetLink(5, other, false);
        }
        for (int i = 0; i < 10; ++i)
        {
            lab.Publish(0, i % 2 ? "a" : "b");
            lab.Run(1);
        }
        lab.Run(200);
        NS_TEST_EXPECT_MSG_GT(lab.GetStation(2).CountHeld(), 0, "not what one has not got");
        lab.SetLink(5, 3, true);
        lab.Run(200);
        lab.Crash(2);
        lab.Restart(2);
        lab.Run(60);
        for (NodeId broker = 1; broker <= 3; ++broker)
        {
            NS_TEST_EXPECT_MSG_EQ(lab.GetStation(broker).CountHeld(), 0, "at broker " << broker);
        }
        NS_TEST_EXPECT_MSG_EQ(lab.GetViolations().size(), 0, "nothing was wrong on the way");
        NS_TEST_EXPECT_MSG_EQ(lab.CheckConverged().size(), 0, "all have got all");
    }
};

/**
 * What nobody wants is settled and expires; so does what a subscriber that is away wants. Its word
 * comes in time for one event and too late for another.
 */
class ExpiredAndSettledTest : public ns3::TestCase
{
  public:
    ExpiredAndSettledTest()
        : TestCase("A word brings back what is settled, and not what has expired")
    {
    }

  private:
    void DoRun() override
    {
        MeshLabOptions options;
        options.roles = {P, B, B, S};
        options.keepSeconds = 20;
        MeshLab lab(options);
        for (NodeId other = 0; other < 3; ++other)
        {
            lab.SetLink(3, other, false);
        }
        lab.Subscribe(3, Topic("a"));
        lab.Run(2);
        const auto early = lab.Publish(0, "a");
        lab.Run(15);
        const auto late = lab.Publish(0, "a");
        lab.Run(10);
        const auto& broker = *lab.GetStation(2).GetBroker();
        NS_TEST_EXPECT_MSG_EQ(broker.IsSettled(early->id) && broker.IsSettled(late->id),
                              true,
                              "nobody here wants them");
        NS_TEST_EXPECT_MSG_EQ(lab.GetStation(1).GetBroker()->Holds(early->id) ||
                                  broker.Holds(early->id),
                              false,
                              "the first one has expired");
        lab.SetLink(2, 3, true);
        lab.Run(60);
        NS_TEST_EXPECT_MSG_EQ(lab.HasDelivered(3, late->id), true, "in time");
        NS_TEST_EXPECT_MSG_EQ(lab.HasDelivered(3, early->id), false, "too late");
        NS_TEST_EXPECT_MSG_EQ(lab.GetViolations().size(), 0, "nothing was wrong on the way");
        NS_TEST_EXPECT_MSG_LT(CountFramesLater(lab), 30, "nobody asks for ever");
    }
};

/// Halves part; frames hold the sets of a few publishers only, so that their parts go round.
class ManyPublishersTest : public ns3::TestCase
{
  public:
    explicit ManyPublishersTest(bool isScoped)
        : TestCase("Events of more publishers than a frame can name arrive, " +
                   std::string(isScoped ? "scoped" : "for all")),
          m_isScoped(isScoped)
    {
    }

  private:
    static constexpr NodeId PUBLISHERS = 100;

    void DoRun() override
    {
        MeshLabOptions options;
        options.roles.assign(PUBLISHERS, P);
        options.roles.insert(options.roles.end(), {B, B, S, S});
        options.mesh.maxFrameBytes = 200;
        options.mesh.isScoped = m_isScoped;
        options.seed = 3;
        MeshLab lab(options);
        lab.Subscribe(PUBLISHERS + 2, Topic("a"));
        lab.Subscribe(PUBLISHERS + 3, Topic("b"));
        lab.Run(2);
        Part(lab, false);
        for (NodeId publisher = 0; publisher < PUBLISHERS; ++publisher)
        {
            lab.Publish(publisher, publisher % 3 ? "a" : "b");
            lab.Run(0.2);
        }
        lab.Run(10);
        Part(lab, true);
        lab.Run(300);
        const auto& wrong = lab.GetViolations();
        NS_TEST_EXPECT_MSG_EQ(wrong.size(), 0, wrong.front());
        NS_TEST_EXPECT_MSG_EQ(lab.CheckConverged().size(), 0, "all have got all");
        NS_TEST_EXPECT_MSG_LT(CountFramesLater(lab), 30, "nobody asks for ever");
    }

    /// Even publishers, one broker and one subscriber on one side, odd ones and the others there.
    static void Part(MeshLab& lab, bool isUp)
    {
        for (NodeId one = 0; one < PUBLISHERS + 4; ++one)
        {
            for (NodeId other = one + 1; other < PUBLISHERS + 4; other += 2)
            {
                lab.SetLink(one, other, isUp);
            }
        }
    }

    bool m_isScoped;
};

/**
 * A subscriber that comes late hears of more events than anybody asks for at once from a broker
 * that does not hear it, and then crashes. Another one has them all.
 */
class VanishedBrokerTest : public ns3::TestCase
{
  public:
    VanishedBrokerTest()
        : TestCase("A broker that has vanished does not keep a subscriber from asking another")
    {
    }

  private:
    void DoRun() override
    {
        MeshLabOptions options;
        options.roles = {P, B, B, S};
        MeshLab lab(options);
        lab.Subscribe(3, Topic("a"));
        lab.Run(1);
        for (NodeId other = 0; other < 3; ++other)
        {
            lab.SetLink(3, other, false);
        }
        std::vector<EventId> events;
        for (int i = 0; i < 1100; ++i)
        {
            events.push_back(lab.Publish(0, "a")->id);
            lab.Run(0.05);
        }
        lab.SetHears([](NodeId from, NodeId to) { return from != 3 || to != 1; });
        lab.SetLink(3, 1, true);
        lab.Run(10);
        lab.Crash(1);
        lab.SetLink(3, 2, true);
        lab.Run(120);
        const auto delivered =
            std::ranges::count_if(events, [&lab](EventId id) { return lab.HasDelivered(3, id); });
        NS_TEST_EXPECT_MSG_EQ(delivered, std::ssize(events), "all are delivered");
        NS_TEST_EXPECT_MSG_EQ(lab.GetViolations().size(), 0, "nothing was wrong on the way");
    }
};

/**
 * What stations remember of events and of others does not grow with what has been: MESH_SOAK
 * events, some for two subscribers, some for one, some for nobody; halves part now and then.
 */
class SoakTest : public ns3::TestCase
{
  public:
    SoakTest()
        : TestCase("Memory does not grow with what has been delivered")
    {
    }

  private:
    void DoRun() override
    {
        MeshLabOptions options;
        options.roles = {P, B, B, B, S, S, P};
        options.loss = 0.05;
        options.isChecking = false;
        options.mesh.forgetAfter = mesh::Seconds(5);
        options.mesh.limits.subscriber.helloFrom = mesh::Seconds(4);
        options.mesh.limits.subscriber.helloTo = mesh::Seconds(6);
        MeshLab lab(options);
        lab.Subscribe(4, Topic("a"));
        lab.Subscribe(5, Topic("a"));
        lab.Subscribe(5, Topic("b"));
        const auto* text = std::getenv("MESH_SOAK");
        const auto events = text ? std::atoi(text) : 4000;
        size_t mostEarly = 0;
        size_t mostLate = 0;
        for (int i = 0; i < events; ++i)
        {
            lab.Publish(i % 3 ? 0 : 6, std::string(1, "abc"[i % 7 % 3]));
            lab.Run(0.1);
            lab.SetLink(1, 2, i % 400 < 300);
            auto& most = i < events / 4 ? mostEarly : mostLate;
            most = std::max(most, CountRemembered(lab));
        }
        lab.Run(60);
        NS_TEST_EXPECT_MSG_LT(mostLate, 1.5 * static_cast<double>(mostEarly), "is flat");
        for (NodeId broker = 1; broker <= 3; ++broker)
        {
            NS_TEST_EXPECT_MSG_EQ(lab.GetStation(broker).CountHeld(), 0, "nothing at " << broker);
        }
        NS_TEST_EXPECT_MSG_EQ(lab.CheckConverged().size(), 0, "all have got all");
        if (text)
        {
            std::printf("%d events: at most %zu, then %zu, in the end %zu\n",
                        events,
                        mostEarly,
                        mostLate,
                        CountRemembered(lab));
        }
    }

    static size_t CountRemembered(const MeshLab& lab)
    {
        size_t entries = 0;
        for (NodeId node = 0; node < 7; ++node)
        {
            const auto& station = lab.GetStation(node);
            if (const auto* broker = station.GetBroker())
            {
                entries += broker->CountRemembered();
            }
            if (const auto* subscriber = station.GetSubscriber())
            {
                entries += subscriber->CountRemembered();
            }
            if (const auto* publisher = station.GetPublisher())
            {
                entries += publisher->CountHeld();
            }
        }
        return entries;
    }
};

/// A broker that hears nobody any more forgets what is settled, and others, nevertheless.
class AloneTest : public ns3::TestCase
{
  public:
    AloneTest()
        : TestCase("A broker that hears nobody forgets in time")
    {
    }

  private:
    void DoRun() override
    {
        MeshLabOptions options;
        options.roles = {B | P, B, S};
        options.mesh.forgetAfter = mesh::Seconds(20);
        MeshLab lab(options);
        lab.Subscribe(2, Topic("a"));
        lab.Run(5);
        lab.Publish(0, "b");
        lab.SetHears([](NodeId, NodeId) { return false; });
        lab.Run(15);
        NS_TEST_EXPECT_MSG_EQ(lab.GetStation(0).CountHeld(), 1, "not yet");
        lab.Run(60);
        NS_TEST_EXPECT_MSG_EQ(lab.GetStation(0).CountHeld(), 0, "settled, and forgotten");
        NS_TEST_EXPECT_MSG_LT(lab.GetStation(0).GetBroker()->CountRemembered(),
                              8,
                              "that it is settled, since when, and not who was near");
    }
};

/**
 * More events than a STATE has room for, and a broker that publishes what nobody wants: its
 * neighbours always lack the newest of that.
 */
class LackedAlwaysTest : public ns3::TestCase
{
  public:
    LackedAlwaysTest()
        : TestCase("What neighbours always lack does not keep the rest from being told")
    {
    }

  private:
    static constexpr NodeId PUBLISHERS = 40;
    static constexpr NodeId FIRST = 4; //!< of them; brokers come before, the subscriber after

    void DoRun() override
    {
        MeshLabOptions options;
        options.isChecking = false;
        options.mesh.maxFrameBytes = 114;
        options.roles = {B | P, B, B, B};
        options.roles.resize(FIRST + PUBLISHERS, P);
        options.roles.push_back(S);
        MeshLab lab(options);
        const NodeId subscriber = FIRST + PUBLISHERS;
        SetLinks(lab, subscriber);
        lab.Subscribe(subscriber, Topic("a"));
        lab.Run(20);
        for (auto publisher = FIRST; publisher + 1 < subscriber; ++publisher)
        {
            lab.Publish(publisher, "y", 20);
            lab.Run(1);
        }
        lab.SetLink(subscriber, 0, false);
        const auto event = lab.Publish(subscriber - 1, "a", 20);
        Publish(lab, 60);
        lab.SetLink(subscriber, 0, true);
        for (int seconds = 0; seconds < 300 && !lab.HasDelivered(subscriber, event->id);
             seconds += 10)
        {
            Publish(lab, 5);
        }
        NS_TEST_EXPECT_MSG_EQ(lab.HasDelivered(subscriber, event->id), true, "it is told at last");
    }

    static void SetLinks(MeshLab& lab, NodeId subscriber)
    {
        for (auto node = FIRST; node <= subscriber; ++node)
        {
            for (NodeId other = 0; other < node; ++other)
            {
                const auto heard = node < subscriber ? 1 : 0;
                lab.SetLink(node, other, other == heard);
            }
        }
    }

    /// What nobody wants, each 2 s.
    static void Publish(MeshLab& lab, int events)
    {
        for (int i = 0; i < events; ++i)
        {
            lab.Publish(0, "x", 20);
            lab.Run(2);
        }
    }
};

class MeshLabSuite : public ns3::TestSuite
{
  public:
    MeshLabSuite()
        : TestSuite("mftpubsub-mesh-lab", Type::UNIT)
    {
        AddTestCase(new SettledElsewhereTest, Duration::QUICK);
        AddTestCase(new ForgettingTest, Duration::QUICK);
        AddTestCase(new ExpiredAndSettledTest, Duration::QUICK);
        AddTestCase(new SoakTest, Duration::QUICK);
        AddTestCase(new AloneTest, Duration::QUICK);
        AddTestCase(new VanishedBrokerTest, Duration::QUICK);
        AddTestCase(new LackedAlwaysTest, Duration::QUICK);
        AddTestCase(new ManyPublishersTest(true), Duration::QUICK);
        AddTestCase(new ManyPublishersTest(false), Duration::QUICK);
    }
};

MeshLabSuite g_meshLab;

} // namespace

} // namespace mftpubsub::mesh_lab_test
