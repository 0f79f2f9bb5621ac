/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_MESSAGE_CODEC_H
#define MFTPUBSUB_PROTOCOLS_TREE_MESSAGE_CODEC_H

#include "content/bytes.h"
#include "protocols/tree/message.h"

#include <string_view>

namespace mftpubsub
{

/// Which alternative of Message a frame carries; travels in the frame's header, not in the body.
using MessageKind = uint8_t;

/// Number of message kinds; kinds are 0 .. MESSAGE_KINDS-1.
inline constexpr MessageKind MESSAGE_KINDS = std::variant_size_v<Message>;

MessageKind GetKind(const Message& message);

/// @return the name of messages of @p kind ("BMIG")
std::string_view GetKindName(MessageKind kind);

/**
 * Encodes a message as it goes over the air (protocols.md section 5): ids 2 B, timestamps and event
 * sequence numbers 4 B, hop counts 1 B, lists and texts with a 2 B count, attributes by type, and
 * the event's payload in full.
 *
 * @return the body of the message
 */
Bytes Encode(const Message& message);

/**
 * @param kind the kind that Encode's message had
 * @param body what Encode returned
 * @throws DecodeError when @p body encodes no message of that kind
 */
Message Decode(MessageKind kind, std::span<const uint8_t> body);

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_MESSAGE_CODEC_H */
