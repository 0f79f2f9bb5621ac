/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "helper/protocol-checks.h"

#include "protocols/mesh/make-station.h"
#include "protocols/own/hook-station.h"
#include "protocols/tree/make-broker.h"
#include "stacks/handoff-stack.h"
#include "stacks/ip-protocols.h"
#include "stacks/stack.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace mftpubsub
{

void
CheckProtocol(const std::string& protocol)
{
    std::set<std::string> names(GetBrokerProtocols().begin(), GetBrokerProtocols().end());
    for (const auto& ip : GetIpProtocols())
    {
        names.emplace(ip.name);
    }
    for (const auto& scheme : GetRadioHandoffSchemes())
    {
        names.insert(scheme);
    }
    if (names.contains(protocol) || (RunsStations(protocol) && protocol != mesh::PYTHON_PROTOCOL))
    {
        return;
    }
    names.insert(mesh::GetStationProtocols().begin(), mesh::GetStationProtocols().end());
    std::string known;
    for (const auto& name : names)
    {
        known += known.empty() ? name : ", " + name;
    }
    throw std::invalid_argument("PubSubHelper: '" + protocol + "' is no protocol; there are " +
                                known + ", and what mesh::RegisterProtocol was given");
}

void
CheckHasBrokers(const Scenario& scenario)
{
    const auto& protocol = scenario.protocol;
    if (!FindIpProtocol(protocol) && !IsOwn(protocol) &&
        std::ranges::none_of(scenario.nodes, &NodeSpec::isBroker))
    {
        throw std::logic_error("PubSubHelper: " + protocol +
                               " needs brokers: SetRole(nodes, \"broker\")");
    }
}

} // namespace mftpubsub
