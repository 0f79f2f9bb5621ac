/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/mesh/mesh-words.h"

#include "content/content-codec.h"
#include "protocols/mesh/frames.h"

#include <map>
#include <span>
#include <string_view>

namespace mftpubsub
{

std::string
Name(EventId id)
{
    return std::to_string(id.publisher) + ":" + std::to_string(id.sequence);
}

namespace
{

/// Before the summary that is all that such a frame has, in MPL and epidemic routing.
const std::map<std::string_view, std::string> SUMMARY_VERBS{{"CONTROL", " has "},
                                                            {"REQUEST", " wants "},
                                                            {"SUMMARY", " has "}};

std::string
Describe(const std::vector<mesh::Claim>& claims)
{
    std::string text;
    for (const auto& claim : claims)
    {
        text += (text.empty() ? "" : ",") + std::to_string(claim.subscriber);
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
        if (!carried.path.claims.empty())
        {
            text += " for " + Describe(carried.path.claims);
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
template <typename Words>
std::string
DescribeStamps(const Words& words)
{
    std::string text;
    for (const auto& word : words)
    {
        text += " " + std::to_string(word.subscriber) + "@" + std::to_string(word.timestamp);
    }
    return text;
}

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
        text += DescribeStamps(sub->words);
    }
    else if (const auto* bsub = std::get_if<mesh::Bsub>(&frame.body))
    {
        text += DescribeStamps(bsub->stamps);
    }
    else if (const auto* mix = std::get_if<mesh::Mix>(&frame.body))
    {
        text += " " + std::to_string(mix->sums.size()) + " sums of " +
                ToText(mix->events.GetSummary()) + Describe(mix->state);
    }
    else if (const auto* blocks = std::get_if<mesh::BlockMix>(&frame.body))
    {
        text += " a sum of " + std::to_string(blocks->blocks.size()) + " blocks" +
                Describe(blocks->state);
    }
    else if (const auto* taken = std::get_if<mesh::Taken>(&frame.body))
    {
        for (const auto& [id, path] : taken->events)
        {
            text += " " + Name(id) + " to " + Describe(path.elsewhere);
        }
    }
    else if (const auto* hashes = std::get_if<mesh::BsubHashes>(&frame.body))
    {
        text += " " + std::to_string(hashes->hashes.size()) + " hashes";
    }
    return text;
}

} // namespace

std::string
Describe(const mesh::OutgoingFrame& frame)
{
    const auto header = mesh::DecodeHeader(frame.bytes);
    auto text = frame.name;
    if (header.destination != NO_NODE)
    {
        text += " to " + std::to_string(header.destination);
    }
    if (const auto own = mesh::TryDecode(frame.bytes))
    {
        return text + Describe(*own);
    }
    for (const auto& id : frame.events)
    {
        text += " " + Name(id);
    }
    const auto verb = SUMMARY_VERBS.find(frame.name);
    if (verb != SUMMARY_VERBS.end())
    {
        ByteReader in(std::span(frame.bytes).subspan(mesh::HEADER_BYTES));
        text += verb->second + ToText(mesh::SummaryPart::Read(in).GetSummary());
    }
    return text;
}

} // namespace mftpubsub
