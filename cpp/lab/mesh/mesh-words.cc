/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/mesh/mesh-words.h"

#include "content/content-codec.h"
#include "protocols/mesh/frames.h"
#include "protocols/mesh/protocol-names.h"

#include <span>

namespace mftpubsub
{

std::string
Name(EventId id)
{
    return std::to_string(id.publisher) + ":" + std::to_string(id.sequence);
}

namespace
{

std::string
Describe(const std::vector<mesh::Hint>& hints)
{
    std::string text;
    for (const auto& [subscriber, eighths] : hints)
    {
        text += (text.empty() ? "" : ",") + std::to_string(subscriber);
    }
    return text;
}

std::string
Describe(const std::vector<mesh::CarriedEvent>& events)
{
    std::string text;
    for (const auto& carried : events)
    {
        text += " " + Name(carried.event->id);
        if (!carried.path.hints.empty())
        {
            text += " for " + Describe(carried.path.hints);
        }
    }
    return text;
}

std::string
Describe(const std::optional<mesh::State>& state)
{
    if (!state)
    {
        return "";
    }
    auto text = " has " + ToText(state->has.GetSummary());
    if (!state->settled.GetSummary().IsEmpty())
    {
        text += " settled " + ToText(state->settled.GetSummary());
    }
    for (const auto& id : state->answers)
    {
        text += " holds " + Name(id);
    }
    return text;
}

/// @return what a frame of the mesh says
std::string
Describe(const mesh::Frame& frame)
{
    std::string text;
    if (const auto* heartbeat = std::get_if<mesh::Heartbeat>(&frame.body))
    {
        text += Describe(std::optional(heartbeat->state));
    }
    else if (const auto* pub = std::get_if<mesh::Pub>(&frame.body))
    {
        text += Describe(pub->events) + Describe(pub->state);
    }
    else if (const auto* rep = std::get_if<mesh::Rep>(&frame.body))
    {
        text += Describe(rep->events) + Describe(rep->state);
        text += rep->cover ? " covers " + ToText(rep->cover->events.GetSummary()) : "";
    }
    else if (const auto* nack = std::get_if<mesh::Nack>(&frame.body))
    {
        text += " done " + ToText(nack->done.GetSummary());
    }
    else if (const auto* hello = std::get_if<mesh::Hello>(&frame.body))
    {
        text += " done " + ToText(hello->done.GetSummary());
    }
    else if (const auto* sub = std::get_if<mesh::Sub>(&frame.body))
    {
        for (const auto& word : sub->words)
        {
            text += " " + std::to_string(word.subscriber) + "@" + std::to_string(word.timestamp);
        }
    }
    else if (const auto* bsub = std::get_if<mesh::Bsub>(&frame.body))
    {
        for (const auto& [subscriber, timestamp] : bsub->stamps)
        {
            text += " " + std::to_string(subscriber) + "@" + std::to_string(timestamp);
        }
    }
    else if (const auto* hashes = std::get_if<mesh::BsubHashes>(&frame.body))
    {
        text += " " + std::to_string(hashes->hashes.size()) + " hashes";
    }
    return text;
}

/// @return the events of a frame of MPL, which has one, or of epidemic routing
std::string
DescribeData(ByteReader in, bool isCounted)
{
    std::string text;
    for (auto left = isCounted ? in.Get<uint8_t>() : uint8_t{1}; left > 0; --left)
    {
        text += " " + Name(ReadEvent(in)->id);
        in.Get<uint8_t>(); // hops
    }
    return text;
}

} // namespace

std::string
Describe(const mesh::OutgoingFrame& frame, std::string_view protocol)
{
    const auto header = mesh::DecodeHeader(frame.bytes);
    std::string text(frame.name);
    if (header.destination != NO_NODE)
    {
        text += " to " + std::to_string(header.destination);
    }
    if (const auto own = mesh::TryDecode(frame.bytes))
    {
        return text + Describe(*own);
    }
    ByteReader in(std::span(frame.bytes).subspan(mesh::HEADER_BYTES));
    if (frame.name == "DATA")
    {
        return text + DescribeData(in, protocol == EPIDEMIC);
    }
    const auto verb = frame.name == "REQUEST" ? " wants " : " has ";
    return text + verb + ToText(mesh::SummaryPart::Read(in).GetSummary());
}

} // namespace mftpubsub
