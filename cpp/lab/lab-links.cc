/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/lab-links.h"

#include "lab/message-json.h"

#include <utility>
#include <variant>

namespace mftpubsub
{

LabLinks::LabLinks(const std::string& protocol)
    : m_protocol(protocol)
{
}

NodeId
LabLinks::AddBroker(const std::string& name)
{
    const auto id = m_processes.Add(name, true);
    m_tree[id];
    return id;
}

const LabProcesses&
LabLinks::GetProcesses() const
{
    return m_processes;
}

LabProcesses&
LabLinks::GetProcesses()
{
    return m_processes;
}

const OwedEvents&
LabLinks::GetOwed() const
{
    return m_owed;
}

OwedEvents&
LabLinks::GetOwed()
{
    return m_owed;
}

const std::set<NodeId>&
LabLinks::GetNeighbours(NodeId broker) const
{
    return m_tree.at(broker);
}

std::set<NodeId>
LabLinks::GetComponent(NodeId broker, NodeId without) const
{
    std::set<NodeId> component{broker};
    std::vector<NodeId> open{broker};
    while (!open.empty())
    {
        const auto at = open.back();
        open.pop_back();
        for (const auto next : m_tree.at(at))
        {
            const auto excluded = at == broker && next == without;
            if (!excluded && component.insert(next).second)
            {
                open.push_back(next);
            }
        }
    }
    return component;
}

bool
LabLinks::IsLinked(NodeId one, NodeId other) const
{
    const auto& from = m_processes.Get(one);
    const auto& to = m_processes.Get(other);
    if (from.broker && to.broker)
    {
        return m_tree.at(one).contains(other);
    }
    return from.broker ? to.at == one && from.machine : from.at == other && to.machine;
}

void
LabLinks::Link(NodeId one, NodeId other)
{
    m_tree[one].insert(other);
    m_tree[other].insert(one);
    m_processes.Touch(one).machine->LinkUp(other);
    m_processes.Touch(other).machine->LinkUp(one);
}

void
LabLinks::Unlink(NodeId one, NodeId other)
{
    m_tree[one].erase(other);
    m_tree[other].erase(one);
    for (const auto& [node, gone] : {Edge{one, other}, Edge{other, one}})
    {
        auto& process = m_processes.Touch(node);
        if (process.machine)
        {
            process.machine->LinkDown(gone);
        }
        if (process.parent == gone)
        {
            process.parent = NO_NODE;
        }
    }
    LoseMessages(one, other);
}

void
LabLinks::DetachClient(NodeId client)
{
    auto& process = m_processes.Touch(client);
    const auto old = std::exchange(process.at, NO_NODE);
    if (old != NO_NODE)
    {
        if (m_processes.IsUp(old))
        {
            m_processes.Touch(old).machine->LinkDown(client);
        }
        LoseMessages(client, old);
    }
    process.subscriber.Detached();
    process.publisher.Detached();
}

void
LabLinks::LoseMessages(NodeId one, NodeId other)
{
    for (const auto& link : {Edge{one, other}, Edge{other, one}})
    {
        if (auto channel = m_channels.extract(link))
        {
            for (const auto& inFlight : channel.mapped())
            {
                m_failures.push_back({link, inFlight.message});
            }
        }
    }
    SettleFailures();
}

void
LabLinks::Transmit(NodeId from, NodeId to, const Message& message)
{
    if (to == NO_NODE) // a broadcast
    {
        for (const auto neighbour : m_tree.at(from))
        {
            Transmit(from, neighbour, message);
        }
        return;
    }
    ++m_sent;
    auto shared = std::make_shared<const Message>(message);
    if (IsLinked(from, to))
    {
        m_channels[{from, to}].push_back({m_order++, std::move(shared)});
    }
    else
    {
        m_failures.push_back({{from, to}, std::move(shared)});
    }
}

void
LabLinks::Send(NodeId from, const std::vector<mftpubsub::Send>& sends)
{
    for (const auto& [to, message] : sends)
    {
        Transmit(from, to, message);
    }
}

void
LabLinks::Send(NodeId broker, const BrokerOutput& output)
{
    for (const auto& match : output.matches)
    {
        m_owed.NoteMatch(match);
    }
    for (const auto& drop : output.drops)
    {
        m_owed.Excuse(drop.subscriber, drop.event);
    }
    Send(broker, output.sends);
}

void
LabLinks::Send(NodeId client, const SubscriberOutput& output)
{
    for (const auto& delivery : output.deliveries)
    {
        if (!delivery.duplicate)
        {
            m_processes.Touch(client).delivered.push_back(delivery.event->id);
        }
    }
    Send(client, output.sends);
}

void
LabLinks::SettleFailures()
{
    while (!m_failures.empty())
    {
        const auto [link, message] = m_failures.front();
        m_failures.pop_front();
        Record(link, *message, true);
        const auto [from, to] = link;
        auto& sender = m_processes.Touch(from);
        if (!sender.broker)
        {
            sender.subscriber.DeliveryFailed(to);
            sender.publisher.DeliveryFailed(*message);
        }
        else if (sender.machine)
        {
            BrokerOutput output;
            sender.machine->DeliveryFailed(to, *message, output);
            Send(from, output);
        }
    }
}

void
LabLinks::Deliver(const Edge& link)
{
    const auto channel = m_channels.find(link);
    const auto message = channel->second.front().message;
    channel->second.pop_front();
    if (channel->second.empty())
    {
        m_channels.erase(channel);
    }
    Record(link, *message, false);
    const auto [from, to] = link;
    auto& receiver = m_processes.Touch(to);
    if (receiver.broker)
    {
        BrokerOutput output;
        receiver.machine->Receive(from, *message, output);
        Send(to, output);
    }
    else
    {
        SubscriberOutput output;
        receiver.subscriber.Receive(from, *message, output);
        Send(to, output);
    }
    SettleFailures();
}

void
LabLinks::Record(const Edge& link, const Message& message, bool failed)
{
    if (m_logging)
    {
        m_log.push_back({m_step,
                         m_processes.Name(link.first),
                         m_processes.Name(link.second),
                         std::string(GetName(message)),
                         DescribeFields(message, m_protocol, m_processes),
                         failed});
    }
}

const std::vector<LabRecord>&
LabLinks::GetLog() const
{
    return m_log;
}

void
LabLinks::ClearLog()
{
    m_log.clear();
}

void
LabLinks::SetLogging(bool logging)
{
    m_logging = logging;
}

uint64_t
LabLinks::CountSent() const
{
    return m_sent;
}

uint64_t
LabLinks::TakePlace()
{
    return m_order++;
}

std::vector<std::pair<uint64_t, LabLinks::Edge>>
LabLinks::GetHeads() const
{
    std::vector<std::pair<uint64_t, Edge>> heads;
    for (const auto& [link, channel] : m_channels)
    {
        heads.emplace_back(channel.front().order, link);
    }
    return heads;
}

void
LabLinks::ExcuseHeldBy(NodeId broker)
{
    m_owed.ExcuseQueued(*m_processes.Get(broker).machine);
    for (const auto& [link, channel] : m_channels)
    {
        for (const auto& inFlight : channel)
        {
            if (link.first == broker)
            {
                m_owed.ExcuseCarried(*inFlight.message);
            }
        }
    }
}

void
LabLinks::BeginStep()
{
    ++m_step;
}

void
LabLinks::ForgetPast()
{
    m_log.clear();
    m_step = 0;
    m_sent = 0;
}

std::string
LabLinks::GetDigest() const
{
    auto text = m_processes.GetDigest();
    for (const auto& [link, channel] : m_channels)
    {
        text += std::to_string(link.first) + ">" + std::to_string(link.second) + ":";
        for (const auto& inFlight : channel)
        {
            const auto& message = *inFlight.message;
            text += GetName(message);
            text += DescribeFields(message, m_protocol, m_processes);
            if (const auto* pub = std::get_if<Pub>(&message))
            {
                text += '[';
                for (const auto subscriber : pub->subscribers)
                {
                    text += std::to_string(subscriber) + ",";
                }
                text += ']';
            }
        }
        text += '\n';
    }
    return text;
}

} // namespace mftpubsub
