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

/// Kinds of frames that are not a message of the protocol above (kinds are 4 bit).
inline constexpr uint8_t KIND_HEARTBEAT = 14;
inline constexpr uint8_t KIND_ACK = 15;

/**
 * Header of every frame that our protocols send, 10 B: what Castalia's BypassRouting charges for
 * its header (PARAMETERS.md), here with fields that are used.
 */
struct FrameHeader
{
    NodeId source{NO_NODE};
    NodeId destination{NO_NODE}; //!< NO_NODE: broadcast
    uint8_t kind{0};             //!< what the frame carries, 4 bit
    uint8_t incarnation{0};      //!< counts the sender's restarts, modulo 16
    uint16_t sequence{0};        //!< of the frame; in an ACK, of the acknowledged one
    uint8_t baseOffset{0};       //!< the sender has settled all frames before sequence - baseOffset
    uint8_t fragment{0};         //!< index of this fragment of a message
    uint8_t fragments{1};        //!< how many make up the message

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
