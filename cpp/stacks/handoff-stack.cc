/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "stacks/handoff-stack.h"

#include "hosts/handoff-node.h"
#include "protocols/handoff/make-broker.h"
#include "stacks/stack.h"

#include <algorithm>

namespace mftpubsub
{

namespace
{

/// A hand-off scheme: fixed brokers, a wire between them, and clients that walk.
class HandoffStack : public Stack
{
  public:
    explicit HandoffStack(const StackSite& site)
        : m_site(site),
          m_backbone(ns3::Seconds(site.scenario.handoff.wireDelaySeconds))
    {
        const auto& nodes = m_site.scenario.nodes;
        for (NodeId id = 0; id < nodes.size(); ++id)
        {
            if (nodes[id].isBroker)
            {
                m_brokers.push_back(id);
            }
        }
        for (NodeId id = 0; id < nodes.size(); ++id)
        {
            const auto node = MakeNode(id);
            for (const auto& text : nodes[id].filters)
            {
                node->Subscribe(Filter::Parse(text));
            }
            Start(m_site, id, node);
            m_nodes.push_back(node);
        }
    }

    void Publish(NodeId publisher, const EventPtr& event, const std::vector<NodeId>&) override
    {
        m_nodes[publisher]->Publish(event);
    }

    // Nothing crashes: the scenario is checked for that.

    void Crash(NodeId) override
    {
    }

    void Restart(NodeId, int64_t) override
    {
    }

    std::vector<uint32_t> GetWired(NodeId from) const override
    {
        if (!m_site.scenario.nodes[from].isBroker)
        {
            return {};
        }
        std::vector<uint32_t> others(m_brokers.begin(), m_brokers.end());
        std::erase(others, from);
        return others;
    }

    void Describe(NodeId id, NodeState& state) const override
    {
        const auto parent = m_nodes[id]->GetParent();
        state.parent = parent == NO_NODE ? -1 : int32_t{parent};
        state.queuedEvents = m_nodes[id]->CountHeldEvents();
    }

    void NoteRemaining() const override
    {
        for (const auto& node : m_nodes)
        {
            node->NoteHeld(LossCause::QUEUED);
        }
        for (const auto& node : m_nodes)
        {
            node->NoteUnderway(LossCause::IN_FLIGHT);
        }
    }

  private:
    ns3::Ptr<HandoffNode> MakeNode(NodeId id)
    {
        const auto& scenario = m_site.scenario;
        const auto& scheme = handoff::FindScheme(scenario.protocol);
        HandoffNodeOptions options;
        options.id = id;
        options.roles = GetRoles(scenario.nodes[id]);
        options.overlay = MakeOverlayOptions(scenario);
        options.policies = scenario.policies;
        options.transport = MakeTransportOptions(m_site);
        options.stream = m_site.streams.protocol + id;
        options.client = scheme.client;
        options.queueBytes = scenario.handoff.queueBytes;
        options.pingInterval = ns3::Seconds(scenario.handoff.pingSeconds);
        std::unique_ptr<handoff::Broker> machine;
        if (const auto broker = std::ranges::find(m_brokers, id); broker != m_brokers.end())
        {
            const auto rank = broker - m_brokers.begin();
            const auto share = static_cast<double>(rank) / static_cast<double>(m_brokers.size());
            options.heartbeatOffset = ns3::Seconds(scenario.heartbeatIntervalSeconds * share);
            options.heartbeat.leadership = {0, m_brokers.front()};
            options.heartbeat.roles = options.roles;
            handoff::Options brokers;
            brokers.queueBytes = scenario.handoff.queueBytes;
            machine = scheme.make(id, brokers);
        }
        return ns3::CreateObject<HandoffNode>(std::move(options),
                                              std::move(machine),
                                              m_backbone,
                                              m_site.trace);
    }

    StackSite m_site;
    Backbone m_backbone;
    std::vector<NodeId> m_brokers;              //!< ascending
    std::vector<ns3::Ptr<HandoffNode>> m_nodes; //!< by id
};

} // namespace

std::vector<std::string>
GetRadioHandoffSchemes()
{
    std::vector<std::string> names;
    for (const auto& scheme : handoff::GetSchemes())
    {
        if (!scheme.routes)
        {
            names.push_back(scheme.name);
        }
    }
    return names;
}

bool
RunsHandoff(std::string_view protocol)
{
    const auto names = GetRadioHandoffSchemes();
    return std::ranges::find(names, protocol) != names.end();
}

std::unique_ptr<Stack>
MakeHandoffStack(const StackSite& site)
{
    return std::make_unique<HandoffStack>(site);
}

} // namespace mftpubsub
