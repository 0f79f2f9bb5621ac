/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_UNMIXER_H
#define MFTPUBSUB_PROTOCOLS_MESH_UNMIXER_H

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

    /// @return how many sums have waited for others for longer than they do where the mesh keeps up
    size_t CountStuck(Instant now) const;

    /// @return how many events and sums it keeps
    size_t CountRemembered() const
    {
        return m_known.size() + m_sums.size();
    }

  private:
    /// A sum of events that are not known, each times a factor that is not 0.
    struct Sum
    {
        std::map<EventId, uint8_t> factors;
        Bytes bytes;
        Instant heardAt{0};
    };

    void Forget(Instant now);
    void Keep(Instant now, const EventPtr& event);
    void TakeOut(const Event& event);
    void Insert(Sum sum);
    std::vector<EventPtr> Solve(Instant now);
    static void Add(Sum& to, uint8_t factor, const Sum& from);

    MixLimits m_limits;
    std::map<EventId, EventPtr> m_known;
    std::deque<std::pair<Instant, EventId>> m_knownSince;
    std::map<EventId, Sum> m_sums; //!< by an event with factor 1 that is in no other sum
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_UNMIXER_H */
