/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run/given-nodes.h"

#include "stacks/ip-protocols.h"
#include "wsn/wsn-net-device.h"

#include "ns3/ipv4.h"
#include "ns3/mobility-model.h"
#include "ns3/node-list.h"

#include <set>
#include <sstream>
#include <stdexcept>

namespace mftpubsub
{

namespace
{

/// @return what is wrong with where @p mobility puts its node; empty if nothing
std::string
CheckMobility(const ns3::MobilityModel& mobility, const Scenario& scenario)
{
    const auto position = mobility.GetPosition();
    if (position.x < 0 || position.x > scenario.areaXMetres || position.y < 0 ||
        position.y > scenario.areaYMetres)
    {
        std::ostringstream text;
        text << "stands at (" << position.x << ", " << position.y << "), outside the area of "
             << scenario.areaXMetres << " m x " << scenario.areaYMetres << " m";
        return text.str();
    }
    return "";
}

/// @return what is wrong with @p node; empty if nothing
std::string
CheckNode(const ns3::Ptr<ns3::Node>& node, const Scenario& scenario)
{
    if (node->GetId() >= ns3::NodeList::GetNNodes() ||
        ns3::NodeList::GetNode(node->GetId()) != node)
    {
        return "belongs to a simulation that has ended: make new nodes for each network";
    }
    if (WsnNetDevice::On(*node))
    {
        return "has a WsnNetDevice already";
    }
    if (FindIpProtocol(scenario.protocol) && node->GetObject<ns3::Ipv4>())
    {
        return "has an Internet stack already, and " + scenario.protocol + " brings its own";
    }
    const auto mobility = node->GetObject<ns3::MobilityModel>();
    return mobility ? CheckMobility(*mobility, scenario) : "";
}

} // namespace

const ns3::NodeContainer&
CheckGivenNodes(const ns3::NodeContainer& nodes, const Scenario& scenario)
{
    if (nodes.GetN() != scenario.nodes.size())
    {
        throw std::invalid_argument("nodes: " + std::to_string(nodes.GetN()) +
                                    " are given, and the scenario has " +
                                    std::to_string(scenario.nodes.size()));
    }
    std::set<uint32_t> ids;
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        const auto node = nodes.Get(i);
        const auto wrong =
            ids.insert(node->GetId()).second ? CheckNode(node, scenario) : "is given twice";
        if (!wrong.empty())
        {
            throw std::invalid_argument("nodes: number " + std::to_string(i) + " " + wrong);
        }
    }
    return nodes;
}

} // namespace mftpubsub
