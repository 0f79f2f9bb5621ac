/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Networks of many nodes (s3 to s6).
 */
#include "castalia/experiments-bench.h"
#include "wsn/line-mobility-model.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>
#include <numeric>
#include <vector>

namespace mftpubsub
{

namespace
{

double
Sum(const std::vector<uint64_t>& counts)
{
    return static_cast<double>(std::accumulate(counts.begin(), counts.end(), uint64_t{0}));
}

/// Counts receptions by sender and receiver.
struct ShadowingBench : ExperimentBench
{
    using ExperimentBench::ExperimentBench;

    void OnReceive(uint32_t receiver, PacketRecord& packet) override
    {
        ++received[packet.origin * m_devices.size() + receiver];
    }

    std::vector<uint32_t> received;
};

/// Relays what comes for the first time.
struct FloodBench : ExperimentBench
{
    using ExperimentBench::ExperimentBench;

    struct Tally
    {
        std::vector<bool> seen;
        uint64_t receptions{0};
        uint64_t first{0};
        uint64_t duplicates{0};
        uint64_t rebroadcasts{0};
        double hops{0};
        double linkDelay{0}; //!< s
    };

    void OnReceive(uint32_t receiver, PacketRecord& packet) override
    {
        if (receiver == 0)
        {
            return;
        }
        Tally& tally = tallies[receiver];
        ++tally.receptions;
        tally.linkDelay += Now() - packet.sendTime;
        tally.seen.resize(std::max<size_t>(tally.seen.size(), packet.sequence + 1));
        if (tally.seen[packet.sequence])
        {
            ++tally.duplicates;
            return;
        }
        tally.seen[packet.sequence] = true;
        ++tally.first;
        tally.hops += packet.hops;
        ++tally.rebroadcasts;
        const uint32_t sequence = packet.sequence;
        const uint32_t hops = packet.hops + 1;
        if (jitter == 0)
        {
            SendPacket(receiver, 0, sequence, hops);
            return;
        }
        const double wait =
            draws[receiver]->GetValue() * jitter * m_devices[receiver]->GetClockFactor();
        ns3::Simulator::Schedule(ns3::Seconds(wait), [this, receiver, sequence, hops] {
            SendPacket(receiver, 0, sequence, hops);
        });
    }

    std::vector<Tally> tallies;
    std::vector<ns3::Ptr<ns3::UniformRandomVariable>> draws;
    double jitter{0}; //!< s
};

ExperimentTable
TabulateContention(const ContentionOptions& options, ExperimentBench& bench)
{
    uint64_t macSent = 0;
    uint64_t overflow = 0;
    uint64_t framesWithReception = 0;
    for (const auto& device : bench.m_devices)
    {
        macSent += device->GetMac()->GetSent();
        overflow += device->GetMac()->GetOverflows();
    }
    for (const auto& record : bench.m_records)
    {
        framesWithReception += std::isnan(record.firstReception) ? 0 : 1;
    }
    const auto offered = Sum(bench.m_sent);
    const auto sent = static_cast<double>(macSent);
    const auto receptions = static_cast<double>(bench.m_receptions);
    const double delay = MeanFirstDelayMs(bench.m_records);
    const double airMs =
        1e3 * bench.RadioOf(0).GetAirTime(BytesOnAir(options.payload)).GetSeconds();
    TableWriter table(WithBreakdown({"n",
                                     "lambda",
                                     "offered_packets",
                                     "mac_sent",
                                     "radio_tx",
                                     "mac_overflow",
                                     "queued_at_end",
                                     "receptions",
                                     "reception_ratio",
                                     "frames_with_reception",
                                     "mean_delay_first_rx_ms",
                                     "mean_access_delay_ms"}));
    std::vector<double> row{static_cast<double>(options.nodes),
                            options.rate,
                            offered,
                            sent,
                            Sum(bench.m_onAir),
                            static_cast<double>(overflow),
                            offered - sent - static_cast<double>(overflow),
                            receptions,
                            receptions / (sent * (options.nodes - 1)),
                            static_cast<double>(framesWithReception),
                            delay,
                            delay - airMs - 0.02};
    Append(row, bench.TotalCounts());
    table.Add(row);
    return table.Take();
}

ExperimentTable
TabulateFlood(FloodBench& bench, const std::vector<Point>& points)
{
    TableWriter table(WithBreakdown({"node",
                                     "x_m",
                                     "y_m",
                                     "floods_sent",
                                     "first_receptions",
                                     "delivery",
                                     "mean_hops",
                                     "mean_link_delay_ms",
                                     "duplicates",
                                     "rebroadcasts"}));
    const auto floods = static_cast<double>(bench.m_sent[0]);
    for (uint32_t i = 1; i < points.size(); ++i)
    {
        const auto& tally = bench.tallies[i];
        const auto first = static_cast<double>(tally.first);
        std::vector<double> row{static_cast<double>(i),
                                points[i].x,
                                points[i].y,
                                floods,
                                first,
                                first / floods,
                                first > 0 ? tally.hops / first : NOT_A_NUMBER,
                                first > 0
                                    ? 1e3 * tally.linkDelay / static_cast<double>(tally.receptions)
                                    : NOT_A_NUMBER,
                                static_cast<double>(tally.duplicates),
                                static_cast<double>(tally.rebroadcasts)};
        Append(row, bench.RadioOf(i).GetCounts());
        table.Add(row);
    }
    return table.Take();
}

/// @return a line from each of @p points to somewhere in the field
std::vector<ns3::Ptr<ns3::MobilityModel>>
MakeLines(ExperimentBench& bench, const std::vector<Point>& points, const BroadcastOptions& options)
{
    std::vector<ns3::Ptr<ns3::MobilityModel>> mobility;
    for (const Point& point : points)
    {
        auto line = ns3::CreateObject<LineMobilityModel>();
        const double x = bench.Uniform(options.field);
        const double y = bench.Uniform(options.field);
        line->SetLine({point.x, point.y, 0}, {x, y, 0}, options.speed);
        mobility.push_back(line);
    }
    return mobility;
}

} // namespace

ExperimentTable
RunContention(const ContentionOptions& options)
{
    Require(options.nodes > 1, "contention needs two nodes or more");
    Require(options.rate > 0, "the rate is not positive");
    Require(options.duration > 0, "the duration is not positive");
    Require(options.field > 0, "the field is empty");

    ExperimentBench bench(options.seed, options.payload);
    bench.Build(bench.UniformPlacement(options.nodes, options.field),
                WsnHelper::CreateStaticChannel(0, 0),
                WsnHelper());
    const double stop = START_DELAY + options.duration;
    for (uint32_t i = 0; i < options.nodes; ++i)
    {
        bench.AddSource(i, Traffic::POISSON, options.rate, stop);
    }
    bench.Run(stop);

    return TabulateContention(options, bench);
}

ExperimentTable
RunShadowing(const ShadowingOptions& options)
{
    Require(options.nodes > 1, "shadowing needs two nodes or more");
    Require(options.field > 0, "the field is empty");

    ShadowingBench bench(options.seed, options.payload);
    const auto points = bench.UniformPlacement(options.nodes, options.field);
    bench.received.assign(size_t{options.nodes} * options.nodes, 0);
    bench.Build(points,
                WsnHelper::CreateStaticChannel(options.sigma, options.bidirectionalSigma),
                PerfectHelper());
    // One sender at a time: a packet is over well before the next one.
    const double gap = 1.5 * bench.RadioOf(0).GetAirTime(WSN_MAX_FRAME).GetSeconds();
    double time = START_DELAY;
    for (uint32_t i = 0; i < options.nodes && options.packets > 0; ++i)
    {
        for (uint32_t k = 0; k < options.packets; ++k)
        {
            ExperimentBench::At(time, [&bench, i, k] { bench.SendPacket(i, i, k, 1); });
            time += gap;
        }
    }
    bench.Run(time + 1);

    TableWriter table({"distance_m",
                       "mean_loss_db",
                       "loss_ab_db",
                       "loss_ba_db",
                       "stored_ab",
                       "stored_ba",
                       "prr_ab",
                       "prr_ba"});
    const auto prr = [&](uint32_t from, uint32_t to) {
        return options.packets == 0
                   ? NOT_A_NUMBER
                   : bench.received[from * options.nodes + to] / double(options.packets);
    };
    const auto stored = [&](uint32_t from, uint32_t to) {
        return std::isinf(bench.m_channel->GetPathLossDb(from, to)) ? 0.0 : 1.0;
    };
    for (uint32_t a = 0; a < options.nodes; ++a)
    {
        for (uint32_t b = a + 1; b < options.nodes; ++b)
        {
            table.Add({std::hypot(points[a].x - points[b].x, points[a].y - points[b].y),
                       bench.m_channel->GetMeanPathLossDb(a, b),
                       bench.m_channel->GetUncutPathLossDb(a, b),
                       bench.m_channel->GetUncutPathLossDb(b, a),
                       stored(a, b),
                       stored(b, a),
                       prr(a, b),
                       prr(b, a)});
        }
    }
    return table.Take();
}

ExperimentTable
RunBroadcast(const BroadcastOptions& options)
{
    Require(options.nodes > 0, "there are no nodes");
    Require(options.field > 0, "the field is empty");
    Require(options.speed >= 0, "the speed is negative");
    Require(options.rate > 0, "the rate is not positive");
    Require(options.duration > 0, "the duration is not positive");

    const std::clock_t begin = std::clock();
    ExperimentBench bench(options.seed, options.payload);
    const auto points = bench.UniformPlacement(options.nodes, options.field);
    bench.Build(points,
                WsnHelper::CreateMobileChannel(options.field,
                                               options.field,
                                               options.sigma,
                                               options.bidirectionalSigma),
                WsnHelper(),
                MakeLines(bench, points, options));
    const double stop = START_DELAY + options.duration;
    for (uint32_t i = 0; i < options.nodes; ++i)
    {
        bench.AddSource(i, Traffic::JITTERED, options.rate, stop);
    }
    bench.Run(stop);
    const auto events = static_cast<double>(ns3::Simulator::GetEventCount());
    const double cpu = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;

    const auto sent = Sum(bench.m_sent);
    const auto receptions = static_cast<double>(bench.m_receptions);
    TableWriter table(WithBreakdown({"nodes",
                                     "field",
                                     "sigma",
                                     "sent",
                                     "receptions",
                                     "mean_neighbours",
                                     "mean_delay_first_rx_ms",
                                     "cpu_s",
                                     "events"}));
    std::vector<double> row{static_cast<double>(options.nodes),
                            options.field,
                            options.sigma,
                            sent,
                            receptions,
                            receptions / sent,
                            MeanFirstDelayMs(bench.m_records),
                            cpu,
                            events};
    Append(row, bench.TotalCounts());
    table.Add(row);
    return table.Take();
}

ExperimentTable
RunFlood(const FloodOptions& options)
{
    Require(options.x.size() > 1 && options.x.size() == options.y.size(),
            "a flood needs two nodes or more, each with x and y");
    Require(options.jitterMs >= 0, "the jitter is negative");
    Require(options.rate > 0, "the rate is not positive");
    Require(options.duration > 0, "the duration is not positive");

    FloodBench bench(options.seed, options.payload);
    bench.jitter = options.jitterMs / 1e3;
    std::vector<Point> points;
    for (size_t i = 0; i < options.x.size(); ++i)
    {
        points.push_back({options.x[i], options.y[i]});
        auto draw = ns3::CreateObject<ns3::UniformRandomVariable>();
        draw->SetStream(TRAFFIC_STREAMS + static_cast<int64_t>(options.x.size() + i));
        bench.draws.push_back(draw);
    }
    bench.tallies.resize(points.size());
    bench.Build(points, WsnHelper::CreateStaticChannel(0, 0), WsnHelper());
    const double stop = START_DELAY + options.duration;
    bench.AddSource(0,
                    Traffic::PERIODIC,
                    options.rate,
                    std::numeric_limits<double>::infinity(),
                    static_cast<uint32_t>(std::lround(options.duration * options.rate)));
    bench.Run(stop + 5);

    return TabulateFlood(bench, points);
}

} // namespace mftpubsub
