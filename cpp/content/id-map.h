/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_ID_MAP_H
#define MFTPUBSUB_CONTENT_ID_MAP_H

#include "content/node-id.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace mftpubsub
{

/// A value for each of many nodes, found without a search and kept without a pointer each: the
/// values of 64 ids lie together.
template <typename T>
class IdMap
{
  public:
    size_t Count() const
    {
        return m_count;
    }

    /// @return the value of @p id until another one is inserted; none if there is none
    const T* Find(NodeId id) const
    {
        const auto number = id / BITS;
        if (number >= m_blocks.size() || (m_blocks[number].bits & Bit(id)) == 0)
        {
            return nullptr;
        }
        return &m_blocks[number].values[m_blocks[number].CountBefore(id)];
    }

    T* Find(NodeId id)
    {
        return const_cast<T*>(std::as_const(*this).Find(id));
    }

    /// @return the value of @p id until another one is inserted; a new one if there was none
    T& operator[](NodeId id)
    {
        const auto number = id / BITS;
        if (number >= m_blocks.size())
        {
            m_blocks.resize(number + 1);
        }
        auto& block = m_blocks[number];
        const auto at = block.CountBefore(id);
        if ((block.bits & Bit(id)) == 0)
        {
            block.values.emplace(block.values.begin() + static_cast<std::ptrdiff_t>(at));
            block.bits |= Bit(id);
            ++m_count;
        }
        return block.values[at];
    }

    /// @return the first id from @p first on that has a value
    std::optional<NodeId> GetNext(uint32_t first) const
    {
        auto mask = ~uint64_t{0} << first % BITS;
        for (auto number = first / BITS; number < m_blocks.size(); ++number)
        {
            if (const auto bits = m_blocks[number].bits & mask; bits != 0)
            {
                return static_cast<NodeId>(number * BITS + std::countr_zero(bits));
            }
            mask = ~uint64_t{0};
        }
        return {};
    }

    /// @return the last id that has a value
    std::optional<NodeId> GetLast() const
    {
        for (auto number = m_blocks.size(); number-- > 0;)
        {
            if (const auto bits = m_blocks[number].bits; bits != 0)
            {
                return static_cast<NodeId>(number * BITS + BITS - 1 - std::countl_zero(bits));
            }
        }
        return {};
    }

    /// @return whether one of the values is as @p is says
    template <typename Is>
    bool HasAny(Is&& is) const
    {
        return std::ranges::any_of(m_blocks, [&is](const Block& block) {
            return std::ranges::any_of(block.values, is);
        });
    }

    /// @return how many values are as @p is says
    template <typename Is>
    size_t CountIf(Is&& is) const
    {
        size_t count = 0;
        for (const auto& block : m_blocks)
        {
            count += std::ranges::count_if(block.values, is);
        }
        return count;
    }

    template <typename Visit>
    void ForEach(Visit&& visit)
    {
        for (auto& block : m_blocks)
        {
            std::ranges::for_each(block.values, visit);
        }
    }

    template <typename Visit>
    void ForEach(Visit&& visit) const
    {
        for (const auto& block : m_blocks)
        {
            std::ranges::for_each(block.values, visit);
        }
    }

    void Erase(NodeId id)
    {
        const auto number = id / BITS;
        if (Find(id))
        {
            auto& block = m_blocks[number];
            block.values.erase(block.values.begin() +
                               static_cast<std::ptrdiff_t>(block.CountBefore(id)));
            block.bits &= ~Bit(id);
            --m_count;
        }
    }

    /// Erases the values that @p isOld says.
    template <typename IsOld>
    void EraseIf(IsOld&& isOld)
    {
        m_count = 0;
        for (auto& block : m_blocks)
        {
            if (std::ranges::any_of(block.values, isOld))
            {
                block.EraseIf(isOld);
            }
            m_count += block.values.size();
        }
    }

    /// Erases the values that @p isOld says, if there are twice as many as it left the last time.
    template <typename IsOld>
    void Prune(IsOld&& isOld)
    {
        if (m_count >= m_most)
        {
            EraseIf(isOld);
            m_most = 2 * m_count + LEAST;
        }
    }

  private:
    static constexpr unsigned BITS = 64;
    static constexpr size_t LEAST = 16;

    static uint64_t Bit(NodeId id)
    {
        return uint64_t{1} << id % BITS;
    }

    struct Block
    {
        size_t CountBefore(NodeId id) const
        {
            return static_cast<size_t>(std::popcount(bits & (Bit(id) - 1)));
        }

        template <typename IsOld>
        void EraseIf(IsOld&& isOld)
        {
            std::vector<T> kept;
            uint64_t keptBits = 0;
            auto value = values.begin();
            for (auto left = bits; left != 0; left &= left - 1, ++value)
            {
                if (!isOld(*value))
                {
                    kept.push_back(std::move(*value));
                    keptBits |= left & -left;
                }
            }
            values = std::move(kept);
            bits = keptBits;
        }

        uint64_t bits{0};      //!< of id - its number * BITS
        std::vector<T> values; //!< ascending by id
    };

    std::vector<Block> m_blocks; //!< by number
    size_t m_count{0};
    size_t m_most{LEAST}; //!< when Prune looks again
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_CONTENT_ID_MAP_H */
