/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_TREE_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_TREE_H

#include "content/node-id.h"

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace mftpubsub::handoff
{

/// The brokers of the schemes that route: an acyclic graph that stays as it is, and its root.
class Tree
{
  public:
    /// @throws std::invalid_argument unless @p links make one tree that @p root is in
    Tree(const std::vector<std::pair<NodeId, NodeId>>& links, NodeId root);

    /// @return the neighbours of @p broker, ascending
    const std::vector<NodeId>& GetNeighbours(NodeId broker) const;

    /// @return the neighbour of @p from on the way to @p to, which is another broker
    NodeId GetNextHop(NodeId from, NodeId to) const;

    NodeId GetRoot() const;

    /// @return the neighbour towards the root, NO_NODE for the root
    NodeId GetParent(NodeId broker) const;

  private:
    void FindHops(NodeId to, NodeId from, NodeId hop);

    NodeId m_root;
    std::map<NodeId, std::vector<NodeId>> m_neighbours;
    std::map<std::pair<NodeId, NodeId>, NodeId> m_hops; //!< by from, to
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_TREE_H */
