/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "helper/pubsub-helper.h"

#include "helper/pubsub-network.h"

#include "ns3/node.h"

#include <sstream>
#include <stdexcept>

namespace mftpubsub
{

namespace
{

/// @return Roles
uint8_t
ParseRoles(const std::string& text)
{
    static const std::map<std::string, uint8_t> names{{"broker", ROLE_BROKER},
                                                      {"subscriber", ROLE_SUBSCRIBER},
                                                      {"publisher", ROLE_PUBLISHER},
                                                      {"router", 0}};
    uint8_t roles = 0;
    std::istringstream words(text);
    std::string word;
    bool isEmpty = true;
    while (words >> word)
    {
        const auto found = names.find(word);
        if (found == names.end())
        {
            throw std::invalid_argument("PubSubHelper::SetRole: '" + word +
                                        "' is no role; there are broker, subscriber, publisher, "
                                        "several of them, and router");
        }
        roles |= found->second;
        isEmpty = false;
    }
    if (isEmpty)
    {
        throw std::invalid_argument("PubSubHelper::SetRole: a role is missing; a node without any "
                                    "is a router");
    }
    return roles;
}

} // namespace

PubSubHelper::PubSubHelper(const std::string& protocol)
    : m_network(std::make_shared<PubSubNetwork>(protocol))
{
}

void
PubSubHelper::SetAttribute(const std::string& name, const ns3::AttributeValue& value)
{
    m_network->SetAttribute(name, value);
}

void
PubSubHelper::SetPolicy(const std::string& kind,
                        const std::string& name,
                        const std::map<std::string, double>& parameters)
{
    m_network->SetPolicy(kind, name, parameters);
}

void
PubSubHelper::SetRole(const ns3::NodeContainer& nodes, const std::string& role)
{
    m_network->SetRoles(nodes, ParseRoles(role));
}

void
PubSubHelper::Subscribe(const ns3::NodeContainer& nodes, const std::string& filter)
{
    m_network->Subscribe(nodes, filter);
}

ns3::ApplicationContainer
PubSubHelper::Install(const ns3::NetDeviceContainer& devices)
{
    return m_network->Install(devices);
}

int64_t
PubSubHelper::AssignStreams(const ns3::ApplicationContainer& applications, int64_t stream)
{
    if (applications.GetN() == 0)
    {
        return 0;
    }
    return m_network->AssignStreams(stream);
}

uint32_t
PubSubHelper::Publish(ns3::Ptr<ns3::Node> node,
                      const std::string& attributes,
                      uint32_t payloadBytes)
{
    return m_network->Publish(*node, attributes, payloadBytes);
}

void
PubSubHelper::PublishAt(ns3::Time time,
                        const ns3::NodeContainer& nodes,
                        const std::string& attributes,
                        uint32_t payloadBytes)
{
    m_network->PublishAt(time, nodes, attributes, payloadBytes);
}

void
PubSubHelper::WriteTrace(const std::string& path)
{
    m_network->WriteTrace(path);
}

} // namespace mftpubsub
