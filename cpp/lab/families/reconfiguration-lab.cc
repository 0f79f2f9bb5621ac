/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/families/reconfiguration-lab.h"

#include "protocols/reconfiguration/table-check.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace mftpubsub::reconfiguration
{

namespace
{

/// Deliveries after which a laboratory of some ten dispatchers is held to be endless.
constexpr size_t ENDLESS = 1'000'000;

} // namespace

ReconfigurationLab::ReconfigurationLab(const DispatcherFactory& make, Forest tree, OnSend onSend)
    : m_tree(std::move(tree),
             [this](auto node, auto id, const auto& call) { Tell(node, id, call); }),
      m_onSend(std::move(onSend)),
      m_delivered(m_tree.GetTree().GetSize())
{
    for (NodeId node = 0; node < m_delivered.size(); ++node)
    {
        m_dispatchers.push_back(make(node));
        for (const auto neighbour : GetTree().GetNeighbours(node))
        {
            m_dispatchers.back()->Begin(neighbour, {});
        }
    }
}

void
ReconfigurationLab::Subscribe(NodeId node, Pattern pattern)
{
    Tell(node, NO_RECONFIGURATION, [pattern](auto& dispatcher, auto& actions) {
        dispatcher.ClientSubscribe(pattern, actions);
    });
}

void
ReconfigurationLab::Unsubscribe(NodeId node, Pattern pattern)
{
    Tell(node, NO_RECONFIGURATION, [pattern](auto& dispatcher, auto& actions) {
        dispatcher.ClientUnsubscribe(pattern, actions);
    });
}

void
ReconfigurationLab::Publish(NodeId node, const PublicationPtr& publication)
{
    Tell(node, NO_RECONFIGURATION, [&publication](auto& dispatcher, auto& actions) {
        dispatcher.Publish(publication, actions);
    });
}

void
ReconfigurationLab::Break(ReconfigurationId id, NodeId one, NodeId other)
{
    m_tree.Break(id, one, other);
    std::erase_if(m_inTransit, [one, other](const auto& sent) {
        return !sent.isOutOfBand && std::minmax(sent.from, sent.to) == std::minmax(one, other);
    });
    m_ledger.NoteInvolved(id, one);
    m_ledger.NoteInvolved(id, other);
}

void
ReconfigurationLab::Replace(ReconfigurationId id, NodeId one, NodeId other)
{
    m_tree.Replace(id, one, other);
    m_ledger.NoteInvolved(id, one);
    m_ledger.NoteInvolved(id, other);
}

const std::deque<ReconfigurationLab::InTransit>&
ReconfigurationLab::GetInTransit() const
{
    return m_inTransit;
}

std::vector<size_t>
ReconfigurationLab::GetNext() const
{
    std::set<Edge> busy;
    std::vector<size_t> next;
    for (size_t place = 0; place < m_inTransit.size(); ++place)
    {
        const auto& sent = m_inTransit[place];
        if (sent.isOutOfBand || busy.emplace(sent.from, sent.to).second)
        {
            next.push_back(place);
        }
    }
    return next;
}

void
ReconfigurationLab::Deliver(size_t place)
{
    const auto sent = std::move(m_inTransit.at(place));
    m_inTransit.erase(m_inTransit.begin() + static_cast<std::ptrdiff_t>(place));
    if (Involves(sent.message))
    {
        m_ledger.NoteInvolved(sent.cause, sent.to);
    }
    Tell(sent.to, sent.cause, [&sent](auto& dispatcher, auto& actions) {
        dispatcher.Receive(sent.from, sent.message, actions);
    });
}

void
ReconfigurationLab::DeliverAll()
{
    for (size_t count = 0; !m_inTransit.empty(); ++count)
    {
        if (count == ENDLESS)
        {
            throw std::runtime_error("messages travel for ever");
        }
        Deliver(0);
    }
}

const std::vector<ReconfigurationLab::Running>&
ReconfigurationLab::GetTimers() const
{
    return m_timers;
}

void
ReconfigurationLab::Expire(size_t place)
{
    const auto expired = m_timers.at(place);
    m_timers.erase(m_timers.begin() + static_cast<std::ptrdiff_t>(place));
    Tell(expired.node, expired.reconfiguration, [&expired](auto& dispatcher, auto& actions) {
        dispatcher.TimerExpired(expired.timer, expired.reconfiguration, actions);
    });
}

void
ReconfigurationLab::SetTime(double now, double unsubscribe, double subscribe)
{
    m_now = now;
    m_unsubscribe = unsubscribe;
    m_subscribe = subscribe;
}

const Dispatcher&
ReconfigurationLab::GetDispatcher(NodeId node) const
{
    return *m_dispatchers.at(node);
}

const Forest&
ReconfigurationLab::GetTree() const
{
    return m_tree.GetTree();
}

const CostLedger&
ReconfigurationLab::GetLedger() const
{
    return m_ledger;
}

const std::vector<uint32_t>&
ReconfigurationLab::GetDelivered() const
{
    return m_delivered;
}

std::vector<std::string>
ReconfigurationLab::FindViolations() const
{
    return FindFaults(GetTree(), [this](auto node) -> const auto& { return GetDispatcher(node); });
}

void
ReconfigurationLab::Tell(NodeId node, ReconfigurationId cause, const TreeMaintenance::Call& call)
{
    Actions actions;
    call(*m_dispatchers.at(node), actions);
    CarryOut(node, cause, actions);
}

void
ReconfigurationLab::CarryOut(NodeId node, ReconfigurationId cause, Actions& actions)
{
    m_delivered[node] += actions.isDelivered;
    for (auto& send : actions.sends)
    {
        if (send.isOutOfBand || GetTree().Has(node, send.to))
        {
            m_ledger.NoteSent(cause,
                              GetName(send.message),
                              GetWeight(send.message),
                              TellsOfPatterns(send.message, send.to));
            m_inTransit.push_back(
                {node, send.to, send.isOutOfBand, cause, std::move(send.message)});
            if (m_onSend)
            {
                m_onSend(m_inTransit.back());
            }
        }
    }
    for (const auto& action : actions.timers)
    {
        StopTimer(node, action);
        if (action.starts)
        {
            const auto lasts = action.timer == Timer::UNSUBSCRIBE ? m_unsubscribe : m_subscribe;
            m_timers.push_back({node, action.timer, action.reconfiguration, m_now + lasts});
        }
    }
}

void
ReconfigurationLab::StopTimer(NodeId node, const TimerAction& action)
{
    std::erase_if(m_timers, [&](const auto& running) {
        return std::tie(running.node, running.timer, running.reconfiguration) ==
               std::tie(node, action.timer, action.reconfiguration);
    });
}

} // namespace mftpubsub::reconfiguration
