/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_SESSION_FRAME_H
#define MFTPUBSUB_SESSION_FRAME_H

#include "content/bytes.h"
#include "content/node-id.h"

#include <cstdint>
#include <span>

namespace mftpubsub
{

// Kinds of frames. Families of messages have theirs below these (protocols/tree/message-codec.h).

inline constexpr uint8_t KIND_ASK = 252;    //!< "have you got this frame?" (Session::Acknowledged)
inline constexpr uint8_t KIND_CLOSED = 253; //!< "this is my number now": the session is over
inline constexpr uint8_t KIND_HEARTBEAT = 254;
inline constexpr uint8_t KIND_ACK = 255;

/**
 * One end's number of the session of a pair of nodes; the session is the pair of both numbers. It
 * begins anywhere when a node starts and goes up by one when that end ends a session.
 */
using SessionNumber = uint16_t;

/// No session number: the other end's is not known yet.
inline constexpr SessionNumber NO_SESSION = 0;

/// Sequence numbers count frames of a session, modulo this.
inline constexpr uint8_t SEQUENCE_NUMBERS = 128;

/**
 * Header of every frame that our protocols send, 10 B: what Castalia's BypassRouting charges for
 * its header (PARAMETERS), here with fields that are used.
 */
struct FrameHeader
{
    NodeId source{NO_NODE};
    NodeId destination{NO_NODE};        //!< NO_NODE: broadcast
    uint8_t kind{0};                    //!< what the frame carries
    SessionNumber session{NO_SESSION};  //!< the source's; in a broadcast, its life (see Sessions)
    SessionNumber receiver{NO_SESSION}; //!< the destination's, as far as the source knows
    uint8_t sequence{0}; //!< 7 bit, of the frame; in an ACK or ASK, of that which it is about
    bool hasMore{false}; //!< 1 bit: the message goes on in the next frame

    bool operator==(const FrameHeader&) const = default;
};

inline constexpr size_t FRAME_HEADER_BYTES = 10;

/// @return header and body as one frame
Bytes EncodeFrame(const FrameHeader& header, std::span<const uint8_t> body);

/// @throws DecodeError when @p frame is shorter than a header
FrameHeader DecodeFrameHeader(std::span<const uint8_t> frame);

/// @return the part of @p frame behind its header
std::span<const uint8_t> GetFrameBody(std::span<const uint8_t> frame);

} // namespace mftpubsub

#endif /* MFTPUBSUB_SESSION_FRAME_H */
