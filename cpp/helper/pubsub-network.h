/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HELPER_PUBSUB_NETWORK_H
#define MFTPUBSUB_HELPER_PUBSUB_NETWORK_H

#include "content/event.h"
#include "helper/pubsub-application.h"
#include "helper/pubsub-settings.h"
#include "helper/trace-spool.h"
#include "hosts/device-port.h"
#include "hosts/subscription-registry.h"
#include "scenario/scenario.h"
#include "stacks/stack.h"
#include "trace/run-trace.h"

#include "ns3/address.h"
#include "ns3/application-container.h"
#include "ns3/attribute.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mftpubsub
{

/**
 * What a PubSubHelper has put on a script's devices. The protocol's hosts are made when the
 * simulation runs: until then a script may say what they are to be.
 */
class PubSubNetwork : public std::enable_shared_from_this<PubSubNetwork>
{
  public:
    /// @throws std::invalid_argument for a protocol that is unknown
    explicit PubSubNetwork(const std::string& protocol);
    ~PubSubNetwork();

    void SetAttribute(const std::string& name, const ns3::AttributeValue& value);

    /// Replaces one decision (MakePolicies).
    void SetPolicy(const std::string& kind,
                   const std::string& name,
                   const PolicyParameters& parameters);

    /// @param roles Roles; what the node had is gone
    void SetRoles(const ns3::NodeContainer& nodes, uint8_t roles);

    /// Adds a role to what the nodes have.
    void AddRole(const ns3::NodeContainer& nodes, Roles role);

    void Subscribe(const ns3::NodeContainer& nodes, const std::string& filter);

    ns3::ApplicationContainer Install(const ns3::NetDeviceContainer& devices);

    /// @return the number of streams that are used
    int64_t AssignStreams(int64_t first);

    void PublishAt(ns3::Time time,
                   const ns3::NodeContainer& nodes,
                   const std::string& attributes,
                   uint32_t payloadBytes);

    uint32_t Publish(const ns3::Node& node, const std::string& attributes, uint32_t payloadBytes);
    uint32_t Publish(NodeId publisher, const std::string& attributes, uint32_t payloadBytes);

    /// Makes the hosts, if that is still to be done.
    void Start();

    /// The run is over: completes the trace, if that is still to be done.
    void Finish();

    void WriteTrace(const std::string& path);

  private:
    /// What a script has said of a node.
    struct Part
    {
        uint8_t roles{0};
        bool isTold{false};      //!< whether it has said something of its roles
        bool isToPublish{false}; //!< by PublishAt
        std::vector<std::string> filters;
    };

    /// An event, and when it was published.
    struct Publication
    {
        EventPtr event;
        ns3::Time time;
    };

    /// Where the protocol is, by id.
    struct Installed
    {
        ns3::NodeContainer nodes;
        ns3::NetDeviceContainer devices;
        std::vector<ns3::Address> addresses; //!< as Install has left them
        DevicePorts ports;
    };

    void CheckBeforeStart(const std::string& what) const;
    bool IsReleased() const; //!< after Simulator::Destroy
    void CheckRuns() const;
    void CheckFits(const Event& event) const;
    void Delivered(NodeId subscriber, EventId event, uint8_t hops, bool isDuplicate);
    void FillScenario();
    static void CheckRoles(const ns3::Node& node, const Part& part);
    void Release();

    Scenario m_scenario;
    PolicySpecs m_policies;
    ns3::Ptr<PubSubSettings> m_settings;
    StackStreams m_streams;
    std::map<uint32_t, Part> m_parts; //!< by ns-3's id of the node
    Installed m_installed;
    std::vector<ns3::Ptr<PubSubApplication>> m_applications; //!< by id
    std::vector<std::vector<Publication>> m_published;       //!< by publisher and sequence
    TraceSpool m_spool;
    std::string m_tracePath; //!< empty: nobody wants the trace yet
    RunTrace m_trace;
    SubscriptionRegistry m_registry;
    std::unique_ptr<Stack> m_stack;         //!< from the start of the simulation
    std::optional<size_t> m_mostEventBytes; //!< if the protocol does not split events
    bool m_isFinished{false};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HELPER_PUBSUB_NETWORK_H */
