/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "search-handoff.h"

#include "ns3/test.h"

namespace mftpubsub::handoff_search_test
{

using namespace ns3;

namespace
{

std::string
Describe(const HandoffFindings& found)
{
    std::string text;
    for (const auto& [name, count] : found.violated)
    {
        text += name + " in " + std::to_string(count) + ", first by seed " +
                std::to_string(found.example.at(name)) + "; ";
    }
    return text;
}

/// No schedule violates anything, duplicates, and what they disorder, apart where they belong to
/// the scheme.
class KeepsInvariantsTest : public TestCase
{
  public:
    KeepsInvariantsTest(HandoffSearch search, bool mayDuplicate)
        : TestCase(search.scheme + (search.isSettledBetween ? ", settled" : ", overlapping") +
                   (search.knowsGraph ? "" : ", graph to be learnt") +
                   (search.unsubscribes ? ", unsubscribing" : "") +
                   (search.leavesMeanwhile ? ", leaving" : "") + (search.hasHomes ? ", home" : "") +
                   (search.carriesFilters ? ", filters on device" : "") +
                   (search.drawsBatches ? ", drawn batches and publishers" : "") + ", from seed " +
                   std::to_string(search.firstSeed) + ": keeps its invariants"),
          m_search(std::move(search)),
          m_mayDuplicate(mayDuplicate)
    {
    }

  private:
    void DoRun() override
    {
        auto found = Search(m_search);
        if (m_mayDuplicate)
        {
            found.violated.erase("duplicate");
            found.violated.erase("disorder");
        }
        NS_TEST_EXPECT_MSG_EQ(Describe(found), "", m_search.scheme);
    }

    HandoffSearch m_search;
    bool m_mayDuplicate;
};

/// The control attribute cannot see the age of a request (R20): the search finds what that loses.
class PublishedRacesTest : public TestCase
{
  public:
    PublishedRacesTest()
        : TestCase("pro-active as published loses events where five hand-offs overlap, not two")
    {
    }

  private:
    void DoRun() override
    {
        const auto two = Search({.scheme = "pro-active", .moves = 2, .schedules = 1000});
        NS_TEST_EXPECT_MSG_EQ(Describe(two), "", "two moves");
        const auto five = Search({.scheme = "pro-active", .moves = 5, .schedules = 300});
        NS_TEST_EXPECT_MSG_EQ(five.violated.contains("lost"), true, "the losses are not found");
        NS_TEST_EXPECT_MSG_EQ(five.violated.contains("stale"), true, "no copy is left behind");
        NS_TEST_EXPECT_MSG_EQ(five.violated.contains("duplicate"), false, "never a duplicate");
    }
};

class MessageCountTest : public TestCase
{
  public:
    MessageCountTest()
        : TestCase("durable brokers send nothing")
    {
    }

  private:
    void DoRun() override
    {
        const auto found = Search({.scheme = "durable", .moves = 5, .schedules = 100});
        NS_TEST_EXPECT_MSG_EQ(found.messages, 0, "durable");
    }
};

class HandoffSearchSuite : public TestSuite
{
  public:
    HandoffSearchSuite()
        : TestSuite("mftpubsub-handoff-search", Type::UNIT)
    {
        AddTestCase(new KeepsInvariantsTest({.scheme = "durable", .schedules = 200}, true));
        AddTestCase(
            new KeepsInvariantsTest({.scheme = "reactive", .moves = 8, .schedules = 1000}, true));
        AddTestCase(new KeepsInvariantsTest(
            {.scheme = "reactive", .isSettledBetween = true, .unsubscribes = true},
            true));
        AddTestCase(new KeepsInvariantsTest(
            {.scheme = "reactive", .moves = 8, .unsubscribes = true, .hasHomes = true},
            true));
        AddTestCase(new KeepsInvariantsTest(
            {.scheme = "reactive", .moves = 8, .unsubscribes = true, .carriesFilters = true},
            true));
        for (const auto* scheme : {"pro-active", "pro-active-r"})
        {
            for (const auto knowsGraph : {true, false})
            {
                AddTestCase(new KeepsInvariantsTest({.scheme = scheme,
                                                     .isSettledBetween = true,
                                                     .knowsGraph = knowsGraph,
                                                     .unsubscribes = true,
                                                     .schedules = 500},
                                                    false));
            }
        }
        for (const auto knowsGraph : {true, false})
        {
            AddTestCase(new KeepsInvariantsTest(
                {.scheme = "pro-active-r", .moves = 8, .knowsGraph = knowsGraph},
                false));
        }
        // Two brokers await each other's events, one of them with filters that it had to fetch
        // twice.
        AddTestCase(new KeepsInvariantsTest(
            {.scheme = "pro-active-r", .moves = 8, .schedules = 1, .firstSeed = 36300},
            false));
        // Requests of older sessions come behind those of newer ones: no copy stays for them.
        AddTestCase(new KeepsInvariantsTest({.scheme = "pro-active-r",
                                             .subscribers = 3,
                                             .publishers = 3,
                                             .hasLanes = true,
                                             .moves = 8,
                                             .schedules = 400},
                                            false));
        AddTestCase(new KeepsInvariantsTest(
            {.scheme = "pro-active-r", .moves = 8, .unsubscribes = true, .schedules = 500},
            false));
        // A passive copy once stayed for good: a later session's, which had let go of it before the
        // older one did; one at a neighbour of a broker that had handed over; at that one itself.
        for (const auto seed : {0, 785, 5753})
        {
            AddTestCase(new KeepsInvariantsTest({.scheme = "pro-active-r",
                                                 .moves = 4,
                                                 .unsubscribes = true,
                                                 .schedules = 1,
                                                 .firstSeed = static_cast<uint64_t>(seed)},
                                                false));
        }
        AddTestCase(new KeepsInvariantsTest({.scheme = "pro-active-r",
                                             .moves = 8,
                                             .unsubscribes = true,
                                             .schedules = 1,
                                             .firstSeed = 25618},
                                            false));
        // Late requests find that the subscriber has unsubscribed.
        AddTestCase(new KeepsInvariantsTest(
            {.scheme = "pro-active-r", .moves = 8, .leavesMeanwhile = true, .schedules = 200},
            false));
        AddTestCase(new KeepsInvariantsTest({.scheme = "reactive",
                                             .moves = 6,
                                             .leavesMeanwhile = true,
                                             .hasHomes = true,
                                             .schedules = 300},
                                            true));
        for (const auto* scheme : {"phoenix-static", "mft-pubsub-static"})
        {
            AddTestCase(new KeepsInvariantsTest(
                {.scheme = scheme, .isSettledBetween = true, .schedules = 500},
                true));
        }
        // Whatever the batches, and whoever publishes: nothing is lost, and where clients name what
        // they have nothing comes twice.
        for (const auto* scheme : {"durable", "reactive"})
        {
            AddTestCase(new KeepsInvariantsTest(
                {.scheme = scheme, .moves = 8, .drawsBatches = true, .schedules = 200},
                true));
        }
        AddTestCase(new KeepsInvariantsTest({.scheme = "pro-active",
                                             .isSettledBetween = true,
                                             .drawsBatches = true,
                                             .schedules = 200},
                                            false));
        for (const auto* scheme : {"pro-active-r", "mhh"})
        {
            AddTestCase(new KeepsInvariantsTest(
                {.scheme = scheme, .moves = 8, .drawsBatches = true, .schedules = 600},
                false));
        }
        AddTestCase(new PublishedRacesTest);
        AddTestCase(new MessageCountTest);
    }
};

HandoffSearchSuite g_handoffSearchSuite;

} // namespace

} // namespace mftpubsub::handoff_search_test
