/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * This header stands alone: no signature has a type of the module's. It is ns3/pubsub-helper.h in
 * a tree of ns-3's.
 */
#ifndef MFTPUBSUB_HELPER_PUBSUB_HELPER_H
#define MFTPUBSUB_HELPER_PUBSUB_HELPER_H

#include "ns3/application-container.h"
#include "ns3/attribute.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace ns3
{
class Node;
}

namespace mftpubsub
{

class PubSubNetwork;

/**
 * Puts a protocol of content-based publish/subscribe on the devices of a script's nodes.
 *
 * @code
 * PubSubHelper pubsub("mft-mesh");
 * pubsub.SetRole(nodes, "broker");
 * pubsub.Subscribe(nodes.Get(3), "temp > 20");
 * ApplicationContainer apps = pubsub.Install(devices);
 * pubsub.AssignStreams(apps, 0);
 * pubsub.PublishAt(Seconds(10), nodes.Get(0), "temp = 21.5");
 * pubsub.WriteTrace("run.trace");
 * Simulator::Stop(Seconds(60));
 * Simulator::Run();
 * Simulator::Destroy();
 * @endcode
 *
 * Roles, filters and attributes count from when the simulation begins to run; they may be said
 * before and after Install. Who asks for what cannot be, in any of these functions, gets a
 * std::invalid_argument or, for what comes too early or too late, a std::logic_error.
 */
class PubSubHelper
{
  public:
    /// @param protocol such as "mft-mesh", "mft-pubsub", "epidemic", "aodv" (docs/protocols.md)
    explicit PubSubHelper(const std::string& protocol);

    /**
     * @param name of an attribute of mftpubsub::PubSubSettings, such as "MeshHeartbeat";
     * Config::SetDefault takes them too
     * @param value of it, for all nodes
     */
    void SetAttribute(const std::string& name, const ns3::AttributeValue& value);

    /**
     * Replaces a decision of the protocol's by another one that ships.
     *
     * @param kind "parent", "client", "migration", "leader", "queue", "retry", "failure", "repair"
     * @param name of the policy (docs/reference/scenarios.md)
     * @param parameters of the policy, by name
     */
    void SetPolicy(const std::string& kind,
                   const std::string& name,
                   const std::map<std::string, double>& parameters = {});

    /**
     * @param nodes which have this role from now on, instead of what they had, by Subscribe and
     * PublishAt too
     * @param role "broker", "subscriber", "publisher", several of them ("broker subscriber"), or
     * "router": none of them
     */
    void SetRole(const ns3::NodeContainer& nodes, const std::string& role);

    /**
     * Each of @p nodes gets the subscriber role, and one more filter.
     *
     * @param nodes the subscribers
     * @param filter such as "temp > 20 and room like 'k%'" (docs/filters.md)
     */
    void Subscribe(const ns3::NodeContainer& nodes, const std::string& filter);

    /**
     * To be called once, with one device of each node that has a role.
     *
     * @param devices made by mftpubsub::WsnHelper
     * @return a mftpubsub::PubSubApplication each, whose id is its place, with the trace sources
     * Published, Delivered and Duplicate
     */
    ns3::ApplicationContainer Install(const ns3::NetDeviceContainer& devices);

    /**
     * Fixes the random streams of the protocol.
     *
     * @param applications what Install has returned
     * @param stream the first one to use
     * @return the number of streams that are used
     */
    int64_t AssignStreams(const ns3::ApplicationContainer& applications, int64_t stream);

    /**
     * Publishes an event now, while the simulation runs.
     *
     * @param node with the publisher role
     * @param attributes as in "temp = 21.5, room = 'kitchen'"
     * @param payloadBytes size of what it carries besides, at most 60000
     * @return the event's number among the publisher's
     * @throws std::invalid_argument for a larger payload, and if the event does not fit into a
     * frame and the protocol does not split it
     */
    uint32_t Publish(ns3::Ptr<ns3::Node> node,
                     const std::string& attributes,
                     uint32_t payloadBytes = 0);

    /**
     * Publishes an event later, as Publish does. Each of @p nodes gets the publisher role.
     *
     * @param time when, since the simulation began
     * @param nodes that publish it, an event each, all in the same instant
     * @param attributes as in "temp = 21.5, room = 'kitchen'"
     * @param payloadBytes size of what it carries besides, at most 60000
     */
    void PublishAt(ns3::Time time,
                   const ns3::NodeContainer& nodes,
                   const std::string& attributes,
                   uint32_t payloadBytes = 0);

    /**
     * Writes the trace of the run, which `mftpubsub ingest-ns3 --trace` takes
     * (docs/trace-format.md).
     *
     * Before or while the simulation runs: the file is there, as a whole, after
     * Simulator::Destroy. After Simulator::Run: it is there at once, and what comes later is not
     * in it. A simulation that an exception has ended leaves no trace.
     *
     * @param path of the file; a later call's counts. What is no regular file, such as /dev/null
     * or a FIFO, is written in place
     * @throws std::runtime_error if it cannot be written
     */
    void WriteTrace(const std::string& path);

  private:
    std::shared_ptr<PubSubNetwork> m_network;
};

} // namespace mftpubsub

namespace ns3
{

/// For scripts that use ns-3's namespace alone.
using mftpubsub::PubSubHelper;

} // namespace ns3

#endif /* MFTPUBSUB_HELPER_PUBSUB_HELPER_H */
