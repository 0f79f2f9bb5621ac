/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/handoff/radio-codec.h"

#include "content/content-codec.h"

#include <array>
#include <string>
#include <utility>

namespace mftpubsub::handoff
{

namespace
{

void
Write(ByteWriter& out, EventId id)
{
    out.Put(id.publisher);
    out.Put(id.sequence);
}

EventId
ReadEventId(ByteReader& in)
{
    const auto publisher = in.Get<NodeId>();
    return {publisher, in.Get<uint32_t>()};
}

void
Write(ByteWriter& out, const Reconnect& reconnect)
{
    out.Put(reconnect.subscriber);
    out.Put(reconnect.old);
    out.Put(reconnect.session);
    out.Put(static_cast<uint16_t>(reconnect.last.GetIds().size()));
    for (const auto& id : reconnect.last.GetIds())
    {
        Write(out, id);
    }
    out.Put(static_cast<uint16_t>(reconnect.filters.size()));
    for (const auto& filter : reconnect.filters)
    {
        WriteFilter(out, filter);
    }
}

void
Write(ByteWriter& out, const Evack& evack)
{
    out.Put(evack.subscriber);
    Write(out, evack.id);
}

void
Write(ByteWriter& out, const Pub& pub)
{
    WriteEvent(out, *pub.event);
}

void
Write(ByteWriter&, const AreYouThere&)
{
}

template <typename Kind>
RadioMessage Read(ByteReader& in);

template <>
RadioMessage
Read<Reconnect>(ByteReader& in)
{
    Reconnect reconnect;
    reconnect.subscriber = in.Get<NodeId>();
    reconnect.old = in.Get<NodeId>();
    reconnect.session = in.Get<Session>();
    for (auto left = in.Get<uint16_t>(); left > 0; --left)
    {
        reconnect.last.Add(ReadEventId(in));
    }
    for (auto left = in.Get<uint16_t>(); left > 0; --left)
    {
        reconnect.filters.push_back(ReadFilter(in));
    }
    return reconnect;
}

template <>
RadioMessage
Read<Evack>(ByteReader& in)
{
    const auto subscriber = in.Get<NodeId>();
    return Evack{subscriber, ReadEventId(in)};
}

template <>
RadioMessage
Read<Pub>(ByteReader& in)
{
    return Pub{ReadEvent(in)};
}

template <>
RadioMessage
Read<AreYouThere>(ByteReader&)
{
    return AreYouThere();
}

template <typename... Kinds>
RadioMessage
ReadKind(uint8_t kind, ByteReader& in, const std::variant<Kinds...>*)
{
    static constexpr std::array READERS{&Read<Kinds>...};
    if (kind >= READERS.size())
    {
        throw DecodeError("no message of kind " + std::to_string(kind));
    }
    return READERS[kind](in);
}

template <typename... Kinds>
std::string_view
NameOf(uint8_t kind, const std::variant<Kinds...>*)
{
    static constexpr std::array NAMES{Kinds::NAME...};
    return kind < NAMES.size() ? NAMES[kind] : "UNKNOWN";
}

constexpr const RadioMessage* KINDS = nullptr;

} // namespace

std::string_view
GetRadioName(uint8_t kind)
{
    return NameOf(kind, KINDS);
}

Bytes
Encode(const RadioMessage& message)
{
    ByteWriter out;
    std::visit([&out](const auto& m) { Write(out, m); }, message);
    return out.Take();
}

RadioMessage
DecodeRadio(uint8_t kind, std::span<const uint8_t> body)
{
    ByteReader in(body);
    auto message = ReadKind(kind, in, KINDS);
    in.ExpectEnd();
    return message;
}

} // namespace mftpubsub::handoff
