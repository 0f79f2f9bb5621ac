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

/// From goodbye to silence, s: time for a few frames and their repetitions.
constexpr double PARTING_SECONDS = 1.0;

/// The CC2420 draws less with all that is around it, W.
constexpr double MOST_WATTS = 1.0;
constexpr double LEAST_STEP_SECONDS = 1e-3;

/// @return what no radio of @p scenario draws more than, W. A battery is looked at when it might be
/// empty at the earliest, so that it is seen to be empty within a step.
double
GetMostWatts(const Scenario& scenario)
{
    const auto isWifi = scenario.radio == "wifi";
    if (!isWifi && scenario.radio != "lr-wpan")
    {
        return MOST_WATTS;
    }
    const auto& powers = isWifi ? scenario.wifi.powers : scenario.lrWpan.powers;
    return std::max({MOST_WATTS, powers.transmit, powers.receive, powers.listen, powers.sleep});
}

void
At(double seconds, std::function<void()> action)
{
    ns3::Simulator::Schedule(ns3::Seconds(seconds), std::move(action));
}

} // namespace

Faults::Faults(const Scenario& scenario, RunTrace& trace, Handlers handlers)
    : m_trace(trace),
      m_handlers(std::move(handlers)),
      m_mostWatts(GetMostWatts(scenario))
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
    for (const auto& sleep : scenario.sleeps)
    {
        At(sleep.startSeconds, [this, sleep] { Sleep(sleep, true); });
    }
    for (const auto& battery : scenario.batteries)
    {
        LookAt(battery);
    }
}

void
Faults::Schedule(const CrashSpec& crash)
{
    const auto node = static_cast<NodeId>(crash.node);
    if (crash.isAbsence)
    {
        Leave(crash);
        return;
    }
    At(crash.atSeconds, [this, node] {
        if (IsDown(node))
        {
            return;
        }
        m_trace.Fault('-', "CRASH", node);
        GoDown(node);
    });
    if (crash.restarts)
    {
        At(crash.restartSeconds, [this, node] {
            if (m_spent.contains(node))
            {
                return;
            }
            m_down.erase(node);
            m_trace.Fault('+', "CRASH", node);
            m_handlers.restart(node);
            m_handlers.linksChanged();
        });
    }
}

void
Faults::Leave(const CrashSpec& absence)
{
    const auto node = static_cast<NodeId>(absence.node);
    const auto isLate = absence.atSeconds == 0;
    if (isLate)
    {
        m_trace.Fault('-', "ABSENT", node);
        m_down.insert(node);
    }
    else
    {
        At(absence.atSeconds, [this, node] {
            if (IsDown(node))
            {
                return;
            }
            m_trace.Fault('-', "ABSENT", node);
            m_leaving.insert(node);
            m_handlers.leave(node);
        });
        At(absence.atSeconds + PARTING_SECONDS, [this, node] {
            if (m_leaving.erase(node) > 0)
            {
                GoDown(node);
            }
        });
    }
    if (absence.restarts)
    {
        At(absence.restartSeconds, [this, node, isLate] { Come(node, isLate); });
    }
}

void
Faults::Come(NodeId node, bool isFirst)
{
    if (m_spent.contains(node))
    {
        return;
    }
    m_down.erase(node);
    m_trace.Fault('+', "ABSENT", node);
    if (!isFirst)
    {
        m_handlers.restart(node);
    }
    m_handlers.come(node);
    m_handlers.linksChanged();
}

void
Faults::Sleep(const SleepSpec& sleep, bool isAsleep)
{
    const auto node = static_cast<NodeId>(sleep.node);
    const auto left = ns3::Seconds(sleep.stopSeconds) - ns3::Simulator::Now();
    if (isAsleep && !left.IsStrictlyPositive())
    {
        return;
    }
    if (isAsleep)
    {
        m_asleep.insert(node);
    }
    else
    {
        m_asleep.erase(node);
    }
    m_trace.Fault(isAsleep ? '-' : '+', "ASLEEP", node);
    m_handlers.sleep(node, isAsleep);
    m_handlers.linksChanged();
    const auto next = isAsleep ? std::min(ns3::Seconds(sleep.asleepSeconds), left)
                               : ns3::Seconds(sleep.awakeSeconds);
    ns3::Simulator::Schedule(next, [this, sleep, isAsleep] { Sleep(sleep, !isAsleep); });
}

void
Faults::LookAt(const BatterySpec& battery)
{
    const auto node = static_cast<NodeId>(battery.node);
    const auto left = battery.joules - m_handlers.getJoules(node);
    if (left > 0)
    {
        At(std::max(left / m_mostWatts, LEAST_STEP_SECONDS), [this, battery] { LookAt(battery); });
        return;
    }
    m_spent.insert(node);
    m_leaving.erase(node);
    m_trace.Fault('-', "BATTERY", node);
    GoDown(node);
}

void
Faults::GoDown(NodeId node)
{
    m_down.insert(node);
    m_handlers.crash(node);
    m_handlers.linksChanged();
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
Faults::IsAsleep(NodeId node) const
{
    return m_asleep.contains(node);
}

bool
Faults::IsSilent(NodeId node) const
{
    return IsDown(node) || m_leaving.contains(node);
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
