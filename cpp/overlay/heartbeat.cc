/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "overlay/heartbeat.h"

#include <algorithm>

namespace mftpubsub
{

uint8_t
HeartbeatsUntilLost(const OverlayOptions& options)
{
    const auto interval = options.heartbeatInterval;
    const auto begun = (options.leaderTimeout + interval - Instant(1)) / interval;
    return static_cast<uint8_t>(std::clamp<int64_t>(begun, 1, UINT8_MAX));
}

Bytes
Encode(const Heartbeat& heartbeat)
{
    ByteWriter out;
    out.Put(heartbeat.leadership.leader);
    out.Put(heartbeat.leadership.priority);
    out.Put(heartbeat.round);
    out.Put(heartbeat.hops);
    out.Put(heartbeat.parent);
    out.Put(heartbeat.roles);
    if (heartbeat.advertised)
    {
        out.Put(*heartbeat.advertised);
    }
    return out.Take();
}

Heartbeat
DecodeHeartbeat(std::span<const uint8_t> body)
{
    ByteReader in(body);
    Heartbeat heartbeat;
    heartbeat.leadership.leader = in.Get<NodeId>();
    heartbeat.leadership.priority = in.Get<uint32_t>();
    heartbeat.round = in.Get<uint32_t>();
    heartbeat.hops = in.Get<uint8_t>();
    heartbeat.parent = in.Get<NodeId>();
    heartbeat.roles = in.Get<uint8_t>();
    if (!in.IsAtEnd())
    {
        heartbeat.advertised = in.Get<uint8_t>();
    }
    in.ExpectEnd();
    return heartbeat;
}

} // namespace mftpubsub
