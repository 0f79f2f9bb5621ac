/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/dispatching-network.h"

#include <utility>

namespace mftpubsub
{

using namespace reconfiguration;

namespace
{

Instant
ToInstant(double seconds)
{
    return Instant(ns3::Seconds(seconds).GetNanoSeconds());
}

} // namespace

DispatchingNetwork::DispatchingNetwork(const DispatcherFactory& make,
                                       const Forest& tree,
                                       const std::vector<Patterns>& wanted,
                                       DispatchingOptions options)
    : WiredHost(options),
      m_links([this](auto to, auto from, const auto& packet) { Receive(to, from, packet); }),
      m_tree(tree, [this](auto node, auto id, const auto& input) { Tell(node, {id}, input); })
{
    const TimerOptions timers{ToInstant(options.unsubscribeAfter),
                              ToInstant(options.subscribeAfter)};
    const auto tables = BuildTables(tree, wanted);
    for (NodeId node = 0; node < tree.GetSize(); ++node)
    {
        auto& dispatcher = *m_dispatchers.emplace_back(make(node, timers));
        m_timers.emplace_back([this, node] { Tell(node, {}, input::Expired()); });
        dispatcher.BeginLocal(wanted[node]);
        const auto& neighbours = tree.GetNeighbours(node);
        for (size_t index = 0; index < neighbours.size(); ++index)
        {
            dispatcher.Begin(neighbours[index], tables[node][index]);
        }
    }
    for (const auto& [one, other] : tree.GetEdges())
    {
        m_links.Up(one, other);
    }
}

void
DispatchingNetwork::Subscribe(NodeId node, Pattern pattern)
{
    Tell(node, {}, input::PatternWanted{pattern});
}

void
DispatchingNetwork::Unsubscribe(NodeId node, Pattern pattern)
{
    Tell(node, {}, input::PatternUnwanted{pattern});
}

void
DispatchingNetwork::Publish(NodeId node, const PublicationPtr& publication)
{
    Tell(node, {}, input::PublicationMade{publication});
}

void
DispatchingNetwork::Break(ReconfigurationId id, NodeId one, NodeId other)
{
    if (m_links.IsUp(one, other))
    {
        m_links.Down(one, other);
    }
    m_tree.Break(id, one, other);
    m_ledger.NoteInvolved(id, one);
    m_ledger.NoteInvolved(id, other);
}

void
DispatchingNetwork::Replace(ReconfigurationId id, NodeId one, NodeId other)
{
    m_links.Up(one, other);
    m_tree.Replace(id, one, other);
    m_ledger.NoteInvolved(id, one);
    m_ledger.NoteInvolved(id, other);
}

const Dispatcher&
DispatchingNetwork::GetDispatcher(NodeId node) const
{
    return *m_dispatchers[node];
}

Description
DispatchingNetwork::DescribeTable(NodeId node) const
{
    return GetDispatcher(node).Describe([](NodeId id) { return std::to_string(id); });
}

std::vector<std::string>
DispatchingNetwork::FindFaults() const
{
    return reconfiguration::FindFaults(m_tree.GetTree(), [this](auto node) -> const auto& {
        return GetDispatcher(node);
    });
}

void
DispatchingNetwork::Tell(NodeId node, Cause cause, const Dispatcher::Input& input)
{
    Actions actions;
    m_dispatchers[node]->Step(Now(), input, actions);
    CarryOut(node, cause, actions);
}

void
DispatchingNetwork::Receive(NodeId to, NodeId from, const Packet& packet)
{
    if (Involves(packet.message))
    {
        m_ledger.NoteInvolved(packet.cause, to);
    }
    Actions actions;
    m_dispatchers[to]->Step(Now(),
                            input::Received<reconfiguration::Message>{from, packet.message},
                            actions);
    if (actions.isDelivered)
    {
        m_hops.MarkGood(packet.hop);
        TellDelivery(to, std::get<reconfiguration::Event>(packet.message).publication->id);
    }
    CarryOut(to, {packet.cause, packet.hop}, actions);
}

void
DispatchingNetwork::CarryOut(NodeId node, Cause cause, Actions& actions)
{
    if (actions.cause != NO_RECONFIGURATION)
    {
        cause.reconfiguration = actions.cause;
    }
    for (auto& send : actions.sends)
    {
        Transmit(node, cause, send);
    }
    m_timers[node].Set(m_dispatchers[node]->NextTimer());
    TellHandled(node);
}

void
DispatchingNetwork::Transmit(NodeId node, Cause cause, Send& send)
{
    if (!send.isOutOfBand && !m_links.IsUp(node, send.to))
    {
        return;
    }
    const auto weight = GetWeight(send.message);
    m_ledger.NoteSent(cause.reconfiguration,
                      GetName(send.message),
                      weight,
                      TellsOfPatterns(send.message, send.to));
    TellSend(node, send.to, GetName(send.message), weight);
    const bool isEvent = std::holds_alternative<reconfiguration::Event>(send.message);
    Packet packet{std::move(send.message),
                  cause.reconfiguration,
                  isEvent ? m_hops.Add(cause.hop) : EventHops::NONE};
    const auto bits = weight * GetOptions().subBits;
    if (send.isOutOfBand)
    {
        m_links.SendOutOfBand(node,
                              send.to,
                              std::move(packet),
                              ns3::Seconds(bits / WiredLinkOptions().bitsPerSecond));
    }
    else
    {
        m_links.Send(node, send.to, std::move(packet), bits);
    }
}

} // namespace mftpubsub
