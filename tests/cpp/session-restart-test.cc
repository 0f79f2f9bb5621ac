/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Sessions across restarts, whichever number the new life draws.
 */
#include "two-nodes.h"

#include "ns3/test.h"

#include <functional>

namespace mftpubsub::session_restart_test
{

namespace
{

constexpr SessionNumber LAST = UINT16_MAX - 1; //!< that a life may draw

/// What happened between Alice and Bob before Bob's restart.
struct Past
{
    std::string name;
    std::function<void(TwoNodes&)> live;
    bool isLifeKnown{false}; //!< Alice has heard Bob's heartbeat since his last number
};

/// @p link loses what is sent until it is quiet
void
SendInVain(TwoNodes& link, NodeId from, const std::string& text)
{
    link.SetLoss(1);
    link.Send(from, text);
    link.Settle();
    link.SetLoss(0);
}

const std::vector<Past> PASTS{
    {"nothing", [](TwoNodes&) {}},
    {"heartbeats",
     [](TwoNodes& link) {
         link.SendHeartbeat(ALICE);
         link.SendHeartbeat(BOB);
     }},
    {"Alice has sent", [](TwoNodes& link) { link.Send(ALICE, "a"); }},
    {"Bob has sent", [](TwoNodes& link) { link.Send(BOB, "b"); }},
    {"Bob has sent, and heard of no acknowledgement",
     [](TwoNodes& link) {
         link.Send(BOB, "b");
         link.SwitchOff(BOB);
     }},
    {"both have sent and been heard",
     [](TwoNodes& link) {
         link.Send(ALICE, "a");
         link.Settle();
         link.SendHeartbeat(BOB);
         link.Send(BOB, std::string(50, 'b'));
         link.Settle();
         link.Send(ALICE, "aa");
     },
     true},
    {"two sessions have ended",
     [](TwoNodes& link) {
         link.SendHeartbeat(BOB);
         for (const auto* text : {"b1", "b2"})
         {
             link.Send(BOB, text);
             link.Settle();
             SendInVain(link, BOB, std::string("lost ") + text);
         }
         link.Send(BOB, "b3");
     }},
    {"forty sessions have ended",
     [](TwoNodes& link) {
         link.SendHeartbeat(BOB);
         for (int i = 0; i < 40; ++i)
         {
             link.Send(BOB, "b" + std::to_string(i));
             link.Settle();
             link.Close(i % 2 == 0 ? ALICE : BOB);
         }
         link.Settle();
         link.Send(ALICE, "a");
         link.Settle();
         link.SendHeartbeat(BOB);
     },
     true},
};

/// Who shows the first sign after the restart, and how.
enum class FirstSign
{
    ALICE_SENDS,
    BOB_SENDS,
    BOTH_SEND,
    BOB_HEARTBEAT
};

/// @return whether a message of @p from arrives, which may end two more sessions if @p patience: if
/// timeouts are shorter than the way one ends before it has begun, which ends the next one
bool
Talks(TwoNodes& link, NodeId from, bool patience)
{
    for (auto attempt = 0; attempt < (patience ? 3 : 1); ++attempt)
    {
        const auto handle =
            link.Send(from, std::to_string(attempt) + " of " + std::to_string(from));
        link.Settle();
        const auto& delivered = link.seen[from].delivered;
        if (!delivered.empty() && delivered.back() == handle)
        {
            return true;
        }
    }
    return false;
}

void
ShowSign(TwoNodes& link, FirstSign sign)
{
    if (sign == FirstSign::BOB_HEARTBEAT)
    {
        link.SendHeartbeat(BOB);
    }
    if (sign == FirstSign::ALICE_SENDS || sign == FirstSign::BOTH_SEND)
    {
        link.Send(ALICE, "first of Alice");
    }
    if (sign == FirstSign::BOB_SENDS || sign == FirstSign::BOTH_SEND)
    {
        link.Send(BOB, "first of Bob");
    }
    link.Settle();
}

/// Bob, whose number was @p before, restarts with @p after. @return what goes wrong
std::string
RunRestart(SessionNumber before, SessionNumber after, const Past& past, FirstSign sign)
{
    TwoNodes link(0);
    link.Restart(ALICE, 1000);
    link.Restart(BOB, before);
    past.live(link);
    link.Settle();
    const auto& alice = link.seen[ALICE];
    const auto had = alice.ended.size();
    const size_t hasShared = !alice.received.empty() || !alice.delivered.empty();
    link.Restart(BOB, after);
    link.framesOnAir = 0;
    ShowSign(link, sign);
    const auto ended = alice.ended.size() - had;
    if (link.framesOnAir > 10)
    {
        return "the pair does not talk at the first frame";
    }
    // A heartbeat with the same number, or a later one than Alice may know, tells nothing.
    const auto mayWait = sign == FirstSign::BOB_HEARTBEAT && (before == after || !past.isLifeKnown);
    if (ended > hasShared || (ended < hasShared && !mayWait))
    {
        return "Alice is told of " + std::to_string(ended) + " ends";
    }
    // Frames that cross, of which one names the number of both lives, end one more session.
    const auto patience = mayWait || sign == FirstSign::BOTH_SEND;
    return Talks(link, BOB, patience) && Talks(link, ALICE, patience) ? link.FindViolation()
                                                                      : "a message fails";
}

/// Every relation of the new number to the known one that the arithmetic could mind.
std::vector<SessionNumber>
NumbersAround(SessionNumber number)
{
    std::vector<SessionNumber> numbers{1, 2, 3, LAST - 1, LAST};
    for (int i = -70; i <= 70; ++i)
    {
        const auto near = static_cast<SessionNumber>(number + i);
        if (near >= 1 && near <= LAST)
        {
            numbers.push_back(near);
        }
    }
    for (uint32_t i = 1; i < 64; ++i)
    {
        numbers.push_back(static_cast<SessionNumber>(i << 10));
    }
    return numbers;
}

class AnyNumberAfterARestart : public ns3::TestCase
{
  public:
    AnyNumberAfterARestart()
        : TestCase("a pair talks at the first frame after a restart, whichever number is drawn")
    {
    }

  private:
    void DoRun() override
    {
        for (const SessionNumber before : {SessionNumber{7}, SessionNumber{30'000}, LAST})
        {
            for (const auto after : NumbersAround(before))
            {
                for (const auto& past : PASTS)
                {
                    Check(before, after, past);
                }
            }
        }
    }

    void Check(SessionNumber before, SessionNumber after, const Past& past)
    {
        for (const auto sign : {FirstSign::ALICE_SENDS,
                                FirstSign::BOB_SENDS,
                                FirstSign::BOTH_SEND,
                                FirstSign::BOB_HEARTBEAT})
        {
            NS_TEST_ASSERT_MSG_EQ(RunRestart(before, after, past, sign),
                                  "",
                                  before << ", then " << after << ", sign "
                                         << static_cast<int>(sign) << ": " << past.name);
        }
    }
};

SessionNumber
Above(SessionNumber number)
{
    return number < LAST ? number + 1 : 1;
}

/// Lives, windows and limits as narrow as they may be, and everything that can happen.
class NothingIsThrownAway : public ns3::TestCase
{
  public:
    NothingIsThrownAway(uint32_t seeds)
        : TestCase("nothing acknowledged is thrown away, nothing comes twice, no pair stays deaf"),
          m_seeds(seeds)
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= m_seeds; ++seed)
        {
            std::mt19937 random(seed);
            const auto loss = random() % 5;
            TwoNodes link(0.1 * static_cast<double>(loss), seed, DrawOptions(random));
            const auto width = 1 + random() % 8;
            const auto begin = 1 + random() % LAST;
            for (int i = 0; i < 60; ++i)
            {
                const auto number = 1 + (begin + random() % width) % LAST;
                Act(link, random() % 24, static_cast<SessionNumber>(number), loss > 0, i);
            }
            link.Settle();
            link.SetLoss(0);
            NS_TEST_ASSERT_MSG_EQ(link.FindViolation(), "", "seed " << seed);
            for (const auto from : {ALICE, BOB})
            {
                NS_TEST_ASSERT_MSG_EQ(Talks(link, from, true), true, "seed " << seed << ": deaf");
            }
            NS_TEST_ASSERT_MSG_EQ(link.FindViolation(), "", "seed " << seed << ", at last");
        }
    }

    static TransportOptions DrawOptions(std::mt19937& random)
    {
        auto options = SmallFrames();
        options.window = static_cast<uint8_t>(1 + random() % (random() % 4 == 0 ? 64 : 3));
        options.limits.firstSequence = static_cast<uint8_t>(128 - 1 - random() % 5);
        options.limits.notices = static_cast<uint8_t>(random() % 4);
        options.limits.noticesPerHeartbeat = static_cast<uint8_t>(1 + random() % 2);
        options.limits.ackBackoffs = static_cast<uint8_t>(random() % 4);
        options.limits.maxPostponed = static_cast<uint8_t>(random() % 2);
        options.limits.maxDoublings = static_cast<uint8_t>(random() % 4);
        options.usesLinkAcks = random() % 2 == 0;
        options.limits.maxUnsettled = static_cast<uint8_t>(random() % 33);
        options.limits.askAfter = std::chrono::milliseconds(1 + random() % 3000);
        options.limits.ackAfter = std::chrono::milliseconds(random() % 1500);
        options.limits.maxOwed = static_cast<uint8_t>(1 + random() % 5);
        return options;
    }

    static void Act(TwoNodes& link, uint32_t choice, SessionNumber number, bool isLossy, int i)
    {
        const auto node = choice % 2 == 0 ? ALICE : BOB;
        if (choice < 6)
        {
            link.Send(node, std::to_string(100 + i) + std::string(i % 3 * 15, 'x'));
        }
        else if (choice < 8)
        {
            link.Close(node);
        }
        else if (choice < 10)
        {
            link.SendHeartbeat(node);
        }
        else if (choice < 12)
        {
            link.SwitchOff(node);
            // A life that comes to the number of the one before may not be told from that if its
            // first frame is lost: where frames are, it begins above that number, or far below.
            const auto known = link.GetKnown(node);
            const auto comesTo = static_cast<SessionNumber>(known - number) < 60;
            link.Restart(node, isLossy && comesTo ? Above(known) : number);
        }
        else
        {
            link.Step();
        }
    }

    uint32_t m_seeds;
};

/// Devices that take lost frames for arrived, as an overheard acknowledgement of 802.15.4 makes
/// them.
class DevicesLie : public ns3::TestCase
{
  public:
    DevicesLie(uint32_t seeds)
        : TestCase("whatever devices say, what is told as delivered has come, and all is told"),
          m_seeds(seeds)
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= m_seeds; ++seed)
        {
            auto options = SmallFrames();
            options.usesLinkAcks = true;
            options.window = static_cast<uint8_t>(seed % 3 == 0 ? 64 : seed % 3);
            TwoNodes link(0.02, seed, options);
            link.SetLies(0.5);
            constexpr int messages = 300;
            for (int i = 0; i < messages; ++i)
            {
                link.Send(ALICE, std::to_string(i));
                link.Send(BOB, std::to_string(messages + i));
                link.Step();
            }
            link.Settle();
            NS_TEST_ASSERT_MSG_EQ(link.FindViolation(), "", "seed " << seed);
            for (const auto node : {ALICE, BOB})
            {
                const auto& seen = link.seen[node];
                NS_TEST_ASSERT_MSG_EQ(seen.delivered.size() + seen.failed.size(),
                                      messages,
                                      "seed " << seed);
            }
        }
    }

    uint32_t m_seeds;
};

class SessionRestartTestSuite : public ns3::TestSuite
{
  public:
    SessionRestartTestSuite()
        : TestSuite("mftpubsub-session-restart", Type::UNIT)
    {
        AddTestCase(new AnyNumberAfterARestart, Duration::QUICK);
        AddTestCase(new NothingIsThrownAway(5000), Duration::QUICK);
        AddTestCase(new DevicesLie(30), Duration::QUICK);
    }
};

SessionRestartTestSuite g_sessionRestartTestSuite;

} // namespace

} // namespace mftpubsub::session_restart_test
