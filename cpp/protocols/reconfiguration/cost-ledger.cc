/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/reconfiguration/cost-ledger.h"

namespace mftpubsub::reconfiguration
{

void
CostLedger::NoteSent(ReconfigurationId id, std::string_view kind, double weight, bool tells)
{
    if (id == NO_RECONFIGURATION)
    {
        return;
    }
    auto& entry = m_entries[kind];
    ++entry.count;
    entry.telling += tells;
    entry.cost += weight;
}

void
CostLedger::NoteInvolved(ReconfigurationId id, NodeId node)
{
    if (id != NO_RECONFIGURATION)
    {
        m_involved[id].insert(node);
    }
}

const CostLedger::Entries&
CostLedger::GetEntries() const
{
    return m_entries;
}

double
CostLedger::GetCost() const
{
    double cost = 0;
    for (const auto& [kind, entry] : m_entries)
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
