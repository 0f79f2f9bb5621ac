/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_SCENARIO_NETWORK_H
#define MFTPUBSUB_SCENARIO_NETWORK_H

#include "hosts/aodv-node.h"
#include "hosts/event-source.h"
#include "hosts/mesh-node.h"
#include "hosts/pubsub-node.h"
#include "hosts/subscription-registry.h"
#include "scenario/air-log.h"
#include "scenario/faults.h"
#include "scenario/handoff-radio.h"
#include "scenario/reachability.h"
#include "scenario/scenario.h"
#include "scenario/simulator-lease.h"
#include "trace/run-trace.h"
#include "wsn/wireless-channel.h"

#include "ns3/net-device-container.h"
#include "ns3/node-container.h"

#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace mftpubsub
{

/// The protocol that is no broker machine: unicast to each subscriber over ns-3's AODV.
inline constexpr std::string_view AODV = "aodv";

/// The same over an AckedNetDevice: what hop-by-hop acknowledgement alone brings.
inline constexpr std::string_view AODV_ACKED = "aodv-acked";

/// @return whether @p protocol is one over ns-3's AODV
constexpr bool
RunsAodv(std::string_view protocol)
{
    return protocol == AODV || protocol == AODV_ACKED;
}

/// Without a tree: MeshNode.
inline constexpr std::string_view MFT_MESH = "mft-mesh";

/// RFC 7731, with subscribers' filters at the ends.
inline constexpr std::string_view MPL = "mpl";

/// Epidemic routing, likewise.
inline constexpr std::string_view EPIDEMIC = "epidemic";

/// @return whether @p protocol is one for a broadcast channel, a mesh::Station
constexpr bool
RunsStations(std::string_view protocol)
{
    return protocol == MFT_MESH || protocol == MPL || protocol == EPIDEMIC;
}

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

    /**
     * Runs to the scenario's end.
     *
     * @param instants when @p observer is called, ascending, in seconds
     * @throws std::runtime_error when @p progress or @p observer stops it
     */
    RunCost Run(const ProgressCallback& progress,
                const std::vector<double>& instants,
                const Observer& observer);

    const ns3::NodeContainer& GetNodes() const
    {
        return m_nodes;
    }

    const ns3::NetDeviceContainer& GetDevices() const
    {
        return m_devices;
    }

    ns3::Ptr<WirelessChannel> GetChannel() const
    {
        return m_channel;
    }

  private:
    void InstallDevices();
    void InstallPubSub();
    void InstallAodv();
    void InstallMesh();
    void InstallHandoff();
    /// @return the devices for IPv4: those of the nodes, or others on top of them
    ns3::NetDeviceContainer MakeIpDevices() const;
    void Start(NodeId id, const ns3::Ptr<ns3::Application>& application);
    void StartTraffic();
    void ScheduleFaults();
    void Crash(NodeId id);
    void Restart(NodeId id);
    void RestartPubSub(NodeId id);
    void RestartMesh(NodeId id);
    /// @return the stream of random numbers of a node since its latest restart
    int64_t GetRestartStream(NodeId id) const;
    void ReportProgress(const ProgressCallback& progress);
    void Observe(double seconds, const Observer& observer);
    void StopEarly();
    Snapshot TakeSnapshot(double seconds) const;
    NodeState GetState(NodeId id) const;
    void Publish(NodeId publisher, const EventPtr& event);
    TransportOptions MakeTransportOptions() const;
    RetryDecision MakeRetryDecision(NodeId id) const;
    PubSubOptions MakePubSubOptions(NodeId id) const;
    std::unique_ptr<mesh::Station> MakeStation(NodeId id,
                                               int64_t stream,
                                               mesh::SubscriberMemory memory);
    ns3::Ptr<MeshNode> MakeMeshNode(NodeId id, int64_t stream, mesh::SubscriberMemory memory);

    const Scenario m_scenario;
    RunTrace m_trace;
    ns3::NodeContainer m_nodes;
    ns3::Ptr<WirelessChannel> m_channel;
    ns3::NetDeviceContainer m_devices;
    SubscriptionRegistry m_registry;
    std::vector<ns3::Ptr<PubSubNode>> m_pubSubNodes;   //!< by id; none with AODV
    std::vector<ns3::Ptr<AodvNode>> m_aodvNodes;       //!< by id; none with publish/subscribe
    std::vector<ns3::Ptr<MeshNode>> m_meshNodes;       //!< by id; of protocols without a tree
    std::optional<HandoffRadio> m_handoff;             //!< none with other protocols
    std::vector<ns3::Ptr<HandoffNode>> m_handoffNodes; //!< by id; of hand-off schemes
    std::vector<std::unique_ptr<EventSource>> m_sources;
    std::optional<AirLog> m_airLog; //!< none unless asked for
    std::optional<Reachability> m_reachability;
    std::optional<Faults> m_faults; //!< none in a scenario without
    std::map<NodeId, uint32_t> m_restarts;
    std::map<NodeId, std::optional<Subscriber>> m_crashedSubscribers;
    std::map<NodeId, std::optional<mesh::SubscriberMemory>> m_crashedMemories;
    bool m_wasStopped{false};
    SimulatorLease m_simulator; //!< the last member: goes before what the simulation refers to
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_SCENARIO_NETWORK_H */
