/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/reconfiguration/tree-maintenance.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace mftpubsub::reconfiguration
{

TreeMaintenance::TreeMaintenance(Forest tree, Tell tell)
    : m_tree(std::move(tree)),
      m_tell(std::move(tell))
{
}

void
TreeMaintenance::Break(ReconfigurationId id, NodeId one, NodeId other)
{
    if (m_missing.contains(id))
    {
        throw std::invalid_argument("reconfiguration " + std::to_string(id) + " has begun already");
    }
    m_tree.Remove(one, other);
    const Edge old = std::minmax(one, other);
    m_missing.emplace(id, old);
    const auto removed = [this, id](NodeId end, NodeId lost) {
        m_tell(end, id, input::LinkRemoved{lost, id});
    };
    removed(old.first, old.second);
    removed(old.second, old.first);
}

void
TreeMaintenance::Replace(ReconfigurationId id, NodeId one, NodeId other)
{
    const auto missing = m_missing.find(id);
    if (missing == m_missing.end())
    {
        throw std::invalid_argument("no link of reconfiguration " + std::to_string(id) +
                                    " is missing");
    }
    const auto [a, b] = missing->second;
    const auto path = std::make_shared<const Path>(FindPath(m_tree, {a, b}, {one, other}));
    m_missing.erase(missing);
    const auto c = path->nodes[path->headLength - 1];
    const auto d = path->nodes[path->headLength];
    m_tree.Add(c, d);
    const auto added = [this, id](NodeId end, NodeId neighbour) {
        m_tell(end, id, input::LinkAdded{neighbour, id});
    };
    const auto substituted = [this, id](NodeId end, const Substitution& substitution) {
        m_tell(end, id, input::LinkSubstituted{substitution});
    };
    added(c, d);
    added(d, c);
    substituted(a, {id, b, c, d, path});
    substituted(b, {id, a, d, c, path});
}

const Forest&
TreeMaintenance::GetTree() const
{
    return m_tree;
}

Path
FindPath(const Forest& tree, Edge old, Edge fresh)
{
    const auto [a, b] = std::minmax(old.first, old.second);
    for (const auto& [c, d] : {fresh, Edge{fresh.second, fresh.first}})
    {
        auto head = tree.GetPath(a, c);
        const auto tail = tree.GetPath(d, b);
        if (!head.empty() && !tail.empty())
        {
            const auto headLength = head.size();
            head.insert(head.end(), tail.begin(), tail.end());
            return {std::move(head), headLength};
        }
    }
    throw std::invalid_argument("link " + std::to_string(fresh.first) + "-" +
                                std::to_string(fresh.second) + " does not connect the parts of " +
                                std::to_string(a) + "-" + std::to_string(b));
}

} // namespace mftpubsub::reconfiguration
