/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/reconfiguration/cost-ledger.h"

namespace mftpubsub::reconfiguration
{

void
CostLedger::NoteEnd(ReconfigurationId id, NodeId node)
{
    m_involved[id].insert(node);
}

void
CostLedger::NoteSent(ReconfigurationId id, const Message& message)
{
    if (id == NO_RECONFIGURATION)
    {
        return;
    }
    const auto weight = GetWeight(message);
    auto& entry = m_entries[message.index()];
    ++entry.count;
    entry.withPatterns += weight >= 1;
    entry.cost += weight;
}

void
CostLedger::NoteReceived(ReconfigurationId id, NodeId node, const Message& message)
{
    const bool involves = std::holds_alternative<Sub>(message) ||
                          std::holds_alternative<Unsub>(message) ||
                          std::holds_alternative<Rec>(message);
    if (involves && id != NO_RECONFIGURATION)
    {
        m_involved[id].insert(node);
    }
}

const std::array<CostLedger::Entry, std::variant_size_v<Message>>&
CostLedger::GetEntries() const
{
    return m_entries;
}

double
CostLedger::GetCost() const
{
    double cost = 0;
    for (const auto& entry : m_entries)
    {
        cost += entry.cost;
    }
    return cost;
}

const std::set<NodeId>&
CostLedger::GetInvolved(ReconfigurationId id) const
{
    static const std::set<NodeId> nobody;
    const auto found = m_involved.find(id);
    return found == m_involved.end() ? nobody : found->second;
}

} // namespace mftpubsub::reconfiguration
