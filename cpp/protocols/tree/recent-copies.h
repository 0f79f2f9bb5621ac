/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_RECENT_COPIES_H
#define MFTPUBSUB_PROTOCOLS_TREE_RECENT_COPIES_H

#include "protocols/tree/message.h"

#include <compare>
#include <deque>
#include <map>
#include <set>
#include <string>

namespace mftpubsub
{

/// The events that a client has lately given to, or got from, a broker: so many of each client.
class RecentCopies
{
  public:
    /// @param capacity of each client: copies that are further apart are taken for different ones
    explicit RecentCopies(size_t capacity);

    /// Takes note of a copy. @return whether it is a new one
    bool Take(const EventId& event, NodeId client);

    /// The client did not get the events of @p message, if it has any.
    void GiveBack(NodeId client, const Message& message);

    /// @return everything that is remembered, as text
    std::string GetDigest() const;

  private:
    struct Copies
    {
        std::set<EventId> taken;
        std::deque<EventId> order; //!< oldest first
    };

    size_t m_capacity;
    std::map<NodeId, Copies> m_copies; //!< by client
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_RECENT_COPIES_H */
