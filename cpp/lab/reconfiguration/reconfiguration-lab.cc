/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/reconfiguration/reconfiguration-lab.h"

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

ReconfigurationLab::ReconfigurationLab(const DispatcherFactory& make,
                                       Forest tree,
                                       OnSend onSend,
                                       const TimerOptions& timers)
    : m_tree(std::move(tree),
             [this](auto node, auto id, const auto& input) { Tell(node, id, input); }),
      m_onSend(std::move(onSend)),
      m_delivered(m_tree.GetTree().GetSize())
{
    for (NodeId node = 0; node < m_delivered.size(); ++node)
    {
        m_dispatchers.push_back(make(node, timers));
        for (const auto neighbour : GetTree().GetNeighbours(node))
        {
            m_dispatchers.back()->Begin(neighbour, {});
        }
    }
}

void
ReconfigurationLab::Subscribe(NodeId node, Pattern pattern)
{
    Tell(node, NO_RECONFIGURATION, input::PatternWanted{pattern});
}

void
ReconfigurationLab::Unsubscribe(NodeId node, Pattern pattern)
{
    Tell(node, NO_RECONFIGURATION, input::PatternUnwanted{pattern});
}

void
ReconfigurationLab::Publish(NodeId node, const PublicationPtr& publication)
{
    Tell(node, NO_RECONFIGURATION, input::PublicationMade{publication});
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
    Tell(sent.to, sent.cause, input::Received<Message>{sent.from, sent.message});
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

std::vector<ReconfigurationLab::Running>
ReconfigurationLab::GetTimers() const
{
    std::vector<Running> timers;
    for (const auto& dispatcher : m_dispatchers)
    {
        if (const auto next = dispatcher->GetNextTimer())
        {
            timers.push_back({dispatcher->GetId(), *next});
        }
    }
    std::ranges::stable_sort(timers, {}, [](const Running& running) {
        return std::tie(running.due, running.reconfiguration);
    });
    return timers;
}

void
ReconfigurationLab::Expire(const Running& timer)
{
    m_now = std::max(m_now, timer.due);
    Tell(timer.node, NO_RECONFIGURATION, input::Expired());
}

void
ReconfigurationLab::SetTime(Instant now)
{
    m_now = now;
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
ReconfigurationLab::FindViolations(const Namer& name) const
{
    return FindFaults(
        GetTree(),
        [this](auto node) -> const auto& { return GetDispatcher(node); },
        name);
}

void
ReconfigurationLab::Tell(NodeId node, ReconfigurationId cause, const Dispatcher::Input& input)
{
    Actions actions;
    m_dispatchers.at(node)->Step(m_now, input, actions);
    CarryOut(node, actions.cause == NO_RECONFIGURATION ? cause : actions.cause, actions);
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
}

} // namespace mftpubsub::reconfiguration
