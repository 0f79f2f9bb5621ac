/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "overlay/parent-choice.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace mftpubsub
{

namespace
{

double
ToSeconds(Instant span)
{
    return std::chrono::duration<double>(span).count();
}

} // namespace

ParentChoice::ParentChoice(NodeId self,
                           std::shared_ptr<ParentPolicy> parents,
                           std::shared_ptr<MigrationPolicy> migration,
                           Instant timeout)
    : m_self(self),
      m_parents(std::move(parents)),
      m_migration(std::move(migration)),
      m_timeout(timeout)
{
}

void
ParentChoice::BeginRound(const Leadership& leadership, uint32_t round)
{
    m_leadership = leadership;
    m_round = round;
    m_senders.clear();
    m_announced.reset();
    m_failed = false;
}

bool
ParentChoice::Hear(Instant now, NodeId from, const Heartbeat& heartbeat, double rssiDbm)
{
    const auto arrival = static_cast<uint32_t>(m_senders.size());
    const Sender sender{from, heartbeat, rssiDbm, now, arrival, true};
    const auto isOfThisRound = IsOfThisRound(sender);
    if (isOfThisRound && std::ranges::find(m_senders, from, &Sender::id) != m_senders.end())
    {
        return false;
    }
    if (from == GetParent())
    {
        m_parent = sender;
    }
    if (isOfThisRound)
    {
        m_senders.push_back(sender);
    }
    return isOfThisRound;
}

void
ParentChoice::Announced(uint8_t hops)
{
    m_announced = hops;
}

bool
ParentChoice::IsSilentParent(NodeId node, Instant now) const
{
    return node == GetParent() && now >= m_parent->heardAt + m_timeout;
}

void
ParentChoice::Failed(NodeId node)
{
    for (auto& sender : m_senders)
    {
        sender.isReachable = sender.isReachable && sender.id != node;
    }
    if (node == GetParent())
    {
        Forget();
        m_failed = true;
    }
}

void
ParentChoice::Joined(NodeId node)
{
    if (node == GetParent())
    {
        // Its word may be older than its heartbeat of this round, but not than an earlier one.
        if (!IsOfThisRound(*m_parent))
        {
            m_parent->heartbeat.parent = m_self;
        }
        return;
    }
    const auto sender = std::ranges::find(m_senders, node, &Sender::id);
    if (sender != m_senders.end())
    {
        sender->heartbeat.parent = m_self;
    }
}

void
ParentChoice::Forget()
{
    m_parent.reset();
}

bool
ParentChoice::IsOfThisRound(const Sender& sender) const
{
    return sender.heartbeat.leadership == m_leadership && sender.heartbeat.round == m_round;
}

bool
ParentChoice::IsFeasible(const Sender& sender) const
{
    const auto isBelowUs =
        m_announced && IsOfThisRound(sender) && sender.heartbeat.hops >= *m_announced;
    return sender.isReachable && sender.heartbeat.parent != m_self && !isBelowUs;
}

bool
ParentChoice::MayKeepParent(Instant now) const
{
    return m_parent && m_parent->heartbeat.leadership == m_leadership &&
           now < m_parent->heardAt + m_timeout && IsFeasible(*m_parent);
}

Candidate
ParentChoice::View(const Sender& sender, Instant now)
{
    return {sender.id,
            sender.rssiDbm,
            sender.heartbeat.hops,
            sender.heartbeat.parent,
            sender.heartbeat.advertised ? *sender.heartbeat.advertised : -1,
            sender.arrival,
            ToSeconds(now - sender.heardAt)};
}

bool
ParentChoice::Decide(const NodeView& me)
{
    const Instant now(me.timeNanoseconds);
    const auto& news = m_senders.back();
    if (m_failed || !(IsFeasible(news) || news.id == GetParent()))
    {
        return false;
    }
    std::vector<Candidate> candidates;
    for (const auto& sender : m_senders)
    {
        if (IsFeasible(sender))
        {
            candidates.push_back(View(sender, now));
        }
    }
    std::optional<Candidate> current;
    if (MayKeepParent(now))
    {
        current = View(*m_parent, now);
    }
    const auto before = GetParent();
    const auto chosen = m_parents->Decide(me, current ? &*current : nullptr, candidates);
    if (current && (chosen == NO_NODE || chosen == current->id))
    {
        return false;
    }
    if (chosen == NO_NODE)
    {
        Forget();
        return before != NO_NODE;
    }
    const auto proposed = std::ranges::find(candidates, chosen, &Candidate::id);
    if (proposed == candidates.end())
    {
        throw std::logic_error("a parent policy has chosen " + std::to_string(chosen) +
                               ", which is no candidate");
    }
    if (current && !m_migration->Decide(me, *current, *proposed))
    {
        return false;
    }
    m_parent = *std::ranges::find(m_senders, chosen, &Sender::id);
    m_parentSince = chosen == before ? m_parentSince : now;
    return chosen != before;
}

NodeId
ParentChoice::GetParent() const
{
    return m_parent ? m_parent->id : NO_NODE;
}

uint8_t
ParentChoice::GetParentHops() const
{
    if (m_parent && IsOfThisRound(*m_parent))
    {
        return m_parent->heartbeat.hops;
    }
    return m_senders.empty() ? 0 : m_senders.front().heartbeat.hops;
}

double
ParentChoice::GetAttachedSeconds(Instant now) const
{
    return m_parent ? ToSeconds(now - m_parentSince) : 0;
}

} // namespace mftpubsub
