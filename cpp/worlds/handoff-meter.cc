/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "worlds/handoff-meter.h"

#include "worlds/broker-links.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace mftpubsub
{

using namespace handoff;
using ns3::Seconds;
using ns3::Simulator;
using ns3::Time;

HandoffMeter::HandoffMeter(const HandoffScenario& scenario)
    : m_windowStart(Seconds(scenario.warmUp)),
      m_windowEnd(Seconds(scenario.warmUp + scenario.window)),
      m_costs(scenario.costs),
      m_publishedAt(1) // sequence numbers begin at 1
{
    m_result.copiesByBroker.resize(scenario.brokers);
    m_result.storedByBroker.resize(scenario.brokers);
    m_result.connectedByBroker.resize(scenario.brokers);
}

bool
HandoffMeter::IsInWindow(Time time) const
{
    return time >= m_windowStart && time < m_windowEnd;
}

bool
HandoffMeter::IsInWindow() const
{
    return IsInWindow(Simulator::Now());
}

void
HandoffMeter::Published()
{
    m_publishedAt.push_back(Simulator::Now());
    m_result.published += IsInWindow();
}

void
HandoffMeter::Flooded()
{
    m_result.trafficHops += IsInWindow() ? m_result.copiesByBroker.size() - 1 : 0;
}

void
HandoffMeter::Sent(const Message& message, uint64_t hops)
{
    if (IsTraffic(message))
    {
        m_result.trafficHops += IsInWindow() ? hops : 0;
        return;
    }
    const auto events = CountEvents(message);
    ++m_work.control;
    m_work.transferred += events;
    if (IsInWindow())
    {
        ++m_result.control[std::string(GetName(message))];
        m_result.controlHops += hops;
        m_result.transferredEvents += events;
        m_result.messageBytes += GetSize(message);
    }
}

void
HandoffMeter::Answered(NodeId broker, const Output& output)
{
    m_work.stored += output.stored;
    m_work.delivered += output.deliveries.size();
    if (IsInWindow())
    {
        m_result.storedByBroker[broker - 1] += output.stored;
        m_result.delivered += output.deliveries.size();
    }
}

void
HandoffMeter::Moved()
{
    m_result.moves += IsInWindow();
}

void
HandoffMeter::Received(NodeId broker, const Held& held, bool isDuplicate)
{
    const auto published = m_publishedAt[held.event->id.sequence];
    if (IsInWindow())
    {
        ++m_result.copiesInWindow;
        ++m_result.copiesByBroker[broker - 1];
        m_result.transferred += held.transferred;
    }
    if (IsInWindow(published))
    {
        const auto delay = (Simulator::Now() - published).GetSeconds();
        ++m_result.copies;
        m_result.delaySum += delay;
        m_result.duplicates += isDuplicate;
        m_result.delayFirstSum += isDuplicate ? 0 : delay;
    }
}

void
HandoffMeter::ReceivedFirst(Time reconnected)
{
    if (IsInWindow(reconnected))
    {
        m_result.latencies.push_back((Simulator::Now() - reconnected).GetSeconds());
    }
}

void
HandoffMeter::WasConnected(NodeId broker, Time since)
{
    const auto from = std::max(since, m_windowStart).GetSeconds();
    const auto to = std::min(Simulator::Now(), m_windowEnd).GetSeconds();
    m_result.connectedByBroker[broker - 1] += std::max(0.0, to - from);
}

void
HandoffMeter::SampleHeld(size_t held)
{
    ++m_heldSamples;
    m_result.heldMean += static_cast<double>(held);
}

Time
HandoffMeter::TakeWork()
{
    const auto work = std::exchange(m_work, {});
    return Seconds((m_costs.eventMs + m_costs.deliveredMs * static_cast<double>(work.delivered) +
                    m_costs.storedMs * static_cast<double>(work.stored) +
                    m_costs.controlMs * static_cast<double>(work.control) +
                    m_costs.transferredMs * static_cast<double>(work.transferred)) /
                   1000);
}

HandoffResult
HandoffMeter::Finish()
{
    for (auto& connected : m_result.connectedByBroker)
    {
        connected /= (m_windowEnd - m_windowStart).GetSeconds();
    }
    m_result.heldMean /= static_cast<double>(std::max<uint64_t>(m_heldSamples, 1));
    return std::move(m_result);
}

} // namespace mftpubsub
