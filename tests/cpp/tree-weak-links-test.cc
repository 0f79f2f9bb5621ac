/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What a device of mft-pubsub-2 learns of its links by the REPs that they lose.
 */
#include "function-case.h"
#include "protocols/tree/message-codec.h"
#include "stations/underway.h"
#include "stations/weak-links.h"

#include "ns3/test.h"

#include <string>
#include <utility>

namespace mftpubsub::tree_weak_links_test
{

using namespace std::chrono_literals;

namespace
{

constexpr NodeId NEAR = 1;
constexpr NodeId FAR = 2;
constexpr size_t ROOM = 480;

/// @return links of which @p times REPs to FAR were lost, a second apart
WeakLinks
Losing(int times)
{
    WeakLinks links;
    for (int i = 1; i <= times; ++i)
    {
        links.Lost(Instant(i * 1s), FAR);
    }
    return links;
}

void
TwoLossesInARowMakeAWeakLink(FunctionCase& test)
{
    const auto once = Losing(1);
    test.Expect(once.GetRoom(2s, FAR, ROOM) == ROOM && !once.Retries(2s, FAR, 1), "one does not");
    const auto twice = Losing(2);
    test.Expect(twice.GetRoom(2s, FAR, ROOM) == ROOM / 2, "REPs are halved");
    test.Expect(twice.Retries(2s, FAR, 5) && !twice.Retries(2s, FAR, 6), "five retransmissions");
    test.Expect(twice.GetRoom(2s, NEAR, ROOM) == ROOM && !twice.Retries(2s, NEAR, 1),
                "other links are as they were");
    const auto often = Losing(20);
    test.Expect(often.GetRoom(20s, FAR, 1600) == 100, "four halvings at most");
    test.Expect(often.GetRoom(20s, FAR, ROOM) == 40, "and no less than this");
}

void
WhatArrivesTakesAHalvingBack(FunctionCase& test)
{
    auto links = Losing(3);
    links.Arrived(3s, FAR, ROOM / 8, ROOM);
    test.Expect(links.GetRoom(3s, FAR, ROOM) == ROOM / 4, "a small one tells nothing");
    links.Arrived(3s, FAR, ROOM / 8 + 1, ROOM);
    test.Expect(links.GetRoom(3s, FAR, ROOM) == ROOM / 2, "a large one does");
    links.Arrived(3s, FAR, ROOM / 2, ROOM);
    test.Expect(links.GetRoom(3s, FAR, ROOM) == ROOM && !links.Retries(3s, FAR, 1), "healed");
    links.Arrived(3s, NEAR, ROOM, ROOM);
    test.Expect(links.GetRoom(3s, NEAR, ROOM) == ROOM, "nothing was lost there");
}

void
LossesAreForgotten(FunctionCase& test)
{
    auto links = Losing(3);
    test.Expect(links.GetRoom(33s, FAR, ROOM) == ROOM / 4, "remembered for 30 s");
    test.Expect(links.GetRoom(33s + 1ns, FAR, ROOM) == ROOM && !links.Retries(34s, FAR, 1),
                "and no longer");
    links.Arrived(34s, FAR, ROOM, ROOM);
    links.Lost(34s, FAR);
    test.Expect(links.GetRoom(34s, FAR, ROOM) == ROOM, "the next loss is a first one");
}

/// @return parts of a REP to FAR after two that its session ended with, for a reason
size_t
CountParts(SessionEnd why, bool yields = true, const Message& between = Attach{})
{
    Underway underway(ROOM, yields);
    Rep rep{FAR, {}, 1};
    for (uint32_t sequence = 0; sequence < 6; ++sequence)
    {
        rep.events.push_back(std::make_shared<const Event>(Event{{5, sequence}, {}, 50}));
    }
    for (const auto at : {1s, 2s})
    {
        underway.SessionEnded(at, {FAR, why, {underway.Add(at, {FAR, rep}, 0)[0].handle}});
    }
    underway.Delivered(3s, {underway.Add(3s, {FAR, between}, 0)[0].handle, FAR});
    return underway.Add(3s, {FAR, rep}, 0).size();
}

void
LinksAreLearntByRepsThatAreGivenUp(FunctionCase& test)
{
    test.Expect(CountParts(SessionEnd::GIVEN_UP) == 2, "the third is halved");
    test.Expect(CountParts(SessionEnd::GIVEN_UP, false) == 1, "not where links are not looked at");
    test.Expect(CountParts(SessionEnd::RESTARTED) == 1, "nor where a neighbour has restarted");
    const Pub large{std::make_shared<const Event>(Event{{5, 9}, {}, ROOM}), 1, {}};
    test.Expect(CountParts(SessionEnd::GIVEN_UP, true, large) == 2,
                "a PUB that arrives heals none");
}

void
EachFailureIsCounted(FunctionCase& test)
{
    Underway underway(ROOM, true);
    const auto handle = underway.Add(1s, {FAR, Attach{}}, 2)[0].handle;
    const auto failed = underway.SessionEnded(1s, {FAR, SessionEnd::GIVEN_UP, {handle}});
    test.Expect(failed.size() == 1 && failed[0].failures == 3, "with those before");
    test.Expect(underway.GetSends().empty(), "it is under way no more");
}

/// The suite `mftpubsub-tree-weak-links`.
class TreeWeakLinksSuite : public ns3::TestSuite
{
  public:
    TreeWeakLinksSuite()
        : TestSuite("mftpubsub-tree-weak-links", Type::UNIT)
    {
        Add("Two losses in a row make a weak link", TwoLossesInARowMakeAWeakLink);
        Add("What arrives takes a halving back", WhatArrivesTakesAHalvingBack);
        Add("Losses are forgotten", LossesAreForgotten);
        Add("Links are learnt by REPs that are given up", LinksAreLearntByRepsThatAreGivenUp);
        Add("Each failure is counted", EachFailureIsCounted);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

const TreeWeakLinksSuite g_suite;

} // namespace

} // namespace mftpubsub::tree_weak_links_test
