/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_RADIO_CODEC_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_RADIO_CODEC_H

#include "content/bytes.h"
#include "protocols/handoff/messages.h"

#include <span>
#include <string_view>
#include <variant>

namespace mftpubsub::handoff
{

/// Broker to subscriber: are you there? (G 4.1; handoff.md 4.1.) The transport's acknowledgement is
/// the answer.
struct AreYouThere
{
    static constexpr std::string_view NAME = "PING";
};

/// What G's brokers and their clients say to each other over a radio; a message's place here is its
/// frames' kind. The first RECONNECT subscribes: until a broker has acknowledged one it has the
/// filters, all of them, so that no broker knows a part.
using RadioMessage = std::variant<Reconnect, Evack, Pub, AreYouThere>;

/// @return the name of messages of @p kind ("RECONNECT")
std::string_view GetRadioName(uint8_t kind);

/// @return the body of @p message: ids 2 B, sequence numbers and sessions 4 B, lists with their
/// length in 2 B, filters and events as everywhere
Bytes Encode(const RadioMessage& message);

/// @throws DecodeError when @p body encodes no message of @p kind
RadioMessage DecodeRadio(uint8_t kind, std::span<const uint8_t> body);

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_RADIO_CODEC_H */
