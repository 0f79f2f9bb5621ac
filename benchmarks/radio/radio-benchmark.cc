/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Castalia's scenario s5 (moving nodes that broadcast once a second) on this project's radio or on
 * ns-3's lr-wpan. One run, one line of JSON.
 */
#include "castalia/experiments.h"
#include "wsn/line-mobility-model.h"

#include "ns3/double.h"
#include "ns3/lr-wpan-helper.h"
#include "ns3/lr-wpan-mac.h"
#include "ns3/lr-wpan-net-device.h"
#include "ns3/lr-wpan-phy.h"
#include "ns3/node-container.h"
#include "ns3/propagation-delay-model.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/single-model-spectrum-channel.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <sys/resource.h>

namespace
{

using namespace mftpubsub;

constexpr double START = 1.0; //!< s, as in s5

/// What a run did.
struct Work
{
    double frames{0};     //!< put on the air
    double signals{0};    //!< frames times those who got some of their power
    double receptions{0}; //!< frames handed to a node
};

Work
RunOurs(const BroadcastOptions& options)
{
    const auto table = RunBroadcast(options);
    std::map<std::string, double> row;
    for (size_t i = 0; i < table.names.size(); ++i)
    {
        row[table.names[i]] = table.columns[i].at(0);
    }
    double signals = 0;
    for (const char* outcome : {"rx_no_interf",
                                "rx_despite_interf",
                                "fail_no_interf",
                                "fail_interf",
                                "fail_non_rx",
                                "fail_sensitivity"})
    {
        signals += row.at(outcome);
    }
    return {row.at("sent"), signals, row.at("receptions")};
}

/// Nodes placed and moving alike, the same traffic, power and mean path loss on lr-wpan, without
/// shadowing: ns-3 has none that belongs to a place, and a draw for each signal would only slow
/// lr-wpan down.
class LrWpanBench
{
  public:
    explicit LrWpanBench(const BroadcastOptions& options)
        : m_options(options)
    {
        ns3::RngSeedManager::SetRun(options.seed);
        m_nodes.Create(options.nodes);
        for (auto node = m_nodes.Begin(); node != m_nodes.End(); ++node)
        {
            const auto line = ns3::CreateObject<LineMobilityModel>();
            const ns3::Vector start = RandomPlace();
            line->SetLine(start, RandomPlace(), options.speed);
            (*node)->AggregateObject(line);
        }
        const auto channel = ns3::CreateObject<ns3::SingleModelSpectrumChannel>();
        channel->SetAttribute("MaxLossDb", ns3::DoubleValue(100)); // as ours: not below -100 dBm
        channel->AddPropagationLossModel(
            ns3::CreateObjectWithAttributes<ns3::LogDistancePropagationLossModel>(
                "Exponent",
                ns3::DoubleValue(2.4),
                "ReferenceLoss",
                ns3::DoubleValue(55)));
        channel->SetPropagationDelayModel(
            ns3::CreateObject<ns3::ConstantSpeedPropagationDelayModel>());
        m_helper.SetChannel(channel);
        const auto devices = m_helper.Install(m_nodes);
        m_helper.CreateAssociatedPan(devices, 0);
        for (uint32_t i = 0; i < options.nodes; ++i)
        {
            const auto device = ns3::DynamicCast<ns3::lrwpan::LrWpanNetDevice>(devices.Get(i));
            device->GetPhy()->SetRxSensitivity(-95);
            Count(device->GetPhy(), "PhyTxBegin", [this] { ++m_work.frames; });
            Count(device->GetPhy(), "PhyRxBegin", [this] { ++m_work.signals; });
            Count(device->GetMac(), "MacRx", [this] { ++m_work.receptions; });
            Later(START + m_uniform->GetValue(), device->GetMac());
        }
    }

    ~LrWpanBench()
    {
        ns3::Simulator::Destroy();
    }

    LrWpanBench(const LrWpanBench&) = delete;
    LrWpanBench& operator=(const LrWpanBench&) = delete;

    Work Run()
    {
        ns3::Simulator::Stop(ns3::Seconds(START + m_options.duration));
        ns3::Simulator::Run();
        return m_work;
    }

  private:
    ns3::Vector RandomPlace()
    {
        const double x = m_uniform->GetValue(0, m_options.field);
        return {x, m_uniform->GetValue(0, m_options.field), 0};
    }

    void Count(const ns3::Ptr<ns3::Object>& object,
               const std::string& source,
               const std::function<void()>& count)
    {
        object->TraceConnectWithoutContext(
            source,
            ns3::Callback<void, ns3::Ptr<const ns3::Packet>>([count](auto) { count(); }));
    }

    void Later(double seconds, const ns3::Ptr<ns3::lrwpan::LrWpanMac>& mac)
    {
        ns3::Simulator::Schedule(ns3::Seconds(seconds), [this, mac] { Send(mac); });
    }

    void Send(const ns3::Ptr<ns3::lrwpan::LrWpanMac>& mac)
    {
        ns3::lrwpan::McpsDataRequestParams request;
        request.m_srcAddrMode = ns3::lrwpan::SHORT_ADDR;
        request.m_dstAddrMode = ns3::lrwpan::SHORT_ADDR;
        request.m_dstPanId = 0;
        request.m_dstAddr = ns3::Mac16Address("ff:ff");
        mac->McpsDataRequest(request, ns3::Create<ns3::Packet>(m_options.payload + 10));
        Later((0.5 + m_uniform->GetValue()) / m_options.rate, mac);
    }

    BroadcastOptions m_options;
    ns3::Ptr<ns3::UniformRandomVariable> m_uniform{ns3::CreateObject<ns3::UniformRandomVariable>()};
    ns3::NodeContainer m_nodes;
    ns3::LrWpanHelper m_helper; //!< disposes of the channel when it goes
    Work m_work;
};

double
CpuSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

} // namespace

int
main(int argc, char* argv[])
{
    const std::string radio = argc > 1 ? argv[1] : "";
    if (argc != 6 || (radio != "ours" && radio != "lr-wpan"))
    {
        std::fprintf(stderr, "usage: %s ours|lr-wpan NODES FIELD_M SECONDS SEED\n", argv[0]);
        return 2;
    }
    BroadcastOptions options;
    options.nodes = static_cast<uint32_t>(std::atoi(argv[2]));
    options.field = std::atof(argv[3]);
    options.duration = std::atof(argv[4]);
    options.seed = static_cast<uint32_t>(std::atoi(argv[5]));
    const double start = CpuSeconds();
    const Work work = radio == "ours" ? RunOurs(options) : LrWpanBench(options).Run();
    const double cpu = CpuSeconds() - start;
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    std::printf("{\"cpu_s\": %.6f, \"frames\": %.0f, \"signals\": %.0f, \"receptions\": %.0f, "
                "\"peak_mib\": %.1f}\n",
                cpu,
                work.frames,
                work.signals,
                work.receptions,
                static_cast<double>(usage.ru_maxrss) / 1024);
    return 0;
}
