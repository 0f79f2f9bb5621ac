/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/word-codec.h"

#include "content/content-codec.h"
#include "protocols/mesh/varint.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace mftpubsub::mesh
{

namespace
{

/// @return how far @p id is behind @p previous: little where ids ascend
uint16_t
Distance(NodeId previous, NodeId id)
{
    return static_cast<uint16_t>(id - previous);
}

/// @return the id that is @p distance behind @p previous
NodeId
Behind(NodeId previous, uint32_t distance)
{
    return static_cast<NodeId>(previous + distance);
}

/// @return bytes of @p word beside its set, when its youngest filter is so old
size_t
CountWordBytes(NodeId previous, const Word& word, uint32_t leastAge)
{
    return CountVarint(Distance(previous, word.subscriber)) + CountVarint(word.timestamp) + 1 +
           CountVarint(leastAge);
}

size_t
CountSetBytes(const Word& word)
{
    size_t bytes = 1;
    for (const auto& aged : word.filters)
    {
        bytes += CountBytes(aged.filter) + 4;
    }
    return bytes;
}

void
Write(ByteWriter& out, const FilterSet& set)
{
    out.Put(static_cast<uint8_t>(set.size()));
    for (const auto& [filter, age] : set)
    {
        WriteFilter(out, filter);
        out.Put(age);
    }
}

FilterSet
ReadSet(ByteReader& in)
{
    FilterSet set;
    for (auto left = in.Get<uint8_t>(); left > 0; --left)
    {
        auto filter = ReadFilter(in);
        set.emplace_back(std::move(filter), in.Get<uint32_t>());
    }
    return set;
}

Word
ReadWord(ByteReader& in, NodeId previous, const std::vector<FilterSet>& sets)
{
    Word word;
    word.subscriber = Behind(previous, GetVarint(in));
    word.timestamp = GetVarint(in);
    if (word.timestamp == 0)
    {
        throw DecodeError("a word that nobody has said");
    }
    const auto number = in.Get<uint8_t>();
    if (number >= sets.size())
    {
        throw DecodeError("a word with filters number " + std::to_string(number));
    }
    const auto least = GetVarint(in);
    for (const auto& [filter, age] : sets[number])
    {
        word.filters.push_back({filter, AddAges(least, age)});
    }
    return word;
}

} // namespace

size_t
HashOfFilters::operator()(const FilterSet& set) const
{
    size_t hash = 0;
    for (const auto& [filter, olderBy] : set)
    {
        hash = 31 * (31 * hash + std::hash<std::string>()(filter.GetText())) + olderBy;
    }
    return hash;
}

uint32_t
GetLeastAge(const Word& word)
{
    uint32_t least = word.filters.empty() ? 0 : std::numeric_limits<uint32_t>::max();
    for (const auto& [filter, age] : word.filters)
    {
        least = std::min(least, age);
    }
    return least;
}

FilterSet
GetFilterSet(const Word& word)
{
    const auto least = GetLeastAge(word);
    FilterSet set;
    for (const auto& [filter, age] : word.filters)
    {
        set.emplace_back(filter, age - least);
    }
    return set;
}

void
Write(ByteWriter& out, const Sub& sub)
{
    std::map<FilterSet, uint8_t> numbers;
    std::vector<FilterSet> sets;
    for (const auto& word : sub.words)
    {
        auto set = GetFilterSet(word);
        if (numbers.emplace(set, static_cast<uint8_t>(sets.size())).second)
        {
            sets.push_back(std::move(set));
        }
    }
    out.Put(static_cast<uint8_t>(sets.size()));
    for (const auto& set : sets)
    {
        Write(out, set);
    }
    out.Put(static_cast<uint8_t>(sub.words.size()));
    NodeId previous = 0;
    for (const auto& word : sub.words)
    {
        PutVarint(out, Distance(std::exchange(previous, word.subscriber), word.subscriber));
        PutVarint(out, word.timestamp);
        out.Put(numbers.at(GetFilterSet(word)));
        PutVarint(out, GetLeastAge(word));
    }
}

Sub
ReadSub(ByteReader& in)
{
    std::vector<FilterSet> sets(in.Get<uint8_t>());
    for (auto& set : sets)
    {
        set = ReadSet(in);
    }
    Sub sub;
    NodeId previous = 0;
    for (auto left = in.Get<uint8_t>(); left > 0; --left)
    {
        sub.words.push_back(ReadWord(in, previous, sets));
        previous = sub.words.back().subscriber;
    }
    return sub;
}

void
Write(ByteWriter& out, const Bsub& bsub)
{
    out.Put(bsub.wordsHash);
    out.Put(bsub.first);
    out.Put(bsub.last);
    out.Put(static_cast<uint8_t>(bsub.stamps.size()));
    auto previous = bsub.first;
    for (const auto& [subscriber, timestamp] : bsub.stamps)
    {
        PutVarint(out, Distance(std::exchange(previous, subscriber), subscriber));
        PutVarint(out, timestamp);
    }
}

Bsub
ReadBsub(ByteReader& in)
{
    Bsub bsub;
    bsub.wordsHash = in.Get<uint32_t>();
    bsub.first = in.Get<NodeId>();
    bsub.last = in.Get<NodeId>();
    bsub.stamps.resize(in.Get<uint8_t>());
    auto previous = bsub.first;
    for (auto& [subscriber, timestamp] : bsub.stamps)
    {
        subscriber = Behind(previous, GetVarint(in));
        timestamp = GetVarint(in);
        previous = subscriber;
    }
    return bsub;
}

void
Write(ByteWriter& out, const BsubHashes& bsub)
{
    out.Put(bsub.wordsHash);
    out.Put(bsub.shift);
    out.Put(static_cast<uint8_t>(bsub.hashes.size()));
    for (const auto hash : bsub.hashes)
    {
        out.Put(hash);
    }
}

BsubHashes
ReadBsubHashes(ByteReader& in)
{
    BsubHashes bsub;
    bsub.wordsHash = in.Get<uint32_t>();
    bsub.shift = in.Get<uint8_t>();
    if (bsub.shift > std::numeric_limits<NodeId>::digits)
    {
        throw DecodeError("a hash of 2^" + std::to_string(bsub.shift) + " subscribers");
    }
    bsub.hashes.resize(in.Get<uint8_t>());
    for (auto& hash : bsub.hashes)
    {
        hash = in.Get<uint32_t>();
    }
    return bsub;
}

size_t
CountBytes(NodeId previous, const WordStamp& stamp)
{
    return CountVarint(Distance(previous, stamp.subscriber)) + CountVarint(stamp.timestamp);
}

void
SubBytes::Add(const Word& word)
{
    m_bytes += CountWordBytes(std::exchange(m_previous, word.subscriber), word, GetLeastAge(word));
    if (m_sets.insert(GetFilterSet(word)).second)
    {
        m_bytes += CountSetBytes(word);
    }
}

size_t
SubBytes::Of(const Word& word)
{
    const auto oldest = word.filters.empty() ? 0 : std::numeric_limits<uint32_t>::max();
    return SubBytes().Get() + CountWordBytes(0, word, oldest) + CountSetBytes(word);
}

} // namespace mftpubsub::mesh
