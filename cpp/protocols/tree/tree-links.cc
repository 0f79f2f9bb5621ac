/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/tree-links.h"

namespace mftpubsub
{

void
TreeLinks::Add(NodeId neighbour)
{
    m_links.try_emplace(neighbour);
}

bool
TreeLinks::Remove(NodeId neighbour)
{
    return m_links.erase(neighbour) > 0;
}

TreeLinks::Link*
TreeLinks::Reset(NodeId neighbour)
{
    auto* link = Find(neighbour);
    if (link)
    {
        *link = {};
    }
    return link;
}

bool
TreeLinks::IsOpen(NodeId neighbour) const
{
    const auto link = m_links.find(neighbour);
    return link != m_links.end() && link->second.isOpen;
}

TreeLinks::Link*
TreeLinks::Find(NodeId neighbour)
{
    const auto link = m_links.find(neighbour);
    return link != m_links.end() ? &link->second : nullptr;
}

TreeLinks::Link*
TreeLinks::FindOpen(NodeId neighbour)
{
    auto* link = Find(neighbour);
    return link && link->isOpen ? link : nullptr;
}

std::string
TreeLinks::GetDigest() const
{
    std::string digest;
    for (const auto& [neighbour, link] : m_links)
    {
        digest += "L" + std::to_string(neighbour) + (link.isOpen ? "o" : "") +
                  (link.isMine ? "m" : "") + (link.isDeaf ? "d" : "") + ":";
        for (const auto subscriber : link.claimed)
        {
            digest += std::to_string(subscriber) + ",";
        }
    }
    return digest;
}

} // namespace mftpubsub
