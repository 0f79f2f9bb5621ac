/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_HANDOFF_HANDOFF_LINKS_H
#define MFTPUBSUB_LAB_HANDOFF_HANDOFF_LINKS_H

#include "protocols/handoff/messages.h"
#include "protocols/handoff/tree.h"

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace mftpubsub
{

/// Links between the brokers of a laboratory of hand-offs: what is sent waits there, first in first
/// out on each link, until it is taken. A link may be held.
class HandoffLinks
{
  public:
    using Link = std::pair<NodeId, NodeId>; //!< from, to

    /// A message on its way.
    struct Pending
    {
        Link link;
        NodeId origin{NO_NODE};
        NodeId target{NO_NODE}; //!< the link's end, or a broker behind it
        handoff::Message message;
    };

    /// @param tree whose links messages take hop by hop; nullptr: one from each broker to each
    /// @param hasLanes whether stored events do not hold up what is sent after them
    HandoffLinks(std::shared_ptr<const handoff::Tree> tree, bool hasLanes);

    /// @p from sends, or passes on, a message of @p origin.
    void Send(NodeId from, NodeId origin, NodeId target, const handoff::Message& message);

    /// Takes the oldest message on a link that is not held; with @p choice the oldest of the
    /// choice-th (modulo their number) of these links.
    std::optional<Pending> Take(std::optional<uint64_t> choice);

    /// @return the links over which a message may come next, ascending
    std::vector<Link> GetReady() const;

    /// Takes the oldest message on @p link, if there is one and it is not held.
    std::optional<Pending> TakeFrom(Link link);

    void Hold(Link link);

    /// @return whether it was held
    bool Release(Link link);

    /// @return messages sent so far, each hop counted
    uint64_t CountSent() const;

  private:
    std::shared_ptr<const handoff::Tree> m_tree;
    bool m_hasLanes;
    std::deque<Pending> m_pending; //!< in the order of sending
    std::set<Link> m_held;
    uint64_t m_sent{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_HANDOFF_HANDOFF_LINKS_H */
