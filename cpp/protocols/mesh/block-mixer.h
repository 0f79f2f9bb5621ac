/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_BLOCK_MIXER_H
#define MFTPUBSUB_PROTOCOLS_MESH_BLOCK_MIXER_H

#include "protocols/mesh/speaker.h"

namespace mftpubsub::mesh
{

/**
 * When a broker sends sums of blocks: as a state machine without I/O. All brokers around share the
 * air alike. Who has heard nothing new for a while sends more rarely.
 */
class BlockMixer
{
  public:
    explicit BlockMixer(const Context& context)
        : m_context(context)
    {
    }

    /// A block or a sum was heard, with so many other brokers around.
    void Hear(Instant now, size_t brokers);

    /// @return when a sum goes out; NEVER if none does
    Instant Due() const
    {
        return m_at;
    }

    /// A sum is due. @return whether it goes
    bool Take(Instant now, size_t brokers);

  private:
    Instant DrawPause(size_t brokers) const;

    const Context& m_context;
    double m_credit{0}; //!< sums
    size_t m_news{0};   //!< that BlockSums has counted
    Instant m_at{NEVER};
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_BLOCK_MIXER_H */
