/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/handoff/handoff-links.h"

#include <algorithm>

namespace mftpubsub
{

HandoffLinks::HandoffLinks(std::shared_ptr<const handoff::Tree> tree, bool hasLanes)
    : m_tree(std::move(tree)),
      m_hasLanes(hasLanes)
{
}

void
HandoffLinks::Send(NodeId from, NodeId origin, NodeId target, const handoff::Message& message)
{
    const auto next = m_tree ? m_tree->GetNextHop(from, target) : target;
    m_pending.push_back({{from, next}, origin, target, message});
    ++m_sent;
}

std::optional<HandoffLinks::Pending>
HandoffLinks::Take(std::optional<uint64_t> choice)
{
    std::vector<std::deque<Pending>::iterator> heads;
    std::set<Link> blocked = m_held;
    std::set<Link> slow; // links where stored events wait: what is sent after them may go first
    for (auto pending = m_pending.begin(); pending != m_pending.end(); ++pending)
    {
        const auto isSlow = m_hasLanes && handoff::IsBulk(pending->message);
        if (!blocked.contains(pending->link) &&
            (isSlow ? slow : blocked).insert(pending->link).second)
        {
            heads.push_back(pending);
            if (!choice)
            {
                break;
            }
        }
    }
    if (heads.empty())
    {
        return std::nullopt;
    }
    const auto head = heads[choice.value_or(0) % heads.size()];
    auto taken = std::move(*head);
    m_pending.erase(head);
    return taken;
}

std::vector<HandoffLinks::Link>
HandoffLinks::GetReady() const
{
    std::set<Link> ready;
    for (const auto& pending : m_pending)
    {
        if (!m_held.contains(pending.link))
        {
            ready.insert(pending.link);
        }
    }
    return {ready.begin(), ready.end()};
}

std::optional<HandoffLinks::Pending>
HandoffLinks::TakeFrom(Link link)
{
    const auto head = std::ranges::find(m_pending, link, &Pending::link);
    if (head == m_pending.end() || m_held.contains(link))
    {
        return std::nullopt;
    }
    auto taken = std::move(*head);
    m_pending.erase(head);
    return taken;
}

void
HandoffLinks::Hold(Link link)
{
    m_held.insert(link);
}

bool
HandoffLinks::Release(Link link)
{
    return m_held.erase(link) > 0;
}

uint64_t
HandoffLinks::CountSent() const
{
    return m_sent;
}

} // namespace mftpubsub
