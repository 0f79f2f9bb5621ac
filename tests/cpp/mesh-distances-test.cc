/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * How far away subscribers are, as the mesh's machines hear and tell it.
 */
#include "function-case.h"
#include "protocols/mesh/distances.h"
#include "protocols/mesh/paths.h"

#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh::mesh_distances_test
{

namespace
{

bool
IsAbout(double one, double other)
{
    return std::abs(one - other) < 1e-9;
}

void
LinksAreLongerTheWeakerTheyAre(FunctionCase& test)
{
    const LinkBudget budget{.oneMetreDbm = -50, .decadeDb = 20, .hopMetres = 20};
    test.Expect(IsAbout(LinkLength(-70, budget), 0.5), "10 m of 20");
    test.Expect(IsAbout(LinkLength(-76.020599913, budget), 1), "20 m");
    test.Expect(IsAbout(LinkLength(-50, budget), 0.2), "nobody is nearer");
    test.Expect(IsAbout(LinkLength(-100, budget), 1.2), "nor further, if it was heard");
}

void
DistancesGrow(FunctionCase& test)
{
    Distances distances{DistanceLimits()};
    test.Expect(distances.Get(Seconds(1), 7) == distances.GetUnknown(), "a stranger");
    distances.Note(Seconds(1000), 7, 1.5);
    test.Expect(IsAbout(distances.Get(Seconds(1000), 7), 1.5), "as it was heard");
    test.Expect(IsAbout(distances.Get(Seconds(1004), 7), 2.5), "by a hop in 4 s");
    test.Expect(IsAbout(distances.Get(Seconds(1120), 7), 31.5), "for a long time");
    test.Expect(distances.Get(Seconds(1300), 7) == distances.GetUnknown(), "until it is anywhere");
    distances.Note(Seconds(1004), 7, 3);
    test.Expect(IsAbout(distances.Get(Seconds(1004), 7), 2.5), "what is further is not believed");
    distances.Note(Seconds(1004), {MakeHint(7, 1)}, 0.5);
    test.Expect(IsAbout(distances.Get(Seconds(1004), 7), 1.5), "what is nearer is, with the link");
}

void
WhatHasLedNowhereIsForgotten(FunctionCase& test)
{
    Distances distances{DistanceLimits()};
    distances.Note(Seconds(100), 7, 1.5);
    distances.Seek(Seconds(100), 7);
    test.Expect(distances.Tell(Seconds(100), 7) == MakeHint(7, 1.5), "as it is known");
    distances.Forget(7);
    test.Expect(distances.Get(Seconds(100), 7) == distances.GetUnknown(), "it is anywhere");
    test.Expect(distances.Tell(Seconds(100), 7).code == Hint::UNKNOWN, "as others are told");
    distances.Note(Seconds(100), 7, 9);
    test.Expect(IsAbout(distances.Get(Seconds(100), 7), 9), "what is heard next is believed");
    test.Expect(distances.GetNearest(Seconds(100), 1).size() == 1, "and told: it is still sought");
}

void
ASearchIsNeverAnOlderOne(FunctionCase& test)
{
    Bearing bearing(7);
    for (int search = 1; search <= 300; ++search)
    {
        const auto before = bearing.nearest.round;
        bearing.SearchAnew();
        test.Expect(bearing.nearest.round == std::min<int>(before + 1, MAX_ROUND), "one later");
    }
}

void
HintsAreRoughFarAway(FunctionCase& test)
{
    for (const auto& [hops, said] : {std::pair{0.0, 0.0},
                                     {3.14, 3.125},
                                     {15.9, 15.875},
                                     {15.97, 16.0},
                                     {40.3, 40.5},
                                     {78.5, 78.5}})
    {
        test.Expect(IsAbout(MakeHint(7, hops).GetHops(), said), std::to_string(hops));
    }
    test.Expect(MakeHint(7, 80).GetHops() == Hint::FAR_HOPS, "further than can be said");
    test.Expect(MakeHint(7, 1e9).code != Hint::UNKNOWN, "which is not nowhere");
    Distances distances{DistanceLimits()};
    distances.Note(Seconds(100), {{7, Hint::UNKNOWN}}, 0.5);
    test.Expect(distances.Get(Seconds(100), 7) == distances.GetUnknown(), "it tells nothing");
}

void
TheNearestOfThoseThatAreSoughtAreTold(FunctionCase& test)
{
    Distances distances{DistanceLimits()};
    for (NodeId subscriber = 1; subscriber < 6; ++subscriber)
    {
        distances.Note(Seconds(100), subscriber, 5.0 - subscriber / 2.0);
    }
    test.Expect(distances.GetNearest(Seconds(100), 3).empty(), "where nobody is sought");
    distances.NotePath(Seconds(100), {}, 1);
    test.Expect(distances.GetNearest(Seconds(100), 3).empty(), "an event for everybody seeks none");
    distances.NotePath(Seconds(100), {0, {{MakeHint(9, 5)}}, {{MakeHint(6, 0.5)}}}, 0.5);
    for (NodeId subscriber = 2; subscriber < 6; ++subscriber)
    {
        distances.Seek(Seconds(110), subscriber);
    }
    const auto told = distances.GetNearest(Seconds(110), 3);
    test.Expect(told.size() == 3, "as many as are asked for");
    for (NodeId i = 0; i < told.size(); ++i)
    {
        test.Expect(told[i].subscriber == 5 - i, "the nearest first, by distances of its own");
        test.Expect(IsAbout(told[i].GetHops(), 5 + i / 2.0), "with their hops");
    }
    test.Expect(distances.GetNearest(Seconds(110), 9).size() == 5, "nobody who is not sought");
    test.Expect(distances.GetNearest(Seconds(161), 9).size() == 4, "each for a minute");
    test.Expect(distances.GetNearest(Seconds(171), 9).empty(), "and no longer");
}

class MeshDistancesSuite : public ns3::TestSuite
{
  public:
    MeshDistancesSuite()
        : TestSuite("mftpubsub-mesh-distances", Type::UNIT)
    {
        Add("Links are longer the weaker they are", LinksAreLongerTheWeakerTheyAre);
        Add("Distances grow", DistancesGrow);
        Add("What has led nowhere is forgotten", WhatHasLedNowhereIsForgotten);
        Add("A search is never an older one", ASearchIsNeverAnOlderOne);
        Add("Hints are rough far away", HintsAreRoughFarAway);
        Add("The nearest of those that are sought are told", TheNearestOfThoseThatAreSoughtAreTold);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

MeshDistancesSuite g_meshDistances;

} // namespace

} // namespace mftpubsub::mesh::mesh_distances_test
