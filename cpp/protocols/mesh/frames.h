/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_FRAMES_H
#define MFTPUBSUB_PROTOCOLS_MESH_FRAMES_H

#include "content/bytes.h"
#include "content/filter.h"
#include "content/id-set.h"
#include "protocols/mesh/blocks.h"
#include "protocols/mesh/limits.h"
#include "protocols/mesh/paths.h"
#include "protocols/mesh/summary.h"
#include "protocols/mesh/whereabouts.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mftpubsub::mesh
{

/**
 * Header of every frame of the mesh family, 10 B. All are broadcasts of the MAC: `destination` only
 * names who must answer.
 */
struct Header
{
    NodeId source{NO_NODE};
    NodeId destination{NO_NODE};
    uint8_t kind{0};
    uint32_t life{0};  //!< drawn when the sender starts: what was known of another life is void
    uint8_t number{0}; //!< counts the sender's frames: an echo of an older one is not heard

    bool operator==(const Header&) const = default;
};

inline constexpr size_t HEADER_BYTES = 10;

/// Bytes of a PUB or REP around STATE and events.
inline constexpr size_t EVENTS_BYTES = HEADER_BYTES + 3;

/// Bytes of a MIX around STATE, SUMMARY and sums.
inline constexpr size_t MIX_BYTES = HEADER_BYTES + 7;

/// Bytes of a BLOCKMIX around STATE, blocks, factors and sum.
inline constexpr size_t BLOCK_MIX_BYTES = HEADER_BYTES + 3;

/// An event on its way.
struct CarriedEvent
{
    EventPtr event;
    uint8_t hops{0}; //!< of this copy, this one included
    Path path{};
};

/// An event that its holder has for a few.
struct OpenEvent
{
    EventId id;
    std::vector<NodeId> subscribers; //!< who want it and may not have got it

    bool operator==(const OpenEvent&) const = default;
};

/// What a broker says of itself: in heartbeats, and taken along by PUB and REP.
struct State
{
    uint8_t roles{0};
    uint32_t wordsHash{0}; //!< of all words it has
    SummaryPart has;
    SummaryPart settled;          //!< of these, what it owes to nobody by the words that it has
    std::vector<EventId> answers; //!< of these, what it holds, for publishers that ask
    std::vector<OpenEvent> open;  //!< of what is not settled, what is on its way to a few
    std::vector<Hint> distances;  //!< of subscribers that are near it
};

/// @return whether the broker of @p state holds the event of this @p id, or has held it: who has
/// settled an event may know it from others
bool SaysItHolds(const State& state, EventId id);

/// @return an age as frames have it: after 49 days it is as old as they can say
constexpr uint32_t
ToMilliseconds(Instant age)
{
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(age).count();
    return static_cast<uint32_t>(std::clamp<int64_t>(milliseconds, 0, UINT32_MAX));
}

/// A filter in a word.
struct AgedFilter
{
    Filter filter;
    uint32_t ageMilliseconds{0}; //!< since the subscriber has had it, when this was sent
};

/// The newest word of a subscriber: all its filters. None: it has unsubscribed.
struct Word
{
    NodeId subscriber{NO_NODE};
    uint32_t timestamp{0}; //!< the subscriber's; the higher one is the newer word
    std::vector<AgedFilter> filters;
};

/// What a subscriber need not be given any more, by a broker that knows its word.
struct Cover
{
    uint32_t timestamp{0}; //!< of the word that this was worked out with
    SummaryPart events;
};

/// A broker is there.
struct Heartbeat
{
    static constexpr std::string_view NAME = "HEARTBEAT";
    static constexpr uint8_t KIND = 64;
    State state;
};

/// Events that are new: from their publisher, or forwarded.
struct Pub
{
    static constexpr std::string_view NAME = "PUB";
    static constexpr uint8_t KIND = 65;
    std::optional<State> state;
    std::vector<Hint> distances; //!< of subscribers that are near their publisher
    std::vector<CarriedEvent> events;
};

/// Events again, for somebody who lacks them.
struct Rep
{
    static constexpr std::string_view NAME = "REP";
    static constexpr uint8_t KIND = 66;
    std::optional<State> state;
    std::optional<Cover> cover; //!< in the answer to a subscriber's NACK
    std::vector<CarriedEvent> events;
};

/// A subscriber asks a broker for what it lacks.
struct Nack
{
    static constexpr std::string_view NAME = "NACK";
    static constexpr uint8_t KIND = 67;
    uint32_t timestamp{0};       //!< of its word
    uint32_t ageMilliseconds{0}; //!< of its oldest filter
    SummaryPart done;            //!< what it needs no more
};

/// Words, from their subscribers or passed on.
struct Sub
{
    static constexpr std::string_view NAME = "SUB";
    static constexpr uint8_t KIND = 68;
    std::vector<Word> words;
};

/// A word that a broker has, without its filters.
struct WordStamp
{
    NodeId subscriber{NO_NODE};
    uint32_t timestamp{0};

    bool operator==(const WordStamp&) const = default;
};

/// Which words a broker has of the subscribers `first` to `last`.
struct Bsub
{
    static constexpr std::string_view NAME = "BSUB";
    static constexpr uint8_t KIND = 69;
    uint32_t wordsHash{0};
    NodeId first{0};
    NodeId last{NO_NODE};
    std::vector<WordStamp> stamps;
};

/// Of which words a broker has others than its neighbours, where one BSUB cannot tell all: a hash
/// for each 2^shift ids, from 0 on. There are no words behind the last.
struct BsubHashes
{
    static constexpr std::string_view NAME = "BSUB";
    static constexpr uint8_t KIND = 71;
    uint32_t wordsHash{0};
    uint8_t shift{0};
    std::vector<uint32_t> hashes;
};

/// A subscriber is here, and what it needs no more.
struct Hello
{
    static constexpr std::string_view NAME = "HELLO";
    static constexpr uint8_t KIND = 70;
    uint32_t timestamp{0}; //!< of its word
    SummaryPart done;
};

/// Sums of events, for whoever lacks some of these.
struct Mix
{
    static constexpr std::string_view NAME = "PUB";
    static constexpr uint8_t KIND = 77;
    std::optional<State> state;
    uint8_t hops{0};         //!< of the copies that it makes: as many as of any of the events
    uint16_t seed{0};        //!< of the factors
    SummaryPart events;      //!< that are in each sum
    std::vector<Bytes> sums; //!< over GF(256) of the events as frames have them, all of one length
};

/// A sum of blocks, for whoever lacks some of these; the block itself, if it is of one.
struct BlockMix
{
    static constexpr std::string_view NAME = "PUB";
    static constexpr uint8_t KIND = 79;
    std::optional<State> state;
    uint8_t hops{0};             //!< of the copies that it makes
    std::vector<BlockId> blocks; //!< in order
    Bytes factors;               //!< elements of GF(16), one for each block
    Bytes sum;                   //!< over GF(256)
};

/// An event that is on its way: the path of a copy that is not in the frame.
struct TakenEvent
{
    EventId id;
    Path path;

    bool operator==(const TakenEvent&) const = default;
};

/// Events that are in better hands than who sends them knows.
struct Taken
{
    static constexpr std::string_view NAME = "TAKEN";
    static constexpr uint8_t KIND = 78;
    std::vector<TakenEvent> events;
};

using Body =
    std::variant<Heartbeat, Pub, Rep, Nack, Sub, Bsub, BsubHashes, Hello, Mix, Taken, BlockMix>;

struct Frame
{
    Header header;
    Body body;
    std::optional<Whereabouts> where{}; //!< of devices that know where they are
};

/// @return the name of what a frame carries ("HEARTBEAT")
std::string_view GetName(const Body& body);

/**
 * Encodes a frame as it goes over the air: ids 2 B, timestamps, ages, hashes and sequence numbers
 * 4 B, hops and distances 1 B, counts 1 B, a flag byte before what may be missing. A bit of the
 * kind says that there are whereabouts.
 */
Bytes Encode(const Frame& frame);

/// @throws DecodeError when @p bytes are no frame of the mesh
Frame Decode(std::span<const uint8_t> bytes);

/// @return the frame that @p bytes are, which may have come from anybody; none if they are none
std::optional<Frame> TryDecode(std::span<const uint8_t> bytes);

/// @return the header of a frame. @throws DecodeError when there is none
Header DecodeHeader(std::span<const uint8_t> bytes);

void WriteHeader(ByteWriter& out, const Header& header);

/// @throws std::length_error when a frame called @p name has more than @p most bytes
void CheckFits(std::string_view name, const Bytes& frame, size_t most);

/// @return @p event as it is sent on to everybody
CarriedEvent OneHopOn(const CarriedEvent& event);

/// @return bytes that @p state takes in a frame
size_t CountBytes(const State& state);

/// @return bytes that @p event takes in a frame
size_t CountBytes(const CarriedEvent& event);
size_t CountBytes(const TakenEvent& event);

/// @return bytes that @p events take in a frame
size_t CountBytes(const std::vector<CarriedEvent>& events);

/// @return bytes that the sums of @p mix take in a frame
size_t CountSumBytes(const Mix& mix);

/// @return bytes that blocks, factors and sum of @p mix take in a frame
size_t CountSumBytes(const BlockMix& mix);

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_FRAMES_H */
