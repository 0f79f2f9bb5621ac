/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WORLDS_HANDOFF_LOG_H
#define MFTPUBSUB_WORLDS_HANDOFF_LOG_H

#include "hosts/wire-message.h"
#include "hosts/wire-rows.h"
#include "protocols/handoff/broker.h"
#include "worlds/handoff-world.h"

#include <cstdint>
#include <vector>

namespace mftpubsub
{

/// What happens in a hand-off scenario, message by message; nothing unless it is to be logged.
class HandoffLog
{
  public:
    /// @param eventBytes that each event of a message has
    HandoffLog(bool isLogging, uint64_t eventBytes);

    void Sent(NodeId from, NodeId to, const handoff::Message& message);

    /// @param broker NO_NODE: none
    void Moved(NodeId subscriber, NodeId broker);

    /// @p broker may know or hold something else than before.
    void Holds(NodeId broker, const handoff::Broker& machine);

    /// Adds all of it to @p result; nothing is left.
    void MoveTo(HandoffResult& result);

  private:
    bool m_isLogging;
    uint64_t m_eventBytes;
    std::vector<WireMessage> m_messages;
    std::vector<HandoffMove> m_moves;
    WireRowLog m_rows;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WORLDS_HANDOFF_LOG_H */
