/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_FRAME_KIND_H
#define MFTPUBSUB_HOSTS_FRAME_KIND_H

#include "ns3/packet.h"

#include <span>
#include <string>
#include <string_view>

namespace mftpubsub
{

/**
 * @param own names of the kinds of messages of a protocol of one's own
 * @return what a frame of ours carries, as the trace names it ("HEARTBEAT", "ACK", "PUB", ...)
 */
std::string_view GetFrameKind(ns3::Ptr<const ns3::Packet> frame,
                              std::span<const std::string> own = {});

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_FRAME_KIND_H */
