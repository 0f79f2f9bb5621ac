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

/// C V-A.
constexpr double BITS_PER_SECOND = 10e6;

/// @return whom a row of a table is for, in words
std::string
NameOf(reconfiguration::Subscriber subscriber)
{
    if (IsNeighbour(subscriber))
    {
        return std::to_string(subscriber);
    }
    return subscriber == LOCAL ? "local" : "ghost of " + std::to_string(subscriber - Ghost(0));
}

} // namespace

DispatchingNetwork::DispatchingNetwork(const DispatcherFactory& make,
                                       const Forest& tree,
                                       const std::vector<Patterns>& wanted,
                                       DispatchingOptions options)
    : m_options(options),
      m_links([this](auto to, auto from, const auto& packet) { Receive(to, from, packet); }),
      m_tree(tree, [this](auto node, auto id, const auto& call) { Tell(node, {id}, call); })
{
    const auto tables = BuildTables(tree, wanted);
    for (NodeId node = 0; node < tree.GetSize(); ++node)
    {
        auto& dispatcher = *m_dispatchers.emplace_back(make(node));
        dispatcher.BeginLocal(wanted[node]);
        const auto& neighbours = tree.GetNeighbours(node);
        for (size_t index = 0; index < neighbours.size(); ++index)
        {
            dispatcher.Begin(neighbours[index], tables[node][index]);
        }
    }
    for (const auto& [one, other] : tree.GetEdges())
    {
        m_links.Up(one, other, {BITS_PER_SECOND, {}});
    }
}

void
DispatchingNetwork::SetOnSend(OnSend onSend)
{
    m_onSend = std::move(onSend);
}

void
DispatchingNetwork::SetOnDelivery(OnDelivery onDelivery)
{
    m_onDelivery = std::move(onDelivery);
}

void
DispatchingNetwork::SetOnHandled(OnHandled onHandled)
{
    m_onHandled = std::move(onHandled);
}

void
DispatchingNetwork::Subscribe(NodeId node, Pattern pattern)
{
    Tell(node, {}, [pattern](auto& dispatcher, auto& actions) {
        dispatcher.ClientSubscribe(pattern, actions);
    });
}

void
DispatchingNetwork::Unsubscribe(NodeId node, Pattern pattern)
{
    Tell(node, {}, [pattern](auto& dispatcher, auto& actions) {
        dispatcher.ClientUnsubscribe(pattern, actions);
    });
}

void
DispatchingNetwork::Publish(NodeId node, const PublicationPtr& publication)
{
    Tell(node, {}, [&publication](auto& dispatcher, auto& actions) {
        dispatcher.Publish(publication, actions);
    });
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
    m_links.Up(one, other, {BITS_PER_SECOND, {}});
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
    const auto& table = GetDispatcher(node).GetTable();
    Description rows;
    for (const auto subscriber : table.GetRows())
    {
        auto& text = rows[NameOf(subscriber)];
        for (const auto pattern : table.GetRow(subscriber))
        {
            text += (text.empty() ? "" : " ") + std::to_string(pattern);
        }
    }
    return rows;
}

const CostLedger&
DispatchingNetwork::GetLedger() const
{
    return m_ledger;
}

const EventHops&
DispatchingNetwork::GetEventHops() const
{
    return m_hops;
}

std::vector<std::string>
DispatchingNetwork::FindFaults() const
{
    return reconfiguration::FindFaults(m_tree.GetTree(), [this](auto node) -> const auto& {
        return GetDispatcher(node);
    });
}

template <typename Call>
void
DispatchingNetwork::Tell(NodeId node, Cause cause, const Call& call)
{
    Actions actions;
    call(*m_dispatchers[node], actions);
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
    m_dispatchers[to]->Receive(from, packet.message, actions);
    if (actions.isDelivered)
    {
        m_hops.MarkGood(packet.hop);
        if (m_onDelivery)
        {
            m_onDelivery(to, std::get<reconfiguration::Event>(packet.message).publication->id);
        }
    }
    CarryOut(to, {packet.cause, packet.hop}, actions);
}

void
DispatchingNetwork::CarryOut(NodeId node, Cause cause, Actions& actions)
{
    for (auto& send : actions.sends)
    {
        Transmit(node, cause, send);
    }
    for (const auto& action : actions.timers)
    {
        SetTimer(node, action);
    }
    if (m_onHandled)
    {
        m_onHandled(node);
    }
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
    if (m_onSend)
    {
        m_onSend(node, send.to, GetName(send.message), weight);
    }
    const bool isEvent = std::holds_alternative<reconfiguration::Event>(send.message);
    Packet packet{std::move(send.message),
                  cause.reconfiguration,
                  isEvent ? m_hops.Add(cause.hop) : EventHops::NONE};
    const auto bits = weight * m_options.subBits;
    if (send.isOutOfBand)
    {
        m_links.SendOutOfBand(node,
                              send.to,
                              std::move(packet),
                              ns3::Seconds(bits / BITS_PER_SECOND));
    }
    else
    {
        m_links.Send(node, send.to, std::move(packet), bits);
    }
}

void
DispatchingNetwork::SetTimer(NodeId node, const TimerAction& action)
{
    auto& timer = m_timers[{node, action.timer, action.reconfiguration}];
    timer.Cancel();
    if (!action.starts)
    {
        return;
    }
    const auto seconds =
        action.timer == Timer::UNSUBSCRIBE ? m_options.unsubscribeAfter : m_options.subscribeAfter;
    timer = ns3::Simulator::Schedule(ns3::Seconds(seconds), [this, node, action] {
        Tell(node, {action.reconfiguration}, [&action](auto& dispatcher, auto& actions) {
            dispatcher.TimerExpired(action.timer, action.reconfiguration, actions);
        });
    });
}

} // namespace mftpubsub
