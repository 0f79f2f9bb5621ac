/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_STATION_H
#define MFTPUBSUB_PROTOCOLS_MESH_STATION_H

#include "content/bytes.h"
#include "content/filter.h"
#include "protocols/mesh/options.h"
#include "protocols/mesh/summary.h"

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace mftpubsub::mesh
{

/// Roles of a device, a bit each, as frames carry them.
enum Role : uint8_t
{
    BROKER = 1,
    SUBSCRIBER = 2,
    PUBLISHER = 4,
};

/// An event copy that a subscriber has heard.
struct Delivery
{
    EventId event;
    NodeId from{NO_NODE};
    uint8_t hops{0};
    bool isNew{true}; //!< else overheard: the application has seen the event before
};

/// Of an event, for a subscriber.
struct Pair
{
    EventId event;
    NodeId subscriber{NO_NODE};
};

/// A frame to be broadcast.
struct OutgoingFrame
{
    std::string_view name; //!< of what it carries ("PUB")
    Bytes bytes;
};

/// What a station answers to one input.
struct Output
{
    std::optional<OutgoingFrame> frame; //!< Transmitted or Dropped will follow
    std::vector<Delivery> deliveries;
    std::vector<EventId> taken; //!< by the broker, which had not had them
    std::vector<Pair>
        matches; //!< that the broker found, or a subscriber that alone knows its filters
    std::vector<Pair> drops; //!< that the broker's queue policy has given up
};

/// What a subscriber has on stable storage.
struct SubscriberMemory
{
    std::map<Filter, Instant> filters; //!< and since when it has had them
    uint32_t timestamp{0};             //!< of its newest word
    Summary done;                      //!< events that it has got or needs no more
};

/**
 * A device's part in a protocol for a broadcast channel, as a state machine without I/O: all its
 * roles and its one-frame-at-a-time sender. Inputs carry the time, which never goes back.
 */
class Station
{
  public:
    virtual ~Station() = default;

    virtual void Start(Instant now, Output& output) = 0;

    virtual void Receive(Instant now,
                         std::span<const uint8_t> frame,
                         double rssiDbm,
                         Output& output) = 0;

    /// The frame of an earlier output has gone on the air, where it is for @p airTime.
    virtual void Transmitted(Instant now, Instant airTime, Output& output) = 0;

    /// The MAC has dropped the frame of an earlier output.
    virtual void Dropped(Instant now, Output& output) = 0;

    /// @return when Expire is due; NEVER if nothing is
    virtual Instant NextTimer() const = 0;
    virtual void Expire(Instant now, Output& output) = 0;

    virtual void Publish(Instant now, const EventPtr& event, Output& output) = 0;
    /// May come before Start.
    virtual void Subscribe(Instant now, const Filter& filter, Output& output) = 0;
    virtual void Unsubscribe(Instant now, const Filter& filter, Output& output) = 0;

    /// @return the events that the broker holds for subscribers that it knows
    virtual std::vector<Pair> GetHeld() const = 0;

    /// @return how many events the broker holds
    virtual size_t CountHeld() const = 0;

    /// @return what outlives a crash; none without a subscriber
    virtual std::optional<SubscriberMemory> GetMemory() const = 0;
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_STATION_H */
