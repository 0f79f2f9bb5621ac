/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_EVENT_SET_H
#define MFTPUBSUB_CONTENT_EVENT_SET_H

#include "content/event.h"

#include <bitset>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace mftpubsub
{

/// Events by their ids: one bit each, as publishers number theirs one after the other.
class EventSet
{
  public:
    /// @return whether @p event was not there before
    bool Insert(EventId event);

    /// @return the ids, ascending, as text: "publisher.sequence " each
    std::string GetText() const;

  private:
    static constexpr uint32_t BLOCK = 256;

    std::unordered_map<EventId, std::bitset<BLOCK>> m_blocks; //!< by publisher and block's number
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_CONTENT_EVENT_SET_H */
