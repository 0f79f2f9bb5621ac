/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/sums.h"

#include "content/content-codec.h"
#include "protocols/mesh/galois.h"

namespace mftpubsub::mesh
{

/// Bits are mixed as by splitmix64 (Steele, Lea and Flood 2014), so that factors seem drawn.
uint8_t
GetFactor(uint16_t seed, size_t index, EventId id)
{
    auto bits = (uint64_t{id.publisher} << 48) ^ (uint64_t{id.sequence} << 16) ^ seed;
    bits += (index + 1) * 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return static_cast<uint8_t>(1 + (bits ^ (bits >> 31)) % UINT8_MAX);
}

std::vector<EventId>
GetMixed(const Mix& mix)
{
    std::vector<EventId> ids;
    for (const auto& [publisher, sequences] : mix.events.GetSummary().GetPublishers())
    {
        for (const auto& run : sequences.GetRuns())
        {
            if (run.end - run.begin > MAX_COUNT - ids.size())
            {
                return {};
            }
            for (auto sequence = run.begin; sequence != run.end; ++sequence)
            {
                ids.push_back({publisher, sequence});
            }
        }
    }
    return ids;
}

Bytes
ToBytes(const Event& event)
{
    ByteWriter out;
    WriteEvent(out, event);
    return out.Take();
}

std::vector<Bytes>
MakeSums(std::span<const EventPtr> events, uint16_t seed, size_t count)
{
    std::vector<Bytes> sums(count);
    for (const auto& event : events)
    {
        const auto bytes = ToBytes(*event);
        for (size_t index = 0; index < count; ++index)
        {
            galois::AddTimes(sums[index], GetFactor(seed, index, event->id), bytes);
        }
    }
    return sums;
}

} // namespace mftpubsub::mesh
