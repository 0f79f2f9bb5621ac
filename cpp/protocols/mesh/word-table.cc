/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/word-table.h"

#include <algorithm>

namespace mftpubsub::mesh
{

namespace
{

constexpr auto BSUB_FROM = Seconds(0.1);
constexpr auto BSUB_TO = Seconds(0.5);
/// A word that a neighbour lacks goes within this.
constexpr auto WORD_JITTER = Seconds(0.1);
/// Bytes of a SUB around its words, and of a BSUB around its stamps.
constexpr size_t SUB_BYTES = HEADER_BYTES + 1;
constexpr size_t BSUB_BYTES = HEADER_BYTES + 9;
constexpr size_t STAMP_BYTES = 6;
constexpr size_t MAX_COUNT = 255;

/// A mixture of all bits of the stamp (the finalizer of MurmurHash3).
uint32_t
Hash(const WordStamp& stamp)
{
    auto h = stamp.timestamp * 0x9e3779b1U ^ (stamp.subscriber + 1) * 0x85ebca6bU;
    h = (h ^ h >> 16) * 0x85ebca6bU;
    h = (h ^ h >> 13) * 0xc2b2ae35U;
    return h ^ h >> 16;
}

WordStamp
StampOf(const Word& word)
{
    return {word.subscriber, word.timestamp};
}

} // namespace

WordTable::WordTable(const Context& context)
    : m_context(context)
{
}

const Word*
WordTable::Find(NodeId subscriber) const
{
    const auto found = m_entries.find(subscriber);
    return found == m_entries.end() ? nullptr : &found->second.word;
}

bool
WordTable::Hear(Instant now, const Word& word, NodeId from)
{
    const auto isOwn = from == word.subscriber;
    const auto [at, isUnknown] = m_entries.try_emplace(word.subscriber);
    auto& entry = at->second;
    if (isUnknown || word.timestamp > entry.word.timestamp)
    {
        Replace(entry, word);
        entry.copies = isOwn ? 0 : 1;
        ForwardSoon(now, entry);
        return true;
    }
    if (word.timestamp < entry.word.timestamp)
    {
        return false;
    }
    if (!isOwn)
    {
        if (++entry.copies >= m_context.options.copies)
        {
            entry.forwardAt = NEVER;
        }
    }
    else if (entry.forwardAt == NEVER) // it has not heard anybody else say it
    {
        entry.copies = 0;
        ForwardSoon(now, entry);
    }
    return false;
}

void
WordTable::Replace(Entry& entry, const Word& word)
{
    if (entry.word.subscriber != NO_NODE)
    {
        m_hash ^= Hash(StampOf(entry.word));
    }
    for (const auto& filter : entry.word.filters)
    {
        m_matcher.Remove(word.subscriber, filter);
    }
    entry.word = word;
    for (const auto& filter : word.filters)
    {
        m_matcher.Insert(word.subscriber, filter);
    }
    m_hash ^= Hash(StampOf(word));
}

void
WordTable::ForwardSoon(Instant now, Entry& entry)
{
    entry.forwardAt = now + m_context.Draw(Instant(0), m_context.options.forward);
}

void
WordTable::HearHash(Instant now, uint32_t hash)
{
    if (hash != m_hash && m_bsubAt == NEVER)
    {
        m_bsubAt = now + m_context.Draw(BSUB_FROM, BSUB_TO);
    }
}

void
WordTable::HearBsub(Instant now, const Bsub& bsub)
{
    if (bsub.wordsHash == m_hash)
    {
        m_bsubAt = NEVER;
        return;
    }
    HearHash(now, bsub.wordsHash);
    std::map<NodeId, uint32_t> theirs;
    for (const auto& [subscriber, timestamp] : bsub.stamps)
    {
        theirs[subscriber] = timestamp;
    }
    for (auto at = m_entries.lower_bound(bsub.first);
         at != m_entries.end() && at->first <= bsub.last;
         ++at)
    {
        auto& entry = at->second;
        const auto known = theirs.find(at->first);
        if ((known == theirs.end() || known->second < entry.word.timestamp) &&
            entry.forwardAt == NEVER)
        {
            entry.copies = 0;
            entry.forwardAt = now + m_context.Draw(Instant(0), WORD_JITTER);
        }
    }
}

Instant
WordTable::DueWords() const
{
    auto due = NEVER;
    for (const auto& [subscriber, entry] : m_entries)
    {
        due = std::min(due, entry.forwardAt);
    }
    return due;
}

std::optional<Outgoing>
WordTable::BuildWords(Instant)
{
    Sub sub;
    auto bytes = SUB_BYTES;
    for (auto& [subscriber, entry] : m_entries)
    {
        if (entry.forwardAt == NEVER || sub.words.size() == MAX_COUNT)
        {
            continue;
        }
        bytes += CountBytes(entry.word);
        if (bytes > m_context.options.maxFrameBytes && !sub.words.empty())
        {
            break;
        }
        sub.words.push_back(entry.word);
        entry.forwardAt = NEVER;
    }
    return Outgoing{NO_NODE, std::move(sub)};
}

std::optional<Outgoing>
WordTable::BuildBsub()
{
    m_bsubAt = NEVER;
    Bsub bsub;
    bsub.wordsHash = m_hash;
    bsub.first = m_bsubFrom;
    const auto most =
        std::min(MAX_COUNT, (m_context.options.maxFrameBytes - BSUB_BYTES) / STAMP_BYTES);
    auto at = m_entries.lower_bound(m_bsubFrom);
    for (; at != m_entries.end() && bsub.stamps.size() < most; ++at)
    {
        bsub.stamps.push_back(StampOf(at->second.word));
    }
    m_bsubFrom = at == m_entries.end() ? 0 : at->first;
    bsub.last = static_cast<NodeId>(at == m_entries.end() ? NO_NODE : at->first - 1);
    return Outgoing{NO_NODE, std::move(bsub)};
}

} // namespace mftpubsub::mesh
