/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_TREE_LAB_TREE_H
#define MFTPUBSUB_LAB_TREE_LAB_TREE_H

#include "content/node-id.h"

#include <map>
#include <set>

namespace mftpubsub
{

/// Which brokers are linked with which, whether their machines know it or not.
class LabTree
{
  public:
    void Add(NodeId broker);
    void Link(NodeId one, NodeId other);
    void Unlink(NodeId one, NodeId other);

    const std::set<NodeId>& GetNeighbours(NodeId broker) const;

    /// @return the brokers connected to @p broker, not counting its link to @p without
    std::set<NodeId> GetComponent(NodeId broker, NodeId without) const;

  private:
    std::map<NodeId, std::set<NodeId>> m_neighbours;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_TREE_LAB_TREE_H */
