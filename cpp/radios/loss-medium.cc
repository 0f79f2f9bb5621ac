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
{
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        m_places.push_back((*node)->GetObject<ns3::MobilityModel>());
    }
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
    m_steady = std::move(steady);
    m_powerDbm = powerDbm;
    m_thresholdDbm = thresholdDbm;
}

bool
LossMedium::IsCut(NodeId from, NodeId to) const
{
    return m_isCut && m_isCut(from, to);
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

std::pair<double, double>
LossMedium::GetPosition(NodeId node) const
{
    const auto place = m_places[node]->GetPosition();
    return {place.x, place.y};
}

bool
LossMedium::IsUsable(NodeId from, NodeId to) const
{
    return from != to && GetStrengthDbm(from, to) >= m_thresholdDbm;
}

std::vector<uint32_t>
LossMedium::GetUsableLinks(NodeId from) const
{
    std::vector<uint32_t> found;
    for (NodeId to = 0; to < m_places.size(); ++to)
    {
        if (IsUsable(from, to))
        {
            found.push_back(to);
        }
    }
    return found;
}

double
LossMedium::GetStrengthDbm(NodeId from, NodeId to) const
{
    return m_steady->CalcRxPower(m_powerDbm, m_places[from], m_places[to]);
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

void
LossMedium::SetLinkFilter(LinkFilter isCut)
{
    m_isCut = std::move(isCut);
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
