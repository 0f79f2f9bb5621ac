/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/wire-rows.h"

#include "ns3/simulator.h"

#include <utility>

namespace mftpubsub
{

void
WireRowLog::Note(NodeId node, Description rows)
{
    const auto now = ns3::Simulator::Now().GetSeconds();
    auto& latest = m_latest[node];
    for (const auto& [name, text] : rows)
    {
        const auto known = latest.find(name);
        if (known == latest.end() || known->second != text)
        {
            m_changes.push_back({now, node, name, text});
        }
    }
    for (const auto& [name, text] : latest)
    {
        if (!rows.contains(name))
        {
            m_changes.push_back({now, node, name, ""});
        }
    }
    latest = std::move(rows);
}

std::vector<WireRow>
WireRowLog::Take()
{
    return std::exchange(m_changes, {});
}

} // namespace mftpubsub
