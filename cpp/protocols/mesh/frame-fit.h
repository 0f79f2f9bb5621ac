/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_FRAME_FIT_H
#define MFTPUBSUB_PROTOCOLS_MESH_FRAME_FIT_H

#include "content/halvings.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace mftpubsub::mesh
{

/**
 * How large frames over one link may be, each with the id of what it begins with: whoever lacks
 * that tells that the frame was lost.
 */
template <typename Id>
class FrameFit
{
  public:
    /// A frame goes out again, or another one: to who has just told that it lacks @p first.
    void SentAgain(Id first, uint32_t mostHalvings)
    {
        Told(m_sent != first, mostHalvings);
        m_sent = first;
    }

    /// Frames go out, of which the first begins with @p first.
    void Sent(Id first)
    {
        m_sent = m_sent.value_or(first);
    }

    /// @return what the frame begins with that nobody has told of yet
    std::optional<Id> GetSent() const
    {
        return m_sent;
    }

    /// Somebody tells of that frame.
    void Told(bool hasArrived, uint32_t mostHalvings)
    {
        if (m_sent)
        {
            hasArrived ? m_halvings.Arrived() : m_halvings.Lost(mostHalvings);
            m_sent.reset();
        }
    }

    /// @return bytes of the next frame, where @p frameBytes fit into any
    size_t GetMost(size_t frameBytes, size_t leastBytes) const
    {
        return m_halvings.GetMost(frameBytes, leastBytes);
    }

  private:
    std::optional<Id> m_sent;
    Halvings m_halvings;
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_FRAME_FIT_H */
