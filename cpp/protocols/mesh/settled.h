/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_SETTLED_H
#define MFTPUBSUB_PROTOCOLS_MESH_SETTLED_H

#include "protocols/mesh/options.h"
#include "protocols/mesh/summary.h"

#include <vector>

namespace mftpubsub::mesh
{

/**
 * The events that a broker owes to nobody: no word that it has wants them, or who does has got
 * them.
 *
 * It remembers when they were settled, since a word may be older than it is known here: the more
 * roughly, the longer ago, so that what it remembers does not grow with time.
 */
class Settled
{
  public:
    explicit Settled(const SettledLimits& limits)
        : m_limits(limits)
    {
    }

    bool Has(EventId id) const
    {
        return m_events.Has(id);
    }

    void Add(Instant now, EventId id);

    /// @return what is new in @p other, which is settled too
    Summary Merge(Instant now, const Summary& other);

    void Remove(EventId id)
    {
        m_events.Remove(id);
    }

    void Remove(const Summary& events);

    /// @return what was settled since @p since, and perhaps some of what was before
    Summary Since(Instant since) const;

    const Summary& GetEvents() const
    {
        return m_events;
    }

    /// @return how many runs it remembers, of what is settled and of when it was
    size_t CountRuns() const;

  private:
    /// What was settled in some time.
    struct Epoch
    {
        Instant from{0};
        Instant to{0};
        Summary events; //!< some may not be settled any more
    };

    Summary& GetEpoch(Instant now);
    void Blur(Instant now);

    SettledLimits m_limits;
    Summary m_events;
    std::vector<Epoch> m_log; //!< the latest last
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_SETTLED_H */
