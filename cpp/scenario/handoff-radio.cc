/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "scenario/handoff-radio.h"

#include "protocols/handoff/make-broker.h"

#include <algorithm>

namespace mftpubsub
{

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

HandoffRadio::HandoffRadio(const Scenario& scenario, RunTrace& trace)
    : m_scenario(scenario),
      m_trace(trace),
      m_backbone(ns3::Seconds(scenario.handoff.wireDelaySeconds))
{
    for (NodeId id = 0; id < scenario.nodes.size(); ++id)
    {
        if (scenario.nodes[id].isBroker)
        {
            m_brokers.push_back(id);
        }
    }
}

ns3::Ptr<HandoffNode>
HandoffRadio::MakeNode(HandoffNodeOptions options)
{
    const auto& scheme = handoff::FindScheme(m_scenario.protocol);
    const auto id = options.id;
    options.client = scheme.client;
    options.queueBytes = m_scenario.handoff.queueBytes;
    options.pingInterval = ns3::Seconds(m_scenario.handoff.pingSeconds);
    std::unique_ptr<handoff::Broker> machine;
    if (const auto broker = std::ranges::find(m_brokers, id); broker != m_brokers.end())
    {
        const auto rank = broker - m_brokers.begin();
        const auto share = static_cast<double>(rank) / static_cast<double>(m_brokers.size());
        options.heartbeatOffset = ns3::Seconds(m_scenario.heartbeatIntervalSeconds * share);
        options.heartbeat.leadership = {0, m_brokers.front()};
        options.heartbeat.roles = options.roles;
        handoff::Options brokers;
        brokers.queueBytes = m_scenario.handoff.queueBytes;
        machine = scheme.make(id, brokers);
    }
    const auto node =
        ns3::CreateObject<HandoffNode>(std::move(options), std::move(machine), m_backbone, m_trace);
    for (const auto& text : m_scenario.nodes[id].filters)
    {
        node->Subscribe(Filter::Parse(text));
    }
    return node;
}

} // namespace mftpubsub
