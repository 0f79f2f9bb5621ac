/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "worlds/broker-links.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace mftpubsub
{

using namespace handoff;
using ns3::Seconds;
using ns3::Simulator;

bool
IsTraffic(const Message& message)
{
    const auto* notify = std::get_if<Notify>(&message);
    return std::holds_alternative<Pub>(message) || std::holds_alternative<Evack>(message) ||
           (notify && !notify->events.front().transferred);
}

BrokerLinks::BrokerLinks(const HandoffScenario& scenario,
                         std::shared_ptr<const Tree> tree,
                         bool routes,
                         Receiver receiver)
    : m_delay(Seconds(HandoffTimes::BROKERS)),
      m_transferTime(Seconds(scenario.transferTime)),
      m_tree(std::move(tree)),
      m_routes(routes),
      m_receiver(std::move(receiver)),
      m_busyUntil(scenario.brokers)
{
}

void
BrokerLinks::Send(NodeId from, const handoff::Send& send)
{
    const auto leaves = IsTraffic(send.message) ? Simulator::Now() : Leave(from, send.message);
    Relay(from, from, send, leaves);
}

ns3::Time
BrokerLinks::Leave(NodeId from, const Message& message)
{
    const auto events = CountEvents(message);
    if (events == 0)
    {
        return Simulator::Now();
    }
    auto& busy = m_busyUntil[from - 1];
    busy = std::max(Simulator::Now(), busy) + m_transferTime * static_cast<int64_t>(events);
    return busy;
}

void
BrokerLinks::Relay(NodeId from, NodeId origin, const handoff::Send& send, ns3::Time leaves)
{
    const auto next = m_routes ? m_tree->GetNextHop(from, send.to) : send.to;
    const auto isSlow = m_routes ? IsBulk(send.message) : CountEvents(send.message) > 0;
    auto& last = m_lastArrival[{from, next, isSlow}];
    last = std::max(last, leaves + m_delay);
    Simulator::Schedule(last - Simulator::Now(), [this, next, origin, send] {
        if (next != send.to)
        {
            Relay(next, origin, send, Simulator::Now());
            return;
        }
        m_receiver(next, origin, send.message);
    });
}

uint64_t
BrokerLinks::CountHops(NodeId from, NodeId to) const
{
    uint64_t hops = 0;
    for (auto at = from; at != to; at = m_tree->GetNextHop(at, to))
    {
        ++hops;
    }
    return hops;
}

} // namespace mftpubsub
