/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_TREE_LAB_CHANNELS_H
#define MFTPUBSUB_LAB_TREE_LAB_CHANNELS_H

#include "content/node-id.h"
#include "protocols/tree/message.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub
{

/**
 * What is under way between the processes of a laboratory: messages and signs, first in, first out
 * from each to each.
 *
 * What two processes say to each other belongs to a session, as over the radio (session/session.h).
 * One of them may end it alone: what it has sent fails at once; the other finds out when a sign of
 * the new session reaches it, is told then what it has sent in vain, and answers with a sign of
 * life. Signs travel as messages do, and before those of their session.
 */
class LabChannels
{
  public:
    using Edge = std::pair<NodeId, NodeId>; //!< (source, destination)
    using MessagePtr = std::shared_ptr<const Message>;

    enum class Sign
    {
        NONE,        //!< a message
        NEW_SESSION, //!< the sender has ended a session
        ALIVE,       //!< the sender has heard of that
        HEARD        //!< the receiver alone had lost the sender as tree neighbour
    };

    struct InFlight
    {
        uint64_t order{0}; //!< in the global order of sending
        Sign sign{Sign::NONE};
        MessagePtr message; //!< none with a sign
    };

    struct Failure
    {
        Edge link;
        MessagePtr message;
    };

    /// A message is sent: in vain if the destination has ended the session already.
    void Put(const Edge& link, MessagePtr message);

    void PutSign(const Edge& link, Sign sign);

    /// @return the oldest of @p link, which has one; it is under way no more
    InFlight Take(const Edge& link);

    /// @return the oldest message of @p link, which has one
    MessagePtr Peek(const Edge& link) const;

    /// @return whether a message, and not a sign, comes next over @p link
    bool CarriesMessage(const Edge& link) const;

    /// @return the links with messages, each with its oldest one's place in the order of sending
    std::vector<std::pair<uint64_t, Edge>> GetHeads() const;

    bool IsEmpty() const;

    /// @return the next place in the order of sending
    uint64_t TakePlace();

    /// The source of @p link ends its session with the destination.
    void EndSession(const Edge& link);

    /// What is under way over @p link fails.
    void FailAll(const Edge& link);

    /// What was sent over @p link in a session that is over fails.
    /// @return whether there was such a session
    bool FailStale(const Edge& link);

    /// There is no link between the two any more: all fails, and no sign arrives.
    void Break(NodeId one, NodeId other);

    /// @p message could not be sent over @p link, or its arrival is unknown to the source.
    void Fail(const Edge& link, MessagePtr message);

    /// @return the oldest failure that its source has not been told
    std::optional<Failure> TakeFailure();

    /// Nobody is told of the failures.
    void ForgetFailures();

    /// Calls @p visit with every message of @p source that may still arrive or fail.
    void VisitSent(NodeId source, const std::function<void(const Message&)>& visit) const;

    /// @return everything that is under way, as text
    std::string GetDigest(const std::function<std::string(const Message&)>& describe) const;

  private:
    void DropSigns(const Edge& link, Sign sign);

    std::map<Edge, std::deque<InFlight>> m_channels; //!< never empty
    /// Sent in a session that the destination has ended already, of which the source does not know.
    std::map<Edge, std::vector<MessagePtr>> m_stale;
    std::deque<Failure> m_failures; //!< of which the sources are to be told
    uint64_t m_order{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_TREE_LAB_CHANNELS_H */
