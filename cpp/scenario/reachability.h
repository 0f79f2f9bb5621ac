/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_SCENARIO_REACHABILITY_H
#define MFTPUBSUB_SCENARIO_REACHABILITY_H

#include "pubsub/event.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace mftpubsub
{

/**
 * The bound on every protocol (protocols.md section 10): which (event, subscriber) pairs an ideal
 * epidemic with infinite buffers would have delivered by now, i.e. those with a space-time path
 * over usable links from the publisher to the subscriber.
 *
 * A link is usable while a frame over it would arrive at or above the receiver's sensitivity, below
 * which nothing is ever received. Links are directed.
 */
class Reachability
{
  public:
    using IsUsable = std::function<bool(NodeId from, NodeId to)>;
    using OnReached = std::function<void(NodeId subscriber, EventId event)>;

    Reachability(NodeId nodes, IsUsable isUsable, OnReached onReached);

    /// The set of usable links may have changed.
    void LinksChanged();

    /// @p event is published at @p publisher, for @p subscribers.
    void Published(NodeId publisher, EventId event, const std::vector<NodeId>& subscribers);

  private:
    /// A set of events, a bit each, by order of publication.
    using EventSet = std::vector<uint64_t>;

    bool MergeInto(NodeId to, NodeId from);
    void Spread();

    IsUsable m_isUsable;
    OnReached m_onReached;
    std::vector<std::vector<NodeId>> m_neighbours; //!< of each node, over usable outgoing links
    std::vector<EventSet> m_held;                  //!< by each node
    std::vector<EventSet> m_wanted;                //!< by each node and not reached yet
    std::vector<EventId> m_events;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_SCENARIO_REACHABILITY_H */
