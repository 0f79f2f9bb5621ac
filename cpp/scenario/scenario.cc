/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "scenario/scenario.h"

#include "content/filter.h"
#include "protocols/make-broker.h"
#include "scenario/network.h"

#include "ns3/aodv-routing-protocol.h"
#include "ns3/string.h"

#include <map>
#include <regex>

namespace mftpubsub
{

namespace
{

/// How values of an attribute type are written. ns-3 aborts on other texts instead of refusing
/// them.
const std::map<std::string, std::regex> VALUE_SYNTAX = {
    {"ns3::BooleanValue", std::regex("true|false|0|1")},
    {"ns3::UintegerValue", std::regex("[0-9]{1,18}")},
    {"ns3::DoubleValue", std::regex("[+-]?[0-9]+(\\.[0-9]*)?(e[+-]?[0-9]{1,3})?")},
    {"ns3::TimeValue", std::regex("[+-]?[0-9]{1,15}(\\.[0-9]*)?(s|ms|us|ns|min|h)")},
};

} // namespace

RunCost
RunScenario(const Scenario& scenario,
            TraceBlockSink sink,
            ProgressCallback progress,
            const std::vector<double>& instants,
            Observer observer)
{
    Network network(scenario, std::move(sink));
    return network.Run(progress, instants, observer);
}

std::vector<std::string>
GetProtocols()
{
    auto names = GetBrokerProtocols();
    names.emplace_back(AODV);
    names.emplace_back(AODV_ACKED);
    names.emplace_back(MFT_MESH);
    names.emplace_back(MPL);
    names.emplace_back(EPIDEMIC);
    return names;
}

std::string
CheckFilter(const std::string& text)
{
    try
    {
        Filter::Parse(text);
        return "";
    }
    catch (const FilterError& error)
    {
        return error.what();
    }
}

std::string
CheckAodvAttribute(const std::string& name, const std::string& value)
{
    const auto type = ns3::aodv::RoutingProtocol::GetTypeId();
    ns3::TypeId::AttributeInformation attribute;
    if (!type.LookupAttributeByName(name, &attribute))
    {
        return "ns3::aodv::RoutingProtocol has no attribute " + name;
    }
    const auto syntax = VALUE_SYNTAX.find(attribute.checker->GetValueTypeName());
    if (syntax == VALUE_SYNTAX.end() || !std::regex_match(value, syntax->second) ||
        !attribute.checker->CreateValidValue(ns3::StringValue(value)))
    {
        return name + " = " + value + " is no value of type " +
               attribute.checker->GetValueTypeName() + " (" +
               attribute.checker->GetUnderlyingTypeInformation() + ")";
    }
    return "";
}

} // namespace mftpubsub
