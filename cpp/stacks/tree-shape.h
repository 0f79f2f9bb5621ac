/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_STACKS_TREE_SHAPE_H
#define MFTPUBSUB_STACKS_TREE_SHAPE_H

#include "content/node-id.h"

#include <cstdint>
#include <map>
#include <optional>

namespace mftpubsub
{

/// What brokers' trees look like over a run (T 4.6: balance, and who is near the leader).
class TreeShape
{
  public:
    /**
     * Looks at the trees once. A broker whose way up ends at one that is not there, or never ends,
     * is in none.
     *
     * @param parents by broker, of those that are up; a root's is NO_NODE
     */
    void Look(const std::map<NodeId, NodeId>& parents);

    /// @return the mean number of hops to the root, over all looks; none if it was never in a tree
    std::optional<double> GetMeanDepth(NodeId broker) const;

    /// @return of the brokers below roots, the share on their root's largest branch, over all
    /// looks; trees with one broker below the root, which cannot be balanced, do not count
    std::optional<double> GetLargestBranch() const;

  private:
    struct Place
    {
        NodeId root;
        NodeId branch; //!< the root's child above it, or itself
        uint32_t depth;
    };

    static std::optional<Place> Locate(NodeId broker, const std::map<NodeId, NodeId>& parents);

    struct Depths
    {
        uint64_t sum{0};
        uint64_t looks{0};
    };

    std::map<NodeId, Depths> m_depths; //!< by broker
    uint64_t m_below{0};
    uint64_t m_onLargest{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_STACKS_TREE_SHAPE_H */
