/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run/network.h"

#include "hosts/node-address.h"
#include "run/given-nodes.h"
#include "run/mobility.h"
#include "run/traffic.h"
#include "scenario/streams.h"
#include "wsn/csma-mac.h"
#include "wsn/radio.h"
#include "wsn/wsn-helper.h"
#include "wsn/wsn-net-device.h"

#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <stdexcept>
#include <tuple>

namespace mftpubsub
{

namespace
{

const ns3::Time PROGRESS_INTERVAL = ns3::Seconds(1);

ns3::Time
ToTime(double seconds)
{
    return ns3::NanoSeconds(std::llround(seconds * 1e9));
}

double
GetCpuSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

} // namespace

Network::Network(const Scenario& scenario,
                 TraceBlockSink trace,
                 const std::optional<ns3::NodeContainer>& nodes)
    : m_scenario(scenario),
      m_trace([sink = std::move(trace)](const char* text, size_t bytes) {
          sink(reinterpret_cast<uintptr_t>(text), bytes);
      }),
      m_nodes(nodes ? CheckGivenNodes(*nodes, scenario) : ns3::NodeContainer()),
      m_simulator(scenario.seed)
{
    if (!nodes)
    {
        m_nodes.Create(static_cast<uint32_t>(scenario.nodes.size()));
    }
    InstallMobility(scenario, m_nodes);
    InstallDevices();
    for (NodeId id = 0; id < scenario.nodes.size(); ++id)
    {
        m_trace.Role(id, GetRoles(scenario.nodes[id]));
        for (const auto& text : scenario.nodes[id].filters)
        {
            m_registry.Subscribe(id, Filter::Parse(text));
        }
    }
    m_reachability.emplace(
        static_cast<NodeId>(scenario.nodes.size()),
        [this](NodeId from) { return m_channel->GetUsableLinks(from); },
        [this](NodeId subscriber, EventId event) { m_trace.Reachable(subscriber, event); });
    m_channel->TraceConnectWithoutContext(
        "PositionsUpdated",
        ns3::MakeCallback(&Reachability::LinksChanged, &*m_reachability));
    m_stack = MakeStack({m_scenario, m_nodes, m_devices, m_trace});
    StartTraffic();
    ScheduleFaults();
}

void
Network::InstallDevices()
{
    const auto byPair = CanMove(m_nodes) ? WirelessChannel::MOVING_PAIRS : WirelessChannel::STATIC;
    m_channel = ns3::CreateObjectWithAttributes<WirelessChannel>(
        "Mode",
        ns3::EnumValue(m_scenario.isShadowingPerCell ? WirelessChannel::MOBILE : byPair),
        "FieldX",
        ns3::DoubleValue(m_scenario.areaXMetres),
        "FieldY",
        ns3::DoubleValue(m_scenario.areaYMetres),
        "CellSize",
        ns3::DoubleValue(m_scenario.cellMetres),
        "Sigma",
        ns3::DoubleValue(m_scenario.shadowingSigmaDb),
        "BidirectionalSigma",
        ns3::DoubleValue(m_scenario.bidirectionalSigmaDb),
        "Exponent",
        ns3::DoubleValue(m_scenario.pathLossExponent),
        "ReferenceLoss",
        ns3::DoubleValue(m_scenario.referenceLossDb),
        "DeliveryThreshold",
        ns3::DoubleValue(m_scenario.deliveryThresholdDbm),
        "UpdateInterval",
        ns3::TimeValue(ToTime(m_scenario.positionIntervalSeconds)));
    m_channel->AssignStreams(STREAM_SHADOWING);
    WsnHelper wsn;
    wsn.SetTxPower(m_scenario.txPowerDbm);
    wsn.SetCcaThreshold(m_scenario.ccaThresholdDbm);
    m_devices = wsn.Install(m_nodes, m_channel);
    WsnHelper::AssignStreams(m_devices, STREAM_DEVICE);
    for (NodeId id = 0; id < m_scenario.nodes.size(); ++id)
    {
        const auto device = ns3::DynamicCast<WsnNetDevice>(m_devices.Get(id));
        device->SetAddress(ToMacAddress(id));
        device->SetAttribute("StartupWindow",
                             ns3::TimeValue(ns3::Seconds(m_scenario.startupSpreadSeconds)));
        device->SetAttribute("ClockDriftSigma", ns3::DoubleValue(m_scenario.clockDriftSigma));
        device->GetRadio()->SetAttribute("BufferSize", ns3::UintegerValue(m_scenario.radioBuffer));
        const auto mac = device->GetMac();
        mac->SetAttribute("BufferSize", ns3::UintegerValue(m_scenario.macBuffer));
        mac->SetAttribute("BackoffBase", ns3::TimeValue(ToTime(m_scenario.backoffBaseSeconds)));
        mac->SetAttribute("RetryDelay", ns3::TimeValue(ToTime(m_scenario.retryDelaySeconds)));
    }
}

void
Network::StartTraffic()
{
    for (NodeId id = 0; id < m_scenario.nodes.size(); ++id)
    {
        const auto& spec = m_scenario.nodes[id];
        if (!spec.isPublisher)
        {
            continue;
        }
        m_sources.push_back(
            std::make_unique<EventSource>(id,
                                          MakeTraffic(spec.publisher),
                                          STREAM_TRAFFIC + id,
                                          [this, id](const EventPtr& e) { Publish(id, e); }));
    }
}

void
Network::ScheduleFaults()
{
    if (m_scenario.crashes.empty() && m_scenario.blackouts.empty() && m_scenario.partitions.empty())
    {
        return;
    }
    m_faults.emplace(m_scenario,
                     m_trace,
                     Faults::Handlers{[this](NodeId id) { Crash(id); },
                                      [this](NodeId id) { Restart(id); },
                                      [this] { m_reachability->LinksChanged(); }});
    m_channel->SetLinkFilter([this](uint32_t from, uint32_t to) {
        return m_faults->IsCut(static_cast<NodeId>(from), static_cast<NodeId>(to));
    });
}

void
Network::Crash(NodeId id)
{
    m_stack->Crash(id);
    ns3::DynamicCast<WsnNetDevice>(m_devices.Get(id))->SetOn(false);
}

void
Network::Restart(NodeId id)
{
    ns3::DynamicCast<WsnNetDevice>(m_devices.Get(id))->SetOn(true);
    const auto stream = STREAM_RESTART + (int64_t{++m_restarts[id]} << 16) + id;
    m_stack->Restart(id, stream);
}

void
Network::Publish(NodeId publisher, const EventPtr& event)
{
    if (m_faults && m_faults->IsDown(publisher))
    {
        return;
    }
    const auto subscribers = m_registry.WhoWants(*event);
    m_trace.Published(publisher, *event);
    for (const auto subscriber : subscribers)
    {
        m_trace.Sent(publisher, event->id, subscriber);
    }
    m_reachability->Published(publisher, event->id, subscribers);
    m_stack->Publish(publisher, event, subscribers);
}

void
Network::ReportProgress(const ProgressCallback& progress, const Observer& observer)
{
    const auto seconds = ns3::Simulator::Now().GetSeconds();
    const auto wish = progress(seconds);
    if (wish == WISH_STOP)
    {
        StopEarly();
        return;
    }
    if (wish == WISH_LOOK)
    {
        Observe(seconds, observer);
    }
    ns3::Simulator::Schedule(PROGRESS_INTERVAL,
                             [this, &progress, &observer] { ReportProgress(progress, observer); });
}

void
Network::StopEarly()
{
    m_wasStopped = true;
    ns3::Simulator::Stop();
}

void
Network::Observe(double seconds, const Observer& observer)
{
    if (!m_wasStopped && !observer(TakeSnapshot(seconds)))
    {
        StopEarly();
    }
}

Snapshot
Network::TakeSnapshot(double seconds)
{
    Snapshot snapshot;
    snapshot.seconds = seconds;
    snapshot.counters = m_trace.GetCounters([this] { m_stack->NoteRemaining(); });
    const auto nodes = static_cast<NodeId>(m_scenario.nodes.size());
    for (NodeId id = 0; id < nodes; ++id)
    {
        snapshot.nodes.push_back(GetState(id));
        for (NodeId other = 0; other < id; ++other)
        {
            if (m_channel->IsUsable(id, other) && m_channel->IsUsable(other, id))
            {
                const auto strength = std::min(m_channel->GetStrengthDbm(id, other),
                                               m_channel->GetStrengthDbm(other, id));
                snapshot.links.emplace_back(other, id);
                snapshot.strengthsDbm.push_back(static_cast<int32_t>(std::lround(strength)));
            }
        }
    }
    return snapshot;
}

NodeState
Network::GetState(NodeId id) const
{
    const auto device = ns3::DynamicCast<WsnNetDevice>(m_devices.Get(id));
    NodeState state;
    std::tie(state.xMetres, state.yMetres) = m_channel->GetPosition(id);
    const auto isDown = m_faults && m_faults->IsDown(id);
    state.isUp = device->GetStartTime() <= ns3::Simulator::Now() && !isDown;
    if (!isDown)
    {
        m_stack->Describe(id, state);
    }
    return state;
}

void
Network::LogAir(AirSink sink)
{
    m_airLog.emplace(m_devices, std::move(sink));
}

void
Network::LogFrames(FrameSink sink)
{
    m_frameLog.emplace(m_devices, std::move(sink));
}

RunCost
Network::Run(const ProgressCallback& progress,
             const std::vector<double>& instants,
             const Observer& observer)
{
    const auto wallStart = std::chrono::steady_clock::now();
    const auto cpuStart = GetCpuSeconds();
    ns3::Simulator::ScheduleNow(
        [this, &progress, &observer] { ReportProgress(progress, observer); });
    ns3::Simulator::Stop(ns3::Seconds(m_scenario.durationSeconds));
    for (const auto seconds : instants)
    {
        const auto observe = [this, seconds, &observer] { Observe(seconds, observer); };
        // By way of a second event, so that what was due at that instant has happened.
        ns3::Simulator::Schedule(ns3::Seconds(seconds),
                                 [observe] { ns3::Simulator::ScheduleNow(observe); });
    }
    ns3::Simulator::Run();
    const auto isOver = ns3::Simulator::Now() >= ns3::Seconds(m_scenario.durationSeconds);
    if (isOver && !instants.empty() && instants.back() >= m_scenario.durationSeconds)
    {
        Observe(instants.back(), observer); // the end stops the events of its instant
    }
    if (m_wasStopped || !isOver)
    {
        throw std::runtime_error("the run was stopped at " +
                                 std::to_string(ns3::Simulator::Now().GetSeconds()) + " s");
    }
    m_stack->NoteRemaining();
    m_stack->NoteShape();
    for (NodeId id = 0; id < m_devices.GetN(); ++id)
    {
        m_trace.Energy(id,
                       ns3::DynamicCast<WsnNetDevice>(m_devices.Get(id))->GetRadio()->GetEnergy());
    }
    m_trace.End();
    if (m_airLog)
    {
        m_airLog->Flush();
    }
    if (m_frameLog)
    {
        m_frameLog->Flush();
    }
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wallStart;
    return {wall.count(), GetCpuSeconds() - cpuStart, ns3::Simulator::GetEventCount()};
}

} // namespace mftpubsub
