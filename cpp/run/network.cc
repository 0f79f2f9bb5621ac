/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run/network.h"

#include "run/given-nodes.h"
#include "run/mobility.h"
#include "run/traffic.h"
#include "scenario/streams.h"

#include "ns3/pointer.h"
#include "ns3/propagation-loss-model.h"
#include "ns3/simulator.h"
#include "ns3/spectrum-channel.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <iterator>
#include <stdexcept>

namespace mftpubsub
{

namespace
{

const ns3::Time PROGRESS_INTERVAL = ns3::Seconds(1);

double
GetCpuSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// @return the losses of @p channel, one after the other; none if it is none of ns-3's with losses
std::vector<ns3::Ptr<ns3::Object>>
FindLosses(const ns3::Ptr<ns3::Channel>& channel)
{
    std::vector<ns3::Ptr<ns3::Object>> found;
    ns3::PointerValue first;
    if (channel->GetAttributeFailSafe("PropagationLossModel", first))
    {
        for (auto loss = first.Get<ns3::PropagationLossModel>(); loss; loss = loss->GetNext())
        {
            found.push_back(loss);
        }
    }
    if (const auto spectrum = ns3::DynamicCast<ns3::SpectrumChannel>(channel))
    {
        found.push_back(spectrum->GetSpectrumPropagationLossModel());
    }
    return found;
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
    // First, so that nothing happens that is due at the end: a fault until then lasts to the end.
    ns3::Simulator::Stop(ns3::Seconds(scenario.durationSeconds));
    if (!nodes)
    {
        m_nodes.Create(static_cast<uint32_t>(scenario.nodes.size()));
    }
    InstallMobility(scenario, m_nodes);
    m_radios = InstallRadios(m_scenario, m_nodes);
    m_losses = FindLosses(GetChannel());
    for (NodeId id = 0; id < scenario.nodes.size(); ++id)
    {
        m_trace.Role(id, GetRoles(scenario.nodes[id]));
    }
    DelayLateNodes();
    ScheduleWarmUp();
    FollowSubscriptions();
    m_reachability.emplace(
        static_cast<NodeId>(scenario.nodes.size()),
        [this](NodeId from) { return GetUsableLinks(from); },
        [this](NodeId subscriber, EventId event) { m_trace.Reachable(subscriber, event); });
    m_radios.medium->OnLinksChanged([this] { m_reachability->LinksChanged(); });
    if (!m_radios.medium->IsSampled())
    {
        for (NodeId id = 0; id < m_radios.ports.size(); ++id)
        {
            m_radios.ports[id]->TraceConnectWithoutContext(
                "Transmit",
                ns3::MakeCallback(&Network::FrameOnAir, this, id));
        }
    }
    m_stack = MakeStack({m_scenario, m_nodes, m_radios.devices, m_radios.ports, m_trace});
    StartTraffic();
    ScheduleFaults();
}

void
Network::DelayLateNodes()
{
    for (const auto& absence : m_scenario.crashes)
    {
        if (absence.isAbsence && absence.atSeconds == 0)
        {
            const auto start =
                absence.restarts ? ns3::Seconds(absence.restartSeconds) : ns3::Time::Max() / 2;
            m_radios.ports[absence.node]->StartLate(start);
        }
    }
}

void
Network::FrameOnAir(NodeId sender,
                    ns3::Ptr<const ns3::Packet> packet,
                    uint16_t,
                    ns3::Mac48Address,
                    uint32_t)
{
    m_radios.medium->PutOnAir(*packet);
    m_reachability->LinksChanged(sender);
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
Network::FollowSubscriptions()
{
    m_subscriptions.emplace(
        m_scenario,
        Subscriptions::Handlers{[this](NodeId id) { return m_faults && m_faults->IsDown(id); },
                                [this](NodeId id, const Filter& filter) {
                                    m_trace.Subscribed('+', id);
                                    m_stack->Subscribe(id, filter);
                                },
                                [this](NodeId id, const Filter& filter) {
                                    m_trace.Subscribed('-', id);
                                    m_stack->Unsubscribe(id, filter);
                                }});
}

void
Network::ScheduleWarmUp()
{
    if (m_scenario.warmUpSeconds == 0)
    {
        return;
    }
    ns3::Simulator::Schedule(ns3::Seconds(m_scenario.warmUpSeconds), [this] {
        std::unordered_map<NodeId, double> joules;
        for (NodeId id = 0; id < m_scenario.nodes.size(); ++id)
        {
            joules[id] = m_radios.ports[id]->GetEnergyJoules().value_or(0);
        }
        m_trace.BeginMeasuring(std::move(joules));
    });
}

Faults::Handlers
Network::MakeFaultHandlers()
{
    return {.crash = [this](NodeId id) { Crash(id); },
            .restart = [this](NodeId id) { Restart(id); },
            .leave = [this](NodeId id) { m_subscriptions->Leave(id); },
            .come =
                [this](NodeId id) {
                    LetSleep(id);
                    m_subscriptions->Come(id);
                },
            .sleep =
                [this](NodeId id, bool asleep) {
                    if (!m_faults->IsDown(id))
                    {
                        m_radios.ports[id]->SetAsleep(asleep);
                    }
                },
            .getJoules =
                [this](NodeId id) { return m_radios.ports[id]->GetEnergyJoules().value_or(0); },
            .linksChanged = [this] { m_reachability->LinksChanged(); }};
}

void
Network::ScheduleFaults()
{
    if (m_scenario.crashes.empty() && m_scenario.blackouts.empty() &&
        m_scenario.partitions.empty() && m_scenario.sleeps.empty() && m_scenario.batteries.empty())
    {
        return;
    }
    m_faults.emplace(m_scenario, m_trace, MakeFaultHandlers());
    m_radios.medium->SetLinkFilter(
        [this](NodeId from, NodeId to) { return m_faults->IsCut(from, to); });
}

void
Network::Crash(NodeId id)
{
    m_stack->Crash(id);
    m_radios.ports[id]->SetOn(false);
}

void
Network::LetSleep(NodeId id)
{
    const auto start = m_radios.ports[id]->GetStartTime() - ns3::Simulator::Now();
    ns3::Simulator::Schedule(std::max(start, ns3::Time(0)), [this, id] {
        if (m_faults->IsAsleep(id) && !m_faults->IsDown(id))
        {
            m_radios.ports[id]->SetAsleep(true);
        }
    });
}

void
Network::Restart(NodeId id)
{
    m_radios.ports[id]->SetOn(true);
    m_radios.ports[id]->SetAsleep(m_faults->IsAsleep(id));
    const auto stream = STREAM_RESTART + (int64_t{++m_restarts[id]} << 16) + id;
    m_stack->Restart(id, stream);
    m_subscriptions->Restarted(id);
}

std::vector<uint32_t>
Network::GetUsableLinks(NodeId from) const
{
    const auto onAir = m_radios.medium->GetUsableLinks(from);
    const auto wired = m_stack->GetWired(from);
    std::vector<uint32_t> links;
    std::ranges::set_union(onAir, wired, std::back_inserter(links));
    if (m_faults)
    {
        std::erase_if(links, [this, from](uint32_t to) {
            return m_faults->IsAsleep(from) || m_faults->IsAsleep(static_cast<NodeId>(to));
        });
    }
    return links;
}

void
Network::Publish(NodeId publisher, const EventPtr& event)
{
    if (m_faults && m_faults->IsSilent(publisher))
    {
        return;
    }
    const auto subscribers = m_subscriptions->WhoWants(*event);
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
    const auto& medium = *m_radios.medium;
    Snapshot snapshot;
    snapshot.seconds = seconds;
    snapshot.counters = m_trace.GetCounters([this] { m_stack->NoteRemaining(); });
    const auto nodes = static_cast<NodeId>(m_scenario.nodes.size());
    for (NodeId id = 0; id < nodes; ++id)
    {
        snapshot.nodes.push_back(GetState(id));
        for (NodeId other = 0; other < id; ++other)
        {
            if (medium.IsUsable(id, other) && medium.IsUsable(other, id))
            {
                const auto strength =
                    std::min(medium.GetStrengthDbm(id, other), medium.GetStrengthDbm(other, id));
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
    NodeState state;
    const auto position = m_radios.medium->GetPosition(id);
    state.xMetres = position.x;
    state.yMetres = position.y;
    state.zMetres = position.z;
    const auto isDown = m_faults && m_faults->IsDown(id);
    state.isUp = m_radios.ports[id]->GetStartTime() <= ns3::Simulator::Now() && !isDown;
    if (!isDown)
    {
        m_stack->Describe(id, state);
    }
    return state;
}

void
Network::LogAir(AirSink sink)
{
    m_airLog.emplace(m_radios.ports, *m_radios.medium, std::move(sink), m_scenario.brokers);
}

void
Network::LogFrames(FrameSink sink)
{
    m_frameLog.emplace(m_radios.ports, std::move(sink));
}

RunCost
Network::Run(const ProgressCallback& progress,
             const std::vector<double>& instants,
             const Observer& observer)
{
    if (FindLosses(GetChannel()) != m_losses)
    {
        throw std::invalid_argument(
            "the channel was given other losses than the scenario's, of which "
            "reachable does not know: set the scenario's channel instead");
    }
    const auto wallStart = std::chrono::steady_clock::now();
    const auto cpuStart = GetCpuSeconds();
    ns3::Simulator::ScheduleNow(
        [this, &progress, &observer] { ReportProgress(progress, observer); });
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
    for (NodeId id = 0; id < m_radios.ports.size(); ++id)
    {
        if (const auto joules = m_radios.ports[id]->GetEnergyJoules())
        {
            m_trace.Energy(id, *joules);
        }
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
