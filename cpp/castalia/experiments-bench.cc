/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "castalia/experiments-bench.h"

#include "ns3/rng-seed-manager.h"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace mftpubsub
{

namespace
{

/// Streams: the channel's, then four a device; placement is far above those of the sources.
constexpr int64_t CHANNEL_STREAM = 0;
constexpr int64_t DEVICE_STREAMS = 1;
constexpr int64_t PLACEMENT_STREAM = 2'000'000;

} // namespace

void
Require(bool condition, const char* message)
{
    if (!condition)
    {
        throw std::invalid_argument(message);
    }
}

TableWriter::TableWriter(std::vector<std::string> names)
{
    m_table.columns.resize(names.size());
    m_table.names = std::move(names);
}

void
TableWriter::Add(const std::vector<double>& row)
{
    for (size_t i = 0; i < m_table.columns.size(); ++i)
    {
        m_table.columns[i].push_back(row.at(i));
    }
}

ExperimentTable
TableWriter::Take()
{
    return std::move(m_table);
}

std::vector<std::string>
WithBreakdown(std::vector<std::string> names, const std::string& prefix)
{
    for (const char* name : {"rx_no_interf",
                             "rx_despite_interf",
                             "fail_no_interf",
                             "fail_interf",
                             "fail_non_rx",
                             "fail_sensitivity",
                             "fail_modulation"})
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

WsnHelper
PerfectHelper()
{
    WsnHelper helper;
    helper.SetPerfectClocks(true);
    return helper;
}

ExperimentBench::ExperimentBench(uint32_t seed, uint32_t payload)
    : m_payload(payload)
{
    Require(BytesOnAir(payload) <= WSN_MAX_FRAME,
            "the payload does not fit a frame: at most 999 bytes");
    ns3::RngSeedManager::SetSeed(1);
    ns3::RngSeedManager::SetRun(seed);
    ns3::RngSeedManager::ResetNextStreamIndex();
    m_placement = ns3::CreateObject<ns3::UniformRandomVariable>();
    m_placement->SetStream(PLACEMENT_STREAM);
}

ExperimentBench::~ExperimentBench()
{
    m_sources.clear();
    m_devices.clear();
    m_nodes = ns3::NodeContainer();
    m_channel = nullptr;
    ns3::Simulator::Destroy();
}

double
ExperimentBench::Uniform(double high)
{
    return m_placement->GetValue(0.0, high);
}

std::vector<Point>
ExperimentBench::UniformPlacement(uint32_t count, double field)
{
    std::vector<Point> points(count);
    for (Point& point : points)
    {
        point.x = Uniform(field);
        point.y = Uniform(field);
    }
    return points;
}

void
ExperimentBench::Build(const std::vector<Point>& points,
                       ns3::Ptr<WirelessChannel> channel,
                       const WsnHelper& helper,
                       const std::vector<ns3::Ptr<ns3::MobilityModel>>& mobility)
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
            m_channel->SetPosition(i, {points[i].x, points[i].y});
        }
        device->SetDirectReceiveCallback(
            EXPERIMENT_PROTOCOL,
            [this, i](const WsnFrame& frame, float) { Receive(i, frame); });
        device->TraceConnectWithoutContext(
            "Transmit",
            ns3::MakeCallback(&ExperimentBench::OnTransmit, this).Bind(i));
        m_devices.push_back(device);
    }
    m_sent.assign(points.size(), 0);
    m_onAir.assign(points.size(), 0);
}

void
ExperimentBench::AddSource(uint32_t index,
                           Traffic traffic,
                           double rate,
                           double stop,
                           uint32_t limit)
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

double
ExperimentBench::Now()
{
    return ns3::Simulator::Now().GetSeconds();
}

void
ExperimentBench::Run(double until)
{
    ns3::Simulator::Stop(ns3::Seconds(until) - ns3::Simulator::Now());
    ns3::Simulator::Run();
}

bool
ExperimentBench::SendPacket(uint32_t index, uint32_t origin, uint32_t sequence, uint32_t hops)
{
    auto packet = ns3::Create<ns3::Packet>(m_payload + NETWORK_OVERHEAD);
    if (m_records.empty())
    {
        m_firstUid = packet->GetUid();
    }
    m_records.push_back({origin, index, sequence, hops, Now(), NOT_A_NUMBER});
    return m_devices[index]->Send(packet, ns3::Mac48Address::GetBroadcast(), EXPERIMENT_PROTOCOL);
}

SignalCounts
ExperimentBench::TotalCounts()
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

void
ExperimentBench::Fire(Source& source)
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

void
ExperimentBench::Receive(uint32_t index, const WsnFrame& frame)
{
    ++m_receptions;
    PacketRecord& record = m_records[frame.packet->GetUid() - m_firstUid];
    if (std::isnan(record.firstReception))
    {
        record.firstReception = Now();
    }
    OnReceive(index, record);
}

void
ExperimentBench::OnTransmit(uint32_t index,
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

} // namespace mftpubsub
