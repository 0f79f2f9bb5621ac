/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_EVENT_HOPS_H
#define MFTPUBSUB_HOSTS_EVENT_HOPS_H

#include <cstdint>
#include <vector>

namespace mftpubsub
{

/// The hops of event copies, each of which leads back over the hops before it to the publisher. A
/// hop is good if the copy reaches somebody interested there or beyond, else misrouted.
class EventHops
{
  public:
    using Hop = uint32_t;

    /// What comes before the first hop of an event.
    static constexpr Hop NONE = 0xffffffff;

    /// @return a hop of a copy that arrived by @p before
    Hop Add(Hop before)
    {
        m_hops.push_back({before, false});
        return static_cast<Hop>(m_hops.size() - 1);
    }

    /// The copy that arrived by @p hop is wanted where it has arrived.
    void MarkGood(Hop hop)
    {
        while (hop != NONE && !m_hops[hop].isGood)
        {
            m_hops[hop].isGood = true;
            ++m_good;
            hop = m_hops[hop].before;
        }
    }

    uint64_t CountAll() const
    {
        return m_hops.size();
    }

    uint64_t CountGood() const
    {
        return m_good;
    }

  private:
    struct Entry
    {
        Hop before;
        bool isGood;
    };

    std::vector<Entry> m_hops;
    uint64_t m_good{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_EVENT_HOPS_H */
