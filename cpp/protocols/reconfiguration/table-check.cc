/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/reconfiguration/table-check.h"

#include <algorithm>

namespace mftpubsub::reconfiguration
{

namespace
{

/// How many dispatchers want each pattern.
using Counts = std::vector<uint32_t>;

/// Counts within parts of a forest.
class Census
{
  public:
    Census(const Forest& tree, const std::vector<Patterns>& wanted)
        : m_below(tree.GetSize()),
          m_above(tree.GetSize(), NO_NODE),
          m_top(tree.GetSize(), NO_NODE)
    {
        size_t patterns = 0;
        for (const auto& row : wanted)
        {
            patterns = std::max(patterns, row.empty() ? 0 : row.back() + size_t{1});
        }
        for (NodeId node = 0; node < tree.GetSize(); ++node)
        {
            m_below[node].resize(patterns);
            for (const auto pattern : wanted[node])
            {
                ++m_below[node][pattern];
            }
        }
        for (NodeId top = 0; top < tree.GetSize(); ++top)
        {
            if (m_top[top] == NO_NODE)
            {
                CountPart(tree, top);
            }
        }
    }

    /// @return what is wanted at @p neighbour of @p node and beyond
    Patterns GetWanted(NodeId node, NodeId neighbour) const
    {
        const bool isBelow = m_above[neighbour] == node;
        Patterns wanted;
        for (size_t pattern = 0; pattern < m_below[node].size(); ++pattern)
        {
            const auto count = isBelow ? m_below[neighbour][pattern]
                                       : m_below[m_top[node]][pattern] - m_below[node][pattern];
            if (count > 0)
            {
                wanted.push_back(static_cast<Pattern>(pattern));
            }
        }
        return wanted;
    }

  private:
    void CountPart(const Forest& tree, NodeId top)
    {
        const auto part = tree.GetPart(top);
        for (const auto node : part)
        {
            m_top[node] = top;
            for (const auto neighbour : tree.GetNeighbours(node))
            {
                if (neighbour != m_above[node])
                {
                    m_above[neighbour] = node;
                }
            }
        }
        for (auto node = part.rbegin(); *node != top; ++node)
        {
            auto& above = m_below[m_above[*node]];
            std::transform(above.begin(),
                           above.end(),
                           m_below[*node].begin(),
                           above.begin(),
                           std::plus());
        }
    }

    std::vector<Counts> m_below; //!< at a dispatcher and below it, by dispatcher
    std::vector<NodeId> m_above; //!< the next one on the way to the top of the part
    std::vector<NodeId> m_top;
};

bool
AreNeighboursOf(const Forest& tree, const Dispatcher& dispatcher)
{
    const auto& neighbours = tree.GetNeighbours(dispatcher.GetId());
    const auto rows = dispatcher.GetTable().GetRows();
    return dispatcher.GetNeighbours() == neighbours &&
           std::all_of(rows.begin(), rows.end(), [&](auto row) {
               return row == LOCAL || std::binary_search(neighbours.begin(), neighbours.end(), row);
           });
}

} // namespace

std::vector<Rows>
BuildTables(const Forest& tree, const std::vector<Patterns>& wanted)
{
    const Census census(tree, wanted);
    std::vector<Rows> tables(tree.GetSize());
    for (NodeId node = 0; node < tree.GetSize(); ++node)
    {
        for (const auto neighbour : tree.GetNeighbours(node))
        {
            tables[node].push_back(census.GetWanted(node, neighbour));
        }
    }
    return tables;
}

std::vector<std::string>
FindFaults(const Forest& tree,
           const std::function<const Dispatcher&(NodeId)>& dispatcher,
           const Namer& name)
{
    std::vector<Patterns> wanted;
    for (NodeId node = 0; node < tree.GetSize(); ++node)
    {
        wanted.push_back(dispatcher(node).GetTable().GetRow(LOCAL));
    }
    const auto tables = BuildTables(tree, wanted);
    std::vector<std::string> faults;
    for (NodeId node = 0; node < tree.GetSize(); ++node)
    {
        const auto& machine = dispatcher(node);
        const auto who = "dispatcher " + name(node);
        if (!machine.IsAtRest())
        {
            faults.push_back(who + " still waits for something");
        }
        if (!AreNeighboursOf(tree, machine))
        {
            faults.push_back(who + " has other neighbours or rows than the tree");
        }
        const auto& neighbours = tree.GetNeighbours(node);
        for (size_t index = 0; machine.HasRoutes() && index < neighbours.size(); ++index)
        {
            if (machine.GetTable().GetRow(neighbours[index]) != tables[node][index])
            {
                faults.push_back(who + " has a wrong row for " + name(neighbours[index]));
            }
        }
    }
    return faults;
}

} // namespace mftpubsub::reconfiguration
