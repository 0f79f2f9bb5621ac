/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "content/id-set.h"

#include <algorithm>
#include <utility>

namespace mftpubsub
{

IdSet::IdSet(std::initializer_list<NodeId> ids)
{
    for (const auto id : ids)
    {
        Insert(id);
    }
}

IdSet::IdSet(const std::vector<NodeId>& ids)
{
    for (const auto id : ids)
    {
        Insert(id);
    }
}

size_t
IdSet::Count() const
{
    size_t count = 0;
    for (const auto& block : m_blocks)
    {
        count += std::popcount(block.bits);
    }
    return count;
}

bool
IdSet::Has(NodeId id) const
{
    const auto index = Find(id / BITS);
    return index < m_blocks.size() && m_blocks[index].number == id / BITS &&
           (m_blocks[index].bits & Bit(id)) != 0;
}

bool
IdSet::HasAny(const IdSet& other) const
{
    return std::ranges::any_of(other.m_blocks, [this](const Block& block) {
        const auto index = Find(block.number);
        return index < m_blocks.size() && m_blocks[index].number == block.number &&
               (m_blocks[index].bits & block.bits) != 0;
    });
}

void
IdSet::Insert(NodeId id)
{
    const auto index = Find(id / BITS);
    if (index == m_blocks.size() || m_blocks[index].number != id / BITS)
    {
        m_blocks.insert(m_blocks.begin() + static_cast<std::ptrdiff_t>(index), {0, id / BITS});
    }
    m_blocks[index].bits |= Bit(id);
}

void
IdSet::Insert(const IdSet& other)
{
    std::vector<Block> both;
    both.reserve(std::max(m_blocks.size(), other.m_blocks.size()));
    auto mine = m_blocks.begin();
    auto theirs = other.m_blocks.begin();
    while (mine != m_blocks.end() || theirs != other.m_blocks.end())
    {
        const auto isMine = theirs == other.m_blocks.end() ||
                            (mine != m_blocks.end() && mine->number <= theirs->number);
        const auto isTheirs = mine == m_blocks.end() ||
                              (theirs != other.m_blocks.end() && theirs->number <= mine->number);
        both.push_back(isMine ? *mine++ : Block{0, theirs->number});
        both.back().bits |= isTheirs ? (theirs++)->bits : 0;
    }
    m_blocks = std::move(both);
}

void
IdSet::Erase(NodeId id)
{
    const auto index = Find(id / BITS);
    if (index == m_blocks.size() || m_blocks[index].number != id / BITS)
    {
        return;
    }
    m_blocks[index].bits &= ~Bit(id);
    if (m_blocks[index].bits == 0)
    {
        m_blocks.erase(m_blocks.begin() + static_cast<std::ptrdiff_t>(index));
    }
}

IdSet
IdSet::Minus(const IdSet& other) const
{
    return Kept(other, [](uint64_t mine, uint64_t theirs) { return mine & ~theirs; });
}

IdSet
IdSet::And(const IdSet& other) const
{
    const auto isFewer = m_blocks.size() < other.m_blocks.size();
    const auto& few = isFewer ? *this : other;
    const auto& many = isFewer ? other : *this;
    return few.Kept(many, [](uint64_t mine, uint64_t theirs) { return mine & theirs; });
}

template <typename Keep>
IdSet
IdSet::Kept(const IdSet& other, Keep&& keep) const
{
    IdSet kept;
    kept.m_blocks.reserve(m_blocks.size());
    auto theirs = other.m_blocks.begin();
    for (const auto& [bits, number] : m_blocks)
    {
        while (theirs != other.m_blocks.end() && theirs->number < number)
        {
            ++theirs;
        }
        const auto isTheirs = theirs != other.m_blocks.end() && theirs->number == number;
        if (const auto left = keep(bits, isTheirs ? theirs->bits : 0); left != 0)
        {
            kept.m_blocks.push_back({left, number});
        }
    }
    return kept;
}

size_t
IdSet::GetHash() const
{
    size_t hash = 0;
    for (const auto& [bits, number] : m_blocks)
    {
        hash = (hash ^ bits ^ number) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 32;
    }
    return hash;
}

size_t
IdSet::Find(uint32_t number) const
{
    if (m_blocks.empty() || number <= m_blocks.front().number)
    {
        return 0;
    }
    const size_t guess = number - m_blocks.front().number; // where none is missing
    if (guess < m_blocks.size() && m_blocks[guess].number == number)
    {
        return guess;
    }
    const auto at = std::ranges::lower_bound(m_blocks, number, {}, &Block::number);
    return static_cast<size_t>(at - m_blocks.begin());
}

} // namespace mftpubsub
