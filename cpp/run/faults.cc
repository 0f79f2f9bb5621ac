/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run/faults.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace mftpubsub
{

namespace
{

void
At(double seconds, std::function<void()> action)
{
    ns3::Simulator::Schedule(ns3::Seconds(seconds), std::move(action));
}

} // namespace

Faults::Faults(const Scenario& scenario, RunTrace& trace, Handlers handlers)
    : m_trace(trace),
      m_handlers(std::move(handlers))
{
    for (const auto& crash : scenario.crashes)
    {
        Schedule(crash);
    }
    for (const auto& blackout : scenario.blackouts)
    {
        Schedule(blackout);
    }
    for (const auto& partition : scenario.partitions)
    {
        Schedule(partition);
    }
}

void
Faults::Schedule(const CrashSpec& crash)
{
    const auto node = static_cast<NodeId>(crash.node);
    At(crash.atSeconds, [this, node] {
        m_down.insert(node);
        m_trace.Fault('-', "CRASH", node);
        m_handlers.crash(node);
        m_handlers.linksChanged();
    });
    if (crash.restarts)
    {
        At(crash.restartSeconds, [this, node] {
            m_down.erase(node);
            m_trace.Fault('+', "CRASH", node);
            m_handlers.restart(node);
            m_handlers.linksChanged();
        });
    }
}

void
Faults::Schedule(const BlackoutSpec& blackout)
{
    const auto [one, other] = std::minmax(blackout.one, blackout.other);
    const auto change = [this, one = NodeId(one), other = NodeId(other)](char op, int by) {
        m_blackouts[{one, other}] += by;
        m_trace.Fault(op, "BLACKOUT", one, other);
        m_handlers.linksChanged();
    };
    At(blackout.startSeconds, [change] { change('-', 1); });
    At(blackout.stopSeconds, [change] { change('+', -1); });
}

void
Faults::Schedule(const PartitionSpec& partition)
{
    const auto index = m_partitions.size();
    m_partitions.emplace_back();
    const auto change = [this, index](char op, std::set<NodeId> nodes) {
        for (const auto node : nodes)
        {
            m_trace.Fault(op, "PARTITION", node);
        }
        m_partitions[index] = op == '-' ? std::move(nodes) : std::set<NodeId>();
        m_handlers.linksChanged();
    };
    const std::set<NodeId> nodes(partition.nodes.begin(), partition.nodes.end());
    At(partition.startSeconds, [change, nodes] { change('-', nodes); });
    At(partition.stopSeconds, [change, nodes] { change('+', nodes); });
}

bool
Faults::IsDown(NodeId node) const
{
    return m_down.contains(node);
}

bool
Faults::IsCut(NodeId one, NodeId other) const
{
    const auto blackout = m_blackouts.find(std::minmax(one, other));
    return IsDown(one) || IsDown(other) ||
           (blackout != m_blackouts.end() && blackout->second > 0) ||
           std::ranges::any_of(m_partitions, [&](const std::set<NodeId>& nodes) {
               return nodes.contains(one) != nodes.contains(other);
           });
}

} // namespace mftpubsub
