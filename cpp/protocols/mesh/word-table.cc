/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/word-table.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::mesh
{

namespace
{

/// Bytes of a BSUB around its stamps.
constexpr size_t BSUB_BYTES = HEADER_BYTES + 9;
/// Bytes of one of hashes around these.
constexpr size_t HASHES_BYTES = HEADER_BYTES + 6;

/// A mixture of all bits of the stamp (the finalizer of MurmurHash3).
uint32_t
Hash(const WordStamp& stamp)
{
    auto h = stamp.timestamp * 0x9e3779b1U ^ (stamp.subscriber + 1) * 0x85ebca6bU;
    h = (h ^ h >> 16) * 0x85ebca6bU;
    h = (h ^ h >> 13) * 0xc2b2ae35U;
    return h ^ h >> 16;
}

/// @return @p set in the order of filters, each once
FilterSet
Sorted(FilterSet set)
{
    using Aged = FilterSet::value_type;
    std::ranges::stable_sort(set, {}, &Aged::first);
    const auto isSame = [](const auto& one, const auto& other) { return one.first == other.first; };
    set.erase(std::unique(set.begin(), set.end(), isSame), set.end());
    return set;
}

bool
Contains(const FilterSet& sorted, const Filter& filter)
{
    return std::ranges::binary_search(sorted, filter, {}, &FilterSet::value_type::first);
}

/// @return the word of @p subscriber as it is said now
Word
MakeWord(NodeId subscriber, const WordTable::Entry& entry, Instant now)
{
    Word word{subscriber, entry.timestamp, {}};
    const auto least = ToMilliseconds(now - entry.since);
    for (const auto& [filter, olderBy] : *entry.filters)
    {
        word.filters.push_back({filter, AddAges(least, olderBy)});
    }
    return word;
}

} // namespace

WordTable::WordTable(const Context& context)
    : m_context(context),
      m_lacking(context)
{
}

bool
WordTable::Entry::Wants(const Event& event) const
{
    return std::ranges::any_of(*filters, [&](const auto& f) { return f.first.Matches(event); });
}

WordTable::Change
WordTable::Hear(Instant now, const Word& word, NodeId from)
{
    const auto isOwn = from == word.subscriber;
    auto* known = m_entries.Find(word.subscriber);
    if (!known || word.timestamp > known->timestamp)
    {
        if (SubBytes::Of(word) > m_context.options.maxFrameBytes)
        {
            return {}; // it could not be sent on
        }
        auto& entry = m_entries[word.subscriber];
        auto change = Replace(now, entry, word);
        PostponeBsub(now);
        entry.copies = isOwn ? 0 : 1;
        ForwardSoon(now, word.subscriber);
        return change;
    }
    if (word.timestamp == known->timestamp)
    {
        HearAgain(now, *known, word.subscriber, isOwn);
    }
    return {};
}

void
WordTable::HearAgain(Instant now, Entry& entry, NodeId subscriber, bool isOwn)
{
    if (!isOwn)
    {
        if (++entry.copies >= m_context.options.copies)
        {
            m_forwards.Erase(subscriber);
        }
    }
    else if (!m_forwards.Contains(subscriber)) // it has not heard anybody else say it
    {
        entry.copies = 0;
        ForwardSoon(now, subscriber);
    }
}

WordTable::Change
WordTable::Replace(Instant now, Entry& entry, const Word& word)
{
    if (entry.timestamp > 0)
    {
        m_hash ^= Hash({word.subscriber, entry.timestamp});
    }
    entry.timestamp = word.timestamp;
    m_hash ^= Hash({word.subscriber, word.timestamp});
    const auto before = std::exchange(entry.filters, m_sets.Get(Sorted(GetFilterSet(word))));
    entry.since = now - std::chrono::milliseconds(GetLeastAge(word));
    Change change;
    for (const auto& [filter, olderBy] : *entry.filters)
    {
        if (!before || !Contains(*before, filter))
        {
            m_matcher.Insert(word.subscriber, filter);
            change.news.push_back(
                {word.subscriber, filter, entry.since - std::chrono::milliseconds(olderBy)});
        }
    }
    for (const auto& [filter, olderBy] : before ? *before : FilterSet())
    {
        if (!Contains(*entry.filters, filter))
        {
            m_matcher.Remove(word.subscriber, filter);
            change.isNarrower = true;
        }
    }
    return change;
}

void
WordTable::ForwardSoon(Instant now, NodeId subscriber)
{
    ForwardWithin(now, subscriber, m_context.options.limits.word.forward);
}

/// All that wait go together: in a large network one that would go soon would take others along
/// before it is known which of them neighbours have said.
void
WordTable::ForwardWithin(Instant now, NodeId subscriber, Instant duration)
{
    auto at = now + m_context.Draw(Instant(0), duration);
    if (IsLarge() && !m_forwards.Get().empty())
    {
        at = std::max(at, m_forwards.GetEarliest());
    }
    m_forwards.Set(subscriber, at);
}

void
WordTable::HearHash(Instant now, uint32_t hash)
{
    if (hash != m_hash && m_bsubAt == NEVER)
    {
        const auto from = m_doubts.GetRuns().empty() ? m_hashesFrom : Instant(0);
        m_bsubAt = std::max(now + DrawBsubPause(), from);
        m_bsubBy = std::max(now + m_context.options.limits.word.bsubBy, from);
    }
}

void
WordTable::Doubt(Instant now, const SequenceSet& subscribers)
{
    for (const auto run : subscribers.GetRuns())
    {
        m_doubts.Add(run);
    }
    if (IsLarge() && !subscribers.GetRuns().empty())
    {
        m_bsubAt = std::min(m_bsubAt, now + DrawBsubPause());
    }
}

bool
WordTable::IsLarge() const
{
    return m_entries.Count() > m_context.options.limits.frame.stamps;
}

Instant
WordTable::DrawBsubPause() const
{
    const auto& limits = m_context.options.limits.word;
    return m_context.Draw(limits.bsubFrom, limits.bsubTo);
}

/// While new words come, a BSUB would tell of what is on its way.
void
WordTable::PostponeBsub(Instant now)
{
    if (m_bsubAt != NEVER)
    {
        m_bsubAt = std::max(m_bsubAt, std::min(now + DrawBsubPause(), m_bsubBy));
    }
}

/// @return whether a BSUB says so; else it says for us what we would have said
bool
WordTable::IsOtherTable(Instant now, NodeId from, uint32_t hash)
{
    if (hash == m_hash)
    {
        m_bsubAt = NEVER;
        m_lacking.Forget(from);
        return false;
    }
    HearHash(now, hash);
    return true;
}

void
WordTable::HearBsub(Instant now, NodeId from, const BsubHashes& bsub)
{
    if (!IsOtherTable(now, from, bsub.wordsHash))
    {
        return;
    }
    SequenceSet doubts;
    const auto count = bsub.hashes.size();
    const auto mine = HashWords(bsub.shift, count);
    for (uint32_t i = 0; i <= count && i << bsub.shift < NO_NODE; ++i)
    {
        const uint32_t end = i == count ? NO_NODE : (i + 1) << bsub.shift;
        if (mine[i] != (i == count ? 0 : bsub.hashes[i]))
        {
            doubts.Add({i << bsub.shift, end});
        }
    }
    Doubt(now, doubts);
}

void
WordTable::HearBsub(Instant now, NodeId from, const Bsub& bsub)
{
    if (!IsOtherTable(now, from, bsub.wordsHash))
    {
        return;
    }
    SequenceSet doubts;
    for (const auto& [subscriber, timestamp] : bsub.stamps)
    {
        const auto* known = Find(subscriber);
        if (!known || known->timestamp < timestamp)
        {
            doubts.Add({subscriber, subscriber + 1U});
        }
    }
    Doubt(now, doubts);
    const auto& limits = m_context.options.limits.word;
    const auto within = IsLarge() ? limits.forward : limits.lacking; // many have what one lacks
    const auto lacking = FindLacking(bsub);
    for (const auto id : lacking)
    {
        if (!m_forwards.Contains(id))
        {
            m_entries.Find(id)->copies = 0;
            ForwardWithin(now, id, within);
        }
    }
    m_lacking.Hear(now, from, bsub, lacking);
}

/// @return the subscribers whose newest words the sender lacks, ascending
std::vector<NodeId>
WordTable::FindLacking(const Bsub& bsub) const
{
    std::vector<NodeId> lacking;
    auto theirs = bsub.stamps;
    std::ranges::sort(theirs, {}, &WordStamp::subscriber);
    auto stamp = theirs.begin();
    for (auto id = m_entries.GetNext(bsub.first); id && *id <= bsub.last;
         id = m_entries.GetNext(*id + 1U))
    {
        stamp = std::ranges::lower_bound(stamp, theirs.end(), *id, {}, &WordStamp::subscriber);
        const auto isKnown = stamp != theirs.end() && stamp->subscriber == *id;
        if (!isKnown || stamp->timestamp < m_entries.Find(*id)->timestamp)
        {
            lacking.push_back(*id);
        }
    }
    return lacking;
}

/// Neighbours have much the same to say: where it does not fit, each begins with other words.
std::optional<Outgoing>
WordTable::BuildWords(Instant now)
{
    NodeId first = 0;
    auto sub = ChooseWords(now, first, m_context.options.maxFrameBytes);
    if (sub.words.size() < m_forwards.Get().size())
    {
        first = static_cast<NodeId>(m_context.uniform() * m_entries.GetLast().value_or(0));
        sub = ChooseWords(now, first, m_context.options.maxFrameBytes);
    }
    if (const auto most = m_lacking.GetMost(now); most < m_context.options.maxFrameBytes)
    {
        sub = ChooseWords(now, first, most);
    }
    for (const auto& word : sub.words)
    {
        m_forwards.Erase(word.subscriber);
    }
    m_lacking.Sent(sub, m_forwards.Get().empty());
    return Outgoing{NO_NODE, std::move(sub)};
}

/// @return as many words as fit into @p most bytes, from that of @p first on and then round
Sub
WordTable::ChooseWords(Instant now, NodeId first, size_t most) const
{
    const auto& forwards = m_forwards.Get();
    Sub sub;
    SubBytes bytes;
    auto at = forwards.lower_bound(first);
    for (auto left = std::min(forwards.size(), m_context.options.limits.frame.words); left > 0;
         --left, ++at)
    {
        at = at == forwards.end() ? forwards.begin() : at;
        auto word = MakeWord(at->first, *m_entries.Find(at->first), now);
        bytes.Add(word);
        if (bytes.Get() > most && !sub.words.empty())
        {
            break;
        }
        sub.words.push_back(std::move(word));
    }
    return sub;
}

/// Over a weak link a large BSUB never arrives: it takes turns with a small one.
std::optional<Outgoing>
WordTable::BuildBsub(Instant now)
{
    m_bsubAt = NEVER;
    const auto& options = m_context.options;
    const auto small = m_context.SmallFrame();
    auto all = MakeBsub(0, NO_NODE, options.maxFrameBytes);
    const auto isWhole = all.last == NO_NODE;
    const auto isLarge = !isWhole || MakeBsub(0, NO_NODE, small).last != NO_NODE;
    const auto isSmall = isLarge && m_largeBsubs >= (isWhole ? 1 : options.limits.word.largeBsubs);
    m_largeBsubs = isLarge && !isSmall ? m_largeBsubs + 1 : 0;
    if (isWhole)
    {
        m_doubts = {};
        return Outgoing{NO_NODE, isSmall ? MakeSmallBsub(small) : std::move(all)};
    }
    const auto most = isSmall ? small : options.maxFrameBytes;
    if (m_doubts.GetRuns().empty())
    {
        m_hashesFrom = now + m_context.Stretch(options.limits.word.hashesGap);
        return Outgoing{NO_NODE, MakeBsubOfHashes(most)};
    }
    return Outgoing{NO_NODE, MakeBsubOfDoubts(most)};
}

Bsub
WordTable::MakeSmallBsub(size_t most)
{
    auto bsub = MakeBsub(m_smallFrom, NO_NODE, most);
    m_smallFrom = bsub.last == NO_NODE ? 0 : bsub.last + 1;
    return bsub;
}

/// @return which words of these subscribers there are, up to where the frame is full
Bsub
WordTable::MakeBsub(NodeId first, NodeId last, size_t most) const
{
    Bsub bsub{m_hash, first, last, {}};
    auto bytes = BSUB_BYTES;
    auto previous = first;
    for (auto next = m_entries.GetNext(first); next && *next <= last;
         next = m_entries.GetNext(*next + 1U))
    {
        const WordStamp stamp{*next, m_entries.Find(*next)->timestamp};
        bytes += CountBytes(std::exchange(previous, stamp.subscriber), stamp);
        if (bytes > most || bsub.stamps.size() >= m_context.options.limits.frame.stamps)
        {
            bsub.last = static_cast<NodeId>(*next - 1);
            break;
        }
        bsub.stamps.push_back(stamp);
    }
    return bsub;
}

Bsub
WordTable::MakeBsubOfDoubts(size_t most)
{
    const auto& runs = m_doubts.GetRuns();
    auto at = std::ranges::find_if(runs, [this](Run run) { return run.end > m_bsubFrom; });
    if (at == runs.end())
    {
        m_bsubFrom = 0;
        at = runs.begin();
    }
    const auto first = std::max(at->begin, m_bsubFrom);
    auto end = at->end;
    for (++at; at != runs.end() && at->begin <= end + m_context.options.limits.word.doubtGap; ++at)
    {
        end = at->end;
    }
    auto bsub = MakeBsub(static_cast<NodeId>(first), static_cast<NodeId>(end - 1), most);
    m_bsubFrom = bsub.last + 1U;
    m_doubts.Remove({first, m_bsubFrom});
    return bsub;
}

BsubHashes
WordTable::MakeBsubOfHashes(size_t most) const
{
    const auto fit = (most - HASHES_BYTES) / sizeof(uint32_t);
    const auto count = std::min(fit, m_context.options.limits.frame.hashes);
    const size_t last = m_entries.GetLast().value_or(0);
    BsubHashes bsub{m_hash, 0, {}};
    while (last >> bsub.shift >= count)
    {
        ++bsub.shift;
    }
    bsub.hashes = HashWords(bsub.shift, (last >> bsub.shift) + 1);
    bsub.hashes.pop_back();
    return bsub;
}

/// @return the hash of the words of each 2^shift subscribers, and behind them of all others
std::vector<uint32_t>
WordTable::HashWords(uint8_t shift, size_t count) const
{
    std::vector<uint32_t> hashes(count + 1);
    for (auto next = m_entries.GetNext(0); next; next = m_entries.GetNext(*next + 1U))
    {
        const auto place = std::min<size_t>(*next >> shift, count);
        hashes[place] ^= Hash({*next, m_entries.Find(*next)->timestamp});
    }
    return hashes;
}

} // namespace mftpubsub::mesh
