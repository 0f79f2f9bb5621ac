/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "two-nodes.h"

#include "ns3/test.h"

#include <cstdio>

namespace mftpubsub::session_test
{

using namespace std::chrono_literals;

namespace
{

constexpr NodeId CAROL = 3;
constexpr uint8_t KIND = 3;

bool
RetryThrice(NodeId, uint8_t, uint32_t attempts)
{
    return attempts <= 3;
}

class DeliversInOrderOnceUnderLoss : public ns3::TestCase
{
  public:
    DeliversInOrderOnceUnderLoss()
        : TestCase("whatever arrives comes once, in order and whole, under 20 % loss")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 200; ++seed)
        {
            TwoNodes link(0.2, seed);
            for (int i = 0; i < 30; ++i)
            {
                link.Send(ALICE, std::to_string(100 + i) + std::string(i * 7 % 90, 'x'));
            }
            link.Settle();
            const auto& alice = link.seen[ALICE];
            const auto& received = link.seen[BOB].received;
            NS_TEST_ASSERT_MSG_EQ(alice.delivered.size() + alice.failed.size(), 30, "all settled");
            NS_TEST_ASSERT_MSG_EQ(std::ranges::is_sorted(received), true, "order");
            NS_TEST_ASSERT_MSG_EQ((std::ranges::adjacent_find(received) == received.end()),
                                  true,
                                  "no message twice");
            NS_TEST_ASSERT_MSG_GT_OR_EQ(received.size(),
                                        alice.delivered.size(),
                                        "what the sender believes delivered has arrived");
        }
    }
};

class FailsAllMessagesOfALostNeighbour : public ns3::TestCase
{
  public:
    FailsAllMessagesOfALostNeighbour()
        : TestCase(
              "a neighbour out of reach fails every message to it, in order, after the retries")
    {
    }

  private:
    void DoRun() override
    {
        TwoNodes link(1.0);
        const auto first = link.Send(ALICE, "one");
        const auto second = link.Send(ALICE, "two");
        link.Settle();
        const auto& alice = link.seen[ALICE];
        NS_TEST_ASSERT_MSG_EQ((alice.failed == std::vector{first, second}), true, "in order");
        NS_TEST_ASSERT_MSG_EQ(alice.ended.size(), 1, "one session is over");
        NS_TEST_ASSERT_MSG_LT_OR_EQ(link.framesOnAir, 8, "each frame at most four times");
        link.SetLoss(0.0);
        link.Send(ALICE, "three");
        link.Settle();
        NS_TEST_ASSERT_MSG_EQ((link.seen[BOB].received == std::vector<std::string>{"three"}),
                              true,
                              "the link works again, and what was given up does not come late");
    }
};

class BothEndsLearnOfTheEnd : public ns3::TestCase
{
  public:
    BothEndsLearnOfTheEnd()
        : TestCase("a session that one end gives up is over for the other at its next sign")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto byHeartbeat : {false, true})
        {
            TwoNodes link(0.0);
            link.Send(ALICE, "before");
            link.Settle();
            link.SetLoss(1.0);
            link.Send(ALICE, "lost");
            link.Settle();
            link.SetLoss(0.0);
            NS_TEST_ASSERT_MSG_EQ(link.seen[BOB].ended.empty(), true, "Bob cannot know yet");
            if (byHeartbeat)
            {
                link.SendHeartbeat(ALICE);
                link.Settle();
            }
            else
            {
                link.Send(ALICE, "after");
                link.Settle();
                NS_TEST_ASSERT_MSG_EQ(link.seen[BOB].received.back(), "after", "it arrives");
                NS_TEST_ASSERT_MSG_EQ(link.seen[BOB].receivedIn.back(), 1, "in the new session");
            }
            NS_TEST_ASSERT_MSG_EQ((link.seen[BOB].ended == std::vector{SessionEnd::RENEWED}),
                                  true,
                                  "once");
            link.SendHeartbeat(ALICE);
            link.SendHeartbeat(BOB);
            link.Send(BOB, "answer");
            link.Settle();
            NS_TEST_ASSERT_MSG_EQ(link.seen[BOB].ended.size(), 1, "and no more");
            NS_TEST_ASSERT_MSG_EQ(link.seen[ALICE].ended.size(), 1, "of either");
            NS_TEST_ASSERT_MSG_EQ(link.seen[ALICE].received.back(), "answer", "both ways");
        }
    }
};

class ARestartIsHeard : public ns3::TestCase
{
  public:
    ARestartIsHeard()
        : TestCase("a heartbeat of a neighbour that restarted ends the session with it")
    {
    }

  private:
    void DoRun() override
    {
        TwoNodes link(0.0);
        link.SendHeartbeat(BOB);
        link.Send(ALICE, "before");
        link.Settle();
        link.SendHeartbeat(BOB);
        link.Settle();
        NS_TEST_ASSERT_MSG_EQ(link.seen[ALICE].ended.empty(), true, "nothing has happened");
        link.Restart(BOB);
        link.SendHeartbeat(BOB);
        link.Settle();
        NS_TEST_ASSERT_MSG_EQ((link.seen[ALICE].ended == std::vector{SessionEnd::RESTARTED}),
                              true,
                              "once");
    }
};

class NothingGivenUpIsTakenForNew : public ns3::TestCase
{
  public:
    NothingGivenUpIsTakenForNew()
        : TestCase("a receiver understands what comes after 33000 messages given up")
    {
    }

  private:
    void DoRun() override
    {
        TwoNodes link(0.0);
        link.Send(ALICE, "before");
        link.Settle();
        link.SetLoss(1.0);
        for (int i = 0; i < 33'000; ++i)
        {
            link.Send(ALICE, "in vain");
            if (i % 3000 == 0)
            {
                link.Settle();
            }
        }
        link.Settle();
        link.SetLoss(0.0);
        link.Send(ALICE, "after");
        link.Settle();
        NS_TEST_ASSERT_MSG_EQ(link.seen[BOB].received.size(), 2, "the neighbour takes it");
        NS_TEST_ASSERT_MSG_EQ(link.seen[BOB].received.back(), "after", "and only that");
    }
};

class SplitsAndReassembles : public ns3::TestCase
{
  public:
    SplitsAndReassembles()
        : TestCase("a message larger than a frame is split and arrives whole")
    {
    }

  private:
    void DoRun() override
    {
        TwoNodes link(0.0);
        const auto text = std::string(300 * 20 + 7, 'a');
        link.Send(ALICE, text);
        link.Send(ALICE, "");
        link.Settle();
        NS_TEST_ASSERT_MSG_EQ((link.seen[BOB].received == std::vector<std::string>{text, ""}),
                              true,
                              "whole, and the empty one too");
    }
};

class ARestartBetweenFragments : public ns3::TestCase
{
  public:
    ARestartBetweenFragments()
        : TestCase("a message whose receiver restarts half-way is not taken for delivered")
    {
    }

  private:
    void DoRun() override
    {
        for (int steps = 0; steps < 12; ++steps)
        {
            TwoNodes link(0.0);
            const auto handle = link.Send(ALICE, std::string(70, 'a'));
            for (int i = 0; i < steps; ++i)
            {
                link.Step();
            }
            const auto had = link.seen[BOB].received.size();
            link.Restart(BOB);
            link.Settle();
            const auto has = had + link.seen[BOB].received.size();
            const auto& delivered = link.seen[ALICE].delivered;
            const auto isTold = std::ranges::find(delivered, handle) != delivered.end();
            NS_TEST_EXPECT_MSG_EQ((!isTold || has > 0), true, "dropped after " << steps);
            NS_TEST_EXPECT_MSG_EQ(delivered.size() + link.seen[ALICE].failed.size(), 1, "settled");
        }
    }
};

class UnderstandsManyRestarts : public ns3::TestCase
{
  public:
    UnderstandsManyRestarts()
        : TestCase("a node that restarts again and again is understood each time")
    {
    }

  private:
    void DoRun() override
    {
        TwoNodes link(0.0);
        for (int i = 0; i < 200; ++i)
        {
            link.Restart(ALICE);
            link.Send(ALICE, std::to_string(i));
            link.Settle();
            NS_TEST_ASSERT_MSG_EQ(link.seen[BOB].received.back(), std::to_string(i), "arrives");
            NS_TEST_ASSERT_MSG_EQ(link.seen[ALICE].delivered.size(), 1, "and is acknowledged");
        }
        NS_TEST_ASSERT_MSG_EQ(link.seen[BOB].received.size(), 200, "each once");
    }
};

/// What the protocols rely on, whatever is lost, closed and forgotten.
class SessionsNeverMix : public ns3::TestCase
{
  public:
    SessionsNeverMix()
        : TestCase("messages of one session never arrive in another, nor out of order, nor twice")
    {
    }

  private:
    /// Sends from Alice, labelled by her session and a number; all else is random.
    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 3000; ++seed)
        {
            std::mt19937 random(seed);
            TwoNodes link(0.1 * static_cast<double>(seed % 5), seed);
            int number = 0;
            for (int i = 0; i < 60; ++i)
            {
                Act(link, random() % 20, number);
            }
            link.Settle();
            Check(link, seed);
        }
    }

    static void Act(TwoNodes& link, uint32_t choice, int& number)
    {
        if (choice < 6)
        {
            char label[16];
            std::snprintf(label,
                          sizeof(label),
                          "%04zu %05d",
                          link.seen[ALICE].ended.size(),
                          ++number);
            link.Send(ALICE, label + std::string(number % 3 * 15, 'x'));
        }
        else if (choice < 9)
        {
            link.Send(BOB, "x");
        }
        else if (choice == 9)
        {
            link.Close(ALICE);
        }
        else if (choice == 10)
        {
            link.Close(BOB);
        }
        else if (choice < 13)
        {
            link.SendHeartbeat(choice == 11 ? ALICE : BOB);
        }
        else
        {
            link.Step();
        }
    }

    void Check(TwoNodes& link, uint32_t seed)
    {
        const auto& bob = link.seen[BOB];
        for (size_t i = 1; i < bob.received.size(); ++i)
        {
            const auto isSameSession = bob.receivedIn[i] == bob.receivedIn[i - 1];
            const auto isSameSender =
                bob.received[i].substr(0, 4) == bob.received[i - 1].substr(0, 4);
            NS_TEST_ASSERT_MSG_EQ((!isSameSession || isSameSender),
                                  true,
                                  "seed " << seed << ": sessions mixed at " << bob.received[i]);
            NS_TEST_ASSERT_MSG_EQ((!isSameSession || bob.received[i - 1] < bob.received[i]),
                                  true,
                                  "seed " << seed << ": order or twice at " << bob.received[i]);
            NS_TEST_ASSERT_MSG_EQ(
                (bob.received[i - 1].substr(0, 4) <= bob.received[i].substr(0, 4)),
                true,
                "seed " << seed << ": an old session at " << bob.received[i]);
        }
        const std::set<std::string> arrived(bob.received.begin(), bob.received.end());
        NS_TEST_ASSERT_MSG_GT_OR_EQ(arrived.size(),
                                    link.seen[ALICE].delivered.size(),
                                    "seed " << seed << ": delivered, although it did not arrive");
    }
};

class RetriesUnderItsOwnLoad : public ns3::TestCase
{
  public:
    RetriesUnderItsOwnLoad()
        : TestCase("a lost frame is sent again however much is sent to others")
    {
    }

  private:
    void DoRun() override
    {
        Sessions alice(ALICE, SmallFrames(), [] { return 0.5; }, RetryThrice);
        TransportOutput output;
        alice.Send(1, BOB, KIND, Bytes(5), output);
        alice.Transmitted(0ms, output.frames.front().ticket);
        auto attempts = 1;
        for (Instant now = 0ms; now < 60s; now += 5ms)
        {
            output = {};
            if (const auto timer = alice.NextTimer(); timer && *timer <= now)
            {
                alice.Expire(now, output);
            }
            if (now % 60ms == 0ms)
            {
                alice.Send(2 + static_cast<MessageHandle>(now / 60ms),
                           CAROL,
                           KIND,
                           Bytes(5),
                           output);
            }
            for (const auto& frame : output.frames)
            {
                attempts += frame.to == BOB;
                alice.Transmitted(now, frame.ticket);
            }
        }
        NS_TEST_ASSERT_MSG_EQ(attempts, 4, "the first attempt and three more");
    }
};

class WaitsTwiceAsLongForEachAttempt : public ns3::TestCase
{
  public:
    WaitsTwiceAsLongForEachAttempt()
        : TestCase("the retransmission timeout doubles with each attempt")
    {
    }

  private:
    void DoRun() override
    {
        Sessions alice(ALICE, SmallFrames(), [] { return 0.5; }, RetryThrice);
        TransportOutput output;
        alice.Send(1, BOB, KIND, Bytes(5), output);
        Instant now{0};
        std::vector<Instant> waits;
        while (!output.frames.empty())
        {
            alice.Transmitted(now, output.frames.front().ticket);
            waits.push_back(*alice.NextTimer() - now);
            now = *alice.NextTimer();
            output.frames.clear();
            alice.Expire(now, output);
        }
        NS_TEST_ASSERT_MSG_EQ(waits.size(), 4, "the first attempt and three more");
        for (size_t i = 1; i < waits.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_EQ_TOL(static_cast<double>(waits[i].count()),
                                      2.0 * static_cast<double>(waits[i - 1].count()),
                                      10.0,
                                      "twice the wait before, in ns");
        }
    }
};

class SessionTestSuite : public ns3::TestSuite
{
  public:
    SessionTestSuite()
        : TestSuite("mftpubsub-session", Type::UNIT)
    {
        AddTestCase(new DeliversInOrderOnceUnderLoss, Duration::QUICK);
        AddTestCase(new FailsAllMessagesOfALostNeighbour, Duration::QUICK);
        AddTestCase(new BothEndsLearnOfTheEnd, Duration::QUICK);
        AddTestCase(new ARestartIsHeard, Duration::QUICK);
        AddTestCase(new NothingGivenUpIsTakenForNew, Duration::QUICK);
        AddTestCase(new SplitsAndReassembles, Duration::QUICK);
        AddTestCase(new ARestartBetweenFragments, Duration::QUICK);
        AddTestCase(new UnderstandsManyRestarts, Duration::QUICK);
        AddTestCase(new SessionsNeverMix, Duration::QUICK);
        AddTestCase(new RetriesUnderItsOwnLoad, Duration::QUICK);
        AddTestCase(new WaitsTwiceAsLongForEachAttempt, Duration::QUICK);
    }
};

SessionTestSuite g_sessionTestSuite;

} // namespace

} // namespace mftpubsub::session_test
