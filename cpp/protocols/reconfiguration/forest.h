/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_RECONFIGURATION_FOREST_H
#define MFTPUBSUB_PROTOCOLS_RECONFIGURATION_FOREST_H

#include "content/node-id.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace mftpubsub::reconfiguration
{

/// Two dispatchers.
using Edge = std::pair<NodeId, NodeId>;

/// The links that are up between dispatchers 0 to n - 1: a tree, or what is left of one.
class Forest
{
  public:
    explicit Forest(size_t dispatchers);

    size_t GetSize() const;

    /// @throws std::invalid_argument if the ends are connected, or there is no such dispatcher
    void Add(NodeId one, NodeId other);

    /// @throws std::invalid_argument if there is no such link
    void Remove(NodeId one, NodeId other);

    bool Has(NodeId one, NodeId other) const;

    /// @return ascending
    const std::vector<NodeId>& GetNeighbours(NodeId node) const;

    /// @return all links, lower id first, ascending
    std::vector<Edge> GetEdges() const;

    /// @return the dispatchers connected with @p from, itself first, nearest first
    std::vector<NodeId> GetPart(NodeId from) const;

    /// @return the dispatchers from @p from to @p to, both included; none if they are not connected
    std::vector<NodeId> GetPath(NodeId from, NodeId to) const;

  private:
    /// @return the dispatchers connected with @p from, and whence each was reached, by dispatcher
    std::pair<std::vector<NodeId>, std::vector<NodeId>> Walk(NodeId from) const;

    std::vector<std::vector<NodeId>> m_neighbours;
};

} // namespace mftpubsub::reconfiguration

#endif /* MFTPUBSUB_PROTOCOLS_RECONFIGURATION_FOREST_H */
