/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "worlds/handoff-draw.h"

#include "scenario/streams.h"

#include <cmath>
#include <vector>

namespace mftpubsub
{

namespace
{

constexpr int64_t STREAMS_A_SUBSCRIBER = 4;

} // namespace

HandoffMovement::HandoffMovement(const HandoffScenario& scenario, uint32_t subscriber)
    : m_scenario(scenario),
      m_stay(ns3::CreateObject<ns3::ExponentialRandomVariable>()),
      m_choice(ns3::CreateObject<ns3::UniformRandomVariable>())
{
    m_stay->SetStream(STREAM_MOBILITY + STREAMS_A_SUBSCRIBER * subscriber);
    m_choice->SetStream(STREAM_MOBILITY + STREAMS_A_SUBSCRIBER * subscriber + 1);
}

ns3::Time
HandoffMovement::Stay(double mean)
{
    return ns3::Seconds(m_stay->GetValue(mean, 0));
}

bool
HandoffMovement::TossCoin()
{
    return m_choice->GetValue() < 0.5;
}

NodeId
HandoffMovement::First()
{
    return static_cast<NodeId>(m_choice->GetInteger(1, m_scenario.brokers));
}

NodeId
HandoffMovement::Next(NodeId from)
{
    std::vector<NodeId> targets;
    for (const auto& [one, other] : m_scenario.moves)
    {
        if (one == from)
        {
            targets.push_back(other);
        }
    }
    return targets[m_choice->GetInteger(0, static_cast<uint32_t>(targets.size() - 1))];
}

HandoffInterest::HandoffInterest(double probability, uint32_t subscriber)
    : m_probability(probability),
      m_random(ns3::CreateObject<ns3::UniformRandomVariable>())
{
    m_random->SetStream(STREAM_TRAFFIC + subscriber);
    Skip();
}

bool
HandoffInterest::Wants(uint32_t sequence)
{
    if (sequence != m_next)
    {
        return false;
    }
    Skip();
    return true;
}

void
HandoffInterest::Skip()
{
    const auto gap =
        m_probability >= 1
            ? 0
            : std::floor(std::log(1 - m_random->GetValue()) / std::log(1 - m_probability));
    m_next += 1 + static_cast<uint32_t>(gap);
}

} // namespace mftpubsub
