/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/blocks.h"

#include "content/content-codec.h"

namespace mftpubsub::mesh
{

namespace
{

/// Where an event is the next one of the publisher of the event before it.
constexpr uint8_t IS_NEXT = 0x80;

constexpr size_t HEAD_BYTES = 6; //!< checksum and length

/// FNV-1a (Fowler, Noll and Vo).
uint32_t
GetChecksum(std::span<const uint8_t> bytes)
{
    uint32_t sum = 0x811c9dc5;
    for (const auto byte : bytes)
    {
        sum = (sum ^ byte) * 0x01000193;
    }
    return sum;
}

std::vector<EventPtr>
ReadEvents(std::span<const uint8_t> body)
{
    ByteReader in(body);
    std::vector<EventPtr> events;
    while (!in.IsAtEnd())
    {
        auto event = std::make_shared<Event>();
        const auto first = in.Get<uint8_t>();
        const size_t like = first & ~IS_NEXT;
        if (like > events.size() || ((first & IS_NEXT) && events.empty()))
        {
            throw DecodeError("an event of a block is like one that does not come before it");
        }
        if (first & IS_NEXT)
        {
            const auto& last = events.back()->id;
            event->id = {last.publisher, last.sequence + 1};
        }
        else
        {
            event->id.publisher = in.Get<NodeId>();
            event->id.sequence = in.Get<uint32_t>();
        }
        event->attributes = like < events.size() ? events[like]->attributes : ReadAttributes(in);
        event->SetPayload(in.GetBytes(in.Get<uint16_t>()));
        events.push_back(std::move(event));
    }
    return events;
}

} // namespace

Bytes
PackBlock(std::span<const EventPtr> events)
{
    ByteWriter out;
    for (size_t i = 0; i < events.size(); ++i)
    {
        const auto& event = *events[i];
        const auto* last = i > 0 ? &events[i - 1]->id : nullptr;
        const auto isNext = last && last->publisher == event.id.publisher &&
                            last->sequence + 1 == event.id.sequence;
        size_t like = 0;
        while (like < i && events[like]->attributes != event.attributes)
        {
            ++like;
        }
        out.Put(static_cast<uint8_t>(like | (isNext ? IS_NEXT : 0)));
        if (!isNext)
        {
            out.Put(event.id.publisher);
            out.Put(event.id.sequence);
        }
        if (like == i)
        {
            WriteAttributes(out, event.attributes);
        }
        WritePayload(out, event);
    }
    const auto body = out.Take();
    ByteWriter block;
    block.Put(GetChecksum(body));
    block.Put(static_cast<uint16_t>(body.size()));
    block.PutBytes(body);
    return block.Take();
}

Unpacked
UnpackBlock(std::span<const uint8_t> bytes)
{
    try
    {
        ByteReader in(bytes);
        const auto checksum = in.Get<uint32_t>();
        const auto body = in.GetBytes(in.Get<uint16_t>());
        if (GetChecksum(body) != checksum)
        {
            return {};
        }
        return {ReadEvents(body), HEAD_BYTES + body.size()};
    }
    catch (const DecodeError&)
    {
        return {};
    }
}

uint32_t
ReadChecksum(std::span<const uint8_t> block)
{
    return ByteReader(block).Get<uint32_t>();
}

} // namespace mftpubsub::mesh
