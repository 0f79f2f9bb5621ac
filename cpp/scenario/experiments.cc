/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "scenario/experiments.h"

#include "wsn/csma-mac.h"
#include "wsn/line-mobility-model.h"
#include "wsn/power.h"
#include "wsn/radio-mode.h"
#include "wsn/radio.h"
#include "wsn/rssi-window.h"
#include "wsn/wireless-channel.h"
#include "wsn/wsn-helper.h"
#include "wsn/wsn-net-device.h"

#include "ns3/double.h"
#include "ns3/node-container.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>

namespace mftpubsub
{

namespace
{

/// EtherType of the experiments' packets (local experimental).
constexpr uint16_t PROTOCOL = 0x88b5;
/// BypassRouting (PARAMETERS), bytes.
constexpr uint32_t NETWORK_OVERHEAD = 10;
/// Delay of the applications before their first packet, s.
constexpr double START_DELAY = 1.0;
/// Streams: the channel, then four a device, traffic and placement far above.
constexpr int64_t CHANNEL_STREAM = 0;
constexpr int64_t DEVICE_STREAMS = 1;
constexpr int64_t TRAFFIC_STREAMS = 1'000'000;
constexpr int64_t PLACEMENT_STREAM = 2'000'000;

constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();

void
Require(bool condition, const char* message)
{
    if (!condition)
    {
        throw std::invalid_argument(message);
    }
}

/// One row after the other into a table.
class TableWriter
{
  public:
    explicit TableWriter(std::vector<std::string> names)
    {
        m_table.columns.resize(names.size());
        m_table.names = std::move(names);
    }

    void Add(const std::vector<double>& row)
    {
        for (size_t i = 0; i < m_table.columns.size(); ++i)
        {
            m_table.columns[i].push_back(row.at(i));
        }
    }

    ExperimentTable Take()
    {
        return std::move(m_table);
    }

  private:
    ExperimentTable m_table;
};

const std::vector<std::string> BREAKDOWN{"rx_no_interf",
                                         "rx_despite_interf",
                                         "fail_no_interf",
                                         "fail_interf",
                                         "fail_non_rx",
                                         "fail_sensitivity",
                                         "fail_modulation"};

std::vector<std::string>
WithBreakdown(std::vector<std::string> names, const std::string& prefix = "")
{
    for (const auto& name : BREAKDOWN)
    {
        names.push_back(prefix + name);
    }
    return names;
}

void
Append(std::vector<double>& row, const SignalCounts& counts)
{
    for (const uint64_t count : counts)
    {
        row.push_back(static_cast<double>(count));
    }
    row.push_back(0); // fail_modulation: there is one modulation only
}

/// A point in the plane, m.
struct Point
{
    double x;
    double y;
};

/// How a source spaces its packets.
enum class Traffic
{
    PERIODIC, //!< strictly
    JITTERED, //!< period * U(0.5, 1.5)
    POISSON
};

/// What is known about a packet in flight.
struct PacketRecord
{
    uint32_t origin;       //!< first sender
    uint32_t sender;       //!< this sender
    uint32_t sequence;     //!< of the origin
    uint32_t hops;         //!< 1 for the origin's own
    double sendTime;       //!< handed to the device, s
    double firstReception; //!< s, NaN: nobody yet
};

/// A network under test. One at a time: it owns ns-3's simulator.
class Bench
{
  public:
    explicit Bench(uint32_t seed)
    {
        ns3::RngSeedManager::SetSeed(1);
        ns3::RngSeedManager::SetRun(seed);
        ns3::RngSeedManager::ResetNextStreamIndex();
        m_placement = ns3::CreateObject<ns3::UniformRandomVariable>();
        m_placement->SetStream(PLACEMENT_STREAM);
    }

    virtual ~Bench()
    {
        m_sources.clear();
        m_devices.clear();
        m_nodes = ns3::NodeContainer();
        m_channel = nullptr;
        ns3::Simulator::Destroy();
    }

    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;

    double Uniform(double high)
    {
        return m_placement->GetValue(0.0, high);
    }

    std::vector<Point> UniformPlacement(uint32_t count, double field)
    {
        std::vector<Point> points(count);
        for (Point& point : points)
        {
            point.x = Uniform(field);
            point.y = Uniform(field);
        }
        return points;
    }

    /// Installs a node at each point, on @p channel.
    void Build(const std::vector<Point>& points,
               ns3::Ptr<WirelessChannel> channel,
               const WsnHelper& helper,
               const std::vector<ns3::Ptr<ns3::MobilityModel>>& mobility = {})
    {
        m_nodes.Create(static_cast<uint32_t>(points.size()));
        for (uint32_t i = 0; i < mobility.size(); ++i)
        {
            m_nodes.Get(i)->AggregateObject(mobility[i]);
        }
        m_channel = channel;
        m_channel->AssignStreams(CHANNEL_STREAM);
        const auto container = helper.Install(m_nodes, m_channel);
        WsnHelper::AssignStreams(container, DEVICE_STREAMS);
        for (uint32_t i = 0; i < container.GetN(); ++i)
        {
            auto device = ns3::DynamicCast<WsnNetDevice>(container.Get(i));
            if (mobility.empty())
            {
                m_channel->SetPosition(i, points[i].x, points[i].y);
            }
            device->SetDirectReceiveCallback(PROTOCOL, [this, i](const WsnFrame& frame, float) {
                Receive(i, frame);
            });
            device->TraceConnectWithoutContext("Transmit",
                                               ns3::MakeCallback(&Bench::OnTransmit, this).Bind(i));
            m_devices.push_back(device);
        }
        m_sent.assign(points.size(), 0);
        m_onAir.assign(points.size(), 0);
    }

    /// A source of packets on node @p index until @p stop (s) or @p limit packets.
    void AddSource(uint32_t index,
                   Traffic traffic,
                   double rate,
                   double stop,
                   uint32_t limit = std::numeric_limits<uint32_t>::max())
    {
        auto source = std::make_unique<Source>();
        source->index = index;
        source->traffic = traffic;
        source->period = 1.0 / rate;
        source->stop = stop;
        source->limit = limit;
        source->uniform = ns3::CreateObject<ns3::UniformRandomVariable>();
        source->uniform->SetStream(TRAFFIC_STREAMS + index);
        const double u = source->uniform->GetValue();
        const double first =
            START_DELAY + source->period * (traffic == Traffic::POISSON ? -std::log(1.0 - u) : u);
        Source* raw = source.get();
        m_sources.push_back(std::move(source));
        const double start = m_devices[index]->GetStartTime().GetSeconds();
        At(start + first * m_devices[index]->GetClockFactor(), [this, raw] { Fire(*raw); });
    }

    template <typename Action>
    static void At(double time, Action action)
    {
        ns3::Simulator::Schedule(ns3::Seconds(time) - ns3::Simulator::Now(), action);
    }

    static double Now()
    {
        return ns3::Simulator::Now().GetSeconds();
    }

    void Run(double until)
    {
        ns3::Simulator::Stop(ns3::Seconds(until) - ns3::Simulator::Now());
        ns3::Simulator::Run();
    }

    /// Hands a packet to node @p index.
    bool SendPacket(uint32_t index, uint32_t origin, uint32_t sequence, uint32_t hops)
    {
        auto packet = ns3::Create<ns3::Packet>(m_payload + NETWORK_OVERHEAD);
        if (m_records.empty())
        {
            m_firstUid = packet->GetUid();
        }
        m_records.push_back({origin, index, sequence, hops, Now(), NOT_A_NUMBER});
        return m_devices[index]->Send(packet, ns3::Mac48Address::GetBroadcast(), PROTOCOL);
    }

    Radio& RadioOf(uint32_t index)
    {
        return *m_devices[index]->GetRadio();
    }

    SignalCounts TotalCounts()
    {
        SignalCounts total{};
        for (const auto& device : m_devices)
        {
            for (size_t i = 0; i < total.size(); ++i)
            {
                total[i] += device->GetRadio()->GetCounts()[i];
            }
        }
        return total;
    }

    /// A packet arrived at node @p receiver.
    virtual void OnReceive(uint32_t /* receiver */, PacketRecord& /* packet */)
    {
    }

    /// A packet goes on the air at node @p sender.
    virtual void OnAir(uint32_t /* sender */, const PacketRecord& /* packet */)
    {
    }

    uint64_t Sum(const std::vector<uint64_t>& counts) const
    {
        uint64_t sum = 0;
        for (const uint64_t count : counts)
        {
            sum += count;
        }
        return sum;
    }

    uint32_t m_payload{100}; //!< bytes
    ns3::Ptr<WirelessChannel> m_channel;
    std::vector<ns3::Ptr<WsnNetDevice>> m_devices;
    std::vector<uint64_t> m_sent;  //!< packets of each source
    std::vector<uint64_t> m_onAir; //!< frames of each node on the air
    std::vector<PacketRecord> m_records;
    uint64_t m_receptions{0};

  private:
    struct Source
    {
        uint32_t index;
        Traffic traffic;
        double period; //!< s
        double stop;   //!< s
        uint32_t limit;
        ns3::Ptr<ns3::UniformRandomVariable> uniform;
    };

    void Fire(Source& source)
    {
        uint64_t& sent = m_sent[source.index];
        if (Now() >= source.stop || sent >= source.limit)
        {
            return;
        }
        SendPacket(source.index, source.index, static_cast<uint32_t>(sent), 1);
        ++sent;
        double interval = source.period;
        if (source.traffic == Traffic::JITTERED)
        {
            interval *= source.uniform->GetValue(0.5, 1.5);
        }
        else if (source.traffic == Traffic::POISSON)
        {
            interval *= -std::log(1.0 - source.uniform->GetValue());
        }
        ns3::Simulator::Schedule(ns3::Seconds(interval * m_devices[source.index]->GetClockFactor()),
                                 [this, &source] { Fire(source); });
    }

    void Receive(uint32_t index, const WsnFrame& frame)
    {
        ++m_receptions;
        PacketRecord& record = m_records[frame.packet->GetUid() - m_firstUid];
        if (std::isnan(record.firstReception))
        {
            record.firstReception = Now();
        }
        OnReceive(index, record);
    }

    void OnTransmit(uint32_t index,
                    ns3::Ptr<const ns3::Packet> packet,
                    uint16_t /* protocol */,
                    ns3::Mac48Address /* destination */,
                    uint32_t /* bytesOnAir */)
    {
        ++m_onAir[index];
        if (!m_records.empty())
        {
            OnAir(index, m_records[packet->GetUid() - m_firstUid]);
        }
    }

    ns3::NodeContainer m_nodes;
    ns3::Ptr<ns3::UniformRandomVariable> m_placement;
    std::vector<std::unique_ptr<Source>> m_sources;
    uint64_t m_firstUid{0};
};

WsnHelper
PerfectHelper()
{
    WsnHelper helper;
    helper.SetPerfectClocks(true);
    return helper;
}

void
CheckPayload(uint32_t payload)
{
    Require(payload + NETWORK_OVERHEAD + WSN_MAC_OVERHEAD + WSN_PHY_OVERHEAD <= WSN_MAX_FRAME,
            "the payload does not fit a frame: at most 999 bytes");
}

/// @return mean delay from hand-over to first reception, ms; NaN if nothing arrived
double
MeanFirstDelayMs(const std::vector<PacketRecord>& records)
{
    double sum = 0;
    uint64_t count = 0;
    for (const PacketRecord& record : records)
    {
        if (!std::isnan(record.firstReception))
        {
            sum += record.firstReception - record.sendTime;
            ++count;
        }
    }
    return count == 0 ? NOT_A_NUMBER : 1e3 * sum / static_cast<double>(count);
}

} // namespace

ExperimentTable
RunLink(const LinkOptions& options)
{
    Require(options.distance >= 0, "the distance is negative");
    Require(options.packets > 0, "there are no packets to send");
    CheckPayload(options.payload);

    struct LinkBench : Bench
    {
        using Bench::Bench;

        void OnReceive(uint32_t receiver, PacketRecord& /* packet */) override
        {
            rssi += RadioOf(receiver).GetLastRssi();
            lqi += RadioOf(receiver).GetLastLqi();
        }

        double rssi{0};
        double lqi{0};
    };

    LinkBench bench(options.seed);
    bench.m_payload = options.payload;
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

    const uint32_t bytes = options.payload + NETWORK_OVERHEAD + WSN_MAC_OVERHEAD + WSN_PHY_OVERHEAD;
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
    CheckPayload(options.payload);

    struct HiddenBench : Bench
    {
        using Bench::Bench;

        void OnReceive(uint32_t receiver, PacketRecord& packet) override
        {
            ++received[receiver][packet.origin];
        }

        uint64_t received[3][3]{};
    };

    HiddenBench bench(options.seed);
    bench.m_payload = options.payload;
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
RunContention(const ContentionOptions& options)
{
    Require(options.nodes > 1, "contention needs two nodes or more");
    Require(options.rate > 0, "the rate is not positive");
    Require(options.duration > 0, "the duration is not positive");
    Require(options.field > 0, "the field is empty");
    CheckPayload(options.payload);

    Bench bench(options.seed);
    bench.m_payload = options.payload;
    bench.Build(bench.UniformPlacement(options.nodes, options.field),
                WsnHelper::CreateStaticChannel(0, 0),
                WsnHelper());
    const double stop = START_DELAY + options.duration;
    for (uint32_t i = 0; i < options.nodes; ++i)
    {
        bench.AddSource(i, Traffic::POISSON, options.rate, stop);
    }
    bench.Run(stop);

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
    const auto offered = static_cast<double>(bench.Sum(bench.m_sent));
    const auto sent = static_cast<double>(macSent);
    const auto receptions = static_cast<double>(bench.m_receptions);
    const double delay = MeanFirstDelayMs(bench.m_records);
    const double airMs = 1e3 * bench.RadioOf(0)
                                   .GetAirTime(options.payload + NETWORK_OVERHEAD +
                                               WSN_MAC_OVERHEAD + WSN_PHY_OVERHEAD)
                                   .GetSeconds();
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
                            static_cast<double>(bench.Sum(bench.m_onAir)),
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
RunShadowing(const ShadowingOptions& options)
{
    Require(options.nodes > 1, "shadowing needs two nodes or more");
    Require(options.field > 0, "the field is empty");
    CheckPayload(options.payload);

    struct ShadowingBench : Bench
    {
        using Bench::Bench;

        void OnReceive(uint32_t receiver, PacketRecord& packet) override
        {
            ++received[packet.origin * m_devices.size() + receiver];
        }

        std::vector<uint32_t> received;
    };

    ShadowingBench bench(options.seed);
    bench.m_payload = options.payload;
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
            Bench::At(time, [&bench, i, k] { bench.SendPacket(i, i, k, 1); });
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
    CheckPayload(options.payload);

    const std::clock_t begin = std::clock();
    Bench bench(options.seed);
    bench.m_payload = options.payload;
    const auto points = bench.UniformPlacement(options.nodes, options.field);
    std::vector<ns3::Ptr<ns3::MobilityModel>> mobility;
    for (const Point& point : points)
    {
        auto line = ns3::CreateObject<LineMobilityModel>();
        const double x = bench.Uniform(options.field);
        const double y = bench.Uniform(options.field);
        line->SetLine({point.x, point.y, 0}, {x, y, 0}, options.speed);
        mobility.push_back(line);
    }
    bench.Build(points,
                WsnHelper::CreateMobileChannel(options.field,
                                               options.field,
                                               options.sigma,
                                               options.bidirectionalSigma),
                WsnHelper(),
                mobility);
    const double stop = START_DELAY + options.duration;
    for (uint32_t i = 0; i < options.nodes; ++i)
    {
        bench.AddSource(i, Traffic::JITTERED, options.rate, stop);
    }
    bench.Run(stop);
    const auto events = static_cast<double>(ns3::Simulator::GetEventCount());
    const double cpu = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;

    const auto sent = static_cast<double>(bench.Sum(bench.m_sent));
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
    CheckPayload(options.payload);

    struct FloodBench : Bench
    {
        using Bench::Bench;

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

    FloodBench bench(options.seed);
    bench.m_payload = options.payload;
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

ExperimentTable
RunCcaLatency(const CcaLatencyOptions& options)
{
    Require(options.distance >= 0, "the distance is negative");
    Require(options.trials > 0, "there are no trials");
    CheckPayload(options.payload);

    struct LatencyBench : Bench
    {
        using Bench::Bench;

        void OnAir(uint32_t sender, const PacketRecord& packet) override
        {
            if (sender == 1)
            {
                deferred[packet.sequence] = Now() - packet.sendTime > 10.5e-6;
            }
        }

        std::vector<bool> deferred;
    };

    LatencyBench bench(options.seed);
    bench.m_payload = options.payload;
    bench.deferred.assign(options.trials, true);
    bench.Build({{0, 0}, {options.distance, 0}},
                WsnHelper::CreateStaticChannel(0, 0),
                PerfectHelper());
    constexpr double spacing = 1.0;
    for (uint32_t i = 0; i < options.trials; ++i)
    {
        const double time = START_DELAY + spacing * i;
        Bench::At(time, [&bench, i] { bench.SendPacket(0, 0, i, 1); });
        Bench::At(time + 1e-6 * (i + 0.5), [&bench, i] { bench.SendPacket(1, 1, i, 1); });
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

ExperimentTable
RunOverlap(const OverlapOptions& options)
{
    Require(options.distanceA >= 0 && options.x >= 0, "a distance is negative");
    Require(options.packets > 0, "there are no packets to send");
    Require(std::abs(options.offsetMs) <= 100, "the offset is more than 100 ms");
    CheckPayload(options.payload);

    struct OverlapBench : Bench
    {
        using Bench::Bench;

        void OnReceive(uint32_t receiver, PacketRecord& packet) override
        {
            if (receiver == 0)
            {
                ++received[packet.origin];
            }
        }

        uint64_t received[4]{};
    };

    OverlapBench bench(options.seed);
    bench.m_payload = options.payload;
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
        Bench::At(time, [&bench, k] { bench.SendPacket(1, 1, k, 1); });
        Bench::At(time + options.offsetMs / 1e3, [&bench, k] { bench.SendPacket(2, 2, k, 1); });
        if (options.second)
        {
            Bench::At(time + (options.offsetMs + 0.5) / 1e3,
                      [&bench, k] { bench.SendPacket(3, 3, k, 1); });
        }
    }
    bench.Run(START_DELAY + period * options.packets + 1);

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

ExperimentTable
RunBurst(const BurstOptions& options)
{
    Require(options.packets > 0, "there are no packets to send");
    CheckPayload(options.payload);

    struct BurstBench : Bench
    {
        using Bench::Bench;

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
                           RadioOf(1).GetLastRssi(),
                           RadioOf(1).GetLastLqi()});
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

    BurstBench bench(options.seed);
    bench.m_payload = options.payload;
    bench.Build({{0, 0}, {5, 0}, {0, 5}}, WsnHelper::CreateStaticChannel(0, 0), PerfectHelper());
    bench.m_devices[1]->SetWantsSignalQuality(true);
    const auto burst = [&bench, &options](uint32_t sender, double time) {
        Bench::At(time, [&bench, &options, sender] {
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
    CheckPayload(options.payload);

    struct SecondBench : Bench
    {
        using Bench::Bench;

        void OnAir(uint32_t /* sender */, const PacketRecord& packet) override
        {
            onAir[packet.sequence] = ns3::Simulator::Now().GetNanoSeconds();
        }

        int64_t onAir[2]{};
    };

    SecondBench bench(0);
    bench.m_payload = options.payload;
    bench.Build({{0, 0}, {5, 0}}, WsnHelper::CreateStaticChannel(0, 0), PerfectHelper());
    Bench::At(START_DELAY, [&bench] { bench.SendPacket(0, 0, 0, 1); });
    // As in Castalia a packet passes the routing layer first, and so comes after a timer of the MAC
    // that fires at the same instant.
    Bench::At(START_DELAY + options.deltaUs / 1e6, [&bench] {
        ns3::Simulator::ScheduleNow([&bench] { bench.SendPacket(0, 0, 1, 1); });
    });
    bench.Run(START_DELAY + options.deltaUs / 1e6 + 10);

    const auto airTime = bench.RadioOf(0).GetAirTime(options.payload + NETWORK_OVERHEAD +
                                                     WSN_MAC_OVERHEAD + WSN_PHY_OVERHEAD);
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

ExperimentTable
RunReplay(const ReplayOptions& options)
{
    Require(options.field > 0, "the field is empty");
    Require(options.lossFrom.size() == options.lossTo.size() &&
                options.lossFrom.size() == options.lossDb.size() &&
                options.positionTime.size() == options.positionNode.size() &&
                options.positionTime.size() == options.positionX.size() &&
                options.positionTime.size() == options.positionY.size() &&
                options.txTime.size() == options.txNode.size(),
            "the columns of a file differ in length");
    Require(!options.positionNode.empty(), "there are no positions");
    Require(std::is_sorted(options.positionTime.begin(), options.positionTime.end()),
            "the positions are not in order of time");
    Require(std::is_sorted(options.txTime.begin(), options.txTime.end()),
            "the transmissions are not in order of time");
    CheckPayload(options.payload);
    const uint32_t nodes =
        *std::max_element(options.positionNode.begin(), options.positionNode.end()) + 1;
    for (const uint32_t node : options.txNode)
    {
        Require(node < nodes, "a transmission of a node that has no position");
    }

    struct ReplayBench : Bench
    {
        using Bench::Bench;

        void OnSignal(uint32_t receiver, uint64_t frame, SignalOutcome outcome)
        {
            const Radio& radio = RadioOf(receiver);
            const double success = radio.GetLastSuccess();
            const bool received = success == 1.0 || (success > 0 && Uniform(1.0) <= success);
            const auto& [node, sequence, start] = frames[frame];
            table.Add({static_cast<double>(receiver),
                       static_cast<double>(node),
                       static_cast<double>(sequence),
                       start,
                       success > 0 ? radio.GetLastRssi() : NOT_A_NUMBER,
                       success > 0 ? radio.GetLastLqi() : NOT_A_NUMBER,
                       success,
                       static_cast<double>(outcome),
                       received ? 1.0 : 0.0});
        }

        struct Frame
        {
            uint32_t node;
            uint32_t sequence;
            double start; //!< s
        };

        std::vector<Frame> frames; //!< in the order in which they go on the air
        TableWriter table{{"rx",
                           "src",
                           "seq",
                           "on_air_start_s",
                           "rssi_dbm",
                           "min_sinr_db",
                           "success_probability",
                           "outcome",
                           "received"}};
    };

    ReplayBench bench(options.seed);
    auto channel = WsnHelper::CreateMobileChannel(options.field, options.field, 0, 0);
    channel->SetAttribute("CellSize", ns3::DoubleValue(options.cellSize));
    std::vector<PathLossEntry> losses;
    losses.reserve(options.lossFrom.size());
    for (size_t i = 0; i < options.lossFrom.size(); ++i)
    {
        losses.push_back(
            {options.lossFrom[i], options.lossTo[i], static_cast<float>(options.lossDb[i])});
    }
    channel->SetPathLossTable(losses);
    bench.Build(std::vector<Point>(nodes, {0, 0}), channel, PerfectHelper());
    for (uint32_t i = 0; i < nodes; ++i)
    {
        Radio& radio = bench.RadioOf(i);
        bench.m_devices[i]->SetDirectReceiveCallback(0,
                                                     nullptr); // only signals are of interest here
        bench.m_devices[i]->SetReceiveCallback({});
        bench.m_devices[i]->SetWantsSignalQuality(true);
        radio.SetForecast(true);
        radio.TraceConnectWithoutContext("SignalEnd",
                                         ns3::MakeCallback(&ReplayBench::OnSignal, &bench).Bind(i));
    }

    // Positions: one event per instant, which schedules the next.
    size_t position = 0;
    std::function<void()> place = [&] {
        const double time = options.positionTime[position];
        for (; position < options.positionTime.size() && options.positionTime[position] == time;
             ++position)
        {
            channel->SetPosition(options.positionNode[position],
                                 options.positionX[position],
                                 options.positionY[position]);
        }
        if (position < options.positionTime.size())
        {
            Bench::At(options.positionTime[position], [&place] { place(); });
        }
    };
    place();
    const auto bytes = options.payload + NETWORK_OVERHEAD + WSN_MAC_OVERHEAD + WSN_PHY_OVERHEAD;
    std::vector<uint32_t> sequences(nodes, 0);
    size_t next = 0;
    const double turnaround =
        1e-9 * static_cast<double>(bench.RadioOf(0).GetMode().rxTxTurnaroundNs);
    std::function<void()> transmit = [&] {
        const uint32_t node = options.txNode[next];
        bench.frames.push_back({node, sequences[node]++, options.txTime[next]});
        bench.RadioOf(node).Send(
            {.packet = ns3::Create<ns3::Packet>(options.payload + NETWORK_OVERHEAD),
             .source = ns3::Mac48Address(),
             .destination = ns3::Mac48Address::GetBroadcast(),
             .protocol = PROTOCOL,
             .bytesOnAir = bytes});
        if (++next < options.txTime.size())
        {
            Bench::At(options.txTime[next] - turnaround, [&transmit] { transmit(); });
        }
    };
    double end = options.positionTime.back();
    if (!options.txTime.empty())
    {
        Require(options.txTime.front() > turnaround, "the first transmission is too early");
        Bench::At(options.txTime.front() - turnaround, [&transmit] { transmit(); });
        end = std::max(end, options.txTime.back());
    }
    bench.Run(end + 1);
    return bench.table.Take();
}

} // namespace mftpubsub
