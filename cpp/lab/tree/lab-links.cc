/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/tree/lab-links.h"

#include <algorithm>
#include <utility>

namespace mftpubsub
{

LabLinks::LabLinks(const std::string& protocol)
    : m_log(protocol)
{
}

NodeId
LabLinks::AddBroker(const std::string& name)
{
    const auto id = m_processes.Add(name, true);
    m_tree.Add(id);
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
    return m_tree.GetNeighbours(broker);
}

std::set<NodeId>
LabLinks::GetComponent(NodeId broker, NodeId without) const
{
    return m_tree.GetComponent(broker, without);
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

/// @p broker, which is up, learns @p input, and what it answers goes out.
void
LabLinks::Tell(NodeId broker, const Broker::Input& input, Instant now)
{
    BrokerOutput output;
    m_processes.Touch(broker).machine->Step(now, input, output);
    Send(broker, output);
}

void
LabLinks::Link(NodeId one, NodeId other)
{
    m_tree.Link(one, other);
    Hear(one, other);
    Hear(other, one);
}

void
LabLinks::Hear(NodeId broker, NodeId neighbour)
{
    if (m_up.insert({broker, neighbour}).second)
    {
        Tell(broker, input::LinkUp{neighbour});
        SettleFailures();
    }
}

void
LabLinks::Unlink(NodeId one, NodeId other)
{
    m_tree.Unlink(one, other);
    for (const auto& [node, gone] : {Edge{one, other}, Edge{other, one}})
    {
        auto& process = m_processes.Touch(node);
        if (m_up.erase({node, gone}) > 0 && process.machine)
        {
            Tell(node, input::LinkDown{gone});
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
        Tell(from, input::LinkReset{to});
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
    Tell(broker, input::LinkDown{neighbour});
    m_channels.PutSign({neighbour, broker}, Sign::HEARD);
    SettleFailures();
}

void
LabLinks::Forget(NodeId broker)
{
    auto others = m_tree.GetNeighbours(broker);
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
            Tell(old, input::LinkDown{client});
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
    if (to == NO_NODE)
    {
        Broadcast(from, message);
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
LabLinks::Broadcast(NodeId from, const Message& message)
{
    if (!m_processes.Get(from).broker)
    {
        Transmit(from, m_processes.Get(from).at, message);
        return;
    }
    for (const auto neighbour : m_tree.GetNeighbours(from))
    {
        Transmit(from, neighbour, message);
    }
    for (const auto client : m_processes.GetClientsAt(from))
    {
        if (m_processes.Get(client).subscriber.Overhears())
        {
            Transmit(from, client, message);
        }
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
    for (const auto& note : output.notes)
    {
        m_log.Note(m_processes, broker, note);
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
        m_log.Record(m_processes, link, *message, true);
        const auto [from, to] = link;
        auto& sender = m_processes.Touch(from);
        if (!sender.broker)
        {
            sender.subscriber.DeliveryFailed(to);
            sender.publisher.DeliveryFailed(*message);
        }
        else if (sender.machine)
        {
            Tell(from, input::DeliveryFailed{to, *message});
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
LabLinks::DeliverSign(const Edge& link, Sign sign)
{
    const auto [from, to] = link;
    if (sign == Sign::NEW_SESSION)
    {
        LearnNewSession(to, from);
        return;
    }
    if (sign == Sign::HEARD && m_tree.GetNeighbours(to).contains(from))
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
        Tell(process, input::LinkReset{other});
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
        Tell(process, input::NeighbourAlive{other});
    }
}

void
LabLinks::DeliverMessage(const Edge& link, const std::shared_ptr<const Message>& message)
{
    m_log.Record(m_processes, link, *message, false);
    const auto [from, to] = link;
    auto& receiver = m_processes.Touch(to);
    if (receiver.broker)
    {
        const auto isNeighbour = m_tree.GetNeighbours(to).contains(from);
        if (isNeighbour && ComesFromChild(from, *message))
        {
            Hear(to, from);
        }
        if (isNeighbour && !m_up.contains({to, from}) && IsAmongNeighbours(from, *message))
        {
            return;
        }
        TellAlive(to, from);
        Tell(to, input::Received<Message>{from, *message});
    }
    else
    {
        SubscriberOutput output;
        receiver.subscriber.Receive(from, *message, output);
        Send(to, output);
    }
}

const LabLog&
LabLinks::GetLog() const
{
    return m_log;
}

LabLog&
LabLinks::GetLog()
{
    return m_log;
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
LabLinks::ForgetPast()
{
    m_log.StartAnew();
    m_sent = 0;
}

std::string
LabLinks::GetDigest() const
{
    auto text = m_processes.GetDigest();
    text += m_channels.GetDigest(
        [this](const Message& message) { return m_log.Describe(m_processes, message); });
    for (const auto& [broker, neighbour] : m_up)
    {
        text += std::to_string(broker) + "+" + std::to_string(neighbour) + " ";
    }
    return text;
}

} // namespace mftpubsub
