/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_OVERLAY_HEARTBEAT_H
#define MFTPUBSUB_OVERLAY_HEARTBEAT_H

#include "content/bytes.h"
#include "content/instant.h"
#include "content/node-id.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace mftpubsub
{

/// Times of the leader election (protocols.md section 3); no source gives the first two.
struct OverlayOptions
{
    Instant heartbeatInterval{std::chrono::seconds(1)};
    Instant leaderTimeout{std::chrono::seconds(3)};           //!< default: 3 intervals
    Instant rebroadcastJitter{std::chrono::milliseconds(10)}; //!< RFC 5148 style
};

/// @return after how many heartbeats that it has not heard a node has lost their sender
uint8_t HeartbeatsUntilLost(const OverlayOptions& options);

/// Who leads, as a broker believes; totally ordered, the better leader is the lower one.
struct Leadership
{
    uint32_t priority{0}; //!< instant at which it became the leader, ms: the longest-lived one wins
    NodeId leader{NO_NODE};

    auto operator<=>(const Leadership&) const = default;
};

/// HEARTBEAT (protocols.md section 2): a leader's sign of life, passed on once by every broker.
struct Heartbeat
{
    Leadership leadership;
    uint32_t round{0};
    uint8_t hops{0};        //!< from the leader to the sender
    NodeId parent{NO_NODE}; //!< the sender's parent
    uint8_t roles{0};       //!< the sender's roles, a bit each: 1 broker, 2 subscriber, 4 publisher
    std::optional<uint8_t> advertised{}; //!< what the sender's policy tells other nodes' policies

    bool operator==(const Heartbeat&) const = default;
};

/// @return the heartbeat as it goes over the air, 14 B, and 1 B if something is advertised
Bytes Encode(const Heartbeat& heartbeat);

/// @throws DecodeError when @p body encodes no heartbeat
Heartbeat DecodeHeartbeat(std::span<const uint8_t> body);

} // namespace mftpubsub

#endif /* MFTPUBSUB_OVERLAY_HEARTBEAT_H */
