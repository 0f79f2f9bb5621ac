/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_POLICIES_NODE_VIEW_H
#define MFTPUBSUB_POLICIES_NODE_VIEW_H

#include "content/node-id.h"

#include <cstdint>
#include <functional>

namespace mftpubsub
{

/// What a node knows of itself when it asks a policy.
struct NodeView
{
    NodeId id{NO_NODE};
    uint16_t roles{0};              //!< a bit each: 1 broker, 2 subscriber, 4 publisher
    int64_t timeNanoseconds{0};     //!< simulated time
    NodeId leader{NO_NODE};         //!< whose heartbeats it follows
    uint32_t round{0};              //!< the newest of these
    NodeId parent{NO_NODE};         //!< of a client: its broker
    uint16_t hops{0};               //!< to the leader
    double attachedSeconds{0};      //!< since it got this parent
    uint32_t children{0};           //!< brokers below it
    double speedMetresPerSecond{0}; //!< its own
    uint32_t queuedEvents{0};       //!< that it holds as a broker
};

/// Adds to a description what its maker cannot know.
using ViewCompleter = std::function<void(NodeView&)>;

/// Describes the node that asks, now.
using NodeDescriber = std::function<NodeView()>;

} // namespace mftpubsub

#endif /* MFTPUBSUB_POLICIES_NODE_VIEW_H */
