/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_STATION_H
#define MFTPUBSUB_PROTOCOLS_MESH_STATION_H

#include "content/bytes.h"
#include "content/filter.h"
#include "content/position.h"
#include "protocols/machine.h"
#include "protocols/mesh/options.h"
#include "protocols/mesh/subscriber-sets.h"
#include "protocols/mesh/summary.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
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
    bool isNew{true};        //!< else a copy: the application has seen the event before
    EventPtr content{};      //!< of the event, if it is new
    bool isAddressed{false}; //!< in a frame for this device: a copy that cost a frame
};

/// A frame to be broadcast.
struct OutgoingFrame
{
    std::string name; //!< of what it carries ("PUB")
    Bytes bytes;
    std::vector<EventId> events{}; //!< that it carries; of mft-mesh none, as its bytes say them
};

/// What a station answers to one input.
struct Output
{
    std::optional<OutgoingFrame> frame; //!< Transmitted or Dropped will follow
    std::vector<Delivery> deliveries;
    std::vector<EventId> taken; //!< by the broker, which had not had them
    std::vector<EventPtr> kept; //!< for others from now on: what a crash would lose
    std::vector<Wanted> wanted; //!< of these, by whom
    std::vector<Pair> matches;  //!< found later, or by a subscriber that alone knows its filters
    std::vector<Pair> drops;    //!< that the broker's queue policy has given up
    bool remembers{false};      //!< SubscriberMemory is to be stored before the frame leaves
};

/// What a subscriber has on stable storage.
struct SubscriberMemory
{
    std::map<Filter, Instant> filters; //!< and since when it has had them
    uint32_t timestamp{0};             //!< of its newest word
    Summary done;                      //!< events that it has got or needs no more
};

/// What a station is made with.
struct StationSeat
{
    NodeId self{NO_NODE};
    uint8_t roles{0};
    Options options;
    Uniform uniform;
    SubscriberMemory memory;                       //!< what its subscriber had on stable storage
    std::map<std::string, std::string> parameters; //!< that the scenario gives to one of one's own
    uint16_t nodes{0};                             //!< how many there are; 0: nobody knows, as live
    /// Where it is just now; none where nobody knows, as live. May be empty.
    std::function<std::optional<Position>()> position{};
};

} // namespace mftpubsub::mesh

namespace mftpubsub::input
{

/// The device starts.
struct Started
{
};

/// A frame of this protocol was heard.
struct Heard
{
    std::span<const uint8_t> frame;
    double rssiDbm{0};
};

/// The frame of an earlier output has gone on the air, where it is for @c airTime.
struct Transmitted
{
    Instant airTime{0};
};

/// The MAC has dropped the frame of an earlier output.
struct Dropped
{
};

/// The application publishes.
struct Published
{
    const EventPtr& event;
};

/// A former life of the device, before a crash, has published it or kept it for others: perhaps
/// nobody else has it, and perhaps all do.
struct Recalled
{
    const EventPtr& event;
    Instant since{0}; //!< when that was; before 0
};

/// The application subscribes; it may do so before the device starts.
struct Subscribed
{
    const Filter& filter;
};

struct Unsubscribed
{
    const Filter& filter;
};

} // namespace mftpubsub::input

namespace mftpubsub::mesh
{

/// The family of protocols for a broadcast channel.
struct MeshFamily
{
    using Input = std::variant<input::Started,
                               input::Heard,
                               input::Transmitted,
                               input::Dropped,
                               input::Published,
                               input::Recalled,
                               input::Subscribed,
                               input::Unsubscribed,
                               input::Expired>;
    using Output = mesh::Output;
};

/**
 * A device's part in a protocol for a broadcast channel: all its roles and its
 * one-frame-at-a-time sender.
 */
class Station : public Machine<MeshFamily>
{
  public:
    void Step(Instant now, const Input& input, Output& output) final;
    std::optional<Instant> NextTimer() const final;
    Description Describe(const Namer& name) const override;

    /// @return the events that wait here, each with all that it waits for
    virtual std::vector<Wanted> GetWanted() const;

    /// @return what outlives a crash; none without a subscriber
    virtual std::optional<SubscriberMemory> GetMemory() const = 0;

  protected:
    // The inputs, one each

    virtual void Start(Instant now, Output& output) = 0;
    virtual void Receive(Instant now,
                         std::span<const uint8_t> frame,
                         double rssiDbm,
                         Output& output) = 0;
    virtual void Transmitted(Instant now, Instant airTime, Output& output) = 0;
    virtual void Dropped(Instant now, Output& output) = 0;
    virtual void Publish(Instant now, const EventPtr& event, Output& output) = 0;
    /// Offers it to those who lack it; here: to all, by publishing it again.
    virtual void Recall(Instant now, const EventPtr& event, Instant since, Output& output);
    virtual void Subscribe(Instant now, const Filter& filter, Output& output) = 0;
    virtual void Unsubscribe(Instant now, const Filter& filter, Output& output) = 0;
    virtual void Expire(Instant now, Output& output) = 0;

    /// @return NextTimer; NEVER if there is none
    virtual Instant NextDue() const = 0;
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_STATION_H */
