/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_MESSAGE_CODEC_H
#define MFTPUBSUB_PROTOCOLS_TREE_MESSAGE_CODEC_H

#include "content/bytes.h"
#include "protocols/tree/message.h"

#include <span>
#include <string>
#include <string_view>

namespace mftpubsub
{

/// Which alternative of Message a frame carries; travels in the frame's header, not in the body.
using MessageKind = uint8_t;

/// Number of kinds of messages that ship, which are 0 .. MESSAGE_KINDS-1. What follows is a
/// protocol's own: two kinds for each of its, of which the second is for the sender's parent.
inline constexpr MessageKind MESSAGE_KINDS = std::variant_size_v<Message> - 1;

/// Kinds of messages that a protocol of one's own may have.
inline constexpr MessageKind MOST_OWN_KINDS = (252 - MESSAGE_KINDS) / 2;

MessageKind GetKind(const Message& message);

/// @param own names of the kinds of a protocol of one's own
/// @return the name of messages of @p kind ("BMIG")
std::string_view GetKindName(MessageKind kind, std::span<const std::string> own = {});

/// @return what a frame of @p kind carries: a message, or a word of sessions ("HEARTBEAT", "ACK")
std::string_view GetFrameName(uint8_t kind, std::span<const std::string> own = {});

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
