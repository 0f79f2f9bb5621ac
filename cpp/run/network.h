/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_RUN_NETWORK_H
#define MFTPUBSUB_RUN_NETWORK_H

#include "hosts/event-source.h"
#include "radios/radios.h"
#include "run/air-log.h"
#include "run/faults.h"
#include "run/frame-log.h"
#include "run/reachability.h"
#include "run/run.h"
#include "run/subscriptions.h"
#include "scenario/simulator-lease.h"
#include "stacks/stack.h"
#include "trace/run-trace.h"

#include "ns3/node-container.h"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace mftpubsub
{

/// The ns-3 network of one scenario: builds it, runs it once, takes it down.
class Network
{
  public:
    /**
     * @param trace takes the run's trace
     * @param nodes what to build on, by id; those that carry a MobilityModel keep it, and its
     * random streams become the scenario's. Without, nodes are made.
     * @throws std::invalid_argument for a scenario or nodes that cannot be run
     * @throws std::logic_error while there is another network in this process
     */
    Network(const Scenario& scenario,
            TraceBlockSink trace,
            const std::optional<ns3::NodeContainer>& nodes = {});

    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    /// Hands what the trace leaves out (AirLog) to @p sink. To be called once, before Run.
    void LogAir(AirSink sink);

    /// Hands every frame's bytes (FrameLog) to @p sink. To be called once, before Run.
    void LogFrames(FrameSink sink);

    /**
     * Runs to the scenario's end.
     *
     * @param instants when @p observer is called, ascending, in seconds
     * @throws std::invalid_argument if the channel has been given other losses
     * @throws std::runtime_error when @p progress or @p observer stops it
     */
    RunCost Run(const ProgressCallback& progress,
                const std::vector<double>& instants,
                const Observer& observer);

    /// @return whether somebody has called ns-3's Simulator::Destroy: nothing else may be asked
    /// then
    bool IsDestroyed() const
    {
        return m_simulator.IsDestroyed();
    }

    const ns3::NodeContainer& GetNodes() const
    {
        return m_nodes;
    }

    const ns3::NetDeviceContainer& GetDevices() const
    {
        return m_radios.devices;
    }

    /// @return what the devices share
    ns3::Ptr<ns3::Channel> GetChannel() const
    {
        return m_radios.devices.Get(0)->GetChannel();
    }

  private:
    void FrameOnAir(NodeId sender,
                    ns3::Ptr<const ns3::Packet> packet,
                    uint16_t protocol,
                    ns3::Mac48Address to,
                    uint32_t bytesOnAir);
    void StartTraffic();
    void FollowSubscriptions();
    void ScheduleWarmUp();
    void DelayLateNodes();
    void ScheduleFaults();
    Faults::Handlers MakeFaultHandlers();
    void Crash(NodeId id);
    /// A nap may have begun before the node, which starts now or soon.
    void LetSleep(NodeId id);
    void Restart(NodeId id);
    void ReportProgress(const ProgressCallback& progress, const Observer& observer);
    void Observe(double seconds, const Observer& observer);
    void StopEarly();
    Snapshot TakeSnapshot(double seconds);
    NodeState GetState(NodeId id) const;
    std::vector<uint32_t> GetUsableLinks(NodeId from) const;
    void Publish(NodeId publisher, const EventPtr& event);

    const Scenario m_scenario;
    RunTrace m_trace;
    ns3::NodeContainer m_nodes;
    Radios m_radios;
    std::vector<ns3::Ptr<ns3::Object>> m_losses; //!< of ns-3's channel; by them `reachable` goes
    std::optional<Subscriptions> m_subscriptions;
    std::unique_ptr<Stack> m_stack;
    std::vector<std::unique_ptr<EventSource>> m_sources;
    std::optional<AirLog> m_airLog;     //!< none unless asked for
    std::optional<FrameLog> m_frameLog; //!< none unless asked for
    std::optional<Reachability> m_reachability;
    std::optional<Faults> m_faults; //!< none in a scenario without
    std::map<NodeId, uint32_t> m_restarts;
    bool m_wasStopped{false};
    SimulatorLease m_simulator; //!< the last member: goes before what the simulation refers to
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_RUN_NETWORK_H */
