/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "radios/loss-medium.h"

#include "radios/radios.h"

#include "ns3/simulator.h"

#include <utility>

namespace mftpubsub
{

LossMedium::LossMedium(const Scenario& scenario, const ns3::NodeContainer& nodes)
    : PlacedMedium(nodes)
{
    if (CanMove(nodes))
    {
        m_interval = ns3::Seconds(scenario.positionIntervalSeconds);
        ns3::Simulator::Schedule(m_interval, &LossMedium::Sample, this);
    }
}

void
LossMedium::SetLosses(ns3::Ptr<ns3::PropagationLossModel> steady,
                      double powerDbm,
                      double thresholdDbm)
{
    m_steady = steady;
    m_powerDbm = powerDbm;
    m_thresholdDbm = thresholdDbm;
}

void
LossMedium::PutOnAir(const ns3::Packet& packet)
{
    if (m_ended)
    {
        m_number.insert_or_assign(packet.GetUid(), m_frames);
    }
    ++m_frames;
}

void
LossMedium::End(NodeId receiver, const ns3::Packet& packet, SignalOutcome outcome) const
{
    const auto found = m_number.find(packet.GetUid());
    if (m_ended && found != m_number.end())
    {
        m_ended(receiver, found->second, outcome);
    }
}

bool
LossMedium::IsUsable(NodeId from, NodeId to) const
{
    return from != to && GetStrengthDbm(from, to) >= m_thresholdDbm;
}

double
LossMedium::GetStrengthDbm(NodeId from, NodeId to) const
{
    return m_steady->CalcRxPower(m_powerDbm, GetPlace(from), GetPlace(to));
}

void
LossMedium::OnLinksChanged(std::function<void()> changed)
{
    m_changed = std::move(changed);
}

void
LossMedium::OnSignalEnded(SignalEnded ended)
{
    m_ended = std::move(ended);
}

bool
LossMedium::IsSampled() const
{
    return false;
}

void
LossMedium::Sample()
{
    if (m_changed)
    {
        m_changed();
    }
    ns3::Simulator::Schedule(m_interval, &LossMedium::Sample, this);
}

} // namespace mftpubsub
