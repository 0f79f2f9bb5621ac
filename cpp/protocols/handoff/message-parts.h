/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_MESSAGE_PARTS_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_MESSAGE_PARTS_H

#include "content/event.h"
#include "content/filter.h"

#include <cstdint>
#include <vector>

namespace mftpubsub::handoff
{

/// What a subscriber has consumed: the highest id of each publisher (handoff.md R1).
class Consumed
{
  public:
    /// @return whether @p id, or a later event of its publisher, has been consumed
    bool Covers(EventId id) const;

    void Add(EventId id);
    void Add(const Consumed& other);

    /// @return one id a publisher, ascending
    const std::vector<EventId>& GetIds() const;

  private:
    std::vector<EventId> m_ids;
};

/// An event that a broker holds, or that is on its way to one.
struct Held
{
    EventPtr event;
    bool transferred{false}; //!< it came to this broker in a hand-off
    uint32_t timestamp{0};   //!< Phoenix, to the subscriber: by the clock of its broker
};

/// A broker's own neighbours, as it tells them to another (NT, handoff.md section 7).
using Neighbours = std::vector<NodeId>;

/// Session of a subscriber (k): +1 at each connection. Pro-active requests carry none (R4).
using Session = uint32_t;

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_MESSAGE_PARTS_H */
