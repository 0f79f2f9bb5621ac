/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/message-codec.h"

#include "content/content-codec.h"
#include "session/frame.h"

#include <array>
#include <utility>

namespace mftpubsub
{

namespace
{

// Every type has one Write and one Read; a message's fields are written in their order of
// declaration.

void
Write(ByteWriter& out, NodeId id)
{
    out.Put(id);
}

void
Write(ByteWriter& out, uint8_t hops)
{
    out.Put(hops);
}

void
Write(ByteWriter& out, bool flag)
{
    out.Put(static_cast<uint8_t>(flag));
}

void
Write(ByteWriter& out, uint32_t timestamp)
{
    out.Put(timestamp);
}

void
Write(ByteWriter& out, const Filter& filter)
{
    WriteFilter(out, filter);
}

void
Write(ByteWriter& out, const Freshness& freshness)
{
    out.Put(freshness.timestamp);
    out.Put(freshness.hops);
}

void
Write(ByteWriter& out, const SubscriberFreshness& word)
{
    Write(out, word.subscriber);
    Write(out, word.freshness);
}

void
Write(ByteWriter& out, const LinkName& link)
{
    Write(out, link.opener);
    Write(out, link.number);
}

void
Write(ByteWriter& out, const RecentRow& row)
{
    Write(out, row.publisher);
    out.Put(row.last);
    out.Put(row.bits);
}

void
Write(ByteWriter& out, const EventPtr& event)
{
    WriteEvent(out, *event);
}

template <typename T>
void Write(ByteWriter& out, const std::vector<T>& list);

void
Write(ByteWriter& out, const TableEntry& entry)
{
    Write(out, entry.subscriber);
    Write(out, entry.filters);
}

template <typename T>
void
Write(ByteWriter& out, const std::vector<T>& list)
{
    out.Put(static_cast<uint16_t>(list.size()));
    for (const auto& item : list)
    {
        Write(out, item);
    }
}

void
Read(ByteReader& in, NodeId& id)
{
    id = in.Get<NodeId>();
}

void
Read(ByteReader& in, uint8_t& hops)
{
    hops = in.Get<uint8_t>();
}

void
Read(ByteReader& in, bool& flag)
{
    flag = in.Get<uint8_t>() != 0;
}

void
Read(ByteReader& in, uint32_t& timestamp)
{
    timestamp = in.Get<uint32_t>();
}

void
Read(ByteReader& in, Freshness& freshness)
{
    freshness.timestamp = in.Get<uint32_t>();
    freshness.hops = in.Get<uint8_t>();
}

void
Read(ByteReader& in, SubscriberFreshness& word)
{
    Read(in, word.subscriber);
    Read(in, word.freshness);
}

void
Read(ByteReader& in, LinkName& link)
{
    Read(in, link.opener);
    Read(in, link.number);
}

void
Read(ByteReader& in, RecentRow& row)
{
    Read(in, row.publisher);
    row.last = in.Get<uint32_t>();
    row.bits = in.Get<uint64_t>();
}

void
Read(ByteReader& in, EventPtr& event)
{
    event = ReadEvent(in);
}

template <typename T>
void Read(ByteReader& in, std::vector<T>& list);

void
Read(ByteReader& in, TableEntry& entry)
{
    Read(in, entry.subscriber);
    Read(in, entry.filters);
}

template <typename T>
void
Read(ByteReader& in, std::vector<T>& list)
{
    for (auto left = in.Get<uint16_t>(); left > 0; --left)
    {
        if constexpr (std::is_same_v<T, Filter>)
        {
            list.push_back(ReadFilter(in));
        }
        else
        {
            Read(in, list.emplace_back());
        }
    }
}

template <typename... Fields>
void
WriteAll(ByteWriter& out, const Fields&... fields)
{
    (Write(out, fields), ...);
}

template <typename... Fields>
void
ReadAll(ByteReader& in, Fields&... fields)
{
    (Read(in, fields), ...);
}

/// Calls @p visit with the fields of a message that only our protocols send.
template <typename M, typename Visit>
void
VisitOwnFields(M& m, Visit visit)
{
    using T = std::remove_const_t<M>;
    if constexpr (std::is_same_v<T, CascadingBmig>)
    {
        visit(m.subscribers, m.origin);
    }
    else if constexpr (std::is_same_v<T, OpeningBmig>)
    {
        visit(m.children, m.others);
    }
    else if constexpr (std::is_same_v<T, ClaimingBmig>)
    {
        visit(m.children);
    }
    else if constexpr (std::is_same_v<T, ClaimingBsub>)
    {
        visit(m.subscriber, m.filters, m.freshness, m.home, m.isFirst);
    }
    else if constexpr (std::is_same_v<T, OpeningLink>)
    {
        visit(m.link, m.replaced);
    }
    else if constexpr (std::is_same_v<T, Flush>)
    {
        visit(m.lost);
    }
    else if constexpr (std::is_same_v<T, Have>)
    {
        visit(m.subscriber, m.rows);
    }
    else if constexpr (std::is_same_v<T, Btab>)
    {
        visit(m.entries);
    }
}

/// Calls @p visit with the message's fields as they stand on the wire.
template <typename M, typename Visit>
void
VisitFields(M& m, Visit visit)
{
    using T = std::remove_const_t<M>;
    if constexpr (std::is_same_v<T, Pub>)
    {
        visit(m.event, m.hops);
    }
    else if constexpr (std::is_same_v<T, Mig>)
    {
        visit(m.subscriber, m.previous, m.freshness);
    }
    else if constexpr (std::is_same_v<T, Rep>)
    {
        visit(m.subscriber, m.events, m.hops);
    }
    else if constexpr (std::is_same_v<T, Filters>)
    {
        visit(m.filters);
    }
    else if constexpr (std::is_same_v<T, Bmig>)
    {
        visit(m.children, m.others, m.hops);
    }
    else if constexpr (std::is_same_v<T, Bquery>)
    {
        visit(m.subscriber, m.freshness);
    }
    else if constexpr (std::is_same_v<T, Bsub>)
    {
        visit(m.subscriber, m.filters, m.freshness, m.hops);
    }
    else
    {
        VisitOwnFields(m, visit);
    }
}

/// Writes what only some protocols send; @ref ReadExtras knows by the bytes left whether it came.
template <typename M>
void
WriteExtras(ByteWriter& out, const M& m)
{
    if constexpr (std::is_same_v<M, Pub>)
    {
        if (m.timestamp > 0 || m.addressed)
        {
            out.Put(m.timestamp);
        }
        if (m.addressed)
        {
            Write(out, m.subscribers);
        }
    }
    else if constexpr (std::is_same_v<M, Rep>)
    {
        if (m.timestamp > 0)
        {
            out.Put(m.timestamp);
        }
    }
    else if constexpr (std::is_same_v<M, Mig>)
    {
        if (m.lastReceived > 0)
        {
            out.Put(m.lastReceived);
        }
    }
}

template <typename M>
void
ReadExtras(ByteReader& in, M& m)
{
    if (in.Remaining() == 0)
    {
        return;
    }
    if constexpr (std::is_same_v<M, Pub>)
    {
        m.timestamp = in.Get<uint32_t>();
        if (in.Remaining() > 0)
        {
            m.addressed = true;
            Read(in, m.subscribers);
        }
    }
    else if constexpr (std::is_same_v<M, Rep>)
    {
        m.timestamp = in.Get<uint32_t>();
    }
    else if constexpr (std::is_same_v<M, Mig>)
    {
        m.lastReceived = in.Get<uint32_t>();
    }
}

template <typename M>
constexpr bool HAS_FILTER = std::is_same_v<M, Sub> || std::is_same_v<M, Uns>;

void
WriteBytes(ByteWriter& out, const Bytes& bytes)
{
    for (const auto byte : bytes)
    {
        out.Put(byte);
    }
}

/// @param kind counted from the first that is none of those that ship
Own
DecodeOwn(MessageKind kind, std::span<const uint8_t> body)
{
    Own own;
    own.kind = kind / 2;
    own.isForParent = kind % 2 != 0;
    own.body.assign(body.begin(), body.end());
    return own;
}

template <typename M>
Message
DecodeAs(ByteReader& in)
{
    if constexpr (HAS_FILTER<M>) // a Filter has no empty state to read into
    {
        const auto subscriber = in.Get<NodeId>();
        auto filter = ReadFilter(in);
        M message{subscriber, std::move(filter), {}};
        Read(in, message.freshness);
        return message;
    }
    else
    {
        M message;
        VisitFields(message, [&in](auto&... fields) { ReadAll(in, fields...); });
        ReadExtras(in, message);
        return message;
    }
}

template <size_t... I>
constexpr auto
MakeDecoders(std::index_sequence<I...>)
{
    return std::array{&DecodeAs<std::variant_alternative_t<I, Message>>...};
}

template <size_t... I>
constexpr auto
MakeNames(std::index_sequence<I...>)
{
    return std::array{std::variant_alternative_t<I, Message>::NAME...};
}

} // namespace

MessageKind
GetKind(const Message& message)
{
    const auto* own = std::get_if<Own>(&message);
    const auto more = own ? 2 * own->kind + (own->isForParent ? 1 : 0) : 0;
    return static_cast<MessageKind>(message.index() + static_cast<size_t>(more));
}

std::string_view
GetKindName(MessageKind kind, std::span<const std::string> own)
{
    if (kind >= MESSAGE_KINDS)
    {
        const auto place = static_cast<size_t>((kind - MESSAGE_KINDS) / 2);
        return place < own.size() ? std::string_view(own[place]) : Own::NAME;
    }
    static constexpr auto NAMES = MakeNames(std::make_index_sequence<MESSAGE_KINDS>());
    return NAMES.at(kind);
}

std::string_view
GetFrameName(uint8_t kind, std::span<const std::string> own)
{
    switch (kind)
    {
    case KIND_HEARTBEAT:
        return "HEARTBEAT";
    case KIND_ACK:
        return "ACK";
    case KIND_ASK:
        return "ASK";
    case KIND_CLOSED:
        return "CLOSED";
    default:
        return GetKindName(kind, own);
    }
}

Bytes
Encode(const Message& message)
{
    ByteWriter out;
    std::visit(
        [&out](const auto& m) {
            using M = std::decay_t<decltype(m)>;
            if constexpr (HAS_FILTER<M>)
            {
                WriteAll(out, m.subscriber, m.filter, m.freshness);
            }
            else if constexpr (std::is_same_v<M, Own>)
            {
                WriteBytes(out, m.body);
            }
            else
            {
                VisitFields(m, [&out](const auto&... fields) { WriteAll(out, fields...); });
                WriteExtras(out, m);
            }
        },
        message);
    return out.Take();
}

Message
Decode(MessageKind kind, std::span<const uint8_t> body)
{
    static constexpr auto DECODERS = MakeDecoders(std::make_index_sequence<MESSAGE_KINDS>());
    if (kind >= MESSAGE_KINDS + 2 * MOST_OWN_KINDS)
    {
        throw DecodeError("no message kind: " + std::to_string(kind));
    }
    if (kind >= MESSAGE_KINDS)
    {
        return DecodeOwn(static_cast<MessageKind>(kind - MESSAGE_KINDS), body);
    }
    ByteReader in(body);
    auto message = DECODERS[kind](in);
    in.ExpectEnd();
    return message;
}

} // namespace mftpubsub
