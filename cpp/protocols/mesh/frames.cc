/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/frames.h"

#include "content/content-codec.h"
#include "protocols/mesh/block-codec.h"
#include "protocols/mesh/word-codec.h"

#include <algorithm>
#include <stdexcept>

namespace mftpubsub::mesh
{

namespace
{

/// Bit of the kind.
constexpr uint8_t HAS_WHEREABOUTS = 1 << 7;

enum Flag : uint8_t
{
    HAS_STATE = 1,
    HAS_COVER = 2,
};

// Every type has one Write and one Read; fields go in their order of declaration.

void
Write(ByteWriter& out, EventId id)
{
    out.Put(id.publisher);
    out.Put(id.sequence);
}

EventId
ReadId(ByteReader& in)
{
    EventId id;
    id.publisher = in.Get<NodeId>();
    id.sequence = in.Get<uint32_t>();
    return id;
}

void
Write(ByteWriter& out, const OpenEvent& open)
{
    Write(out, open.id);
    out.Put(static_cast<uint8_t>(open.subscribers.size()));
    for (const auto subscriber : open.subscribers)
    {
        out.Put(subscriber);
    }
}

OpenEvent
ReadOpen(ByteReader& in)
{
    OpenEvent open;
    open.id = ReadId(in);
    open.subscribers.resize(in.Get<uint8_t>());
    for (auto& subscriber : open.subscribers)
    {
        subscriber = in.Get<NodeId>();
    }
    return open;
}

void
Write(ByteWriter& out, const State& state)
{
    out.Put(state.roles);
    out.Put(state.wordsHash);
    state.has.Write(out);
    state.settled.Write(out);
    out.Put(static_cast<uint8_t>(state.answers.size()));
    for (const auto& id : state.answers)
    {
        Write(out, id);
    }
    out.Put(static_cast<uint8_t>(state.open.size()));
    for (const auto& open : state.open)
    {
        Write(out, open);
    }
    Write(out, state.distances);
}

State
ReadState(ByteReader& in)
{
    State state;
    state.roles = in.Get<uint8_t>();
    state.wordsHash = in.Get<uint32_t>();
    state.has = SummaryPart::Read(in);
    state.settled = SummaryPart::Read(in);
    for (auto left = in.Get<uint8_t>(); left > 0; --left)
    {
        state.answers.push_back(ReadId(in));
    }
    for (auto left = in.Get<uint8_t>(); left > 0; --left)
    {
        state.open.push_back(ReadOpen(in));
    }
    state.distances = ReadHints(in);
    return state;
}

void
Write(ByteWriter& out, const std::vector<CarriedEvent>& events)
{
    out.Put(static_cast<uint8_t>(events.size()));
    for (const auto& [event, hops, path] : events)
    {
        WriteEvent(out, *event);
        out.Put(hops);
        Write(out, path);
    }
}

std::vector<CarriedEvent>
ReadEvents(ByteReader& in)
{
    std::vector<CarriedEvent> events(in.Get<uint8_t>());
    for (auto& carried : events)
    {
        carried.event = ReadEvent(in);
        carried.hops = in.Get<uint8_t>();
        carried.path = ReadPath(in);
    }
    return events;
}

void
Write(ByteWriter& out, const Heartbeat& heartbeat)
{
    Write(out, heartbeat.state);
}

void
Write(ByteWriter& out, const Pub& pub)
{
    out.Put(static_cast<uint8_t>(pub.state ? HAS_STATE : 0));
    if (pub.state)
    {
        Write(out, *pub.state);
    }
    Write(out, pub.distances);
    Write(out, pub.events);
}

void
Write(ByteWriter& out, const Rep& rep)
{
    out.Put(static_cast<uint8_t>((rep.state ? HAS_STATE : 0) | (rep.cover ? HAS_COVER : 0)));
    if (rep.state)
    {
        Write(out, *rep.state);
    }
    if (rep.cover)
    {
        out.Put(rep.cover->timestamp);
        rep.cover->events.Write(out);
    }
    Write(out, rep.events);
}

void
Write(ByteWriter& out, const Nack& nack)
{
    out.Put(nack.timestamp);
    out.Put(nack.ageMilliseconds);
    nack.done.Write(out);
}

void
Write(ByteWriter& out, const Hello& hello)
{
    out.Put(hello.timestamp);
    hello.done.Write(out);
}

void
Write(ByteWriter& out, const Mix& mix)
{
    out.Put(static_cast<uint8_t>(mix.state ? HAS_STATE : 0));
    if (mix.state)
    {
        Write(out, *mix.state);
    }
    out.Put(mix.hops);
    out.Put(mix.seed);
    mix.events.Write(out);
    out.Put(static_cast<uint8_t>(mix.sums.size()));
    out.Put(static_cast<uint16_t>(mix.sums.empty() ? 0 : mix.sums.front().size()));
    for (const auto& sum : mix.sums)
    {
        out.PutBytes(sum);
    }
}

void
Write(ByteWriter& out, const BlockMix& mix)
{
    out.Put(static_cast<uint8_t>(mix.state ? HAS_STATE : 0));
    if (mix.state)
    {
        Write(out, *mix.state);
    }
    WriteBlockMix(out, mix);
}

void
Write(ByteWriter& out, const Taken& taken)
{
    out.Put(static_cast<uint8_t>(taken.events.size()));
    for (const auto& [id, path] : taken.events)
    {
        Write(out, id);
        Write(out, path);
    }
}

Pub
ReadPub(ByteReader& in)
{
    Pub pub;
    if (in.Get<uint8_t>() & HAS_STATE)
    {
        pub.state = ReadState(in);
    }
    pub.distances = ReadHints(in);
    pub.events = ReadEvents(in);
    return pub;
}

Rep
ReadRep(ByteReader& in)
{
    Rep rep;
    const auto flags = in.Get<uint8_t>();
    if (flags & HAS_STATE)
    {
        rep.state = ReadState(in);
    }
    if (flags & HAS_COVER)
    {
        const auto timestamp = in.Get<uint32_t>();
        rep.cover = Cover{timestamp, SummaryPart::Read(in)};
    }
    rep.events = ReadEvents(in);
    return rep;
}

Nack
ReadNack(ByteReader& in)
{
    Nack nack;
    nack.timestamp = in.Get<uint32_t>();
    nack.ageMilliseconds = in.Get<uint32_t>();
    nack.done = SummaryPart::Read(in);
    return nack;
}

Hello
ReadHello(ByteReader& in)
{
    Hello hello;
    hello.timestamp = in.Get<uint32_t>();
    hello.done = SummaryPart::Read(in);
    return hello;
}

Mix
ReadMix(ByteReader& in)
{
    Mix mix;
    if (in.Get<uint8_t>() & HAS_STATE)
    {
        mix.state = ReadState(in);
    }
    mix.hops = in.Get<uint8_t>();
    mix.seed = in.Get<uint16_t>();
    mix.events = SummaryPart::Read(in);
    mix.sums.resize(in.Get<uint8_t>());
    const auto bytes = in.Get<uint16_t>();
    for (auto& sum : mix.sums)
    {
        const auto its = in.GetBytes(bytes);
        sum.assign(its.begin(), its.end());
    }
    return mix;
}

BlockMix
ReadBlockMixBody(ByteReader& in)
{
    BlockMix mix;
    if (in.Get<uint8_t>() & HAS_STATE)
    {
        mix.state = ReadState(in);
    }
    ReadBlockMix(in, mix);
    return mix;
}

Taken
ReadTaken(ByteReader& in)
{
    Taken taken;
    for (auto left = in.Get<uint8_t>(); left > 0; --left)
    {
        const auto id = ReadId(in);
        taken.events.push_back({id, ReadPath(in)});
    }
    return taken;
}

Body
ReadBody(uint8_t kind, ByteReader& in)
{
    switch (kind)
    {
    case Heartbeat::KIND:
        return Heartbeat{ReadState(in)};
    case Pub::KIND:
        return ReadPub(in);
    case Rep::KIND:
        return ReadRep(in);
    case Nack::KIND:
        return ReadNack(in);
    case Sub::KIND:
        return ReadSub(in);
    case Bsub::KIND:
        return ReadBsub(in);
    case BsubHashes::KIND:
        return ReadBsubHashes(in);
    case Hello::KIND:
        return ReadHello(in);
    case Mix::KIND:
        return ReadMix(in);
    case Taken::KIND:
        return ReadTaken(in);
    case BlockMix::KIND:
        return ReadBlockMixBody(in);
    default:
        throw DecodeError("no frame of the mesh: kind " + std::to_string(kind));
    }
}

Header
ReadHeader(ByteReader& in)
{
    Header header;
    header.source = in.Get<NodeId>();
    header.destination = in.Get<NodeId>();
    header.kind = in.Get<uint8_t>();
    header.life = in.Get<uint32_t>();
    header.number = in.Get<uint8_t>();
    return header;
}

} // namespace

std::string_view
GetName(const Body& body)
{
    return std::visit([](const auto& b) { return b.NAME; }, body);
}

void
WriteHeader(ByteWriter& out, const Header& header)
{
    out.Put(header.source);
    out.Put(header.destination);
    out.Put(header.kind);
    out.Put(header.life);
    out.Put(header.number);
}

void
CheckFits(std::string_view name, const Bytes& frame, size_t most)
{
    if (frame.size() > most)
    {
        throw std::length_error("a " + std::string(name) + " of " + std::to_string(frame.size()) +
                                " bytes does not fit in a frame (" + std::to_string(most) +
                                " bytes), and broadcasts are not split");
    }
}

Bytes
Encode(const Frame& frame)
{
    ByteWriter out;
    auto header = frame.header;
    header.kind = std::visit([](const auto& body) { return body.KIND; }, frame.body);
    header.kind |= frame.where ? HAS_WHEREABOUTS : 0;
    WriteHeader(out, header);
    std::visit([&out](const auto& body) { Write(out, body); }, frame.body);
    if (frame.where)
    {
        Write(out, *frame.where);
    }
    return out.Take();
}

Header
DecodeHeader(std::span<const uint8_t> bytes)
{
    ByteReader in(bytes);
    return ReadHeader(in);
}

Frame
Decode(std::span<const uint8_t> bytes)
{
    ByteReader in(bytes);
    auto header = ReadHeader(in);
    const bool hasWhereabouts = header.kind & HAS_WHEREABOUTS;
    header.kind &= ~HAS_WHEREABOUTS;
    Frame frame{header, ReadBody(header.kind, in)};
    if (hasWhereabouts)
    {
        frame.where = ReadWhereabouts(in);
    }
    in.ExpectEnd();
    return frame;
}

std::optional<Frame>
TryDecode(std::span<const uint8_t> bytes)
{
    try
    {
        return Decode(bytes);
    }
    catch (const DecodeError&)
    {
        return {};
    }
}

bool
SaysItHolds(const State& state, EventId id)
{
    return std::ranges::find(state.answers, id) != state.answers.end() ||
           (state.has.GetSummary().Has(id) && state.settled.Says(id) == SummaryPart::Answer::LACKS);
}

CarriedEvent
OneHopOn(const CarriedEvent& event)
{
    return {event.event, static_cast<uint8_t>(std::min(event.hops + 1, UINT8_MAX))};
}

size_t
CountBytes(const State& state)
{
    auto bytes = 8 + state.has.CountBytes() + state.settled.CountBytes() +
                 6 * state.answers.size() + 3 * state.distances.size();
    for (const auto& open : state.open)
    {
        bytes += 7 + 2 * open.subscribers.size();
    }
    return bytes;
}

size_t
CountBytes(const TakenEvent& event)
{
    return 7 + CountBytes(event.path);
}

size_t
CountBytes(const CarriedEvent& event)
{
    return mftpubsub::CountBytes(*event.event) + 2 + CountBytes(event.path);
}

size_t
CountBytes(const std::vector<CarriedEvent>& events)
{
    size_t bytes = 0;
    for (const auto& event : events)
    {
        bytes += CountBytes(event);
    }
    return bytes;
}

size_t
CountSumBytes(const Mix& mix)
{
    return mix.sums.empty() ? 0 : mix.sums.size() * mix.sums.front().size();
}

} // namespace mftpubsub::mesh
