/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_UNMIXER_H
#define MFTPUBSUB_PROTOCOLS_MESH_UNMIXER_H

#include "protocols/mesh/equations.h"
#include "protocols/mesh/frames.h"

#include <deque>
#include <map>
#include <vector>

namespace mftpubsub::mesh
{

/**
 * Solves the sums that a device hears for the events that it lacks, as linear equations over
 * GF(256). It keeps the events that were heard lately, to take them out of sums, and the sums that
 * more than one of the other events is in, in reduced row echelon form.
 */
class Unmixer
{
  public:
    explicit Unmixer(const MixLimits& limits)
        : m_limits(limits)
    {
    }

    /// An event was heard, or published here. @return those that this solves sums for
    std::vector<EventPtr> Know(Instant now, const EventPtr& event);

    /// @return the events that @p mix solves sums for
    std::vector<EventPtr> Hear(Instant now, const Mix& mix);

    /// @return how many events were heard, or published here, since
    size_t CountHeard(Instant since) const;

    /// @return how many sums have waited for others for longer than they do where the mesh keeps up
    size_t CountStuck(Instant now) const;

    /// @return how many events and sums it keeps, and events that are in sums
    size_t CountRemembered() const
    {
        return m_known.size() + m_unsolved.GetSums().size() + m_unsolved.GetColumns().size();
    }

  private:
    /// An event, and its bytes as sums have them, once a sum has needed them.
    struct Known
    {
        EventPtr event;
        Bytes bytes;
    };

    bool IsOfLate(EventId id) const;
    void Forget(Instant now);
    void Keep(Instant now, const EventPtr& event);
    std::vector<EventPtr> Solve(Instant now);

    MixLimits m_limits;
    std::map<EventId, Known> m_known;
    std::deque<std::pair<Instant, EventId>> m_knownSince;
    Equations<EventId> m_unsolved;
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_UNMIXER_H */
