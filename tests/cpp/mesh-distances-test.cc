/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * How far away subscribers are, as the mesh's machines hear and tell it.
 */
#include "function-case.h"
#include "protocols/mesh/distances.h"

#include "ns3/test.h"

#include <cmath>
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
    test.Expect(distances.Get(Seconds(1030), 7) == distances.GetUnknown(), "until it is anywhere");
    distances.Note(Seconds(1004), 7, 3);
    test.Expect(IsAbout(distances.Get(Seconds(1004), 7), 2.5), "what is further is not believed");
    distances.Note(Seconds(1004), {MakeHint(7, 1)}, 0.5);
    test.Expect(IsAbout(distances.Get(Seconds(1004), 7), 1.5), "what is nearer is, with the link");
}

void
TheNearestAreTold(FunctionCase& test)
{
    Distances distances{DistanceLimits()};
    for (NodeId subscriber = 1; subscriber < 6; ++subscriber)
    {
        distances.Note(Seconds(100), subscriber, 5.0 - subscriber / 2.0);
    }
    test.Expect(distances.GetNearest(Seconds(100), 3).empty(), "where nobody is sought");
    distances.NotePath(Seconds(100), {}, 1);
    test.Expect(distances.GetNearest(Seconds(100), 3).empty(), "an event for everybody seeks none");
    distances.NotePath(Seconds(100), {0, {MakeHint(9, 5)}}, 0.5);
    const auto told = distances.GetNearest(Seconds(100), 3);
    test.Expect(told.size() == 3, "as many as are asked for");
    for (NodeId i = 0; i < told.size(); ++i)
    {
        test.Expect(told[i].subscriber == 5 - i, "the nearest first");
        test.Expect(IsAbout(told[i].GetHops(), 2.5 + i / 2.0), "with their hops");
    }
    test.Expect(distances.GetNearest(Seconds(100), 9).size() == 6, "all that are known");
    test.Expect(distances.GetNearest(Seconds(161), 9).empty(), "for a minute");
}

class MeshDistancesSuite : public ns3::TestSuite
{
  public:
    MeshDistancesSuite()
        : TestSuite("mftpubsub-mesh-distances", Type::UNIT)
    {
        Add("Links are longer the weaker they are", LinksAreLongerTheWeakerTheyAre);
        Add("Distances grow", DistancesGrow);
        Add("The nearest are told", TheNearestAreTold);
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
