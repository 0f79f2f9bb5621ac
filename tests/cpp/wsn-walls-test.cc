/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What walls take of signals: the geometry, and the channel in each of its modes.
 */
#include "function-case.h"
#include "wsn/walls.h"
#include "wsn/wsn-helper.h"
#include "wsn/wsn-net-device.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/mobility-model.h"
#include "ns3/node-container.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::wsn_walls_test
{

namespace
{

constexpr double LOSS = 12; //!< of a wall, dB

/// The four walls from (10, 10) to (20, 20).
Walls
MakeBuilding()
{
    return Walls({{10, 10, 20, 10, LOSS},
                  {20, 10, 20, 20, LOSS},
                  {20, 20, 10, 20, LOSS},
                  {10, 20, 10, 10, LOSS}});
}

void
AWallTakesOfWhatPassesItAlone(FunctionCase& test)
{
    const Walls wall({{10, 0, 10, 10, LOSS}});
    test.Expect(wall.GetLossDb({0, 5}, {20, 5}) == LOSS, "it is between");
    test.Expect(wall.GetLossDb({0, 1}, {20, 9}) == LOSS, "aslant, too");
    test.Expect(wall.GetLossDb({0, 15}, {20, 15}) == 0, "the way passes its end");
    test.Expect(wall.GetLossDb({0, 5}, {9, 5}) == 0, "both are before it");
    test.Expect(wall.GetLossDb({11, 5}, {20, 5}) == 0, "both are behind it");
    test.Expect(wall.GetLossDb({9, 0}, {9, 10}) == 0, "the way goes along it");
    test.Expect(Walls().GetLossDb({0, 5}, {20, 5}) == 0, "there is none");
}

void
LossesOfWallsAddUp(FunctionCase& test)
{
    const Walls walls({{10, 0, 10, 10, LOSS}, {15, 0, 15, 10, 3}, {30, 0, 30, 10, 5}});
    test.Expect(walls.GetLossDb({0, 5}, {20, 5}) == LOSS + 3, "of two, not of the third");
}

void
ABuildingIsEnteredAndLeft(FunctionCase& test)
{
    const Walls building = MakeBuilding();
    test.Expect(building.GetLossDb({0, 15}, {30, 15}) == 2 * LOSS, "right through");
    test.Expect(building.GetLossDb({15, 15}, {30, 15}) == LOSS, "from inside");
    test.Expect(building.GetLossDb({12, 12}, {18, 18}) == 0, "within");
    test.Expect(building.GetLossDb({0, 0}, {30, 30}) == 2 * LOSS, "through two corners");
    test.Expect(building.GetLossDb({15, 15}, {30, 30}) == LOSS, "out through a corner");
}

/// Whether a place lies on the outline, where in and out have no meaning.
bool
IsOnOutline(int x, int y)
{
    const bool isBetween = x >= 10 && x <= 20 && y >= 10 && y <= 20;
    return isBetween && (x == 10 || x == 20 || y == 10 || y == 20);
}

bool
IsInside(int x, int y)
{
    return x > 10 && x < 20 && y > 10 && y < 20;
}

/// Places of a grid, so that many ways go through corners and along walls.
void
WhoeverEntersLeavesInBothDirections(FunctionCase& test)
{
    const Walls building = MakeBuilding();
    const auto places = [] {
        std::vector<std::pair<int, int>> found;
        for (int x = 0; x <= 30; x += 5)
        {
            for (int y = 0; y <= 30; y += 3)
            {
                if (!IsOnOutline(x, y))
                {
                    found.emplace_back(x, y);
                }
            }
        }
        return found;
    }();
    for (const auto& [x, y] : places)
    {
        for (const auto& [otherX, otherY] : places)
        {
            const Position one{static_cast<double>(x), static_cast<double>(y)};
            const Position other{static_cast<double>(otherX), static_cast<double>(otherY)};
            const double loss = building.GetLossDb(one, other);
            const auto walls = std::lround(loss / LOSS);
            const std::string way = std::to_string(x) + "," + std::to_string(y) + " to " +
                                    std::to_string(otherX) + "," + std::to_string(otherY);
            test.Expect(walls % 2 == (IsInside(x, y) != IsInside(otherX, otherY)), way);
            test.Expect(walls <= 2, "at most two: " + way);
            test.Expect(loss == building.GetLossDb(other, one), "back: " + way);
        }
    }
}

void
WhatGoesOverItIsFree(FunctionCase& test)
{
    const Walls low({{10, 0, 10, 10, LOSS, 8}});
    test.Expect(low.HasLowOnes() && !Walls({{10, 0, 10, 10, LOSS}}).HasLowOnes(), "which are low");
    test.Expect(low.GetLossDb({0, 5, 7.9}, {20, 5, 7.9}) == LOSS, "below its top");
    test.Expect(low.GetLossDb({0, 5, 8}, {20, 5, 8}) == 0, "over it");
    test.Expect(low.GetLossDb({0, 5}, {20, 5, 20}) == 0, "aslant over it, from the ground");
    test.Expect(low.GetLossDb({20, 5, 20}, {0, 5}) == 0, "and back");
    test.Expect(low.GetLossDb({9, 5}, {20, 5, 20}) == LOSS, "it is too near to go over it");
    test.Expect(low.GetLossDb({20, 5, 20}, {9, 5}) == LOSS, "and back");
    const Walls high({{10, 0, 10, 10, LOSS}});
    test.Expect(high.GetLossDb({0, 5, 1e5}, {20, 5, 1e5}) == LOSS, "nothing goes over this one");
}

/// Three nodes in a row; a wall stands between the first and the others.
class WalledNetwork
{
  public:
    WalledNetwork(WirelessChannel::Mode mode, double field, double lossDb, double heightMetres = 0)
        : channel(ns3::CreateObjectWithAttributes<WirelessChannel>("Mode",
                                                                   ns3::EnumValue(mode),
                                                                   "FieldX",
                                                                   ns3::DoubleValue(field),
                                                                   "FieldY",
                                                                   ns3::DoubleValue(field),
                                                                   "Sigma",
                                                                   ns3::DoubleValue(0),
                                                                   "BidirectionalSigma",
                                                                   ns3::DoubleValue(0)))
    {
        ns3::NodeContainer nodes;
        nodes.Create(3);
        for (uint32_t i = 0; i < 3; ++i)
        {
            const auto position = ns3::CreateObject<ns3::ConstantPositionMobilityModel>();
            position->SetPosition({12.5 + 10.0 * i, 12.5, 0});
            nodes.Get(i)->AggregateObject(position);
        }
        WsnHelper helper;
        helper.SetPerfectClocks(true);
        helper.Install(nodes, channel);
        channel->SetWalls(Walls({{17, 0, 17, 30, lossDb, heightMetres}}));
    }

    ~WalledNetwork()
    {
        ns3::Simulator::Destroy();
    }

    WalledNetwork(const WalledNetwork&) = delete;
    WalledNetwork& operator=(const WalledNetwork&) = delete;

    ns3::Ptr<WirelessChannel> channel;
};

/// Small fields have path losses that are remembered, large ones compute them.
void
ForEachChannel(double lossDb, const std::function<void(WirelessChannel&, const std::string&)>& look)
{
    for (const double field : {100.0, 10'000.0})
    {
        for (const auto mode :
             {WirelessChannel::STATIC, WirelessChannel::MOBILE, WirelessChannel::MOVING_PAIRS})
        {
            WalledNetwork network(mode, field, lossDb);
            look(*network.channel,
                 "mode " + std::to_string(static_cast<int>(mode)) + ", field of " +
                     std::to_string(field) + " m");
        }
    }
}

void
TheChannelCountsThem(FunctionCase& test)
{
    ForEachChannel(LOSS, [&](WirelessChannel& channel, const std::string& where) {
        const double free = channel.GetMeanPathLossDb(1, 2);
        const double walled = channel.GetMeanPathLossDb(0, 1);
        test.Expect(std::abs(walled - free - LOSS) < 1e-4, "on the mean: " + where);
        const double loss = channel.GetPathLossDb(0, 1) - channel.GetPathLossDb(1, 2);
        test.Expect(std::abs(loss - LOSS) < 1e-4, "of a frame: " + where);
        const double back = channel.GetPathLossDb(1, 0) - channel.GetPathLossDb(2, 1);
        test.Expect(std::abs(back - LOSS) < 1e-4, "of one back: " + where);
    });
}

void
NobodyHearsThroughAThickOne(FunctionCase& test)
{
    ForEachChannel(60, [&](WirelessChannel& channel, const std::string& where) {
        test.Expect(channel.GetUsableLinks(0).empty(), "of those beyond: " + where);
        test.Expect(channel.GetUsableLinks(2) == std::vector<uint32_t>{1}, "or back: " + where);
    });
}

/// @return whether the last node was moved to @p place; mode Static refuses it
bool
CanLift(WirelessChannel& channel, const ns3::Vector& place)
{
    try
    {
        channel.GetDevice(2)->GetNode()->GetObject<ns3::MobilityModel>()->SetPosition(place);
    }
    catch (const std::logic_error&)
    {
        return false;
    }
    return channel.UpdatePositions();
}

void
TheChannelCountsHeights(FunctionCase& test)
{
    ForEachChannel(LOSS, [&](WirelessChannel& channel, const std::string& where) {
        const double far = channel.GetPathLossDb(1, 2);
        const double near = channel.GetMeanPathLossDb(1, 2);
        test.Expect(std::abs(far - near) < 1e-4, "without shadowing: " + where);
        if (CanLift(channel, {32.5, 12.5, 10 * std::sqrt(3.0)}))
        {
            // Twice as far: log-distance with the exponent of 2.4.
            const double more = channel.GetPathLossDb(1, 2) - far;
            test.Expect(std::abs(more - 24 * std::log10(2.0)) < 1e-3, "of a frame: " + where);
            test.Expect(channel.GetPathLossDb(2, 1) == channel.GetPathLossDb(1, 2),
                        "back: " + where);
            test.Expect(std::abs(channel.GetUncutPathLossDb(1, 2) - far - more) < 1e-4,
                        "uncut: " + where);
        }
    });
}

void
WhoIsTooHighIsNotHeard(FunctionCase& test)
{
    ForEachChannel(0, [&](WirelessChannel& channel, const std::string& where) {
        test.Expect(channel.GetUsableLinks(1) == std::vector<uint32_t>{0, 2}, "before: " + where);
        if (CanLift(channel, {22.5, 12.5, 500}))
        {
            test.Expect(channel.GetUsableLinks(1) == std::vector<uint32_t>{0},
                        "right above: " + where);
            test.Expect(channel.GetUsableLinks(2).empty(), "of one up there: " + where);
        }
    });
}

void
WhoIsOverALowWallIsNotTakenToBeOnTheGround(FunctionCase& test)
{
    constexpr double LOW = 5;
    const auto look = [&](WirelessChannel& channel, const std::string& where) {
        const double walled = channel.GetPathLossDb(0, 1);
        for (const double height : {20.0, 0.0})
        {
            for (const uint32_t i : {0U, 1U})
            {
                channel.SetPosition(i, {12.5 + 10.0 * i, 12.5, height});
            }
            const double less = walled - channel.GetPathLossDb(0, 1);
            test.Expect(std::abs(less - (height > LOW ? LOSS : 0)) < 1e-4,
                        std::to_string(height) + " m up: " + where);
        }
    };
    for (const double field : {100.0, 10'000.0})
    {
        WalledNetwork network(WirelessChannel::MOBILE, field, LOSS, LOW);
        look(*network.channel, "field of " + std::to_string(field) + " m");
    }
}

void
TheyStandBeforeTheFirstFrame(FunctionCase& test)
{
    WalledNetwork network(WirelessChannel::STATIC, 100, LOSS);
    network.channel->GetPathLossDb(0, 1);
    bool isRefused = false;
    try
    {
        network.channel->SetWalls(Walls());
    }
    catch (const std::logic_error&)
    {
        isRefused = true;
    }
    test.Expect(isRefused, "later is too late");
}

class WsnWallsSuite : public ns3::TestSuite
{
  public:
    WsnWallsSuite()
        : TestSuite("mftpubsub-wsn-walls", Type::UNIT)
    {
        Add("A wall takes of what passes it alone", AWallTakesOfWhatPassesItAlone);
        Add("Losses of walls add up", LossesOfWallsAddUp);
        Add("A building is entered and left", ABuildingIsEnteredAndLeft);
        Add("Whoever enters leaves, in both directions", WhoeverEntersLeavesInBothDirections);
        Add("What goes over it is free", WhatGoesOverItIsFree);
        Add("The channel counts them", TheChannelCountsThem);
        Add("The channel counts heights", TheChannelCountsHeights);
        Add("Who is too high is not heard", WhoIsTooHighIsNotHeard);
        Add("Who is over a low wall is not taken to be on the ground",
            WhoIsOverALowWallIsNotTakenToBeOnTheGround);
        Add("Nobody hears through a thick one", NobodyHearsThroughAThickOne);
        Add("They stand before the first frame", TheyStandBeforeTheFirstFrame);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

WsnWallsSuite g_wsnWalls;

} // namespace

} // namespace mftpubsub::wsn_walls_test
