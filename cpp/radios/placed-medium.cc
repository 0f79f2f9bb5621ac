/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "radios/placed-medium.h"

#include "wsn/position-of.h"

namespace mftpubsub
{

PlacedMedium::PlacedMedium(const ns3::NodeContainer& nodes)
{
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        m_places.push_back((*node)->GetObject<ns3::MobilityModel>());
    }
}

const ns3::Ptr<ns3::MobilityModel>&
PlacedMedium::GetPlace(NodeId node) const
{
    return m_places[node];
}

bool
PlacedMedium::IsCut(NodeId from, NodeId to) const
{
    return m_isCut && m_isCut(from, to);
}

Position
PlacedMedium::GetPosition(NodeId node) const
{
    return PositionOf(*m_places[node]);
}

std::vector<uint32_t>
PlacedMedium::GetUsableLinks(NodeId from) const
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

void
PlacedMedium::SetLinkFilter(LinkFilter isCut)
{
    m_isCut = std::move(isCut);
}

} // namespace mftpubsub
