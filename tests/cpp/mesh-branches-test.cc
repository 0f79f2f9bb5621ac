/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Rule 13 of the mesh: one way to several subscribers.
 */
#include "function-case.h"
#include "protocols/mesh/branches.h"
#include "protocols/mesh/distances.h"
#include "protocols/mesh/places.h"

#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh::mesh_branches_test
{

namespace
{

constexpr NodeId RELAY = 20;

bool
IsAbout(double one, double other)
{
    return std::abs(one - other) < 1e-6;
}

std::vector<Spot>
DrawSpots(std::mt19937& random, size_t count)
{
    std::vector<Spot> spots(count);
    for (auto& spot : spots)
    {
        spot = {static_cast<int16_t>(random() % 1000), static_cast<int16_t>(random() % 1000)};
    }
    return spots;
}

/// @return the least length of all trees of @p spots and @p root: each gets a parent, in all ways
double
TryAllTrees(const Spot& root, const std::vector<Spot>& spots)
{
    const auto count = spots.size();
    auto least = std::numeric_limits<double>::infinity();
    std::vector<size_t> parents(count, 0); // the root is number count
    const auto reachesRoot = [&](size_t spot) {
        for (size_t steps = 0; steps <= count && spot != count; ++steps)
        {
            spot = parents[spot];
        }
        return spot == count;
    };
    for (size_t way = 0; way < std::pow(count + 1, count); ++way)
    {
        auto rest = way;
        auto metres = 0.0;
        auto isTree = true;
        for (auto& parent : parents)
        {
            parent = rest % (count + 1);
            rest /= count + 1;
        }
        for (size_t spot = 0; spot < count; ++spot)
        {
            isTree = isTree && reachesRoot(spot);
            metres +=
                GetDistance(spots[spot], parents[spot] == count ? root : spots[parents[spot]]);
        }
        least = isTree ? std::min(least, metres) : least;
    }
    return least;
}

void
NoTreeIsShorter(FunctionCase& test)
{
    std::mt19937 random(1);
    for (int world = 0; world < 30; ++world)
    {
        const auto spots = DrawSpots(random, 1 + random() % 4);
        const auto root = DrawSpots(random, 1)[0];
        test.Expect(IsAbout(GetTreeMetres(root, spots), TryAllTrees(root, spots)),
                    "world " + std::to_string(world));
    }
    test.Expect(GetTreeMetres({0, 0}, {}) == 0, "to nowhere");
}

void
BranchesAreSixtyDegreesApart(FunctionCase& test)
{
    std::mt19937 random(2);
    for (int world = 0; world < 200; ++world)
    {
        const auto spots = DrawSpots(random, 12);
        const auto root = DrawSpots(random, 1)[0];
        std::vector<double> angles;
        std::vector<size_t> all;
        for (const auto& branch : GetBranches(root, spots))
        {
            const auto& first = spots[branch.spots.front()];
            angles.push_back(std::atan2(first.y - root.y, first.x - root.x));
            all.insert(all.end(), branch.spots.begin(), branch.spots.end());
            for (const auto spot : branch.spots)
            {
                test.Expect(GetDistance(root, first) <= GetDistance(root, spots[spot]),
                            "the nearest is first");
            }
        }
        std::ranges::sort(all);
        test.Expect(all.size() == 12 && std::ranges::adjacent_find(all) == all.end(), "each once");
        for (size_t i = 0; i < angles.size(); ++i)
        {
            for (size_t j = 0; j < i; ++j)
            {
                const auto turn = std::remainder(angles[i] - angles[j], 2 * std::numbers::pi);
                test.Expect(std::abs(turn) > std::numbers::pi / 3 - 1e-6, "degrees");
            }
        }
    }
}

void
BranchesHaveTheirLengths(FunctionCase& test)
{
    const auto branches = GetBranches({0, 0}, {{100, 0}, {-50, 0}, {100, 30}, {130, 30}});
    test.Expect(branches.size() == 2, "to either side");
    test.Expect(branches.at(0).spots == std::vector<size_t>{1}, "the nearest joins first");
    test.Expect(IsAbout(branches.at(0).metres, 50), "to the west");
    test.Expect(branches.at(1).spots == std::vector<size_t>{0, 2, 3}, "in a row");
    test.Expect(IsAbout(branches.at(1).metres, 160), "to the east");
}

std::vector<Claim>
MakeCompanions(const std::vector<NodeId>& subscribers, double hops, uint8_t round)
{
    const auto companions = std::make_shared<const std::vector<NodeId>>(subscribers);
    std::vector<Claim> claims;
    for (const auto subscriber : subscribers)
    {
        claims.push_back({MakeHint(subscriber, hops), round, companions});
    }
    return claims;
}

void
FramesSayWhoGoesWithWhom(FunctionCase& test)
{
    auto claims = MakeCompanions({7, 3, 9}, 12, 2);
    claims.push_back({MakeHint(4, 1), MAX_ROUND});
    const auto other = MakeCompanions({5, 6}, 12, 2);
    claims.insert(claims.end(), other.begin(), other.end());
    ByteWriter out;
    Write(out, Path{1, claims, MakeCompanions({2, 1}, 3, 0)});
    const auto bytes = out.Take();
    test.Expect(bytes.size() == 1 + 6 * 4 + 4 + 1 + 2 * 4, "in no more bytes");
    ByteReader in(bytes);
    const auto path = ReadPath(in);
    test.Expect(path == Path{1, claims, MakeCompanions({2, 1}, 3, 0)}, "as it was said");
    test.Expect(path.claims[0].companions == path.claims[2].companions, "once");
    test.Expect(!path.claims[3].companions, "and who goes alone");

    auto mixed = MakeCompanions({7, 3, 9}, 12, 2);
    mixed.insert(mixed.begin() + 1, Claim{MakeHint(8, 1)});
    PutTogether(mixed);
    std::vector<NodeId> order;
    for (const auto& claim : mixed)
    {
        order.push_back(claim.subscriber);
    }
    test.Expect(order == std::vector<NodeId>{7, 3, 9, 8}, "companions follow each other");
}

void
TheFirstIsNobodysCompanion(FunctionCase& test)
{
    ByteWriter out;
    Write(out, Path{1, {{MakeHint(7, 1), MAX_ROUND}, {MakeHint(8, 1)}}});
    auto bytes = out.Take();
    bytes.at(4) |= 1 << 7; // its round
    ByteReader in(bytes);
    const auto path = ReadPath(in);
    test.Expect(path == Path{1, {{MakeHint(7, 1), MAX_ROUND}, {MakeHint(8, 1)}}},
                "whatever its frame says");
}

Places
MakePlaces(const Position& here)
{
    Places places(PlaceLimits(), 30, [here] { return here; });
    places.Hear(Seconds(1),
                RELAY,
                {{0, 0}, false, {{1, {300, 0}, 0}, {2, {390, 0}, 0}, {3, {0, 36}, 0}}});
    return places;
}

void
ClaimsAreOfBranches(FunctionCase& test)
{
    const auto places = MakePlaces({0, 0, 0});
    auto claims = places.MakeClaims(Spot{0, 0}, {1, 2, 3, 4});
    std::ranges::sort(claims, {}, &Claim::subscriber);
    test.Expect(claims.size() == 4, "each");
    test.Expect(claims[0].GetAll() == std::vector<NodeId>{1, 2}, "who is on the way");
    test.Expect(claims[0].companions == claims[1].companions, "and who is at its end");
    test.Expect(IsAbout(claims[0].GetHops(), 13) && IsAbout(claims[1].GetHops(), 13), "13 hops");
    test.Expect(!claims[2].companions && claims[2].GetHops() == 1.25, "who is near goes alone");
    test.Expect(claims[3].IsSearch(), "whom nobody knows is searched for");
    test.Expect(places.MakeClaims(NodeId(99), {1}, false).empty(),
                "of a stranger nothing is known");
    const auto asked = places.MakeClaims(RELAY, {1, 2}, false);
    test.Expect(asked.size() == 2 && IsAbout(*asked[0].measured, 13),
                "of others as they would say");
}

void
WhoIsNearEndsNoWay(FunctionCase& test)
{
    for (const auto& [near, goesOn] : {std::pair<int16_t, bool>{38, false}, {40, true}})
    {
        auto places = MakePlaces({0, 0, 0});
        places.Hear(Seconds(2), RELAY, {{0, 0}, false, {{5, {0, near}, 0}, {6, {0, 90}, 0}}});
        const auto claims = places.MakeClaims(Spot{0, 0}, {5, 6});
        test.Expect(claims.size() == 2 && (claims[0].companions != nullptr) == goesOn,
                    std::to_string(near) + " m");
    }
}

void
WhoHasArrivedIsLeftOut(FunctionCase& test)
{
    const auto places = MakePlaces({210, 0, 0});
    const auto claim = MakeCompanions({1, 2}, 40, 0)[1];
    test.Expect(IsAbout(*places.GetHops(claim, {1, 2}), 6), "to the first and on");
    test.Expect(IsAbout(*places.GetHops(claim, {2}), 6), "straight on");
    test.Expect(IsAbout(*places.GetHops(claim, {1}), 3), "to the first");
    test.Expect(!places.GetHops(claim, {7}), "to none of them");
}

void
OnlyWhoIsNearerToTheFirstIsNearer(FunctionCase& test)
{
    const auto measure = [](const Position& here) {
        const auto places = MakePlaces(here);
        Frame frame{{RELAY, NO_NODE, Pub::KIND, 1, 0},
                    Pub{{}, {}, {{nullptr, 1, {0, MakeCompanions({1, 2}, 50, 0)}}}},
                    Whereabouts{{210, 0}, false, {}}};
        places.Measure(frame);
        const auto& claim = std::get<Pub>(frame.body).events.at(0).path.claims.at(1);
        return std::pair(claim, *places.GetHops(claim, {1, 2}));
    };
    const auto [ahead, hops] = measure({240, 0, 0});
    test.Expect(IsAbout(ahead.GetHops(), 6) && IsAbout(hops, 5), "by a hop");
    test.Expect(!ahead.isAside, "and ahead");
    test.Expect(measure({210, 40, 0}).first.isAside, "the first is where it goes");
    test.Expect(measure({390, 90, 0}).second > 6, "who is near the second only is not");
}

void
WhoIsBroughtAnEventIsToldFirst(FunctionCase& test)
{
    auto places = MakePlaces({0, 0, 0});
    places.Hear(Seconds(2), RELAY, {{0, 0}, false, {{1, {310, 0}, 0}}});
    places.Seek(Seconds(60), 1);
    const Pub pub{{}, {}, {{nullptr, 1, {0, {{MakeHint(2, 13)}}}}}};
    const auto told = places.Tell(Seconds(3), pub, PLACE_BYTES)->places;
    test.Expect(told.size() == 1 && told[0].subscriber == 2, "not who is sought, though newer");
}

void
PlacesTakeRoom(FunctionCase& test)
{
    const Options without;
    const auto with = WithPlaces(without);
    test.Expect(with.maxFrameBytes + WHEREABOUTS_BYTES == without.maxFrameBytes, "in each frame");
    test.Expect(with.limits.frame.distances == 0, "in place of distances in hops");
    test.Expect(with.limits.scope.arrivalTo > without.limits.scope.arrivalTo, "arrivals share it");
}

void
PlacesHaveLimitsOfTheirOwn(FunctionCase& test)
{
    Options options;
    options.limits.place.bestProgress = 1.7;
    const auto with = WithPlaces(options);
    test.Expect(with.limits.scope.bestProgress == 1.7, "who gets on by more waits for less");
    auto far = MakePlaces({0, 0, 0});
    far.Hear(Seconds(2), RELAY, {{0, 0}, false, {{1, {3000, 0}, 0}}});
    const Distances distances(with.limits.distance, std::make_shared<Places>(far));
    test.Expect(IsAbout(distances.Get(Seconds(2), 1), 100), "a place of 3 km away is known");
}

class MeshBranchesSuite : public ns3::TestSuite
{
  public:
    MeshBranchesSuite()
        : TestSuite("mftpubsub-mesh-branches", Type::UNIT)
    {
        Add("No tree is shorter", NoTreeIsShorter);
        Add("Branches are sixty degrees apart", BranchesAreSixtyDegreesApart);
        Add("Branches have their lengths", BranchesHaveTheirLengths);
        Add("Frames say who goes with whom", FramesSayWhoGoesWithWhom);
        Add("The first is nobody's companion", TheFirstIsNobodysCompanion);
        Add("Claims are of branches", ClaimsAreOfBranches);
        Add("Who is near ends no way", WhoIsNearEndsNoWay);
        Add("Who has arrived is left out", WhoHasArrivedIsLeftOut);
        Add("Only who is nearer to the first is nearer", OnlyWhoIsNearerToTheFirstIsNearer);
        Add("Who is brought an event is told first", WhoIsBroughtAnEventIsToldFirst);
        Add("Places take room", PlacesTakeRoom);
        Add("Places have limits of their own", PlacesHaveLimitsOfTheirOwn);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

MeshBranchesSuite g_meshBranches;

} // namespace

} // namespace mftpubsub::mesh::mesh_branches_test
