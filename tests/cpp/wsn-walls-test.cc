/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What walls take of signals: the geometry, and the channel in each of its modes.
 */
#include "function-case.h"
#include "wsn/walls.h"
#include "wsn/wsn-helper.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/double.h"
#include "ns3/enum.h"
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
    test.Expect(wall.GetLossDb(0, 5, 20, 5) == LOSS, "it is between");
    test.Expect(wall.GetLossDb(0, 1, 20, 9) == LOSS, "aslant, too");
    test.Expect(wall.GetLossDb(0, 15, 20, 15) == 0, "the way passes its end");
    test.Expect(wall.GetLossDb(0, 5, 9, 5) == 0, "both are before it");
    test.Expect(wall.GetLossDb(11, 5, 20, 5) == 0, "both are behind it");
    test.Expect(wall.GetLossDb(9, 0, 9, 10) == 0, "the way goes along it");
    test.Expect(Walls().GetLossDb(0, 5, 20, 5) == 0, "there is none");
}

void
LossesOfWallsAddUp(FunctionCase& test)
{
    const Walls walls({{10, 0, 10, 10, LOSS}, {15, 0, 15, 10, 3}, {30, 0, 30, 10, 5}});
    test.Expect(walls.GetLossDb(0, 5, 20, 5) == LOSS + 3, "of two, not of the third");
}

void
ABuildingIsEnteredAndLeft(FunctionCase& test)
{
    const Walls building = MakeBuilding();
    test.Expect(building.GetLossDb(0, 15, 30, 15) == 2 * LOSS, "right through");
    test.Expect(building.GetLossDb(15, 15, 30, 15) == LOSS, "from inside");
    test.Expect(building.GetLossDb(12, 12, 18, 18) == 0, "within");
    test.Expect(building.GetLossDb(0, 0, 30, 30) == 2 * LOSS, "through two corners");
    test.Expect(building.GetLossDb(15, 15, 30, 30) == LOSS, "out through a corner");
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
            const double loss = building.GetLossDb(x, y, otherX, otherY);
            const auto walls = std::lround(loss / LOSS);
            const std::string way = std::to_string(x) + "," + std::to_string(y) + " to " +
                                    std::to_string(otherX) + "," + std::to_string(otherY);
            test.Expect(walls % 2 == (IsInside(x, y) != IsInside(otherX, otherY)), way);
            test.Expect(walls <= 2, "at most two: " + way);
            test.Expect(loss == building.GetLossDb(otherX, otherY, x, y), "back: " + way);
        }
    }
}

/// Three nodes in a row; a wall stands between the first and the others.
class WalledNetwork
{
  public:
    WalledNetwork(WirelessChannel::Mode mode, double field, double lossDb)
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
        channel->SetWalls(Walls({{17, 0, 17, 30, lossDb}}));
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
        Add("The channel counts them", TheChannelCountsThem);
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
