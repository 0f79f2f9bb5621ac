/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_RUN_REACHABILITY_H
#define MFTPUBSUB_RUN_REACHABILITY_H

#include "content/event.h"

#include <cstdint>
#include <functional>
#include <set>
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
    /// Who gets a frame that @p from sends now, in ascending order.
    using LinksFrom = std::function<std::vector<uint32_t>(NodeId from)>;
    using OnReached = std::function<void(NodeId subscriber, EventId event)>;

    Reachability(NodeId nodes, LinksFrom linksFrom, OnReached onReached);

    /// The set of usable links may have changed.
    void LinksChanged();

    /// Those from @p from may have changed: it sends now.
    void LinksChanged(NodeId from);

    /// @p event is published at @p publisher, for @p subscribers.
    void Published(NodeId publisher, EventId event, const std::vector<NodeId>& subscribers);

  private:
    /// A set of events, a bit each, by order of publication.
    using EventSet = std::vector<uint64_t>;

    /// Whom a node reaches over usable links.
    struct Neighbours
    {
        bool isCurrent{false}; //!< else the links may have changed since
        std::vector<uint32_t> nodes;
    };

    const std::vector<uint32_t>& NeighboursOf(NodeId node);
    bool MergeInto(NodeId to, NodeId from);
    /**
     * Hands on what @p sources hold, as far as it gets: first a sweep in ascending order over them
     * and whom it reaches ahead of itself, then on from all whom it has reached, as they were.
     */
    void Spread(std::set<NodeId> sources);
    void Forget();

    LinksFrom m_linksFrom;
    OnReached m_onReached;
    std::vector<Neighbours> m_neighbours; //!< of each node
    std::vector<EventSet> m_held;         //!< by each node
    std::vector<EventSet> m_wanted;       //!< by each node and not reached yet
    std::vector<EventId> m_events;        //!< since somebody was last waiting for none
    size_t m_waiting{0};                  //!< bits in m_wanted
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_RUN_REACHABILITY_H */
