/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_TREE_LINKS_H
#define MFTPUBSUB_PROTOCOLS_TREE_TREE_LINKS_H

#include "content/node-id.h"

#include <map>
#include <set>
#include <string>

namespace mftpubsub
{

/// What mft-pubsub-r remembers of its links to tree neighbours.
class TreeLinks
{
  public:
    /// A link in its present session.
    struct Link
    {
        bool isOpen{false};         //!< a BMIG has opened it, or is on its way from here
        bool isMine{false};         //!< this broker opened it
        bool isDeaf{false};         //!< so did the neighbour, whose claims are void until it yields
        std::set<NodeId> claimed{}; //!< the subscribers for whom it has been claimed by either end
    };

    /// There is a link to @p neighbour.
    void Add(NodeId neighbour);

    /// @return whether there was one
    bool Remove(NodeId neighbour);

    /// Another session begins on a link. @return it, nullptr if there is none
    Link* Reset(NodeId neighbour);

    /// @return the link to @p neighbour, nullptr if there is none
    Link* Find(NodeId neighbour);

    bool IsOpen(NodeId neighbour) const;

    /// @return the link to @p neighbour, nullptr if there is none that is open
    Link* FindOpen(NodeId neighbour);

    /// @return everything that is remembered, as text
    std::string GetDigest() const;

  private:
    std::map<NodeId, Link> m_links; //!< by neighbour
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_TREE_LINKS_H */
