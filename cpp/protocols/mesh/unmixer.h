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

    /// @return how many events and sums it keeps, and events that are in sums
    size_t CountRemembered() const
    {
        return m_known.size() + m_sums.size() + m_columns.size();
    }

  private:
    /// An event, and its bytes as sums have them, once a sum has needed them.
    struct Known
    {
        EventPtr event;
        Bytes bytes;
    };

    /// A sum of events that are not known, each times a factor. Each of these has a column.
    struct Sum
    {
        Bytes factors; //!< by columns; 0 beyond
        Bytes bytes;
        Instant heardAt{0};
        size_t column{0}; //!< where it alone has a factor, 1

        uint8_t GetFactor(size_t of) const
        {
            return of < factors.size() ? factors[of] : 0;
        }
    };

    bool IsOfLate(EventId id) const;
    void Forget(Instant now);
    void Keep(Instant now, const EventPtr& event);
    size_t GetColumn(EventId id);
    void FreeColumns();
    void TakeOut(const Event& event);
    void Insert(Sum sum);
    std::vector<EventPtr> Solve(Instant now);
    static void Add(Sum& to, uint8_t factor, const Sum& from);

    MixLimits m_limits;
    std::map<EventId, Known> m_known;
    std::deque<std::pair<Instant, EventId>> m_knownSince;
    std::map<EventId, Sum> m_sums;       //!< by the event of their column
    std::map<EventId, size_t> m_columns; //!< of events that are in sums, or were
    std::vector<size_t> m_free;          //!< columns of no event
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_UNMIXER_H */
