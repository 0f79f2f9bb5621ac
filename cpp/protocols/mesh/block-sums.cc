/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/block-sums.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace mftpubsub::mesh
{

std::vector<CarriedEvent>
BlockSums::Hear(Instant now, const BlockMix& mix)
{
    Forget(now);
    m_heardAt = now;
    ReplaceOld(mix);
    if (mix.blocks.size() > 2 * m_limits.blocks ||
        std::ranges::any_of(mix.blocks, [this](BlockId id) { return IsOver(id); }))
    {
        return {};
    }
    Sum sum{{}, mix.sum, now};
    std::vector<BlockId> used;
    for (size_t i = 0; i < mix.blocks.size(); ++i)
    {
        const auto id = mix.blocks[i];
        Meet(now, id, mix.hops);
        m_unheard.erase(id);
        if (const auto known = m_known.find(id); known != m_known.end())
        {
            galois::AddTimes(sum.bytes, mix.factors[i], known->second.bytes);
            used.push_back(id);
        }
        else if (mix.factors[i] != 0)
        {
            const auto column = m_unsolved.GetColumn(id);
            sum.factors.resize(std::max(sum.factors.size(), column + 1));
            sum.factors[column] = mix.factors[i];
        }
    }
    auto isWrong = sum.factors.empty() &&
                   std::ranges::any_of(sum.bytes, [](uint8_t byte) { return byte != 0; });
    m_news += m_unsolved.Insert(std::move(sum));
    std::vector<CarriedEvent> solved;
    for (auto& [id, bytes] : m_unsolved.TakeSolved())
    {
        Meet(now, id, mix.hops); // it may be forgotten that it was
        const auto block = UnpackBlock(bytes);
        if (block.events.empty())
        {
            isWrong = true;
            continue;
        }
        for (const auto& event : block.events)
        {
            solved.push_back({event, m_met.at(id).hops});
        }
        bytes.resize(block.bytes);
        Keep(now, id, std::move(bytes), block.events);
    }
    if (isWrong)
    {
        Unlearn(used); // some may be of a former life of their makers
    }
    return solved;
}

BlockMix
BlockSums::MakeBlock(Instant now, NodeId self, const std::vector<CarriedEvent>& events)
{
    Forget(now);
    std::vector<EventPtr> contents;
    BlockMix mix;
    for (const auto& carried : events)
    {
        contents.push_back(carried.event);
        mix.hops = std::max(mix.hops, OneHopOn(carried).hops);
    }
    if (!m_number) // not those of a former life
    {
        m_number = static_cast<uint16_t>(m_uniform() * (UINT16_MAX + 1));
    }
    BlockId id;
    do
    {
        id = {self, (*m_number)++};
    } while (m_met.contains(id)); // others may have it from a former life
    mix.blocks = {id};
    mix.factors = {1};
    mix.sum = PackBlock(contents);
    Meet(now, id, static_cast<uint8_t>(mix.hops - 1));
    Keep(now, id, mix.sum, contents);
    m_unheard[id] = {now + m_limits.unheard, m_limits.unheard};
    return mix;
}

std::optional<BlockMix>
BlockSums::MakeSum(Instant now, size_t budget) const
{
    return Make(budget, GetLate(now), ChooseUnsolved(now));
}

Instant
BlockSums::UnheardAt() const
{
    auto at = NEVER;
    for (const auto& [id, unheard] : m_unheard)
    {
        at = std::min(at, unheard.at);
    }
    return at;
}

BlockMix
BlockSums::RepeatUnheard(Instant now)
{
    auto& [id, unheard] =
        *std::ranges::min_element(m_unheard, {}, [](const auto& entry) { return entry.second.at; });
    unheard.pause *= 2;
    unheard.at = now + unheard.pause;
    const auto hops = static_cast<uint8_t>(m_met.at(id).hops + 1);
    return {{}, hops, {id}, {1}, m_known.at(id).bytes};
}

std::optional<BlockMix>
BlockSums::MakeSumOf(size_t budget, const std::vector<EventId>& events) const
{
    std::set<BlockId> blocks;
    for (const auto event : events)
    {
        const auto [first, last] = m_events.equal_range(event);
        std::for_each(first, last, [&blocks](const auto& entry) { blocks.insert(entry.second); });
    }
    return Make(budget, {blocks.begin(), blocks.end()}, {});
}

std::vector<EventId>
BlockSums::GetEvents(const BlockMix& mix) const
{
    std::vector<EventId> events;
    for (const auto id : mix.blocks)
    {
        if (const auto known = m_known.find(id); known != m_known.end())
        {
            const auto& its = known->second.events;
            events.insert(events.end(), its.begin(), its.end());
        }
    }
    return events;
}

/// Blocks that are not known have as many as others.
size_t
BlockSums::CountEvents(Instant since) const
{
    size_t events = 0;
    size_t known = 0;
    size_t met = 0;
    for (const auto& [id, its] : m_met)
    {
        if (its.at >= since)
        {
            ++met;
            const auto at = m_known.find(id);
            known += at != m_known.end();
            events += at != m_known.end() ? at->second.events.size() : 0;
        }
    }
    return known == 0 ? met : events * met / known;
}

size_t
BlockSums::CountStuck(Instant now) const
{
    return std::ranges::count_if(m_unsolved.GetSums(), [&](const auto& entry) {
        const auto age = now - entry.second.heardAt;
        return age > m_limits.stuck && age <= m_limits.unsolved;
    });
}

void
BlockSums::Meet(Instant now, BlockId id, uint8_t hops)
{
    if (!m_met.emplace(id, Met{now, hops}).second)
    {
        return;
    }
    m_metAt = now;
    m_hops = hops;
    m_metOrder.push_back(id);
    if (m_metOrder.size() > m_limits.mostMet)
    {
        Forget(m_metOrder.front());
        m_met.erase(m_metOrder.front());
        m_metOrder.pop_front();
    }
}

void
BlockSums::Forget(Instant now)
{
    m_unsolved.Forget(now - m_limits.unsolved);
    if (m_unsolved.GetSums().size() > m_limits.mostUnsolved)
    {
        m_unsolved.ForgetOldest();
    }
    while (!m_knownSince.empty() && (m_knownSince.front().first < now - m_limits.known ||
                                     m_knownSince.size() > m_limits.mostKnown))
    {
        Forget(m_knownSince.front().second);
        m_knownSince.pop_front();
    }
}

/// A block that was known is over: sums with it, which cannot be solved any more, are not heard.
void
BlockSums::Forget(BlockId id)
{
    const auto known = m_known.find(id);
    if (known == m_known.end())
    {
        return;
    }
    m_met.at(id).isOver = true;
    for (const auto event : known->second.events)
    {
        const auto [first, last] = m_events.equal_range(event);
        m_events.erase(
            std::find_if(first, last, [id](const auto& entry) { return entry.second == id; }));
    }
    m_known.erase(known);
    m_unheard.erase(id);
}

/// A maker that has restarted may name a new block as an old one.
void
BlockSums::ReplaceOld(const BlockMix& mix)
{
    const auto met = mix.blocks.size() == 1 ? m_met.find(mix.blocks[0]) : m_met.end();
    if (met == m_met.end() || !met->second.checksum)
    {
        return;
    }
    Bytes bytes;
    galois::AddTimes(bytes, galois::Inverse(mix.factors[0]), mix.sum);
    if (!UnpackBlock(bytes).events.empty() && ReadChecksum(bytes) != met->second.checksum)
    {
        const auto id = met->first;
        Unlearn({id});
        m_met.erase(id);
        std::erase(m_metOrder, id);
    }
}

/// What is known of @p blocks is wrong, and so are sums that it was taken out of. Which these are
/// is not known.
void
BlockSums::Unlearn(const std::vector<BlockId>& blocks)
{
    for (const auto id : blocks)
    {
        Forget(id);
        std::erase_if(m_knownSince, [id](const auto& entry) { return entry.second == id; });
        if (const auto met = m_met.find(id); met != m_met.end()) // newer names may have ousted it
        {
            met->second.isOver = false;
            met->second.checksum.reset();
        }
    }
    m_unsolved = {};
}

bool
BlockSums::IsOver(BlockId id) const
{
    const auto met = m_met.find(id);
    return met != m_met.end() && met->second.isOver;
}

void
BlockSums::Keep(Instant now, BlockId id, Bytes bytes, const std::vector<EventPtr>& events)
{
    m_knownSince.emplace_back(now, id);
    m_met.at(id).checksum = ReadChecksum(bytes);
    auto& known = m_known[id];
    known.bytes = std::move(bytes);
    for (const auto& event : events)
    {
        known.events.push_back(event->id);
        m_events.emplace(event->id, id);
    }
}

/// @return the known blocks that were met within the window, the newest first
std::vector<BlockId>
BlockSums::GetLate(Instant now) const
{
    std::vector<std::pair<Instant, BlockId>> late;
    for (const auto& [id, known] : m_known)
    {
        const auto at = m_met.at(id).at;
        if (at >= now - m_limits.window)
        {
            late.emplace_back(at, id);
        }
    }
    std::ranges::sort(late, std::greater());
    std::vector<BlockId> blocks;
    for (const auto& [at, id] : late)
    {
        blocks.push_back(id);
    }
    return blocks;
}

/// @return the newest sums that are of no more blocks than a frame names. None is of a block that
/// was first heard of so long ago that nobody may have it: all would hear its sums from each other.
std::vector<const BlockSums::Sum*>
BlockSums::ChooseUnsolved(Instant now) const
{
    std::vector<size_t> old;
    for (const auto& [id, column] : m_unsolved.GetColumns())
    {
        const auto met = m_met.find(id);
        if (met == m_met.end() || met->second.at < now - m_limits.unsolved)
        {
            old.push_back(column);
        }
    }
    std::vector<const Sum*> order;
    for (const auto& [id, sum] : m_unsolved.GetSums())
    {
        if (std::ranges::none_of(old, [its = &sum](size_t column) {
                return its->GetFactor(column) != 0;
            }))
        {
            order.push_back(&sum);
        }
    }
    std::ranges::stable_sort(order, std::greater(), &Sum::heardAt);
    std::vector<const Sum*> chosen;
    std::set<size_t> columns;
    for (const auto* sum : order)
    {
        auto with = columns;
        for (size_t column = 0; column < sum->factors.size(); ++column)
        {
            if (sum->factors[column] != 0)
            {
                with.insert(column);
            }
        }
        if (with.size() <= m_limits.blocks)
        {
            columns = std::move(with);
            chosen.push_back(sum);
        }
    }
    return chosen;
}

/// Where makers are so many that it would not fit, it is of fewer blocks.
std::optional<BlockMix>
BlockSums::Make(size_t budget, std::vector<BlockId> blocks, std::vector<const Sum*> unsolved) const
{
    blocks.resize(std::min(blocks.size(), m_limits.blocks));
    while (!blocks.empty() || !unsolved.empty())
    {
        auto mix = Name(blocks, unsolved);
        AddKnown(mix, blocks);
        AddUnsolved(mix, unsolved);
        if (BLOCK_MIX_BYTES + CountSumBytes(mix) <= budget)
        {
            return mix;
        }
        const auto fewer = blocks.size() > unsolved.size();
        blocks.resize(fewer ? blocks.size() / 2 : blocks.size());
        unsolved.resize(fewer ? unsolved.size() : unsolved.size() / 2);
    }
    return {};
}

/// @return a sum without bytes
BlockMix
BlockSums::Name(const std::vector<BlockId>& blocks, const std::vector<const Sum*>& unsolved) const
{
    BlockMix mix;
    mix.hops = static_cast<uint8_t>(std::min(m_hops + 1, UINT8_MAX));
    mix.blocks = blocks;
    for (const auto& [id, column] : m_unsolved.GetColumns())
    {
        if (std::ranges::any_of(unsolved,
                                [at = column](const Sum* sum) { return sum->GetFactor(at) != 0; }))
        {
            mix.blocks.push_back(id);
        }
    }
    std::ranges::sort(mix.blocks);
    mix.factors.resize(mix.blocks.size());
    return mix;
}

void
BlockSums::AddKnown(BlockMix& mix, const std::vector<BlockId>& blocks) const
{
    for (const auto id : blocks)
    {
        const auto factor = DrawFactor();
        mix.factors[std::ranges::lower_bound(mix.blocks, id) - mix.blocks.begin()] = factor;
        galois::AddTimes(mix.sum, factor, m_known.at(id).bytes);
    }
}

void
BlockSums::AddUnsolved(BlockMix& mix, const std::vector<const Sum*>& unsolved) const
{
    for (const auto* sum : unsolved)
    {
        const auto factor = DrawFactor();
        galois::AddTimes(mix.sum, factor, sum->bytes);
        for (size_t i = 0; i < mix.blocks.size(); ++i)
        {
            const auto column = m_unsolved.GetColumns().find(mix.blocks[i]);
            if (column != m_unsolved.GetColumns().end())
            {
                mix.factors[i] ^= galois::Times(factor, sum->GetFactor(column->second));
            }
        }
    }
}

uint8_t
BlockSums::DrawFactor() const
{
    return galois::FromNibble(static_cast<uint8_t>(1 + m_uniform() * galois::UNITS));
}

} // namespace mftpubsub::mesh
