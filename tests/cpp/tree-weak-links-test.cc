/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What a device of mft-pubsub-2 learns of its links by the REPs that they lose.
 */
#include "function-case.h"
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
