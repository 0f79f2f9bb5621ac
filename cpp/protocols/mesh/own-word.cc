/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/own-word.h"

#include "content/content-codec.h"
#include "protocols/mesh/word-codec.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub::mesh
{

namespace
{

/// A word says in one byte how many filters it has.
constexpr size_t MOST_FILTERS = 255;
/// It takes most bytes: there is as much room after any number of changes.
constexpr auto LATEST = std::numeric_limits<uint32_t>::max();

} // namespace

Word
MakeWord(NodeId subscriber,
         uint32_t timestamp,
         const std::map<Filter, Instant>& filters,
         Instant now)
{
    Word word{subscriber, timestamp, {}};
    for (const auto& [filter, since] : filters)
    {
        word.filters.push_back({filter, ToMilliseconds(now - since)});
    }
    return word;
}

void
CheckFit(const Context& context, const SubscriberMemory& memory, const Filter& filter)
{
    auto filters = memory.filters;
    filters.emplace(filter, Instant(0));
    const auto word = MakeWord(context.self, LATEST, filters, Instant(0));
    size_t bytes = 0;
    for (const auto& [one, since] : filters)
    {
        bytes += CountBytes(one) + sizeof(AgedFilter::ageMilliseconds);
    }
    const auto room = context.options.maxFrameBytes - (SubBytes::Of(word) - bytes);
    if (bytes > room || filters.size() > MOST_FILTERS)
    {
        throw std::length_error(
            "with " + filter.GetText() + " there are " + std::to_string(filters.size()) +
            " filters of " + std::to_string(bytes) +
            " bytes; a subscriber has one frame for all, " + "with room for " +
            std::to_string(MOST_FILTERS) + " filters of " + std::to_string(room) + " bytes");
    }
}

SubscriberMemory
KeepFitting(const Context& context, SubscriberMemory memory)
{
    std::vector<std::pair<Instant, Filter>> byAge;
    for (const auto& [filter, since] : memory.filters)
    {
        byAge.emplace_back(since, filter);
    }
    std::ranges::sort(byAge);
    memory.filters.clear();
    for (const auto& [since, filter] : byAge)
    {
        try
        {
            CheckFit(context, memory, filter);
            memory.filters.emplace(filter, since);
        }
        catch (const std::length_error&)
        {
            continue; // a shorter one may still fit
        }
    }
    memory.timestamp += memory.filters.size() < byAge.size() ? 1 : 0;
    return memory;
}

} // namespace mftpubsub::mesh
