/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_VARINT_H
#define MFTPUBSUB_PROTOCOLS_MESH_VARINT_H

#include "content/bytes.h"

#include <cstddef>
#include <cstdint>

namespace mftpubsub::mesh
{

// Numbers in as few bytes as they need, seven bits in each, the least first (LEB128).

/// @return bytes that PutVarint takes for @p value
constexpr size_t
CountVarint(size_t value)
{
    size_t bytes = 1;
    for (; value >= 0x80; value >>= 7)
    {
        ++bytes;
    }
    return bytes;
}

inline void
PutVarint(ByteWriter& out, uint32_t value)
{
    for (; value >= 0x80; value >>= 7)
    {
        out.Put(static_cast<uint8_t>(value | 0x80));
    }
    out.Put(static_cast<uint8_t>(value));
}

/// @throws DecodeError when no number of at most 32 bits follows
inline uint32_t
GetVarint(ByteReader& in)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 35; shift += 7)
    {
        const auto byte = in.Get<uint8_t>();
        value |= uint64_t{byte & 0x7fU} << shift;
        if (byte < 0x80)
        {
            if (value > UINT32_MAX)
            {
                break;
            }
            return static_cast<uint32_t>(value);
        }
    }
    throw DecodeError("a number of more than 32 bits");
}

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_VARINT_H */
