/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "search-handoff.h"

#include "ns3/test.h"

#include <set>

namespace mftpubsub::related_search_test
{

using namespace ns3;

namespace
{

/// Three subscribers and three publishers, hand-offs that overlap, stored events slower than the
/// rest.
HandoffSearch
Hard(const std::string& scheme, bool isAnnounced)
{
    return {.scheme = scheme,
            .subscribers = 3,
            .publishers = 3,
            .isAnnounced = isAnnounced,
            .hasLanes = true,
            .moves = 8,
            .unsubscribes = true,
            .schedules = 100};
}

/// @p search with subscribers that unsubscribe while they are handed over
HandoffSearch
Leaving(HandoffSearch search)
{
    search.leavesMeanwhile = true;
    return search;
}

/// @p search with buffers of a few events, of which the oldest go
HandoffSearch
Bounded(HandoffSearch search)
{
    search.drawsQueues = true;
    return search;
}

/// What a search finds is what the scheme gives up by its design, and nothing else.
class GivesUpOnlyTest : public TestCase
{
  public:
    GivesUpOnlyTest(HandoffSearch search, std::set<std::string> expected)
        : TestCase(search.scheme + (search.isAnnounced ? ", announced" : "") +
                   (search.isRedirected ? ", redirected" : "") +
                   (search.drawsQueues ? ", bounded" : "") +
                   (search.leavesMeanwhile ? ", leaving" : "") + ": gives up " +
                   (expected.empty() ? "nothing" : *expected.begin())),
          m_search(std::move(search)),
          m_expected(std::move(expected))
    {
    }

  private:
    void DoRun() override
    {
        const auto found = Search(m_search);
        for (const auto& [name, count] : found.violated)
        {
            NS_TEST_EXPECT_MSG_EQ(m_expected.contains(name),
                                  true,
                                  m_search.scheme << ": " << name << " in " << count
                                                  << " schedules, first by seed "
                                                  << found.example.at(name));
        }
        for (const auto& name : m_expected)
        {
            NS_TEST_EXPECT_MSG_EQ(found.violated.contains(name),
                                  true,
                                  m_search.scheme << " no longer gives up: " << name);
        }
    }

    HandoffSearch m_search;
    std::set<std::string> m_expected;
};

class RelatedSearchSuite : public TestSuite
{
  public:
    RelatedSearchSuite()
        : TestSuite("mftpubsub-related-search", Type::UNIT)
    {
        for (const auto* scheme : {"jedi", "siena"})
        {
            AddTestCase(new GivesUpOnlyTest(Hard(scheme, true), {}));
            AddTestCase(new GivesUpOnlyTest(Leaving(Hard(scheme, true)), {}));
            // A link that breaks unannounced is not noticed: what is sent then is lost.
            AddTestCase(new GivesUpOnlyTest(Hard(scheme, false), {"lost"}));
        }
        for (const auto* scheme : {"rebeca", "mhh", "elvin"})
        {
            AddTestCase(new GivesUpOnlyTest(Hard(scheme, false), {}));
            AddTestCase(new GivesUpOnlyTest(Leaving(Hard(scheme, false)), {}));
        }
        for (const auto* scheme : {"rebeca", "mhh", "elvin"})
        {
            AddTestCase(new GivesUpOnlyTest(Bounded(Hard(scheme, false)), {"lost"}));
        }
        AddTestCase(
            new GivesUpOnlyTest(Bounded({.scheme = "pro-active-r", .moves = 8, .schedules = 100}),
                                {"lost"}));
        // Nobody brings what was published while a clean session was away; the new way may be
        // shorter or longer than the old.
        AddTestCase(
            new GivesUpOnlyTest(Hard("mqtt-clean", false), {"lost", "duplicate", "disorder"}));
        // A link that breaks by itself is as with MQTT; a client that is redirected loses nothing,
        // and gets some events by both ways.
        AddTestCase(new GivesUpOnlyTest(Hard("emma", false), {"lost", "duplicate", "disorder"}));
        auto redirected = Hard("emma", false);
        redirected.isRedirected = true;
        AddTestCase(new GivesUpOnlyTest(redirected, {"duplicate", "disorder"}));
        // No broker knows of the sessions at others.
        AddTestCase(new GivesUpOnlyTest(Hard("mqtt-session", false), {"duplicate", "unclaimed"}));
    }
};

RelatedSearchSuite g_relatedSearchSuite;

} // namespace

} // namespace mftpubsub::related_search_test
