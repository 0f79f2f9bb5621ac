/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_ID_SET_H
#define MFTPUBSUB_CONTENT_ID_SET_H

#include "content/node-id.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace mftpubsub
{

/// Ids of nodes, ascending. Many take a bit each and few 16 B each at most: it has those blocks of
/// 64 ids of which one is there.
class IdSet
{
  public:
    class Iterator;

    IdSet() = default;

    IdSet(std::initializer_list<NodeId> ids);

    explicit IdSet(const std::vector<NodeId>& ids);

    bool IsEmpty() const
    {
        return m_blocks.empty();
    }

    size_t Count() const;

    bool Has(NodeId id) const;

    /// @return whether an id of @p other is here; it takes time for those of @p other
    bool HasAny(const IdSet& other) const;

    void Insert(NodeId id);

    void Insert(const IdSet& other);

    void Erase(NodeId id);

    /// @return the ids that are not in @p other
    IdSet Minus(const IdSet& other) const;

    /// @return the ids that are in @p other too
    IdSet And(const IdSet& other) const;

    size_t GetHash() const;

    Iterator begin() const;
    Iterator end() const;

    bool operator==(const IdSet&) const = default;

  private:
    static constexpr unsigned BITS = 64;

    struct Block
    {
        uint64_t bits{0};   //!< not 0, of id - first
        uint32_t number{0}; //!< first / BITS

        bool operator==(const Block&) const = default;
    };

    static uint64_t Bit(NodeId id)
    {
        return uint64_t{1} << id % BITS;
    }

    /// @return where the block of @p number is or would be
    size_t Find(uint32_t number) const;

    /// Keeps of each block what @p keep(bits, those of @p other) says.
    template <typename Keep>
    IdSet Kept(const IdSet& other, Keep&& keep) const;

    std::vector<Block> m_blocks; //!< by number
};

/// Goes through the ids of a set, which must not change meanwhile.
class IdSet::Iterator
{
  public:
    using value_type = NodeId;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;

    Iterator(const std::vector<Block>& blocks, size_t index)
        : m_blocks(&blocks)
    {
        Enter(index);
    }

    NodeId operator*() const
    {
        return static_cast<NodeId>((*m_blocks)[m_index].number * BITS + std::countr_zero(m_left));
    }

    Iterator& operator++()
    {
        m_left &= m_left - 1;
        if (m_left == 0)
        {
            Enter(m_index + 1);
        }
        return *this;
    }

    Iterator operator++(int)
    {
        auto before = *this;
        ++*this;
        return before;
    }

    bool operator==(const Iterator& other) const = default;

  private:
    void Enter(size_t index)
    {
        m_index = index;
        m_left = index < m_blocks->size() ? (*m_blocks)[index].bits : 0;
    }

    const std::vector<Block>* m_blocks{nullptr};
    size_t m_index{0};
    uint64_t m_left{0}; //!< of the block at m_index
};

inline IdSet::Iterator
IdSet::begin() const
{
    return {m_blocks, 0};
}

inline IdSet::Iterator
IdSet::end() const
{
    return {m_blocks, m_blocks.size()};
}

} // namespace mftpubsub

#endif /* MFTPUBSUB_CONTENT_ID_SET_H */
