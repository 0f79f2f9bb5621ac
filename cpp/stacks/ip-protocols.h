/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_STACKS_IP_PROTOCOLS_H
#define MFTPUBSUB_STACKS_IP_PROTOCOLS_H

#include "ns3/object-factory.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mftpubsub
{

/// Attributes of a routing protocol by name, values as ns-3 writes them.
using RoutingAttributes = std::vector<std::pair<std::string, std::string>>;

/// Publishers that send each event to each of its subscribers, over a routing protocol of ns-3's.
struct IpProtocol
{
    std::string_view name;          //!< as Scenario::protocol has it
    std::string_view routing;       //!< "aodv", "olsr", "dsdv": class ns3::ROUTING::RoutingProtocol
    bool isAcked{false};            //!< over AckedNetDevice
    bool hasFeedback{false};        //!< what that device gives up is a link error for AODV
    RoutingAttributes attributes{}; //!< instead of ns-3's defaults
};

/// @return all of them
std::span<const IpProtocol> GetIpProtocols();

/// @return that of name @p protocol; nullptr if it is none of them
const IpProtocol* FindIpProtocol(std::string_view protocol);

/// @return the type of @p routing, one of ns-3's protocols above
ns3::TypeId GetRoutingType(std::string_view routing);

} // namespace mftpubsub

#endif /* MFTPUBSUB_STACKS_IP_PROTOCOLS_H */
