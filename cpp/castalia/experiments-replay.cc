/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Given transmissions over given path losses (s5_replay).
 */
#include "castalia/experiments-bench.h"

#include "ns3/double.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mftpubsub
{

namespace
{

/// A row for each signal at each receiver.
struct ReplayBench : ExperimentBench
{
    using ExperimentBench::ExperimentBench;

    void OnSignal(uint32_t receiver, uint64_t frame, const EndedSignal& ended)
    {
        const double success = ended.success;
        const bool received = success == 1.0 || (success > 0 && Uniform(1.0) <= success);
        const auto& [node, sequence, start] = frames[frame];
        table.Add({static_cast<double>(receiver),
                   static_cast<double>(node),
                   static_cast<double>(sequence),
                   start,
                   success > 0 ? ended.rssiDbm : NOT_A_NUMBER,
                   success > 0 ? ended.lqiDb : NOT_A_NUMBER,
                   success,
                   static_cast<double>(ended.outcome),
                   received ? 1.0 : 0.0});
    }

    /// Places nodes as @p options say from row @p next on; one event an instant, which schedules
    /// the next.
    void Place(const ReplayOptions& options, size_t next)
    {
        const double time = options.positionTime[next];
        for (; next < options.positionTime.size() && options.positionTime[next] == time; ++next)
        {
            m_channel->SetPosition(options.positionNode[next],
                                   {options.positionX[next], options.positionY[next]});
        }
        if (next < options.positionTime.size())
        {
            At(options.positionTime[next], [this, &options, next] { Place(options, next); });
        }
    }

    /// Sends what row @p next of @p options says, and has the next one sent.
    void Transmit(const ReplayOptions& options, size_t next, double turnaround)
    {
        const uint32_t node = options.txNode[next];
        frames.push_back({node, sequences[node]++, options.txTime[next]});
        RadioOf(node).Send({.packet = ns3::Create<ns3::Packet>(options.payload + NETWORK_OVERHEAD),
                            .source = ns3::Mac48Address(),
                            .destination = ns3::Mac48Address::GetBroadcast(),
                            .protocol = EXPERIMENT_PROTOCOL,
                            .bytesOnAir = BytesOnAir(options.payload)});
        if (++next < options.txTime.size())
        {
            At(options.txTime[next] - turnaround,
               [this, &options, next, turnaround] { Transmit(options, next, turnaround); });
        }
    }

    struct Frame
    {
        uint32_t node;
        uint32_t sequence;
        double start; //!< s
    };

    std::vector<uint32_t> sequences; //!< of each node, the next
    std::vector<Frame> frames;       //!< in the order in which they go on the air
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

/// @return the number of nodes
uint32_t
CheckReplay(const ReplayOptions& options)
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
    const uint32_t nodes =
        *std::max_element(options.positionNode.begin(), options.positionNode.end()) + 1;
    for (const uint32_t node : options.txNode)
    {
        Require(node < nodes, "a transmission of a node that has no position");
    }
    return nodes;
}

std::vector<PathLossEntry>
ListLosses(const ReplayOptions& options)
{
    std::vector<PathLossEntry> losses;
    losses.reserve(options.lossFrom.size());
    for (size_t i = 0; i < options.lossFrom.size(); ++i)
    {
        losses.push_back(
            {options.lossFrom[i], options.lossTo[i], static_cast<float>(options.lossDb[i])});
    }
    return losses;
}

} // namespace

ExperimentTable
RunReplay(const ReplayOptions& options)
{
    const uint32_t nodes = CheckReplay(options);
    ReplayBench bench(options.seed, options.payload);
    auto channel = WsnHelper::CreateMobileChannel(options.field, options.field, 0, 0);
    channel->SetAttribute("CellSize", ns3::DoubleValue(options.cellSize));
    channel->SetPathLossTable(ListLosses(options));
    bench.Build(std::vector<Point>(nodes, {0, 0}), channel, PerfectHelper());
    for (uint32_t i = 0; i < nodes; ++i)
    {
        bench.m_devices[i]->SetDirectReceiveCallback(0,
                                                     nullptr); // only signals are of interest here
        bench.m_devices[i]->SetReceiveCallback({});
        bench.m_devices[i]->SetWantsSignalQuality(true);
        bench.RadioOf(i).GetReceiver().SetForecast(true);
    }
    channel->TraceConnectWithoutContext("SignalEnd",
                                        ns3::MakeCallback(&ReplayBench::OnSignal, &bench));

    bench.sequences.assign(nodes, 0);
    bench.Place(options, 0);
    const double turnaround =
        1e-9 * static_cast<double>(bench.RadioOf(0).GetMode().rxTxTurnaroundNs);
    double end = options.positionTime.back();
    if (!options.txTime.empty())
    {
        Require(options.txTime.front() > turnaround, "the first transmission is too early");
        ExperimentBench::At(options.txTime.front() - turnaround,
                            [&] { bench.Transmit(options, 0, turnaround); });
        end = std::max(end, options.txTime.back());
    }
    bench.Run(end + 1);
    return bench.table.Take();
}

} // namespace mftpubsub
