/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run/simulator.h"

#include "content/condition.h"
#include "content/filter-types.h"
#include "content/filter.h"
#include "json/json-reader.h"
#include "json/json-writer.h"
#include "protocols/mesh/make-station.h"
#include "protocols/tree/make-broker.h"
#include "protocols/tree/message-codec.h"
#include "run/run-request.h"
#include "run/scenario-fields.h"
#include "stacks/handoff-stack.h"
#include "stacks/ip-protocols.h"

#include "ns3/nstime.h"
#include "ns3/string.h"

#include <map>
#include <regex.h>
#include <set>
#include <stdexcept>
#include <vector>

namespace mftpubsub
{

namespace
{

/// How values of an attribute type are written. ns-3 aborts on other texts instead of refusing
/// them.
const std::map<std::string, const char*> VALUE_SYNTAX = {
    {"ns3::BooleanValue", "^(true|false|0|1)$"},
    {"ns3::UintegerValue", "^[0-9]{1,18}$"},
    {"ns3::DoubleValue", "^[+-]?[0-9]+(\\.[0-9]*)?(e[+-]?[0-9]{1,3})?$"},
    {"ns3::TimeValue", "^[+-]?[0-9]{1,15}(\\.[0-9]*)?(s|ms|us|ns|min|h)$"},
};

/// By POSIX's functions: std::regex takes three seconds to compile.
bool
IsWrittenAs(const char* syntax, const std::string& value)
{
    regex_t compiled;
    if (regcomp(&compiled, syntax, REG_EXTENDED | REG_NOSUB) != 0)
    {
        throw std::logic_error(std::string("no regular expression: ") + syntax);
    }
    const auto isMatch = regexec(&compiled, value.c_str(), 0, nullptr, 0) == 0;
    regfree(&compiled);
    return isMatch;
}

/// @return whether @p value can be read as one that @p checker takes
bool
CanRead(const ns3::AttributeChecker& checker, const std::string& value)
{
    const auto type = checker.GetValueTypeName();
    if (type.starts_with("ns3::EnumValue"))
    {
        const auto names = "|" + checker.GetUnderlyingTypeInformation() + "|";
        return value.find('|') == std::string::npos &&
               names.find("|" + value + "|") != std::string::npos;
    }
    const auto syntax = VALUE_SYNTAX.find(type);
    return syntax != VALUE_SYNTAX.end() && IsWrittenAs(syntax->second, value);
}

/// @return what the value of an attribute must be, where ns-3 takes others and then never ends or
/// ends the process; empty if @p value is well
std::string
FindLimit(const std::string& type, const std::string& name, const std::string& value)
{
    const auto isInterval = type == "ns3::TimeValue" && name.ends_with("Interval");
    if (isInterval && !ns3::Time(value).IsStrictlyPositive())
    {
        return "longer than 0s";
    }
    return name == "MaxQueueLen" && std::stoull(value) == 0 ? "1 or more" : "";
}

} // namespace

std::string
Run(const std::string& request, uintptr_t hooks)
{
    try
    {
        const auto order = ReadRunOrder(request, hooks);
        return ToJson(RunScenario(order.request.scenario,
                                  order.trace,
                                  order.progress,
                                  order.request.instants,
                                  order.observer,
                                  order.air,
                                  order.frames));
    }
    catch (const std::exception& error) // of a class that cppyy does not know it has no text
    {
        throw std::runtime_error(error.what());
    }
}

std::string
EchoRunRequest(const std::string& request)
{
    return ToJson(FromJson<RunRequest>(request, "request"));
}

std::string
ListMessageKinds()
{
    std::set<std::string> names;
    for (MessageKind kind = 0; kind < MESSAGE_KINDS; ++kind)
    {
        names.emplace(GetKindName(kind));
    }
    return ToJson(std::vector<std::string>(names.begin(), names.end()));
}

std::string
ListProtocols()
{
    std::map<std::string, std::string> stacks;
    for (const auto& name : GetBrokerProtocols())
    {
        stacks.emplace(name, "tree");
    }
    for (const auto& protocol : GetIpProtocols())
    {
        stacks.emplace(protocol.name, protocol.routing);
    }
    for (const auto& name : mesh::GetStationProtocols())
    {
        stacks.emplace(name, "mesh");
    }
    for (const auto& name : GetRadioHandoffSchemes())
    {
        stacks.emplace(name, "handoff");
    }
    return ToJson(stacks);
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
CheckFilterTypes(const std::string& text, const std::string& types)
{
    return FindTypeProblem(Filter::Parse(text), FromJson<AttributeTypes>(types, "types"));
}

std::string
ListFilterAttributes(const std::string& text)
{
    const auto filter = Filter::Parse(text);
    const auto& condition = filter.GetCondition();
    std::set<std::string> names;
    for (const auto& node : condition.nodes)
    {
        if (node.kind == Node::Kind::ATTRIBUTE)
        {
            names.emplace(condition.GetText(node));
        }
    }
    return ToJson(std::vector<std::string>(names.begin(), names.end()));
}

std::string
CheckRoutingAttribute(const std::string& routing, const std::string& name, const std::string& value)
{
    const auto type = GetRoutingType(routing);
    ns3::TypeId::AttributeInformation attribute;
    if (!type.LookupAttributeByName(name, &attribute))
    {
        return type.GetName() + " has no attribute " + name;
    }
    const auto valueType = attribute.checker->GetValueTypeName();
    if (!CanRead(*attribute.checker, value) ||
        !attribute.checker->CreateValidValue(ns3::StringValue(value)))
    {
        return name + " = " + value + " is no value of type " + valueType + " (" +
               attribute.checker->GetUnderlyingTypeInformation() + ")";
    }
    const auto limit = FindLimit(valueType, name, value);
    return limit.empty() ? "" : name + " = " + value + ": it must be " + limit;
}

} // namespace mftpubsub
