/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_FRAME_FIT_H
#define MFTPUBSUB_PROTOCOLS_MESH_FRAME_FIT_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace mftpubsub::mesh
{

/**
 * How large frames over one link may be, each with the id of what it begins with. Over a weak link
 * a large frame never arrives where a small one often does. A frame that was sent twice in vain is
 * halved, and each time that it is again.
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
            m_inVain = hasArrived ? m_inVain - std::min(m_inVain, 1U)
                                  : std::min(m_inVain + 1, mostHalvings + 1);
            m_sent.reset();
        }
    }

    /// @return bytes of the next frame, where @p frameBytes fit into any
    size_t GetMost(size_t frameBytes, size_t leastBytes) const
    {
        const auto halvings = m_inVain > 1 ? m_inVain - 1 : 0;
        return std::max(frameBytes >> halvings, std::min(frameBytes, leastBytes));
    }

  private:
    std::optional<Id> m_sent;
    uint32_t m_inVain{0};
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_FRAME_FIT_H */
