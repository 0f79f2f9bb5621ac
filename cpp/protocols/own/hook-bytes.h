/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What protocols that are written in Python read of the answers of their hooks.
 */
#ifndef MFTPUBSUB_PROTOCOLS_OWN_HOOK_BYTES_H
#define MFTPUBSUB_PROTOCOLS_OWN_HOOK_BYTES_H

#include "content/bytes.h"
#include "content/event.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace mftpubsub
{

/// @return the words between spaces
inline std::vector<std::string>
SplitKinds(const char* words)
{
    std::istringstream in(words);
    std::vector<std::string> found;
    for (std::string word; in >> word;)
    {
        found.push_back(word);
    }
    return found;
}

inline EventId
ReadId(ByteReader& in)
{
    const auto publisher = in.Get<NodeId>();
    return {publisher, in.Get<uint32_t>()};
}

/// @return events, of which there is a number first (1 B)
inline std::vector<EventId>
ReadIds(ByteReader& in)
{
    std::vector<EventId> ids;
    for (auto left = in.Get<uint8_t>(); left > 0; --left)
    {
        ids.push_back(ReadId(in));
    }
    return ids;
}

inline Bytes
ReadBytes(ByteReader& in, size_t count)
{
    Bytes bytes(count);
    std::ranges::generate(bytes, [&in] { return in.Get<uint8_t>(); });
    return bytes;
}

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_OWN_HOOK_BYTES_H */
