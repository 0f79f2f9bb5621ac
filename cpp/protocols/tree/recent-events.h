/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_RECENT_EVENTS_H
#define MFTPUBSUB_PROTOCOLS_TREE_RECENT_EVENTS_H

#include "content/event.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mftpubsub
{

/// Which of a publisher's latest events somebody has: bit i is the event i before the last one.
struct RecentRow
{
    NodeId publisher{NO_NODE};
    uint32_t last{0};
    uint64_t bits{0};

    bool operator==(const RecentRow&) const = default;
};

/// Which of the latest events somebody has, of each publisher a window that ends with the highest
/// sequence number. What is older than the window is not said.
class RecentEvents
{
  public:
    void Insert(const EventId& event);

    /// Somebody says that it has these: what it said before stays true.
    void Learn(const RecentRow& row);

    /// @return false too if @p event is older than what is said
    bool Contains(const EventId& event) const;

    /// @return one row a publisher
    const std::vector<RecentRow>& GetRows() const
    {
        return m_rows;
    }

    /// @return everything that it says, as text
    std::string GetDigest() const;

  private:
    std::vector<RecentRow> m_rows;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_RECENT_EVENTS_H */
