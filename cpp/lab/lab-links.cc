/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/lab-links.h"

#include "lab/families/tree-words.h"

#include <algorithm>
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

const LabChannels&
LabLinks::GetChannels() const
{
    return m_channels;
}

LabChannels&
LabLinks::GetChannels()
{
    return m_channels;
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

/// @return whether @p from can send to @p to, as far as it knows
bool
LabLinks::IsLinked(NodeId from, NodeId to) const
{
    const auto& sender = m_processes.Get(from);
    const auto& receiver = m_processes.Get(to);
    if (sender.broker && receiver.broker)
    {
        return m_up.contains({from, to});
    }
    return sender.broker ? sender.machine != nullptr && (receiver.at == from || receiver.isSlippery)
                         : sender.at == to && receiver.machine;
}

/// @return whether what is sent over @p link can arrive
bool
LabLinks::IsThere(const Edge& link) const
{
    const auto& [from, to] = link;
    return m_processes.Get(to).broker || m_processes.Get(to).at == from;
}

void
LabLinks::Link(NodeId one, NodeId other)
{
    m_tree[one].insert(other);
    m_tree[other].insert(one);
    Hear(one, other);
    Hear(other, one);
}

void
LabLinks::Hear(NodeId broker, NodeId neighbour)
{
    if (m_up.insert({broker, neighbour}).second)
    {
        BrokerOutput output;
        m_processes.Touch(broker).machine->Step(TIMELESS, input::LinkUp{neighbour}, output);
        Carry(broker, output);
    }
}

void
LabLinks::Unlink(NodeId one, NodeId other)
{
    m_tree[one].erase(other);
    m_tree[other].erase(one);
    for (const auto& [node, gone] : {Edge{one, other}, Edge{other, one}})
    {
        auto& process = m_processes.Touch(node);
        if (m_up.erase({node, gone}) > 0 && process.machine)
        {
            BrokerOutput output;
            process.machine->Step(TIMELESS, input::LinkDown{gone}, output);
            Send(node, output);
        }
        if (process.parent == gone)
        {
            process.parent = NO_NODE;
        }
    }
    m_channels.Break(one, other);
    SettleFailures();
}

void
LabLinks::GiveUp(NodeId from, NodeId to)
{
    m_channels.EndSession({from, to});
    if (m_up.contains({from, to}))
    {
        BrokerOutput output;
        m_processes.Touch(from).machine->Step(TIMELESS, input::LinkReset{to}, output);
        Send(from, output);
    }
    SettleFailures();
}

void
LabLinks::Deny(const Edge& link)
{
    const auto message = m_channels.Peek(link);
    Deliver(link);
    m_channels.Fail(link, message);
    GiveUp(link.first, link.second);
}

void
LabLinks::Lose(NodeId broker, NodeId neighbour)
{
    m_channels.EndSession({broker, neighbour});
    m_up.erase({broker, neighbour});
    auto& process = m_processes.Touch(broker);
    if (process.parent == neighbour)
    {
        process.parent = NO_NODE;
    }
    BrokerOutput output;
    process.machine->Step(TIMELESS, input::LinkDown{neighbour}, output);
    Send(broker, output);
    m_channels.PutSign({neighbour, broker}, Sign::HEARD);
    SettleFailures();
}

void
LabLinks::Forget(NodeId broker)
{
    auto others = m_tree.at(broker);
    const auto clients = m_processes.GetClientsAt(broker);
    others.insert(clients.begin(), clients.end());
    for (const auto other : others)
    {
        m_channels.EndSession({broker, other});
        m_up.erase({broker, other});
        if (m_processes.Get(other).broker)
        {
            m_channels.PutSign({other, broker}, Sign::HEARD);
        }
    }
    m_channels.ForgetFailures(); // whom they were to be told has forgotten them
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
            BrokerOutput output;
            m_processes.Touch(old).machine->Step(TIMELESS, input::LinkDown{client}, output);
            Send(old, output);
        }
        m_channels.Break(client, old);
        SettleFailures();
    }
    process.subscriber.Detached();
    process.publisher.Detached();
}

void
LabLinks::SlipAway(NodeId client)
{
    auto& process = m_processes.Touch(client);
    const auto old = std::exchange(process.at, NO_NODE);
    process.isSlippery = true;
    m_channels.FailAll({client, old});
    m_channels.FailStale({client, old});
    m_channels.FailStale({old, client});
    SettleFailures();
    process.subscriber.Detached();
    process.publisher.Detached();
}

void
LabLinks::AttachClient(NodeId client, NodeId broker)
{
    auto& process = m_processes.Touch(client);
    process.at = broker;
    SubscriberOutput output;
    if (process.subscribes)
    {
        process.subscriber.Attached(broker, output);
    }
    process.publisher.Attached(broker, output.sends);
    Carry(client, output);
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
        m_channels.Put({from, to}, std::move(shared));
    }
    else
    {
        m_channels.Fail({from, to}, std::move(shared));
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
    while (const auto failure = m_channels.TakeFailure())
    {
        const auto& [link, message] = *failure;
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
            sender.machine->Step(TIMELESS, input::DeliveryFailed{to, *message}, output);
            Send(from, output);
        }
    }
}

void
LabLinks::Deliver(const Edge& link)
{
    if (!IsThere(link))
    {
        m_channels.FailAll(link); // a client that slipped away: its broker gives up
        m_channels.FailStale({link.second, link.first});
        SettleFailures();
        return;
    }
    const auto [order, sign, message] = m_channels.Take(link);
    if (sign == Sign::NONE)
    {
        DeliverMessage(link, message);
    }
    else
    {
        DeliverSign(link, sign);
    }
    SettleFailures();
}

void
LabLinks::ExpireTimers()
{
    for (const auto broker : m_processes.GetBrokers())
    {
        const auto& machine = m_processes.Get(broker).machine;
        if (const auto due = machine ? machine->NextTimer() : std::nullopt)
        {
            BrokerOutput output;
            m_processes.Touch(broker).machine->Step(*due, input::Expired(), output);
            Carry(broker, output);
        }
    }
}

void
LabLinks::DeliverSign(const Edge& link, Sign sign)
{
    const auto [from, to] = link;
    if (sign == Sign::NEW_SESSION)
    {
        LearnNewSession(to, from);
        return;
    }
    if (sign == Sign::HEARD && m_tree.at(to).contains(from))
    {
        Hear(to, from);
    }
    TellAlive(to, from);
}

void
LabLinks::LearnNewSession(NodeId process, NodeId other)
{
    const Edge link{process, other};
    m_channels.FailStale(link);
    if (!m_processes.Get(process).broker)
    {
        SettleFailures();
        AttachClient(process, other);
        return;
    }
    m_channels.PutSign(link, Sign::ALIVE);
    if (m_up.contains(link))
    {
        BrokerOutput output;
        m_processes.Touch(process).machine->Step(TIMELESS, input::LinkReset{other}, output);
        Send(process, output);
    }
    SettleFailures();
    TellAlive(process, other);
}

void
LabLinks::TellAlive(NodeId process, NodeId other)
{
    auto& told = m_processes.Touch(process);
    if (!told.broker)
    {
        SubscriberOutput output;
        told.subscriber.BrokerAlive(output);
        told.publisher.BrokerAlive(output.sends);
        Send(process, output);
    }
    else if (m_up.contains({process, other}))
    {
        BrokerOutput output;
        told.machine->Step(TIMELESS, input::NeighbourAlive{other}, output);
        Send(process, output);
    }
}

void
LabLinks::DeliverMessage(const Edge& link, const std::shared_ptr<const Message>& message)
{
    Record(link, *message, false);
    const auto [from, to] = link;
    auto& receiver = m_processes.Touch(to);
    if (receiver.broker)
    {
        const auto isNeighbour = m_tree.at(to).contains(from);
        if (isNeighbour && ComesFromChild(from, *message))
        {
            Hear(to, from);
        }
        if (isNeighbour && !m_up.contains({to, from}) && IsAmongNeighbours(from, *message))
        {
            return;
        }
        TellAlive(to, from);
        BrokerOutput output;
        receiver.machine->Step(TIMELESS, input::Received<Message>{from, *message}, output);
        Send(to, output);
    }
    else
    {
        SubscriberOutput output;
        receiver.subscriber.Receive(from, *message, output);
        Send(to, output);
    }
}

void
LabLinks::Record(const Edge& link, const Message& message, bool failed)
{
    if (!m_logging)
    {
        return;
    }
    const auto& source = m_processes.Name(link.first);
    const auto& destination = m_processes.Name(link.second);
    const std::string kind(GetName(message));
    m_log.push_back({m_step,
                     source,
                     destination,
                     kind,
                     DescribeFields(message, m_protocol, m_processes),
                     failed,
                     source + " -> " + destination + " " + kind +
                         DescribeWords(message, m_protocol, m_processes) +
                         (failed ? " (delivery failed)" : "")});
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

bool
LabLinks::HasLink(NodeId broker, NodeId neighbour) const
{
    return m_up.contains({broker, neighbour});
}

void
LabLinks::ExcuseHeldBy(NodeId broker)
{
    m_owed.ExcuseQueued(*m_processes.Get(broker).machine);
    m_channels.VisitSent(broker, [this](const Message& sent) { m_owed.ExcuseCarried(sent); });
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
    text += m_channels.GetDigest([this](const Message& message) {
        auto described =
            std::string(GetName(message)) + DescribeFields(message, m_protocol, m_processes);
        if (const auto* pub = std::get_if<Pub>(&message))
        {
            described += '[';
            for (const auto subscriber : pub->subscribers)
            {
                described += std::to_string(subscriber) + ",";
            }
            described += ']';
        }
        return described;
    });
    for (const auto& [broker, neighbour] : m_up)
    {
        text += std::to_string(broker) + "+" + std::to_string(neighbour) + " ";
    }
    return text;
}

} // namespace mftpubsub
