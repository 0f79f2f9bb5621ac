/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_STATIONS_WEAK_LINKS_H
#define MFTPUBSUB_STATIONS_WEAK_LINKS_H

#include "content/halvings.h"
#include "content/instant.h"
#include "content/node-id.h"

#include <cstddef>
#include <cstdint>
#include <map>

namespace mftpubsub
{

/**
 * Links of a tree that carry heartbeats and lose events (mft-pubsub-2): by the REPs that the
 * transport has given up. REPs over them are smaller, and every message has more attempts.
 */
class WeakLinks
{
  public:
    /// The transport has given up a REP to @p neighbour.
    void Lost(Instant now, NodeId neighbour);

    /// @p neighbour has got a REP of @p bytes, where @p room fit into a frame.
    void Arrived(Instant now, NodeId neighbour, size_t bytes, size_t room);

    /// @return bytes of a REP to @p neighbour, where @p room fit into a frame
    size_t GetRoom(Instant now, NodeId neighbour, size_t room) const;

    /// @return whether a message to @p neighbour that was sent @p attempts times goes again anyway
    bool Retries(Instant now, NodeId neighbour, uint32_t attempts) const;

  private:
    struct Link
    {
        Halvings halvings;
        Instant lostAt{0}; //!< the last REP
    };

    /// @return what is known of @p neighbour and not too old, nullptr if nothing is
    const Link* Find(Instant now, NodeId neighbour) const;

    std::map<NodeId, Link> m_links; //!< that have lost a REP
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_STATIONS_WEAK_LINKS_H */
