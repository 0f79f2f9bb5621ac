/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_WORD_CODEC_H
#define MFTPUBSUB_PROTOCOLS_MESH_WORD_CODEC_H

#include "content/bytes.h"
#include "protocols/mesh/frames.h"

#include <set>
#include <utility>

namespace mftpubsub::mesh
{

/**
 * Writes the words of a SUB. Filters that several subscribers have are there once: sets of filters
 * with ages come first, then each word with the number of its set and the age that all of the set
 * are older by.
 */
void Write(ByteWriter& out, const Sub& sub);

/// @throws DecodeError when no SUB follows
Sub ReadSub(ByteReader& in);

/// Writes the stamps of a BSUB, each id by its distance from the one before.
void Write(ByteWriter& out, const Bsub& bsub);

/// @throws DecodeError when no BSUB follows
Bsub ReadBsub(ByteReader& in);

/// @return bytes that a stamp takes behind that of @p previous, or the first of the range
size_t CountBytes(NodeId previous, const WordStamp& stamp);

/// The filters of a word, with how much older each is than the youngest.
using FilterSet = std::vector<std::pair<Filter, uint32_t>>;

/// How large a SUB is.
class SubBytes
{
  public:
    /// The SUB has @p word too.
    void Add(const Word& word);

    /// @return bytes of the frame, its header included
    size_t Get() const
    {
        return m_bytes;
    }

    /// @return bytes of the frame with @p word alone
    static size_t Of(const Word& word);

  private:
    std::set<FilterSet> m_sets;
    NodeId m_previous{0};
    size_t m_bytes{HEADER_BYTES + 2};
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_WORD_CODEC_H */
