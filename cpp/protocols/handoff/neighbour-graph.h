/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_NEIGHBOUR_GRAPH_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_NEIGHBOUR_GRAPH_H

#include "protocols/handoff/broker.h"

#include <map>

namespace mftpubsub::handoff
{

/**
 * Where a subscriber of this broker may turn up next: learnt from moves, forgotten by age (NT; G
 * 4.2, algorithm 2; handoff.md section 7). Each end of an edge keeps its own word of it.
 */
class NeighbourGraph
{
  public:
    explicit NeighbourGraph(const Options& options);

    /// A subscriber moved between here and @p broker: adds the edge, or refreshes it. A new one is
    /// told to every neighbour.
    void Touch(Instant now, NodeId broker, Output& output);

    /// @return the neighbours whose edges are too old now: they are none any more, and the others
    ///         are told
    Neighbours RemoveOld(Instant now, Output& output);

    /// @return when the oldest edge will be too old, if ever
    std::optional<Instant> NextRemoval() const;

    /// @return NT, ascending
    Neighbours Get() const;

  private:
    void Tell(Output& output) const;

    std::optional<Instant> m_age;
    std::map<NodeId, Instant> m_lastUse;
};

/// @return whether @p broker is among @p neighbours
bool Contains(const Neighbours& neighbours, NodeId broker);

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_NEIGHBOUR_GRAPH_H */
