/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_STACKS_SNAPSHOT_H
#define MFTPUBSUB_STACKS_SNAPSHOT_H

#include "content/node-id.h"
#include "trace/run-counters.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace mftpubsub
{

/// A broker's routes at an instant, by ascending subscriber: one in each place of all vectors.
struct RouteStates
{
    std::vector<NodeId> subscribers;
    std::vector<NodeId> nextHops;
    std::vector<uint32_t> timestamps;
    std::vector<uint32_t> hops;
    std::vector<uint32_t> queuedEvents; //!< held for the subscriber
};

/// One device at an instant.
struct NodeState
{
    double xMetres{0.0}; //!< as the channel sees it: its latest sample
    double yMetres{0.0};
    double zMetres{0.0};
    bool isUp{false};         //!< it has started and has not crashed
    int32_t parent{-1};       //!< of a broker in the tree; of another device its broker; -1: none
    int32_t leader{-1};       //!< whom a broker follows, itself if it leads; -1: no broker
    uint64_t queuedEvents{0}; //!< held by a broker, one for each (event, subscriber)
    RouteStates routes;       //!< of a broker of the tree
};

/// The network at an instant.
struct Snapshot
{
    double seconds{0.0};
    std::vector<NodeState> nodes; //!< by id
    std::vector<std::pair<uint32_t, uint32_t>>
        links; //!< pairs in reach of each other, in both directions, lower id first
    std::vector<int32_t> strengthsDbm; //!< of each of links, in its weaker direction
    RunCounters counters;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_STACKS_SNAPSHOT_H */
