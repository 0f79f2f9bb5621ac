/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Matching by the index next to a plain scan over the same filters: `mftpubsub-benchmark-matching
 * [LARGEST [FILE]]` measures tables of 10^2 filters up to LARGEST (default 10^6), prints a table
 * and writes the same numbers to FILE as JSON.
 */
#include "content/matcher.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <malloc.h>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using namespace mftpubsub;

namespace
{

constexpr int ATTRIBUTES = 20;
constexpr int VALUES = 1000;
constexpr int MOST_PREDICATES = 8;
constexpr NodeId SUBSCRIBERS = 60000;

/// Draws filters and events whose values are uniform, or Zipf (exponent 1).
class Workload
{
  public:
    explicit Workload(bool zipf)
    {
        std::vector<double> weights(VALUES, 1.0);
        for (int i = 0; zipf && i < VALUES; ++i)
        {
            weights[i] = 1.0 / (i + 1);
        }
        m_values = std::discrete_distribution<int>(weights.begin(), weights.end());
        std::iota(m_order.begin(), m_order.end(), 0);
    }

    std::string DrawFilter()
    {
        std::ranges::shuffle(m_order, m_random);
        std::string text;
        for (int i = 0, count = 1 + Draw(MOST_PREDICATES); i < count; ++i)
        {
            text += (i > 0 ? " AND " : "") + DrawPredicate(GetName(m_order[i]));
        }
        return text;
    }

    Event DrawEvent()
    {
        Event event;
        for (int i = 0; i < ATTRIBUTES; ++i)
        {
            event.attributes.emplace_back(GetName(i), int64_t{m_values(m_random)});
        }
        return event;
    }

  private:
    static std::string GetName(int attribute)
    {
        return std::string(1, 'a').append(std::to_string(attribute));
    }

    int Draw(int below)
    {
        return std::uniform_int_distribution<int>(0, below - 1)(m_random);
    }

    /// 70 % equality, 20 % an interval of up to a twentieth of the values, 10 % one bound.
    std::string DrawPredicate(const std::string& name)
    {
        const int value = m_values(m_random);
        const int kind = Draw(10);
        if (kind < 7)
        {
            return name + " = " + std::to_string(value);
        }
        if (kind < 9)
        {
            return name + " BETWEEN " + std::to_string(value) + " AND " +
                   std::to_string(value + Draw(VALUES / 20));
        }
        return name + (Draw(2) == 0 ? " < " : " > ") + std::to_string(value);
    }

    std::mt19937 m_random{1};
    std::discrete_distribution<int> m_values;
    std::array<int, ATTRIBUTES> m_order{};
};

size_t
GetHeapBytes()
{
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/// @return calls of @p step a second, over at least @p seconds and three calls
template <typename Step>
double
MeasureRate(double seconds, Step step)
{
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    double elapsed = 0;
    int calls = 0;
    while (calls < 3 || elapsed < seconds)
    {
        step(calls++);
        elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    }
    return calls / elapsed;
}

template <typename Action>
double
MeasureSeconds(Action action)
{
    const auto start = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Result
{
    size_t filters;
    bool zipf;
    double parsesPerSecond;
    double insertsPerSecond;
    double removesPerSecond;
    double filterBytes; //!< parsed filter, per filter
    double indexBytes;  //!< what the matcher adds, per filter
    double scanEventsPerSecond;
    double eventsPerSecond;
    double matchesPerEvent; //!< subscribers
};

std::vector<NodeId>
Scan(const std::vector<Filter>& filters, const Event& event)
{
    std::vector<bool> matched(SUBSCRIBERS);
    for (size_t i = 0; i < filters.size(); ++i)
    {
        if (filters[i].Matches(event))
        {
            matched[i % SUBSCRIBERS] = true;
        }
    }
    std::vector<NodeId> list;
    for (NodeId subscriber = 0; subscriber < SUBSCRIBERS; ++subscriber)
    {
        if (matched[subscriber])
        {
            list.push_back(subscriber);
        }
    }
    return list;
}

Result
Measure(size_t count, bool zipf)
{
    Workload workload(zipf);
    std::vector<std::string> texts(count);
    std::ranges::generate(texts, [&] { return workload.DrawFilter(); });
    std::vector<Event> events(500);
    std::ranges::generate(events, [&] { return workload.DrawEvent(); });
    const auto n = static_cast<double>(count);
    Result result{};
    result.filters = count;
    result.zipf = zipf;

    std::vector<Filter> filters;
    filters.reserve(count);
    const size_t empty = GetHeapBytes();
    result.parsesPerSecond = n / MeasureSeconds([&] {
                                 for (const auto& text : texts)
                                 {
                                     filters.push_back(Filter::Parse(text));
                                 }
                             });
    const size_t parsed = GetHeapBytes();
    Matcher matcher;
    result.insertsPerSecond = n / MeasureSeconds([&] {
                                  for (size_t i = 0; i < count; ++i)
                                  {
                                      matcher.Insert(i % SUBSCRIBERS, filters[i]);
                                  }
                              });
    result.filterBytes = static_cast<double>(parsed - empty) / n;
    result.indexBytes = static_cast<double>(GetHeapBytes() - parsed) / n;

    size_t matches = 0;
    for (const Event& event : events)
    {
        matches += matcher.Match(event).size();
    }
    result.matchesPerEvent = static_cast<double>(matches) / static_cast<double>(events.size());
    result.eventsPerSecond =
        MeasureRate(0.5, [&](int i) { matcher.Match(events[i % events.size()]); });
    result.scanEventsPerSecond =
        MeasureRate(0.5, [&](int i) { Scan(filters, events[i % events.size()]); });
    if (Scan(filters, events[0]) != matcher.Match(events[0]))
    {
        std::fprintf(stderr, "the index differs from the scan\n");
        std::exit(1);
    }
    result.removesPerSecond = n / MeasureSeconds([&] {
                                  for (size_t i = 0; i < count; ++i)
                                  {
                                      matcher.Remove(i % SUBSCRIBERS, filters[i]);
                                  }
                              });
    return result;
}

void
WriteJson(std::ofstream& file, const Result& result)
{
    file << "{\"filters\": " << result.filters << ", \"values\": \""
         << (result.zipf ? "zipf" : "uniform") << "\", \"parses_per_s\": " << result.parsesPerSecond
         << ", \"inserts_per_s\": " << result.insertsPerSecond
         << ", \"removes_per_s\": " << result.removesPerSecond
         << ", \"filter_bytes\": " << result.filterBytes
         << ", \"index_bytes\": " << result.indexBytes
         << ", \"scan_events_per_s\": " << result.scanEventsPerSecond
         << ", \"events_per_s\": " << result.eventsPerSecond
         << ", \"subscribers_per_event\": " << result.matchesPerEvent << "}";
}

void
PrintRow(const Result& result)
{
    std::printf(
        "| %8zu | %-7s | %7.1f | %10.1f | %10.0f | %6.0f | %10.0f | %10.0f | %6.0f | %6.0f |\n",
        result.filters,
        result.zipf ? "Zipf" : "uniform",
        result.matchesPerEvent,
        result.scanEventsPerSecond,
        result.eventsPerSecond,
        result.eventsPerSecond / result.scanEventsPerSecond,
        result.insertsPerSecond,
        result.removesPerSecond,
        result.filterBytes,
        result.indexBytes);
    std::fflush(stdout);
}

} // namespace

int
main(int argc, char* argv[])
{
    const size_t largest = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000000;
    std::ofstream file;
    if (argc > 2)
    {
        file.open(argv[2]);
    }
    std::printf(
        "| filters | values | matches/event | scan events/s | events/s | x scan | inserts/s | "
        "removes/s | bytes/filter | index bytes/filter |\n"
        "|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    const char* separator = "[\n";
    for (size_t count = 100; count <= largest; count *= 10)
    {
        for (const bool zipf : {false, true})
        {
            const Result result = Measure(count, zipf);
            PrintRow(result);
            file << separator;
            WriteJson(file, result);
            separator = ",\n";
        }
    }
    file << "\n]\n";
    return 0;
}
