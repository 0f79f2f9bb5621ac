/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "search-lab.h"

#include "ns3/test.h"

#include <map>
#include <set>

namespace mftpubsub::protocol_search_test
{

using namespace ns3;

namespace
{

/// b1 - b2, b1 - b3 - b4; s1 is at b4 and subscribes to everything of topic f.
Schedule
MakeSmallCase(const std::string& protocol, std::vector<std::string> commands)
{
    Schedule schedule;
    schedule.options.protocol = protocol;
    schedule.options.root = "b1";
    schedule.options.links = {{"b1", "b2"}, {"b1", "b3"}, {"b3", "b4"}};
    schedule.setup = {"subscribe s1 at b4 where topic = 'f'"};
    schedule.commands = std::move(commands);
    return schedule;
}

const std::vector<std::vector<std::string>> SMALL_CASES{
    {"migrate b4 to b1", "migrate b3 to b2", "publish p1 at b1 topic='f'"},
    {"migrate b3 to b2", "migrate b4 to b1", "publish p1 at b1 topic='f'"},
    {"migrate b3 to b2", "migrate b3 to b1", "publish p1 at b2 topic='f'"},
    {"publish p1 at b1 topic='f'",
     "migrate b3 to b2",
     "move s1 to b1",
     "publish p2 at b1 topic='f'"},
    {"unsubscribe s1 where topic = 'f'", "migrate b3 to b2", "move s1 to b1"},
    {"disconnect b1 b3", "move s1 to b2", "publish p1 at b3 topic='f'", "connect b2 b4"},
    {"disconnect b1 b3", "move s1 to b2", "unsubscribe s1 where topic = 'f'", "connect b2 b4"},
    {"crash b3", "publish p1 at b1 topic='f'", "restart b3", "connect b3 b2", "connect b4 b3"},
};

/// Every delivery order of every small case keeps the invariants of the repaired protocol.
class AllOrdersTest : public TestCase
{
  public:
    explicit AllOrdersTest(const std::string& protocol)
        : TestCase(protocol + " keeps its invariants under every delivery order of small cases"),
          m_protocol(protocol)
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& commands : SMALL_CASES)
        {
            const auto found = Explore(MakeSmallCase(m_protocol, commands), 1'000'000);
            NS_TEST_EXPECT_MSG_EQ(found.complete, true, "not all orders of " << commands.front());
            NS_TEST_EXPECT_MSG_EQ(found.violation,
                                  "",
                                  (found.violated ? found.violated->ToTranscript("#") : ""));
        }
    }

    std::string m_protocol;
};

/// b2 - b1 - b3, with s1 at b3.
Schedule
MakeThreeBrokers(const std::string& protocol)
{
    auto start = MakeSmallCase(protocol, {});
    start.options.links = {{"b1", "b2"}, {"b1", "b3"}};
    start.setup = {"subscribe s1 at b3 where topic = 'f'"};
    return start;
}

/// @return the commands for three brokers, of which so many may be given
std::vector<Vocabulary>
MakeVocabularies(int seen, int unseen)
{
    const std::vector<std::string> brokers{"b1", "b2", "b3"};
    return {{MakeSeenCommands(brokers), seen}, {MakeUnseenCommands(brokers), unseen}};
}

/// Whatever so many commands do to three brokers, in every order, with every delivery order.
class AllCommandsTest : public TestCase
{
  public:
    AllCommandsTest(const std::string& protocol, int seen, int unseen)
        : TestCase(protocol + " keeps its invariants whatever " + std::to_string(seen) +
                   " commands that all see and " + std::to_string(unseen) +
                   " that nobody sees do to three brokers"),
          m_protocol(protocol),
          m_seen(seen),
          m_unseen(unseen)
    {
    }

  private:
    void DoRun() override
    {
        const auto found = ExploreFreely(MakeThreeBrokers(m_protocol),
                                         MakeVocabularies(m_seen, m_unseen),
                                         1'000'000);
        NS_TEST_EXPECT_MSG_EQ(found.complete, true, "not everything was searched");
        NS_TEST_EXPECT_MSG_GT(found.states, 1000, "the vocabulary does nothing");
        NS_TEST_EXPECT_MSG_EQ(found.violation,
                              "",
                              (found.violated ? found.violated->ToTranscript("#") : ""));
    }

    std::string m_protocol;
    int m_seen;
    int m_unseen;
};

/// The same, for mft-pubsub-r, with and without the orders of deliveries that a search may leave
/// out: they lead to no quiet state that it does not see.
class ReductionTest : public TestCase
{
  public:
    ReductionTest()
        : TestCase("a reduced search sees every quiet state in fewer states, and no violation")
    {
    }

  private:
    void DoRun() override
    {
        const auto start = MakeThreeBrokers("mft-pubsub-r");
        for (const auto& [seen, unseen] : {std::pair{2, 0}, {1, 1}, {0, 2}})
        {
            const auto vocabularies = MakeVocabularies(seen, unseen);
            const auto all = ExploreFreely(start, vocabularies, 1'000'000, false);
            const auto reduced = ExploreFreely(start, vocabularies, 1'000'000);
            NS_TEST_EXPECT_MSG_EQ(all.complete, true, "of " << seen << " + " << unseen);
            NS_TEST_EXPECT_MSG_GT(all.states, 1000, "the vocabulary does nothing");
            NS_TEST_EXPECT_MSG_EQ(all.violation, "", "of " << seen << " + " << unseen);
            NS_TEST_EXPECT_MSG_EQ(reduced.ends, all.ends, "of " << seen << " + " << unseen);
            NS_TEST_EXPECT_MSG_LT(reduced.states, all.states, "of " << seen << " + " << unseen);
        }
        for (const std::string protocol : {"mft-pubsub-r", "mft-pubsub-2"})
        {
            for (const auto& commands : {SMALL_CASES[4], SMALL_CASES[7]}) // of few states
            {
                const auto small = MakeSmallCase(protocol, commands);
                const auto all = Explore(small, 10'000, false);
                const auto reduced = Explore(small, 10'000);
                NS_TEST_EXPECT_MSG_EQ(reduced.ends, all.ends, protocol << commands.front());
                NS_TEST_EXPECT_MSG_LT(reduced.states, all.states, protocol << commands.front());
            }
        }
    }
};

/// Random schedules with everything in them.
class RandomSchedulesTest : public TestCase
{
  public:
    RandomSchedulesTest(const std::string& protocol,
                        int brokers,
                        int operations,
                        uint64_t schedules,
                        bool unseen = false)
        : TestCase(protocol + " keeps its invariants under random schedules of " +
                   std::to_string(brokers) + " brokers" +
                   (unseen ? ", of which some nobody sees" : "")),
          m_schedules(schedules)
    {
        m_options.protocol = protocol;
        m_options.brokers = brokers;
        m_options.operations = operations;
        m_options.crashes = true;
        m_options.filters = true;
        m_options.unseen = unseen;
    }

  private:
    void DoRun() override
    {
        Search(false);
        Search(true);
    }

    void Search(bool strict)
    {
        m_options.strict = strict;
        for (uint64_t seed = 1; seed <= m_schedules; ++seed)
        {
            const auto [schedule, outcome] = DrawSchedule(m_options, seed);
            const auto violation = outcome.GetClass();
            NS_TEST_ASSERT_MSG_EQ(violation,
                                  "",
                                  "seed " << seed << ":\n"
                                          << Shrink(schedule, violation).ToTranscript("#"));
        }
    }

    RandomOptions m_options;
    uint64_t m_schedules;
};

/// A schedule ends as it ended while it was drawn.
class DrawnTest : public TestCase
{
  public:
    DrawnTest()
        : TestCase("a drawn schedule that is run again ends alike")
    {
    }

  private:
    void DoRun() override
    {
        RandomOptions options;
        options.crashes = true;
        options.filters = true;
        options.unseen = true;
        std::set<std::string> classes;
        for (const std::string protocol : {"mft-pubsub", "mft-pubsub-r", "mft-pubsub-2"})
        {
            options.protocol = protocol;
            options.strict = protocol != "mft-pubsub";
            for (uint64_t seed = 1; seed <= 30; ++seed)
            {
                const auto drawn = DrawSchedule(options, seed);
                const auto again = RunSchedule(drawn.schedule);
                NS_TEST_EXPECT_MSG_EQ((again.violations == drawn.outcome.violations),
                                      true,
                                      protocol << ", seed " << seed);
                NS_TEST_EXPECT_MSG_EQ(again.sent, drawn.outcome.sent, protocol << ", " << seed);
                classes.insert(again.GetClass());
            }
        }
        NS_TEST_EXPECT_MSG_GT(classes.size(), 1, "all ended alike");
    }
};

/// Whether a message is under way is chance: draws of any two processes hardly ever hit one.
class UnseenLossesTest : public TestCase
{
  public:
    UnseenLossesTest()
        : TestCase("schedules with unseen losses lose messages and acknowledgements often")
    {
    }

  private:
    void DoRun() override
    {
        RandomOptions options;
        options.protocol = "mft-pubsub-r";
        options.operations = 8;
        options.unseen = true;
        std::map<std::string, int> given;
        for (uint64_t seed = 1; seed <= 50; ++seed)
        {
            for (const auto& command : DrawSchedule(options, seed).schedule.commands)
            {
                ++given[command.substr(0, command.find(' '))];
            }
        }
        for (const auto* loss : {"drop", "deny", "lose"})
        {
            NS_TEST_EXPECT_MSG_GT(given[loss], 10, "hardly ever in 50 schedules: " << loss);
        }
    }
};

/// The same check finds what is wrong with the published protocols.
class PublishedFailuresTest : public TestCase
{
  public:
    PublishedFailuresTest(const std::string& protocol, std::set<std::string> classes)
        : TestCase("the failures of published " + protocol + " are found"),
          m_protocol(protocol),
          m_classes(std::move(classes))
    {
    }

  private:
    void DoRun() override
    {
        RandomOptions options;
        options.protocol = m_protocol;
        options.operations = 8;
        options.filters = m_protocol == "cascading";
        options.events = !options.filters;
        std::set<std::string> found;
        for (uint64_t seed = 1; seed <= 1000; ++seed)
        {
            found.insert(DrawSchedule(options, seed).outcome.GetClass());
        }
        for (const auto& expected : m_classes)
        {
            NS_TEST_EXPECT_MSG_EQ(found.contains(expected), true, "not found: " << expected);
        }
    }

    std::string m_protocol;
    std::set<std::string> m_classes;
};

/// Two migrations in quick succession are all it takes, and shrinking leaves nothing else.
class ShrinkTest : public TestCase
{
  public:
    ShrinkTest()
        : TestCase("a failing schedule shrinks to the commands that it needs")
    {
    }

  private:
    void DoRun() override
    {
        auto schedule = MakeSmallCase("mft-pubsub",
                                      {"publish p1 at b2 topic='g'",
                                       "migrate b4 to b1",
                                       "step b4 b1",
                                       "publish p1 at b2 topic='g'",
                                       "migrate b4 to b3"});
        const auto violation = RunSchedule(schedule).GetClass();
        NS_TEST_ASSERT_MSG_EQ(violation, "route", "the schedule is no failure");
        const auto shrunk = Shrink(schedule, violation);
        NS_TEST_EXPECT_MSG_EQ(shrunk.commands.size(), 3, shrunk.ToTranscript("#"));
        NS_TEST_EXPECT_MSG_EQ(RunSchedule(shrunk).GetClass(), "route", "shrunk too far");
    }
};

/// While an unsubscription of b4 waits that is of a link of b5's former life, b5 opens another.
class LinksOfTwoLivesTest : public TestCase
{
  public:
    LinksOfTwoLivesTest()
        : TestCase("a link is not taken for one of its opener's former life")
    {
    }

  private:
    void DoRun() override
    {
        auto schedule = MakeSmallCase("deferred-unsub-notified",
                                      {"disconnect b1 b2",
                                       "connect b5 b1",
                                       "step b4 b4",
                                       "crash b5",
                                       "restart b5",
                                       "connect b1 b5",
                                       "connect b1 b4"});
        schedule.options.links = {{"b1", "b2"}, {"b2", "b3"}, {"b3", "b4"}, {"b4", "b5"}};
        schedule.setup = {"subscribe s1 at b3 where topic = 'f'",
                          "subscribe s2 at b5 where topic = 'f'"};
        auto lab = SetUp(schedule);
        for (const auto& command : schedule.commands)
        {
            NS_TEST_EXPECT_MSG_EQ(RunCommand(lab, command), true, command << " makes no sense");
        }
        lab.Settle(1000);
        for (const auto& broker : lab.GetBrokers())
        {
            RunCommand(lab, "publish p" + broker + " at " + broker + " topic='f'");
        }
        lab.Settle(1000);
        for (const std::string subscriber : {"s1", "s2"})
        {
            NS_TEST_EXPECT_MSG_EQ(lab.GetDelivered(subscriber).size(),
                                  lab.GetBrokers().size(),
                                  subscriber << " has not got all");
        }
    }
};

class ProtocolSearchSuite : public TestSuite
{
  public:
    ProtocolSearchSuite()
        : TestSuite("mftpubsub-protocol-search", Type::UNIT)
    {
        for (const std::string protocol : {"mft-pubsub-r", "mft-pubsub-2"})
        {
            AddTestCase(new AllOrdersTest(protocol));
            AddTestCase(new RandomSchedulesTest(protocol, 5, 8, 500));
            AddTestCase(new RandomSchedulesTest(protocol, 3, 10, 500));
            AddTestCase(new RandomSchedulesTest(protocol, 8, 14, 100));
            AddTestCase(new RandomSchedulesTest(protocol, 4, 8, 500, true));
            AddTestCase(new RandomSchedulesTest(protocol, 6, 10, 300, true));
        }
        AddTestCase(new ReductionTest);
        AddTestCase(new AllCommandsTest("mft-pubsub-2", 2, 0));
        AddTestCase(new AllCommandsTest("mft-pubsub-2", 1, 1));
        AddTestCase(new DrawnTest);
        AddTestCase(new UnseenLossesTest);
        AddTestCase(new PublishedFailuresTest("mft-pubsub", {"route", "lost"}));
        AddTestCase(new PublishedFailuresTest("cascading", {"phantom"}));
        AddTestCase(new ShrinkTest);
        AddTestCase(new LinksOfTwoLivesTest);
    }
};

ProtocolSearchSuite g_protocolSearchSuite;

} // namespace

} // namespace mftpubsub::protocol_search_test
