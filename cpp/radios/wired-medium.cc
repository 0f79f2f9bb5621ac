/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "radios/wired-medium.h"

#include <utility>

namespace mftpubsub
{

WiredMedium::WiredMedium(const ns3::NodeContainer& nodes)
{
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        m_places.push_back((*node)->GetObject<ns3::MobilityModel>());
    }
}

std::pair<double, double>
WiredMedium::GetPosition(NodeId node) const
{
    const auto place = m_places[node]->GetPosition();
    return {place.x, place.y};
}

bool
WiredMedium::IsUsable(NodeId from, NodeId to) const
{
    return from != to && !(m_isCut && m_isCut(from, to));
}

std::vector<uint32_t>
WiredMedium::GetUsableLinks(NodeId from) const
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
WiredMedium::GetStrengthDbm(NodeId, NodeId) const
{
    return 0;
}

void
WiredMedium::OnLinksChanged(std::function<void()>)
{
    // Nothing that moves changes them; who cuts links knows it.
}

void
WiredMedium::OnSignalEnded(SignalEnded)
{
    // Such devices do not tell.
}

void
WiredMedium::SetLinkFilter(LinkFilter isCut)
{
    m_isCut = std::move(isCut);
}

bool
WiredMedium::IsSampled() const
{
    return true;
}

void
WiredMedium::PutOnAir(const ns3::Packet&)
{
    // It is not asked.
}

} // namespace mftpubsub
