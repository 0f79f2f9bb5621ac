/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "content/content-codec.h"

#include <algorithm>
#include <utility>

namespace mftpubsub
{

namespace
{

constexpr size_t MOST_ATTRIBUTES = UINT8_MAX;
constexpr size_t MOST_TEXT_BYTES = UINT16_MAX;

void
WriteValue(ByteWriter& out, const Value& value)
{
    out.Put(static_cast<uint8_t>(value.index()));
    switch (value.index())
    {
    case 0:
        out.Put(std::get<int64_t>(value));
        break;
    case 1:
        out.PutDouble(std::get<double>(value));
        break;
    case 2:
        out.PutText(std::get<std::string>(value));
        break;
    default:
        out.Put(static_cast<uint8_t>(std::get<bool>(value)));
    }
}

Value
ReadValue(ByteReader& in)
{
    switch (const auto type = in.Get<uint8_t>())
    {
    case 0:
        return in.Get<int64_t>();
    case 1:
        return in.GetDouble();
    case 2:
        return in.GetText();
    case 3:
        return in.Get<uint8_t>() != 0;
    default:
        throw DecodeError("no attribute type: " + std::to_string(type));
    }
}

size_t
CountBytes(const Value& value)
{
    const auto* text = std::get_if<std::string>(&value);
    return 1 + (text ? 2 + text->size() : std::holds_alternative<bool>(value) ? 1 : 8);
}

} // namespace

void
WriteFilter(ByteWriter& out, const Filter& filter)
{
    out.PutText(filter.GetText());
}

Filter
ReadFilter(ByteReader& in)
{
    try
    {
        return Filter::Parse(in.GetText());
    }
    catch (const FilterError& error)
    {
        throw DecodeError(std::string("no filter: ") + error.what());
    }
}

std::string
FindUnencodable(const Attributes& attributes)
{
    if (attributes.size() > MOST_ATTRIBUTES)
    {
        return "an event of " + std::to_string(attributes.size()) + " attributes; there may be " +
               std::to_string(MOST_ATTRIBUTES);
    }
    for (const auto& [name, value] : attributes)
    {
        const auto* text = std::get_if<std::string>(&value);
        const auto bytes = std::max(name.size(), text ? text->size() : 0);
        if (bytes > MOST_TEXT_BYTES)
        {
            return "a text of " + std::to_string(bytes) + " B in attribute " + name.substr(0, 40) +
                   "; there may be " + std::to_string(MOST_TEXT_BYTES) + " B";
        }
    }
    return "";
}

void
WriteAttributes(ByteWriter& out, const Attributes& attributes)
{
    out.Put(static_cast<uint8_t>(attributes.size()));
    for (const auto& [name, value] : attributes)
    {
        out.PutText(name);
        WriteValue(out, value);
    }
}

Attributes
ReadAttributes(ByteReader& in)
{
    Attributes attributes;
    for (auto left = in.Get<uint8_t>(); left > 0; --left)
    {
        auto name = in.GetText();
        attributes.emplace_back(std::move(name), ReadValue(in));
    }
    return attributes;
}

void
WritePayload(ByteWriter& out, const Event& event)
{
    out.Put(event.payloadBytes);
    if (event.payload.empty())
    {
        out.PutZeros(event.payloadBytes);
    }
    else
    {
        out.PutBytes(event.payload);
    }
}

void
WriteEvent(ByteWriter& out, const Event& event)
{
    out.Put(event.id.publisher);
    out.Put(event.id.sequence);
    WriteAttributes(out, event.attributes);
    WritePayload(out, event);
}

EventPtr
ReadEvent(ByteReader& in)
{
    auto event = std::make_shared<Event>();
    event->id.publisher = in.Get<NodeId>();
    event->id.sequence = in.Get<uint32_t>();
    event->attributes = ReadAttributes(in);
    event->SetPayload(in.GetBytes(in.Get<uint16_t>()));
    return event;
}

bool
MatchesWire(const Filter& filter, const std::string& bytes)
{
    const Bytes wire(bytes.begin(), bytes.end());
    ByteReader in(wire);
    return filter.Matches(*ReadEvent(in));
}

size_t
CountBytes(const Event& event)
{
    size_t bytes = 2 + 4 + 1 + 2 + event.payloadBytes;
    for (const auto& [name, value] : event.attributes)
    {
        bytes += 2 + name.size() + CountBytes(value);
    }
    return bytes;
}

size_t
CountBytes(const Filter& filter)
{
    return 2 + filter.GetText().size();
}

} // namespace mftpubsub
