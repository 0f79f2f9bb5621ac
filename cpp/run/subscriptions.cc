/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run/subscriptions.h"

#include "ns3/simulator.h"

#include <utility>

namespace mftpubsub
{

namespace
{

std::set<Filter>
ParseAll(const std::vector<std::string>& texts)
{
    std::set<Filter> filters;
    for (const auto& text : texts)
    {
        filters.insert(Filter::Parse(text));
    }
    return filters;
}

} // namespace

Subscriptions::Subscriptions(const Scenario& scenario, Handlers handlers)
    : m_handlers(std::move(handlers)),
      m_wishes(scenario.nodes.size())
{
    for (const auto& absence : scenario.crashes)
    {
        if (absence.isAbsence && absence.atSeconds == 0)
        {
            m_wishes[absence.node].isAbsent = true;
        }
    }
    for (NodeId node = 0; node < m_wishes.size(); ++node)
    {
        auto& wishes = m_wishes[node];
        wishes.held = ParseAll(scenario.nodes[node].filters);
        wishes.wanted = wishes.held;
        if (wishes.isAbsent)
        {
            continue;
        }
        for (const auto& filter : wishes.held)
        {
            m_registry.Subscribe(node, filter);
        }
    }
    for (const auto& change : scenario.subscriptions)
    {
        ns3::Simulator::Schedule(
            ns3::Seconds(change.atSeconds),
            [this, node = static_cast<NodeId>(change.node), filters = ParseAll(change.filters)] {
                m_wishes[node].wanted = filters;
                Update(node);
            });
    }
}

void
Subscriptions::Leave(NodeId node)
{
    m_wishes[node].isAbsent = true;
    Update(node);
}

void
Subscriptions::Come(NodeId node)
{
    m_wishes[node].isAbsent = false;
    for (const auto& filter : m_wishes[node].held) // of one that comes for the first time
    {
        m_registry.Subscribe(node, filter);
    }
    Update(node);
}

void
Subscriptions::Restarted(NodeId node)
{
    Update(node);
}

void
Subscriptions::Update(NodeId node)
{
    if (m_handlers.isDown(node))
    {
        return;
    }
    auto& [held, wanted, isAbsent] = m_wishes[node];
    const auto target = isAbsent ? std::set<Filter>() : wanted;
    const auto before = std::exchange(held, target);
    for (const auto& filter : before)
    {
        if (!target.contains(filter))
        {
            m_registry.Unsubscribe(node, filter);
            m_handlers.unsubscribe(node, filter);
        }
    }
    for (const auto& filter : target)
    {
        if (!before.contains(filter))
        {
            m_registry.Subscribe(node, filter);
            m_handlers.subscribe(node, filter);
        }
    }
}

} // namespace mftpubsub
