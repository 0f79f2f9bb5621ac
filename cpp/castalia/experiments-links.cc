/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Two to four nodes: links, carrier sense, interference, bursts (s1, s2, s7 to s10).
 */
#include "castalia/experiments-bench.h"
#include "wsn/power.h"
#include "wsn/radio-mode.h"
#include "wsn/rssi-window.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace mftpubsub
{

namespace
{

/// Adds up the quality of what is received.
struct LinkBench : ExperimentBench
{
    using ExperimentBench::ExperimentBench;

    void OnReceive(uint32_t receiver, PacketRecord& /* packet */) override
    {
        rssi += RadioOf(receiver).GetLastReceived().rssiDbm;
        lqi += RadioOf(receiver).GetLastReceived().lqiDb;
    }

    double rssi{0};
    double lqi{0};
};

/// Counts receptions by receiver and sender.
struct HiddenBench : ExperimentBench
{
    using ExperimentBench::ExperimentBench;

    void OnReceive(uint32_t receiver, PacketRecord& packet) override
    {
        ++received[receiver][packet.origin];
    }

    uint64_t received[3][3]{};
};

/// Notes which packets of node 1 were deferred.
struct LatencyBench : ExperimentBench
{
    using ExperimentBench::ExperimentBench;

    void OnAir(uint32_t sender, const PacketRecord& packet) override
    {
        if (sender == 1)
        {
            deferred[packet.sequence] = Now() - packet.sendTime > 10.5e-6;
        }
    }

    std::vector<bool> deferred;
};

/// Counts what node 0 receives, by sender.
struct OverlapBench : ExperimentBench
{
    using ExperimentBench::ExperimentBench;

    void OnReceive(uint32_t receiver, PacketRecord& packet) override
    {
        if (receiver == 0)
        {
            ++received[packet.origin];
        }
    }

    uint64_t received[4]{};
};

/// A row for each packet that node 1 receives.
struct BurstBench : ExperimentBench
{
    using ExperimentBench::ExperimentBench;

    void OnReceive(uint32_t receiver, PacketRecord& packet) override
    {
        if (receiver == 1)
        {
            const double number = packet.sequence;
            table.Add({1.0,
                       static_cast<double>(packet.origin),
                       number,
                       0.0,
                       number,
                       packet.sendTime,
                       1e3 * (Now() - packet.sendTime),
                       RadioOf(1).GetLastReceived().rssiDbm,
                       RadioOf(1).GetLastReceived().lqiDb});
        }
    }

    TableWriter table{{"rx",
                       "src",
                       "seq",
                       "burst_index",
                       "pos_in_burst",
                       "app_send_s",
                       "delay_ms",
                       "rssi",
                       "sinr_min"}};
};

/// Notes when packets go on the air.
struct SecondBench : ExperimentBench
{
    using ExperimentBench::ExperimentBench;

    void OnAir(uint32_t /* sender */, const PacketRecord& packet) override
    {
        onAir[packet.sequence] = ns3::Simulator::Now().GetNanoSeconds();
    }

    int64_t onAir[2]{};
};

} // namespace

ExperimentTable
RunLink(const LinkOptions& options)
{
    Require(options.distance >= 0, "the distance is negative");
    Require(options.packets > 0, "there are no packets to send");

    LinkBench bench(options.seed, options.payload);
    WsnHelper helper;
    helper.SetTxPower(options.txPower);
    bench.Build({{0, 0}, {options.distance, 0}}, WsnHelper::CreateStaticChannel(0, 0), helper);
    bench.m_devices[1]->SetWantsSignalQuality(true);
    constexpr double rate = 20;
    bench.AddSource(0,
                    Traffic::JITTERED,
                    rate,
                    std::numeric_limits<double>::infinity(),
                    options.packets);
    bench.Run(START_DELAY + 2.0 * options.packets / rate + 10);

    const uint32_t bytes = BytesOnAir(options.payload);
    const auto sent = static_cast<double>(bench.m_onAir[0]);
    const auto received = static_cast<double>(bench.m_receptions);
    const double power = options.txPower - bench.m_channel->GetMeanPathLossDb(0, 1);
    const RadioMode& mode = bench.RadioOf(1).GetMode();
    const double theory = static_cast<float>(power) < mode.sensitivityDbm
                              ? 0.0
                              : NoErrorProbability(power - mode.noiseFloorDbm, bytes * 8, mode);
    const double prr = received / sent;
    const double error = std::sqrt(theory * (1 - theory) / sent);
    TableWriter table(WithBreakdown({"distance_m",
                                     "tx_power_dbm",
                                     "payload_bytes",
                                     "on_air_bytes",
                                     "sent",
                                     "received",
                                     "prr",
                                     "mean_rssi",
                                     "mean_lqi_db",
                                     "prr_theory",
                                     "z"}));
    std::vector<double> row{options.distance,
                            options.txPower,
                            static_cast<double>(options.payload),
                            static_cast<double>(bytes),
                            sent,
                            received,
                            prr,
                            received > 0 ? bench.rssi / received : NOT_A_NUMBER,
                            received > 0 ? bench.lqi / received : NOT_A_NUMBER,
                            theory,
                            error > 0 ? (prr - theory) / error : NOT_A_NUMBER};
    Append(row, bench.RadioOf(1).GetCounts());
    table.Add(row);
    return table.Take();
}

ExperimentTable
RunHiddenTerminal(const HiddenTerminalOptions& options)
{
    Require(options.rate > 0, "the rate is not positive");
    Require(options.duration > 0, "the duration is not positive");

    HiddenBench bench(options.seed, options.payload);
    WsnHelper helper;
    helper.SetTxPower(options.txPower);
    bench.Build({{0, 0}, {25, 0}, {options.x, 0}}, WsnHelper::CreateStaticChannel(0, 0), helper);
    const double stop = START_DELAY + options.duration;
    bench.AddSource(0, Traffic::JITTERED, options.rate, stop);
    bench.AddSource(2, Traffic::JITTERED, options.rate, stop);
    bench.Run(stop + 1);

    const auto number = [](uint64_t value) { return static_cast<double>(value); };
    auto names =
        WithBreakdown({"x_m", "rate", "sent_a", "received_from_a", "sent_c", "received_from_c"},
                      "b_");
    names.insert(names.end(), {"received_a_at_c", "received_c_at_a"});
    TableWriter table(WithBreakdown(std::move(names), "a_"));
    std::vector<double> row{options.x,
                            options.rate,
                            number(bench.m_onAir[0]),
                            number(bench.received[1][0]),
                            number(bench.m_onAir[2]),
                            number(bench.received[1][2])};
    Append(row, bench.RadioOf(1).GetCounts());
    row.push_back(number(bench.received[2][0]));
    row.push_back(number(bench.received[0][2]));
    Append(row, bench.RadioOf(0).GetCounts());
    table.Add(row);
    return table.Take();
}

ExperimentTable
RunCcaLatency(const CcaLatencyOptions& options)
{
    Require(options.distance >= 0, "the distance is negative");
    Require(options.trials > 0, "there are no trials");

    LatencyBench bench(options.seed, options.payload);
    bench.deferred.assign(options.trials, true);
    bench.Build({{0, 0}, {options.distance, 0}},
                WsnHelper::CreateStaticChannel(0, 0),
                PerfectHelper());
    constexpr double spacing = 1.0;
    for (uint32_t i = 0; i < options.trials; ++i)
    {
        const double time = START_DELAY + spacing * i;
        ExperimentBench::At(time, [&bench, i] { bench.SendPacket(0, 0, i, 1); });
        ExperimentBench::At(time + 1e-6 * (i + 0.5), [&bench, i] { bench.SendPacket(1, 1, i, 1); });
    }
    bench.Run(START_DELAY + spacing * options.trials);

    const auto first = std::find(bench.deferred.begin(), bench.deferred.end(), true);
    const bool found = first != bench.deferred.end();
    const double delta =
        found ? static_cast<double>(first - bench.deferred.begin()) + 0.5 : NOT_A_NUMBER;
    const double power = 0 - bench.m_channel->GetMeanPathLossDb(0, 1);
    const Radio& radio = bench.RadioOf(1);
    // The same from the window alone: the first tenth of a microsecond at which it reads busy.
    double predicted = NOT_A_NUMBER;
    for (int64_t ns = 50; ns <= 128'000 && std::isnan(predicted); ns += 100)
    {
        RssiWindow window(128'000);
        window.Push(0, radio.GetMode().noiseFloorDbm);
        window.Push(200'000, AddPowerDbm(radio.GetMode().noiseFloorDbm, static_cast<float>(power)));
        predicted =
            window.Read(200'000 + ns) < -95.0F ? NOT_A_NUMBER : static_cast<double>(ns + 50) / 1e3;
    }
    TableWriter table({"distance_m",
                       "rx_power_dbm",
                       "first_deferral_delta_us",
                       "on_air_time_needed_us",
                       "monotone_after",
                       "n",
                       "predicted_on_air_time_us"});
    table.Add(
        {options.distance,
         power,
         delta,
         delta - 10,
         found ? (std::find(first, bench.deferred.end(), false) == bench.deferred.end() ? 1.0 : 0.0)
               : NOT_A_NUMBER,
         static_cast<double>(options.trials),
         predicted});
    return table.Take();
}

namespace
{

ExperimentTable
TabulateOverlap(const OverlapOptions& options, OverlapBench& bench)
{
    const double sent = options.packets;
    const auto number = [](uint64_t value) { return static_cast<double>(value); };
    TableWriter table(WithBreakdown({"interferers",
                                     "d_a_m",
                                     "x_m",
                                     "offset_ms",
                                     "signal_a_dbm",
                                     "signal_c_dbm",
                                     "sent_each",
                                     "received_a",
                                     "prr_a",
                                     "received_c",
                                     "prr_c",
                                     "received_d"}));
    std::vector<double> row{options.second ? 2.0 : 1.0,
                            options.distanceA,
                            options.x,
                            options.offsetMs,
                            -bench.m_channel->GetMeanPathLossDb(1, 0),
                            -bench.m_channel->GetMeanPathLossDb(2, 0),
                            sent,
                            number(bench.received[1]),
                            number(bench.received[1]) / sent,
                            number(bench.received[2]),
                            number(bench.received[2]) / sent,
                            options.second ? number(bench.received[3]) : NOT_A_NUMBER};
    Append(row, bench.RadioOf(0).GetCounts());
    table.Add(row);
    return table.Take();
}

} // namespace

ExperimentTable
RunOverlap(const OverlapOptions& options)
{
    Require(options.distanceA >= 0 && options.x >= 0, "a distance is negative");
    Require(options.packets > 0, "there are no packets to send");
    Require(std::abs(options.offsetMs) <= 100, "the offset is more than 100 ms");

    OverlapBench bench(options.seed, options.payload);
    auto helper = PerfectHelper();
    helper.SetCcaThreshold(50);
    std::vector<Point> points{{0, 0}, {-options.distanceA, 0}, {options.x, 0}};
    if (options.second)
    {
        points.push_back({0, options.x});
    }
    bench.Build(points, WsnHelper::CreateStaticChannel(0, 0), helper);
    constexpr double period = 0.2;
    for (uint32_t k = 0; k < options.packets; ++k)
    {
        const double time = START_DELAY + period * k;
        ExperimentBench::At(time, [&bench, k] { bench.SendPacket(1, 1, k, 1); });
        ExperimentBench::At(time + options.offsetMs / 1e3,
                            [&bench, k] { bench.SendPacket(2, 2, k, 1); });
        if (options.second)
        {
            ExperimentBench::At(time + (options.offsetMs + 0.5) / 1e3,
                                [&bench, k] { bench.SendPacket(3, 3, k, 1); });
        }
    }
    bench.Run(START_DELAY + period * options.packets + 1);

    return TabulateOverlap(options, bench);
}

ExperimentTable
RunBurst(const BurstOptions& options)
{
    Require(options.packets > 0, "there are no packets to send");

    BurstBench bench(options.seed, options.payload);
    bench.Build({{0, 0}, {5, 0}, {0, 5}}, WsnHelper::CreateStaticChannel(0, 0), PerfectHelper());
    bench.m_devices[1]->SetWantsSignalQuality(true);
    const auto burst = [&bench, &options](uint32_t sender, double time) {
        ExperimentBench::At(time, [&bench, &options, sender] {
            for (uint32_t k = 0; k < options.packets; ++k)
            {
                bench.SendPacket(sender, sender, k, 1);
            }
        });
    };
    burst(0, START_DELAY);
    if (options.secondOffsetMs >= 0)
    {
        burst(2, START_DELAY + options.secondOffsetMs / 1e3);
    }
    bench.Run(START_DELAY + 30);
    return bench.table.Take();
}

ExperimentTable
RunSecondPacket(const SecondPacketOptions& options)
{
    Require(options.deltaUs >= 0, "the second packet comes before the first");

    SecondBench bench(0, options.payload);
    bench.Build({{0, 0}, {5, 0}}, WsnHelper::CreateStaticChannel(0, 0), PerfectHelper());
    ExperimentBench::At(START_DELAY, [&bench] { bench.SendPacket(0, 0, 0, 1); });
    // As in Castalia a packet passes the routing layer first, and so comes after a timer of the MAC
    // that fires at the same instant.
    ExperimentBench::At(START_DELAY + options.deltaUs / 1e6, [&bench] {
        ns3::Simulator::ScheduleNow([&bench] { bench.SendPacket(0, 0, 1, 1); });
    });
    bench.Run(START_DELAY + options.deltaUs / 1e6 + 10);

    const auto airTime = bench.RadioOf(0).GetAirTime(BytesOnAir(options.payload));
    const auto& second = bench.m_records.at(1);
    TableWriter table({"delta_us",
                       "second_delay_us",
                       "second_on_air_start_us_after_first_app_send",
                       "gap_between_frames_us"});
    // To 0.1 us: differences of seconds carry rounding noise.
    const auto tidy = [](double us) { return std::round(us * 10) / 10; };
    table.Add(
        {options.deltaUs,
         tidy(1e6 * (second.firstReception - second.sendTime)),
         tidy(static_cast<double>(bench.onAir[1]) / 1e3 - 1e6 * START_DELAY),
         tidy(static_cast<double>(bench.onAir[1] - bench.onAir[0] - airTime.GetNanoSeconds()) /
              1e3)});
    return table.Take();
}

} // namespace mftpubsub
