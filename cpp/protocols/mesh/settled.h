/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_SETTLED_H
#define MFTPUBSUB_PROTOCOLS_MESH_SETTLED_H

#include "protocols/mesh/options.h"
#include "protocols/mesh/summary.h"

#include <deque>
#include <vector>

namespace mftpubsub::mesh
{

/// The events that a broker owes to nobody: no word that it has wants them, or who does has got
/// them. It remembers when they were settled, since a word may be older than it is known here.
class Settled
{
  public:
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

    /// @return what was settled since @p since
    std::vector<EventId> Since(Instant since) const;

    const Summary& GetEvents() const
    {
        return m_events;
    }

  private:
    struct Entry
    {
        Instant at{0};
        NodeId publisher{NO_NODE};
        Run run;
    };

    Summary m_events;
    std::deque<Entry> m_log; //!< the latest last
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_SETTLED_H */
