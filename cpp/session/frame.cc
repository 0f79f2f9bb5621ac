/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "session/frame.h"

namespace mftpubsub
{

Bytes
EncodeFrame(const FrameHeader& header, std::span<const uint8_t> body)
{
    ByteWriter out;
    out.Put(header.source);
    out.Put(header.destination);
    out.Put(header.kind);
    out.Put(header.session);
    out.Put(header.receiver);
    out.Put(static_cast<uint8_t>(header.sequence | (header.hasMore ? SEQUENCE_NUMBERS : 0)));
    auto frame = out.Take();
    frame.insert(frame.end(), body.begin(), body.end());
    return frame;
}

FrameHeader
DecodeFrameHeader(std::span<const uint8_t> frame)
{
    ByteReader in(frame);
    FrameHeader header;
    header.source = in.Get<NodeId>();
    header.destination = in.Get<NodeId>();
    header.kind = in.Get<uint8_t>();
    header.session = in.Get<SessionNumber>();
    header.receiver = in.Get<SessionNumber>();
    const auto sequence = in.Get<uint8_t>();
    header.sequence = sequence % SEQUENCE_NUMBERS;
    header.hasMore = sequence >= SEQUENCE_NUMBERS;
    return header;
}

std::span<const uint8_t>
GetFrameBody(std::span<const uint8_t> frame)
{
    return frame.subspan(FRAME_HEADER_BYTES);
}

} // namespace mftpubsub
