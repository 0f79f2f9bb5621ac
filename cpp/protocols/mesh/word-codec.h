/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_WORD_CODEC_H
#define MFTPUBSUB_PROTOCOLS_MESH_WORD_CODEC_H

#include "content/bytes.h"
#include "protocols/mesh/frames.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

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

void Write(ByteWriter& out, const BsubHashes& bsub);

/// @throws DecodeError when no BSUB of hashes follows
BsubHashes ReadBsubHashes(ByteReader& in);

/// @return bytes that a stamp takes behind that of @p previous, or the first of the range
size_t CountBytes(NodeId previous, const WordStamp& stamp);

/// The filters of a word, with how many ms each is older than the youngest.
using FilterSet = std::vector<std::pair<Filter, uint32_t>>;

struct HashOfFilters
{
    size_t operator()(const FilterSet& set) const;
};

FilterSet GetFilterSet(const Word& word);

/// @return the age of the youngest filter, ms; 0 if there is none
uint32_t GetLeastAge(const Word& word);

/// @return @p least and @p more: after 49 days as much as frames can say, ms
constexpr uint32_t
AddAges(uint32_t least, uint32_t more)
{
    return static_cast<uint32_t>(std::min<uint64_t>(uint64_t{least} + more, UINT32_MAX));
}

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

    /// @return bytes of the frame with @p word alone, however old its filters become
    static size_t Of(const Word& word);

  private:
    std::set<FilterSet> m_sets;
    NodeId m_previous{0};
    size_t m_bytes{HEADER_BYTES + 2};
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_WORD_CODEC_H */
