/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/machine-io.h"
#include "hosts/mesh-node.h"
#include "hosts/protocol-numbers.h"
#include "protocols/mesh/make-station.h"
#include "protocols/own/hook-station.h"
#include "protocols/own/own-protocols.h"
#include "protocols/own/station-checks.h"
#include "stacks/stack.h"
#include "wsn/position-of.h"

#include "ns3/mobility-model.h"
#include "ns3/random-variable-stream.h"

#include <map>
#include <optional>
#include <utility>

namespace mftpubsub
{

namespace
{

mesh::Options
MakeOptions(const StackSite& site)
{
    const auto& spec = site.scenario.mesh;
    mesh::Options options;
    options.heartbeat = ToInstant(spec.heartbeatSeconds);
    options.heartbeatMax = ToInstant(spec.heartbeatMaxSeconds);
    options.isScoped = spec.isScoped;
    options.forward = ToInstant(spec.forwardSeconds);
    options.settle = ToInstant(spec.settleSeconds);
    options.copies = spec.copies;
    options.redundancy = spec.redundancy;
    options.few = spec.few;
    options.usesPositions = spec.usesPositions;
    if (spec.forgetAfterSeconds > 0)
    {
        options.forgetAfter = ToInstant(spec.forgetAfterSeconds);
    }
    const auto transport = MakeTransportOptions(site);
    options.maxFrameBytes = transport.maxFrameBytes;
    options.limits.sender.gap = transport.timing.gap;
    options.limits.sender.usualWait = transport.timing.usualWait;
    options.link = site.ports.front()->GetBudget();
    return options;
}

mesh::MplOptions
MakeMplOptions(const MplSpec& spec)
{
    const auto interval = ToInstant(spec.dataIntervalSeconds);
    return {spec.isProactive,
            {interval, interval, spec.dataRedundancy, spec.dataExpirations},
            {ToInstant(spec.controlMinSeconds),
             ToInstant(spec.controlMaxSeconds),
             spec.controlRedundancy,
             spec.controlExpirations}};
}

/// Protocols for a broadcast channel, without a tree.
class MeshStack : public Stack
{
  public:
    explicit MeshStack(const StackSite& site)
        : m_site(site),
          m_maker(mesh::FindProtocol(site.scenario.protocol))
    {
        for (NodeId id = 0; id < m_site.scenario.nodes.size(); ++id)
        {
            const auto node = MakeNode(id, m_site.streams.protocol + id, {});
            for (const auto& text : m_site.scenario.nodes[id].filters)
            {
                node->Subscribe(Filter::Parse(text));
            }
            Start(m_site, id, node);
            m_nodes.push_back(node);
        }
    }

    void Publish(NodeId publisher, const EventPtr& event, const std::vector<NodeId>&) override
    {
        if (m_maker)
        {
            m_published.emplace(event->id, event);
        }
        m_nodes[publisher]->Publish(event);
    }

    void Subscribe(NodeId id, const Filter& filter) override
    {
        m_nodes[id]->Subscribe(filter);
    }

    void Unsubscribe(NodeId id, const Filter& filter) override
    {
        m_nodes[id]->Unsubscribe(filter);
    }

    void Crash(NodeId id) override
    {
        m_crashed[id] = m_nodes[id]->Crash();
    }

    void Restart(NodeId id, int64_t stream) override
    {
        const auto memory = m_crashed[id].value_or(mesh::SubscriberMemory());
        m_nodes[id] = MakeNode(id, stream, memory);
        m_site.nodes.Get(id)->AddApplication(m_nodes[id]);
    }

    void Describe(NodeId id, NodeState& state) const override
    {
        state.queuedEvents = m_nodes[id]->CountHeldEvents();
    }

    void NoteRemaining() const override
    {
        for (const auto& node : m_nodes)
        {
            node->NoteHeld(LossCause::QUEUED);
        }
    }

  private:
    ns3::Ptr<MeshNode> MakeNode(NodeId id, int64_t stream, mesh::SubscriberMemory memory)
    {
        std::optional<mesh::StationChecks> checks;
        if (m_maker)
        {
            checks.emplace(MakeOptions(m_site).maxFrameBytes, &m_published, CountNodes());
        }
        return ns3::CreateObject<MeshNode>(id,
                                           MakeStation(id, stream, std::move(memory)),
                                           m_site.trace,
                                           IsOwn(m_site.scenario.protocol) ? OWN_PROTOCOL_NUMBER
                                                                           : MESH_PROTOCOL_NUMBER,
                                           checks);
    }

    std::unique_ptr<mesh::Station> MakeStation(NodeId id,
                                               int64_t stream,
                                               mesh::SubscriberMemory memory)
    {
        const auto& scenario = m_site.scenario;
        const auto random = ns3::CreateObject<ns3::UniformRandomVariable>();
        random->SetStream(stream);
        mesh::StationSeat seat{id,
                               GetRoles(scenario.nodes[id]),
                               MakeOptions(m_site),
                               [random] { return random->GetValue(); },
                               std::move(memory),
                               scenario.ownParameters,
                               CountNodes(),
                               [this, id] { return Locate(id); }};
        if (m_maker)
        {
            return MakeOwnStation(std::move(seat));
        }
        if (scenario.protocol == mesh::PYTHON_PROTOCOL)
        {
            return std::make_unique<mesh::HookStation>(std::move(seat), *scenario.stations);
        }
        return mesh::MakeStation(
            scenario.protocol,
            std::move(seat),
            {MakeMplOptions(scenario.mpl),
             ToInstant(scenario.epidemicIntervalSeconds),
             {scenario.policies.queue, scenario.policies.repair, [this, id] { return View(id); }}});
    }

    std::unique_ptr<mesh::Station> MakeOwnStation(mesh::StationSeat seat)
    {
        const auto id = seat.self;
        try
        {
            return (*m_maker)(std::move(seat));
        }
        catch (...)
        {
            throw mesh::LocateFailure("constructor", id, Now());
        }
    }

    std::optional<Position> Locate(NodeId id) const
    {
        const auto mobility = m_site.nodes.Get(id)->GetObject<ns3::MobilityModel>();
        return mobility ? std::optional(PositionOf(*mobility)) : std::nullopt;
    }

    uint16_t CountNodes() const
    {
        return static_cast<uint16_t>(m_site.scenario.nodes.size());
    }

    /// @return what policies see of @p id
    NodeView View(NodeId id) const
    {
        NodeView me;
        me.id = id;
        me.roles = GetRoles(m_site.scenario.nodes[id]);
        me.timeNanoseconds = Now().count();
        me.speedMetresPerSecond = m_nodes[id]->GetMetresPerSecond();
        me.queuedEvents = static_cast<uint32_t>(m_nodes[id]->CountHeldEvents());
        return me;
    }

    StackSite m_site;
    const mesh::StationMaker* m_maker;       //!< of a protocol of one's own in C++, else nullptr
    mesh::PublishedEvents m_published;       //!< of such a one
    std::vector<ns3::Ptr<MeshNode>> m_nodes; //!< by id
    std::map<NodeId, std::optional<mesh::SubscriberMemory>> m_crashed;
};

} // namespace

std::unique_ptr<Stack>
MakeMeshStack(const StackSite& site)
{
    return std::make_unique<MeshStack>(site);
}

} // namespace mftpubsub
