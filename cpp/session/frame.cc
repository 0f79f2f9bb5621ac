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
    out.Put(static_cast<uint8_t>(header.kind << 4 | (header.incarnation & 0xf)));
    out.Put(header.sequence);
    out.Put(header.baseOffset);
    out.Put(header.fragment);
    out.Put(header.fragments);
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
    const auto kind = in.Get<uint8_t>();
    header.kind = kind >> 4;
    header.incarnation = kind & 0xf;
    header.sequence = in.Get<uint16_t>();
    header.baseOffset = in.Get<uint8_t>();
    header.fragment = in.Get<uint8_t>();
    header.fragments = in.Get<uint8_t>();
    return header;
}

std::span<const uint8_t>
GetFrameBody(std::span<const uint8_t> frame)
{
    return frame.subspan(FRAME_HEADER_BYTES);
}

} // namespace mftpubsub
