/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_TRICKLE_H
#define MFTPUBSUB_PROTOCOLS_MESH_TRICKLE_H

#include "protocols/mesh/options.h"

namespace mftpubsub::mesh
{

/// Parameters of a Trickle timer.
struct TrickleOptions
{
    Instant shortest{0};     //!< Imin
    Instant longest{0};      //!< Imax
    uint32_t redundancy{1};  //!< k
    uint32_t expirations{0}; //!< stops after so many intervals (RFC 7731)
};

/// The Trickle algorithm (RFC 6206 section 4.2), with RFC 7731's end after some intervals.
class Trickle
{
  public:
    Trickle(TrickleOptions options, Uniform uniform);

    /// Begins with the shortest interval; RFC 6206's "inconsistency", also at the start.
    void Reset(Instant now);

    /// Does so, unless the interval is the shortest anyhow.
    void Inconsistent(Instant now);

    void Consistent()
    {
        ++m_heard;
    }

    Instant Due() const
    {
        return m_dueAt;
    }

    /// Something is due. @return whether to transmit
    bool Expire(Instant now);

  private:
    void BeginInterval(Instant now);

    TrickleOptions m_options;
    Uniform m_uniform;
    Instant m_interval{0};
    Instant m_endsAt{NEVER};
    Instant m_dueAt{NEVER}; //!< the transmission, or the end of the interval
    bool m_isPastTransmission{false};
    uint32_t m_heard{0};
    uint32_t m_intervals{0}; //!< since the last reset
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_TRICKLE_H */
