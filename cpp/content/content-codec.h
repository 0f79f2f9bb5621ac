/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_CONTENT_CODEC_H
#define MFTPUBSUB_CONTENT_CONTENT_CODEC_H

#include "content/bytes.h"
#include "content/filter.h"

#include <string>

namespace mftpubsub
{

// Filters and events as they go over the air (protocols.md section 5): ids 2 B, sequence numbers
// 4 B, attributes by type, texts with their length, the payload in full.

void WriteFilter(ByteWriter& out, const Filter& filter);

/// @throws DecodeError for a text that is no filter
Filter ReadFilter(ByteReader& in);

/// @return what WriteAttributes has no room for, in words; empty if there is room for all
std::string FindUnencodable(const Attributes& attributes);

void WriteAttributes(ByteWriter& out, const Attributes& attributes);

/// @throws DecodeError for an attribute of no known type
Attributes ReadAttributes(ByteReader& in);

/// Its length first.
void WritePayload(ByteWriter& out, const Event& event);

void WriteEvent(ByteWriter& out, const Event& event);

/// @throws DecodeError for an attribute of no known type
EventPtr ReadEvent(ByteReader& in);

/// @return whether @p filter matches the event that is @p bytes
bool MatchesWire(const Filter& filter, const std::string& bytes);

/// @return how many bytes WriteEvent takes
size_t CountBytes(const Event& event);

/// @return how many bytes WriteFilter takes
size_t CountBytes(const Filter& filter);

} // namespace mftpubsub

#endif /* MFTPUBSUB_CONTENT_CONTENT_CODEC_H */
