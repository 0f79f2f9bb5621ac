/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "content/event-set.h"

#include <algorithm>
#include <map>
#include <utility>

namespace mftpubsub
{

namespace
{

constexpr uint32_t WORD = 64;
/// So many tell whether most of what is published is wanted.
constexpr size_t SAMPLE = 16;

} // namespace

bool
EventSet::Insert(EventId event)
{
    auto& block = m_blocks[{event.publisher, event.sequence / Block::SIZE}];
    return block.Insert(event.sequence % Block::SIZE);
}

bool
EventSet::Contains(EventId event) const
{
    const auto found = m_blocks.find({event.publisher, event.sequence / Block::SIZE});
    return found != m_blocks.end() && found->second.Contains(event.sequence % Block::SIZE);
}

std::string
EventSet::GetText() const
{
    std::string text;
    for (const auto& [place, block] : std::map(m_blocks.begin(), m_blocks.end()))
    {
        for (const uint32_t number : block.Get())
        {
            text += std::to_string(place.publisher) + "." +
                    std::to_string(place.sequence * Block::SIZE + number) + " ";
        }
    }
    return text;
}

bool
EventSet::Block::Insert(uint16_t number)
{
    if (m_bits.empty())
    {
        const auto at = std::ranges::lower_bound(m_few, number);
        if (at != m_few.end() && *at == number)
        {
            return false;
        }
        m_few.insert(at, number);
        if (m_few.size() >= SAMPLE && m_few.back() < m_few.size() * sizeof(number) * 8)
        {
            UseBits();
        }
        return true;
    }
    m_bits.resize(std::max<size_t>(m_bits.size(), number / WORD + 1));
    auto& word = m_bits[number / WORD];
    const auto bit = uint64_t{1} << number % WORD;
    const auto isNew = (word & bit) == 0;
    word |= bit;
    return isNew;
}

bool
EventSet::Block::Contains(uint16_t number) const
{
    const auto word = number / WORD;
    return std::ranges::binary_search(m_few, number) ||
           (word < m_bits.size() && (m_bits[word] >> number % WORD & 1) != 0);
}

void
EventSet::Block::UseBits()
{
    m_bits.resize(m_few.back() / WORD + 1);
    for (const auto number : std::exchange(m_few, {}))
    {
        m_bits[number / WORD] |= uint64_t{1} << number % WORD;
    }
}

std::vector<uint16_t>
EventSet::Block::Get() const
{
    auto numbers = m_few;
    for (uint32_t number = 0; number < m_bits.size() * WORD; ++number)
    {
        if (m_bits[number / WORD] >> number % WORD & 1)
        {
            numbers.push_back(number);
        }
    }
    return numbers;
}

} // namespace mftpubsub
