/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_FRAME_SENDER_H
#define MFTPUBSUB_PROTOCOLS_MESH_FRAME_SENDER_H

#include "protocols/mesh/options.h"

namespace mftpubsub::mesh
{

/**
 * One frame at a time, as a state machine without I/O: at most one frame is in the MAC. When it has
 * been on the air, its air time and U(0, 3 ms) go by until the next one may be built.
 *
 * So every decision what to send is taken when the channel is free, and uses what was overheard
 * meanwhile (late binding). The time that frames wait in the MAC measures the load of the channel.
 */
class FrameSender
{
  public:
    FrameSender(const SenderLimits& limits, Uniform uniform);

    /// A frame has been given to the MAC.
    void HandedOver(Instant now, size_t bytes = 0);

    /// The frame has gone on the air, where it is for @p airTime.
    void Transmitted(Instant now, Instant airTime);

    /// The MAC has dropped the frame.
    void Dropped(Instant now);

    /// @return when the next frame may be built; NEVER while one is in the MAC
    Instant FreeAt() const
    {
        return m_isBusy ? NEVER : m_freeAt;
    }

    /// @return how long a frame of @p bytes is on the air, as the latest one was
    Instant GetAirTime(size_t bytes) const
    {
        return m_perByte * static_cast<int64_t>(bytes);
    }

    /// @return how much longer than usual everything has to take, at least 1
    double GetLoad() const;

  private:
    void Free(Instant at);

    SenderLimits m_limits;
    Uniform m_uniform;
    bool m_isBusy{false};
    Instant m_handedOverAt{0};
    Instant m_freeAt{0};
    size_t m_bytes{0}; //!< of the latest frame
    Instant m_perByte{0};
    double m_waitSeconds{0}; //!< in the MAC, on average
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_FRAME_SENDER_H */
