/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "stacks/stack.h"

#include "protocols/mesh/make-station.h"
#include "protocols/mesh/whereabouts.h"
#include "protocols/own/hook-station.h"
#include "protocols/own/own-protocols.h"
#include "stacks/handoff-stack.h"
#include "stacks/ip-protocols.h"

#include <algorithm>
#include <chrono>
#include <map>

namespace mftpubsub
{

bool
IsOwn(std::string_view protocol)
{
    return protocol == mesh::PYTHON_PROTOCOL || mesh::FindProtocol(protocol);
}

bool
RunsStations(std::string_view protocol)
{
    return mesh::IsStationProtocol(protocol) || IsOwn(protocol);
}

void
Stack::Subscribe(NodeId, const Filter&)
{
}

void
Stack::Unsubscribe(NodeId, const Filter&)
{
}

std::vector<uint32_t>
Stack::GetWired(NodeId) const
{
    return {};
}

void
Stack::Describe(NodeId, NodeState&) const
{
}

void
Stack::NoteRemaining() const
{
}

void
Stack::NoteShape() const
{
}

std::optional<size_t>
GetMostEventBytes(const StackSite& site)
{
    // What is around an event in its largest frame, B (python/mftpubsub/scenario/frames.py).
    static const std::map<std::string_view, size_t> around{{"flooding", 11},
                                                           {"mft-mesh", 15},
                                                           {"mpl", 11},
                                                           {"epidemic", 12}};
    const auto found = around.find(site.scenario.protocol);
    if (found == around.end())
    {
        return std::nullopt;
    }
    const size_t frame = MakeTransportOptions(site).maxFrameBytes;
    const bool isPlaced = found->first == "mft-mesh" && site.scenario.mesh.usesPositions;
    const auto beside = isPlaced ? mesh::WHEREABOUTS_BYTES : 0;
    return frame - std::min(frame, found->second + beside);
}

std::unique_ptr<Stack>
MakeStack(const StackSite& site)
{
    if (FindIpProtocol(site.scenario.protocol))
    {
        return MakeIpStack(site);
    }
    if (RunsHandoff(site.scenario.protocol))
    {
        return MakeHandoffStack(site);
    }
    return RunsStations(site.scenario.protocol) ? MakeMeshStack(site) : MakeTreeStack(site);
}

uint8_t
GetRoles(const NodeSpec& node)
{
    return static_cast<uint8_t>((node.isBroker ? ROLE_BROKER : 0) |
                                (node.isSubscriber ? ROLE_SUBSCRIBER : 0) |
                                (node.isPublisher ? ROLE_PUBLISHER : 0));
}

Instant
ToInstant(double seconds)
{
    return std::chrono::duration_cast<Instant>(std::chrono::duration<double>(seconds));
}

TransportOptions
MakeTransportOptions(const StackSite& site)
{
    TransportOptions options;
    options.timing = site.ports.front()->GetTiming();
    options.window = site.scenario.window;
    options.usesLinkAcks = site.scenario.usesLinkAcks && site.ports.front()->HasAcks();
    const auto most = site.scenario.maxFrameBytes - options.timing.overheadBytes;
    options.maxFrameBytes =
        std::min(static_cast<uint16_t>(most), site.ports.front()->GetMaxFrameBytes());
    return options;
}

OverlayOptions
MakeOverlayOptions(const Scenario& scenario)
{
    OverlayOptions options;
    options.heartbeatInterval = ToInstant(scenario.heartbeatIntervalSeconds);
    options.leaderTimeout = ToInstant(scenario.leaderTimeoutSeconds);
    options.rebroadcastJitter = ToInstant(scenario.rebroadcastJitterSeconds);
    return options;
}

void
Start(const StackSite& site, NodeId id, const ns3::Ptr<ns3::Application>& application)
{
    site.nodes.Get(id)->AddApplication(application);
    application->SetStartTime(site.ports[id]->GetStartTime());
}

} // namespace mftpubsub
