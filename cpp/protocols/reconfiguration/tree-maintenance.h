/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_RECONFIGURATION_TREE_MAINTENANCE_H
#define MFTPUBSUB_PROTOCOLS_RECONFIGURATION_TREE_MAINTENANCE_H

#include "protocols/reconfiguration/dispatcher.h"
#include "protocols/reconfiguration/forest.h"

#include <functional>
#include <map>

namespace mftpubsub::reconfiguration
{

/**
 * The module that keeps the tree, of which C assumes that it is there: it tells dispatchers of
 * links that go and of those that replace them. One link replaces one.
 */
class TreeMaintenance
{
  public:
    /// Tells the machine of @p node, and carries out what it answers.
    using Tell =
        std::function<void(NodeId node, ReconfigurationId id, const Dispatcher::Input& input)>;

    TreeMaintenance(Forest tree, Tell tell);

    /// The link between @p one and @p other is gone, and reconfiguration @p id begins.
    /// @throws std::invalid_argument if there was none, or @p id has begun
    void Break(ReconfigurationId id, NodeId one, NodeId other);

    /// There is a link between @p one and @p other, which replaces the one of @p id.
    /// @throws std::invalid_argument if no link of @p id is missing, or the ends are not in its
    /// parts
    void Replace(ReconfigurationId id, NodeId one, NodeId other);

    const Forest& GetTree() const;

  private:
    Forest m_tree;
    Tell m_tell;
    std::map<ReconfigurationId, Edge> m_missing; //!< A, B
};

/// @return the path from the lower end of @p old over @p fresh to its higher end, neither of which
/// is in
/// @p tree
/// @throws std::invalid_argument if @p fresh does not connect the two parts of @p old
Path FindPath(const Forest& tree, Edge old, Edge fresh);

} // namespace mftpubsub::reconfiguration

#endif /* MFTPUBSUB_PROTOCOLS_RECONFIGURATION_TREE_MAINTENANCE_H */
