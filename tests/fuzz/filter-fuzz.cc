/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * libFuzzer target: any text is a filter or a FilterError; a filter matches alike with and without
 * the index.
 */
#include "content/matcher.h"
#include "fuzz.h"

#include <array>
#include <cstdint>
#include <limits>

using namespace mftpubsub;

namespace
{

Event
MakeEvent(Value a, Value b, Value c)
{
    Event event;
    event.attributes = {{"a", std::move(a)}, {"b", std::move(b)}, {"c", std::move(c)}};
    return event;
}

} // namespace

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const std::array events{
        Event(),
        MakeEvent(int64_t{1}, 2.5, std::string("text")),
        MakeEvent(std::numeric_limits<int64_t>::min(), true, std::string("\xc3\xa9")),
        MakeEvent(std::numeric_limits<double>::quiet_NaN(), false, 9007199254740993.0),
    };
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try
    {
        const Filter filter = Filter::Parse(text);
        Require(filter.GetText() == text);
        Matcher matcher;
        matcher.Insert(1, filter);
        for (const Event& event : events)
        {
            Require(matcher.Match(event).size() == (filter.Matches(event) ? 1 : 0));
        }
        matcher.Remove(1, filter);
        Require(matcher.Match(events[1]).empty());
    }
    catch (const FilterError& error)
    {
        Require(error.GetPosition() <= size);
    }
    return 0;
}
