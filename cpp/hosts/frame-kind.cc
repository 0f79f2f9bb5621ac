/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/frame-kind.h"

#include "protocols/tree/message-codec.h"
#include "session/frame.h"

namespace mftpubsub
{

std::string_view
GetFrameKind(ns3::Ptr<const ns3::Packet> frame, std::span<const std::string> own)
{
    Bytes bytes(FRAME_HEADER_BYTES);
    frame->CopyData(bytes.data(), FRAME_HEADER_BYTES);
    return GetFrameName(DecodeFrameHeader(bytes).kind, own);
}

} // namespace mftpubsub
