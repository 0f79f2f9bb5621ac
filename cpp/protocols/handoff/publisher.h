/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_PUBLISHER_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_PUBLISHER_H

#include "protocols/handoff/event-buffer.h"

#include <vector>

namespace mftpubsub::handoff
{

/**
 * A publisher that may be without a broker, as a state machine without I/O (Luzuriaga et al.):
 * what it publishes then waits in a bounded buffer, first in first
 * out, and is sent before anything else when a broker has accepted it.
 */
class Publisher
{
  public:
    /// @param bytes bound of its buffer
    explicit Publisher(uint64_t bytes);

    /// @return what is to be sent now
    std::vector<EventPtr> Publish(const EventPtr& event);

    /// A broker has accepted it. @return what is to be sent now
    std::vector<EventPtr> Connect();

    /// It has no broker. @param unsent what none has taken, in the order of publication
    void Disconnect(const std::vector<EventPtr>& unsent = {});

    /// @return how many events wait
    size_t CountHeld() const;

  private:
    bool m_isConnected{false};
    EventBuffer m_buffer;
};

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_PUBLISHER_H */
