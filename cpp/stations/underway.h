/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_STATIONS_UNDERWAY_H
#define MFTPUBSUB_STATIONS_UNDERWAY_H

#include "content/bytes.h"
#include "session/session.h"
#include "stations/tree-services.h"
#include "stations/weak-links.h"

#include <unordered_map>
#include <vector>

namespace mftpubsub
{

/// A part of a message, as a session takes it.
struct OutgoingMessage
{
    MessageHandle handle{0};
    uint8_t kind{0};
    Bytes body;
};

/// What the roles of a device have handed to its sessions, and what its links are found to carry.
class Underway
{
  public:
    /// @param room bytes of a message that fits into one frame
    /// @param yieldsToWeakLinks whether REPs over links that lose them are smaller, and messages
    /// have more attempts
    Underway(size_t room, bool yieldsToWeakLinks);

    /// @param failures times that @p send was given up before. @return its parts
    std::vector<OutgoingMessage> Add(Instant now, const Send& send, uint32_t failures);

    void Delivered(Instant now, const DeliveredMessage& delivered);

    /// @return what has failed with the session, in order
    std::vector<FailedSend> SessionEnded(Instant now, const mftpubsub::SessionEnded& ended);

    /// @return whether a message to @p neighbour that was sent @p attempts times goes again anyway
    bool Retries(Instant now, NodeId neighbour, uint32_t attempts) const;

    /// @return what is neither delivered nor given up
    std::vector<Send> GetSends() const;

    void Clear();

  private:
    size_t m_room;
    bool m_yieldsToWeakLinks;
    WeakLinks m_weakLinks;
    std::unordered_map<MessageHandle, FailedSend> m_sends; //!< to one neighbour each
    MessageHandle m_lastHandle{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_STATIONS_UNDERWAY_H */
