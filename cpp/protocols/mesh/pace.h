/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_PACE_H
#define MFTPUBSUB_PROTOCOLS_MESH_PACE_H

#include "protocols/mesh/speaker.h"

#include <limits>

namespace mftpubsub::mesh
{

/**
 * How soon a device may send its next new event: congestion control at the source, as a state
 * machine without I/O. Sums that stay unsolved say that the mesh is given more than it carries.
 * Events then wait where they are published, where they take nothing from others. Rates rise and
 * fall by factors, so that all publishers are slowed alike, whatever their rates are.
 */
class Pace
{
  public:
    explicit Pace(const Context& context)
        : m_context(context)
    {
    }

    /// @return from when on another new event may go
    Instant Due() const
    {
        return m_nextAt;
    }

    /// A new event goes.
    void Take(Instant now);

  private:
    void Adapt(Instant now);

    const Context& m_context;
    double m_allowed{std::numeric_limits<double>::infinity()}; //!< events/s
    double m_actual{0};                                        //!< events/s, lately
    double m_taken{0};                                         //!< since it has adapted
    Instant m_adaptedAt{0};
    Instant m_slowedAt{0};
    Instant m_nextAt{0};
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_PACE_H */
