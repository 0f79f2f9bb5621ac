/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "helper/protocol-checks.h"

#include "policies/own-policies.h"
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

namespace
{

using Names = std::set<std::string>;

std::string
Join(const Names& names)
{
    std::string joined;
    for (const auto& name : names)
    {
        joined += (joined.empty() ? "" : ", ") + name;
    }
    return joined;
}

/// @return the attributes of PubSubSettings that go to a protocol of stations
Names
GetStationAttributes(const std::string& protocol)
{
    if (protocol == "mft-mesh" || IsOwn(protocol))
    {
        return {"MaxFrameBytes",
                "MeshCopies",
                "MeshForward",
                "MeshHeartbeat",
                "MeshHeartbeatMax",
                "MeshPositions",
                "MeshScoping",
                "MeshSettle"};
    }
    return protocol == "epidemic" ? Names{"EpidemicInterval", "MaxFrameBytes"}
                                  : Names{"MaxFrameBytes"};
}

Names
GetAttributes(const std::string& protocol)
{
    if (const auto* ip = FindIpProtocol(protocol))
    {
        return ip->isAcked ? Names{"Arp", "MaxFrameBytes", "Window"} : Names{"Arp"};
    }
    if (RunsStations(protocol))
    {
        return GetStationAttributes(protocol);
    }
    Names names{"MaxFrameBytes", "Window"};
    if (protocol != MFT_PUBSUB_2) // which has heartbeats of its own
    {
        names.insert({"HeartbeatInterval", "LeaderTimeout"});
    }
    if (RunsHandoff(protocol))
    {
        names.insert("HandoffPing");
    }
    return names;
}

/// @return the kinds of policies that a protocol asks, as protocols.yaml has them for Python
Names
GetPolicyKinds(const std::string& protocol)
{
    static const Names queueing{"cascading",
                                "mft-pubsub",
                                "mft-pubsub-2",
                                "mft-pubsub-r",
                                "mft-pubsub-tuned",
                                "phoenix"};
    if (const auto* ip = FindIpProtocol(protocol))
    {
        return ip->isAcked ? Names{"retry"} : Names();
    }
    if (RunsStations(protocol))
    {
        return protocol == "mft-mesh" ? Names{"queue", "repair"} : Names();
    }
    if (RunsHandoff(protocol))
    {
        return {"client", "migration", "retry"};
    }
    Names kinds{"client", "failure", "leader", "migration", "parent", "retry"};
    if (queueing.contains(protocol))
    {
        kinds.insert("queue");
    }
    return kinds;
}

} // namespace

void
CheckTakesAttribute(const std::string& protocol, const std::string& name)
{
    const auto taken = GetAttributes(protocol);
    if (!taken.contains(name))
    {
        throw std::invalid_argument("PubSubHelper::SetAttribute: " + protocol +
                                    " makes nothing of " + name + "; it takes " + Join(taken));
    }
}

void
CheckAsksPolicy(const std::string& protocol, const std::string& kind)
{
    const auto asked = GetPolicyKinds(protocol);
    if (!asked.contains(kind))
    {
        throw std::invalid_argument(protocol + " asks no " + kind + " policy; it asks " +
                                    (asked.empty() ? "none" : Join(asked)));
    }
}

void
CheckProtocol(const std::string& protocol)
{
    Names names(GetBrokerProtocols().begin(), GetBrokerProtocols().end());
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
    throw std::invalid_argument("PubSubHelper: '" + protocol + "' is no protocol; there are " +
                                Join(names) + ", and what mesh::RegisterProtocol was given");
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
