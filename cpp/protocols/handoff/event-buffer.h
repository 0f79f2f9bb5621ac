/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_EVENT_BUFFER_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_EVENT_BUFFER_H

#include "protocols/handoff/messages.h"

#include <deque>

namespace mftpubsub::handoff
{

/// The events that a broker holds for one subscriber: first in, first out, bounded in bytes; when
/// it is full the oldest goes (handoff.md 4.3, R7).
class EventBuffer
{
  public:
    /// @param bytes bound on the sum of the events' sizes
    explicit EventBuffer(uint64_t bytes);

    void Append(const Held& held);

    /// @p events, older than those held, come back.
    void Return(const std::deque<Held>& events);

    /// @return all events, oldest first; none are left
    std::vector<Held> Take();

    void Clear();

    bool IsEmpty() const;
    const std::deque<Held>& GetEvents() const;

  private:
    void Shrink();

    uint64_t m_bound; //!< bytes
    uint64_t m_bytes{0};
    std::deque<Held> m_events;
};

/// @return @p events in the order of their ids; equal ones stay, in the order given (R3)
std::vector<Held> Sorted(std::vector<Held> events);

/// Puts the events of each publisher in order, at the places where events of that publisher are.
void OrderByPublisher(std::vector<Held>& events);

/// Puts @p events behind those of @p all.
void AppendTo(std::vector<Held>& all, std::vector<Held> events);

/// @return the events of @p events that are not in @p last, each id once
std::vector<Held> Missing(const std::vector<Held>& events, const Consumed& last);

/// @return the events of @p buffer, oldest first
std::vector<Held> EventsOf(const EventBuffer& buffer);

/// @return @p events as the broker that they are sent to holds them
std::vector<Held> Transferred(std::vector<Held> events);

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_EVENT_BUFFER_H */
