/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_SUBSCRIBER_SET_H
#define MFTPUBSUB_CONTENT_SUBSCRIBER_SET_H

#include "content/node-id.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace mftpubsub
{

/// Set of subscribers, read out in ascending order. Reading and clearing take what is in it.
class SubscriberSet
{
  public:
    void Add(NodeId subscriber)
    {
        const size_t word = subscriber / BITS;
        m_words[word] |= Bit(subscriber);
        m_used[word / BITS] |= Bit(word);
    }

    bool Has(NodeId subscriber) const
    {
        return (m_words[subscriber / BITS] & Bit(subscriber)) != 0;
    }

    std::vector<NodeId> List() const
    {
        std::vector<NodeId> list;
        VisitUsed([&](size_t index) {
            for (uint64_t word = m_words[index]; word != 0; word &= word - 1)
            {
                list.push_back(static_cast<NodeId>(index * BITS + std::countr_zero(word)));
            }
        });
        return list;
    }

    void Clear()
    {
        VisitUsed([this](size_t index) { m_words[index] = 0; });
        m_used = {};
    }

  private:
    static constexpr size_t BITS = 64; //!< of a word
    static constexpr size_t WORDS = (std::numeric_limits<NodeId>::max() + 1) / BITS;

    static uint64_t Bit(size_t index)
    {
        return uint64_t{1} << index % BITS;
    }

    template <typename Visitor>
    void VisitUsed(Visitor&& visit) const
    {
        for (size_t i = 0; i < m_used.size(); ++i)
        {
            for (uint64_t used = m_used[i]; used != 0; used &= used - 1)
            {
                visit(i * BITS + std::countr_zero(used));
            }
        }
    }

    std::array<uint64_t, WORDS> m_words{};
    std::array<uint64_t, WORDS / BITS> m_used{}; //!< words that are not 0
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_CONTENT_SUBSCRIBER_SET_H */
