/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/handoff/handoff-names.h"

#include "lab/natural-order.h"
#include "lab/tree/tree-lab.h"

#include <algorithm>

namespace mftpubsub
{

namespace
{

using namespace handoff;

constexpr NodeId FIRST_PUBLISHER = 500;
constexpr NodeId FIRST_SUBSCRIBER = 1000;

/// @return the last index of @p name. @throws LabError that says that there is no such @p kind
NodeId
Find(const std::vector<std::string>& names, const std::string& name, const std::string& kind)
{
    const auto found = std::find(names.rbegin(), names.rend(), name);
    if (found == names.rend())
    {
        throw LabError("no " + kind + " '" + name + "'");
    }
    return static_cast<NodeId>(names.rend() - found - 1);
}

template <typename T, typename ToName>
std::string
Join(const std::vector<T>& items, const ToName& toName)
{
    std::string text;
    for (const auto& item : items)
    {
        text += (text.empty() ? "" : ",") + toName(item);
    }
    return text;
}

std::string
DescribeSession(std::optional<Session> session)
{
    return session ? " k=" + std::to_string(*session) : "";
}

std::string
DescribeMode(Subs::Mode mode)
{
    static constexpr const char* TEXTS[] = {"", " mode=passive", " mode=active"};
    return TEXTS[static_cast<size_t>(mode)];
}

std::string
DescribeReason(Delete::Why why)
{
    static constexpr const char* TEXTS[] = {"moved", "unsubscribe", "timeout", "edge"};
    return std::string(" why=") + TEXTS[static_cast<size_t>(why)];
}

} // namespace

HandoffNames::HandoffNames(const std::vector<std::pair<std::string, std::string>>& links)
{
    for (const auto& [one, other] : links)
    {
        m_brokers.push_back(one);
        m_brokers.push_back(other);
    }
    std::sort(m_brokers.begin(), m_brokers.end(), NaturallyLess);
    m_brokers.erase(std::unique(m_brokers.begin(), m_brokers.end()), m_brokers.end());
}

NodeId
HandoffNames::CountBrokers() const
{
    return static_cast<NodeId>(m_brokers.size());
}

NodeId
HandoffNames::FindBroker(const std::string& name) const
{
    return static_cast<NodeId>(Find(m_brokers, name, "broker") + 1);
}

NodeId
HandoffNames::FindSubscriber(const std::string& name) const
{
    return static_cast<NodeId>(Find(m_subscribers, name, "subscriber") + FIRST_SUBSCRIBER);
}

NodeId
HandoffNames::AddSubscriber(const std::string& name)
{
    m_subscribers.push_back(name);
    return FindSubscriber(name);
}

NodeId
HandoffNames::PublisherAt(NodeId broker)
{
    return static_cast<NodeId>(FIRST_PUBLISHER + broker);
}

void
HandoffNames::AddEvent(EventId event, const std::string& name)
{
    m_events.emplace(event, name);
}

std::string
HandoffNames::Name(NodeId node) const
{
    return node >= FIRST_SUBSCRIBER ? m_subscribers.at(node - FIRST_SUBSCRIBER)
                                    : m_brokers.at(node - 1);
}

std::string
HandoffNames::Name(const EventId& event) const
{
    return m_events.at(event);
}

std::string
HandoffNames::Name(const std::vector<NodeId>& nodes) const
{
    return Join(nodes, [this](NodeId node) { return Name(node); });
}

std::string
HandoffNames::Name(const std::vector<EventId>& events) const
{
    return Join(events, [this](const EventId& event) { return Name(event); });
}

std::string
HandoffNames::Name(const Consumed& consumed) const
{
    return consumed.GetIds().empty() ? "none" : Name(consumed.GetIds());
}

std::string
HandoffNames::List(const std::vector<Held>& events) const
{
    return " events=[" + Join(events, [this](const Held& held) { return Name(held.event->id); }) +
           "]";
}

std::string
HandoffNames::List(const Neighbours& neighbours) const
{
    return " N=[" + Name(neighbours) + "]";
}

std::string
HandoffNames::Describe(const Message& message) const
{
    return std::visit([this](const auto& m) { return DescribeFields(m); }, message);
}

std::string
HandoffNames::DescribeFields(const Reconnect& message) const
{
    return " old=" + Name(message.old) + " last=" + Name(message.last) +
           DescribeSession(message.session);
}

std::string
HandoffNames::DescribeFields(const Transfer& message) const
{
    return " " + Name(message.subscriber) + DescribeSession(message.session) +
           List(message.events) + (message.neighbours ? List(*message.neighbours) : "") +
           (message.isObsolete ? " obsolete" : "");
}

std::string
HandoffNames::DescribeFields(const Remove& message) const
{
    return " " + Name(message.subscriber) + DescribeSession(message.session) +
           (message.neighbours ? List(*message.neighbours) + " last=" + Name(message.last) : "");
}

std::string
HandoffNames::DescribeFields(const Pub& message) const
{
    return " " + Name(message.event->id);
}

std::string
HandoffNames::DescribeFields(const Adv& message) const
{
    return " at=" + Name(static_cast<NodeId>(message.publisher - FIRST_PUBLISHER));
}

template <typename Kind>
std::string
HandoffNames::DescribeFields(const Kind& message) const
{
    std::string text;
    if constexpr (requires { message.subscriber; })
    {
        text += " " + Name(message.subscriber);
    }
    if constexpr (requires { message.session; })
    {
        text += DescribeSession(message.session);
    }
    if constexpr (requires { message.broker; })
    {
        text += message.broker == NO_NODE ? "" : " for=" + Name(message.broker);
    }
    if constexpr (requires { message.old; })
    {
        text += " old=" + Name(message.old);
    }
    if constexpr (requires { message.keep; })
    {
        text += message.keep ? "" : " keep=no";
    }
    if constexpr (requires { message.mode; })
    {
        text += DescribeMode(message.mode);
    }
    if constexpr (requires { message.why; })
    {
        text += DescribeReason(message.why);
    }
    if constexpr (requires { message.neighbours; })
    {
        text += List(message.neighbours);
    }
    if constexpr (requires { message.need; })
    {
        text += message.need ? " need=yes" : " need=no";
    }
    if constexpr (requires { message.last; })
    {
        text += " last=" + Name(message.last);
    }
    if constexpr (requires { message.events; })
    {
        text += List(message.events);
    }
    if constexpr (requires { message.isObsolete; })
    {
        text += message.isObsolete ? " obsolete" : "";
    }
    return text;
}

} // namespace mftpubsub
