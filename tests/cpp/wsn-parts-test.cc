/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The parts of the sensor network, one at a time: MAC, lines, grids, windows, the helper.
 */
#include "function-case.h"
#include "wsn/csma-mac.h"
#include "wsn/line-mobility-model.h"
#include "wsn/manhattan-mobility-model.h"
#include "wsn/neighbour-grid.h"
#include "wsn/radio.h"
#include "wsn/rssi-window.h"
#include "wsn/wsn-helper.h"
#include "wsn/wsn-net-device.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/double.h"
#include "ns3/node-container.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::wsn_parts_test
{

namespace
{

using FrameTrace =
    ns3::Callback<void, ns3::Ptr<const ns3::Packet>, uint16_t, ns3::Mac48Address, uint32_t>;

constexpr uint16_t PROTOCOL = 0x88b5;
constexpr uint32_t BYTES = 110; //!< 125 on the air: 4 ms
const auto EVERYBODY = ns3::Mac48Address::GetBroadcast();

/// Nodes 20 m apart, with perfect clocks and without shadowing.
class Network
{
  public:
    explicit Network(uint32_t count)
    {
        ns3::RngSeedManager::SetSeed(1);
        ns3::RngSeedManager::SetRun(1);
        nodes.Create(count);
        for (uint32_t i = 0; i < count; ++i)
        {
            auto position = ns3::CreateObject<ns3::ConstantPositionMobilityModel>();
            position->SetPosition({20.0 * i, 0, 0});
            nodes.Get(i)->AggregateObject(position);
        }
        WsnHelper helper;
        helper.SetPerfectClocks(true);
        devices = helper.Install(nodes, WsnHelper::CreateStaticChannel(0, 0));
        WsnHelper::AssignStreams(devices, 10);
    }

    ~Network()
    {
        ns3::Simulator::Destroy();
    }

    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    WsnNetDevice& Device(uint32_t i)
    {
        return dynamic_cast<WsnNetDevice&>(*devices.Get(i));
    }

    void At(ns3::Time when, std::function<void()> what)
    {
        ns3::Simulator::Schedule(when - ns3::Simulator::Now(), std::move(what));
    }

    void SendAt(ns3::Time when, uint32_t from, uint32_t bytes = BYTES)
    {
        At(when, [this, from, bytes] {
            Device(from).Send(ns3::Create<ns3::Packet>(bytes), EVERYBODY, PROTOCOL);
        });
    }

    /// @return when frames of device @p i go on the air, filled as the network runs
    std::vector<ns3::Time>& Watch(uint32_t i, const std::string& source = "Transmit")
    {
        auto& times = m_times.emplace_back();
        Device(i).TraceConnectWithoutContext(source,
                                             FrameTrace([&times](auto, uint16_t, auto, uint32_t) {
                                                 times.push_back(ns3::Simulator::Now());
                                             }));
        return times;
    }

    void RunUntil(ns3::Time end)
    {
        ns3::Simulator::Stop(end - ns3::Simulator::Now());
        ns3::Simulator::Run();
    }

    ns3::NodeContainer nodes;
    ns3::NetDeviceContainer devices;

  private:
    std::deque<std::vector<ns3::Time>> m_times;
};

void
FramesFollowWithoutAGap(FunctionCase& test)
{
    Network network(2);
    const auto& starts = network.Watch(0);
    const auto first = ns3::MicroSeconds(1'000'010); // after the turnaround
    network.SendAt(ns3::Seconds(1), 0);
    network.SendAt(ns3::Seconds(1) + ns3::MicroSeconds(3799), 0); // within 95 % of 4 ms
    network.RunUntil(ns3::Seconds(2));
    test.Expect(starts == std::vector{first, first + ns3::MilliSeconds(4)}, "back to back");
    test.Expect(network.Device(0).GetMac()->GetSent() == 2, "both are counted");
    network.SendAt(ns3::Seconds(3), 0);
    network.SendAt(ns3::Seconds(3) + ns3::MicroSeconds(3801), 0); // the radio still sends
    network.RunUntil(ns3::Seconds(4));
    test.Expect(starts.size() == 4 && starts[3] - starts[2] > ns3::MilliSeconds(4), "a gap");
    test.Expect(starts[3] - starts[2] < ns3::MilliSeconds(5), "after asking a few times more");
}

void
ABufferOfTheMacIsBounded(FunctionCase& test)
{
    Network network(2);
    auto& device = network.Device(0);
    device.GetMac()->SetAttribute("BufferSize", ns3::UintegerValue(2));
    const auto& starts = network.Watch(0);
    const auto& drops = network.Watch(0, "MacDrop");
    std::vector<bool> taken;
    network.At(ns3::Seconds(1), [&] {
        for (int i = 0; i < 3; ++i)
        {
            taken.push_back(device.Send(ns3::Create<ns3::Packet>(BYTES), EVERYBODY, PROTOCOL));
        }
    });
    network.RunUntil(ns3::Seconds(2));
    test.Expect(taken == std::vector{true, true, false}, "room for two");
    test.Expect(starts.size() == 2 && drops.size() == 1, "sent and dropped");
    test.Expect(device.GetMac()->GetOverflows() == 1 && device.GetMac()->GetSent() == 2, "counted");
}

/// @return how long each of some frames waits that is ready while another device sends for 4 ms
std::vector<double>
MeasureBackoffs(ns3::Time base)
{
    Network network(2);
    network.Device(1).GetMac()->SetAttribute("BackoffBase", ns3::TimeValue(base));
    const auto& starts = network.Watch(1);
    constexpr int frames = 50;
    for (int i = 1; i <= frames; ++i)
    {
        network.SendAt(ns3::Seconds(i), 0);
        network.SendAt(ns3::Seconds(i) + ns3::MilliSeconds(2), 1);
    }
    network.RunUntil(ns3::Seconds(frames + 1));
    std::vector<double> waits;
    for (size_t i = 0; i < starts.size(); ++i)
    {
        waits.push_back((starts[i] - ns3::Seconds(i + 1)).GetSeconds() - 2e-3);
    }
    return waits;
}

void
ABusyChannelIsAskedAgain(FunctionCase& test)
{
    const auto waits = MeasureBackoffs(ns3::MilliSeconds(400));
    test.Expect(waits.size() == 50, "all are sent in the end");
    test.Expect(std::ranges::all_of(waits, [](double s) { return s > 2e-3; }), "not meanwhile");
    test.Expect(std::ranges::max(waits) > 0.3, "U(0, 1) * base");
    // Seldom a wait ends before the other frame does; then the next one is twice as long.
    test.Expect(std::ranges::count_if(waits, [](double s) { return s > 0.402; }) <= 2, "not more");
    const auto mean = std::accumulate(waits.begin(), waits.end(), 0.0) / 50;
    test.Expect(mean > 0.1 && mean < 0.3, "on average half of it");
    const auto shorter = MeasureBackoffs(ns3::MilliSeconds(40));
    test.Expect(std::ranges::max(shorter) < 0.1, "by its base");
}

void
BackoffsGrowWithEachBusyAssessment(FunctionCase& test)
{
    Network network(2);
    network.Device(1).GetMac()->SetAttribute("BackoffBase", ns3::TimeValue(ns3::MilliSeconds(10)));
    const auto& starts = network.Watch(1);
    for (int i = 0; i < 20; ++i) // 20 s: busy for a second, then free
    {
        for (int frame = 0; frame < 30; ++frame)
        {
            network.SendAt(ns3::Seconds(1 + i) + ns3::MilliSeconds(frame), 0, 1000);
        }
        network.SendAt(ns3::Seconds(1 + i) + ns3::MilliSeconds(2), 1);
    }
    network.RunUntil(ns3::Seconds(40));
    test.Expect(starts.size() == 20, "all are sent");
    double longest = 0;
    for (int i = 0; i < 20; ++i)
    {
        longest =
            std::max(longest, (starts.at(i) - ns3::Seconds(1 + i)).GetSeconds() - 30 * 0.0325);
    }
    test.Expect(longest > 0.02, "the tenth busy answer in a row waits longer than twice the base");
}

void
AMacThatIsResetHasNothing(FunctionCase& test)
{
    Network network(2);
    auto& device = network.Device(0);
    const auto& starts = network.Watch(0);
    const auto& drops = network.Watch(0, "MacDrop");
    network.At(ns3::Seconds(1), [&] {
        device.Send(ns3::Create<ns3::Packet>(BYTES), EVERYBODY, PROTOCOL);
        device.Send(ns3::Create<ns3::Packet>(BYTES), EVERYBODY, PROTOCOL);
        device.GetMac()->Reset();
    });
    network.RunUntil(ns3::Seconds(2));
    test.Expect(starts.empty() && drops.size() == 2, "both are lost");
    network.SendAt(ns3::Seconds(3), 0);
    network.RunUntil(ns3::Seconds(4));
    test.Expect(starts == std::vector{ns3::MicroSeconds(3'000'010)}, "it begins anew, at once");
}

/// After many busy assessments in a row it is switched off, or paused, for a moment.
void
AMacThatBeginsAnewBacksOffAsAtFirst(FunctionCase& test)
{
    for (const bool isPaused : {false, true})
    {
        Network network(2);
        auto& mac = *network.Device(1).GetMac();
        mac.SetAttribute("BackoffBase", ns3::TimeValue(ns3::MilliSeconds(10)));
        const auto& starts = network.Watch(1);
        constexpr size_t rounds = 5;
        for (size_t i = 1; i <= rounds; ++i)
        {
            const auto at = [&](int ms) { return ns3::Seconds(i) + ns3::MilliSeconds(ms); };
            for (int frame = 0; frame < 10; ++frame)
            {
                network.SendAt(at(0), 0, 1000); // for 325 ms, all of them
            }
            network.SendAt(at(2), 1);
            network.At(at(322), [&] { isPaused ? mac.SetPaused(true) : mac.Reset(); });
            network.At(at(323), [&] { mac.SetPaused(false); });
            if (!isPaused)
            {
                network.SendAt(at(323), 1);
            }
        }
        network.RunUntil(ns3::Seconds(rounds + 1));
        test.Expect(starts.size() == rounds, "all are sent");
        for (size_t i = 0; i < starts.size(); ++i)
        {
            const auto since = starts[i] - ns3::Seconds(i + 1) - ns3::MilliSeconds(323);
            test.Expect(since < ns3::MilliSeconds(25), "after a short wait or two");
        }
    }
}

/// Ten microseconds pass between the decision to send and the frame.
void
WhoeverIsSwitchedOffInATurnaroundSendsNothing(FunctionCase& test)
{
    Network network(2);
    const auto& starts = network.Watch(0);
    const auto& drops = network.Watch(0, "MacDrop");
    network.SendAt(ns3::Seconds(1), 0);
    network.At(ns3::MicroSeconds(1'000'005), [&] { network.Device(0).SetOn(false); });
    network.At(ns3::Seconds(2), [&] { network.Device(0).SetOn(true); });
    network.SendAt(ns3::Seconds(3), 0);
    network.RunUntil(ns3::Seconds(4));
    test.Expect(drops.size() == 1, "the frame is lost");
    test.Expect(starts == std::vector{ns3::MicroSeconds(3'000'010)}, "the next one is not");
    network.SendAt(ns3::Seconds(5), 0);
    network.At(ns3::Seconds(5), [&] { network.Device(0).SetOn(false); });
    network.At(ns3::Seconds(6), [&] { network.Device(0).SetOn(true); });
    network.RunUntil(ns3::Seconds(7));
    test.Expect(drops.size() == 2 && starts.size() == 1, "nor is one kept that waits in the MAC");
}

void
WhoeverFallsAsleepHearsNoFrameToItsEndAndSpendsLittle(FunctionCase& test)
{
    Network network(2);
    auto& device = network.Device(1);
    int received = 0;
    device.SetReceiveCallback([&received](auto, auto, auto, const auto&) {
        ++received;
        return true;
    });
    network.SendAt(ns3::Seconds(1), 0);
    network.At(ns3::MilliSeconds(1002), [&] { device.SetAsleep(true); });
    network.At(ns3::MilliSeconds(1500), [&] {
        device.SetOn(false);
        device.SetOn(true); // it sleeps on
    });
    double before = 0;
    network.At(ns3::Seconds(2), [&] { before = device.GetRadio()->GetEnergy(); });
    network.RunUntil(ns3::Seconds(3));
    test.Expect(received == 0, "it slept at its end");
    const auto watts = device.GetRadio()->GetEnergy() - before;
    test.Expect(std::abs(watts - 7.4e-3) < 1e-9, "1.4 mW, and 6 mW of the rest of the node");
}

void
GroupsAreHeard(FunctionCase& test)
{
    Network network(2);
    std::vector<ns3::Time> heard;
    network.Device(1).SetReceiveCallback([&heard](auto, auto, auto, const auto&) {
        heard.push_back(ns3::Simulator::Now());
        return true;
    });
    const std::vector<std::string> groups{"00:00:00:00:00:99", "01:00:5e:00:00:01"};
    for (size_t i = 0; i < groups.size(); ++i)
    {
        network.At(ns3::Seconds(i + 1), [&, i] {
            const ns3::Mac48Address to(groups[i].c_str());
            network.Device(0).Send(ns3::Create<ns3::Packet>(BYTES), to, PROTOCOL);
        });
    }
    network.RunUntil(ns3::Seconds(3));
    test.Expect(heard.size() == 1 && heard[0] > ns3::Seconds(2), "a group, and no other node");
}

void
NothingIsSentOrSpentBeforeTheStart(FunctionCase& test)
{
    Network network(2);
    auto& device = network.Device(1);
    device.SetAttribute("StartupOffset", ns3::TimeValue(ns3::Seconds(2)));
    bool isSent = true;
    network.At(ns3::MilliSeconds(500), [&] { device.SetOn(false); });
    network.At(ns3::Seconds(1), [&] {
        device.SetOn(true);
        isSent = device.Send(ns3::Create<ns3::Packet>(BYTES), EVERYBODY, PROTOCOL);
    });
    network.RunUntil(ns3::Seconds(2));
    test.Expect(!isSent && device.GetRadio()->GetEnergy() == 0, "it is not there yet");
}

void
APacketIsAsLongAsTheMtuAtMost(FunctionCase& test)
{
    Network network(2);
    auto& device = network.Device(0);
    network.At(ns3::Seconds(1), [&] {
        for (const uint32_t more : {0, 1})
        {
            const auto packet = ns3::Create<ns3::Packet>(device.GetMtu() + more);
            test.Expect(device.Send(packet, EVERYBODY, PROTOCOL) == (more == 0), "not longer");
        }
    });
    network.RunUntil(ns3::Seconds(2));
}

void
AClockIsFastOrSlow(FunctionCase& test)
{
    Network network(2);
    test.Expect(network.Device(0).GetClockFactor() == 1, "it is perfect, until it is told");
    network.Device(0).GetMac()->SetClockFactor(1.2);
    const auto& starts = network.Watch(0);
    network.SendAt(ns3::Seconds(1), 0);
    network.SendAt(ns3::Seconds(1) + ns3::MicroSeconds(4300), 0);
    network.RunUntil(ns3::Seconds(2));
    test.Expect(starts.size() == 2, "both");
    // By its clock 95 % of the first frame last 4.56 ms: the channel is still won.
    test.Expect(starts[1] - starts[0] > ns3::MicroSeconds(4540) &&
                    starts[1] - starts[0] < ns3::MicroSeconds(4600),
                "a slow clock");
}

void
LinesAreWalkedUpAndDown(FunctionCase& test)
{
    auto line = ns3::CreateObject<LineMobilityModel>();
    line->SetLine({10, 0, 1}, {10, 40, 31}, 5); // 50 m: 10 s
    const auto isAt = [&](double y, double z) {
        const auto at = line->GetPosition();
        return std::abs(at.x - 10) < 1e-9 && std::abs(at.y - y) < 1e-9 && std::abs(at.z - z) < 1e-9;
    };
    const auto goes = [&](double y, double z) {
        const auto speed = line->GetVelocity();
        return speed.x == 0 && std::abs(speed.y - y) < 1e-9 && std::abs(speed.z - z) < 1e-9;
    };
    std::vector<std::pair<double, bool>> seen;
    const auto at = [&](double seconds, double y, double z, double up) {
        ns3::Simulator::Schedule(ns3::Seconds(seconds), [=, &seen] {
            seen.emplace_back(seconds, isAt(y, z) && goes(4 * up, 3 * up));
        });
    };
    at(0, 0, 1, 1);
    at(2.5, 10, 8.5, 1);
    at(9.9, 39.6, 30.7, 1);
    at(12.5, 30, 23.5, -1);
    at(19.9, 0.4, 1.3, -1);
    at(21, 4, 4, 1);
    ns3::Simulator::Run();
    for (const auto& [seconds, isRight] : seen)
    {
        test.Expect(isRight, "after " + std::to_string(seconds) + " s");
    }
    test.Expect(seen.size() == 6, "all were asked");
    int changes = 0;
    line->TraceConnectWithoutContext(
        "CourseChange",
        ns3::Callback<void, ns3::Ptr<const ns3::MobilityModel>>([&](auto) { ++changes; }));
    line->SetPosition({3, 4, 5});
    test.Expect(changes == 1, "others are told");
    test.Expect(line->GetPosition().x == 3 && line->GetPosition().z == 5, "where it is put");
    test.Expect(line->GetVelocity().y == 0, "it stays there");
    ns3::Simulator::Destroy();
}

std::vector<uint32_t>
Find(const NeighbourGrid& grid, double x, double y, double radius)
{
    std::vector<uint32_t> found;
    grid.Visit(x, y, radius, [&](uint32_t id) { found.push_back(id); });
    std::ranges::sort(found);
    return found;
}

/// Whoever walks straight on for ever has come to the edge of the field, and goes round.
void
WhoeverCannotGoStraightTurnsEitherWay(FunctionCase& test)
{
    ns3::RngSeedManager::SetSeed(1);
    std::vector<ns3::Ptr<ManhattanMobilityModel>> walkers;
    for (int64_t stream = 0; stream < 20; ++stream)
    {
        walkers.push_back(ns3::CreateObject<ManhattanMobilityModel>());
        walkers.back()->AssignStreams(stream);
        walkers.back()->Begin({300, 300, 0, 100, 10, 10, 1});
    }
    ns3::Simulator::Stop(ns3::Seconds(95));
    ns3::Simulator::Run();
    const auto isLeft = [](const auto& walker) {
        const auto at = walker->GetPosition();
        const auto velocity = walker->GetVelocity();
        return (at.x - 150) * velocity.y > (at.y - 150) * velocity.x;
    };
    const auto left = std::ranges::count_if(walkers, isLeft);
    test.Expect(left > 3 && left < 17, "about as many to the left as to the right");
    ns3::Simulator::Destroy();
}

/// Nobody leaves the streets, whatever becomes of a copy.
void
ACopiedWalkerLeavesTheOriginalAlone(FunctionCase& test)
{
    const auto walker = ns3::CreateObject<ManhattanMobilityModel>();
    walker->AssignStreams(1);
    walker->Begin({300, 300, 0, 100, 10, 10, 1});
    const auto copy = walker->Copy();
    const auto from = walker->GetPosition();
    test.Expect(copy->GetPosition().x == from.x && copy->GetPosition().y == from.y, "where it is");
    copy->SetPosition({0, 0, 0});
    ns3::Simulator::Stop(ns3::Seconds(95));
    ns3::Simulator::Run();
    const auto at = walker->GetPosition();
    test.Expect(std::min(at.x, at.y) >= 0 && std::max(at.x, at.y) <= 300, "it turned");
    ns3::Simulator::Destroy();
}

void
GridsFindWhatIsNear(FunctionCase& test)
{
    using Ids = std::vector<uint32_t>;
    NeighbourGrid grid;
    grid.Reset(0, 0, 100, 100, 10);
    grid.Add(1, 5, 5);
    grid.Add(2, 95, 5);
    grid.Add(3, 5, 95);
    grid.Add(4, 55, 55);
    grid.Add(5, -30, 50); // outside
    test.Expect(Find(grid, 50, 50, 8) == Ids{4}, "in its bucket");
    test.Expect(Find(grid, 40, 50, 9).empty(), "not far beyond");
    test.Expect(Find(grid, 5, 5, 3) == Ids{1} && Find(grid, 95, 5, 3) == Ids{2}, "columns");
    test.Expect(Find(grid, 5, 95, 3) == Ids{3}, "rows");
    test.Expect(Find(grid, -30, 50, 1) == Ids{5} && Find(grid, 5, 50, 6) == Ids{5}, "the nearest");
    test.Expect(Find(grid, 50, 50, 100) == Ids{1, 2, 3, 4, 5}, "all");
    grid.Move(4, 55, 55, 56, 57);
    test.Expect(Find(grid, 56, 56, 1) == Ids{4}, "within its bucket");
    grid.Move(4, 56, 57, 56, 15);
    test.Expect(Find(grid, 56, 56, 3).empty() && Find(grid, 56, 15, 1) == Ids{4}, "another row");
    grid.Move(4, 56, 15, 85, 15);
    test.Expect(Find(grid, 56, 15, 3).empty() && Find(grid, 85, 15, 1) == Ids{4}, "another column");
    grid.Reset(0, 0, 1e6, 10, 1);
    test.Expect(Find(grid, 0, 0, 1e6).empty(), "emptied");
    grid.Add(7, 1e6, 0);
    test.Expect(Find(grid, 1e6, 0, 1) == Ids{7} && Find(grid, 0, 0, 1).empty(), "a huge area");
}

/// A grid finds every point within a radius that going through all finds.
void
GridsMissNothing(FunctionCase& test)
{
    auto uniform = ns3::CreateObject<ns3::UniformRandomVariable>();
    uniform->SetStream(5);
    NeighbourGrid grid;
    grid.Reset(0, 0, 200, 90, 17);
    std::vector<std::pair<double, double>> points;
    for (uint32_t id = 0; id < 200; ++id)
    {
        points.emplace_back(uniform->GetValue(-20, 220), uniform->GetValue(-20, 110));
        grid.Add(id, points.back().first, points.back().second);
    }
    uint32_t missed = 0;
    size_t visited = 0;
    for (uint32_t search = 0; search < 300; ++search)
    {
        const auto& [x, y] = points[search % points.size()];
        const double radius = uniform->GetValue(0, 60);
        const auto found = Find(grid, x, y, radius);
        visited += found.size();
        for (uint32_t id = 0; id < points.size(); ++id)
        {
            const auto away = std::hypot(points[id].first - x, points[id].second - y);
            missed += away <= radius && !std::ranges::binary_search(found, id);
        }
        auto& moved = points[(7 * search) % points.size()];
        const auto before = moved;
        moved = {uniform->GetValue(0, 200), uniform->GetValue(0, 90)};
        grid.Move((7 * search) % points.size(),
                  before.first,
                  before.second,
                  moved.first,
                  moved.second);
    }
    test.Expect(missed == 0 && visited < 300U * 200 / 2, "each, and not all are looked at");
}

void
WindowsWeighPowersByTime(FunctionCase& test)
{
    RssiWindow window(16);
    test.Expect(window.IsEmpty() && window.Read(100) == -200, "nothing was heard");
    window.Push(100, -80);
    test.Expect(!window.IsEmpty() && window.Current() == -80, "from now on");
    test.Expect(window.Read(116) == -80 && window.Read(1000) == -80, "all of it");
    test.Expect(std::abs(window.Read(108) - (-80 - 3.0103F)) < 1e-4, "half of it");
    test.Expect(window.Read(100) <= -180, "none of it yet");
    window.Push(200, -50);
    test.Expect(std::abs(window.Read(204) - (-50 - 6.0206F)) < 1e-4, "a quarter of the louder");
    test.Expect(window.Read(216) == -50 && window.Current() == -50, "the last 16 only");
    window.Push(220, -90);
    window.Push(224, -100);
    window.Push(228, -100);
    test.Expect(std::abs(window.Read(230) - (-50 - 4.2597F)) < 1e-4, "6 of 16 are loud");
    test.Expect(window.Read(236) < -85, "none is, after a while");
    window.Clear();
    test.Expect(window.IsEmpty() && window.Read(240) == -200, "cleared");
    for (int64_t now = 0; now < 4000; now += 2) // more steps than it has room for at first
    {
        window.Push(now, now < 3000 ? -90 : -60);
    }
    test.Expect(window.Read(4000) > -62 && window.Read(4000) < -59, "many steps");
    test.Expect(window.GetLength() == 16, "its length");
}

void
HelpersRefuseNonsense(FunctionCase& test)
{
    const auto isRefused = [](const auto& call) {
        try
        {
            call();
        }
        catch (const std::invalid_argument&)
        {
            return true;
        }
        return false;
    };
    test.Expect(isRefused([] { WsnHelper::CreateStaticChannel(-1, 0); }), "sigma");
    test.Expect(isRefused([] { WsnHelper::CreateStaticChannel(0, -1); }), "the other");
    test.Expect(!isRefused([] { WsnHelper::CreateStaticChannel(0, 0); }), "none");
    test.Expect(isRefused([] { WsnHelper::CreateMobileChannel(0, 10); }), "no width");
    test.Expect(isRefused([] { WsnHelper::CreateMobileChannel(10, 0); }), "no height");
    test.Expect(isRefused([] { WsnHelper::CreateMobileChannel(NAN, 10); }), "no number");
    test.Expect(isRefused([] { WsnHelper::CreateMobileChannel(10, 10, -1); }), "sigma, too");
    test.Expect(!isRefused([] { WsnHelper::CreateMobileChannel(10, 10, 0, 0); }), "a field");
    test.Expect(isRefused([] { WsnHelper().SetTxPower(0.5); }), "no level of this chip");
}

void
HelpersMakeDevices(FunctionCase& test)
{
    ns3::RngSeedManager::SetSeed(1);
    ns3::NodeContainer nodes;
    nodes.Create(2);
    WsnHelper helper;
    helper.SetTxPower(-5);
    helper.SetCcaThreshold(-77);
    const auto channel = WsnHelper::CreateMobileChannel(50, 60, 2.5, 0.5);
    const auto devices = helper.Install(nodes, channel);
    test.Expect(devices.GetN() == 2 && nodes.Get(1)->GetDevice(0) == devices.Get(1), "one a node");
    const auto address = [&](uint32_t i) {
        return ns3::Mac48Address::ConvertFrom(devices.Get(i)->GetAddress());
    };
    test.Expect(address(0) != address(1), "addresses of their own");
    uint8_t bytes[6];
    address(1).CopyTo(bytes);
    const uint32_t number = (bytes[2] << 24) | (bytes[3] << 16) | (bytes[4] << 8) | bytes[5];
    test.Expect(bytes[0] == 2 && bytes[1] == 0 && number == nodes.Get(1)->GetId() + 1, "id plus 1");
    const auto device = ns3::DynamicCast<WsnNetDevice>(devices.Get(0));
    test.Expect(device->GetRadio()->GetTxPower() == -5, "the power");
    ns3::DoubleValue value;
    device->GetRadio()->GetAttribute("CcaThreshold", value);
    test.Expect(value.Get() == -77, "the threshold");
    device->GetAttribute("ClockDriftSigma", value);
    test.Expect(value.Get() == 3e-5, "clocks that drift");
    channel->GetAttribute("Sigma", value);
    test.Expect(value.Get() == 2.5, "the shadowing");
    channel->GetAttribute("BidirectionalSigma", value);
    test.Expect(value.Get() == 0.5, "its asymmetry");
    channel->GetAttribute("FieldX", value);
    test.Expect(value.Get() == 50, "the width");
    channel->GetAttribute("FieldY", value);
    test.Expect(value.Get() == 60, "the height");
    test.Expect(WsnHelper::AssignStreams(devices, 100) == 8, "four streams a device");
    helper.SetPerfectClocks(true);
    ns3::NodeContainer more;
    more.Create(1);
    const auto perfect = helper.Install(more, channel);
    perfect.Get(0)->GetAttribute("ClockDriftSigma", value);
    test.Expect(value.Get() == 0, "perfect clocks");
    test.Expect(ns3::DynamicCast<WsnNetDevice>(perfect.Get(0))->GetStartTime().IsZero(), "at once");
    test.Expect(device->GetClockFactor() != 1 && device->GetStartTime() > ns3::Time(0), "else not");
    ns3::Simulator::Destroy();
}

class WsnPartsSuite : public ns3::TestSuite
{
  public:
    WsnPartsSuite()
        : TestSuite("mftpubsub-wsn-parts", Type::UNIT)
    {
        Add("Frames follow without a gap", FramesFollowWithoutAGap);
        Add("A buffer of the MAC is bounded", ABufferOfTheMacIsBounded);
        Add("A busy channel is asked again", ABusyChannelIsAskedAgain);
        Add("Backoffs grow with each busy assessment", BackoffsGrowWithEachBusyAssessment);
        Add("A MAC that is reset has nothing", AMacThatIsResetHasNothing);
        Add("Whoever is switched off in a turnaround sends nothing",
            WhoeverIsSwitchedOffInATurnaroundSendsNothing);
        Add("Whoever falls asleep hears no frame to its end, and spends little",
            WhoeverFallsAsleepHearsNoFrameToItsEndAndSpendsLittle);
        Add("Groups are heard", GroupsAreHeard);
        Add("Nothing is sent or spent before the start", NothingIsSentOrSpentBeforeTheStart);
        Add("A packet is as long as the MTU at most", APacketIsAsLongAsTheMtuAtMost);
        Add("A MAC that begins anew backs off as at first", AMacThatBeginsAnewBacksOffAsAtFirst);
        Add("A clock is fast or slow", AClockIsFastOrSlow);
        Add("Lines are walked up and down", LinesAreWalkedUpAndDown);
        Add("Whoever cannot go straight turns either way", WhoeverCannotGoStraightTurnsEitherWay);
        Add("A copied walker leaves the original alone", ACopiedWalkerLeavesTheOriginalAlone);
        Add("Grids find what is near", GridsFindWhatIsNear);
        Add("Grids miss nothing", GridsMissNothing);
        Add("Windows weigh powers by time", WindowsWeighPowersByTime);
        Add("Helpers refuse nonsense", HelpersRefuseNonsense);
        Add("Helpers make devices", HelpersMakeDevices);
    }

  private:
    void Add(const std::string& name, FunctionCase::Function function)
    {
        AddTestCase(new FunctionCase(name, std::move(function)), Duration::QUICK);
    }
};

WsnPartsSuite g_wsnParts;

} // namespace

} // namespace mftpubsub::wsn_parts_test
