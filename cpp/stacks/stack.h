/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_STACKS_STACK_H
#define MFTPUBSUB_STACKS_STACK_H

#include "content/event.h"
#include "content/filter.h"
#include "content/instant.h"
#include "content/node-id.h"
#include "hosts/device-port.h"
#include "overlay/heartbeat.h"
#include "scenario/scenario.h"
#include "scenario/streams.h"
#include "session/sessions.h"
#include "stacks/snapshot.h"
#include "trace/run-trace.h"

#include "ns3/application.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/ptr.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace mftpubsub
{

/// @return whether @p protocol does not ship
bool IsOwn(std::string_view protocol);

/// @return whether @p protocol is one for a broadcast channel, a mesh::Station
bool RunsStations(std::string_view protocol);

/// The first of a stack's random streams: of the hosts, one a node; of routing protocols, one a
/// node; of the other parts of ns-3's IP stack.
struct StackStreams
{
    int64_t protocol{STREAM_PROTOCOL};
    int64_t routing{STREAM_ROUTING};
    int64_t internet{STREAM_INTERNET};
};

/// What a stack is installed on; all of it outlives the stack.
struct StackSite
{
    const Scenario& scenario;
    const ns3::NodeContainer& nodes;
    const ns3::NetDeviceContainer& devices; //!< by id
    const DevicePorts& ports;               //!< by id, those of the devices
    RunTrace& trace;
    StackStreams streams{};
};

/// What runs on the devices of a network, of one family of protocols.
class Stack
{
  public:
    virtual ~Stack() = default;

    /// @param subscribers that want @p event
    virtual void Publish(NodeId publisher,
                         const EventPtr& event,
                         const std::vector<NodeId>& subscribers) = 0;

    /// The subscriber on the device @p id, which is up, wants what matches @p filter from now on.
    /// Nothing is to be done where publishers know who wants what.
    virtual void Subscribe(NodeId id, const Filter& filter);

    virtual void Unsubscribe(NodeId id, const Filter& filter);

    /// The device @p id has crashed.
    virtual void Crash(NodeId id) = 0;

    /// @param stream of random numbers from now on
    virtual void Restart(NodeId id, int64_t stream) = 0;

    /// @return whom @p from reaches by wire, ascending; of protocols on the air alone nobody
    virtual std::vector<uint32_t> GetWired(NodeId from) const;

    /// Completes the state of @p id, which is up.
    virtual void Describe(NodeId id, NodeState& state) const;

    /// Tells the trace where the events are that have not arrived by now (RunTrace::Fate).
    virtual void NoteRemaining() const;

    /// The run is over: tells the trace how its trees were.
    virtual void NoteShape() const;
};

/// @return the most that an event may take, B, where the scenario's protocol does not split it
std::optional<size_t> GetMostEventBytes(const StackSite& site);

/// @return the stack of the scenario's protocol, installed
std::unique_ptr<Stack> MakeStack(const StackSite& site);

// One each for the families.

std::unique_ptr<Stack> MakeTreeStack(const StackSite& site);
std::unique_ptr<Stack> MakeMeshStack(const StackSite& site);
std::unique_ptr<Stack> MakeIpStack(const StackSite& site);
std::unique_ptr<Stack> MakeHandoffStack(const StackSite& site);

// What they share.

uint8_t GetRoles(const NodeSpec& node);
Instant ToInstant(double seconds);
TransportOptions MakeTransportOptions(const StackSite& site);
OverlayOptions MakeOverlayOptions(const Scenario& scenario);

/// Puts @p application on the device @p id, which starts it when it starts itself.
void Start(const StackSite& site, NodeId id, const ns3::Ptr<ns3::Application>& application);

} // namespace mftpubsub

#endif /* MFTPUBSUB_STACKS_STACK_H */
