/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_HALVINGS_H
#define MFTPUBSUB_CONTENT_HALVINGS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mftpubsub
{

/**
 * How often frames over one link are halved. Over a weak link a large frame never arrives where a
 * small one often does. What is lost twice in a row is halved, and each time that it is again; what
 * arrives takes one halving back.
 */
class Halvings
{
  public:
    void Arrived()
    {
        m_inVain -= std::min(m_inVain, 1U);
    }

    /// @param most halvings of a frame
    void Lost(uint32_t most)
    {
        m_inVain = std::min(m_inVain + 1, most + 1);
    }

    /// @return whether two frames were lost in a row
    bool IsWeak() const
    {
        return m_inVain > 1;
    }

    /// @return bytes of the next frame, where @p frameBytes fit into any
    size_t GetMost(size_t frameBytes, size_t leastBytes) const
    {
        const auto halvings = IsWeak() ? m_inVain - 1 : 0;
        return std::max(frameBytes >> halvings, std::min(frameBytes, leastBytes));
    }

  private:
    uint32_t m_inVain{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_CONTENT_HALVINGS_H */
